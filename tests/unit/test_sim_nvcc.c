// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose threads work together, and memory of every kind, as nvcc compiles them (optimised and not,
// for two targets), against C bit for bit.
#include "sim/sim.h"
#include "sim_nvcc.h"

// ---- collective ----

TEST(warp_scan, "collective") {
  static int32_t x[256], y[256];
  for (int i = 0; i < 256; i++) x[i] = (int32_t)random64();
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "warp_scan", 2, 128, buffers, 2, 0);
  uint32_t sum = 0;
  for (int i = 0; i < 256; i++) {
    sum = (i % 32 ? sum : 0) + (uint32_t)x[i];
    assert_int_equal((uint32_t)y[i], sum);
  }
}

TEST(block_scan, "collective") {
  static uint32_t x[256], y[256];
  for (int i = 0; i < 256; i++) x[i] = (uint32_t)random64();
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "block_scan", 1, 256, buffers, 2, 0);
  uint32_t sum = 0;
  for (int i = 0; i < 256; i++) {
    assert_int_equal(y[i], sum);
    sum += x[i];
  }
}

static int compare_words(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

TEST(bitonic_sort, "collective") {
  static uint32_t x[512], want[512];
  for (int i = 0; i < 512; i++) want[i] = x[i] = (uint32_t)random64();
  qsort(want, 512, sizeof *want, compare_words);
  uint64_t buffers[] = {BIND(run, x)};
  launch(run, "bitonic_sort", 1, 256, buffers, 1, 0);
  assert_memory_equal(x, want, sizeof x);
}

TEST(histogram, "collective") {
  static uint8_t x[5000];
  static uint32_t counts[256], want[256];
  memset(counts, 0, sizeof counts);
  memset(want, 0, sizeof want);
  for (int i = 0; i < 5000; i++) want[x[i] = (uint8_t)(random64() & random64())]++;
  uint64_t buffers[] = {BIND(run, x), BIND(run, counts)};
  launch(run, "histogram", 3, 96, buffers, 2, 5000);
  assert_memory_equal(counts, want, sizeof counts);
}

TEST(reduce, "collective") {
  static float x[N], sum[1];
  static uint32_t votes[32];
  float want = 0;
  sum[0] = 0;
  for (int i = 0; i < N; i++) want += x[i] = (float)(random64() % 7);
  uint64_t buffers[] = {BIND(run, x), BIND(run, sum), BIND(run, votes)};
  launch(run, "reduce", 4, 256, buffers, 3, N);
  assert_true(sum[0] == want);
  for (int w = 0; w < 32; w++) {
    uint32_t ballot = 0;
    for (int l = 0; l < 24; l++) ballot |= (uint32_t)(32 * w + l < N && x[32 * w + l] > 3) << l;
    assert_int_equal(votes[w], ballot | 1u << 24);
  }
}

TEST(votes, "collective") {
  static int32_t x[128], y[6 * 128];
  int odd = 0, low = 0, found = 0;
  for (int i = 0; i < 128; i++) {
    x[i] = i < 32 ? 70 + i % 9 : (int32_t)random64();
    odd += x[i] & 1, low |= x[i] <= -1000, found |= x[i] == 77;
  }
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "votes", 1, 128, buffers, 2, 0);
  for (int t = 0; t < 128; t++) {
    const int32_t *warp = &x[t / 32 * 32];
    uint32_t same = 0, sum = 0, bits = 0, least = UINT32_MAX;
    int32_t most = INT32_MIN;
    bool all = true;
    for (int l = 0; l < 32; l++) {
      same |= (uint32_t)((warp[l] & 3) == (x[t] & 3)) << l;
      all &= warp[l] >> 20 == warp[0] >> 20;
      sum += (uint32_t)warp[l], bits ^= (uint32_t)warp[l];
      if (warp[l] > most) most = warp[l];
      if ((uint32_t)warp[l] < least) least = (uint32_t)warp[l];
    }
    const int32_t *got = &y[6 * t];
    assert_int_equal(got[0], odd);
    assert_int_equal(got[1], !low << 1 | found);
    assert_int_equal((uint32_t)got[2], same);
    assert_int_equal(got[3], all ? 3 : 0);
    assert_int_equal((uint32_t)got[4], sum ^ (uint32_t)most);
    assert_int_equal((uint32_t)got[5], bits + least);
  }
}

