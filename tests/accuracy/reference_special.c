// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are no part of target/math.def: the front end makes them of others, for fp32 and narrower.
#include <math.h>
#include "tests/accuracy/accuracy.h"

static const long double ROOT_TWO = 1.41421356237309504880168872420969808L,
                         TWO_OVER_ROOT_PI = 1.12837916709551257389615890312154517L;

// exp(x^2) erfc(x), the square in two parts; from 50 on the asymptotic series,
// off by less than 105 / (16 x^8).
static long double scaled_erfc(long double x) {
  if (x > 50) {
    long double s = 1 / (x * x);
    return TWO_OVER_ROOT_PI / (2 * x) * (1 + s * (-0.5L + s * (0.75L + s * (-1.875L + s * 6.5625L))));
  }
  long double square = x * x, lost = fmal(x, x, -square);
  return isinf(x) ? (long double)INFINITY : expl(square) * (1 + lost) * erfcl(x);
}

// y >= 0 where erfc(y) = t, 0 < t <= 1/2, by Newton's iteration on its logarithm, which is concave: from the
// left of the root on it stays there.
static long double far_inverse(long double t) {
  if (t == 0) return (long double)INFINITY;
  long double y = 0.4L, goal = logl(t);
  for (int i = 0; i < 60; i++) {
    long double c = erfcl(y), step = (logl(c) - goal) * c / (TWO_OVER_ROOT_PI * expl(-y * y));
    y += step;
    if (fabsl(step) < 0x1p-60L * y) break;
  }
  return y;
}

// y where erf(y) = x, |x| <= 1/2.
static long double near_inverse(long double x) {
  long double y = x / TWO_OVER_ROOT_PI;
  for (int i = 0; i < 6; i++) y -= (erfl(y) - x) / (TWO_OVER_ROOT_PI * expl(-y * y));
  return y;
}

static long double erf_inverse(long double x) {
  if (!(fabsl(x) <= 1)) return nanl("");
  return fabsl(x) <= 0.5L ? near_inverse(x) : copysignl(far_inverse(1 - fabsl(x)), x);
}

static long double erfc_inverse(long double x) {
  if (!(x >= 0 && x <= 2)) return nanl("");
  if (x < 0.5L) return far_inverse(x);
  return x > 1.5L ? -far_inverse(2 - x) : near_inverse(1 - x);
}

long double reference_special(Function f, long double x) {
  switch ((int)f) {
  case FUNCTION_erfcx: return scaled_erfc(x);
  case FUNCTION_erfinv: return x == 0 ? x : erf_inverse(x);
  case FUNCTION_erfcinv: return erfc_inverse(x);
  case FUNCTION_normcdf: return erfcl(-x / ROOT_TWO) / 2;
  case FUNCTION_normcdfinv: return -ROOT_TWO * erfc_inverse(2 * x);
  default: return nanl(""); // a function that has no reference fails everywhere
  }
}
