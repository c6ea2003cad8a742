// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/exec/float_bits.h"

static bool rounds_up(uint64_t kept, uint64_t rest, uint64_t half, bool negative, Round round) {
  switch (round) {
  case ROUND_RZ: return false;
  case ROUND_RM: return negative && rest;
  case ROUND_RP: return !negative && rest;
  case ROUND_RN:
  case ROUND_NONE: break;
  }
  return rest > half || (rest == half && (kept & 1));
}

uint32_t float_round(double value, int mantissa, int bias, Round round) {
  uint64_t bits = double_bits(value), fraction = bits & (((uint64_t)1 << 52) - 1);
  bool negative = bits >> 63;
  int exponent = (int)(bits >> 52 & 0x7ff);
  int width = mantissa == 23 ? 32 : 16;
  uint32_t sign = negative ? (uint32_t)1 << (width - 1) : 0;
  uint32_t infinity = ((1u << (width - 1 - mantissa)) - 1) << mantissa;
  if (exponent == 0x7ff) return fraction ? (1u << (width - 1)) - 1 : sign | infinity;
  if (exponent == 0 && fraction == 0) return sign;
  if (exponent == 0) fraction = 1; // far below every narrow format: it only matters that it is not zero
  fraction |= (uint64_t)1 << 52;
  int e = exponent - 1023, shift = 52 - mantissa;
  if (e < 1 - bias) {
    shift += 1 - bias - e;
    e = 1 - bias;
  }
  if (shift > 62) shift = 62;
  uint64_t kept = fraction >> shift, rest = fraction & (((uint64_t)1 << shift) - 1);
  if (rounds_up(kept, rest, (uint64_t)1 << (shift - 1), negative, round)) kept++;
  uint64_t result = ((uint64_t)(e + bias - 1) << mantissa) + kept;
  if (result >= infinity) {
    bool away = round == ROUND_RN || round == ROUND_NONE || (round == ROUND_RM && negative) ||
                (round == ROUND_RP && !negative);
    result = away ? infinity : infinity - 1;
  }
  return sign | (uint32_t)result;
}

double add_to_odd(double a, double b) {
  double sum = a + b;
  if (!isfinite(sum)) return sum;
  double rest_b = sum - a, error = (a - (sum - rest_b)) + (b - rest_b); // two-sum (Knuth): exact
  uint64_t bits = double_bits(sum);
  if (error == 0 || (bits & 1)) return sum;
  bool grows = (error > 0) == (sum > 0);
  return double_of(grows ? bits + 1 : bits - 1);
}

double odd_of_int(uint64_t magnitude, bool negative) {
  int shift = 0;
  while (magnitude >> shift >> 53) shift++;
  uint64_t kept = magnitude >> shift;
  if (kept << shift != magnitude) kept |= 1;
  double value = ldexp((double)kept, shift);
  return negative ? -value : value;
}
