// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic and control flow, as nvcc compiles them (optimised and not, for two targets), against C bit for
// bit.
#include "sim/sim.h"
#include "sim_nvcc.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

// ---- arithmetic ----

TEST(doubles, "arithmetic") {
  static double x[N], y[2 * N];
  for (int i = 0; i < N; i++) x[i] = (double)(random64() >> 20) * 0x1p-30;
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "doubles", 8, 128, buffers, 2, N);
  for (int i = 0; i < N; i++) {
    double v = x[i], r = v > 1 ? v : 1;
    for (int k = 0; k < 20; k++) r = 0.5 * (r + v / r);
    double p = fma(fma(v, 0.25, -1.5), v, 3.0);
    assert_true(y[2 * i] == r);
    assert_true(y[2 * i + 1] == fmax(p, floor(v)) - (double)(int64_t)p);
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

TEST(halves, "arithmetic") {
  static uint16_t x[4 * N], y[2 * N], z[N];
  for (int i = 0; i < 4 * N; i++)
    x[i] = (uint16_t)((random64() & 0x83ff) | (uint16_t)((12 + random64() % 6) << 10));
  uint64_t buffers[] = {BIND(run, x), BIND(run, y), BIND(run, z)};
  launch(run, "halves", 8, 128, buffers, 3, N);
  for (int i = 0; i < N; i++) {
    const uint16_t *a = &x[4 * i], *b = a + 2;
    for (int k = 0; k < 2; k++) {
      double difference = round_half(half(a[k]) - half(b[k]));
      double want = round_half(half(a[k]) * half(b[k]) + difference);
      if (fabs(want) < 0x1p-14) continue;
      assert_true(half(y[2 * i + k]) == want);
    }
    assert_true(half(z[i]) == (half(a[0]) > half(b[1]) ? round_half(half(a[0]) * half(b[0])) : 2.5));
  }
}

TEST(wide, "arithmetic") {
  static uint64_t x[2 * N], y[5 * N];
  for (int i = 0; i < 2 * N; i++) x[i] = random64() >> (i % 5 ? 0 : random64() % 64);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "wide", 8, 128, buffers, 2, N);
  for (int i = 0; i < N; i++) {
    uint64_t a = x[2 * i], b = x[2 * i + 1];
    uint128 p = (uint128)a * b + ((uint128)b << 64 | a);
    assert_int_equal(y[5 * i], (uint64_t)p);
    assert_int_equal(y[5 * i + 1], (uint64_t)(p >> 64));
    assert_int_equal(y[5 * i + 2], b ? a % b : 0);
    assert_int_equal(y[5 * i + 3], (uint64_t)((int64_t)a / ((int64_t)(b >> 40) + 1)));
    uint64_t high = (uint64_t)((int128)(int64_t)a * (int64_t)b >> 64);
    assert_int_equal(y[5 * i + 4], (uint64_t)((uint128)a * b >> 64) ^ high);
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

TEST(bits, "arithmetic") {
  static uint32_t x[2 * N], y[12 * N];
  for (int i = 0; i < 2 * N; i++)
    x[i] = i < 6 ? (uint32_t)i * 0x7fffffffu : (uint32_t)(random64() >> random64() % 64);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "bits", 8, 128, buffers, 2, N);
  for (int i = 0; i < N; i++) {
    uint32_t want[12];
    bits_of(x[2 * i], x[2 * i + 1], want);
    for (int k = 0; k < 12; k++) {
      if (y[12 * i + k] != want[k]) print_error("bits %d of %x %x\n", k, x[2 * i], x[2 * i + 1]);
      assert_int_equal(y[12 * i + k], want[k]);
    }
  }
}

TEST(product, "arithmetic") {
  enum { SIZE = 48 };
  static float a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];
  for (int i = 0; i < SIZE * SIZE; i++)
    a[i] = (float)(random64() % 1000) * 0.1f, b[i] = (float)(random64() % 77) * 0.3f;
  uint64_t pa = BIND(run, a), pb = BIND(run, b), pc = BIND(run, c);
  int n = SIZE;
  const void *params[] = {&pa, &pb, &pc, &n};
  uint32_t grid[3] = {SIZE / 16, SIZE / 16, 1}, block[3] = {16, 16, 1};
  must(run, try_launch(run, "product", grid, block, 0, params));
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      float sum = 0;
      for (int k = 0; k < SIZE; k++) sum = fmaf(a[i * SIZE + k], b[k * SIZE + j], sum);
      assert_true(c[i * SIZE + j] == sum);
    }
}

// ---- control ----

