// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float arithmetic with reference and bound. The value v is one correctly rounded operation in the op's type. The
// reference r is the same in float64. The bound e limits the difference of a correct implementation from r.
//
// Sums, multiplications and quotients of fp32 and narrower types are rounded to double first, then to the
// type. This is one correct rounding, because double has more than twice the precision plus two bits (S.
// Figueroa, "When is double rounding innocuous?", SIGNUM 1995).
#include <math.h>
#include <string.h>
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/fold_number.h"
#include "ir/number.h"

double eval_bound_product(double x, double bound) { return x == 0 || bound == 0 ? 0 : fabs(x) * bound; }

double eval_reach(const Element *x) { return EVAL_SLACK * x->e; }

bool eval_may_be_zero(const Element *x) { return x->e > 0 && fabs(x->r) <= eval_reach(x); }

// Bounds the error of x y, for operands that may differ by up to eval_reach.
static double product_bound(const Element *x, const Element *y) {
  return eval_bound_product(x->r, y->e) + eval_bound_product(y->r, x->e) +
         eval_bound_product(x->e, eval_reach(y));
}

// Below the smallest normal value the spacing no longer shrinks with x.
double eval_rounding(Elem elem, double x, double ulps) {
  if (x == 0) return 0;
  return ulps * number_u(elem) * fmax(fabs(x), number_min_normal(elem));
}

// A multiplication is one operation in every implementation. If the type has the exact result, none of them
// rounds. (A sum may be computed in another order, with parts that the type does not have.)
static double product_rounding(Elem elem, double v, double w, const Element *x, const Element *y) {
  double product = v * w;
  bool exact = x->e == 0 && y->e == 0 && fma(v, w, -product) == 0 && number_round(elem, product) == product;
  return exact ? 0 : eval_rounding(elem, x->r * y->r, 1);
}

// v or r is an infinity or NaN: both become v, and e becomes 0. If they disagree, the result depended on
// rounding and is uncertain. Exception: an overflow of the type that no error within the bound could have
// avoided.
static void settle_special(Elem elem, double v, Element *x) {
  bool agree = isnan(v) ? isnan(x->r) : v == x->r;
  bool overflow =
      isinf(v) && isfinite(x->r) && signbit(v) == signbit(x->r) && fabs(x->r) - x->e >= number_overflow(elem);
  if (!agree && !overflow) x->state |= UNCERTAIN;
  x->r = v;
  x->e = 0;
}

Element eval_computed(Elem elem, double exact, double r, double e, unsigned state) {
  Element x = {number_encode(elem, exact), r, e, (uint8_t)((state & ~(unsigned)OVERFLOWED) | COMPUTED), {0}};
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
  // 2 ulp are up to 4 u (ops.def). Types wider or narrower than fp32 are rounded once.
  double ulps = elem == ELEM_FP32 ? 4 : elem == ELEM_FP64 ? 1 : 1.001;
  double e = (x->e + eval_bound_product(quotient, y->e)) / least + eval_rounding(elem, quotient, ulps);
  return eval_computed(elem, a / b, quotient, e, state);
}

// C's fmod is exact, so only the operands' errors count. b's error counts once for each time b is subtracted.
// Near a multiple of b the result jumps by b.
static Element remainder_of(Elem elem, double a, double b, const Element *x, const Element *y,
                            unsigned state) {
  double r = fmod(x->r, y->r), e = x->e + eval_bound_product(trunc(x->r / y->r), y->e),
         reach = EVAL_SLACK * e;
  if (eval_may_be_zero(y)) state |= UNCERTAIN;
  if (e + y->e > 0 && (fabs(r) <= reach || fabs(r) + reach >= fabs(y->r) - eval_reach(y))) state |= UNCERTAIN;
  return eval_computed(elem, fmod(a, b), r, e, state);
}

// minimumNumber and maximumNumber: a number wins over a NaN, and -0 is below +0.
static double minimum_number(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  return a < b || (a == b && signbit(a)) ? a : b;
}
static double maximum_number(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  return a > b || (a == b && !signbit(a)) ? a : b;
}

