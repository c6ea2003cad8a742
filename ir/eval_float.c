// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on floats with reference and bound: v is one correctly rounded operation in the op's type, r the
// same in float64, e how far a right implementation may be from r.
//
// Sums, products, quotients of fp32 and narrower are rounded to double first and to the type then; that is
// one correct rounding, for double has more than twice the precision and two bits (S. Figueroa, "When is
// double rounding innocuous?", SIGNUM 1995).
#include <math.h>
#include <string.h>
#include "base/fault.h"
#include "ir/eval_machine.h"
#include "ir/number.h"

double eval_bound_product(double x, double bound) { return x == 0 || bound == 0 ? 0 : fabs(x) * bound; }

double eval_reach(const Element *x) { return EVAL_SLACK * x->e; }

bool eval_may_be_zero(const Element *x) { return x->e > 0 && fabs(x->r) <= eval_reach(x); }

// Of x y, for operands that are off by up to eval_reach.
static double product_bound(const Element *x, const Element *y) {
  return eval_bound_product(x->r, y->e) + eval_bound_product(y->r, x->e) +
         eval_bound_product(x->e, eval_reach(y));
}

// Below the smallest normal value the spacing no longer shrinks with x.
double eval_rounding(Elem elem, double x, double ulps) {
  if (x == 0) return 0;
  return ulps * number_u(elem) * fmax(fabs(x), number_min_normal(elem));
}

// A product is one operation in every implementation: where the type has it, none of them rounds. (A sum may be taken in
// another order, whose parts it does not have.)
static double product_rounding(Elem elem, double v, double w, const Element *x, const Element *y) {
  double product = v * w;
  bool exact = x->e == 0 && y->e == 0 && fma(v, w, -product) == 0 && number_round(elem, product) == product;
  return exact ? 0 : eval_rounding(elem, x->r * y->r, 1);
}

// v or r is an infinity or NaN: both become v, and e 0. Where they disagree, the difference hung on rounding:
// uncertain, but for an overflow of the type that no error within the bound could have avoided.
static void settle_special(Elem elem, double v, Element *x) {
  bool agree = isnan(v) ? isnan(x->r) : v == x->r;
  bool overflow =
      isinf(v) && isfinite(x->r) && signbit(v) == signbit(x->r) && fabs(x->r) - x->e >= number_overflow(elem);
  if (!agree && !overflow) x->state |= UNCERTAIN;
  x->r = v;
  x->e = 0;
}

Element eval_computed(Elem elem, double exact, double r, double e, unsigned state) {
  Element x = {number_encode(elem, exact), r, e, (uint8_t)((state & ~(unsigned)OVERFLOWED) | COMPUTED)};
  double v = number_decode(elem, x.bits);
  if (number_saturates(elem) && !isnan(r)) x.r = fmin(fmax(r, -number_max(elem)), number_max(elem));
  if (!isfinite(v) || !isfinite(x.r))
    settle_special(elem, v, &x);
  else if (!isfinite(e))
    x.state |= UNCERTAIN;
  return x;
}

static Element quotient_of(Elem elem, double a, double b, const Element *x, const Element *y,
                           unsigned state) {
  double quotient = x->r / y->r, least = fabs(y->r) - eval_reach(y);
  if (y->e > 0 && !(least > 0)) { // the divisor may be 0, or of either sign
    state |= UNCERTAIN;
    least = fabs(y->r);
  }
  // 2 ulp are up to 4 u (ops.def); what is wider than fp32 or narrower is rounded once.
  double ulps = elem == ELEM_FP32 ? 4 : elem == ELEM_FP64 ? 1 : 1.001;
  double e = (x->e + eval_bound_product(quotient, y->e)) / least + eval_rounding(elem, quotient, ulps);
  return eval_computed(elem, a / b, quotient, e, state);
}

// C's fmod is exact, so only the operands' errors count: b's as many times as it was taken away. Near a
// multiple of b the result jumps by b.
static Element remainder_of(Elem elem, double a, double b, const Element *x, const Element *y,
                            unsigned state) {
  double r = fmod(x->r, y->r), e = x->e + eval_bound_product(trunc(x->r / y->r), y->e),
         reach = EVAL_SLACK * e;
  if (eval_may_be_zero(y)) state |= UNCERTAIN;
  if (e + y->e > 0 && (fabs(r) <= reach || fabs(r) + reach >= fabs(y->r) - eval_reach(y))) state |= UNCERTAIN;
  return eval_computed(elem, fmod(a, b), r, e, state);
}

