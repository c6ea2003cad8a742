// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor core instructions: mma.sync, wgmma, ldmatrix. See PTX ISA, "Warp Level Matrix Instructions" and
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
#ifndef CODEGEN_NVVM_NVVM_DOT_H
#define CODEGEN_NVVM_NVVM_DOT_H

#include "codegen/emitter.h"

// A scale for `group` bytes of k of each row of a and column of b: the words' bytes from `byte` on. Operands of bytes are
// then pairs of e2m1.
typedef struct MmaScales {
  uint32_t group, byte;
  bool exponents; // e8m0, not e4m3
  LLVMValueRef a, b;
} MmaScales;

// The types of the operands and of the accumulator. tf32 is ELEM_FP32.
typedef struct MmaTypes {
  Elem a, b, sum;
  const MmaScales *scales; // of mma.sync; NULL: none
} MmaTypes;

// mma.sync of one m16n8 tile and 32 bytes of k (16 for `half_k`). a has 4 words of 32 bits (2), b has 2 (1).
// `sum` has 4 values of fp32 or i32, or 2 words of two fp16; the result replaces it.
void nvvm_mma(Emitter *e, const MmaTypes *types, bool half_k, const LLVMValueRef *a, const LLVMValueRef *b,
              LLVMValueRef *sum);

// One wgmma.mma_async of m64 x n and 32 bytes of k. a has 4 words of 32 bits. If NULL, a_descriptor locates
// it in shared memory. Descriptors are i64.
typedef struct WgmmaStep {
  const LLVMValueRef *a;
  LLVMValueRef a_descriptor, b_descriptor;
  uint32_t n;
  uint32_t sum; // the first of its n / 2 sums (n / 4 words of two fp16) in the group's array.
  bool begins;  // First step for its accumulator: adds to the value from before the group.
} WgmmaStep;

// Consecutive wgmma instructions, committed as one group. A fence before them orders writes to the sums and
// to words of a.
typedef struct WgmmaGroup {
  MmaTypes types;
  bool a_transposed, b_transposed; // not k-major; only 16-bit types
  bool from_zero;                  // the accumulators start from zero, whatever they hold
  LLVMValueRef fresh;              // i1: true if they do; NULL: `from_zero` decides
  const WgmmaStep *steps;
  uint32_t count;
} WgmmaGroup;
void nvvm_wgmma(Emitter *e, const WgmmaGroup *group, LLVMValueRef *sums,
                uint32_t sum_count); // replaces the sums
// Waits until at most `pending` groups are in flight. `before`: words computed before the wait; `pinned`:
// ptxas must keep that order too.
void nvvm_wgmma_wait(Emitter *e, uint32_t pending, const LLVMValueRef *before, uint32_t count, bool pinned);
// Fixes the values (fp32 or 32-bit words) here, after earlier waits and dots. It is not an instruction. If
// they need two registers, LLVM copies them here and not earlier.
void nvvm_hold(Emitter *e, LLVMValueRef *values, uint32_t count);
// The same in new registers. ptxas does not recognise the copies.
void nvvm_copy(Emitter *e, LLVMValueRef *values, uint32_t count);

#endif