TEST(lock, "collective") {
  static int32_t words[2];
  memset(words, 0, sizeof words);
  uint64_t base = BIND(run, words), buffers[] = {base, base + 4};
  launch(run, "lock", 3, 64, buffers, 2, 0);
  assert_int_equal(words[0], 0);
  assert_int_equal(words[1], 3 * 64);
}

TEST(chain, "collective") {
  static int32_t x[20 * 64], sums[20], flags[20];
  memset(flags, 0, sizeof flags);
  for (int i = 0; i < 20 * 64; i++) x[i] = (int32_t)(random64() % 1000);
  uint64_t buffers[] = {BIND(run, x), BIND(run, sums), BIND(run, flags)};
  launch(run, "chain", 20, 64, buffers, 3, 0);
  int sum = 0;
  for (int i = 0; i < 20 * 64; i++) {
    sum += x[i];
    if (i % 64 == 63) assert_int_equal(sums[i / 64], sum);
  }
}

// ---- memory ----

TEST(transpose, "memory") {
  enum { WIDTH = 70, HEIGHT = 45 };
  static float x[WIDTH * HEIGHT], y[WIDTH * HEIGHT];
  for (int i = 0; i < WIDTH * HEIGHT; i++) x[i] = (float)i;
  uint64_t px = BIND(run, x), py = BIND(run, y);
  int width = WIDTH, height = HEIGHT;
  const void *params[] = {&px, &py, &width, &height};
  uint32_t grid[3] = {3, 2, 1}, block[3] = {32, 8, 1};
  must(run, try_launch(run, "transpose", grid, block, 0, params));
  for (int i = 0; i < WIDTH; i++)
    for (int j = 0; j < HEIGHT; j++) assert_true(y[i * HEIGHT + j] == x[j * WIDTH + i]);
}

static int compare_bytes(const void *a, const void *b) { return *(const uint8_t *)a - *(const uint8_t *)b; }

TEST(local_sort, "memory") {
  static uint8_t x[64 * 16], y[64 * 16];
  for (int i = 0; i < 64 * 16; i++) x[i] = (uint8_t)random64();
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "local_sort", 2, 32, buffers, 2, 0);
  for (int t = 0; t < 64; t++) qsort(&x[16 * t], 16, 1, compare_bytes);
  assert_memory_equal(x, y, sizeof x);
}

TEST(constants, "memory") {
  static const int32_t weights[4] = {3, -5, 7, 11};
  static int32_t x[64][4], y[64];
  for (int i = 0; i < 64 * 4; i++) x[i / 4][i % 4] = (int32_t)(random64() % 10000);
  uint64_t px = BIND(run, x), py = BIND(run, y), scale;
  int32_t factor = -9;
  size_t size;
  must(run, tilec_sim_symbol(run->sim, run->module, "scale", &scale, &size));
  assert_int_equal(size, 4);
  must(run, tilec_sim_write(run->sim, scale, &factor, sizeof factor));
  const void *params[] = {&px, &py};
  uint32_t grid[3] = {1, 1, 1}, block[3] = {64, 1, 1};
  assert_int_equal(try_launch(run, "constants", grid, block, 64 * 4 - 4, params), TILEC_SIM_ERROR_KERNEL);
  must(run, try_launch(run, "constants", grid, block, 64 * 4, params));
  for (int t = 0; t < 64; t++) {
    const int32_t *v = x[63 - t];
    assert_int_equal(y[t], factor * (3 * v[0] - 5 * v[1] + 7 * v[2] + v[3] * weights[(63 - t) & 3]));
  }
}

