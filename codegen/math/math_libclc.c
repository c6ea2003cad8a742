// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/math/math_libclc.h"

#include <math.h>
#include "codegen/nvvm/nvvm.h"

static LLVMValueRef real(const Emitter *e, double value) { return LLVMConstReal(e->f64, value); }

static LLVMValueRef with_sign(Emitter *e, LLVMValueRef x, LLVMValueRef of) {
  return nvvm_binary(e, "llvm.copysign", x, of);
}

static LLVMValueRef call_fp64(Emitter *e, const char *symbol, LLVMValueRef x) {
  return emit_libclc(e, symbol, e->f64, &x, 1);
}

// An odd function. For fp32 libclc's function keeps the sign; NULL: fp32 is computed elsewhere.
static LLVMValueRef odd(Emitter *e, const char *fp32, const char *fp64, LLVMValueRef x) {
  if (LLVMTypeOf(x) == e->f32) return emit_libclc(e, fp32, e->f32, &x, 1);
  LLVMValueRef called = call_fp64(e, fp64, x);
  return LLVMBuildSelect(e->builder, nvvm_is_zero(e, x), x, called, "");
}

LLVMValueRef math_expm1(Emitter *e, const LLVMValueRef *x) { return odd(e, "_Z5expm1f", "_Z5expm1d", x[0]); }
LLVMValueRef math_asin(Emitter *e, const LLVMValueRef *x) { return odd(e, NULL, "_Z4asind", x[0]); }
LLVMValueRef math_sin(Emitter *e, const LLVMValueRef *x) { return odd(e, NULL, "_Z3sind", x[0]); }
LLVMValueRef math_tan(Emitter *e, const LLVMValueRef *x) { return odd(e, NULL, "_Z3tand", x[0]); }
LLVMValueRef math_atan(Emitter *e, const LLVMValueRef *x) { return odd(e, NULL, "_Z4atand", x[0]); }
LLVMValueRef math_erf(Emitter *e, const LLVMValueRef *x) { return odd(e, NULL, "_Z3erfd", x[0]); }

LLVMValueRef math_sinpi(Emitter *e, const LLVMValueRef *x) {
  LLVMTypeRef type = LLVMTypeOf(x[0]);
  LLVMValueRef y = emit_libclc(e, type == e->f32 ? "_Z5sinpif" : "_Z5sinpid", type, x, 1);
  LLVMValueRef zero = with_sign(e, LLVMConstNull(type), x[0]);
  return LLVMBuildSelect(e->builder, nvvm_is_zero(e, y), zero, y, "");
}

LLVMValueRef math_cospi(Emitter *e, const LLVMValueRef *x) {
  LLVMTypeRef type = LLVMTypeOf(x[0]);
  LLVMValueRef y = emit_libclc(e, type == e->f32 ? "_Z5cospif" : "_Z5cospid", type, x, 1);
  return LLVMBuildSelect(e->builder, nvvm_is_zero(e, y), LLVMConstNull(type), y, "");
}

// A dividend near the largest number is halved, which is exact. Otherwise libclc's first quotient times the
// divisor would round to infinity.
typedef struct Halved {
  LLVMValueRef x, far; // far: x was halved
} Halved;

static Halved halve(Emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef far = LLVMBuildFCmp(b, LLVMRealOGT, nvvm_magnitude(e, x), real(e, 0x1p1000), "");
  return (Halved){LLVMBuildSelect(b, far, LLVMBuildFMul(b, x, real(e, 0.5), ""), x, ""), far};
}

// The remainder of 2h is twice that of h, minus the divisor if that is too large. All steps are exact.
static LLVMValueRef fmod_fp64(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = e->builder;
  Halved half = halve(e, x);
  LLVMValueRef rest = emit_libclc(e, "_Z4fmoddd", e->f64, (LLVMValueRef[]){half.x, y}, 2);
  LLVMValueRef twice = nvvm_magnitude(e, LLVMBuildFAdd(b, rest, rest, "")), size = nvvm_magnitude(e, y);
  LLVMValueRef over = LLVMBuildFCmp(b, LLVMRealOGE, twice, size, "");
  twice = LLVMBuildSelect(b, over, LLVMBuildFSub(b, twice, size, ""), twice, "");
  return LLVMBuildSelect(b, half.far, with_sign(e, twice, x), rest, "");
}

