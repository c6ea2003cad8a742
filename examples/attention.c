// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes softmax(q k^T / sqrt(D)) v of each batch and head with the kernel of attention.tile, in fp16.
// Compares with the result in double: all rows, or 64 rows of a large problem. On a GPU it is also timed.
//
//   attention [DEVICE [BATCHES [HEADS [N [D [CAUSAL [FILE]]]]]]]
//
// D: 64 or 128. CAUSAL 1: a row attends to itself and the rows before it.
#include "host.h"

typedef struct Problem {
  int64_t batches, heads, n, d; // all arrays: batches x heads x n x d
  int causal;
  Array *q, *k, *v, *out;
} Problem;

static tilec_kernel *compile(Host *host, const Problem *p) {
  enum { ROWS = 128 };
  char d[16];
  snprintf(d, sizeof d, "D=%d", (int)p->d);
  const char *defines[] = {d, "BLOCK_N=64", "BLOCK_M=128", p->causal ? "CAUSAL=True" : "CAUSAL=False",
                           p->n % ROWS ? "WHOLE=False" : "WHOLE=True"};
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = "attention";
  options.defines = defines;
  options.define_count = sizeof defines / sizeof *defines;
  options.num_warps = p->d > 64 ? 4 : 8; // fastest on an H200
  options.num_stages = p->d > 64 ? 2 : 3;
  tilec_kernel *kernel = NULL;
  if (!host->status) host->status = tilec_kernel_new(host->device, host->program, &options, &kernel);
  return kernel;
}

static void launch(Host *host, const Problem *p, tilec_kernel *kernel, int times) {
  tilec_arg args[] = {host_arg(p->q),
                      host_arg(p->k),
                      host_arg(p->v),
                      host_arg(p->out),
                      tilec_arg_float(1 / sqrt((double)p->d)),
                      tilec_arg_int(p->batches * p->heads),
                      tilec_arg_int(p->n)};
  for (int i = 0; i < times && !host->status; i++) host->status = tilec_launch(kernel, NULL, args, 7);
  if (!host->status) host->status = tilec_device_synchronize(host->device);
}

static void report_speed(Host *host, const Problem *p, tilec_kernel *kernel) {
  launch(host, p, kernel, 20);
  double start = host_seconds();
  launch(host, p, kernel, 50);
  double each = (host_seconds() - start) / 50, n = (double)p->n;
  double flops = 4.0 * (double)(p->batches * p->heads * p->d) * n * n / (p->causal ? 2 : 1);
  if (!host->status) printf("attention: %.1f us, %.1f TFLOP/s\n", each * 1e6, 1e-12 * flops / each);
}

// Computes row `row`, counted over all heads. weights: room for n.
static void expect_row(const Problem *p, size_t row, double *weights, double *expected) {
  size_t n = (size_t)p->n, d = (size_t)p->d, head = row / n * n, keys = p->causal ? row - head + 1 : n;
  double most = -INFINITY, sum = 0;
  for (size_t j = 0; j < keys; j++) {
    weights[j] = 0;
    for (size_t i = 0; i < d; i++)
      weights[j] += array_get(p->q, row * d + i) * array_get(p->k, (head + j) * d + i);
    weights[j] /= sqrt((double)d);
    most = fmax(most, weights[j]);
  }
  for (size_t j = 0; j < keys; j++) sum += weights[j] = exp(weights[j] - most);
  for (size_t i = 0; i < d; i++) {
    expected[i] = 0;
    for (size_t j = 0; j < keys; j++) expected[i] += weights[j] / sum * array_get(p->v, (head + j) * d + i);
  }
}

// Weights and results are rounded to fp16. Each rounding is half a unit of 2^-10, for values up to 2.
static void check(Host *host, const Problem *p) {
  size_t rows = p->out->n / (size_t)p->d, count = 0;
  size_t step = (double)p->out->n * (double)p->n > 0x1p27 ? rows / 64 | 1 : 1;
  double worst = 0, allowed = 2 * 2 * 0x1p-11, *weights = host_doubles((size_t)p->n),
         *expected = host_doubles((size_t)p->d);
  if (!host->status) host->status = tilec_buffer_read(p->out->buffer, 0, p->out->at, p->out->n * 2);
  for (size_t row = 0; !host->status && row < rows; row += step, count++) {
    expect_row(p, row, weights, expected);
    for (size_t i = 0; i < (size_t)p->d; i++) {
      double error = fabs(array_get(p->out, row * (size_t)p->d + i) - expected[i]);
      if (!(error <= worst) && !isnan(worst)) worst = error; // a NaN stays
    }
  }
  host->wrong += !(worst <= allowed);
  printf("attention: %zu of %zu rows, max error %.3g, allowed %.3g\n", count, rows, worst, allowed);
  free(weights);
  free(expected);
}

int main(int argc, char **argv) {
  Host host = host_open("attention", "attention.tile", argc, argv);
  int gpu = host_on_gpu(&host);
  Problem p = {host_number(argc, argv, 1, gpu ? 3 : 1),
               host_number(argc, argv, 2, gpu ? 11 : 3),
               host_number(argc, argv, 3, gpu ? 4096 : 192),
               host_number(argc, argv, 4, 64),
               host_number(argc, argv, 5, 0) != 0,
               NULL,
               NULL,
               NULL,
               NULL};
  size_t count = (size_t)(p.batches * p.heads * p.n * p.d);
  p.q = host_array(&host, TILEC_FP16, count, 2);
  p.k = host_array(&host, TILEC_FP16, count, 2);
  p.v = host_array(&host, TILEC_FP16, count, 2);
  p.out = host_array(&host, TILEC_FP16, count, 0);
  tilec_kernel *kernel = compile(&host, &p);
  launch(&host, &p, kernel, 1);
  check(&host, &p);
  if (gpu) report_speed(&host, &p, kernel);
  tilec_kernel_free(kernel);
  return host_close(&host);
}
