// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Op `math`. v and r come from the C library's double functions; v is then rounded to the type. The library's
// error is far below one u of fp32, and within the ulp that math.def allows for fp64.
//
// How an operand's bound affects the result, over the operand's reach (x - EVAL_SLACK e to x + EVAL_SLACK e):
// * a monotone or convex function: the larger difference to the values at the two ends;
// * an oscillating function: the largest slope;
// * a jump, a pole, or the end of the domain inside the reach: the result is uncertain.
#include <math.h>
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "target/math.h"
#include "ir/number.h"

static const double PI = 3.14159265358979323846, LN2 = 0.69314718055994530942;

static const char *name_of(MathFunction f) { return math_info(f)->name; }

// sin(pi x). The reduction is exact, and so are the zeros, which have x's sign (IEEE 754-2019, 9.2).
static double sine_of_pi(double x) {
  double t = fmod(fabs(x), 2), sign = signbit(x) ? -1 : 1;
  if (t == 0 || t == 1) return copysign(0, x);
  if (t >= 1) t -= 1, sign = -sign;
  if (t > 0.5) t = 1 - t;
  return sign * sin(PI * t);
}

static double cosine_of_pi(double x) {
  double t = fmod(fabs(x), 2);
  if (t > 1) t = 2 - t;
  return t == 0.5 ? 0 : t < 0.25 ? cos(PI * t) : sin(PI * (0.5 - t));
}

static double apply1(MathFunction f, double x) {
  switch ((int)f) {
  case MATH_exp:
  case MATH_exp_approx: return exp(x);
  case MATH_exp2: return exp2(x);
  case MATH_exp10: return pow(10, x);
  case MATH_expm1: return expm1(x);
  case MATH_log: return log(x);
  case MATH_log2:
  case MATH_log2_approx: return log2(x);
  case MATH_log10: return log10(x);
  case MATH_log1p: return log1p(x);
  case MATH_sqrt:
  case MATH_sqrt_approx: return sqrt(x);
  case MATH_rsqrt:
  case MATH_rsqrt_approx: return 1 / sqrt(x);
  case MATH_cbrt: return cbrt(x);
  case MATH_sin:
  case MATH_sin_approx: return sin(x);
  case MATH_cos:
  case MATH_cos_approx: return cos(x);
  case MATH_tan: return tan(x);
  case MATH_asin: return asin(x);
  case MATH_acos: return acos(x);
  case MATH_atan: return atan(x);
  case MATH_sinh: return sinh(x);
  case MATH_cosh: return cosh(x);
  case MATH_tanh:
  case MATH_tanh_approx: return tanh(x);
  case MATH_asinh: return asinh(x);
  case MATH_acosh: return acosh(x);
  case MATH_atanh: return atanh(x);
  case MATH_sinpi: return sine_of_pi(x);
  case MATH_cospi: return cosine_of_pi(x);
  case MATH_erf: return erf(x);
  case MATH_erfc: return erfc(x);
  case MATH_lgamma: return lgamma(x);
  case MATH_tgamma: return tgamma(x);
  case MATH_floor: return floor(x);
  case MATH_ceil: return ceil(x);
  case MATH_trunc: return trunc(x);
  case MATH_round: return round(x);
  case MATH_rint: return rint(x);
  case MATH_abs: return fabs(x);
  case MATH_logb: return logb(x);
  default: BUG("%s is not a function of one number", name_of(f));
  }
}

static double apply2(MathFunction f, Elem elem, double x, double y) {
  switch ((int)f) {
  case MATH_atan2: return atan2(x, y);
  case MATH_pow: return pow(x, y);
  case MATH_hypot: return hypot(x, y);
  case MATH_div_approx: return x / y;
  case MATH_fmod: return fmod(x, y);
  case MATH_remainder: return remainder(x, y);
  case MATH_copysign: return copysign(x, y);
  case MATH_nextafter: return elem == ELEM_FP64 ? nextafter(x, y) : (double)nextafterf((float)x, (float)y);
  // Beyond 5000 every result is 0 or infinite.
  case MATH_ldexp: return isnan(y) ? y : ldexp(x, (int)fmax(-5000, fmin(rint(y), 5000)));
  default: BUG("%s is not a function of two numbers", name_of(f));
  }
}

static bool has_steps(MathFunction f) {
  return f == MATH_floor || f == MATH_ceil || f == MATH_trunc || f == MATH_round || f == MATH_rint ||
         f == MATH_logb;
}

