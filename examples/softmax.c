// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the softmax of each row with the kernel of reduce.tile. Compares with the result in double.
//   softmax [DEVICE [ROWS [COLUMNS [FILE]]]]
#include "host.h"

static void expect(const Array *x, int64_t columns, double *expected) {
  for (size_t first = 0; first < x->n; first += (size_t)columns) {
    double most = -INFINITY, sum = 0;
    for (int64_t c = 0; c < columns; c++) most = fmax(most, array_get(x, first + (size_t)c));
    for (int64_t c = 0; c < columns; c++) sum += exp(array_get(x, first + (size_t)c) - most);
    for (int64_t c = 0; c < columns; c++)
      expected[first + (size_t)c] = exp(array_get(x, first + (size_t)c) - most) / sum;
  }
}

int main(int argc, char **argv) {
  Host host = host_open("softmax", "reduce.tile", argc, argv);
  int64_t rows = host_number(argc, argv, 1, 37), columns = host_number(argc, argv, 2, 781), block = 16;
  while (block < columns) block *= 2;
  char define[32];
  snprintf(define, sizeof define, "BLOCK=%d", (int)block);
  size_t n = (size_t)(rows * columns);
  Array *x = host_array(&host, TILEC_FP32, n, 1), *y = host_array(&host, TILEC_FP32, n, 0);
  tilec_arg args[] = {host_arg(x), host_arg(y), tilec_arg_int(columns), tilec_arg_int(rows),
                      tilec_arg_int(columns)};
  host_launch(&host, "softmax", define, args, 5);
  double *expected = host_doubles(n);
  expect(x, columns, expected);
  host_compare(&host, "rows", y, expected, 8 * 0x1p-24); // exp, the sum and the division, of at most 1
  free(expected);
  return host_close(&host);
}
