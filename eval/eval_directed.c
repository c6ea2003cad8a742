// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of math.def with directed rounding. v is the host's operation under that rounding. r is the same
// in float64 rounded to nearest. A result between two numbers differs by less than their distance, 2 u.
#include <fenv.h>
#include <math.h>
#include "eval/eval_machine.h"
#include "target/math.h"
#include "ir/number.h"

// Operands and result are volatile, so that nothing is computed outside the changed rounding mode.
static float of_fp32(MathFunction f, const double *x) {
  volatile float a = (float)x[0], b = (float)x[1], c = (float)x[2];
  volatile float result;
  switch ((int)f) {
  case MATH_fma_rz:
  case MATH_fma_rd:
  case MATH_fma_ru: result = fmaf(a, b, c); break;
  case MATH_div_rz:
  case MATH_div_rd:
  case MATH_div_ru: result = a / b; break;
  default: result = sqrtf(a); break;
  }
  return result;
}

static double of_fp64(MathFunction f, const double *x) {
  volatile double a = x[0], b = x[1], c = x[2], result;
  switch ((int)f) {
  case MATH_fma_rz:
  case MATH_fma_rd:
  case MATH_fma_ru: result = fma(a, b, c); break;
  case MATH_div_rz:
  case MATH_div_rd:
  case MATH_div_ru: result = a / b; break;
  default: result = sqrt(a); break;
  }
  return result;
}

static double rounded(MathFunction f, Elem elem, const double *x) {
  static const int modes[] = {[MATH_NEAREST] = FE_TONEAREST,
                              [MATH_TO_ZERO] = FE_TOWARDZERO,
                              [MATH_DOWN] = FE_DOWNWARD,
                              [MATH_UP] = FE_UPWARD};
  int before = fegetround();
  fesetround(modes[math_direction(f)]);
  double result = elem == ELEM_FP64 ? of_fp64(f, x) : (double)of_fp32(f, x);
  fesetround(before);
  return result;
}

static double root_spread(const Element *x, double r) {
  double low = sqrt(x->r - eval_reach(x)), high = sqrt(x->r + eval_reach(x));
  return isnan(low) ? INFINITY : fmax(fabs(low - r), fabs(high - r)) / EVAL_SLACK;
}

// The error that the operands' bounds add to the result; infinite if the result is uncertain.
static double spread(uint32_t operands, const Element *x, double r) {
  if (operands == 1) return x[0].e == 0 ? 0 : root_spread(x, r);
  if (operands == 2) {
    double least = fabs(x[1].r) - eval_reach(&x[1]);
    if (x[0].e == 0 && x[1].e == 0) return 0;
    return least > 0 ? (x[0].e + eval_bound_product(r, x[1].e)) / least : INFINITY;
  }
  return eval_bound_product(x[0].r, x[1].e) + eval_bound_product(x[1].r, x[0].e) +
         eval_bound_product(x[0].e, eval_reach(&x[1])) + x[2].e;
}

// A result beyond the largest number becomes that number if the direction rounds back to it.
static double within(MathDirection direction, Elem elem, double r) {
  double most = number_max(elem);
  if (r > most && isfinite(r) && direction != MATH_UP) return most;
  return r < -most && isfinite(r) && direction != MATH_DOWN ? -most : r;
}

Element eval_directed(MathFunction f, Elem elem, const Element *x) {
  double v[3] = {0}, r;
  uint32_t n = math_info(f)->operands;
  unsigned state = 0;
  for (uint32_t i = 0; i < n; i++) {
    v[i] = number_decode(elem, x[i].bits);
    state |= x[i].state;
  }
  r = n == 1 ? sqrt(x[0].r) : n == 2 ? x[0].r / x[1].r : fma(x[0].r, x[1].r, x[2].r);
  double e = spread(n, x, r);
  if (isinf(e)) state |= UNCERTAIN;
  e += eval_rounding(elem, r, 2);
  return eval_computed(elem, rounded(f, elem, v), within(math_direction(f), elem, r), e, state);
}