// Returns true if a pole is within low .. high, or an end of a domain with two ends. (The values at low and
// high show the end of a domain with one end.)
static bool has_pole(MathFunction f, double low, double high) {
  if (f == MATH_asin || f == MATH_acos || f == MATH_atanh)
    return (low < -1 && high > -1) || (low < 1 && high > 1);
  if (f == MATH_logb) return low <= 0 && high >= 0;
  if (f == MATH_tan) return floor(low / PI + 0.5) != floor(high / PI + 0.5);
  if (f == MATH_tgamma || f == MATH_lgamma)
    return low <= 0 && (floor(low) != floor(high) || floor(low) == low);
  return false;
}

// The distance from r to the value at an end of the operand's interval.
static double distance_of(double at, double r) {
  if (isnan(at) || isnan(r)) return isnan(at) && isnan(r) ? 0 : INFINITY;
  return at == r ? 0 : fabs(at - r);
}

// The error that the operand's bound adds to the result; infinite if the result is uncertain.
static double spread1(MathFunction f, const Element *x, double r) {
  if (x->e == 0) return 0;
  double low = x->r - eval_reach(x), high = x->r + eval_reach(x);
  if (f == MATH_sin || f == MATH_cos || f == MATH_sin_approx || f == MATH_cos_approx) return fmin(x->e, 2);
  if (f == MATH_sinpi || f == MATH_cospi) return fmin(PI * x->e, 2);
  if (f == MATH_abs) return x->e;
  if (has_pole(f, low, high)) return INFINITY;
  if (has_steps(f)) return apply1(f, low) == apply1(f, high) ? 0 : INFINITY;
  return fmax(distance_of(apply1(f, low), r), distance_of(apply1(f, high), r)) / EVAL_SLACK;
}

// The reference size of the function's relative error, if its value is r.
static double size1(MathFunction f, double x, double r) {
  return f == MATH_lgamma && x < -2 && isfinite(x) ? fmax(fabs(r), lgamma(1 - x)) : r;
}

// The error from flushing a result to zero. Applies below the smallest normal number, or above it by less
// than the function's own error.
static double flush_bound(MathFunction f, Elem elem, double r) {
  double least = number_min_normal(elem);
  return math_flushes(f, elem) && fabs(r) <= least + eval_rounding(elem, least, math_ulp(f, elem)) ? fabs(r)
                                                                                                   : 0;
}

// sin.approx and cos.approx promise nothing there (PTX ISA, sin): any number from -1 to 1.
static bool beyond_approx(MathFunction f, double x) {
  return (f == MATH_sin_approx || f == MATH_cos_approx) && isfinite(x) && fabs(x) > 100 * PI;
}

// The operand with the error that the function adds before evaluation.
static Element before(MathFunction f, Elem elem, const Element *x) {
  Element y = *x;
  if (beyond_approx(f, x->r)) y.e += 2.0 / EVAL_SLACK;
  if (elem == ELEM_FP32 && isfinite(x->r)) y.e += math_info(f)->argument * number_u(elem) * fabs(x->r);
  return y;
}

// The error from flushing an argument that is or may be denormal; infinite if the function has a pole at
// zero.
static double flushed_argument_bound(MathFunction f, Elem elem, const Element *x, double r) {
  bool small = x->r != 0 && fabs(x->r) - eval_reach(x) < number_min_normal(elem);
  return math_flushes(f, elem) && small ? distance_of(apply1(f, copysign(0, x->r)), r) : 0;
}

double eval_exponential_base(MathFunction f) {
  switch ((int)f) {
  case MATH_exp:
  case MATH_exp_approx: return 1;
  case MATH_exp2: return LN2;
  case MATH_exp10: return log(10);
  default: return 0;
  }
}

// The same for logarithms.
static double logarithm_base(MathFunction f) {
  switch ((int)f) {
  case MATH_log: return 1;
  case MATH_log2:
  case MATH_log2_approx: return LN2;
  case MATH_log10: return log(10);
  default: return 0;
  }
}

// exp(r + g) is exp(r) exp(g), and log(r exp(g)) is log(r) + g. Returns false if the function loses x's
// shared error.
static bool common_of_function(MathFunction f, const Element *x, Common *to) {
  const double MAX_GROWTH = 16;
  double exponential = eval_exponential_base(f), logarithm = logarithm_base(f);
  bool kept = (x->common.kind == COMMON_TERM && exponential > 0) ||
              (x->common.kind == COMMON_FACTOR && logarithm > 0);
  if (!kept ||
      !eval_common_merge(&x->common, exponential > 0 ? exponential : 1 / logarithm, &(Common){0}, 0, to))
    return false;
  to->kind = exponential > 0 ? COMMON_FACTOR : COMMON_TERM;
  return eval_common_growth(to) < MAX_GROWTH;
}

