// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects which passes of LLVM's code generator run. Some find almost nothing after tile IR's passes and
// codegen.c's. They cost a tenth of the code generation.
#ifndef CODEGEN_LLVM_PASS_GATE_H
#define CODEGEN_LLVM_PASS_GATE_H

#include <llvm-c/Types.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PassGate PassGate;

// Code generation in the context skips those passes from now on. If the module was not optimised before, it
// skips only those that are wrong or slow. The caller owns the gate and frees it after the context.
PassGate *pass_gate_new(LLVMContextRef context, bool optimised);
void pass_gate_free(PassGate *gate); // NULL: does nothing

#ifdef __cplusplus
}
#endif

#endif
