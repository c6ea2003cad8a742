// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant folding with the exact meaning of ops.def.
//
// Floats are computed in double and rounded to the type. That is the type's own rounding:
// the operands have at most 24 bits, and a sum, product or quotient rounded
// to 53 bits and then to p bits is the one rounded at once where 53 >= 2p + 2.
#include <math.h>
#include "ir/math.h"
#include "ir/number.h"
#include "passes/simplify.h"

static int64_t wrap_to(Elem elem, uint64_t bits) { return (int64_t)number_wrap(elem, bits); }

static bool int_less(Elem elem, int64_t a, int64_t b) {
  return elem_is_signed(elem) ? a < b : (uint64_t)a < (uint64_t)b;
}

static bool fold_division(OpKind kind, Elem elem, int64_t a, int64_t b, int64_t *result) {
  if (b == 0) return false;
  uint64_t quotient;
  if (!elem_is_signed(elem))
    quotient = (uint64_t)a / (uint64_t)b;
  else if (b == -1)
    quotient = 0 - (uint64_t)a; // INT_MIN / -1 wraps
  else
    quotient = (uint64_t)(a / b);
  uint64_t rest = (uint64_t)a - quotient * (uint64_t)b;
  *result = wrap_to(elem, kind == OP_DIV ? quotient : rest);
  return true;
}

static int64_t fold_shift(OpKind kind, Elem elem, int64_t a, int64_t b) {
  uint32_t bits = elem_info(elem)->bits;
  uint64_t amount = bits == 64 ? (uint64_t)b : (uint64_t)b & (((uint64_t)1 << bits) - 1);
  bool all = amount >= bits;
  if (kind == OP_SHL) return all ? 0 : wrap_to(elem, (uint64_t)a << amount);
  if (elem_is_signed(elem)) {
    uint64_t kept = all ? 63 : amount, sign = a < 0 ? ~(uint64_t)0 : 0;
    return (int64_t)((((uint64_t)a ^ sign) >> kept) ^ sign);
  }
  return all ? 0 : (int64_t)((uint64_t)a >> amount);
}

bool fold_int(OpKind kind, Elem elem, int64_t a, int64_t b, int64_t *result) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch ((int)kind) {
  case OP_ADD: *result = wrap_to(elem, x + y); return true;
  case OP_SUB: *result = wrap_to(elem, x - y); return true;
  case OP_MUL: *result = wrap_to(elem, x * y); return true;
  case OP_DIV:
  case OP_REM: return fold_division(kind, elem, a, b, result);
  case OP_NEG: *result = wrap_to(elem, 0 - x); return true;
  case OP_AND: *result = wrap_to(elem, x & y); return true;
  case OP_OR: *result = wrap_to(elem, x | y); return true;
  case OP_XOR: *result = wrap_to(elem, x ^ y); return true;
  case OP_SHL:
  case OP_SHR: *result = fold_shift(kind, elem, a, b); return true;
  case OP_MIN: *result = int_less(elem, b, a) ? b : a; return true;
  case OP_MAX: *result = int_less(elem, a, b) ? b : a; return true;
  case OP_EQ: *result = a == b; return true;
  case OP_NE: *result = a != b; return true;
  case OP_LT: *result = int_less(elem, a, b); return true;
  case OP_LE: *result = !int_less(elem, b, a); return true;
  case OP_GT: *result = int_less(elem, b, a); return true;
  case OP_GE: *result = !int_less(elem, a, b); return true;
  default: return false;
  }
}

// Zeros are told apart: -0 is less than 0.
static bool float_less(double a, double b) { return a < b || (a == b && signbit(a) && !signbit(b)); }

bool fold_float(OpKind kind, Elem elem, double a, double b, double *result) {
  if (isnan(a) || isnan(b)) return false;
  double exact;
  switch ((int)kind) {
  case OP_ADD: exact = a + b; break;
  case OP_SUB: exact = a - b; break;
  case OP_MUL: exact = a * b; break;
  case OP_DIV: exact = a / b; break;
  case OP_REM: exact = fmod(a, b); break;
  case OP_NEG: exact = -a; break;
  case OP_MIN: exact = float_less(b, a) ? b : a; break;
  case OP_MAX: exact = float_less(a, b) ? b : a; break;
  default: return false;
  }
  *result = number_round(elem, exact);
  return !isnan(*result);
}

bool fold_compare_float(OpKind kind, double a, double b, int64_t *result) {
  switch ((int)kind) {
  case OP_EQ: *result = a == b; return true;
  case OP_NE: *result = a != b; return true;
  case OP_LT: *result = a < b; return true;
  case OP_LE: *result = a <= b; return true;
  case OP_GT: *result = a > b; return true;
  case OP_GE: *result = a >= b; return true;
  default: return false;
  }
}

static Elem elem_of(const Value *value) { return type_element(value->type)->elem; }

static Value *fold_cast(Op *op) {
  const Value *from = op_operand(op, 0);
  const Type *type = op_result(op)->type;
  if (type_is_ptr(from->type) || type_is_ptr(type)) return NULL;
  Elem source = elem_of(from), target = type_element(type)->elem;
  Builder b = builder_before(op);
  int64_t i;
  double f;
  if (type_is_int(from->type) && value_int_constant(from, &i)) {
    if (target == ELEM_I1) return build_int(&b, type, i != 0);
    if (elem_is_int(target)) return build_int(&b, type, wrap_to(target, (uint64_t)i));
    return build_float(&b, type, number_decode(target, number_from_int(source, (uint64_t)i, target)));
  }
  if (!type_is_float(from->type) || !value_float_constant(from, &f) || isnan(f)) return NULL;
  if (elem_is_int(target)) return build_int(&b, type, (int64_t)number_to_int(target, f));
  return build_float(&b, type, number_round(target, f));
}