// The error of a minimum or maximum. It lies between the same function of both lower ends and of both upper
// ends. A number that is certainly not chosen adds nothing.
static double extreme_error(bool greatest, const Element *a, const Element *b, double r) {
  double da = eval_reach(a), db = eval_reach(b);
  if ((a->e == 0 && b->e == 0) || isnan(a->r) || isnan(b->r) || !isfinite(r)) return fmax(a->e, b->e);
  double high = greatest ? fmax(a->r + da, b->r + db) : fmin(a->r + da, b->r + db);
  double low = greatest ? fmax(a->r - da, b->r - db) : fmin(a->r - da, b->r - db);
  return fmax(high - r, r - low) / EVAL_SLACK;
}

static Element extreme_of(Elem elem, bool greatest, const Element *x, const Element *y, unsigned state) {
  const Element plain_x = eval_absorb(x), plain_y = eval_absorb(y), *a = &plain_x, *b = &plain_y;
  double v = number_decode(elem, a->bits), w = number_decode(elem, b->bits);
  double r = greatest ? maximum_number(a->r, b->r) : minimum_number(a->r, b->r);
  double apart = (a->r - b->r) * (greatest ? 1 : -1), reach = eval_reach(a) + eval_reach(b);
  Element z = eval_computed(elem, greatest ? maximum_number(v, w) : minimum_number(v, w), r,
                            extreme_error(greatest, a, b, r), state);
  const Element *chosen = apart > reach ? x : apart < -reach ? y : NULL; // certainly chosen
  if (chosen && chosen->common.kind) z.e = chosen->e, z.common = chosen->common;
  return z;
}

static Element product_of(Elem elem, double v, double w, const Element *a, const Element *b, unsigned state) {
  double e = product_bound(a, b) + product_rounding(elem, v, w, a, b);
  Element x = eval_computed(elem, v * w, a->r * b->r, e, state);
  if (isinf(number_decode(elem, x.bits)) && isfinite(v) && isfinite(w)) x.state |= OVERFLOWED;
  return x;
}

// A sum may be fused with the multiplication of one of its terms. inf - inf is NaN, but inside a fused op the
// multiplied value is finite. So if the multiplication overflowed and the other term has the
// opposite sign, the result is uncertain.
static Element sum_of(Elem elem, double v, double w, const Element *a, const Element *b, double r,
                      unsigned state) {
  bool against = (v < 0 && w > 0) || (v > 0 && w < 0);
  if (state & OVERFLOWED && against) state |= UNCERTAIN;
  bool exact = eval_is_exact_zero(a) || eval_is_exact_zero(b);
  return eval_computed(elem, v + w, r, a->e + b->e + (exact ? 0 : eval_rounding(elem, r, 1)), state);
}

// --- with shared errors

static bool is_exact_number(const Element *x) {
  return x->common.kind == COMMON_NONE && x->e == 0 && isfinite(x->r) && !(x->state & STATE_MISSING);
}

// The shared errors of a multiplication or quotient (over: -1). Returns false if they must be absorbed.
static bool scaled_common(const Element *a, const Element *b, double over, Common *to) {
  const Common *x = &a->common, *y = &b->common;
  if (x->kind == COMMON_TERM && is_exact_number(b)) {
    double by = over < 0 ? 1 / b->r : b->r;
    return isfinite(by) && eval_common_merge(x, by, &(Common){0}, 0, to);
  }
  if (y->kind == COMMON_TERM && over > 0) return scaled_common(b, a, over, to);
  return x->kind != COMMON_TERM && y->kind != COMMON_TERM && eval_common_merge(x, 1, y, over, to);
}

// The same for a sum or difference (sign: -1).
static bool added_common(const Element *a, const Element *b, double sign, Common *to) {
  const Common *x = &a->common, *y = &b->common;
  if (x->kind != COMMON_FACTOR && y->kind != COMMON_FACTOR) return eval_common_merge(x, 1, y, sign, to);
  *to = eval_is_exact_zero(a) ? *y : *x;
  return eval_is_exact_zero(a) || eval_is_exact_zero(b) || eval_common_same(x, y);
}

static Element plain_binary(OpKind kind, Elem elem, const Element *a, const Element *b);

