// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonical forms: rules that replace one op by an existing value or a simpler one. Every rule keeps results to the
// bit. So no rule may change a signed zero, a NaN or a rounding: x + 0.0 stays, x * 1.0 becomes x.
#include "ir/number.h"
#include "passes/simplify/simplify.h"

static bool is_constant(const Value *value) {
  int64_t i;
  double f;
  return (type_is_int(value->type) && value_int_constant(value, &i)) ||
         (type_is_float(value->type) && value_float_constant(value, &f));
}

static bool is_int(const Value *value, int64_t number) {
  int64_t i;
  return type_is_int(value->type) && value_int_constant(value, &i) && i == number;
}

static bool is_ones(const Value *value) { // every bit set
  int64_t i;
  return type_is_int(value->type) && value_int_constant(value, &i) &&
         i == (int64_t)number_wrap(value_elem(value), ~(uint64_t)0);
}

static Value *constant_like(Op *op, int64_t number) {
  Builder b = builder_before(op);
  return build_int(&b, op_result(op)->type, number);
}

// Rules for an integer op on x and a constant y.
static Value *with_constant(Op *op, Value *x, const Value *y) {
  switch ((int)op->kind) {
  case OP_ADD:
  case OP_SUB:
  case OP_XOR:
  case OP_SHL:
  case OP_SHR: return is_int(y, 0) ? x : NULL;
  case OP_OR:
    if (is_ones(y)) return constant_like(op, (int64_t)number_wrap(value_elem(x), ~(uint64_t)0));
    return is_int(y, 0) ? x : NULL;
  case OP_AND:
    if (is_int(y, 0)) return constant_like(op, 0);
    return is_ones(y) ? x : NULL;
  case OP_MUL:
    if (is_int(y, 0)) return constant_like(op, 0);
    return is_int(y, 1) ? x : NULL;
  case OP_DIV: return is_int(y, 1) ? x : NULL;
  case OP_REM: return is_int(y, 1) ? constant_like(op, 0) : NULL;
  default: return NULL;
  }
}

// Rules for an integer op on x and x.
static Value *with_itself(Op *op, Value *x) {
  switch ((int)op->kind) {
  case OP_AND:
  case OP_OR:
  case OP_MIN:
  case OP_MAX: return x;
  case OP_SUB:
  case OP_XOR:
  case OP_NE:
  case OP_LT:
  case OP_GT: return constant_like(op, 0);
  case OP_EQ:
  case OP_LE:
  case OP_GE: return constant_like(op, 1);
  default: return NULL;
  }
}

// (x op c) op d becomes x op (c op d), for ops whose arithmetic wraps.
static Value *reassociated(Op *op, const Value *y) {
  const Value *x = op_operand(op, 0);
  const Op *inner = x->def;
  if (!op_has(op, ASSOCIATES) || op->kind == OP_MIN || op->kind == OP_MAX) return NULL;
  int64_t c, d, both;
  if (!inner || inner->kind != op->kind || !value_int_constant(y, &d)) return NULL;
  if (!value_int_constant(op_operand(inner, 1), &c) || !fold_int(op->kind, value_elem(x), c, d, &both))
    return NULL;
  Builder b = builder_before(op);
  return build_binary(&b, op->kind, op_operand(inner, 0), build_int(&b, x->type, both));
}

// x - c becomes x + -c.
static Value *subtraction_of_constant(Op *op, const Value *y) {
  int64_t c;
  if (op->kind != OP_SUB || !value_int_constant(y, &c)) return NULL;
  Builder b = builder_before(op);
  return build_binary(&b, OP_ADD, op_operand(op, 0),
                      build_int(&b, y->type, (int64_t)number_wrap(value_elem(y), 0 - (uint64_t)c)));
}

static Value *integer_rule(Op *op) {
  Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  if (op->operand_count != 2 || !type_is_int(x->type) || !(op_has(op, SAME) || op_has(op, COMPARE)))
    return NULL;
  Value *value = with_constant(op, x, y);
  if (!value && x == y) value = with_itself(op, x);
  if (!value) value = reassociated(op, y);
  return value ? value : subtraction_of_constant(op, y);
}

static Value *float_rule(Op *op) {
  double f;
  if (op->operand_count != 2 || !type_is_float(op_operand(op, 0)->type)) return NULL;
  if (op->kind != OP_MUL && op->kind != OP_DIV) return NULL;
  return value_float_constant(op_operand(op, 1), &f) && f == 1 ? op_operand(op, 0) : NULL;
}

// True if x is a load that already gives `otherwise` where the condition is false.
static bool loads_otherwise(const Value *x, const Value *condition, const Value *otherwise) {
  const Op *load = x->def;
  if (!load || load->kind != OP_LOAD || load->operand_count < 3 || op_operand(load, 1) != condition)
    return false;
  const Value *other = op_operand(load, 2);
  return other == otherwise || (value_is_zero(other) && value_is_zero(otherwise));
}