static Element function1(MathFunction f, Elem elem, const Element *operand, double ulp);

static Element common_function(MathFunction f, Elem elem, const Element *x, double ulp) {
  Common common;
  bool kept = common_of_function(f, x, &common);
  Element plain = kept ? eval_without_common(x) : eval_absorb(x), y = function1(f, elem, &plain, ulp);
  if (!kept || !isfinite(y.r) || !isfinite(number_decode(elem, y.bits))) return y;
  y.e += ulp * eval_common_rounding(&common, elem, y.r);
  y.common = common;
  return eval_common_size(&common, y.r) + eval_reach(&y) >= number_max(elem) ? eval_absorb(&y) : y;
}

static Element function1(MathFunction f, Elem elem, const Element *operand, double ulp) {
  Element argument = before(f, elem, operand);
  const Element *x = &argument;
  double r = apply1(f, x->r), v = apply1(f, number_decode(elem, x->bits)), size = size1(f, x->r, r);
  bool exact = has_steps(f) || f == MATH_abs;
  double spread = spread1(f, x, r) + flushed_argument_bound(f, elem, x, r), e = spread;
  if (!exact) e += eval_rounding(elem, size, ulp) + flush_bound(f, elem, r);
  if (elem == ELEM_FP32 && isfinite(r)) e += math_info(f)->absolute * number_u(elem);
  return eval_computed(elem, v, r, e, x->state | (isinf(spread) ? (unsigned)UNCERTAIN : 0u));
}

// For functions that are monotone in each operand within the box: the largest difference is at a corner.
static double bound_at_corners(MathFunction f, Elem elem, const Element *x, const Element *y, double r) {
  double worst = 0, dx = eval_reach(x), dy = eval_reach(y);
  for (int k = 0; k < 4; k++) {
    double at = apply2(f, elem, x->r + (k & 1 ? dx : -dx), y->r + (k & 2 ? dy : -dy));
    worst = fmax(worst, distance_of(at, r));
  }
  return worst / EVAL_SLACK;
}

static double pow_spread(Elem elem, const Element *x, const Element *y, double r) {
  if (x->r - eval_reach(x) > 0) return bound_at_corners(MATH_pow, elem, x, y, r);
  // If the base may be 0 or negative, only an exact integer exponent is certain, and 0 must be no pole.
  bool whole = y->e == 0 && rint(y->r) == y->r, zero = fabs(x->r) <= eval_reach(x);
  if (x->e == 0 && y->e > 0 && x->r == 0 && y->r - eval_reach(y) > 0) return 0;
  return whole && !(zero && y->r < 0) ? bound_at_corners(MATH_pow, elem, x, y, r) : INFINITY;
}

static double atan2_spread(Elem elem, const Element *x, const Element *y, double r) {
  bool crosses = fabs(x->r) <= eval_reach(x), cut = crosses && y->r - eval_reach(y) <= 0;
  return cut ? INFINITY : bound_at_corners(MATH_atan2, elem, x, y, r);
}

// fmod and remainder are exact, so only the operands' errors count. y's error counts once for each time y is
// subtracted. Near a jump by y the result is uncertain.
static double remainder_spread(MathFunction f, const Element *x, const Element *y, double r) {
  double e = x->e + eval_bound_product((x->r - r) / y->r, y->e), size = fabs(y->r) - eval_reach(y);
  double reach = EVAL_SLACK * e;
  bool jumps = f == MATH_fmod ? fabs(r) <= reach || fabs(r) + reach >= size : 2 * (fabs(r) + reach) >= size;
  return jumps ? INFINITY : e;
}

static double ldexp_spread(Elem elem, const Element *x, const Element *y) {
  if (rint(y->r - eval_reach(y)) != rint(y->r + eval_reach(y))) return INFINITY;
  return apply2(MATH_ldexp, elem, x->e, y->r);
}

// div.approx.ftz: the divisor's reciprocal must be a normal number, or 0 for infinity.
static double quotient_spread(Elem elem, const Element *x, const Element *y, double r) {
  double size = fabs(y->r), reach = eval_reach(y), least = size - reach;
  bool normal = least >= number_min_normal(elem) && size + reach <= 0x1p126;
  if (!normal && (reach > 0 || (size > 0 && isfinite(size)))) return INFINITY;
  if (!isfinite(r) || isinf(size)) return 0;
  double flushed = fabs(x->r) - eval_reach(x) < number_min_normal(elem) ? fabs(r) : 0;
  return (x->e + eval_bound_product(r, y->e)) / least + flushed;
}