static Element common_binary(OpKind kind, Elem elem, const Element *a, const Element *b) {
  Common common = {0};
  bool scales = kind == OP_MUL || kind == OP_DIV, adds = kind == OP_ADD || kind == OP_SUB;
  bool kept = (scales && scaled_common(a, b, kind == OP_MUL ? 1 : -1, &common)) ||
              (adds && added_common(a, b, kind == OP_ADD ? 1 : -1, &common));
  Element x = kept ? eval_without_common(a) : eval_absorb(a),
          y = kept ? eval_without_common(b) : eval_absorb(b);
  Element z = plain_binary(kind, elem, &x, &y);
  if (!kept || !common.kind || !isfinite(z.r) || !isfinite(number_decode(elem, z.bits))) return z;
  z.e += eval_common_rounding(&common, elem, z.r);
  z.common = common;
  if (eval_common_size(&common, z.r) + eval_reach(&z) >= number_max(elem)) z = eval_absorb(&z);
  return z;
}

Element eval_float_binary(OpKind kind, Elem elem, const Element *a, const Element *b) {
  if (kind == OP_MIN || kind == OP_MAX) return extreme_of(elem, kind == OP_MAX, a, b, a->state | b->state);
  return a->common.kind || b->common.kind ? common_binary(kind, elem, a, b) : plain_binary(kind, elem, a, b);
}

static Element plain_binary(OpKind kind, Elem elem, const Element *a, const Element *b) {
  double v = number_decode(elem, a->bits), w = number_decode(elem, b->bits);
  unsigned state = a->state | b->state;
  switch ((int)kind) {
  case OP_ADD: return sum_of(elem, v, w, a, b, a->r + b->r, state);
  case OP_SUB: return sum_of(elem, v, -w, a, b, a->r - b->r, state);
  case OP_MUL: return product_of(elem, v, w, a, b, state);
  case OP_DIV: return quotient_of(elem, v, w, a, b, state);
  case OP_REM: return remainder_of(elem, v, w, a, b, state);
  default: BUG("%s is not an operation of two floats", op_info(kind)->name);
  }
}

Element eval_float_negate(Elem elem, const Element *a) {
  Element x = eval_computed(elem, -number_decode(elem, a->bits), -a->r, a->e, a->state);
  x.state |= a->state & OVERFLOWED;
  x.common = a->common;
  for (int i = 0; i < COMMON_ERRORS && x.common.kind == COMMON_TERM; i++) x.common.by[i] = -x.common.by[i];
  return x;
}

// a b + c for formats of at most 26 bits of precision. a b is exact in double. The sum is rounded to odd
// there, so that one rounding to the format follows (S. Boldo, G. Melquiond, "Emulation of FMA and correctly
// rounded sums", IEEE Transactions on Computers 2008).
static double fma_to_odd(double a, double b, double c) {
  double product = a * b, sum = product + c, back = sum - product;
  double lost = (product - (sum - back)) + (c - back);
  if (lost == 0 || !isfinite(sum)) return sum;
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (bits & 1) return sum;
  return nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
}

// The bound of a separate multiplication and sum is also valid for a fused one.
static Element common_fma(Elem elem, const Element *a, const Element *b, const Element *c, double v) {
  Element product = eval_float_binary(OP_MUL, elem, a, b), x = eval_float_binary(OP_ADD, elem, &product, c);
  x.bits = number_encode(elem, v);
  return x;
}

Element eval_float_fma(Elem elem, const Element *a, const Element *b, const Element *c) {
  double x = number_decode(elem, a->bits), y = number_decode(elem, b->bits), z = number_decode(elem, c->bits);
  double v = elem == ELEM_FP64 ? fma(x, y, z) : fma_to_odd(x, y, z), r = fma(a->r, b->r, c->r);
  if (a->common.kind || b->common.kind || c->common.kind) return common_fma(elem, a, b, c, v);
  double e = product_bound(a, b) + c->e + eval_rounding(elem, r, 1);
  return eval_computed(elem, v, r, e, a->state | b->state | c->state);
}

// Adds x to r and keeps what the addition drops (A. Neumaier, 1974).
static void add_reference(FloatSum *sum, double x) {
  double r = sum->terms > 0 ? sum->r + x : x;
  if (sum->terms > 0) sum->lost += fabs(sum->r) >= fabs(x) ? sum->r - r + x : x - r + sum->r;
  sum->r = r;
}

// The largest power of two that divides x; x is not 0.
static double step_of(double x) {
  int exponent;
  uint64_t digits = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
  return ldexp((double)(digits & (0 - digits)), exponent - 53);
}

