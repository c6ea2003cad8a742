// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atom and red; ld and st with an order.
#ifndef CODEGEN_NVVM_NVVM_ATOMIC_H
#define CODEGEN_NVVM_NVVM_ATOMIC_H

#include "codegen/emitter.h"

typedef struct Atomic {
  const char *operation; // with its type: "add.u32", "cas.b64"
  const char *sem;       // relaxed, acquire, release, acq_rel
  const char *scope;     // cta, gpu, sys
  LLVMValueRef pointer;
  LLVMValueRef args[4];   // integers of a word's width; NULL after the last. cas has two
  bool vector;            // the args are one vector operand, neighbours in memory
  LLVMValueRef predicate; // i1; NULL: always
} Atomic;

// Returns the old value; undefined if the predicate is false. Without result it is red, which does not exist
// for exch and cas.
LLVMValueRef nvvm_atomic(Emitter *e, const Atomic *atomic, bool has_result);
// ld and st with the order and scope of `atomic`, whose operation is the type alone ("b32"). A word of 8 bits is
// allowed. The load returns the value; undefined if the predicate is false.
LLVMValueRef nvvm_atomic_load(Emitter *e, const Atomic *atomic);
void nvvm_atomic_store(Emitter *e, const Atomic *atomic);
// fence.acq_rel: the thread's later relaxed writes release what it did before.
void nvvm_fence_release(Emitter *e, const char *scope);

#endif
