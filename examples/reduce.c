// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the sum of a vector with the kernels of reduce.tile. First in two launches: a sum per program,
// then the sum of those. Then in one launch with atomics. Compares with the sum in double.
//
//   reduce [DEVICE [N [FILE]]]
//
#include "host.h"

enum { BLOCK = 4096 }; // as the kernels' default

int main(int argc, char **argv) {
  Host host = host_open("reduce", "reduce.tile", argc, argv);
  int64_t n = host_number(argc, argv, 1, 100003), left = n;
  Array *x = host_array(&host, TILEC_FP32, (size_t)n, 1), *sums = x;
  double expected = 0;
  for (int64_t i = 0; i < n; i++) expected += array_get(x, (size_t)i);
  // A sum of n numbers below 2 in any order. Allows the roundings of a tree of partial sums.
  double allowed = 2 * 0x1p-24 * (double)(n + 1);

  do {
    int64_t programs = (left + BLOCK - 1) / BLOCK;
    Array *next = host_array(&host, TILEC_FP32, (size_t)(programs ? programs : 1), 0);
    if (!programs) memset(next->at, 0, sizeof(float)); // no program writes
    host_upload(&host, next);
    tilec_arg args[] = {host_arg(sums), host_arg(next), tilec_arg_int(left)};
    host_launch(&host, "partial_sum", NULL, args, 3);
    sums = next;
    left = programs;
  } while (left > 1);
  host_compare(&host, "in launches", sums, &expected, allowed);

  Array *total = host_array(&host, TILEC_FP32, 1, 0);
  memset(total->at, 0, sizeof(float));
  host_upload(&host, total);
  tilec_arg args[] = {host_arg(x), host_arg(total), tilec_arg_int(n)};
  host_launch(&host, "atomic_sum", NULL, args, 3);
  host_compare(&host, "by atomics", total, &expected, allowed);
  return host_close(&host);
}