// Returns true if every partial sum, in any order, is a number of the type.
static bool sums_are_exact(const FloatSum *sum, Elem elem) {
  return sum->e == 0 && sum->size * number_u(elem) <= sum->step && sum->size <= number_max(elem);
}

void eval_sum_add(FloatSum *sum, Elem elem, const Element *term) {
  const Element plain = eval_absorb(term), *x = &plain;
  double v = number_decode(elem, x->bits);
  // Rounded at the end: rounding each step would drift in one direction.
  sum->v = sum->terms > 0 ? sum->v + v : v;
  sum->chain = sum->terms > 0 ? number_round(elem, sum->chain + v) : v;
  add_reference(sum, x->r);
  sum->total += v;
  if (x->r != 0 && isfinite(x->r)) sum->step = sum->step > 0 ? fmin(sum->step, step_of(x->r)) : step_of(x->r);
  sum->size += fabs(x->r);
  sum->e += x->e;
  sum->terms += 1;
  sum->state |= x->state;
}

Element eval_sum_end(const FloatSum *sum, Elem elem) {
  bool exact = sum->terms < 2 || sums_are_exact(sum, elem);
  double e = sum->e + (!exact ? 2 * sqrt(sum->terms) * eval_rounding(elem, sum->size, 1) : 0);
  double r = isfinite(sum->r) ? sum->r + sum->lost : sum->r, drift = fabs(sum->chain - sum->total) - sum->e;
  if (isfinite(drift) && drift > 0) e += drift;
  return eval_computed(elem, sum->v, r, e, sum->state);
}

static double tree_sum(Elem elem, const Element *x, uint32_t n) {
  if (n == 1) return number_decode(elem, x->bits);
  return number_round(elem, tree_sum(elem, x, n / 2) + tree_sum(elem, x + n / 2, n - n / 2));
}

// The common factor of all terms except exact zeros. NULL: they have none, or different ones.
static const Common *common_of_all(const Element *x, uint32_t n) {
  const Common *common = NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (eval_is_exact_zero(&x[i])) continue;
    if (x[i].common.kind != COMMON_FACTOR || (common && !eval_common_same(common, &x[i].common))) return NULL;
    common = &x[i].common;
  }
  return common;
}

Element eval_float_sum(Elem elem, const Element *x, uint32_t n) {
  FloatSum sum = {0};
  if (n == 1) return *x;
  const Common *common = common_of_all(x, n);
  for (uint32_t i = 0; i < n; i++) {
    Element term = common ? eval_without_common(&x[i]) : x[i];
    eval_sum_add(&sum, elem, &term);
  }
  sum.v = tree_sum(elem, x, n);
  Element y = eval_sum_end(&sum, elem);
  if (!common || !isfinite(y.r)) return y;
  y.e += n * eval_common_rounding(common, elem, y.r);
  y.common = *common;
  return eval_common_size(common, y.r) + eval_reach(&y) >= number_max(elem) ? eval_absorb(&y) : y;
}

Element eval_float_either(const Element *first, const Element *second) {
  if (first->bits == second->bits && first->r == second->r && first->e == second->e &&
      eval_common_same(&first->common, &second->common))
    return *first;
  const Element x_plain = eval_absorb(first), y_plain = eval_absorb(second), *chosen = &x_plain,
                *other = &y_plain;
  Element x = *chosen;
  double apart = fabs(chosen->r - other->r), slack = chosen->e + other->e;
  if (apart <= 2 * slack) {
    x.e = fmax(chosen->e, apart + other->e);
    x.state |= other->state | COMPUTED;
  } else {
    x.state |= UNCERTAIN;
  }
  return x;
}

// The error that narrowing adds. For 8 bits it dominates the bound, so it is computed exactly: one rounding
// to the nearest. Going through 16 bits adds a little more.
static double narrowing_error(Elem to, const Element *a) {
  double size = eval_common_size(&a->common, a->r);
  if (elem_info(to)->bits > 8) return eval_rounding(to, size, 1);
  return eval_rounding(to, size + eval_reach(a), 1.02) / EVAL_SLACK;
}

// The 8-bit number that all values within the bound round to; NaN: there are several.
static double only_number(Elem to, const Element *a) {
  double reach = eval_reach(a) + ldexp(fabs(a->r), -11), low = number_round(to, a->r - reach);
  return isfinite(low) && low == number_round(to, a->r + reach) ? low : NAN;
}