// The quotient of 2h is even before the last subtraction, so a tie needs no correction.
static LLVMValueRef remainder_fp64(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = e->builder;
  Halved half = halve(e, x);
  LLVMValueRef rest = emit_libclc(e, "_Z9remainderdd", e->f64, (LLVMValueRef[]){half.x, y}, 2);
  LLVMValueRef twice = LLVMBuildFAdd(b, rest, rest, ""), four = LLVMBuildFAdd(b, twice, twice, "");
  LLVMValueRef bound = nvvm_magnitude(e, y);
  LLVMValueRef over = LLVMBuildFCmp(b, LLVMRealOGT, nvvm_magnitude(e, four), bound, "");
  LLVMValueRef less = LLVMBuildFSub(b, twice, with_sign(e, y, twice), "");
  LLVMValueRef zero = with_sign(e, real(e, 0), x);
  less = LLVMBuildSelect(b, nvvm_is_zero(e, less), zero, less, "");
  twice = LLVMBuildSelect(b, over, less, twice, "");
  return LLVMBuildSelect(b, half.far, twice, rest, "");
}

// For exact functions, the fp64 result is right for the narrower type too. Its numbers are never near fp64's
// largest one. libclc's fp32 fmod is wrong for a denormal divisor.
static LLVMValueRef in_fp64(Emitter *e, const char *symbol, const LLVMValueRef *x) {
  LLVMValueRef args[] = {nvvm_to_fp64(e, x[0]), nvvm_to_fp64(e, x[1])};
  return LLVMBuildFPCast(e->builder, emit_libclc(e, symbol, e->f64, args, 2), LLVMTypeOf(x[0]), "");
}

LLVMValueRef math_fmod(Emitter *e, const LLVMValueRef *x) {
  return LLVMTypeOf(x[0]) == e->f64 ? fmod_fp64(e, x[0], x[1]) : in_fp64(e, "_Z4fmoddd", x);
}

LLVMValueRef math_remainder(Emitter *e, const LLVMValueRef *x) {
  return LLVMTypeOf(x[0]) == e->f64 ? remainder_fp64(e, x[0], x[1]) : in_fp64(e, "_Z9remainderdd", x);
}

// libclc's fp32 function is wrong near zero and at minus infinity.
LLVMValueRef math_lgamma(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef y = call_fp64(e, "_Z6lgammad", nvvm_to_fp64(e, x[0]));
  return LLVMBuildFPCast(e->builder, y, LLVMTypeOf(x[0]), "");
}

// From 2^64 on, every exponent is even, and so large that the result is 0, 1 or infinity. libclc's code wraps
// there.
LLVMValueRef math_pow(Emitter *e, const LLVMValueRef *x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef most = real(e, 0x1p64);
  LLVMValueRef beyond = LLVMBuildFCmp(b, LLVMRealOGT, nvvm_magnitude(e, x[1]), most, "");
  LLVMValueRef exponent = LLVMBuildSelect(b, beyond, with_sign(e, most, x[1]), x[1], "");
  return emit_libclc(e, "_Z3powdd", e->f64, (LLVMValueRef[]){x[0], exponent}, 2);
}

static LLVMValueRef polynomial(Emitter *e, LLVMValueRef x, const double *c, uint32_t n) {
  LLVMValueRef y = real(e, c[n - 1]);
  for (uint32_t i = n - 1; i-- > 0;) y = nvvm_fma(e, y, x, real(e, c[i]));
  return y;
}

// The gamma function of a >= 0 is power * power * rest. Where `near` is true, a < 8, it is also divided by
// `below`. No factor overflows up to 190.
typedef struct Gamma {
  LLVMValueRef power, rest, below, near;
} Gamma;

