// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that change threads by what is computed or by a mirror: gather, flip, histogram.
#include "base/fault.h"
#include "codegen/emit_combine.h"
#include "codegen/nvvm.h"
#include "ir/scratch.h"

// --- gather: x lies flat in scratch; each element of the result is read where its index says

// The place in x of the result's register r; an index that is out of range gives some element.
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

void emit_gather(Emitter *e, Op *op) {
  const Value *x = op_operand(op, 0);
  const Layout *layout = x->type->layout;
  SharedAccess access = {emit_shared_address(e, op_scratch(op)), type_element(x->type), layout, 0, 0};
  emit_shared_write_tile(e, &access, layout, emit_get(e, x));
  nvvm_barrier(e, 0, 0);
  LLVMValueRef *out = emit_new(e, op_result(op));
  for (uint32_t r = 0; r < emit_count(op_result(op)->type); r++)
    out[r] = emit_shared_element(e, access.base, access.element, gathered_place(e, op, r));
}

// --- flip: the mirror image is a fixed XOR of register, lane and warp away

// Where registers lie in scratch: without bank conflicts; mirrored it is the same places in another order.
static const Layout *flip_map(Emitter *e, const Type *type) {
  uint32_t bytes = type_element_bytes(type), elem_bits = bytes == 8 ? 3 : bytes / 2;
  Layout shared = layout_swizzle(type->layout, type->layout, elem_bits);
  Layout map = layout_offsets(type->layout, &shared);
  return layout_intern(e->module->ir, &map);
}

void emit_flip(Emitter *e, Op *op) {
  const Value *x = op_operand(op, 0);
  const Layout *layout = x->type->layout;
  uint32_t registers = layout_registers(layout), delta = flip_delta(op);
  uint32_t reg = delta & (registers - 1), rest = delta >> layout->bits[DIM_REGISTER];
  uint32_t lane = rest & 31, warp = rest >> LANE_BITS;
  LLVMValueRef *out = emit_new(e, op_result(op)), *from = emit_get(e, x);
  if (!warp) {
    for (uint32_t r = 0; r < registers; r++) out[r] = emit_shuffle_xor(e, from[r ^ reg], lane);
    return;
  }
  const Layout *map = flip_map(e, x->type);
  SharedAccess access = {emit_shared_address(e, op_scratch(op)), type_element(x->type), map, 0, 0};
  emit_shared_write_tile(e, &access, layout, from);
  nvvm_barrier(e, 0, 0);
  access.change = layout_apply(map, 0, lane, warp, 0);
  LLVMValueRef *mirrored = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
  emit_shared_read(e, &access, mirrored);
  for (uint32_t r = 0; r < registers; r++) out[r] = mirrored[r ^ reg];
}

// --- histogram: bins in scratch, counted by atomics

// Bins in order over the block's threads: a layout of as many registers as it takes.
static const Layout *bins_layout(Emitter *e, const Layout *result) {
  Layout all = {.out_bits = result->out_bits}, dense;
  uint32_t shape = 1u << result->out_bits, order = 0;
  all.bits[DIM_WARP] = result->bits[DIM_WARP];
  dense = layout_default(1, &shape, &order, 0, all.bits[DIM_WARP]);
  return layout_intern(e->module->ir, &dense);
}

static void clear_bins(Emitter *e, const SharedAccess *bins) {
  uint32_t registers = layout_registers(bins->map);
  LLVMValueRef *zeros = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
  for (uint32_t r = 0; r < registers; r++) zeros[r] = emit_i32(e, 0);
  emit_shared_write_tile(e, bins, bins->map, zeros);
  nvvm_barrier(e, 0, 0);
}

void emit_histogram(Emitter *e, Op *op) {
  const Value *x = op_operand(op, 0), *mask = op_input(op, 1);
  const Type *to = op_result(op)->type;
  SharedAccess bins = {emit_shared_address(e, op_scratch(op)), to->inner, bins_layout(e, to->layout), 0, 0};
  clear_bins(e, &bins);
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(x->type->layout, free_bits);
  LLVMValueRef holder = emit_first_holder(e, x->type->layout);
  for (uint32_t r = 0; r < emit_count(x->type); r++) {
    if (r & free_bits[DIM_REGISTER]) continue;
    LLVMValueRef bin = emit_register(e, x, r);
    LLVMValueRef wide = LLVMBuildIntCast2(e->builder, bin, e->i64, elem_is_signed(x->type->elem), "");
    LLVMValueRef counted =
        LLVMBuildICmp(e->builder, LLVMIntULT, wide, LLVMConstInt(e->i64, to->shape[0], false), "");
    if (mask) counted = LLVMBuildAnd(e->builder, counted, emit_register(e, mask, r), "");
    if (holder) counted = LLVMBuildAnd(e->builder, counted, holder, "");
    LLVMValueRef offset =
        LLVMBuildShl(e->builder, LLVMBuildTrunc(e->builder, wide, e->i32, ""), emit_i32(e, 2), "");
    nvvm_count_shared(e, LLVMBuildGEP2(e->builder, e->i8, bins.base, &offset, 1, ""), counted);
  }
  nvvm_barrier(e, 0, 0);
  bins.map = to->layout;
  emit_shared_read(e, &bins, emit_new(e, op_result(op)));
}
