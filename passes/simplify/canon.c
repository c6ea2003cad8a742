// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonical forms: the rules of passes/rules.def, with the functions that they call. Folding and splats have more
// forms than a rule can say.
#include "ir/number.h"
#include "passes/simplify/simplify.h"

static bool is_constant(const Value *value) {
  int64_t i;
  double f;
  return (type_is_int(value->type) && value_int_constant(value, &i)) ||
         (type_is_float(value->type) && value_float_constant(value, &f));
}

static bool is_int(const Value *value, int64_t number) {
  return type_is_int(value->type) && value_is_int(value, number);
}

static bool is_ones(const Value *value) { // every bit set
  int64_t i;
  return type_is_int(value->type) && value_int_constant(value, &i) &&
         i == (int64_t)number_wrap(value_elem(value), ~(uint64_t)0);
}

static bool is_float(const Value *value, double number) {
  double f;
  return type_is_float(value->type) && value_float_constant(value, &f) && f == number;
}

// True if x is a load that already gives `otherwise` where the condition is false.
static bool loads_otherwise(const Value *x, const Value *condition, const Value *otherwise) {
  const Op *load = x->def;
  if (!load || load->kind != OP_LOAD || load->operand_count < 3 || op_operand(load, 1) != condition)
    return false;
  const Value *other = op_operand(load, 2);
  return other == otherwise || (value_is_zero(other) && value_is_zero(otherwise));
}

// Bits of a float's significand, including the implicit one.
static uint32_t precision_of(Elem elem) {
  switch ((int)elem) {
  case ELEM_FP8E5: return 3;
  case ELEM_FP8E4NV: return 4;
  case ELEM_BF16: return 8;
  case ELEM_FP16: return 11;
  case ELEM_FP32: return 24;
  default: return 53;
  }
}

bool cast_is_exact(Elem from, Elem to) {
  if (from == to) return true;
  uint32_t magnitude = elem_info(from)->bits - elem_is_signed(from);
  if (elem_is_int(from) && elem_is_int(to)) {
    if (to == ELEM_I1 || (elem_is_signed(from) && !elem_is_signed(to))) return false;
    return magnitude <= (uint32_t)(elem_info(to)->bits - elem_is_signed(to));
  }
  if (elem_is_int(from)) return magnitude <= precision_of(to);
  if (elem_is_int(to)) return false;
  bool range = !(from == ELEM_FP8E5 && to == ELEM_FP8E4NV) && !(from == ELEM_BF16 && to == ELEM_FP16) &&
               !(from == ELEM_FP8E4NV && to == ELEM_FP8E5) && !(from == ELEM_FP16 && to == ELEM_BF16);
  return range && elem_info(from)->bits < elem_info(to)->bits && precision_of(from) <= precision_of(to);
}

static bool truncates_twice(Elem from, Elem middle, Elem to) {
  bool ints = elem_is_int(from) && elem_is_int(middle) && elem_is_int(to);
  bool i1 = from == ELEM_I1 || middle == ELEM_I1 || to == ELEM_I1;
  return ints && !i1 && elem_info(to)->bits <= elem_info(middle)->bits;
}

// True if an integer passes through a float of its value and is cast back to an integer. The cast from float saturates,
// but a cast between integers wraps.
static bool saturates(Elem from, Elem middle, Elem to) {
  bool through_float = elem_is_int(from) && !elem_is_int(middle) && elem_is_int(to);
  return through_float && to != ELEM_I1 && !cast_is_exact(from, to);
}

// True if a cast of x to y's type and from there to the op's equals one cast.
static bool is_one_cast(const Value *x, const Value *y, Op *op) {
  const Type *type = op_result(op)->type;
  if (type_is_ptr(x->type) || type_is_ptr(y->type) || type_is_ptr(type)) return false;
  Elem from = value_elem(x), middle = value_elem(y), to = type_element(type)->elem;
  return (cast_is_exact(from, middle) || truncates_twice(from, middle, to)) && !saturates(from, middle, to);
}

static bool is_uniform(const Value *value) { return type_is_tile(value->type) && value_uniform(value); }

static Value *scalar_of(Builder *b, Value *tile) {
  if (tile->def->kind == OP_SPLAT) return op_operand(tile->def, 0);
  const Type *element = type_element(tile->type);
  int64_t i = 0;
  double f = 0;
  if (element->kind == TYPE_SCALAR && elem_is_float(element->elem)) {
    value_float_constant(tile, &f);
    return build_float(b, element, f);
  }
  value_int_constant(tile, &i);
  return build_int(b, element, i);
}

// An op on uniform tiles becomes the op on their scalars, and a splat.
static Value *splat_rule(Op *op) {
  if (!op_has(op, PURE | ELEMENTWISE) || !type_is_tile(op_result(op)->type) || op->operand_count > 3)
    return NULL;
  if (op->kind == OP_HINT && op_result(op)->type->rank > 1) return NULL; // the hint describes each dimension
  bool varies = false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (!is_uniform(op_operand(op, i))) return NULL;
    varies |= op_operand(op, i)->def->kind == OP_SPLAT;
  }
  if (!varies) return NULL;
  Builder b = builder_before(op);
  Value *scalars[3] = {NULL, NULL, NULL};
  for (uint32_t i = 0; i < op->operand_count; i++) scalars[i] = scalar_of(&b, op_operand(op, i));
  const Type *type = op_result(op)->type;
  Value *scalar = build(&b, op->kind, type_element(type), scalars[0], scalars[1], scalars[2]);
  op_copy_attrs(scalar->def, op);
  op_remove_attr(scalar->def, ATTR_CONSTANT); // describes neighbours along each dimension
  op_remove_attr(scalar->def, ATTR_CONTIGUOUS);
  return build_splat(&b, scalar, type);
}

static Value *splat_like(Builder *b, Value *scalar, const Value *tile) {
  return build_splat(b, scalar, tile->type);
}

// A tile joined with itself (tl.interleave(x, x)) is repeated, which needs no thread to hold both halves.
static Value *twice(Builder *b, Value *x, const Value *joined) {
  return build_broadcast(b, build_expand_dims(b, x, x->type->rank), joined->type->shape);
}

#include "passes/rules_canon.h"

static bool constants_to_the_right(Op *op) {
  if (!op_has(op, COMMUTES)) return false;
  Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  if (!is_constant(x) || is_constant(y)) return false;
  op_set_operand(op, 0, y);
  op_set_operand(op, 1, x);
  return true;
}

Value *canonical_value(Op *op, bool *changed) {
  *changed |= constants_to_the_right(op);
  Value *value = fold_op(op);
  if (!value) value = rules_canon(op);
  return value ? value : splat_rule(op);
}