// Narrows a value with a shared factor. A saturated value becomes less than the value times the factor.
static Element narrow_factor(Elem from, const Element *a, Elem to) {
  double most = number_max(to),
         size = eval_common_size(&a->common, a->r) + eval_reach(a) * eval_common_growth(&a->common);
  if (size > most && (!number_saturates(to) || fabs(a->r) > most)) {
    Element plain = eval_absorb(a);
    return eval_float_cast(from, &plain, to);
  }
  double e = a->e + narrowing_error(to, a) + (size > most ? (size - most) / EVAL_SLACK : 0);
  Element x = eval_computed(to, number_decode(from, a->bits), a->r, e, a->state);
  x.common = a->common;
  return isfinite(number_decode(to, x.bits)) ? x : eval_absorb(&x);
}

// Widening is exact. Narrowing is exact if the value has no error and the target type has it.
Element eval_float_cast(Elem from, const Element *operand, Elem to) {
  bool widens = elem_info(to)->bits > elem_info(from)->bits;
  if (!widens && operand->common.kind == COMMON_FACTOR) return narrow_factor(from, operand, to);
  const Element plain = eval_absorb(operand), *a = widens ? operand : &plain;
  double v = number_decode(from, a->bits), rounded = number_round(to, v);
  bool exact = a->e == 0 && !a->common.kind && (v == rounded || isnan(v));
  if (exact && !(a->state & COMPUTED)) return (Element){number_encode(to, v), rounded, 0, a->state, {0}};
  double only = widens || elem_info(to)->bits > 8 ? NAN : only_number(to, a);
  if (!isnan(only)) return eval_computed(to, v, only, 0, a->state);
  Element x = eval_computed(to, v, a->r, a->e + (exact || widens ? 0 : narrowing_error(to, a)), a->state);
  if (isfinite(x.r) && isfinite(v)) x.common = a->common;
  return x;
}

// Exact if the type has the number.
Element eval_float_from_int(Elem from, const Element *a, Elem to) {
  double r = elem_is_signed(from) ? (double)(int64_t)a->bits : (double)a->bits;
  Element x = {number_from_int(from, a->bits, to), r, 0, (uint8_t)(a->state & ~(unsigned)COMPUTED), {0}};
  double v = number_decode(to, x.bits);
  bool in_range = fabs(v) < (elem_is_signed(from) ? 0x1p63 : 0x1p64);
  if (v == r && in_range && number_to_int(elem_is_signed(from) ? ELEM_I64 : ELEM_U64, v) == a->bits) return x;
  return eval_computed(to, v, isfinite(v) ? r : v, eval_rounding(to, r, 1), a->state);
}

// Converts both ends of the interval of correct values. A NaN may become anything.
Element eval_float_to_int(Elem from, const Element *operand, Elem to) {
  const Element plain = eval_absorb(operand), *a = &plain;
  double v = number_decode(from, a->bits);
  Element x = {.bits = number_to_int(to, v), .state = a->state & STATE_MISSING};
  if (isnan(v) && to != ELEM_I1) x.state |= UNCERTAIN;
  if (a->e == 0) return x;
  double low = a->r - eval_reach(a), high = a->r + eval_reach(a);
  Elem wide = number_saturated_type(to); // the part that is cut off repeats itself
  if (number_to_int(wide, low) != number_to_int(wide, high) || (to == ELEM_I1 && eval_may_be_zero(a)))
    x.state |= UNCERTAIN;
  return x;
}

Element eval_float_compare(OpKind kind, Elem elem, const Element *first, const Element *second) {
  const Element x_plain = eval_absorb(first), y_plain = eval_absorb(second), *a = &x_plain, *b = &y_plain;
  double v = number_decode(elem, a->bits), w = number_decode(elem, b->bits);
  int64_t holds;
  if (!fold_compare_float(kind, v, w, &holds)) BUG("%s is not a comparison", op_info(kind)->name);
  Element x = {.bits = (uint64_t)holds, .state = (a->state | b->state) & STATE_MISSING};
  double reach = eval_reach(a) + eval_reach(b);
  if (reach > 0 && fabs(a->r - b->r) <= reach) x.state |= UNCERTAIN; // false if either is an infinity or NaN
  return x;
}
