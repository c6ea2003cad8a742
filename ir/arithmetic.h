// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of integers where C's is undefined or differs. Folding and the evaluator use these functions. The programs
// that aot makes have copies of those that they need. So each is text for itself: it uses only the C library.
#ifndef IR_ARITHMETIC_H
#define IR_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

// The quotient, or the remainder. The least integer by -1 is itself. False: b is 0.
static inline bool tilec_div(int64_t a, int64_t b, bool remainder, int64_t *result) {
  if (b == 0) return false;
  if (b == -1)
    *result = remainder ? 0 : (int64_t)(0 - (uint64_t)a);
  else
    *result = remainder ? a % b : a / b;
  return true;
}

static inline bool tilec_udiv(uint64_t a, uint64_t b, bool remainder, uint64_t *result) {
  if (b == 0) return false;
  *result = remainder ? a % b : a / b;
  return true;
}

static inline uint64_t tilec_shl(uint64_t a, uint64_t b, unsigned bits) { return b < bits ? a << b : 0; }

static inline int64_t tilec_shr(int64_t a, uint64_t b) {
  const unsigned by = b < 63 ? (unsigned)b : 63;
  return a < 0 ? (int64_t) ~(~(uint64_t)a >> by) : (int64_t)((uint64_t)a >> by);
}

static inline uint64_t tilec_ushr(uint64_t a, uint64_t b) { return b < 64 ? a >> b : 0; }

// Truncated and saturated. `bits` has the sign among them. Values without a sign begin at 0.
static inline int64_t tilec_to_int(double value, unsigned bits, bool is_signed) {
  const double end = (double)((uint64_t)1 << (bits - 1)) * (is_signed ? 1 : 2);
  const double least = is_signed ? -end : 0;
  if (!(value > least)) return value <= least && is_signed ? (int64_t)((uint64_t)-1 << (bits - 1)) : 0;
  if (value >= end) return (int64_t)((~(uint64_t)0 >> (64 - bits)) >> (is_signed ? 1 : 0));
  return value >= 9223372036854775808.0 ? (int64_t)(uint64_t)value : (int64_t)value;
}

#endif
