// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits of an integer that are equal on all lanes and in all iterations. LLVM's C interface does not have them.
#ifndef CODEGEN_LLVM_KNOWN_BITS_H
#define CODEGEN_LLVM_KNOWN_BITS_H

#include <llvm-c/Types.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// An integer of up to 64 bits: the bits that are known to be 0, and those known to be 1. The value is in a function of
// a module.
typedef struct KnownBits {
  uint64_t zeros, ones;
} KnownBits;

KnownBits llvm_known_bits(LLVMModuleRef module, LLVMValueRef value);

#ifdef __cplusplus
}
#endif

#endif
