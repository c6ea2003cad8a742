// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four float formats as long double, which holds all their numbers.
#include <math.h>
#include <string.h>
#include "tests/accuracy/accuracy.h"

const TypeInfo types[TYPE_COUNT] = {
    [FP32] = {"fp32", TILEC_FP32, 4, 23, -126, 127},
    [FP64] = {"fp64", TILEC_FP64, 8, 52, -1022, 1023},
    [FP16] = {"fp16", TILEC_FP16, 2, 10, -14, 15},
    [BF16] = {"bf16", TILEC_BF16, 2, 7, -126, 127},
};

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static float decode_fp16(uint32_t bits) {
  uint32_t sign = (bits & 0x8000) << 16, rest = bits & 0x7fff;
  if (rest >= 0x7c00) return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  float size = float_of(rest << 13) * 0x1p112f; // denormal numbers too
  return sign ? -size : size;
}

long double decode(Type type, uint64_t bits) {
  double x;
  switch (type) {
  case FP32: return float_of((uint32_t)bits);
  case FP64: memcpy(&x, &bits, sizeof x); return x;
  case FP16: return decode_fp16((uint32_t)bits);
  case BF16: return float_of((uint32_t)bits << 16);
  case TYPE_COUNT: break;
  }
  return 0;
}

static uint32_t encode_fp16(float x) {
  uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000;
  if (isnan(x)) return sign | 0x7e00;
  if (fabsf(x) >= 65520) return sign | 0x7c00;
  return sign | (bits_of(fabsf(x) * 0x1p-112f) + 0x1000) >> 13;
}

uint64_t encode(Type type, double x) {
  uint64_t bits = 0;
  switch (type) {
  case FP32: return bits_of((float)x);
  case FP64: memcpy(&bits, &x, sizeof bits); return bits;
  case FP16: return encode_fp16((float)x);
  case BF16: return isnan(x) ? 0x7fc0 : bits_of((float)x) >> 16;
  case TYPE_COUNT: break;
  }
  return 0;
}

uint64_t load_bits(const void *from, int bytes, uint64_t index) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)from + index * (uint64_t)bytes, (size_t)bytes);
  return bits;
}

void store_bits(void *to, int bytes, uint64_t index, uint64_t bits) {
  memcpy((char *)to + index * (uint64_t)bytes, &bits, (size_t)bytes);
}

long double unit(Type type) { return ldexpl(1, -1 - types[type].mantissa); }

long double least_normal(Type type) { return ldexpl(1, types[type].least_exponent); }

long double overflow_from(Type type) { return (2 - unit(type)) * ldexpl(1, types[type].greatest_exponent); }
