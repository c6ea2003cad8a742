// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string.h>

#include "tests/kernels/launch.h"
#include "tests/kernels/tests.h"

static int32_t corner(int32_t x, int32_t n, int64_t limit, bool relu) {
  if (relu) x = (x > 0 ? x : 0) + 2;
  int32_t a = x + 31, b = x - 1 + 6 + 2, c = 2 * x - 1;
  for (int32_t k = 0; k <= 3; k++) c ^= k << 3;
  int32_t y = a * 3 + b / 2 - c % 5 + 3 * 2 + 5 + (n % 2 == 0 ? 1 : 2);
  y = -10 <= limit && limit < 100 ? y * 2 : y - 1;
  float real = (float)y;
  int32_t bits;
  memcpy(&bits, &real, sizeof bits);
  y += bits >> 23 & 0xFF;
  return y + ((~x & 3) | (x == 0));
}

static void check_corners(uint32_t n, int limit, bool relu, bool added) {
  Launch l;
  launch_open(&l, "corners.py", "corners");
  const double *x = launch_random(&l, "x_ptr", "i32", n, -50, 50);
  launch_empty(&l, "out_ptr", "i32", n);
  if (added)
    launch_fill(&l, "f", "i32", 1, 1000);
  else
    launch_scalars(&l, "f=None");
  launch_scalars(&l, "n=%u limit=%d", n, limit);
  launch_constexprs(&l, "EVEN=%s", n % 32 ? "False" : "True");
  if (!relu) launch_constexprs(&l, "ACT=\"none\"");
  launch_kernel(&l, (n + 31) / 32, 2, 1);
  double *out = launch_array(&l, n);
  for (uint32_t i = 0; i < n; i++)
    out[i] = corner((int32_t)x[i], (int32_t)n, limit, relu) + (added ? 1000 : 0);
  launch_expect(&l, "out_ptr", out, 0);
  launch_close(&l);
}

KERNEL_TEST(corners) {
  check_corners(64, 99, true, false);
  check_corners(45, 100, false, true);
  check_corners(37, -10, false, false);
}