static uint32_t divergent(uint32_t v) {
  uint32_t steps = 0;
  while (v != 1 && v != 0) {
    if (v & 1) {
      if (v > 0x50000000u) break;
      v = 3 * v + 1;
    } else
      do v >>= 1, steps++;
      while ((v & 1) == 0);
    if (++steps == 500) continue;
    if (steps > 600) break;
  }
  return steps;
}

TEST(divergent, "control") {
  static uint32_t x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = (uint32_t)(random64() >> (32 + random64() % 32));
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "divergent", 3, 96, buffers, 2, N);
  for (int i = 0; i < N; i++) assert_int_equal(y[i], divergent(x[i]));
}

static uint32_t gcd(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t r = a % b;
    a = b, b = r;
  }
  return a;
}

TEST(calls, "control") {
  static uint32_t x[129], y[4 * 128];
  for (int i = 0; i < 129; i++) x[i] = (uint32_t)(random64() % 100000);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "calls", 1, 128, buffers, 2, 0);
  for (int t = 0; t < 128; t++) {
    uint32_t low[3] = {x[t], x[t] * 3, 7 * x[t]}, other[3] = {x[t + 1], 12, 5 + x[t]}, r[3];
    for (int i = 0; i < 3; i++) r[i] = gcd(low[i], other[2 - i]);
    assert_int_equal(y[4 * t], r[0] + (r[1] << 8));
    assert_int_equal(y[4 * t + 1], r[2]);
    assert_int_equal(y[4 * t + 2], (uint32_t)(((uint64_t)x[t] << 33) >> 32));
    assert_int_equal(y[4 * t + 3], x[127 - t]);
  }
}

static int32_t switched(int32_t v) {
  uint32_t u = (uint32_t)v, r = u;
  switch (v & 15) {
  case 0: r = u * 3; break;
  case 1: r = (uint32_t)(v / 3); break;
  case 2: r = (uint32_t)(v % 7); break;
  case 3: r = u ^ 0x55; break;
  case 4: r = (u << 3) + 11; break;
  case 5: r = u + 11; break;
  case 6: r = 0 - u; break;
  case 7: r = u & 0xf0f; break;
  case 8: r = u | 0x1000; break;
  case 9: r = (uint32_t)(v >> 2); break;
  case 10: r = (uint32_t)__builtin_popcount(u); break;
  case 11: r = u * u; break;
  case 12: r = ~u; break;
  default: r = u - 1000; break;
  }
  return (int32_t)(r + (v == -7 ? 1 : v == 1000 ? 2 : v == 123456 ? 4 : 0));
}

TEST(switches, "control") {
  static int32_t x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = (int32_t)(random64() >> (random64() % 64));
  x[0] = -7, x[1] = 1000, x[2] = 123456;
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "switches", 8, 128, buffers, 2, N);
  for (int i = 0; i < N; i++) assert_int_equal(y[i], switched(x[i]));
}

TEST(prints, "control") {
  char name[] = "device";
  uint64_t buffers[] = {BIND(run, name)};
  launch(run, "prints", 1, 64, buffers, 1, 0);
  size_t bytes;
  const char *text = tilec_sim_printed(run->sim, &bytes);
  assert_string_equal(text, "thread 0 of 64: device  0.00|a   |0x10000000000 %\n"
                            "thread 1 of 64: device  1.50|b   |0x20000000000 %\n"
                            "thread 2 of 64: device  3.00|c   |0x40000000000 %\n"
                            "alone\n");
  assert_int_equal(bytes, strlen(text));
}

TEST(asserts, "control") {
  static int32_t x[64];
  for (int i = 0; i < 64; i++) x[i] = i == 37 ? -1 : 1;
  uint64_t px = BIND(run, x);
  const void *params[] = {&px};
  uint32_t grid[3] = {1, 1, 1}, block[3] = {64, 1, 1};
  assert_int_equal(try_launch(run, "asserts", grid, block, 0, params), TILEC_SIM_ERROR_KERNEL);
  const tilec_sim_report *report = tilec_sim_report_at(run->sim, 0);
  assert_int_equal(report->kind, TILEC_SIM_ASSERT);
  assert_non_null(strstr(report->message, "assertion 'x[threadIdx.x] > 0' failed at control.cu:98"));
  assert_int_equal(report->warp, 1);
  assert_int_equal(report->lane_mask, 1u << 5);
  assert_string_equal(report->file, "control.cu");
  assert_int_equal(report->line, 98);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_doubles), cmocka_unit_test(test_halves),   cmocka_unit_test(test_wide),
      cmocka_unit_test(test_bits),    cmocka_unit_test(test_product),  cmocka_unit_test(test_divergent),
      cmocka_unit_test(test_calls),   cmocka_unit_test(test_switches), cmocka_unit_test(test_prints),
      cmocka_unit_test(test_asserts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
