// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// maximum_bound: follows a maximum and a tile back to the values that both come from.
//
// It understands reductions by max, max with anything, and choices between a value and -inf. It also follows ops that
// keep order: casts, sums with one number, multiples by one number, and the results of lazy_rescale.
#include "passes/analysis/maximum_bound.h"

#include <math.h>

#include "ir/queries.h"

enum { MAX_STEPS = 24 };

typedef struct BoundProof {
  int64_t axis; // The axis of the reduction; -1: none.
  Value *factor;
  uint32_t steps;
} BoundProof;

static bool is_above(BoundProof *proof, const Value *high, const Value *low);

static bool is_kind(const Value *value, OpKind kind) { return value->def && value->def->kind == kind; }

// The scalar that all elements equal; NULL: they may differ.
static Value *common_scalar(Value *value) {
  while (op_rearranged(value->def)) value = op_rearranged(value->def);
  return type_is_tile(value->type) ? NULL : value;
}

// Returns true if all elements of both are one number.
static bool same_number(Value *a, Value *b) {
  double x, y;
  if (value_float_constant(a, &x) && value_float_constant(b, &y)) return x == y;
  const Value *scalar = common_scalar(a);
  return scalar && scalar == common_scalar(b);
}

static bool is_lowest(const Value *value) {
  double constant;
  return value_float_constant(value, &constant) && constant == -INFINITY;
}

static bool reduces_by(const Op *op, OpKind kind, int64_t axis) {
  return axis >= 0 && op_reduces_by(op, kind) && op_int(op, ATTR_AXIS, 0) == axis;
}

// True if `high` is the maximum of the tile, or its minimum if the number is negative (lazy_rescale).
static bool is_extremum(const BoundProof *proof, const Value *high, const Value *tile, Value *number) {
  if (!is_kind(high, OP_IF) || !is_kind(op_operand(high->def, 0), OP_GE)) return false;
  const Op *branch = high->def, *sign = op_operand(branch, 0)->def;
  double zero;
  if (!same_number(op_operand(sign, 0), number) || !value_float_constant(op_operand(sign, 1), &zero) ||
      zero != 0)
    return false;
  const OpKind kinds[] = {OP_MAX, OP_MIN};
  for (uint32_t side = 0; side < 2; side++) {
    const Value *yielded = op_operand(branch->regions[side]->last, high->index);
    if (!yielded->def || !reduces_by(yielded->def, kinds[side], proof->axis) ||
        value_before(op_operand(yielded->def, 0), OP_CONVERT_LAYOUT) != value_before(tile, OP_CONVERT_LAYOUT))
      return false;
  }
  return true;
}

static bool depends_on_sign(BoundProof *proof, Value *scalar) {
  if (proof->factor && proof->factor != scalar) return false;
  proof->factor = scalar;
  return true;
}

// For two multiples or quotients by one number.
static bool is_multiple_above(BoundProof *proof, const Value *high, const Value *low, Value *number) {
  double constant;
  if (is_extremum(proof, value_before(high, OP_CONVERT_LAYOUT), low, number)) return true;
  if (value_float_constant(number, &constant)) return constant > 0 && is_above(proof, high, low);
  return depends_on_sign(proof, common_scalar(number)) && is_above(proof, high, low);
}

// For two ops of the same kind that keep order.
static bool is_above_by_op(BoundProof *proof, const Op *high, const Op *low) {
  if (high->kind != low->kind) return false;
  if (high->kind == OP_CAST)
    return type_is_float(op_operand(high, 0)->type) &&
           type_element(op_result(high)->type) == type_element(op_result(low)->type) &&
           is_above(proof, op_operand(high, 0), op_operand(low, 0));
  bool swaps = op_has(high, COMMUTES), scales = high->kind == OP_MUL || high->kind == OP_DIV;
  if (!scales && !op_has(high, ARITHMETIC)) return false;
  for (uint32_t i = 0; i < (swaps ? 2 : 1); i++)
    for (uint32_t j = 0; j < (swaps ? 2 : 1); j++) {
      Value *number = op_operand(low, 1 - j);
      if (!same_number(op_operand(high, 1 - i), number)) continue;
      const Value *x = op_operand(high, i), *y = op_operand(low, j);
      if (scales ? is_multiple_above(proof, x, y, number) : is_above(proof, x, y)) return true;
    }
  return false;
}

// Through an op that only passes a value on, or that takes a maximum.
static bool is_above_by_high(BoundProof *proof, const Op *op, const Value *low) {
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  switch ((int)op->kind) {
  case OP_CONVERT_LAYOUT: return is_above(proof, op_operand(op, 0), low);
  case OP_EXPAND_DIMS:
    if (proof->axis >= 0 && proof->axis != axis) return false;
    proof->axis = axis;
    return is_above(proof, op_operand(op, 0), low);
  case OP_REDUCE: return reduces_by(op, OP_MAX, proof->axis) && is_above(proof, op_operand(op, 0), low);
  case OP_MAX: return is_above(proof, op_operand(op, 0), low) || is_above(proof, op_operand(op, 1), low);
  default: return false;
  }
}

static bool is_above_by_low(BoundProof *proof, const Value *high, const Op *op) {
  switch ((int)op->kind) {
  case OP_CONVERT_LAYOUT: return is_above(proof, high, op_operand(op, 0));
  case OP_MIN: return is_above(proof, high, op_operand(op, 0)) || is_above(proof, high, op_operand(op, 1));
  case OP_SELECT:
    for (uint32_t i = 1; i < 3; i++)
      if (!is_lowest(op_operand(op, i)) && !is_above(proof, high, op_operand(op, i))) return false;
    return true;
  default: return false;
  }
}

static bool is_above(BoundProof *proof, const Value *high, const Value *low) {
  if (high == low) return true;
  if (++proof->steps > MAX_STEPS) return false;
  if (high->def && low->def && is_above_by_op(proof, high->def, low->def)) return true;
  if (high->def && is_above_by_high(proof, high->def, low)) return true;
  return low->def && is_above_by_low(proof, high, low->def);
}

bool maximum_bounds(const Value *maxima, const Value *tile, int64_t axis, Value **factor) {
  BoundProof proof = {.axis = axis};
  bool bounds = is_above(&proof, maxima, tile);
  *factor = proof.factor;
  return bounds;
}
