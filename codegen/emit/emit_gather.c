// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements between threads by a computed index or mirrored: flip, and from shared memory
// shared_gather and shared_count.
#include "codegen/emit/emit_combine.h"
#include "codegen/emit/emit_pairs.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/memory/scratch.h"

// --- shared_gather: each element of the result is read where its index says

// The place of the result's register r in the buffer, which is in row-major order. An index out of range
// gives some element.
static LLVMValueRef gathered_place(Emitter *e, const Op *op, uint32_t r) {
  const Type *x = op_operand(op, 0)->type, *to = op_result(op)->type;
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0), first, to_first;
  uint32_t bits = layout_dim_bits(x->rank, x->shape, axis, &first);
  uint32_t to_bits = layout_dim_bits(to->rank, to->shape, axis, &to_first);
  LLVMValueRef along = emit_register(e, op_operand(op, 1), r), own = emit_index(e, to->layout, r);
  along = LLVMBuildIntCast2(e->builder, along, e->i32, false, "");
  along = LLVMBuildAnd(e->builder, along, emit_i32(e, (1u << bits) - 1), "");
  LLVMValueRef inner = LLVMBuildAnd(e->builder, own, emit_i32(e, (1u << to_first) - 1), "");
  LLVMValueRef outer = LLVMBuildLShr(e->builder, own, emit_i32(e, to_first + to_bits), "");
  LLVMValueRef place = LLVMBuildShl(e->builder, outer, emit_i32(e, bits), "");
  place = LLVMBuildShl(e->builder, LLVMBuildOr(e->builder, place, along, ""), emit_i32(e, first), "");
  return LLVMBuildOr(e->builder, place, inner, "");
}

void emit_shared_gather(Emitter *e, Op *op) {
  const Type *to = op_result(op)->type;
  LLVMValueRef base = emit_shared_address(e, op_operand(op, 0)), *out = emit_new(e, op_result(op));
  for (uint32_t r = 0; r < emit_count(to); r++)
    out[r] = emit_shared_element(e, base, type_element(to), gathered_place(e, op, r));
}

// --- flip: the mirror image is a fixed XOR of register and lane away

void emit_flip(Emitter *e, Op *op) {
  const Value *x = op_operand(op, 0);
  uint32_t registers = layout_registers(x->type->layout);
  uint32_t delta = mirror_delta(x->type, (uint32_t)op_int(op, ATTR_AXIS, 0));
  uint32_t reg = delta & (registers - 1), lane = delta >> x->type->layout->bits[DIM_REGISTER];
  LLVMValueRef *out = emit_new(e, op_result(op)), *from = emit_get(e, x);
  if (lane && reg % 2 == 0 && emit_is_paired(e, x->type)) {
    for (uint32_t r = 0; r < registers; r += 2) emit_shuffle_pair(e, from + (r ^ reg), lane, out + r);
    return;
  }
  for (uint32_t r = 0; r < registers; r++) out[r] = emit_shuffle_xor(e, from[r ^ reg], lane);
}

// --- shared_count: by atomics; each element once

void emit_shared_count(Emitter *e, Op *op) {
  const Value *x = op_operand(op, 0), *bins = op_operand(op, 1), *mask = op_operand(op, 2);
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(x->type->layout, free_bits);
  LLVMValueRef holder = emit_first_holder(e, x->type->layout), base = emit_shared_address(e, bins);
  for (uint32_t r = 0; r < emit_count(x->type); r++) {
    if (r & free_bits[DIM_REGISTER]) continue;
    LLVMValueRef bin = emit_register(e, x, r);
    LLVMValueRef wide = LLVMBuildIntCast2(e->builder, bin, e->i64, elem_is_signed(x->type->elem), "");
    LLVMValueRef counted =
        LLVMBuildICmp(e->builder, LLVMIntULT, wide, LLVMConstInt(e->i64, bins->type->shape[0], false), "");
    if (mask) counted = LLVMBuildAnd(e->builder, counted, emit_register(e, mask, r), "");
    if (holder) counted = LLVMBuildAnd(e->builder, counted, holder, "");
    LLVMValueRef offset =
        LLVMBuildShl(e->builder, LLVMBuildTrunc(e->builder, wide, e->i32, ""), emit_i32(e, 2), "");
    nvvm_count_shared(e, LLVMBuildGEP2(e->builder, e->i8, base, &offset, 1, ""), counted);
  }
}