// Stirling's formula: z^(z - 1/2) e^-z c(1 / z), for z >= 8; c was fitted to 2^-54. For a below 8, z = a + 8
// and below = (a + 1) ... (a + 7). The function's logarithmic derivative corrects what the sum a + 8 loses.
static Gamma gamma_of(Emitter *e, LLVMValueRef a) {
  static const double c[] = {0x1.40d931ff62708p+1,  0x1.abcc42a9d5186p-3,   0x1.1d32d737b43fap-7,
                             -0x1.b8793d5d07b29p-8, -0x1.2d83521b663a4p-11, 0x1.014a2a5104eabp-9,
                             0x1.adaf1dff26201p-13, -0x1.c304686b23038p-10, 0x1.e22be9bc3d5ecp-11};
  static const double slope[] = {0.797, 0.1846, -0.00396};
  LLVMBuilderRef b = e->builder;
  Gamma g = {.near = LLVMBuildFCmp(b, LLVMRealOLT, a, real(e, 8), "")};
  LLVMValueRef shifted = LLVMBuildFAdd(b, a, real(e, 8), "");
  LLVMValueRef z = LLVMBuildSelect(b, g.near, shifted, a, "");
  LLVMValueRef lost = LLVMBuildFSub(b, LLVMBuildFSub(b, shifted, real(e, 8), ""), a, "");
  lost = LLVMBuildSelect(b, g.near, lost, real(e, 0), "");
  LLVMValueRef args[] = {z, nvvm_fma(e, z, real(e, 0.5), real(e, -0.25))};
  g.power = emit_libclc(e, "_Z3powdd", e->f64, args, 2);
  g.rest = call_fp64(e, "_Z3expd", LLVMBuildFNeg(b, z, ""));
  LLVMValueRef series = polynomial(e, LLVMBuildFDiv(b, real(e, 1), z, ""), c, 9);
  LLVMValueRef part = LLVMBuildFMul(b, lost, polynomial(e, z, slope, 3), "");
  series = nvvm_fma(e, LLVMBuildFNeg(b, part, ""), series, series);
  g.rest = LLVMBuildFMul(b, g.rest, series, "");
  // a (a + 7); the other factors are s + 6, s + 10 and s + 12.
  LLVMValueRef s = nvvm_fma(e, a, a, LLVMBuildFMul(b, a, real(e, 7), ""));
  g.below = LLVMBuildFAdd(b, a, real(e, 7), "");
  for (uint32_t k = 0; k < 3; k++)
    g.below = LLVMBuildFMul(b, g.below, LLVMBuildFAdd(b, s, real(e, k == 0 ? 6 : k == 1 ? 10 : 12), ""), "");
  return g;
}

// Negative x gives pi / (sin(pi x) a gamma(a)), a = -x, which is 0 from -190 on. Near zero it is 1 / x.
static LLVMValueRef tgamma_fp64(Emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef a = nvvm_binary(e, "llvm.minnum", nvvm_magnitude(e, x), real(e, 190)), one = real(e, 1);
  Gamma g = gamma_of(e, a);
  LLVMValueRef rest = LLVMBuildFMul(b, g.rest, g.power, "");
  LLVMValueRef under = LLVMBuildSelect(b, g.near, LLVMBuildFMul(b, a, g.below, ""), one, "");
  LLVMValueRef right = LLVMBuildFDiv(b, LLVMBuildFMul(b, g.power, rest, ""), under, "");
  LLVMValueRef pi = real(e, 0x1.921fb54442d18p+1), sine = call_fp64(e, "_Z5sinpid", x);
  LLVMValueRef over = LLVMBuildSelect(b, g.near, LLVMBuildFMul(b, pi, g.below, ""), pi, "");
  under = LLVMBuildFMul(b, sine, LLVMBuildSelect(b, g.near, one, a, ""), "");
  LLVMValueRef left =
      LLVMBuildFDiv(b, LLVMBuildFDiv(b, LLVMBuildFDiv(b, over, under, ""), g.power, ""), rest, "");
  LLVMValueRef pole = LLVMBuildFCmp(b, LLVMRealUNO, sine, sine, "");
  pole = LLVMBuildOr(b, nvvm_is_zero(e, sine), pole, "");
  left = LLVMBuildSelect(b, pole, real(e, (double)NAN), left, "");
  LLVMValueRef y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, real(e, 0), ""), left, right, "");
  LLVMValueRef near = LLVMBuildFCmp(b, LLVMRealOLT, nvvm_magnitude(e, x), real(e, 0x1p-60), "");
  y = LLVMBuildSelect(b, near, LLVMBuildFDiv(b, one, x, ""), y, "");
  return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), x, y, "");
}

LLVMValueRef math_tgamma(Emitter *e, const LLVMValueRef *x) {
  return LLVMBuildFPCast(e->builder, tgamma_fp64(e, nvvm_to_fp64(e, x[0])), LLVMTypeOf(x[0]), "");
}
