// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor cores' instructions: mma.sync, wgmma, ldmatrix. PTX ISA, "Warp Level Matrix Instructions" and
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
#ifndef CODEGEN_NVVM_NVVM_DOT_H
#define CODEGEN_NVVM_NVVM_DOT_H

#include "codegen/emitter.h"

// What is multiplied and summed. tf32 is ELEM_FP32.
typedef struct MmaTypes {
  Elem a, b, sum;
} MmaTypes;

// mma.sync of one tile m16n8 and 32 bytes of k (16 for `half_k`). a: 4 words of 32 bits (2), b: 2 (1); sum: 4
// values of fp32 or i32, or 2 words of two fp16, replaced by the result.
void nvvm_mma(Emitter *e, const MmaTypes *types, bool half_k, const LLVMValueRef *a, const LLVMValueRef *b,
              LLVMValueRef *sum);

// One wgmma.mma_async of m64 x n and 32 bytes of k. a: 4 words of 32 bits, or NULL, then a_descriptor says
// where it is; the descriptors are i64.
typedef struct WgmmaStep {
  const LLVMValueRef *a;
  LLVMValueRef a_descriptor, b_descriptor;
  uint32_t n;
  uint32_t sum; // the first of its n / 2 sums (n / 4 words of two fp16) in the group's
  bool begins;  // adds to the sums as they were before the group
} WgmmaStep;

// Products that follow one another, committed as one group. What was written to the sums and to words of a is
// fenced off.
typedef struct WgmmaGroup {
  MmaTypes types;
  bool a_transposed, b_transposed; // not k-major; 16-bit types alone
  bool from_zero;                  // the sums before the group count as zero, whatever they hold
  LLVMValueRef fresh;              // i1: they do where it holds; NULL: `from_zero` says it
  const WgmmaStep *steps;
  uint32_t count;
} WgmmaGroup;
void nvvm_wgmma(Emitter *e, const WgmmaGroup *group, LLVMValueRef *sums, uint32_t sum_count); // replaces them
// Waits until at most `pending` groups are under way. `before`: words that are computed before it; `pinned`: by ptxas too.
void nvvm_wgmma_wait(Emitter *e, uint32_t pending, const LLVMValueRef *before, uint32_t count, bool pinned);
// The values (fp32 or 32-bit words) as they are from here on, after the waits and dots before it. It is no instruction.
// LLVM copies them here where they need two registers, and not earlier.
void nvvm_hold(Emitter *e, LLVMValueRef *values, uint32_t count);
// The same in new registers. ptxas does not see that they are copies.
void nvvm_copy(Emitter *e, LLVMValueRef *values, uint32_t count);

#endif
