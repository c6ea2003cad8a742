// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponentials, logarithms, and functions made of them.
#include "codegen/math/math_fp32.h"

#include <math.h>
#include "codegen/nvvm/nvvm.h"

LLVMValueRef fp32_real(const Emitter *e, double value) { return LLVMConstReal(e->f32, value); }

LLVMValueRef fp32_polynomial(Emitter *e, LLVMValueRef x, const float *c, uint32_t n) {
  LLVMTypeRef type = LLVMTypeOf(x); // a vector's constants are the same in all elements
  LLVMValueRef y = LLVMConstReal(type, (double)c[n - 1]);
  for (uint32_t i = n - 1; i-- > 0;) y = nvvm_fma(e, y, x, LLVMConstReal(type, (double)c[i]));
  return y;
}

LLVMValueRef fp32_reciprocal(Emitter *e, LLVMValueRef x) {
  return nvvm_call(e, "llvm.nvvm.rcp.approx.ftz.f", x);
}

LLVMValueRef fp32_negated(Emitter *e, LLVMValueRef x) { return LLVMBuildFNeg(e->builder, x, ""); }
LLVMValueRef fp32_sum(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildFAdd(e->builder, x, y, "");
}
LLVMValueRef fp32_difference(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildFSub(e->builder, x, y, "");
}
LLVMValueRef fp32_product(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildFMul(e->builder, x, y, "");
}
LLVMValueRef fp32_choose(Emitter *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildSelect(e->builder, condition, x, y, "");
}
LLVMValueRef fp32_compare(Emitter *e, LLVMRealPredicate predicate, LLVMValueRef x, double y) {
  return LLVMBuildFCmp(e->builder, predicate, x, fp32_real(e, y), "");
}
// Does not use llvm.copysign. If the result is narrowed later, LLVM 22 turns it into a copysign of the narrow
// type, in six instructions.
LLVMValueRef fp32_with_sign(Emitter *e, LLVMValueRef x, LLVMValueRef of) {
  LLVMValueRef sign = LLVMBuildAnd(e->builder, fp32_bits(e, of), emit_i32(e, 0x80000000u), "");
  return fp32_of_bits(e, LLVMBuildOr(e->builder, fp32_bits(e, x), sign, ""));
}
LLVMValueRef fp32_root(Emitter *e, LLVMValueRef x) { return nvvm_call(e, "llvm.nvvm.sqrt.approx.f", x); }
LLVMValueRef fp32_bits(Emitter *e, LLVMValueRef x) { return LLVMBuildBitCast(e->builder, x, e->i32, ""); }
LLVMValueRef fp32_of_bits(Emitter *e, LLVMValueRef bits) {
  return LLVMBuildBitCast(e->builder, bits, e->f32, "");
}

// A factor in two parts.
typedef struct Split {
  double high, low;
} Split;

static const Split LOG2_E = {0x1.715476p+0, 0x1.4ae0cp-26}, LOG2_10 = {0x1.a934f0p+1, 0x1.2f346ep-24};

// 2^(x factor) = first * second, with first = 2^f and second = 2^n. n is the integer in -126 .. 127 nearest
// to x factor, and f = x factor - n. Out of this range, f takes the rest. first * second is then rounded once
// if denormal, and infinite if too large.
typedef struct Power {
  LLVMValueRef first, second;
} Power;

static Power power_of(Emitter *e, LLVMValueRef x, const Split *factor) {
  LLVMBuilderRef b = e->builder;
  const double round = 0x1.8p+23;
  LLVMValueRef args[] = {x, fp32_real(e, factor->high / 253), fp32_real(e, 126.0 / 253)};
  LLVMValueRef t = nvvm_intrinsic(e, "llvm.nvvm.fma.rn.sat.f", NULL, 0, args, 3);
  // n + 127 is in the low bits; the shift keeps only those.
  LLVMValueRef rounded = nvvm_fma(e, t, fp32_real(e, 253), fp32_real(e, round + 1));
  LLVMValueRef minus_n = LLVMBuildFSub(b, fp32_real(e, round + 127), rounded, "");
  LLVMValueRef f = nvvm_fma(e, x, fp32_real(e, factor->high), minus_n);
  f = nvvm_fma(e, x, fp32_real(e, factor->low), f);
  LLVMValueRef second = LLVMBuildShl(b, fp32_bits(e, rounded), emit_i32(e, 23), "");
  return (Power){nvvm_exp2_ftz(e, f), fp32_of_bits(e, second)};
}

