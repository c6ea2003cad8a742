// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reference values: the C library's long double functions. Their 64 bits are 11 more than fp64 has.
// If long double is no wider than double, this measures nothing.
#include "tests/accuracy/accuracy.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG >= 64, "long double must be wider than fp64");

const FunctionInfo functions[FUNCTION_COUNT] = {
#define X(name, operands, result, ulp_fp32, ulp_fp64, small, argument, absolute, meaning)                    \
  {#name, operands, RESULT_##result, ulp_fp32, ulp_fp64, #small[0] == 'Z', argument, absolute},
#include "target/math.def"
#undef X
    {"div", 2, RESULT_F, 1, 1, false, 0, 0},     {"erfcx", 1, RESULT_F, 2, 0, false, 0, 0},
    {"erfinv", 1, RESULT_F, 2, 0, false, 0, 0},  {"erfcinv", 1, RESULT_F, 2, 0, false, 0, 0},
    {"normcdf", 1, RESULT_F, 2, 0, false, 0, 0}, {"normcdfinv", 1, RESULT_F, 2, 0, false, 0, 0},
};

// `/` of 16-bit types gives fp32.
bool function_has(Function f, Type type) {
  if (f == FUNCTION_div) return types[type].bytes > 2;
  return type != FP64 || functions[f].ulp_fp64 > 0 || functions[f].result != RESULT_F;
}

static const long double PI = 3.14159265358979323846264338327950288L;

// The reduction is exact, and so are the zeros.
static long double sine_of_pi(long double x) {
  long double t = fmodl(fabsl(x), 2), sign = signbit(x) ? -1 : 1;
  if (t >= 1) t -= 1, sign = -sign;
  if (t > 0.5L) t = 1 - t;
  if (t == 0) return copysignl(0, x);
  return sign * (t > 0.25L ? cosl(PI * (0.5L - t)) : sinl(PI * t));
}

static long double cosine_of_pi(long double x) {
  long double t = fmodl(fabsl(x), 2);
  if (t > 1) t = 2 - t;
  if (t == 0.5L) return 0;
  return t < 0.25L ? cosl(PI * t) : t < 0.75L ? sinl(PI * (0.5L - t)) : -cosl(PI * (1 - t));
}

// The result of the int that C's ilogb gives, but for 0, NaN and infinity as math.def says.
static long double integer_exponent(long double x) {
  if (x == 0 || isnan(x)) return INT32_MIN;
  return isinf(x) ? INT32_MAX : ilogbl(x);
}

static long double log_gamma(long double x) {
  int sign;
  return lgammal_r(x, &sign);
}

static long double of_one(Function f, long double x) {
  switch ((int)f) {
  case FUNCTION_exp:
  case FUNCTION_exp_approx: return expl(x);
  case FUNCTION_exp2: return exp2l(x);
  case FUNCTION_exp10: return exp10l(x);
  case FUNCTION_expm1: return expm1l(x);
  case FUNCTION_log: return logl(x);
  case FUNCTION_log2:
  case FUNCTION_log2_approx: return log2l(x);
  case FUNCTION_log10: return log10l(x);
  case FUNCTION_log1p: return log1pl(x);
  case FUNCTION_sqrt:
  case FUNCTION_sqrt_approx: return sqrtl(x);
  case FUNCTION_rsqrt:
  case FUNCTION_rsqrt_approx: return 1 / sqrtl(x);
  case FUNCTION_cbrt: return cbrtl(x);
  case FUNCTION_sin:
  case FUNCTION_sin_approx: return sinl(x);
  case FUNCTION_cos:
  case FUNCTION_cos_approx: return cosl(x);
  case FUNCTION_tan: return tanl(x);
  case FUNCTION_asin: return asinl(x);
  case FUNCTION_acos: return acosl(x);
  case FUNCTION_atan: return atanl(x);
  case FUNCTION_sinh: return sinhl(x);
  case FUNCTION_cosh: return coshl(x);
  case FUNCTION_tanh:
  case FUNCTION_tanh_approx: return tanhl(x);
  case FUNCTION_asinh: return asinhl(x);
  case FUNCTION_acosh: return acoshl(x);
  case FUNCTION_atanh: return atanhl(x);
  case FUNCTION_sinpi: return sine_of_pi(x);
  case FUNCTION_cospi: return cosine_of_pi(x);
  case FUNCTION_erf: return erfl(x);
  case FUNCTION_erfc: return erfcl(x);
  case FUNCTION_lgamma: return log_gamma(x);
  case FUNCTION_tgamma: return tgammal(x);
  case FUNCTION_floor: return floorl(x);
  case FUNCTION_ceil: return ceill(x);
  case FUNCTION_trunc: return truncl(x);
  case FUNCTION_round: return roundl(x);
  case FUNCTION_rint: return rintl(x);
  case FUNCTION_abs: return fabsl(x);
  case FUNCTION_logb: return logbl(x);
  case FUNCTION_ilogb: return integer_exponent(x);
  case FUNCTION_isnan: return isnan(x);
  case FUNCTION_isinf: return isinf(x) != 0;
  case FUNCTION_isfinite: return isfinite(x);
  case FUNCTION_signbit: return signbit(x) != 0;
  default: return reference_special(f, x);
  }
}

// For a type with that many stored bits of fraction, and exponents from `least` to 1 - least.
static long double next_narrow(int fraction, int least, long double a, long double b) {
  if (isnan(a) || isnan(b)) return nanl("");
  if (a == b) return b;
  if (a == 0) return copysignl(ldexpl(1, least - fraction), b);
  int greatest = 1 - least;
  if (isinf(a)) return copysignl((2 - ldexpl(1, -fraction)) * ldexpl(1, greatest), a);
  int exponent = ilogbl(a) > least ? ilogbl(a) : least;
  bool grows = (b > a) == (a > 0), halves = fabsl(a) == ldexpl(1, exponent) && exponent > least;
  long double step = ldexpl(1, exponent - fraction), size = fabsl(a);
  size = grows ? size + step : size - (halves ? step / 2 : step);
  return copysignl(size >= ldexpl(1, greatest + 1) ? HUGE_VALL : size, a);
}

static long double next_after(Type type, long double a, long double b) {
  if (type == FP64) return nextafter((double)a, (double)b);
  if (type == FP32) return nextafterf((float)a, (float)b);
  return type == FP16 ? next_narrow(10, -14, a, b) : next_narrow(7, -126, a, b);
}

// Exponents from 2^53 on are even; of 0 and infinity glibc's takes those from 2^63 on for odd.
static long double power(long double a, long double b) {
  bool wraps = (a == 0 || isinf(a)) && fabsl(b) > 0x1p62L;
  return powl(a, wraps ? copysignl(0x1p62L, b) : b);
}

static long double of_two(Function f, Type type, long double a, long double b) {
  switch ((int)f) {
  case FUNCTION_atan2: return atan2l(a, b);
  case FUNCTION_pow: return power(a, b);
  case FUNCTION_hypot: return hypotl(a, b);
  case FUNCTION_fmod: return fmodl(a, b);
  case FUNCTION_remainder: return remainderl(a, b);
  case FUNCTION_copysign: return copysignl(a, b);
  case FUNCTION_nextafter: return next_after(type, a, b);
  case FUNCTION_ldexp: return isnan(b) ? b : ldexpl(a, (int)fmaxl(-5000, fminl(rintl(b), 5000)));
  case FUNCTION_div:
  case FUNCTION_div_approx: return a / b;
  default: return nanl("");
  }
}

// How a function rounds that does so in a direction; -1: to nearest.
static int direction(Function f) {
  switch ((int)f) {
  case FUNCTION_fma_rz:
  case FUNCTION_div_rz:
  case FUNCTION_sqrt_rz: return FE_TOWARDZERO;
  case FUNCTION_fma_rd:
  case FUNCTION_div_rd:
  case FUNCTION_sqrt_rd: return FE_DOWNWARD;
  case FUNCTION_fma_ru:
  case FUNCTION_div_ru:
  case FUNCTION_sqrt_ru: return FE_UPWARD;
  default: return -1;
  }
}

// The right number itself, by the host under that rounding; of 16 bits it is fp32's. fma is of a, b and a.
static long double directed(Function f, Type type, long double x, long double y) {
  volatile double a = (double)x, b = (double)y, wide;
  volatile float c = (float)x, d = (float)y, narrow;
  int before = fegetround(), operands = functions[f].operands;
  fesetround(direction(f));
  if (operands == 1)
    wide = sqrt(a), narrow = sqrtf(c);
  else if (operands == 2)
    wide = a / b, narrow = c / d;
  else
    wide = fma(a, b, a), narrow = fmaf(c, d, c);
  fesetround(before);
  return type == FP64 ? wide : narrow;
}

long double reference(Function f, Type type, const Point *p) {
  long double a = decode(type, p->bits[0]);
  if (direction(f) >= 0) return directed(f, type, a, decode(type, p->bits[1]));
  if (functions[f].operands == 1) return of_one(f, a);
  return of_two(f, type, a, decode(type, p->bits[1]));
}

// fp16 and bf16 are computed in fp32, then rounded.
double bound_of(Function f, Type type) {
  if (type == FP64) return functions[f].ulp_fp64;
  double bound = functions[f].ulp_fp32;
  if (type == FP32 || bound <= 1) return bound;
  return 1 + bound * (double)(unit(FP32) / unit(type));
}

bool may_be_zero(Function f, Type type, long double exact) {
  long double least = least_normal(FP32) * (1 + functions[f].ulp_fp32 * unit(FP32));
  return functions[f].flushes && type != FP64 && fabsl(exact) <= least;
}

bool left_open(Function f, Type type, const Point *p) {
  if (f == FUNCTION_sin_approx || f == FUNCTION_cos_approx) {
    long double x = fabsl(decode(type, p->bits[0]));
    return x > 100 * 3.14159265358979323846L && !isinf(x);
  }
  if (f != FUNCTION_div_approx) return false;
  long double size = fabsl(decode(type, p->bits[1]));
  return size > 0x1p126L && !isinf(size);
}

bool flushed_point(Function f, Type type, Point *p) {
  bool found = false;
  for (int i = 0; i < functions[f].operands && functions[f].flushes && type != FP64; i++) {
    long double x = decode(type, p->bits[i]);
    if (x == 0 || !(fabsl(x) < least_normal(FP32))) continue;
    p->bits[i] = encode(type, signbit(x) ? -0.0 : 0.0);
    found = true;
  }
  return found;
}

// f'(a) a, of the functions whose argument may be off: exp, sine and cosine.
static long double steepness(Function f, long double a) {
  return fabsl(f == FUNCTION_exp_approx ? a * expl(a) : a);
}

// An additional allowed error, as a multiple of the function's own bound.
static long double besides(Function f, Type type, long double a) {
  const FunctionInfo *info = &functions[f];
  if (!isfinite(a) || type == FP64) return 0;
  long double more = info->absolute;
  if (info->argument > 0) more += info->argument * steepness(f, a);
  return isfinite(more) ? more / info->ulp_fp32 : 0;
}

// Denormal numbers are as far apart as the least normal ones. Between its poles lgamma crosses zero, as the
// difference of two terms of about the size of lgamma(1 - a).
long double size_of(Function f, Type type, const Point *p, long double exact) {
  long double a = decode(type, p->bits[0]), size = fmaxl(fabsl(exact), least_normal(type));
  size += besides(f, type, a);
  return f == FUNCTION_lgamma && a < -2 && isfinite(a) ? fmaxl(size, log_gamma(1 - a)) : size;
}