static Value *select_rule(Op *op) {
  int64_t condition;
  if (op->kind != OP_SELECT) return NULL;
  if (op_operand(op, 1) == op_operand(op, 2)) return op_operand(op, 1);
  if (loads_otherwise(op_operand(op, 1), op_operand(op, 0), op_operand(op, 2))) return op_operand(op, 1);
  if (!value_int_constant(op_operand(op, 0), &condition)) return NULL;
  return op_operand(op, condition ? 1 : 2);
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

static Value *cast_rule(Op *op) {
  if (op->kind != OP_CAST && op->kind != OP_BITCAST) return NULL;
  Value *x = op_operand(op, 0);
  const Type *type = op_result(op)->type;
  if (x->type == type) return x;
  const Op *inner = x->def;
  if (op->kind != OP_CAST || !inner || inner->kind != OP_CAST) return NULL;
  Value *origin = op_operand(inner, 0);
  if (type_is_ptr(origin->type) || type_is_ptr(x->type) || type_is_ptr(type)) return NULL;
  Elem from = value_elem(origin), middle = value_elem(x), to = type_element(type)->elem;
  if (!cast_is_exact(from, middle) && !truncates_twice(from, middle, to)) return NULL;
  if (saturates(from, middle, to)) return NULL;
  if (origin->type == type) return to == ELEM_FP8E5 ? NULL : origin; // casting to fp8e5 saturates infinity
  Builder b = builder_before(op);
  return build_cast(&b, origin, type_element(type));
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

// `x + c == d` becomes `x == d - c`, and the same for `!=`. Integers wrap.
static Value *equality_rule(Op *op) {
  if ((op->kind != OP_EQ && op->kind != OP_NE) || !type_is_int(op_operand(op, 0)->type)) return NULL;
  uint32_t asked = is_uniform(op_operand(op, 1)) ? 1 : 0;
  Value *number = op_operand(op, asked);
  const Op *sum = op_operand(op, 1 - asked)->def;
  if (!is_uniform(number) || !sum || sum->kind != OP_ADD || value_elem(number) == ELEM_I1) return NULL;
  uint32_t added = is_uniform(op_operand(sum, 1)) ? 1 : 0;
  if (!is_uniform(op_operand(sum, added))) return NULL;
  Builder b = builder_before(op);
  Value *less = build_binary(&b, OP_SUB, scalar_of(&b, number), scalar_of(&b, op_operand(sum, added)));
  return build_binary(&b, op->kind, op_operand(sum, 1 - added), build_splat(&b, less, number->type));
}

// A uniform tile has the same elements in any shape: build it in the result's shape.
static Value *shape_of_splat_rule(Op *op) {
  bool reshapes = op_has(op, VIEW) || op->kind == OP_SLICE || op->kind == OP_FLIP;
  if (!reshapes || !is_uniform(op_operand(op, 0))) return NULL;
  Builder b = builder_before(op);
  const Type *type = op_result(op)->type;
  return build_splat(&b, scalar_of(&b, op_operand(op, 0)), type);
}

// A reshape of a reshape becomes one reshape. Shape ops that change nothing are dropped.
static Value *shape_rule(Op *op) {
  Value *x = op_operand(op, 0);
  bool keeps = op->kind == OP_SLICE || (op_has(op, VIEW) && op->kind != OP_TRANS);
  if (keeps && x->type == op_result(op)->type) return x;
  if (op->kind != OP_RESHAPE || !x->def || x->def->kind != OP_RESHAPE) return NULL;
  if (op_result(op)->type->layout) return NULL; // each reshape has its own layouts
  Builder b = builder_before(op);
  return build(&b, OP_RESHAPE, op_result(op)->type, op_operand(x->def, 0), NULL, NULL);
}

// A tile joined with itself (tl.interleave(x, x)) is repeated, which needs no thread to hold both halves.
static Value *join_rule(Op *op) {
  if (op->kind != OP_JOIN || op_operand(op, 0) != op_operand(op, 1)) return NULL;
  Value *x = op_operand(op, 0);
  const Type *type = op_result(op)->type;
  if (!type_is_tile(x->type) || type->layout) return NULL;
  Builder b = builder_before(op);
  return build_broadcast(&b, build_expand_dims(&b, x, x->type->rank), type->shape);
}

static Value *addptr_rule(Op *op) {
  return op->kind == OP_ADDPTR && is_int(op_operand(op, 1), 0) ? op_operand(op, 0) : NULL;
}

static bool constants_to_the_right(Op *op) {
  if (!op_has(op, COMMUTES)) return false;
  Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  if (!is_constant(x) || is_constant(y)) return false;
  op_set_operand(op, 0, y);
  op_set_operand(op, 1, x);
  return true;
}

typedef Value *CanonRule(Op *op);

static CanonRule *const canon_rules[] = {fold_op,    integer_rule,  float_rule, select_rule,
                                         cast_rule,  addptr_rule,   splat_rule, shape_of_splat_rule,
                                         shape_rule, equality_rule, join_rule};

Value *canonical_value(Op *op, bool *changed) {
  *changed |= constants_to_the_right(op);
  for (uint32_t i = 0; i < sizeof canon_rules / sizeof canon_rules[0]; i++) {
    Value *value = canon_rules[i](op);
    if (value && value->type == op_result(op)->type) return value;
  }
  return NULL;
}