static Value *fold_ints(Op *op) {
  int64_t a, b = 0, result;
  const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  if (!value_int_constant(x, &a) || (y && !value_int_constant(y, &b))) return NULL;
  if (!fold_int(op->kind, elem_of(x), a, b, &result)) return NULL;
  Builder builder = builder_before(op);
  return build_int(&builder, op_result(op)->type, result);
}

static Value *fold_floats(Op *op) {
  double a, b = 0, result;
  int64_t truth;
  const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  if (!value_float_constant(x, &a) || (y && !value_float_constant(y, &b))) return NULL;
  Builder builder = builder_before(op);
  if (op_has(op, COMPARE)) {
    if (!fold_compare_float(op->kind, a, b, &truth)) return NULL;
    return build_int(&builder, op_result(op)->type, truth);
  }
  if (!fold_float(op->kind, elem_of(x), a, b, &result)) return NULL;
  return build_float(&builder, op_result(op)->type, result);
}

static Value *fold_splat(Op *op) {
  int64_t i;
  double f;
  const Value *scalar = op_operand(op, 0);
  Builder b = builder_before(op);
  if (type_is_int(scalar->type) && value_int_constant(scalar, &i))
    return build_int(&b, op_result(op)->type, i);
  if (type_is_float(scalar->type) && value_float_constant(scalar, &f) && !isnan(f))
    return build_float(&b, op_result(op)->type, f);
  return NULL;
}

// Functions whose result is exact; never one that an implementation approximates.
static bool fold_exact(MathFunction function, double a, double *result) {
  switch ((int)function) {
  case MATH_floor: *result = floor(a); return true;
  case MATH_ceil: *result = ceil(a); return true;
  case MATH_trunc: *result = trunc(a); return true;
  case MATH_round: *result = round(a); return true;
  case MATH_rint: *result = rint(a); return true;
  case MATH_abs: *result = fabs(a); return true;
  case MATH_logb: *result = logb(a); return true;
  default: return false;
  }
}

static bool fold_test(MathFunction function, double a, int64_t *result) {
  switch ((int)function) {
  case MATH_isnan: *result = isnan(a); return true;
  case MATH_isinf: *result = isinf(a) != 0; return true;
  case MATH_isfinite: *result = isfinite(a) != 0; return true;
  case MATH_signbit: *result = signbit(a) != 0; return true;
  case MATH_ilogb: *result = math_ilogb(a); return true;
  default: return false;
  }
}

static Value *fold_math(Op *op) {
  MathFunction function;
  double a, result;
  int64_t truth;
  if (!math_of(op, &function) || !value_float_constant(op_operand(op, 0), &a)) return NULL;
  Builder b = builder_before(op);
  if (fold_test(function, a, &truth)) return build_int(&b, op_result(op)->type, truth);
  if (isnan(a) || !fold_exact(function, a, &result)) return NULL;
  return build_float(&b, op_result(op)->type, result);
}

// The upper half of a product, 32 bits at a time.
static uint64_t upper_half(uint64_t a, uint64_t b) {
  uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
  uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & UINT32_MAX);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

int64_t fold_upper(Elem elem, int64_t a, int64_t b) {
  uint32_t bits = elem_info(elem)->bits;
  uint64_t upper;
  if (bits == 64) {
    upper = upper_half((uint64_t)a, (uint64_t)b);
    if (elem_is_signed(elem)) upper -= (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
  } else {
    upper = (uint64_t)a * (uint64_t)b >> bits; // canonical values: the low 64 bits of the product are right
  }
  return wrap_to(elem, upper);
}

static Value *fold_mulhi(Op *op) {
  int64_t a, b;
  if (!value_int_constant(op_operand(op, 0), &a) || !value_int_constant(op_operand(op, 1), &b)) return NULL;
  Builder builder = builder_before(op);
  return build_int(&builder, op_result(op)->type, fold_upper(elem_of(op_operand(op, 0)), a, b));
}

// Of fp32 alone C has the one rounding at hand, of fp64 too; narrower types would be rounded twice.
static Value *fold_fma(Op *op) {
  double x[3], result;
  Elem elem = elem_of(op_operand(op, 0));
  for (uint32_t i = 0; i < 3; i++)
    if (!value_float_constant(op_operand(op, i), &x[i])) return NULL;
  if (elem == ELEM_FP64)
    result = fma(x[0], x[1], x[2]);
  else if (elem == ELEM_FP32)
    result = (double)fmaf((float)x[0], (float)x[1], (float)x[2]);
  else
    return NULL;
  Builder b = builder_before(op);
  return isnan(result) ? NULL : build_float(&b, op_result(op)->type, result);
}

Value *fold_op(Op *op) {
  if (op->kind == OP_MATH) return fold_math(op);
  if (op->kind == OP_FMA) return fold_fma(op);
  if (op->kind == OP_MULHI) return fold_mulhi(op);
  if (op->kind == OP_SPLAT) return fold_splat(op);
  if (!op_has(op, PURE | ELEMENTWISE)) return NULL;
  if (op->kind == OP_CAST) return fold_cast(op);
  if (!op_has(op, SAME) && !op_has(op, COMPARE)) return NULL;
  if (type_is_int(op_operand(op, 0)->type)) return fold_ints(op);
  return type_is_float(op_operand(op, 0)->type) ? fold_floats(op) : NULL;
}