// 0.8 ulp, plus the error of ex2.approx on [-1/2, 1/2].
LLVMValueRef fp32_exp(Emitter *e, const LLVMValueRef *x) {
  Power p = power_of(e, x[0], &LOG2_E);
  return LLVMBuildFMul(e->builder, p.first, p.second, "");
}

// x = n + f, with n = floor(x) from -127 to 128 and f from 0 to 1. The sum is rounded down, and has n + 127 in its low
// bits. These are the exponent of 2^n: 0 for -127, and infinity for 128. With f = 0 the polynomial is exactly 1.
void fp32_exp2_pair(Emitter *e, const LLVMValueRef *x, LLVMValueRef *out) {
  static const float c[] = {
      1, 0x1.62e4bap-1f, 0x1.ebdb6ap-3f, 0x1.c91c1p-5f, 0x1.277c1cp-7f, 0x1.e96910p-10f};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef t = emit_vector(e, x, 2), sums[2], parts[2];
  LLVMTypeRef type = LLVMTypeOf(t), words = LLVMVectorType(e->i32, 2);
  const double round = 0x1.8p+23 + 127;
  t = nvvm_binary(e, "llvm.maximum", t, LLVMConstReal(type, -127)); // of NaN it is NaN
  t = nvvm_binary(e, "llvm.minimum", t, LLVMConstReal(type, 128));
  emit_elements(e, t, 2, parts);
  for (uint32_t i = 0; i < 2; i++)
    sums[i] =
        nvvm_intrinsic(e, "llvm.nvvm.add.rm.f", NULL, 0, (LLVMValueRef[]){parts[i], fp32_real(e, round)}, 2);
  LLVMValueRef sum = emit_vector(e, sums, 2);
  LLVMValueRef f = LLVMBuildFAdd(b, t, LLVMBuildFSub(b, LLVMConstReal(type, round), sum, ""), "");
  LLVMValueRef by = LLVMConstVector((LLVMValueRef[]){emit_i32(e, 23), emit_i32(e, 23)}, 2);
  LLVMValueRef power = LLVMBuildShl(b, LLVMBuildBitCast(b, sum, words, ""), by, "");
  power = LLVMBuildBitCast(b, power, type, "");
  emit_elements(e, LLVMBuildFMul(b, fp32_polynomial(e, f, c, sizeof c / sizeof *c), power, ""), 2, out);
}

static const double LOG2_E_FP32 = 0x1.715476p+0;

// The square of 2^(t / 2), which is a normal number where 2^t is denormal. So the result is rounded once.
LLVMValueRef fp32_exp_approx(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef half = LLVMBuildFMul(e->builder, x[0], fp32_real(e, LOG2_E_FP32 / 2), "");
  LLVMValueRef root = nvvm_exp2_ftz(e, half);
  return LLVMBuildFMul(e->builder, root, root, "");
}

LLVMValueRef fp32_exp_flushed(Emitter *e, const LLVMValueRef *x) {
  return nvvm_exp2_ftz(e, LLVMBuildFMul(e->builder, x[0], fp32_real(e, LOG2_E_FP32), ""));
}

LLVMValueRef fp32_exp10(Emitter *e, const LLVMValueRef *x) {
  Power p = power_of(e, x[0], &LOG2_10);
  return LLVMBuildFMul(e->builder, p.first, p.second, "");
}

// x = (1 + r) 2^n with 1 + r in [2/3, 4/3).
typedef struct Reduced {
  LLVMValueRef r, n; // n as fp32
} Reduced;

static LLVMValueRef exponent_bits(Emitter *e, LLVMValueRef x) {
  LLVMValueRef above = LLVMBuildSub(e->builder, fp32_bits(e, x), emit_i32(e, 0x3f2aaaab), ""); // 2/3
  return LLVMBuildAnd(e->builder, above, emit_i32(e, 0xff800000u), "");
}

