// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit-level floating-point formats. Widening is exact, and narrowing rounds once.
#ifndef SIM_EXEC_FLOAT_BITS_H
#define SIM_EXEC_FLOAT_BITS_H

#include <math.h>
#include <string.h>
#include "base/integer.h"
#include "sim/ptx/insn.h"

static inline float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Subnormals become zeros of the same sign.
static inline float float_flush(float value) {
  uint32_t bits = float_bits(value);
  return float_of((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

static inline float float_saturate(float value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}
static inline double double_saturate(double value) { return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0; }

static inline float float_of_half(uint16_t half) {
  uint32_t magnitude = half & 0x7fffu;
  float scaled = float_of(magnitude << 13) * 0x1p112f; // exact, subnormals included
  uint32_t bits = magnitude >= 0x7c00u ? magnitude << 13 | 0x7f800000u : float_bits(scaled);
  return float_of(bits | (uint32_t)(half & 0x8000u) << 16);
}

static inline float float_of_bf16(uint16_t bf16) { return float_of((uint32_t)bf16 << 16); }

// To nearest even. NaN becomes PTX's canonical 0x7fff.
static inline uint16_t half_of_float(float value) {
  uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000u, a = bits & 0x7fffffffu;
  uint32_t subnormal = float_bits(float_of(a) + 0.5f) - 0x3f000000u;
  uint32_t normal = (a + 0xfffu + (a >> 13 & 1) - (112u << 23)) >> 13;
  uint32_t result = a < 0x38800000u ? subnormal : normal;
  result = a >= 0x477ff000u ? 0x7c00u : result;
  return (uint16_t)(a > 0x7f800000u ? 0x7fffu : result | sign);
}

static inline uint16_t bf16_of_float(float value) {
  uint32_t bits = float_bits(value);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}

// Rounds to a narrow format with `mantissa` explicit bits and exponent bias `bias`. binary16: 10, 15.
// bfloat16: 7, 127. binary32: 23, 127.
uint32_t float_round(double value, int mantissa, int bias, Round round);

// min and max: -0 is less than +0. A NaN is ignored, or with .NaN returned (canonical 0x7fffffff).
static inline float f32_pick(float a, float b, bool smaller, uint32_t flags) {
  uint32_t sign = (float_bits(a) ^ float_bits(b)) & 0x80000000u;
  if (flags & FLAG_XORSIGN) a = fabsf(a), b = fabsf(b);
  float picked;
  if (a != a || b != b) {
    if ((a != a && b != b) || (flags & FLAG_NAN)) return float_of(0x7fffffffu);
    picked = a != a ? b : a;
  } else if (a == b) {
    picked = (float_bits(a) >> 31 != 0) == smaller ? a : b;
  } else {
    picked = (a < b) == smaller ? a : b;
  }
  return flags & FLAG_XORSIGN ? float_of(float_bits(picked) | sign) : picked;
}

// a + b in double, rounded to odd. A second rounding to a narrow format is then correct.
double add_to_odd(double a, double b);
double odd_of_int(uint64_t magnitude, bool negative);

#endif
