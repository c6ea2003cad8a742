// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of every kind (tests/sim-kernels/memory.cu), against C bit for bit.
#include "tests/sim_nvcc/kernels.h"

void check_transpose(Run *run) {
  enum { WIDTH = 70, HEIGHT = 45 };
  static float x[WIDTH * HEIGHT], y[WIDTH * HEIGHT];
  for (int i = 0; i < WIDTH * HEIGHT; i++) x[i] = (float)i;
  uint64_t px = BIND(run, x), py = BIND(run, y);
  int width = WIDTH, height = HEIGHT;
  const void *params[] = {&px, &py, &width, &height};
  uint32_t grid[3] = {3, 2, 1}, block[3] = {32, 8, 1};
  EXPECT_EQUAL(launch_grid(run, "transpose", grid, block, 0, params), OUTCOME_OK);
  for (int i = 0; i < WIDTH; i++)
    for (int j = 0; j < HEIGHT; j++) EXPECT(y[i * HEIGHT + j] == x[j * WIDTH + i]);
}

static int compare_bytes(const void *a, const void *b) { return *(const uint8_t *)a - *(const uint8_t *)b; }

void check_local_sort(Run *run) {
  static uint8_t x[64 * 16], y[64 * 16];
  for (int i = 0; i < 64 * 16; i++) x[i] = (uint8_t)random64(run);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "local_sort", 2, 32, buffers, 2, 0);
  for (int t = 0; t < 64; t++) qsort(&x[16 * t], 16, 1, compare_bytes);
  EXPECT(memcmp(x, y, sizeof x) == 0);
}

void check_constants(Run *run) {
  static const int32_t weights[4] = {3, -5, 7, 11};
  static int32_t x[64][4], y[64];
  for (int i = 0; i < 64 * 4; i++) x[i / 4][i % 4] = (int32_t)(random64(run) % 10000);
  uint64_t px = BIND(run, x), py = BIND(run, y);
  int32_t factor = -9;
  EXPECT(run->machine->write_symbol(run, "scale", &factor, sizeof factor));
  const void *params[] = {&px, &py};
  uint32_t grid[3] = {1, 1, 1}, block[3] = {64, 1, 1};
  EXPECT_EQUAL(launch_grid(run, "constants", grid, block, 64 * 4, params), OUTCOME_OK);
  for (int t = 0; t < 64; t++) {
    const int32_t *v = x[63 - t];
    EXPECT_EQUAL(y[t], factor * (3 * v[0] - 5 * v[1] + 7 * v[2] + v[3] * weights[(63 - t) & 3]));
  }
}

typedef struct Point {
  int16_t x, y;
  int8_t kind[5];
  double weight;
} Point;

void check_structures(Run *run) {
  static Point in[100], out[100];
  Point origin = {.x = 100, .y = -7, .kind = {1, -1, 2, 3, 100}, .weight = 0.3};
  memset(in, 0, sizeof in);
  memset(out, 0, sizeof out);
  for (int i = 0; i < 100; i++) {
    in[i] =
        (Point){.x = (int16_t)random64(run), .y = (int16_t)random64(run), .weight = (double)random64(run)};
    for (int k = 0; k < 5; k++) in[i].kind[k] = (int8_t)random64(run);
  }
  uint64_t pin = BIND(run, in), pout = BIND(run, out);
  int n = 100;
  const void *params[] = {&origin, &pin, &pout, &n};
  uint32_t grid[3] = {2, 1, 1}, block[3] = {64, 1, 1};
  EXPECT_EQUAL(launch_grid(run, "structures", grid, block, 0, params), OUTCOME_OK);
  for (int i = 0; i < 100; i++) {
    EXPECT_EQUAL(out[i].x, (int16_t)(in[i].x - origin.x));
    EXPECT_EQUAL(out[i].y, (int16_t)(in[i].y - origin.y));
    for (int k = 0; k < 5; k++) EXPECT_EQUAL(out[i].kind[k], (int8_t)(in[i].kind[k] * origin.kind[k]));
    EXPECT(out[i].weight == in[i].weight * origin.weight);
  }
}

void check_atomics(Run *run) {
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
    x[i] = (int64_t)random64(run);
    total += (uint64_t)x[i], want_real += (double)(x[i] >> 40), flips ^= (uint32_t)x[i], minus -= (uint32_t)i;
    low = x[i] < low ? x[i] : low, high = x[i] > high ? x[i] : high;
    chain = chain * 3 + 1;
  }
  uint64_t p[] = {BIND(run, sum),  BIND(run, least), BIND(run, real),
                  BIND(run, ring), BIND(run, bits),  BIND(run, x)};
  launch(run, "atomics", THREADS / 64, 64, p, 6, 0);
  EXPECT_EQUAL(sum[0], total);
  EXPECT(least[0] == low && least[1] == high);
  EXPECT(real[0] == want_real);
  EXPECT_EQUAL(ring[0], THREADS % 101);
  EXPECT_EQUAL(ring[1], (101 - THREADS % 101) % 101);
  EXPECT_EQUAL(ring[2], minus);
  EXPECT_EQUAL(bits[0], UINT32_MAX);
  EXPECT_EQUAL(bits[1], flips);
  memcpy(&want_bits64, &bits[2], sizeof want_bits64);
  EXPECT_EQUAL(want_bits64, 0);
  memcpy(&want_bits64, &bits[4], sizeof want_bits64);
  EXPECT_EQUAL(want_bits64, chain);
}
