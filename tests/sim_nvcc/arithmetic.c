// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic (tests/sim-kernels/arithmetic.cu), against C bit for bit.
#include "tests/sim_nvcc/kernels.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

void check_doubles(Run *run) {
  static double x[N], y[2 * N];
  for (int i = 0; i < N; i++) x[i] = (double)(random64(run) >> 20) * 0x1p-30;
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "doubles", 8, 128, buffers, 2, N);
  for (int i = 0; i < N; i++) {
    double v = x[i], r = v > 1 ? v : 1;
    for (int k = 0; k < 20; k++) r = 0.5 * (r + v / r);
    double p = fma(fma(v, 0.25, -1.5), v, 3.0);
    EXPECT(y[2 * i] == r);
    EXPECT(y[2 * i + 1] == fmax(p, floor(v)) - (double)(int64_t)p);
  }
}

static double half(uint32_t bits) {
  int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
  double value = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return bits >> 15 & 1 ? -value : value;
}

// Normal results only, which is what the test's inputs give; to nearest even.
static double round_half(double value) {
  int e;
  frexp(value, &e);
  return ldexp(rint(ldexp(value, 11 - e)), e - 11);
}

void check_halves(Run *run) {
  static uint16_t x[4 * N], y[2 * N], z[N];
  for (int i = 0; i < 4 * N; i++)
    x[i] = (uint16_t)((random64(run) & 0x83ff) | (uint16_t)((12 + random64(run) % 6) << 10));
  uint64_t buffers[] = {BIND(run, x), BIND(run, y), BIND(run, z)};
  launch(run, "halves", 8, 128, buffers, 3, N);
  for (int i = 0; i < N; i++) {
    const uint16_t *a = &x[4 * i], *b = a + 2;
    for (int k = 0; k < 2; k++) {
      double difference = round_half(half(a[k]) - half(b[k]));
      double want = round_half(half(a[k]) * half(b[k]) + difference);
      if (fabs(want) < 0x1p-14) continue;
      EXPECT(half(y[2 * i + k]) == want);
    }
    EXPECT(half(z[i]) == (half(a[0]) > half(b[1]) ? round_half(half(a[0]) * half(b[0])) : 2.5));
  }
}

void check_wide(Run *run) {
  static uint64_t x[2 * N], y[5 * N];
  for (int i = 0; i < 2 * N; i++) x[i] = random64(run) >> (i % 5 ? 0 : random64(run) % 64);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "wide", 8, 128, buffers, 2, N);
  for (int i = 0; i < N; i++) {
    uint64_t a = x[2 * i], b = x[2 * i + 1];
    uint128 p = (uint128)a * b + ((uint128)b << 64 | a);
    EXPECT_EQUAL(y[5 * i], (uint64_t)p);
    EXPECT_EQUAL(y[5 * i + 1], (uint64_t)(p >> 64));
    EXPECT_EQUAL(y[5 * i + 2], b ? a % b : 0);
    EXPECT_EQUAL(y[5 * i + 3], (uint64_t)((int64_t)a / ((int64_t)(b >> 40) + 1)));
    uint64_t high = (uint64_t)((int128)(int64_t)a * (int64_t)b >> 64);
    EXPECT_EQUAL(y[5 * i + 4], (uint64_t)((uint128)a * b >> 64) ^ high);
  }
}

static uint32_t bit_reverse(uint32_t a) {
  uint32_t r = 0;
  for (int i = 0; i < 32; i++) r |= (a >> i & 1) << (31 - i);
  return r;
}

static uint32_t byte_of(uint32_t a, uint32_t b, uint32_t i) {
  uint64_t both = (uint64_t)b << 32 | a;
  return (uint32_t)(both >> (8 * i)) & 255;
}

static uint32_t distance(uint32_t a, uint32_t b, bool is_signed) {
  bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
  return less ? b - a : a - b;
}

static int64_t low24(uint32_t a) { return (int64_t)((int32_t)(a << 8) >> 8); }

static uint32_t modes(uint32_t a, uint32_t b) {
  uint32_t forward = 0, backward = 0, width = b & 31, extended, n = b & 15, ones = 0, third = UINT32_MAX;
  for (uint32_t i = 0; i < 4; i++) {
    forward |= byte_of(a, b, (i + (b & 3)) & 7) << (8 * i);
    backward |= byte_of(a, b, (8 + (a & 3) - i) & 7) << (8 * i);
  }
  extended = width ? (uint32_t)((int32_t)(a << (32 - width)) >> (32 - width)) : 0;
  for (uint32_t i = a & 31; i < (a & 31) + n && i < 32; i++) ones |= 1u << i;
  uint32_t top = a ? 31 - (uint32_t)__builtin_clz(a) : UINT32_MAX;
  for (uint32_t i = 0, seen = 0; i < 32; i++)
    if (b >> i & 1 && ++seen == 3) third = i;
  return (forward ^ backward) + (extended ^ ones) + 5 * top + 7 * third;
}

