// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the emitters of dot: finds an element of the operand and result tiles in a thread's registers.
#ifndef CODEGEN_EMIT_EMIT_DOT_H
#define CODEGEN_EMIT_EMIT_DOT_H

#include "codegen/emit/emit.h"
#include "ir/dot/layout_dot.h"

// Registers of a tile by flattened index, as thread 0 holds them. Other threads hold, in the same registers,
// elements shifted by their part of the layout.
typedef struct RegisterMap {
  const LLVMValueRef *registers;
  const uint32_t *at; // register + 1 by index; 0: not held
} RegisterMap;

typedef struct EmittedDot {
  Op *op;
  DotShape shape;
  Elem a, b, sum;
  const Layout *layout; // the result's
  RegisterMap acc;
  LLVMValueRef *out;  // the result's registers
  bool from_zero;     // acc counts as zero
  LLVMValueRef fresh; // i1: acc counts as zero; NULL: `from_zero` decides
} EmittedDot;

RegisterMap emit_register_map(Emitter *e, const Value *tile);
RegisterMap emit_layout_map(Emitter *e, const LLVMValueRef *registers, const Layout *layout);
LLVMValueRef emit_mapped(const RegisterMap *map, uint32_t index);
uint32_t emit_mapped_register(const RegisterMap *map, uint32_t index);
// Packs 2^pack elements from `index` on, `stride` apart, into one 32-bit word.
LLVMValueRef emit_word(Emitter *e, const RegisterMap *map, uint32_t index, uint32_t stride, uint32_t pack);
// Packs two fp16 into one word, x in the lower half; and unpacks.
LLVMValueRef emit_pair(Emitter *e, LLVMValueRef x, LLVMValueRef y);
void emit_unpair(Emitter *e, LLVMValueRef word, LLVMValueRef *x, LLVMValueRef *y);

// Initialises the result's registers. Registers that are only padding are zeros: no instruction accumulates
// into them.
void emit_begin_sums(const EmittedDot *p);
void emit_wgmma_dot(Emitter *e, EmittedDot *p);
// emit_tcgen05.c
void emit_tcgen05_dot(Emitter *e, const EmittedDot *p);
void emit_tcgen05_wait(Emitter *e, const Op *wait);
// emit_sums.c: call before a wgmma dot begins. Sums of dots that begin while it is in flight move to their
// registers.
void emit_prepare_sums(Emitter *e, const Op *first);
// emit_unroll.c: stops ptxas from unrolling the loop if it would generate wrong code. The body's loop-carried
// arguments begin at `first`. `latch` is the branch back.
void emit_limit_unrolling(Emitter *e, const Region *body, uint32_t first, LLVMValueRef latch);
void emit_fma_dot(Emitter *e, const EmittedDot *p);

// --- matrices in shared memory, as wgmma and tcgen05.mma read them: by descriptors (emit_wgmma.c)

// An operand in shared memory, a matrix of rows x columns.
typedef struct SharedMatrix {
  Layout inverse;     // index -> offset, in elements
  LLVMValueRef start; // its address, i32
  LLVMValueRef first; // descriptor of the start: i64
  uint64_t fields;    // of the descriptor, but for the start
  uint32_t bytes;     // of an element
  bool transposed;    // not k-major
} SharedMatrix;

// Converts the instruction's row or column and the dot's k to bits of the operand's index.
uint32_t matrix_index(const EmittedDot *p, DotOperand operand, uint32_t outer, uint32_t k);
// The part of the result's index along an operand's m or n.
uint32_t matrix_outer(const EmittedDot *p, DotOperand operand, uint32_t index);
// The operand's buffer, without its descriptor.
SharedMatrix emit_matrix(Emitter *e, const EmittedDot *p, DotOperand operand);
// Builds the descriptor of the start.
void emit_descriptor(Emitter *e, const Op *dot, DotOperand operand, SharedMatrix *matrix);
// The descriptor of the element at `index`.
LLVMValueRef matrix_descriptor(Emitter *e, const SharedMatrix *matrix, uint32_t index);

#endif