static Reduced reduce_log(Emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef small = LLVMBuildFCmp(b, LLVMRealOLT, x, fp32_real(e, 0x1p-126), "");
  LLVMValueRef scaled = LLVMBuildFMul(b, x, fp32_real(e, 0x1p+23), "");
  x = LLVMBuildSelect(b, small, scaled, x, "");
  LLVMValueRef shift = LLVMBuildSelect(b, small, fp32_real(e, -23), fp32_real(e, 0), "");
  LLVMValueRef exponent = exponent_bits(e, x);
  LLVMValueRef m = fp32_of_bits(e, LLVMBuildSub(b, fp32_bits(e, x), exponent, ""));
  LLVMValueRef n = nvvm_fma(e, LLVMBuildSIToFP(b, exponent, e->f32, ""), fp32_real(e, 0x1p-23), shift);
  return (Reduced){LLVMBuildFSub(b, m, fp32_real(e, 1), ""), n};
}

// The logarithm to a base. log(1 + r) is (high + low) r + r^2 c(r), and log(2) is `of_two`. Relative error
// 2^-27.6.
typedef struct LogBase {
  Split first;
  float c[9];
  Split of_two; // low: 0 if high is accurate enough
} LogBase;

static const LogBase BASE_E = {{1, 0},
                               {-0x1.0p-1f, 0x1.555506p-2f, -0x1.fffefcp-3f, 0x1.99d044p-3f, -0x1.559c46p-3f,
                                0x1.1ed66p-3f, -0x1.f332a2p-4f, 0x1.1e67ap-3f, -0x1.07c976p-3f},
                               {0x1.62e43p-1, 0}};
static const LogBase BASE_2 = {{0x1.715476p+0, 0x1.4ae0cp-26},
                               {-0x1.715476p-1f, 0x1.ec703p-2f, -0x1.7153ep-2f, 0x1.279d6ep-2f,
                                -0x1.ecd0c8p-3f, 0x1.9de612p-3f, -0x1.685108p-3f, 0x1.9cdc18p-3f,
                                -0x1.7bd39ep-3f},
                               {1, 0}};
static const LogBase BASE_10 = {{0x1.bcb7b2p-2, -0x1.5b235ep-27},
                                {-0x1.bcb7b2p-3f, 0x1.287a2ep-3f, -0x1.bcb66cp-4f, 0x1.63f6e4p-4f,
                                 -0x1.28c148p-4f, 0x1.f2259cp-5f, -0x1.b0e842p-5f, 0x1.f228bep-5f,
                                 -0x1.cc9454p-5f},
                                {0x1.344136p-2, -0x1.ec10cp-27}};

// Adds `lost` (NULL: 0) to r. The square of `lost` is below the error.
static LLVMValueRef log_of_reduced(Emitter *e, const Reduced *of, LLVMValueRef lost, const LogBase *base) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef r = of->r, y = LLVMBuildFMul(b, fp32_polynomial(e, r, base->c, 9), r, "");
  if (lost)
    y = LLVMBuildFAdd(b, r, nvvm_fma(e, y, r, lost), "");
  else if (base->first.low == 0)
    y = nvvm_fma(e, y, r, r);
  else {
    y = LLVMBuildFMul(b, y, r, "");
    if (base->of_two.low != 0) y = nvvm_fma(e, of->n, fp32_real(e, base->of_two.low), y);
    y = nvvm_fma(e, r, fp32_real(e, base->first.low), y);
    y = nvvm_fma(e, r, fp32_real(e, base->first.high), y);
  }
  return nvvm_fma(e, of->n, fp32_real(e, base->of_two.high), y);
}

// Replaces y, the logarithm of x, if x is not positive and finite: infinity for infinity, -infinity for 0,
// else NaN.
static LLVMValueRef but_special(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef infinity = fp32_real(e, (double)INFINITY);
  LLVMValueRef special = LLVMBuildICmp(e->builder, LLVMIntUGE, fp32_bits(e, x), emit_i32(e, 0x7f800000), "");
  y = fp32_choose(e, special, nvvm_fma(e, x, infinity, infinity), y);
  return fp32_choose(e, fp32_compare(e, LLVMRealOEQ, x, 0), fp32_real(e, -(double)INFINITY), y);
}

static LLVMValueRef log_to_base(Emitter *e, LLVMValueRef x, const LogBase *base) {
  Reduced of = reduce_log(e, x);
  LLVMValueRef y = log_of_reduced(e, &of, NULL, base);
  return but_special(e, x, y);
}

LLVMValueRef fp32_log(Emitter *e, const LLVMValueRef *x) { return log_to_base(e, x[0], &BASE_E); }
LLVMValueRef fp32_log2(Emitter *e, const LLVMValueRef *x) { return log_to_base(e, x[0], &BASE_2); }
LLVMValueRef fp32_log10(Emitter *e, const LLVMValueRef *x) { return log_to_base(e, x[0], &BASE_10); }

