// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// float_range: intervals of floats. They come from constants, element types, squares, powers and choices.
//
// Infinite elements are left out: a sum with one is not finite in any order. NaNs are left out too, unless an op drops
// them (max, min).
#include "passes/analysis/float_range.h"

#include <math.h>

#include "target/math.h"
#include "ir/number.h"
#include "ir/queries.h"

enum { MAX_VISITS = 64 }; // Visited values for one answer.

// 2^76. 2^51 such terms (2^31 iterations of whole tiles) do not add up to infinity in fp32.
static const double SMALL_TERM = 75557863725914323419136.0;

static FloatRange range_of(const Value *value, uint32_t *visits);

double float_range_most(FloatRange range) { return fmax(fabs(range.low), fabs(range.high)); }

static FloatRange unknown(void) { return (FloatRange){-INFINITY, INFINITY}; }

// The range of any value of that type.
static FloatRange range_of_type(const Type *type) {
  const Type *element = type_element(type);
  if (element->kind != TYPE_SCALAR) return unknown();
  Elem elem = element->elem;
  if (elem_is_float(elem)) {
    bool narrow = elem == ELEM_FP8E4NV || elem == ELEM_FP8E5 || elem == ELEM_FP16;
    return narrow ? (FloatRange){-number_max(elem), number_max(elem)} : unknown();
  }
  int bits = elem_info(elem)->bits;
  if (!elem_is_signed(elem)) return (FloatRange){0, ldexp(1, bits)};
  return (FloatRange){-ldexp(1, bits - 1), ldexp(1, bits - 1)};
}

static FloatRange hull(FloatRange a, FloatRange b) {
  return (FloatRange){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static FloatRange common(FloatRange a, FloatRange b) {
  return (FloatRange){fmax(a.low, b.low), fmin(a.high, b.high)};
}

// 0 times unknown is 0, because the factor's elements are finite.
static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static FloatRange range_of_product(FloatRange a, FloatRange b, bool square) {
  double ends[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
  FloatRange range = {ends[0], ends[0]};
  for (uint32_t i = 1; i < 4; i++) range = hull(range, (FloatRange){ends[i], ends[i]});
  if (square) range.low = fmax(range.low, 0);
  return range;
}

static FloatRange range_of_quotient(FloatRange a, FloatRange b) {
  if (b.low == b.high && b.low != 0) return range_of_product(a, (FloatRange){1 / b.low, 1 / b.low}, false);
  return a.low >= 0 && b.low >= 0 ? (FloatRange){0, INFINITY} : unknown();
}

static bool is_number(const Value *value) {
  double constant;
  return value_float_constant(value, &constant) && !isnan(constant);
}

// For max and min. If one operand is NaN, they give the other operand.
static FloatRange range_of_extremum(const Op *op, FloatRange a, FloatRange b) {
  bool max = op->kind == OP_MAX;
  FloatRange range = hull(a, b);
  for (uint32_t i = 0; i < 2; i++) {
    if (!is_number(op_operand(op, i))) continue;
    const FloatRange *known = i ? &b : &a;
    if (max) range.low = fmax(range.low, known->low);
    if (!max) range.high = fmin(range.high, known->high);
  }
  return range;
}

static FloatRange range_of_math(const Op *op, FloatRange a) {
  MathFunction function;
  if (!math_of(op, &function)) return unknown();
  switch ((int)function) {
  case MATH_exp2: return (FloatRange){0, exp2(a.high)};
  case MATH_exp:
  case MATH_exp_approx: return (FloatRange){0, exp(a.high)};
  case MATH_exp10: return (FloatRange){0, pow(10, a.high)};
  case MATH_sqrt:
  case MATH_sqrt_approx:
  case MATH_rsqrt:
  case MATH_rsqrt_approx:
  case MATH_cosh: return (FloatRange){0, INFINITY};
  case MATH_sin:
  case MATH_cos:
  case MATH_tanh:
  case MATH_tanh_approx:
  case MATH_erf: return (FloatRange){-1, 1};
  case MATH_erfc: return (FloatRange){0, 2};
  case MATH_abs: return (FloatRange){0, float_range_most(a)};
  default: return unknown();
  }
}

static FloatRange range_of_op(const Value *value, uint32_t *visits) {
  const Op *op = value->def;
  if (op_rearranged(op) || op->kind == OP_SLICE) return range_of(op_operand(op, 0), visits);
  if (op->kind == OP_IF)
    return hull(range_of(flow_source(value, 0), visits), range_of(flow_source(value, 1), visits));
  if (!op_has(op, PURE | ELEMENTWISE)) return unknown();
  FloatRange x[3] = {{0}};
  bool square = op_operand(op, 0) == op_operand(op, 1);
  for (uint32_t i = 0; i < op->operand_count; i++)
    x[i] = i == 1 && square ? x[0] : range_of(op_operand(op, i), visits);
  switch ((int)op->kind) {
  case OP_CAST:
  case OP_COPY: return x[0];
  case OP_NEG: return (FloatRange){-x[0].high, -x[0].low};
  case OP_ADD: return (FloatRange){x[0].low + x[1].low, x[0].high + x[1].high};
  case OP_SUB: return (FloatRange){x[0].low - x[1].high, x[0].high - x[1].low};
  case OP_MUL: return range_of_product(x[0], x[1], square);
  case OP_DIV: return range_of_quotient(x[0], x[1]);
  case OP_FMA: {
    FloatRange product = range_of_product(x[0], x[1], square);
    return (FloatRange){product.low + x[2].low, product.high + x[2].high};
  }
  case OP_SELECT: return hull(x[1], x[2]);
  case OP_MATH: return range_of_math(op, x[0]);
  default: return op_has(op, COMMUTES | CHOOSES) ? range_of_extremum(op, x[0], x[1]) : unknown();
  }
}

static FloatRange range_of(const Value *value, uint32_t *visits) {
  FloatRange type = range_of_type(value->type);
  double constant;
  if (value_float_constant(value, &constant)) {
    if (isnan(constant)) return type;
    return (FloatRange){constant, constant};
  }
  // Integers wrap, so only their types count.
  if (++*visits > MAX_VISITS || !value->def || !type_is_float(value->type)) return type;
  FloatRange range = common(type, range_of_op(value, visits));
  return range.low <= range.high ? range : type;
}

FloatRange float_range(const Value *value) {
  uint32_t visits = 0;
  return range_of(value, &visits);
}

bool float_is_small(const Value *value) { return float_range_most(float_range(value)) <= SMALL_TERM; }

bool float_sums_stay_finite(const Value *value, const Value *init) {
  FloatRange terms = float_range(value), first = init ? float_range(init) : (FloatRange){0, 0};
  if (float_range_most(terms) <= SMALL_TERM) return true;
  return (terms.low >= 0 && first.low >= -SMALL_TERM) || (terms.high <= 0 && first.high <= SMALL_TERM);
}