static double spread2(MathFunction f, Elem elem, const Element *x, const Element *y, double r) {
  if (f == MATH_div_approx) return quotient_spread(elem, x, y, r);
  if (x->e == 0 && y->e == 0) return 0;
  switch ((int)f) {
  case MATH_atan2: return atan2_spread(elem, x, y, r);
  case MATH_pow: return pow_spread(elem, x, y, r);
  case MATH_hypot: return x->e + y->e;
  case MATH_fmod:
  case MATH_remainder: return remainder_spread(f, x, y, r);
  case MATH_copysign: return fabs(y->r) <= eval_reach(y) ? INFINITY : x->e;
  case MATH_nextafter: return fabs(x->r - y->r) <= eval_reach(x) + eval_reach(y) ? INFINITY : x->e;
  case MATH_ldexp: return ldexp_spread(elem, x, y);
  default: BUG("no bound for %s", name_of(f));
  }
}

static Element function2(MathFunction f, Elem elem, const Element *x, const Element *y, double ulp) {
  double v = apply2(f, elem, number_decode(elem, x->bits), number_decode(elem, y->bits));
  double r = f == MATH_nextafter ? x->r + (v - number_decode(elem, x->bits)) : apply2(f, elem, x->r, y->r);
  bool exact = f == MATH_fmod || f == MATH_remainder || f == MATH_copysign || f == MATH_nextafter;
  double spread = spread2(f, elem, x, y, r),
         e = spread + (exact ? 0 : eval_rounding(elem, r, ulp) + flush_bound(f, elem, r));
  bool sign_of_nan = f == MATH_copysign && isnan(y->r); // which is unspecified
  unsigned state = x->state | y->state | (isinf(spread) || sign_of_nan ? (unsigned)UNCERTAIN : 0u);
  return eval_computed(elem, v, r, e, state);
}

static void ilogb_result(const Element *x, double v, Element *y) {
  y->bits = (uint64_t)(int64_t)math_ilogb(v);
  double low = x->r - eval_reach(x), high = x->r + eval_reach(x);
  if (x->e > 0 && ((low <= 0 && high >= 0) || math_ilogb(low) != math_ilogb(high))) y->state |= UNCERTAIN;
}

// Results that are not floats.
static Element nonfloat_result(MathFunction f, Elem elem, const Element *x) {
  double v = number_decode(elem, x->bits);
  Element y = {.state = x->state & STATE_MISSING};
  switch ((int)f) {
  case MATH_isnan: y.bits = isnan(v); break;
  case MATH_isinf: y.bits = isinf(v); break;
  case MATH_isfinite: y.bits = isfinite(v); break;
  case MATH_signbit:
    y.bits = signbit(v) != 0;
    if (isnan(v) || eval_may_be_zero(x)) y.state |= UNCERTAIN; // a NaN's sign is unspecified
    break;
  case MATH_ilogb: ilogb_result(x, v, &y); break;
  default: BUG("%s is not a predicate", name_of(f));
  }
  return y;
}

bool eval_math(Machine *m, Op *op) {
  MathFunction f;
  if (!math_of(op, &f)) BUG("no math function");
  const Tile *a = eval_operand(m, op, 0), *b = eval_operand(m, op, 1);
  Tile *to = eval_tile(m, op_result(op));
  Elem elem = (Elem)a->code;
  double ulp = math_ulp(f, elem);
  for (uint32_t i = 0; i < to->n; i++) {
    Element own = tile_get(a, i), x = eval_absorb(&own), z;
    if (math_direction(f) != MATH_NEAREST) {
      Element all[3] = {x};
      for (uint32_t k = 1; k < op->operand_count; k++) {
        all[k] = tile_get(eval_operand(m, op, k), i);
        all[k] = eval_absorb(&all[k]);
      }
      z = eval_directed(f, elem, all);
    } else if (math_info(f)->result != MATH_RESULT_F) {
      z = nonfloat_result(f, elem, &x);
    } else if (b) {
      Element y = tile_get(b, i);
      y = eval_absorb(&y);
      z = function2(f, elem, &x, &y, ulp);
    } else if (own.common.kind) {
      z = common_function(f, elem, &own, ulp);
    } else {
      z = function1(f, elem, &x, ulp);
    }
    tile_set(to, i, &z);
  }
  return true;
}
