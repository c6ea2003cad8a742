// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact evaluation of ops on constants, as ops.def defines them.
//
// Floats are computed in double and rounded to the type. This equals the type's own rounding. Operands have
// at most 24 bits. Rounding a sum, multiplication or quotient to 53 bits, then to p bits, equals one rounding
// if 53 >= 2p + 2.
#include "ir/fold_number.h"

#include <math.h>
#include "ir/arithmetic.h"
#include "ir/number.h"
#include "ir/queries.h"

static bool int_less(Elem elem, int64_t a, int64_t b) {
  return elem_is_signed(elem) ? a < b : (uint64_t)a < (uint64_t)b;
}

// The quotient, or the remainder.
static bool fold_division(Elem elem, int64_t a, int64_t b, bool remainder, int64_t *result) {
  uint64_t natural = 0;
  if (elem_is_signed(elem) ? !tilec_div(a, b, remainder, result)
                           : !tilec_udiv((uint64_t)a, (uint64_t)b, remainder, &natural))
    return false;
  *result = wrap_to(elem, elem_is_signed(elem) ? (uint64_t)*result : natural);
  return true;
}

// The count is unsigned and has the operands' width.
static int64_t fold_shift(OpKind kind, Elem elem, int64_t a, int64_t b) {
  uint32_t bits = elem_info(elem)->bits;
  uint64_t count = (uint64_t)b & UINT64_MAX >> (64 - bits);
  if (kind == OP_SHL) return wrap_to(elem, tilec_shl((uint64_t)a, count, bits));
  return elem_is_signed(elem) ? tilec_shr(a, count) : (int64_t)tilec_ushr((uint64_t)a, count);
}

// The upper half of a 64 x 64 multiplication, 32 bits at a time.
static uint64_t upper_half(uint64_t a, uint64_t b) {
  uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
  uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & UINT32_MAX);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

static int64_t fold_upper(Elem elem, int64_t a, int64_t b) {
  uint32_t bits = elem_info(elem)->bits;
  uint64_t upper;
  if (bits == 64) {
    upper = upper_half((uint64_t)a, (uint64_t)b);
    if (elem_is_signed(elem)) upper -= (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
  } else {
    upper = (uint64_t)a * (uint64_t)b >> bits; // canonical values: the low 64 bits are correct
  }
  return wrap_to(elem, upper);
}

bool fold_int(OpKind kind, Elem elem, int64_t a, int64_t b, int64_t *result) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch ((int)kind) {
  case OP_ADD: *result = wrap_to(elem, x + y); return true;
  case OP_SUB: *result = wrap_to(elem, x - y); return true;
  case OP_MUL: *result = wrap_to(elem, x * y); return true;
  case OP_MULHI: *result = fold_upper(elem, a, b); return true;
  case OP_DIV:
  case OP_REM: return fold_division(elem, a, b, kind == OP_REM, result);
  case OP_NEG: *result = wrap_to(elem, 0 - x); return true;
  case OP_AND: *result = wrap_to(elem, x & y); return true;
  case OP_OR: *result = wrap_to(elem, x | y); return true;
  case OP_XOR: *result = wrap_to(elem, x ^ y); return true;
  case OP_SHL:
  case OP_SHR: *result = fold_shift(kind, elem, a, b); return true;
  case OP_MIN: *result = int_less(elem, b, a) ? b : a; return true;
  case OP_MAX: *result = int_less(elem, a, b) ? b : a; return true;
  default:
    *result = comparison_holds(kind, int_less(elem, a, b) ? -1 : a != b);
    return op_traits[kind] & COMPARE;
  }
}

// Distinguishes zeros: -0 is less than 0.
static bool float_less(double a, double b) { return a < b || (a == b && signbit(a) && !signbit(b)); }

bool fold_float(OpKind kind, Elem elem, double a, double b, double *result) {
  if (isnan(a) || isnan(b)) return false;
  double exact;
  switch ((int)kind) {
  case OP_ADD: exact = a + b; break;
  case OP_SUB: exact = a - b; break;
  case OP_MUL: exact = a * b; break;
  case OP_DIV: exact = a / b; break;
  case OP_REM: exact = fmod(a, b); break;
  case OP_NEG: exact = -a; break;
  case OP_MIN: exact = float_less(b, a) ? b : a; break;
  case OP_MAX: exact = float_less(a, b) ? b : a; break;
  default: return false;
  }
  *result = number_round(elem, exact);
  return !isnan(*result);
}

bool fold_compare_float(OpKind kind, double a, double b, int64_t *result) {
  bool ordered = !isnan(a) && !isnan(b);
  *result = ordered ? comparison_holds(kind, a < b ? -1 : a > b) : kind == OP_NE;
  return op_traits[kind] & COMPARE;
}
