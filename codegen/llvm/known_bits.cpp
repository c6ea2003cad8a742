// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's analysis of known bits.
#include "codegen/llvm/known_bits.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>

extern "C" KnownBits llvm_known_bits(LLVMModuleRef module, LLVMValueRef value) {
  const llvm::DataLayout &layout = llvm::unwrap(module)->getDataLayout();
  llvm::KnownBits known = llvm::computeKnownBits(llvm::unwrap(value), layout);
  return {known.Zero.getZExtValue(), known.One.getZExtValue()};
}
