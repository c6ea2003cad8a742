// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fp32 power a^b, without branches: 2^(b log2(a)), with the logarithm in two parts. Special numbers follow
// IEEE 754. The code that depends only on b is computed once where b is the same. It folds away for a
// constant b.
#include "codegen/math/math_fp32.h"

#include <math.h>
#include "codegen/nvvm/nvvm.h"

// An unevaluated sum. `high` is the nearest number to it, up to 2^-5 of a unit in the last place.
typedef struct Sum {
  LLVMValueRef high, low;
} Sum;

// a = (1 + r) 2^n for positive finite a, with 1 + r in [sqrt(1/2), sqrt(2)).
static void reduce(Emitter *e, LLVMValueRef a, LLVMValueRef *r, LLVMValueRef *n) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef small = fp32_compare(e, LLVMRealOLT, a, 0x1p-126);
  a = fp32_choose(e, small, fp32_product(e, a, fp32_real(e, 0x1p+24)), a);
  LLVMValueRef shift = fp32_choose(e, small, fp32_real(e, -24), fp32_real(e, 0));
  LLVMValueRef exponent = LLVMBuildSub(b, fp32_bits(e, a), emit_i32(e, 0x3f3504f3), "");
  exponent = LLVMBuildAnd(b, exponent, emit_i32(e, 0xff800000u), "");
  *r = fp32_sum(e, fp32_of_bits(e, LLVMBuildSub(b, fp32_bits(e, a), exponent, "")), fp32_real(e, -1));
  *n = nvvm_fma(e, LLVMBuildSIToFP(b, exponent, e->f32, ""), fp32_real(e, 0x1p-23), shift);
}

// log2(1 + r) = log2(e) (q + q^3 c(q^2) / log2(e)) with q = r / (1 + r / 2) in two parts; relative error 2^-28.
static Sum log2_of(Emitter *e, LLVMValueRef a) {
  static const float c[] = {0x1.ec709ep-4f, 0x1.2776ep-6f, 0x1.a5d046p-9f, 0x1.589066p-11f};
  const double log2_e = 0x1.715476p+0, rest_of_log2_e = 0x1.4ae0cp-26;
  LLVMValueRef r, n;
  reduce(e, a, &r, &n);
  LLVMValueRef inverse = fp32_reciprocal(e, nvvm_fma(e, r, fp32_real(e, 0.5), fp32_real(e, 1)));
  LLVMValueRef q = fp32_product(e, r, inverse);
  LLVMValueRef off = fp32_difference(e, r, q);
  off = nvvm_fma(e, fp32_product(e, q, fp32_real(e, -0.5)), r, off);
  LLVMValueRef q_low = fp32_product(e, off, inverse), square = fp32_product(e, q, q);
  Sum log = {.high = fp32_product(e, q, fp32_real(e, log2_e))};
  LLVMValueRef low = nvvm_fma(e, q, fp32_real(e, log2_e), fp32_negated(e, log.high));
  low = nvvm_fma(e, q, fp32_real(e, rest_of_log2_e), low);
  low = nvvm_fma(e, q_low, fp32_real(e, log2_e), low);
  LLVMValueRef polynomial = fp32_polynomial(e, square, c, 4);
  low = nvvm_fma(e, fp32_product(e, q, square), polynomial, low);
  LLVMValueRef whole = fp32_sum(e, n, log.high); // n is 0 or the larger: the difference is exact
  log.low = fp32_sum(e, fp32_difference(e, log.high, fp32_difference(e, whole, n)), low);
  log.high = whole;
  return log;
}

// 2^t as 2^f 2^n, with n the nearest integer in -126 .. 127. A denormal result is rounded once. |t.high| <
// 2^60
static LLVMValueRef exp2_of(Emitter *e, Sum t) {
  const double round = 0x1.8p+23;
  LLVMValueRef args[] = {fp32_sum(e, t.high, t.low), fp32_real(e, 1.0 / 253), fp32_real(e, 126.0 / 253)};
  LLVMValueRef part = nvvm_intrinsic(e, "llvm.nvvm.fma.rn.sat.f", NULL, 0, args, 3);
  LLVMValueRef rounded = nvvm_fma(e, part, fp32_real(e, 253), fp32_real(e, round + 1)); // n + 127
  LLVMValueRef minus_n = fp32_difference(e, fp32_real(e, round + 127), rounded);
  LLVMValueRef f = fp32_sum(e, fp32_sum(e, t.high, minus_n), t.low);
  LLVMValueRef power = LLVMBuildShl(e->builder, fp32_bits(e, rounded), emit_i32(e, 23), "");
  power = fp32_of_bits(e, power);
  return fp32_product(e, nvvm_exp2_ftz(e, f), power);
}

// The parity of an exponent, for a negative base. Exponents from 2^24 on, and infinite ones, are even.
typedef struct Parity {
  LLVMValueRef is_whole, odd_sign; // odd_sign: the sign bit for an odd exponent, else 0
} Parity;