// minimumNumber and maximumNumber: of a NaN and a number the number, and -0 below +0.
static double minimum_number(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}
static double maximum_number(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  return a > b || (a == b && !signbit(a)) ? a : b;
}

static Element product_of(Elem elem, double v, double w, const Element *a, const Element *b, unsigned state) {
  double e = product_bound(a, b) + product_rounding(elem, v, w, a, b);
  Element x = eval_computed(elem, v * w, a->r * b->r, e, state);
  if (isinf(number_decode(elem, x.bits)) && isfinite(v) && isfinite(w)) x.state |= OVERFLOWED;
  return x;
}

// A sum may be taken together with the product that one of its terms is. Where that overflowed and the other
// term goes against it, what comes of it hangs on that: inf - inf is NaN, but the product is finite within.
static Element sum_of(Elem elem, double v, double w, const Element *a, const Element *b, double r,
                      unsigned state) {
  bool against = (v < 0 && w > 0) || (v > 0 && w < 0);
  if (state & OVERFLOWED && against) state |= UNCERTAIN;
  return eval_computed(elem, v + w, r, a->e + b->e + eval_rounding(elem, r, 1), state);
}

Element eval_float_binary(OpKind kind, Elem elem, const Element *a, const Element *b) {
  double v = number_decode(elem, a->bits), w = number_decode(elem, b->bits);
  unsigned state = a->state | b->state;
  switch ((int)kind) {
  case OP_ADD: return sum_of(elem, v, w, a, b, a->r + b->r, state);
  case OP_SUB: return sum_of(elem, v, -w, a, b, a->r - b->r, state);
  case OP_MUL: return product_of(elem, v, w, a, b, state);
  case OP_DIV: return quotient_of(elem, v, w, a, b, state);
  case OP_REM: return remainder_of(elem, v, w, a, b, state);
  case OP_MIN:
    return eval_computed(elem, minimum_number(v, w), minimum_number(a->r, b->r), fmax(a->e, b->e), state);
  case OP_MAX:
    return eval_computed(elem, maximum_number(v, w), maximum_number(a->r, b->r), fmax(a->e, b->e), state);
  default: BUG("%s is no operation of two floats", op_info(kind)->name);
  }
}

Element eval_float_negate(Elem elem, const Element *a) {
  Element x = eval_computed(elem, -number_decode(elem, a->bits), -a->r, a->e, a->state);
  x.state |= a->state & OVERFLOWED;
  return x;
}

// a b + c of formats of at most 26 bits of precision: the product is exact in double, and the sum is rounded
// to odd there, so that one rounding to the format follows (S. Boldo, G. Melquiond, "Emulation of FMA and
// correctly rounded sums", IEEE Transactions on Computers 2008).
static double fma_to_odd(double a, double b, double c) {
  double product = a * b, sum = product + c, back = sum - product;
  double lost = (product - (sum - back)) + (c - back);
  if (lost == 0 || !isfinite(sum)) return sum;
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (bits & 1) return sum;
  return nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
}

Element eval_float_fma(Elem elem, const Element *a, const Element *b, const Element *c) {
  double x = number_decode(elem, a->bits), y = number_decode(elem, b->bits), z = number_decode(elem, c->bits);
  double v = elem == ELEM_FP64 ? fma(x, y, z) : fma_to_odd(x, y, z), r = fma(a->r, b->r, c->r);
  double e = product_bound(a, b) + c->e + eval_rounding(elem, r, 1);
  return eval_computed(elem, v, r, e, a->state | b->state | c->state);
}

// r grows by x; what the addition drops is kept (A. Neumaier, 1974).
static void add_reference(FloatSum *sum, double x) {
  double r = sum->terms > 0 ? sum->r + x : x;
  if (sum->terms > 0) sum->lost += fabs(sum->r) >= fabs(x) ? sum->r - r + x : x - r + sum->r;
  sum->r = r;
}

void eval_sum_add(FloatSum *sum, Elem elem, const Element *x) {
  double v = number_decode(elem, x->bits);
  // Rounded at the end: rounding each would drift off in one direction.
  sum->v = sum->terms > 0 ? sum->v + v : v;
  sum->chain = sum->terms > 0 ? number_round(elem, sum->chain + v) : v;
  add_reference(sum, x->r);
  sum->size += fabs(x->r);
  sum->e += x->e;
  sum->terms += 1;
  sum->state |= x->state;
}