// r = x 2^-n + (2^-n - 1), plus what the sum 1 + x loses. n belongs to the rounded sum. If n is not 0, x is
// normal and stays normal.
LLVMValueRef fp32_log1p(Emitter *e, const LLVMValueRef *x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef sum = LLVMBuildFAdd(b, x[0], fp32_real(e, 1), "");
  LLVMValueRef exponent = exponent_bits(e, sum);
  LLVMValueRef scaled = fp32_of_bits(e, LLVMBuildSub(b, fp32_bits(e, x[0]), exponent, ""));
  LLVMValueRef four = fp32_of_bits(e, LLVMBuildSub(b, emit_i32(e, 0x40800000), exponent, "")); // 4 2^-n
  LLVMValueRef rest = nvvm_fma(e, four, fp32_real(e, 0.25), fp32_real(e, -1));
  LLVMValueRef n = LLVMBuildFMul(b, LLVMBuildSIToFP(b, exponent, e->f32, ""), fp32_real(e, 0x1p-23), "");
  Reduced of = {LLVMBuildFAdd(b, scaled, rest, ""), n};
  LLVMValueRef lost = LLVMBuildFSub(b, scaled, LLVMBuildFSub(b, of.r, rest, ""), "");
  LLVMValueRef y = log_of_reduced(e, &of, lost, &BASE_E);
  y = fp32_with_sign(e, y, x[0]);
  return but_special(e, sum, y);
}

// Below 0.6 it is x + x^3 c(x^2), otherwise 1 - 2 / (e^2x + 1).
LLVMValueRef fp32_tanh(Emitter *e, const LLVMValueRef *x) {
  static const float c[] = {-0x1.55553ep-2f, 0x1.1109bep-3f, -0x1.b89abap-5f, 0x1.54c3c2p-6f,
                            -0x1.828776p-8f};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef a = nvvm_magnitude(e, x[0]), square = LLVMBuildFMul(b, x[0], x[0], "");
  LLVMValueRef y = LLVMBuildFMul(b, fp32_polynomial(e, square, c, 5), square, "");
  y = nvvm_fma(e, y, x[0], x[0]);
  LLVMValueRef power = nvvm_exp2_ftz(e, LLVMBuildFMul(b, a, fp32_real(e, 2 * LOG2_E.high), ""));
  LLVMValueRef inverse = fp32_reciprocal(e, LLVMBuildFAdd(b, power, fp32_real(e, 1), ""));
  LLVMValueRef far = nvvm_fma(e, inverse, fp32_real(e, -2), fp32_real(e, 1));
  LLVMValueRef is_far = LLVMBuildFCmp(b, LLVMRealOGE, a, fp32_real(e, 0.6), "");
  return fp32_with_sign(e, LLVMBuildSelect(b, is_far, far, y, ""), x[0]);
}

// e^a / 2, which is finite even if e^a is not.
static LLVMValueRef half_exp(Emitter *e, LLVMValueRef a) {
  Power p = power_of(e, a, &LOG2_E);
  return fp32_product(e, fp32_product(e, p.first, fp32_real(e, 0.5)), p.second);
}

// Below 1 it is x + x^3 c(x^2), otherwise (e^a - e^-a) / 2.
LLVMValueRef fp32_sinh(Emitter *e, const LLVMValueRef *x) {
  static const float c[] = {0x1.555556p-3f, 0x1.1110ep-7f, 0x1.a022bcp-13f, 0x1.756c1ep-19f};
  LLVMValueRef a = nvvm_magnitude(e, x[0]), square = fp32_product(e, a, a);
  LLVMValueRef near = nvvm_fma(e, fp32_product(e, fp32_polynomial(e, square, c, 4), square), a, a);
  LLVMValueRef half = half_exp(e, a);
  LLVMValueRef far = nvvm_fma(e, fp32_reciprocal(e, half), fp32_real(e, -0.25), half);
  LLVMValueRef y = fp32_choose(e, fp32_compare(e, LLVMRealOLT, a, 1), near, far);
  return fp32_with_sign(e, y, x[0]);
}

LLVMValueRef fp32_cosh(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef half = half_exp(e, nvvm_magnitude(e, x[0]));
  return nvvm_fma(e, fp32_reciprocal(e, half), fp32_real(e, 0.25), half);
}