typedef struct Point {
  int16_t x, y;
  int8_t kind[5];
  double weight;
} Point;

TEST(structures, "memory") {
  static Point in[100], out[100];
  Point origin = {.x = 100, .y = -7, .kind = {1, -1, 2, 3, 100}, .weight = 0.3};
  memset(in, 0, sizeof in);
  memset(out, 0, sizeof out);
  for (int i = 0; i < 100; i++) {
    in[i] = (Point){.x = (int16_t)random64(), .y = (int16_t)random64(), .weight = (double)random64()};
    for (int k = 0; k < 5; k++) in[i].kind[k] = (int8_t)random64();
  }
  uint64_t pin = BIND(run, in), pout = BIND(run, out);
  int n = 100;
  const void *params[] = {&origin, &pin, &pout, &n};
  uint32_t grid[3] = {2, 1, 1}, block[3] = {64, 1, 1};
  must(run, try_launch(run, "structures", grid, block, 0, params));
  for (int i = 0; i < 100; i++) {
    assert_int_equal(out[i].x, (int16_t)(in[i].x - origin.x));
    assert_int_equal(out[i].y, (int16_t)(in[i].y - origin.y));
    for (int k = 0; k < 5; k++) assert_int_equal(out[i].kind[k], (int8_t)(in[i].kind[k] * origin.kind[k]));
    assert_true(out[i].weight == in[i].weight * origin.weight);
  }
}

TEST(atomics, "memory") {
  enum { THREADS = 320 };
  static int64_t x[THREADS], least[2];
  static uint64_t sum[1], want_bits64;
  static double real[1];
  static uint32_t ring[3], bits[6];
  uint64_t total = 0, chain = 5;
  int64_t low = INT64_MAX, high = INT64_MIN;
  double want_real = 0;
  uint32_t flips = 0, minus = 0;
  sum[0] = 0, least[0] = INT64_MAX, least[1] = INT64_MIN, real[0] = 0;
  ring[0] = ring[1] = ring[2] = bits[0] = bits[1] = 0, bits[2] = bits[3] = UINT32_MAX, bits[4] = 5,
  bits[5] = 0;
  for (int i = 0; i < THREADS; i++) {
    x[i] = (int64_t)random64();
    total += (uint64_t)x[i], want_real += (double)(x[i] >> 40), flips ^= (uint32_t)x[i], minus -= (uint32_t)i;
    low = x[i] < low ? x[i] : low, high = x[i] > high ? x[i] : high;
    chain = chain * 3 + 1;
  }
  uint64_t p[] = {BIND(run, sum),  BIND(run, least), BIND(run, real),
                  BIND(run, ring), BIND(run, bits),  BIND(run, x)};
  launch(run, "atomics", THREADS / 64, 64, p, 6, 0);
  assert_int_equal(sum[0], total);
  assert_true(least[0] == low && least[1] == high);
  assert_true(real[0] == want_real);
  assert_int_equal(ring[0], THREADS % 101);
  assert_int_equal(ring[1], (101 - THREADS % 101) % 101);
  assert_int_equal(ring[2], minus);
  assert_int_equal(bits[0], UINT32_MAX);
  assert_int_equal(bits[1], flips);
  memcpy(&want_bits64, &bits[2], sizeof want_bits64);
  assert_int_equal(want_bits64, 0);
  memcpy(&want_bits64, &bits[4], sizeof want_bits64);
  assert_int_equal(want_bits64, chain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_warp_scan),    cmocka_unit_test(test_block_scan),
      cmocka_unit_test(test_bitonic_sort), cmocka_unit_test(test_histogram),
      cmocka_unit_test(test_reduce),       cmocka_unit_test(test_votes),
      cmocka_unit_test(test_lock),         cmocka_unit_test(test_chain),
      cmocka_unit_test(test_transpose),    cmocka_unit_test(test_local_sort),
      cmocka_unit_test(test_constants),    cmocka_unit_test(test_structures),
      cmocka_unit_test(test_atomics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