static Parity parity_of(Emitter *e, LLVMValueRef y) {
  LLVMValueRef half = fp32_product(e, y, fp32_real(e, 0.5));
  LLVMValueRef whole = LLVMBuildFCmp(e->builder, LLVMRealOEQ, nvvm_unary(e, "llvm.rint", y), y, "");
  LLVMValueRef even = LLVMBuildFCmp(e->builder, LLVMRealOEQ, nvvm_unary(e, "llvm.rint", half), half, "");
  LLVMValueRef odd = LLVMBuildAnd(e->builder, whole, LLVMBuildNot(e->builder, even, ""), "");
  return (Parity){whole, fp32_choose(e, odd, emit_i32(e, 0x80000000u), emit_i32(e, 0))};
}

// The power of a zero or infinity, without its sign.
static LLVMValueRef of_extreme(Emitter *e, LLVMValueRef a, LLVMValueRef y) {
  LLVMValueRef inverse =
      fp32_of_bits(e, LLVMBuildXor(e->builder, fp32_bits(e, a), emit_i32(e, 0x7f800000), ""));
  return fp32_choose(e, fp32_compare(e, LLVMRealOLT, y, 0), inverse, a);
}

static LLVMValueRef any_power(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef a = nvvm_magnitude(e, x);
  Sum log = log2_of(e, a), t;
  // With an exponent beyond 2^40, the power of every number except 1 is 0 or infinite.
  LLVMValueRef by = nvvm_binary(e, "llvm.minnum", y, fp32_real(e, 0x1p+40));
  by = nvvm_binary(e, "llvm.maxnum", by, fp32_real(e, -0x1p+40));
  t.high = fp32_product(e, by, log.high);
  t.low = nvvm_fma(e, by, log.low, nvvm_fma(e, by, log.high, fp32_negated(e, t.high)));
  LLVMValueRef power = exp2_of(e, t);
  Parity parity = parity_of(e, y);
  LLVMValueRef undefined = LLVMBuildNot(b, parity.is_whole, "");
  undefined = LLVMBuildAnd(b, fp32_compare(e, LLVMRealOLT, x, 0), undefined, "");
  power = fp32_choose(e, undefined, fp32_real(e, (double)NAN), power);
  LLVMValueRef less_one = LLVMBuildSub(b, fp32_bits(e, a), emit_i32(e, 1), "");
  LLVMValueRef extreme = LLVMBuildICmp(b, LLVMIntUGE, less_one, emit_i32(e, 0x7f7fffff), "");
  power = fp32_choose(e, extreme, of_extreme(e, a, y), power);
  LLVMValueRef sign = LLVMBuildAnd(b, fp32_bits(e, x), parity.odd_sign, "");
  power = fp32_of_bits(e, LLVMBuildOr(b, fp32_bits(e, power), sign, ""));
  LLVMValueRef sum = fp32_sum(e, x, y);
  power = fp32_choose(e, LLVMBuildFCmp(b, LLVMRealUNO, x, y, ""), sum, power);
  LLVMValueRef one = fp32_compare(e, LLVMRealOEQ, y, 0);
  one = LLVMBuildOr(b, fp32_compare(e, LLVMRealOEQ, x, 1), one, "");
  return fp32_choose(e, one, fp32_real(e, 1), power);
}

// x^n for n from 1 to 4 by multiplications. They lose nothing if the result is finite.
static LLVMValueRef product_power(Emitter *e, LLVMValueRef x, int n) {
  LLVMValueRef square = n > 1 ? fp32_product(e, x, x) : NULL;
  switch (n) {
  case 1: return x;
  case 2: return square;
  case 3: return fp32_product(e, square, x);
  default: return fp32_product(e, square, square);
  }
}

// -0 and -infinity have the same root as 0 and infinity.
static LLVMValueRef root_power(Emitter *e, LLVMValueRef x, int n) {
  LLVMValueRef root = fp32_root(e, fp32_sum(e, x, fp32_real(e, 0)));
  if (n > 0) root = fp32_product(e, product_power(e, nvvm_magnitude(e, x), n), root);
  LLVMValueRef infinite = fp32_compare(e, LLVMRealOEQ, x, -(double)INFINITY);
  return fp32_choose(e, infinite, fp32_real(e, (double)INFINITY), root);
}

// NULL: no shorter code for this exponent.
static LLVMValueRef constant_power(Emitter *e, LLVMValueRef x, double y) {
  double size = fabs(y), whole = floor(size);
  if (y == 0) return fp32_real(e, 1);
  if (y > 0 && y < 4 && size - whole == 0.5) return root_power(e, x, (int)whole);
  if (size > 4 || size != whole) return NULL;
  if (y < 0) {
    LLVMValueRef args[] = {fp32_real(e, 1), x};
    x = nvvm_intrinsic(e, "llvm.nvvm.div.full", NULL, 0, args, 2);
  }
  return product_power(e, x, (int)size);
}

LLVMValueRef fp32_pow(Emitter *e, const LLVMValueRef *x) {
  LLVMBool loses = false;
  LLVMValueRef short_way =
      LLVMIsAConstantFP(x[1]) ? constant_power(e, x[0], LLVMConstRealGetDouble(x[1], &loses)) : NULL;
  return short_way ? short_way : any_power(e, x[0], x[1]);
}
