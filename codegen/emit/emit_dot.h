// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the emitters of dot share: where an element of the product's tiles is among a thread's registers.
#ifndef CODEGEN_EMIT_EMIT_DOT_H
#define CODEGEN_EMIT_EMIT_DOT_H

#include "codegen/emit/emit.h"
#include "ir/dot/layout_dot.h"

// Registers of a tile by the flattened index, as thread 0 holds them: other threads have the same registers
// for elements moved by their own part of the layout.
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
  LLVMValueRef *out;  // registers of the result
  bool from_zero;     // acc counts as zero
  LLVMValueRef fresh; // i1, that it does; NULL: `from_zero` says it
} EmittedDot;

RegisterMap emit_register_map(Emitter *e, const Value *tile);
RegisterMap emit_layout_map(Emitter *e, const LLVMValueRef *registers, const Layout *layout);
LLVMValueRef emit_mapped(const RegisterMap *map, uint32_t index);
uint32_t emit_mapped_register(const RegisterMap *map, uint32_t index);
// 2^pack elements from `index` on, `stride` apart, as one 32-bit word.
LLVMValueRef emit_word(Emitter *e, const RegisterMap *map, uint32_t index, uint32_t stride, uint32_t pack);
// Two fp16 as one word, x in the lower half, and back.
LLVMValueRef emit_pair(Emitter *e, LLVMValueRef x, LLVMValueRef y);
void emit_unpair(Emitter *e, LLVMValueRef word, LLVMValueRef *x, LLVMValueRef *y);

// The result's registers as they begin. Those of padding alone, in which no instruction sums, are zeros.
void emit_begin_sums(const EmittedDot *p);
void emit_mma_dot(Emitter *e, const EmittedDot *p);
void emit_wgmma_dot(Emitter *e, EmittedDot *p);
// emit_sums.c: before a dot by wgmma begins: the sums of those that begin while it is under way take their places.
void emit_prepare_sums(Emitter *e, const Op *first);
// emit_unroll.c: ptxas does not unroll the loop, whose body carries its arguments from `first` on, where it would make
// wrong code of it. `latch`: the branch back.
void emit_limit_unrolling(Emitter *e, const Region *body, uint32_t first, LLVMValueRef latch);
void emit_fma_dot(Emitter *e, const EmittedDot *p);

#endif