// Below 1 it is x + x near(x^2), otherwise 1 - erfc; log2(erfc) is far(x). From 4 on it is 1.
LLVMValueRef fp32_erf(Emitter *e, const LLVMValueRef *x) {
  static const float near[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2ce6p-4f, -0x1.b7f71ap-6f,
                               0x1.53f224p-8f, -0x1.a3515ep-11f, 0x1.4771fep-14f};
  static const float far[] = {-0x1.0252bcp-11f, -0x1.a0448cp+0f, -0x1.d75f3ep-1f, -0x1.30a49cp-3f,
                              0x1.02180cp-5f,   -0x1.16b22cp-8f, 0x1.19f334p-12f};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef a = nvvm_magnitude(e, x[0]), square = LLVMBuildFMul(b, x[0], x[0], "");
  LLVMValueRef y = nvvm_fma(e, fp32_polynomial(e, square, near, 7), x[0], x[0]);
  LLVMValueRef most = nvvm_binary(e, "llvm.minnum", a, fp32_real(e, 4));
  LLVMValueRef rest = nvvm_exp2_ftz(e, fp32_polynomial(e, most, far, 7));
  LLVMValueRef z = LLVMBuildFSub(b, fp32_real(e, 1), rest, "");
  z = fp32_with_sign(e, z, x[0]);
  LLVMValueRef is_far = LLVMBuildFCmp(b, LLVMRealOGE, a, fp32_real(e, 1), "");
  return LLVMBuildSelect(b, is_far, z, y, "");
}

// e^-a^2 c(t) / (1 + 2a), t = (a - 4) / (a + 4), for a = |x|. Negative x gives 2 minus that. a^2 has two
// parts. From 10.5 on it is 0.
LLVMValueRef fp32_erfc(Emitter *e, const LLVMValueRef *x) {
  static const float c[] = {0x1.3ba592p+0f,  -0x1.1df1acp-3f, 0x1.f7d64ep-7f,  0x1.16e96p-4f,
                            -0x1.9d917ep-4f, 0x1.80581p-4f,   -0x1.116112p-4f, 0x1.294586p-5f,
                            -0x1.025ddcp-6f, 0x1.ddfcacp-8f,  0x1.05ab3ep-10f};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef a = nvvm_binary(e, "llvm.minnum", nvvm_magnitude(e, x[0]), fp32_real(e, 10.5));
  LLVMValueRef inverse = fp32_reciprocal(e, LLVMBuildFAdd(b, a, fp32_real(e, 4), ""));
  LLVMValueRef t = LLVMBuildFMul(b, LLVMBuildFAdd(b, a, fp32_real(e, -4), ""), inverse, "");
  LLVMValueRef off = LLVMBuildFAdd(b, t, fp32_real(e, 1), ""); // changes t to a - 4 - t (a + 4), with few
                                                               // roundings
  off = nvvm_fma(e, off, fp32_real(e, -4), a);
  off = nvvm_fma(e, LLVMBuildFNeg(b, t, ""), a, off);
  t = nvvm_fma(e, off, inverse, t);
  LLVMValueRef part = fp32_polynomial(e, t, c, 11);
  part = LLVMBuildFMul(b, part, fp32_reciprocal(e, nvvm_fma(e, a, fp32_real(e, 2), fp32_real(e, 1))), "");
  LLVMValueRef minus_a = LLVMBuildFNeg(b, a, "");
  LLVMValueRef minus_square = LLVMBuildFMul(b, minus_a, a, "");
  LLVMValueRef lost = nvvm_fma(e, minus_a, a, LLVMBuildFNeg(b, minus_square, "")); // -a^2 - minus_square
  Power p = power_of(e, minus_square, &LOG2_E);
  part = nvvm_fma(e, part, lost, part);
  LLVMValueRef y = LLVMBuildFMul(b, LLVMBuildFMul(b, part, p.first, ""), p.second, "");
  LLVMValueRef negative = LLVMBuildFCmp(b, LLVMRealOLT, x[0], fp32_real(e, 0), "");
  y = LLVMBuildSelect(b, negative, LLVMBuildFSub(b, fp32_real(e, 2), y, ""), y, "");
  LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x[0], x[0], "");
  return LLVMBuildSelect(b, nan, x[0], y, "");
}
