// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow, printing, assertions (tests/sim-kernels/control.cu), against C.
#include "tests/sim_nvcc/kernels.h"

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

void check_divergent(Run *run) {
  static uint32_t x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = (uint32_t)(random64(run) >> (32 + random64(run) % 32));
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "divergent", 3, 96, buffers, 2, N);
  for (int i = 0; i < N; i++) EXPECT_EQUAL(y[i], divergent(x[i]));
}

static uint32_t gcd(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t r = a % b;
    a = b, b = r;
  }
  return a;
}

void check_calls(Run *run) {
  static uint32_t x[129], y[4 * 128];
  for (int i = 0; i < 129; i++) x[i] = (uint32_t)(random64(run) % 100000);
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "calls", 1, 128, buffers, 2, 0);
  for (int t = 0; t < 128; t++) {
    uint32_t low[3] = {x[t], x[t] * 3, 7 * x[t]}, other[3] = {x[t + 1], 12, 5 + x[t]}, r[3];
    for (int i = 0; i < 3; i++) r[i] = gcd(low[i], other[2 - i]);
    EXPECT_EQUAL(y[4 * t], r[0] + (r[1] << 8));
    EXPECT_EQUAL(y[4 * t + 1], r[2]);
    EXPECT_EQUAL(y[4 * t + 2], (uint32_t)(((uint64_t)x[t] << 33) >> 32));
    EXPECT_EQUAL(y[4 * t + 3], x[127 - t]);
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

void check_switches(Run *run) {
  static int32_t x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = (int32_t)(random64(run) >> (random64(run) % 64));
  x[0] = -7, x[1] = 1000, x[2] = 123456;
  uint64_t buffers[] = {BIND(run, x), BIND(run, y)};
  launch(run, "switches", 8, 128, buffers, 2, N);
  for (int i = 0; i < N; i++) EXPECT_EQUAL(y[i], switched(x[i]));
}

// Returns true if `line` is a line of the text.
static bool has_line(const char *text, const char *line) {
  size_t n = strlen(line);
  for (; text; text = strchr(text, '\n'), text = text ? text + 1 : NULL)
    if (strncmp(text, line, n) == 0 && text[n] == '\n') return true;
  return false;
}

// Warps print in any order.
void check_prints(Run *run) {
  static const char *const lines[] = {"thread 0 of 64: device  0.00|a   |0x10000000000 %",
                                      "thread 1 of 64: device  1.50|b   |0x20000000000 %",
                                      "thread 2 of 64: device  3.00|c   |0x40000000000 %", "alone"};
  static char name[7];
  memcpy(name, "device", sizeof name);
  uint64_t buffers[] = {BIND(run, name)};
  launch(run, "prints", 1, 64, buffers, 1, 0);
  const char *text = run->machine->printed(run);
  size_t bytes = 0;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    bytes += strlen(lines[i]) + 1;
    EXPECT(has_line(text, lines[i]));
  }
  EXPECT_EQUAL(strlen(text), bytes);
}

void check_asserts(Run *run) {
  static int32_t x[64];
  for (int i = 0; i < 64; i++) x[i] = i == 37 ? -1 : 1;
  uint64_t px = BIND(run, x);
  const void *params[] = {&px};
  uint32_t grid[3] = {1, 1, 1}, block[3] = {64, 1, 1};
  EXPECT_EQUAL(launch_grid(run, "asserts", grid, block, 0, params), OUTCOME_ASSERT);
}
