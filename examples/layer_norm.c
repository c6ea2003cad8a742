// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layer normalisation of fp16 rows with the kernel of reduce.tile. Compares with the result in double.
//   layer_norm [DEVICE [ROWS [COLUMNS [FILE]]]]
#include "host.h"

static void expect(const Array *x, const Array *w, const Array *b, double eps, double *expected) {
  size_t columns = w->n;
  for (size_t first = 0; first < x->n; first += columns) {
    double mean = 0, variance = 0;
    for (size_t c = 0; c < columns; c++) mean += array_get(x, first + c) / (double)columns;
    for (size_t c = 0; c < columns; c++) variance += pow(array_get(x, first + c) - mean, 2) / (double)columns;
    for (size_t c = 0; c < columns; c++)
      expected[first + c] =
          (array_get(x, first + c) - mean) / sqrt(variance + eps) * array_get(w, c) + array_get(b, c);
  }
}

int main(int argc, char **argv) {
  const double eps = 0x1p-16;
  Host host = host_open("layer_norm", "reduce.tile", argc, argv);
  int64_t rows = host_number(argc, argv, 1, 9), columns = host_number(argc, argv, 2, 2500);
  size_t n = (size_t)(rows * columns);
  Array *x = host_array(&host, TILEC_FP16, n, 1), *w = host_array(&host, TILEC_FP16, (size_t)columns, 1);
  Array *b = host_array(&host, TILEC_FP16, (size_t)columns, 1), *y = host_array(&host, TILEC_FP16, n, 0);
  tilec_arg args[] = {host_arg(x),         host_arg(w),         host_arg(b),
                      host_arg(y),         tilec_arg_int(rows), tilec_arg_int(columns),
                      tilec_arg_float(eps)};
  host_launch(&host, "layer_norm", NULL, args, 7);
  double *expected = host_doubles(n);
  expect(x, w, b, eps, expected);
  host_compare(&host, "rows", y, expected,
               0x1p-8); // half a unit of fp16 up to 8, and the fp32 roundings before it
  free(expected);
  return host_close(&host);
}
