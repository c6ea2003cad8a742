// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor cores' instructions: mma.sync, wgmma, ldmatrix. PTX ISA, "Warp Level Matrix Instructions" and
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
#ifndef CODEGEN_NVVM_DOT_H
#define CODEGEN_NVVM_DOT_H

#include "codegen/emit.h"

// What is multiplied and summed. tf32 is ELEM_FP32.
typedef struct MmaTypes {
  Elem a, b, sum;
} MmaTypes;

// mma.sync of one tile m16n8 and 32 bytes of k (16 for `half_k`). a: 4 words of 32 bits (2), b: 2 (1); sum: 4
// values of fp32 or i32, or 2 words of two fp16, replaced by the result.
void nvvm_mma(Emitter *e, const MmaTypes *types, bool half_k, const LLVMValueRef *a, const LLVMValueRef *b,
              LLVMValueRef *sum);

// wgmma.mma_async of m64 x n and 32 bytes of k. a: 4 words of 32 bits, or NULL, then a_descriptor says where
// it is; the descriptors are i64. sum: n / 2 values (n / 4 words of two fp16), tied.
typedef struct Wgmma {
  MmaTypes types;
  uint32_t n;
  const LLVMValueRef *a;
  LLVMValueRef a_descriptor, b_descriptor;
  bool a_transposed, b_transposed; // not k-major; 16-bit types alone
  bool from_zero;                  // nothing is added to, whatever sum holds
} Wgmma;
void nvvm_wgmma(Emitter *e, const Wgmma *wgmma, LLVMValueRef *sum);
// Orders what was written to the values (accumulators, words of a; fp32 or 32-bit) before the products that
// follow: they pass through, so that nothing moves between.
void nvvm_wgmma_fence(Emitter *e, LLVMValueRef *values, uint32_t count);
void nvvm_wgmma_commit(Emitter *e);
// Waits until at most `pending` groups are under way; the values (fp32 or 32-bit words) pass through, so that
// nothing that uses them moves before it.
void nvvm_wgmma_wait(Emitter *e, uint32_t pending, LLVMValueRef *values, uint32_t count);

#endif
