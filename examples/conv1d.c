// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the mean of each TAPS neighbours with the kernel of reduce.tile. Compares with the result in
// double.
//   conv1d [DEVICE [N [TAPS [FILE]]]]
#include "host.h"

int main(int argc, char **argv) {
  Host host = host_open("conv1d", "reduce.tile", argc, argv);
  int64_t n = host_number(argc, argv, 1, 50000), taps = host_number(argc, argv, 2, 3);
  char define[32];
  snprintf(define, sizeof define, "TAPS=%d", (int)taps);
  // The input ends at the last element that a tap needs.
  Array *x = host_array(&host, TILEC_FP32, (size_t)(n + taps - 1), 1);
  Array *y = host_array(&host, TILEC_FP32, (size_t)n, 0);
  tilec_arg args[] = {host_arg(x), host_arg(y), tilec_arg_int(n)};
  host_launch(&host, "conv1d", define, args, 3);
  double *expected = host_doubles((size_t)n);
  for (int64_t i = 0; i < n; i++)
    for (int64_t t = 0; t < taps; t++) expected[i] += array_get(x, (size_t)(i + t)) / (double)taps;
  host_compare(&host, "means", y, expected,
               2 * 0x1p-24 * (double)(taps + 1)); // one rounding per tap, of at most 2
  free(expected);
  return host_close(&host);
}
