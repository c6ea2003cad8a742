// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant folding: ops whose operands are constants become constants.
#include <math.h>
#include "target/math.h"
#include "ir/number.h"
#include "passes/simplify/simplify.h"

static Value *fold_cast(Op *op) {
  const Value *from = op_operand(op, 0);
  const Type *type = op_result(op)->type;
  if (type_is_ptr(from->type) || type_is_ptr(type)) return NULL;
  Elem source = value_elem(from), target = type_element(type)->elem;
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
  if (!fold_int(op->kind, value_elem(x), a, b, &result)) return NULL;
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
  if (!fold_float(op->kind, value_elem(x), a, b, &result)) return NULL;
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

// Folds functions whose result is exact. Never add one that implementations approximate.
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

// C has fma with a single rounding only for fp32 and fp64. Narrower types would be rounded twice.
static Value *fold_fma(Op *op) {
  double x[3], result;
  Elem elem = value_elem(op_operand(op, 0));
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
  if (op->kind == OP_SPLAT) return fold_splat(op);
  if (!op_has(op, PURE | ELEMENTWISE)) return NULL;
  if (op->kind == OP_CAST) return fold_cast(op);
  if (!op_has(op, SAME) && !op_has(op, COMPARE)) return NULL;
  if (type_is_int(op_operand(op, 0)->type)) return fold_ints(op);
  return type_is_float(op_operand(op, 0)->type) ? fold_floats(op) : NULL;
}