static uint32_t dots(uint32_t a, uint32_t b, int which) {
  int64_t s = 0, u = 0;
  if (which == 4) {
    for (uint32_t i = 0; i < 4; i++) {
      s += (int8_t)byte_of(a, 0, i) * (int8_t)byte_of(b, 0, i);
      u += (int64_t)byte_of(a, 0, i) * byte_of(b, 0, i);
    }
  } else {
    for (uint32_t i = 0; i < 2; i++) {
      s += (int16_t)(a >> (16 * i)) * (int8_t)byte_of(b, 0, i);
      u += (int64_t)(a >> (16 * i) & 0xffff) * byte_of(b, 0, i + 2);
    }
  }
  return (uint32_t)(s + 100 + u + 7);
}

static float as_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t truncated_float(int32_t value) {
  uint32_t bits, magnitude = value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
  int spare = magnitude >> 24 ? 8 - __builtin_clz(magnitude) : 0;
  float result = (float)(magnitude >> spare << spare);
  result = value < 0 ? -result : result;
  memcpy(&bits, &result, sizeof bits);
  return bits;
}

static int32_t rounded_up(uint32_t bits) {
  float value = as_float(bits);
  if (isnan(value)) return 0; // what cvt gives for .s32
  value = ceilf(value);
  return value >= 0x1p31f ? INT32_MAX : value < -0x1p31f ? INT32_MIN : (int32_t)value;
}

static void bits_of(uint32_t a, uint32_t b, uint32_t want[12]) {
  uint64_t ab = (uint64_t)a << 32 | b, ba = (uint64_t)b << 32 | a;
  uint32_t bytes = byte_of(a, b, 3) | byte_of(a, b, 4) << 8 | byte_of(a, b, 1) << 16 | byte_of(a, b, 6) << 24;
  want[0] = (uint32_t)__builtin_popcount(a) | (b ? (uint32_t)__builtin_clz(b) : 32) << 8 |
            (uint32_t)__builtin_ffs((int)a) << 16;
  want[1] = bit_reverse(a) ^ bytes;
  want[2] = (uint32_t)(ba << (b & 31) >> 32) + (uint32_t)(ba >> (a & 31));
  want[3] = distance(a, b, true) + 9 + distance(a, b, false) + 1;
  want[4] = (uint32_t)((uint64_t)a * b >> 32) ^ (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
  want[5] = (uint32_t)(low24(a) * low24(b)) + (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff));
  want[6] = (uint32_t)(((int64_t)(int32_t)a + (int32_t)b) >> 1) ^ (uint32_t)(((uint64_t)a + b + 1) >> 1);
  want[7] = dots(a, b, 4);
  want[8] = dots(a, b, 2);
  want[9] = modes(a, b);
  want[10] = truncated_float((int32_t)a) ^ (uint32_t)rounded_up(b & 0x4fffffff);
  want[11] = (ab ? (uint32_t)__builtin_clzll(ab) : 64) + 64 * (uint32_t)__builtin_popcountll(ab);
}

void check_bits(Run *run) {
  static uint32_t x[2 * N], y[12 * N];
  for (int i = 0; i < 2 * N; i++)
    x[i] = i < 6 ? (uint32_t)i * 0x7fffffffu : (uint32_t)(random64(run) >> random64(run) % 64);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "bits", 8, 128, buffers, 2, N);
  for (int i = 0; i < N; i++) {
    uint32_t want[12];
    bits_of(x[2 * i], x[2 * i + 1], want);
    for (int k = 0; k < 12; k++) EXPECT_EQUAL(y[12 * i + k], want[k]);
  }
}

void check_product(Run *run) {
  enum { SIZE = 48 };
  static float a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];
  for (int i = 0; i < SIZE * SIZE; i++)
    a[i] = (float)(random64(run) % 1000) * 0.1f, b[i] = (float)(random64(run) % 77) * 0.3f;
  uint64_t pa = BIND(run, a), pb = BIND(run, b), pc = BIND(run, c);
  int n = SIZE;
  const void *params[] = {&pa, &pb, &pc, &n};
  uint32_t grid[3] = {SIZE / 16, SIZE / 16, 1}, block[3] = {16, 16, 1};
  EXPECT_EQUAL(launch_grid(run, "product", grid, block, 0, params), OUTCOME_OK);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      float sum = 0;
      for (int k = 0; k < SIZE; k++) sum = fmaf(a[i * SIZE + k], b[k * SIZE + j], sum);
      EXPECT(c[i * SIZE + j] == sum);
    }
}
