// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by multiplication. Let x < 2^w and 1 <= d < 2^w be unsigned, and m = floor((2^w - 1) / d).
// Then h = floor(x m / 2^w) is the quotient or one less.
//
// Proof: m = (2^w - 1 - t) / d with 0 <= t < d. So x m / 2^w is x / d minus x (1 + t) / (2^w d). The second term is
// less than 1. Therefore one comparison of x - h d with d makes the result exact.
#include "passes/lower/divide.h"

static const Type *unsigned_of(IrContext *ir, const Type *integer) {
  return type_scalar(ir, type_element_bytes(integer) == 8 ? ELEM_U64 : ELEM_U32);
}

static bool is_signed(const Value *x) { return elem_is_signed(type_element(x->type)->elem); }

static Value *is_below_zero(Builder *b, Value *x) { return build_with_int(b, OP_LT, x, 0); }

static Value *select_value(Builder *b, Value *condition, Value *x, Value *otherwise) {
  return build(b, OP_SELECT, x->type, condition, x, otherwise);
}

static Value *negated_where(Builder *b, Value *condition, Value *x) {
  return select_value(b, condition, build(b, OP_NEG, x->type, x, NULL, NULL), x);
}

// The absolute value, in the unsigned type. *negative: where x is negative; NULL if x is unsigned.
static Value *size_of(Builder *b, Value *x, Value **negative) {
  *negative = is_signed(x) ? is_below_zero(b, x) : NULL;
  Value *size = *negative ? negated_where(b, *negative, x) : x;
  return build_cast(b, size, unsigned_of(b->func->module->ir, x->type));
}

Divisor divisor_make(Builder *b, Value *by) {
  Divisor divisor;
  divisor.size = size_of(b, by, &divisor.negative);
  divisor.reciprocal = build_binary(b, OP_DIV, build_int(b, divisor.size->type, -1), divisor.size);
  return divisor;
}

static Division divide_natural(Builder *b, Value *x, const Divisor *by) {
  Value *size = build_splat(b, by->size, x->type), *reciprocal = build_splat(b, by->reciprocal, x->type);
  Value *low = build_binary(b, OP_MULHI, x, reciprocal);
  Value *rest = build_binary(b, OP_SUB, x, build_binary(b, OP_MUL, low, size));
  Value *one_less = build_binary(b, OP_GE, rest, size);
  Value *next = build_with_int(b, OP_ADD, low, 1);
  return (Division){.quotient = select_value(b, one_less, next, low),
                    .remainder = select_value(b, one_less, build_binary(b, OP_SUB, rest, size), rest)};
}

Division divide_tile(Builder *b, Value *x, const Divisor *by) {
  const Type *element = type_element(x->type);
  Value *negative, *opposite = NULL;
  Division d = divide_natural(b, size_of(b, x, &negative), by);
  d.quotient = build_cast(b, d.quotient, element);
  d.remainder = build_cast(b, d.remainder, element);
  if (by->negative) opposite = build_splat(b, by->negative, x->type);
  if (negative) opposite = opposite ? build_binary(b, OP_XOR, negative, opposite) : negative;
  if (opposite) d.quotient = negated_where(b, opposite, d.quotient);
  if (negative) d.remainder = negated_where(b, negative, d.remainder);
  return d;
}
