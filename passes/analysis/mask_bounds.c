// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that compare counting indices with uniform bounds.
#include "passes/analysis/mask_bounds.h"

#include <string.h>

enum { MAX_DEPTH = 16 };

// Shape ops repeat elements or move them. A fact about all elements holds before and after. Hints and layout
// conversions do not change elements.
const Value *through_shapes(const Value *value) {
  const Op *op = value->def;
  for (; op && (op_has(op, VIEW) || op->kind == OP_HINT || op->kind == OP_CONVERT_LAYOUT); op = value->def)
    value = op_operand(op, 0);
  return value;
}

static bool add_base(MaskBound *sum, Value *base) {
  if (sum->base_count == sizeof sum->bases / sizeof *sum->bases) return false;
  sum->bases[sum->base_count++] = base;
  return true;
}

static bool shift_range(MaskBound *sum, int64_t low, int64_t high) {
  return !__builtin_add_overflow(sum->low, low, &sum->low) &&
         !__builtin_add_overflow(sum->high, high, &sum->high);
}

// From 32 bits to 64.
static bool is_widened_arange(const Op *cast) {
  const Op *from = through_shapes(op_operand(cast, 0))->def;
  return from && from->kind == OP_ARANGE && type_is_int(op_result(cast)->type) &&
         type_element_bytes(op_result(cast)->type) == 8;
}

// Adds the value, a sum of aranges, splats and constants, to *sum.
static bool add_terms(MaskBound *sum, const Value *value, uint32_t depth) {
  int64_t constant;
  if (value_int_constant(value, &constant)) return shift_range(sum, constant, constant);
  value = through_shapes(value);
  const Op *op = value->def;
  if (!type_is_tile(value->type)) return add_base(sum, (Value *)value);
  if (!op || depth == 0) return false;
  if (op->kind == OP_SPLAT) return add_terms(sum, op_operand(op, 0), depth - 1);
  if (op->kind == OP_CAST && is_widened_arange(op)) op = through_shapes(op_operand(op, 0))->def;
  if (op->kind == OP_ARANGE) return shift_range(sum, op_int(op, ATTR_START, 0), op_int(op, ATTR_END, 1) - 1);
  return op->kind == OP_ADD && add_terms(sum, op_operand(op, 0), depth - 1) &&
         add_terms(sum, op_operand(op, 1), depth - 1);
}

bool is_uniform(const Value *value, Value **scalar, int64_t *constant) {
  *scalar = NULL;
  if (value_int_constant(value, constant)) return true;
  value = through_shapes(value);
  if (!value->def || value->def->kind != OP_SPLAT) return false;
  *scalar = op_operand(value->def, 0);
  return true;
}

bool index_range(const Value *value, MaskBound *range) {
  *range = (MaskBound){.type = type_element(value->type)};
  return add_terms(range, value, MAX_DEPTH);
}

static OpKind mirrored_comparison(OpKind kind) {
  switch ((int)kind) {
  case OP_LT: return OP_GT;
  case OP_LE: return OP_GE;
  case OP_GT: return OP_LT;
  default: return OP_LE;
  }
}

static bool read_comparison(const Op *op, MaskBound *bound) {
  const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  *bound = (MaskBound){.kind = op->kind};
  const Type *element = type_element(x->type);
  if (element->kind != TYPE_SCALAR || !elem_is_signed(element->elem) || elem_bytes(element->elem) < 4 ||
      elem_is_float(element->elem))
    return false;
  bound->type = element;
  if (!is_uniform(y, &bound->bound, &bound->constant)) {
    const Value *swapped = x;
    x = y, y = swapped;
    bound->kind = mirrored_comparison(op->kind);
    if (!is_uniform(y, &bound->bound, &bound->constant)) return false;
  }
  return add_terms(bound, x, MAX_DEPTH);
}

static bool add_mask(const Value *mask, MaskBound *bounds, uint32_t *count, uint32_t depth) {
  mask = through_shapes(mask);
  const Op *op = mask->def;
  if (!op || depth == 0) return false;
  if (op->kind == OP_AND)
    return add_mask(op_operand(op, 0), bounds, count, depth - 1) &&
           add_mask(op_operand(op, 1), bounds, count, depth - 1);
  if (!op_orders(op) || !type_is_tile(op_operand(op, 0)->type) || *count == MASK_BOUNDS_MAX) return false;
  return read_comparison(op, &bounds[(*count)++]);
}

// On a line, indices with equal spans count together. If a constant ends one of them, the others are checked only up to
// there.
static void end_lines(MaskBound *bounds, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const MaskBound *end = &bounds[i];
    int64_t last = end->constant - 1 - end->low, span = end->high - end->low;
    if (!mask_bound_is_constant(end) || end->kind != OP_LT || last < 0 || last >= span) continue;
    for (uint32_t k = 0; k < count; k++)
      if (!mask_bound_is_constant(&bounds[k]) && bounds[k].high - bounds[k].low == span)
        bounds[k].high = bounds[k].low + last;
  }
}

uint32_t mask_bounds(const Value *mask, MaskBound bounds[MASK_BOUNDS_MAX]) {
  uint32_t count = 0;
  if (!add_mask(mask, bounds, &count, MAX_DEPTH)) return 0;
  if (mask->type->rank == 1) end_lines(bounds, count);
  return count;
}

// Program order within a region. A value from a surrounding region is always visible.
static bool defined_before(const Value *value, const Op *op) {
  const Op *def = value->def;
  return !def || (op_precedes(def, op) && op_in_region(op, def->region) != def);
}

bool mask_bound_visible(const MaskBound *bound, const Op *op) {
  for (uint32_t i = 0; i < bound->base_count; i++)
    if (!defined_before(bound->bases[i], op)) return false;
  return !bound->bound || defined_before(bound->bound, op);
}

// The indices are first, first + 1, ..., first + span, modulo 2^width. We test first < bound and, as unsigned numbers,
// span < bound - first. Then no index reaches the bound, so none wraps. The other comparisons work the same way.
Value *mask_bound_test(Builder *b, const MaskBound *bound) {
  IrContext *ir = b->func->module->ir;
  bool is_64 = elem_bytes(bound->type->elem) == 8, upper = comparison_holds(bound->kind, -1);
  const Type *distance = type_scalar(ir, is_64 ? ELEM_U64 : ELEM_U32);
  int64_t span = bound->high - bound->low;
  Value *first = build_int(b, bound->type, bound->low);
  for (uint32_t i = 0; i < bound->base_count; i++) first = build_binary(b, OP_ADD, first, bound->bases[i]);
  Value *limit = bound->bound ? bound->bound : build_int(b, bound->type, bound->constant);
  Value *starts = build_binary(b, bound->kind, first, limit);
  Value *end = upper ? limit : build_int(b, bound->type, is_64 ? INT64_MAX : INT32_MAX);
  Value *room = build_cast(b, build_binary(b, OP_SUB, end, first), distance);
  Value *fits = build_binary(b, bound->kind == OP_LT ? OP_GT : OP_GE, room, build_int(b, distance, span));
  return build_binary(b, OP_AND, starts, fits);
}
