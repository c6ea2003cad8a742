// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on floats with reference and bound: v is one correctly rounded operation in the op's type, r the
// same in float64, e how far a right implementation may be from r.
//
// Sums, products, quotients of fp32 and narrower are rounded to double first and to the type then; that is
// one correct rounding, for double has more than twice the precision and two bits (S. Figueroa, "When is
// double rounding innocuous?", SIGNUM 1995).
#include <math.h>
#include "base/fault.h"
#include "ir/eval_machine.h"
#include "ir/number.h"

// Accuracy of a function in units of u: ir/ulp.def.
static double ulp_of(OpKind kind, Elem elem) {
#define X(op, type, ulp)                                                                                     \
  if (kind == OP_##op && elem == ELEM_##type) return ulp;
#include "ir/ulp.def"
#undef X
  return 1;
}

// In bounds, 0 times infinity is 0.
static double bound_product(double x, double bound) { return x == 0 || bound == 0 ? 0 : fabs(x) * bound; }

// What one rounding to `elem` may add at x. Below the smallest normal value the spacing no longer shrinks
// with x.
static double rounding(Elem elem, double x, double ulps) {
  if (x == 0) return 0;
  return ulps * number_u(elem) * fmax(fabs(x), number_min_normal(elem));
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

// The result of arithmetic whose value before rounding is `exact`.
static Element computed(Elem elem, double exact, double r, double e, unsigned state) {
  Element x = {number_encode(elem, exact), r, e, (uint8_t)((state & ~(unsigned)COMPUTED) | COMPUTED)};
  double v = number_decode(elem, x.bits);
  if (number_saturates(elem) && !isnan(r)) x.r = fmin(fmax(r, -number_max(elem)), number_max(elem));
  if (!isfinite(v) || !isfinite(x.r))
    settle_special(elem, v, &x);
  else if (!isfinite(e))
    x.state |= UNCERTAIN;
  return x;
}

static Element divide(Elem elem, double a, double b, const Element *x, const Element *y, unsigned state) {
  double quotient = x->r / y->r;
  if (y->e > 0 && fabs(y->r) <= y->e) state |= UNCERTAIN; // the divisor may be 0, or of either sign
  double e =
      (x->e + bound_product(quotient, y->e)) / fabs(y->r) + rounding(elem, quotient, ulp_of(OP_DIV, elem));
  return computed(elem, a / b, quotient, e, state);
}

// C's fmod is exact, so only the operands' errors count: b's as many times as it was taken away. Near a
// multiple of b the result jumps by b.
static Element remainder_of(Elem elem, double a, double b, const Element *x, const Element *y,
                            unsigned state) {
  double r = fmod(x->r, y->r), e = x->e + bound_product(trunc(x->r / y->r), y->e);
  if (e > 0 && (fabs(r) <= e || fabs(r) + e >= fabs(y->r))) state |= UNCERTAIN;
  return computed(elem, fmod(a, b), r, e, state);
}

// minimumNumber and maximumNumber: of a NaN and a number the number.
static double least(double a, double b) { return isnan(a) ? b : isnan(b) ? a : a < b ? a : b; }
static double most(double a, double b) { return isnan(a) ? b : isnan(b) ? a : a > b ? a : b; }

Element eval_float_binary(OpKind kind, Elem elem, const Element *a, const Element *b) {
  double v = number_decode(elem, a->bits), w = number_decode(elem, b->bits);
  unsigned state = a->state | b->state;
  switch ((int)kind) {
  case OP_ADD: return computed(elem, v + w, a->r + b->r, a->e + b->e + rounding(elem, a->r + b->r, 1), state);
  case OP_SUB: return computed(elem, v - w, a->r - b->r, a->e + b->e + rounding(elem, a->r - b->r, 1), state);
  case OP_MUL: {
    double e = bound_product(a->r, b->e) + bound_product(b->r, a->e) + rounding(elem, a->r * b->r, 1);
    return computed(elem, v * w, a->r * b->r, e, state);
  }
  case OP_DIV: return divide(elem, v, w, a, b, state);
  case OP_REM: return remainder_of(elem, v, w, a, b, state);
  case OP_MIN: return computed(elem, least(v, w), least(a->r, b->r), fmax(a->e, b->e), state);
  case OP_MAX: return computed(elem, most(v, w), most(a->r, b->r), fmax(a->e, b->e), state);
  default: BUG("%s is no operation of two floats", op_info(kind)->name);
  }
}

Element eval_float_unary(OpKind kind, Elem elem, const Element *a) {
  double v = number_decode(elem, a->bits);
  switch ((int)kind) {
  case OP_NEG: return computed(elem, -v, -a->r, a->e, a->state);
  case OP_EXP: {
    double r = exp(a->r);
    return computed(elem, exp(v), r, bound_product(r, a->e) + rounding(elem, r, ulp_of(OP_EXP, elem)),
                    a->state);
  }
  default: BUG("%s is no operation of one float", op_info(kind)->name);
  }
}

// Widening is exact, and so is narrowing of a value that has no error and is one of the target's.
Element eval_float_cast(Elem from, const Element *a, Elem to) {
  double v = number_decode(from, a->bits), rounded = number_round(to, v);
  bool exact = a->e == 0 && (v == rounded || isnan(v));
  bool widens = elem_info(to)->bits > elem_info(from)->bits;
  if (exact && !(a->state & COMPUTED)) return (Element){number_encode(to, v), rounded, 0, a->state};
  return computed(to, v, a->r, a->e + (exact || widens ? 0 : rounding(to, a->r, 1)), a->state);
}

// Exact where the type has the number.
Element eval_float_from_int(Elem from, const Element *a, Elem to) {
  double r = elem_is_signed(from) ? (double)(int64_t)a->bits : (double)a->bits;
  Element x = {number_from_int(from, a->bits, to), r, 0, (uint8_t)(a->state & ~(unsigned)COMPUTED)};
  double v = number_decode(to, x.bits);
  bool in_range = fabs(v) < (elem_is_signed(from) ? 0x1p63 : 0x1p64);
  if (v == r && in_range && number_to_int(elem_is_signed(from) ? ELEM_I64 : ELEM_U64, v) == a->bits) return x;
  return computed(to, v, isfinite(v) ? r : v, rounding(to, r, 1), a->state);
}

// The bounds of what a right implementation may convert; NaN may become anything.
Element eval_float_to_int(Elem from, const Element *a, Elem to) {
  double v = number_decode(from, a->bits);
  Element x = {.bits = number_to_int(to, v), .state = a->state & (UNDEFINED | UNCERTAIN)};
  if (isnan(v) && to != ELEM_I1) x.state |= UNCERTAIN;
  if (a->e == 0) return x;
  bool either_side_of_zero = to == ELEM_I1 && fabs(a->r) <= a->e;
  if (number_to_int(to, a->r - a->e) != number_to_int(to, a->r + a->e) || either_side_of_zero)
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
  double e = a->e + b->e;
  if (e > 0 && fabs(a->r - b->r) <= e) x.state |= UNCERTAIN; // false where either is an infinity or NaN
  return x;
}