Element eval_sum_end(const FloatSum *sum, Elem elem) {
  double e = sum->e + (sum->terms > 1 ? 2 * sqrt(sum->terms) * eval_rounding(elem, sum->size, 1) : 0);
  double r = isfinite(sum->r) ? sum->r + sum->lost : sum->r, drift = fabs(sum->chain - r) - sum->e;
  if (isfinite(drift) && drift > 0) e += drift;
  return eval_computed(elem, sum->v, r, e, sum->state);
}

static double tree_sum(Elem elem, const Element *x, uint32_t n) {
  if (n == 1) return number_decode(elem, x->bits);
  return number_round(elem, tree_sum(elem, x, n / 2) + tree_sum(elem, x + n / 2, n - n / 2));
}

Element eval_float_sum(Elem elem, const Element *x, uint32_t n) {
  FloatSum sum = {0};
  if (n == 1) return *x;
  for (uint32_t i = 0; i < n; i++) eval_sum_add(&sum, elem, &x[i]);
  sum.v = tree_sum(elem, x, n);
  return eval_sum_end(&sum, elem);
}

Element eval_float_either(const Element *chosen, const Element *other) {
  Element x = *chosen;
  if (x.bits == other->bits && x.r == other->r && x.e == other->e) return x;
  double apart = fabs(chosen->r - other->r), slack = chosen->e + other->e;
  if (apart <= 2 * slack) {
    x.e = fmax(chosen->e, apart + other->e);
    x.state |= other->state | COMPUTED;
  } else {
    x.state |= UNCERTAIN;
  }
  return x;
}

// Widening is exact, and so is narrowing of a value that has no error and is one of the target's.
Element eval_float_cast(Elem from, const Element *a, Elem to) {
  double v = number_decode(from, a->bits), rounded = number_round(to, v);
  bool exact = a->e == 0 && (v == rounded || isnan(v));
  bool widens = elem_info(to)->bits > elem_info(from)->bits;
  if (exact && !(a->state & COMPUTED)) return (Element){number_encode(to, v), rounded, 0, a->state};
  return eval_computed(to, v, a->r, a->e + (exact || widens ? 0 : eval_rounding(to, a->r, 1)), a->state);
}

// Exact where the type has the number.
Element eval_float_from_int(Elem from, const Element *a, Elem to) {
  double r = elem_is_signed(from) ? (double)(int64_t)a->bits : (double)a->bits;
  Element x = {number_from_int(from, a->bits, to), r, 0, (uint8_t)(a->state & ~(unsigned)COMPUTED)};
  double v = number_decode(to, x.bits);
  bool in_range = fabs(v) < (elem_is_signed(from) ? 0x1p63 : 0x1p64);
  if (v == r && in_range && number_to_int(elem_is_signed(from) ? ELEM_I64 : ELEM_U64, v) == a->bits) return x;
  return eval_computed(to, v, isfinite(v) ? r : v, eval_rounding(to, r, 1), a->state);
}

// The bounds of what a right implementation may convert; NaN may become anything.
Element eval_float_to_int(Elem from, const Element *a, Elem to) {
  double v = number_decode(from, a->bits);
  Element x = {.bits = number_to_int(to, v), .state = a->state & (UNDEFINED | UNCERTAIN)};
  if (isnan(v) && to != ELEM_I1) x.state |= UNCERTAIN;
  if (a->e == 0) return x;
  double low = a->r - eval_reach(a), high = a->r + eval_reach(a);
  Elem wide = number_saturated_type(to); // what is cut off of it repeats itself
  if (number_to_int(wide, low) != number_to_int(wide, high) || (to == ELEM_I1 && eval_may_be_zero(a)))
    x.state |= UNCERTAIN;
  return x;
}

bool eval_holds(OpKind kind, int order) {
  switch ((int)kind) {
  case OP_EQ: return order == 0;
  case OP_NE: return order != 0;
  case OP_LT: return order == -1;
  case OP_LE: return order == -1 || order == 0;
  case OP_GT: return order == 1;
  case OP_GE: return order == 1 || order == 0;
  default: BUG("%s is no comparison", op_info(kind)->name);
  }
}

Element eval_float_compare(OpKind kind, Elem elem, const Element *a, const Element *b) {
  double v = number_decode(elem, a->bits), w = number_decode(elem, b->bits);
  int order = isnan(v) || isnan(w) ? 2 : v < w ? -1 : v > w;
  Element x = {.bits = eval_holds(kind, order), .state = (a->state | b->state) & (UNDEFINED | UNCERTAIN)};
  double reach = eval_reach(a) + eval_reach(b);
  if (reach > 0 && fabs(a->r - b->r) <= reach)
    x.state |= UNCERTAIN; // false where either is an infinity or NaN
  return x;
}
