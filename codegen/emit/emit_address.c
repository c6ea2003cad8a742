// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses. If a tile's offsets count upwards from a multiple of its size, they cannot wrap within the tile.
// A thread's other addresses are then constants away from its first one, and become immediates of the
// accesses.
// The same applies to 64-bit numbers that differ by constants. Rows of a matrix with known stride then take
// one address, instead of two registers each.
#include "base/integer.h"
#include "codegen/emit/address_sum.h"
#include "codegen/emit/emit.h"

enum { MAX_DEPTH = 8, ALL_BITS = 32 };

static uint32_t zero_bits(const Emitter *e, const Value *value, uint32_t depth);

// Handles a parameter or a loop index.
static uint32_t zero_bits_of_argument(const Emitter *e, const Value *value, uint32_t depth) {
  const Op *loop = value->region->parent;
  if (!loop) return e->func->params[value->index].facts.divisible16 ? 4 : 0;
  if (loop->kind != OP_FOR || value->index != 0) return 0;
  return min_u32(zero_bits(e, loop_lower(loop), depth), zero_bits(e, loop_step(loop), depth));
}

// The number of low bits of an integer that are always 0.
static uint32_t zero_bits(const Emitter *e, const Value *value, uint32_t depth) {
  int64_t constant;
  if (value_int_constant(value, &constant))
    return constant ? min_u32(ALL_BITS, lowest_bit((uint64_t)constant)) : ALL_BITS;
  if (depth == 0) return 0;
  depth--;
  if (!value->def) return zero_bits_of_argument(e, value, depth);
  const Op *op = value->def;
  uint32_t x = op->operand_count ? zero_bits(e, op_operand(op, 0), depth) : 0;
  switch ((int)op->kind) {
  case OP_SPLAT: return x;
  case OP_ADD:
  case OP_SUB: return min_u32(x, zero_bits(e, op_operand(op, 1), depth));
  case OP_MUL: return min_u32(ALL_BITS, x + zero_bits(e, op_operand(op, 1), depth));
  default: return 0;
  }
}

// Skips ops that add dimensions of size 1: they do not move elements.
static const Op *behind_shapes(const Value *value) {
  while (value->def && (value->def->kind == OP_EXPAND_DIMS || value->def->kind == OP_RESHAPE))
    value = op_operand(value->def, 0);
  return value->def;
}

// True if element i is the first one plus i throughout the tile, without wrapping.
static bool counts_upwards(const Emitter *e, const Value *offsets) {
  const Op *sum = behind_shapes(offsets), *range = sum;
  const Value *start = NULL;
  for (uint32_t i = 0; sum && sum->kind == OP_ADD && i < 2; i++) {
    range = behind_shapes(op_operand(sum, i));
    start = op_operand(sum, 1 - i);
    if (range && range->kind == OP_ARANGE) break;
  }
  if (!range || range->kind != OP_ARANGE || op_int(range, ATTR_START, 0) != 0) return false;
  if (type_elements(op_result(range)->type) != type_elements(offsets->type)) return false;
  if (!start) return true;
  const Op *splat = behind_shapes(start);
  bool uniform = splat && value_uniform(op_result(splat));
  return uniform && zero_bits(e, op_result(splat), MAX_DEPTH) >= offsets->type->layout->out_bits;
}

// True if, in all threads, each register's address is a constant away from that of register 0.
static bool is_constant_away(Emitter *e, const Op *op) {
  const Type *type = op_result(op)->type;
  if (!type_is_tile(type)) return false;
  const Op *base = behind_shapes(op_operand(op, 0));
  if (!base || base->kind != OP_SPLAT || !counts_upwards(e, op_operand(op, 1))) return false;
  uint32_t mask = emit_thread_index(e, type->layout).thread_mask;
  for (uint32_t i = 0; i < type->layout->bits[DIM_REGISTER]; i++)
    if (layout_basis(type->layout, DIM_REGISTER, i) & mask) return false;
  return true;
}

// Bytes from the first register's base to a further one's. False: no constant was found.
static bool base_steps(LLVMValueRef first, LLVMValueRef base, int64_t *bytes) {
  *bytes = 0;
  if (base == first) return true;
  if (!LLVMIsAGetElementPtrInst(base) || LLVMGetOperand(base, 0) != first) return false;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(base);
  bool by_bytes = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8;
  if (!by_bytes || !LLVMIsAConstantInt(LLVMGetOperand(base, 1))) return false;
  *bytes = LLVMConstIntGetSExtValue(LLVMGetOperand(base, 1));
  return true;
}

// Bytes from the first register's address to each other one. False if a distance is not a known constant, or
// if LLVM finds them itself. Sums and multiples of 64 bits are as wide as addresses, so both wrap alike.
static bool find_steps(Emitter *e, const Op *op, int64_t *bytes) {
  const Value *base = op_operand(op, 0), *offset = op_operand(op, 1);
  uint64_t size = type_element_bytes(type_element(op_result(op)->type)->inner);
  bool wide = type_element(offset->type)->elem == ELEM_I64, away = wide;
  NumberSum first = number_sum_of_products(emit_register(e, offset, 0));
  if (!wide && (first.count != 1 || first.term[0].factor)) return false;
  for (uint32_t r = 1; r < emit_count(op_result(op)->type); r++) {
    NumberSum sum = number_sum_of_products(emit_register(e, offset, r));
    int64_t steps;
    if (!base_steps(emit_register(e, base, 0), emit_register(e, base, r), &bytes[r])) return false;
    away |= bytes[r] != 0;
    if (!number_sum_steps(&first, &sum, &steps)) return false;
    bytes[r] = (int64_t)((uint64_t)bytes[r] + (uint64_t)steps * size);
  }
  return away;
}

static bool emit_steps(Emitter *e, const Op *op, LLVMValueRef *out) {
  uint32_t registers = emit_count(op_result(op)->type);
  int64_t *bytes = ARENA_ARRAY(e->arena, int64_t, registers);
  if (registers < 2 || !find_steps(e, op, bytes)) return false;
  for (uint32_t r = 1; r < registers; r++) {
    LLVMValueRef step = LLVMConstInt(e->i64, (uint64_t)bytes[r], true);
    out[r] = bytes[r] ? LLVMBuildGEP2(e->builder, e->i8, out[0], &step, 1, "") : out[0];
  }
  return true;
}

void emit_addptr(Emitter *e, Op *op) {
  const Type *type = op_result(op)->type;
  LLVMTypeRef pointee = emit_memory_type(e, type_element(type)->inner);
  bool is_signed = elem_is_signed(type_element(op_operand(op, 1)->type)->elem),
       from_first = is_constant_away(e, op);
  LLVMValueRef *out = emit_new(e, op_result(op));
  if (!from_first &&
      (emit_carried_address(e, op, out) || emit_rows(e, op, out) || emit_chained_rows(e, op, out)))
    return;
  for (uint32_t r = 0; r < emit_count(type); r++) {
    LLVMValueRef base = emit_register(e, op_operand(op, 0), r), offset;
    if (from_first && r > 0) {
      base = out[0];
      offset = LLVMConstInt(e->i64, layout_apply(type->layout, r, 0, 0, 0), false);
    } else {
      offset = LLVMBuildIntCast2(e->builder, emit_register(e, op_operand(op, 1), r), e->i64, is_signed, "");
    }
    out[r] = LLVMBuildGEP2(e->builder, pointee, base, &offset, 1, "");
    if (!from_first && r == 0 && emit_steps(e, op, out)) return;
  }
}
