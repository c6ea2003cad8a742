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
void emit_mma_dot(Emitter *e, const EmittedDot *p);
void emit_wgmma_dot(Emitter *e, EmittedDot *p);
// emit_sums.c: call before a wgmma dot begins. Sums of dots that begin while it is in flight move to their
// registers.
void emit_prepare_sums(Emitter *e, const Op *first);
// emit_unroll.c: stops ptxas from unrolling the loop if it would generate wrong code. The body's loop-carried
// arguments begin at `first`. `latch` is the branch back.
void emit_limit_unrolling(Emitter *e, const Region *body, uint32_t first, LLVMValueRef latch);
void emit_fma_dot(Emitter *e, const EmittedDot *p);

#endif
