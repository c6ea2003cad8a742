// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes y[r] = sum over d of x[r, d] * w[d] and its full gradient, with the kernels of weighted_sum.tile.
// Three launches: forward, backward (the gradient of x and one partial gradient of w per program), and the
// sum of the partials. Compares with the result in double.
//
//   weighted_sum [DEVICE [ROWS [D [FILE]]]]
//
#include "host.h"

enum { ROWS_TILE = 16 }; // as the kernels' default

static void forward(Host *host, Array *x, Array *w, int64_t rows, int64_t d) {
  Array *y = host_array(host, TILEC_FP32, (size_t)rows, 0);
  tilec_arg args[] = {host_arg(x),      host_arg(w),         host_arg(y),
                      tilec_arg_int(d), tilec_arg_int(1),    tilec_arg_int(1),
                      tilec_arg_int(1), tilec_arg_int(rows), tilec_arg_int(d)};
  host_launch(host, "weighted_sum_fwd", NULL, args, 9);
  double *expected = host_doubles((size_t)rows);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t i = 0; i < d; i++)
      expected[r] += array_get(x, (size_t)(r * d + i)) * array_get(w, (size_t)i);
  host_compare(host, "forward", y, expected, 4 * 0x1p-24 * (double)d); // a rounding a term of at most 4
  free(expected);
}

// The partial gradients of w, one row of d per program.
static Array *backward(Host *host, Array *x, Array *w, Array *g, int64_t rows, int64_t d) {
  int64_t tiles = (rows + ROWS_TILE - 1) / ROWS_TILE;
  Array *gx = host_array(host, TILEC_FP32, (size_t)(rows * d), 0);
  Array *partial = host_array(host, TILEC_FP32, (size_t)(tiles * d), 0);
  tilec_arg row = tilec_arg_int(d), one = tilec_arg_int(1);
  tilec_arg args[] = {
      host_arg(x), host_arg(w), host_arg(g), host_arg(gx),        host_arg(partial), row, one, one, one, row,
      one,         row,         one,         tilec_arg_int(rows), tilec_arg_int(d)};
  host_launch(host, "weighted_sum_bwd", NULL, args, 15);
  double *expected = host_doubles((size_t)(rows * d));
  for (int64_t i = 0; i < rows * d; i++)
    expected[i] = array_get(g, (size_t)(i / d)) * array_get(w, (size_t)(i % d));
  host_compare(host, "gradient of x", gx, expected, 0x1p-22); // one rounding of at most 4
  free(expected);
  return partial;
}

static void weight_gradient(Host *host, Array *x, Array *g, Array *partial, int64_t rows, int64_t d) {
  Array *gw = host_array(host, TILEC_FP32, (size_t)d, 0);
  tilec_arg args[] = {host_arg(partial), host_arg(gw), tilec_arg_int((rows + ROWS_TILE - 1) / ROWS_TILE),
                      tilec_arg_int(d)};
  host_launch(host, "column_sum", NULL, args, 4);
  double *expected = host_doubles((size_t)d);
  for (int64_t i = 0; i < rows * d; i++)
    expected[i % d] += array_get(x, (size_t)i) * array_get(g, (size_t)(i / d));
  host_compare(host, "gradient of w", gw, expected, 4 * 0x1p-24 * (double)rows);
  free(expected);
}

int main(int argc, char **argv) {
  Host host = host_open("weighted_sum", "weighted_sum.tile", argc, argv);
  int64_t rows = host_number(argc, argv, 1, 98), d = host_number(argc, argv, 2, 500);
  Array *x = host_array(&host, TILEC_FP32, (size_t)(rows * d), 1),
        *w = host_array(&host, TILEC_FP32, (size_t)d, 1);
  Array *g = host_array(&host, TILEC_FP32, (size_t)rows, 1);
  forward(&host, x, w, rows, d);
  Array *partial = backward(&host, x, w, g, rows, d);
  weight_gradient(&host, x, g, partial, rows, d);
  return host_close(&host);
}
