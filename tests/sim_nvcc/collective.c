// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose threads work together (tests/sim-kernels/collective.cu), against C bit for bit.
#include "tests/sim_nvcc/kernels.h"

void check_warp_scan(Run *run) {
  static int32_t x[256], y[256];
  for (int i = 0; i < 256; i++) x[i] = (int32_t)random64(run);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "warp_scan", 2, 128, buffers, 2, 0);
  uint32_t sum = 0;
  for (int i = 0; i < 256; i++) {
    sum = (i % 32 ? sum : 0) + (uint32_t)x[i];
    EXPECT_EQUAL((uint32_t)y[i], sum);
  }
}

void check_block_scan(Run *run) {
  static uint32_t x[256], y[256];
  for (int i = 0; i < 256; i++) x[i] = (uint32_t)random64(run);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "block_scan", 1, 256, buffers, 2, 0);
  uint32_t sum = 0;
  for (int i = 0; i < 256; i++) {
    EXPECT_EQUAL(y[i], sum);
    sum += x[i];
  }
}

static int compare_words(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void check_bitonic_sort(Run *run) {
  static uint32_t x[512], want[512];
  for (int i = 0; i < 512; i++) want[i] = x[i] = (uint32_t)random64(run);
  qsort(want, 512, sizeof *want, compare_words);
  uint64_t buffers[] = {BIND(run, x)};
  launch(run, "bitonic_sort", 1, 256, buffers, 1, 0);
  EXPECT(memcmp(x, want, sizeof x) == 0);
}

void check_histogram(Run *run) {
  static uint8_t x[5000];
  static uint32_t counts[256], want[256];
  memset(counts, 0, sizeof counts);
  memset(want, 0, sizeof want);
  for (int i = 0; i < 5000; i++) want[x[i] = (uint8_t)(random64(run) & random64(run))]++;
  uint64_t buffers[] = {BIND(run, x), BIND(run, counts)};
  launch(run, "histogram", 3, 96, buffers, 2, 5000);
  EXPECT(memcmp(counts, want, sizeof counts) == 0);
}

void check_reduce(Run *run) {
  static float x[N], sum[1];
  static uint32_t votes[32];
  float want = 0;
  sum[0] = 0;
  for (int i = 0; i < N; i++) want += x[i] = (float)(random64(run) % 7);
  uint64_t buffers[] = {BIND(run, x), BIND(run, sum), BIND(run, votes)};
  launch(run, "reduce", 4, 256, buffers, 3, N);
  EXPECT(sum[0] == want);
  for (int w = 0; w < 32; w++) {
    uint32_t ballot = 0;
    for (int l = 0; l < 24; l++) ballot |= (uint32_t)(32 * w + l < N && x[32 * w + l] > 3) << l;
    EXPECT_EQUAL(votes[w], ballot | 1u << 24);
  }
}

void check_votes(Run *run) {
  static int32_t x[128], y[6 * 128];
  int odd = 0, low = 0, found = 0;
  for (int i = 0; i < 128; i++) {
    x[i] = i < 32 ? 70 + i % 9 : (int32_t)random64(run);
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
    EXPECT_EQUAL(got[0], odd);
    EXPECT_EQUAL(got[1], !low << 1 | found);
    EXPECT_EQUAL((uint32_t)got[2], same);
    EXPECT_EQUAL(got[3], all ? 3 : 0);
    EXPECT_EQUAL((uint32_t)got[4], sum ^ (uint32_t)most);
    EXPECT_EQUAL((uint32_t)got[5], bits + least);
  }
}

void check_lock(Run *run) {
  static int32_t words[2];
  memset(words, 0, sizeof words);
  uint64_t base = BIND(run, words), buffers[] = {base, base + 4};
  launch(run, "lock", 3, 64, buffers, 2, 0);
  EXPECT_EQUAL(words[0], 0);
  EXPECT_EQUAL(words[1], 3 * 64);
}

void check_chain(Run *run) {
  static int32_t x[20 * 64], sums[20], flags[20];
  memset(flags, 0, sizeof flags);
  for (int i = 0; i < 20 * 64; i++) x[i] = (int32_t)(random64(run) % 1000);
  uint64_t buffers[] = {BIND(run, x), BIND(run, sums), BIND(run, flags)};
  launch(run, "chain", 20, 64, buffers, 3, 0);
  int sum = 0;
  for (int i = 0; i < 20 * 64; i++) {
    sum += x[i];
    if (i % 64 == 63) EXPECT_EQUAL(sums[i / 64], sum);
  }
}
