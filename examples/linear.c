// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes y (M, N) = x (M, K) times w (N, K) transposed with the kernels of linear.tile, in bf16. Compares
// with the result in double: all elements, or 4096 of a large matrix. On a GPU it is also timed.
//
//   linear [DEVICE [FORM [M [N [K [FILE]]]]]]
//
// FORM: layer is gelu(x w^T / sqrt(K) + bias) + residual. split and stream are split-K and stream-K, for few
// rows. A grouped launch does PROBLEMS matmuls, each with 1 to M rows and its own w.
#include "host.h"

enum { PROBLEMS = 4, SPLIT = 4, STREAMS = 132, TILE = 64, LAYER = 0, SPLIT_K, STREAM_K, GROUPED, FORMS };
static const char *const forms[FORMS] = {"layer", "split", "stream", "grouped"};

typedef struct Problem {
  int form;
  int64_t m, n, k, rows; // rows: m, or the sum over all problems
  int32_t begin[PROBLEMS + 1];
  Array *x, *w, *y, *bias, *residual, *parts, *counts; // counts: arrivals, or where problems begin
  tilec_kernel *kernels[2];
} Problem;

static int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static tilec_kernel *compile(Host *host, const char *name, int rows, int programs) {
  char text[3][32];
  const char *defines[] = {text[0], text[1], text[2]};
  snprintf(text[0], sizeof text[0], "BLOCK_M=%d", rows);
  snprintf(text[1], sizeof text[1], "BLOCK_N=%d", TILE);
  snprintf(text[2], sizeof text[2], "PROGRAMS=%d", programs);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = name;
  options.defines = defines;
  options.define_count = !strcmp(name, "sum_parts") ? 0 : programs ? 3 : 2;
  options.num_stages = 4;
  tilec_kernel *kernel = NULL;
  if (!host->status) host->status = tilec_kernel_new(host->device, host->program, &options, &kernel);
  return kernel;
}

static void start(Host *host, tilec_kernel *kernel, int64_t grid, const tilec_arg *args, size_t count) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT; // without a grid: the kernel's @grid
  if (grid) options.grid[0] = grid, options.grid[1] = options.grid[2] = 1;
  if (!host->status) host->status = tilec_launch(kernel, &options, args, count);
}

static void launch(Host *host, const Problem *p) {
  tilec_arg x = host_arg(p->x), w = host_arg(p->w), y = host_arg(p->y), m = tilec_arg_int(p->m),
            n = tilec_arg_int(p->n), k = tilec_arg_int(p->k);
  if (p->form == LAYER) {
    tilec_arg args[] = {
        x, w, host_arg(p->bias), host_arg(p->residual), y, tilec_arg_float(1 / sqrt((double)p->k)), m, n, k};
    start(host, p->kernels[0], 0, args, 9);
  } else if (p->form == SPLIT_K) {
    tilec_arg args[] = {x, w, host_arg(p->parts), m, n, k},
              sum[] = {host_arg(p->parts), y, tilec_arg_int(p->m * p->n)};
    start(host, p->kernels[0], 0, args, 6);
    start(host, p->kernels[1], 0, sum, 3);
  } else if (p->form == STREAM_K) {
    tilec_arg args[] = {x, w, y, host_arg(p->parts), host_arg(p->counts), m, n, k};
    start(host, p->kernels[0], 0, args, 8);
  } else {
    int64_t tiles = 0;
    for (int g = 0; g < PROBLEMS; g++) tiles += cdiv(p->begin[g + 1] - p->begin[g], TILE) * cdiv(p->n, TILE);
    tilec_arg args[] = {x, w, y, host_arg(p->counts), n, k};
    start(host, p->kernels[0], tiles, args, 6);
  }
}

static void report_speed(Host *host, const Problem *p) {
  double begin = 0;
  for (int i = 0; i < 70 && !host->status; i++) {
    if (i == 20) host->status = tilec_device_synchronize(host->device), begin = host_seconds();
    launch(host, p);
  }
  if (!host->status) host->status = tilec_device_synchronize(host->device);
  double each = (host_seconds() - begin) / 50, flops = 2.0 * (double)p->rows * (double)p->n * (double)p->k;
  if (!host->status) printf("linear: %.1f us, %.1f TFLOP/s\n", each * 1e6, 1e-12 * flops / each);
}

// Element i of y in double. *magnitude: the sum of its terms' magnitudes.
static double expect(const Problem *p, size_t i, double *magnitude) {
  size_t row = i / (size_t)p->n, column = i % (size_t)p->n, k = (size_t)p->k, problem = 0;
  while (p->form == GROUPED && (int64_t)row >= p->begin[problem + 1]) problem++;
  double sum = 0;
  *magnitude = 0;
  for (size_t j = 0; j < k; j++) {
    double term = array_get(p->x, row * k + j) * array_get(p->w, (problem * (size_t)p->n + column) * k + j);
    sum += term, *magnitude += fabs(term);
  }
  if (p->form != LAYER) return sum;
  double z = sum / sqrt((double)k) + array_get(p->bias, column);
  return 0.5 * z * (1 + tanh(sqrt(2 / acos(-1)) * (z + 0.044715 * z * z * z))) + array_get(p->residual, i);
}

// The largest error, as a share of what the roundings allow. It must be at most 1.
static void check(Host *host, const Problem *p) {
  size_t all = p->y->n, step = (double)all * (double)p->k > 0x1p28 ? all / 4096 | 1 : 1;
  double worst = 0, magnitude;
  if (!host->status)
    host->status = tilec_buffer_read(p->y->buffer, 0, p->y->at, all * tilec_dtype_bytes(TILEC_BF16));
  for (size_t i = 0; !host->status && i < all; i += step) {
    double expected = expect(p, i, &magnitude);
    double allowed = 0x1p-8 * fabs(expected) + 0x1p-18 * magnitude + (p->form == LAYER ? 0x1p-18 : 0);
    double part = fabs(array_get(p->y, i) - expected) / fmax(allowed, 0x1p-100);
    if (!(part <= worst) && !isnan(worst)) worst = part; // a NaN stays
  }
  host->wrong += !(worst <= 1);
  printf("linear: %s: %zu elements, error at most %.3g of what is allowed\n", forms[p->form], all, worst);
}

static void make(Host *host, Problem *p, int gpu) {
  int programs = gpu ? STREAMS : 5;
  size_t tiles = (size_t)(cdiv(p->m, TILE) * cdiv(p->n, TILE));
  static const char *const names[FORMS] = {"linear", "split_k", "stream_k", "grouped"};
  for (int g = 0; p->form == GROUPED && g < PROBLEMS; g++)
    p->begin[g + 1] = p->begin[g] + (int32_t)cdiv(p->m * (g + 1), PROBLEMS);
  p->rows = p->form == GROUPED ? p->begin[PROBLEMS] : p->m;
  p->x = host_array(host, TILEC_BF16, (size_t)(p->rows * p->k), 2);
  p->w = host_array(host, TILEC_BF16, (size_t)(p->n * p->k) * (p->form == GROUPED ? PROBLEMS : 1), 2);
  p->y = host_array(host, TILEC_BF16, (size_t)(p->rows * p->n), 0);
  p->bias = host_array(host, TILEC_BF16, (size_t)p->n, 2);
  p->residual = host_array(host, TILEC_BF16, (size_t)(p->rows * p->n), 2);
  p->parts = host_array(
      host, TILEC_FP32,
      p->form == SPLIT_K ? (size_t)(SPLIT * p->m * p->n) : (size_t)(2 * programs * TILE * TILE), 0);
  p->counts = host_array(host, TILEC_I32, p->form == GROUPED ? PROBLEMS + 1 : tiles, 0);
  for (size_t i = 0; i < p->counts->n; i++)
    ((int32_t *)p->counts->at)[i] = p->form == GROUPED ? p->begin[i] : 0;
  host_upload(host, p->counts);
  p->kernels[0] =
      compile(host, names[p->form], p->form == SPLIT_K ? 16 : TILE, p->form == STREAM_K ? programs : 0);
  if (p->form == SPLIT_K) p->kernels[1] = compile(host, "sum_parts", 0, 0);
}

int main(int argc, char **argv) {
  Host host = host_open("linear", "linear.tile", argc, argv);
  const char *form = argc > 2 && !strstr(argv[2], ".tile") ? argv[2] : "layer";
  int gpu = host_on_gpu(&host);
  Problem p = {.m = host_number(argc, argv, 2, gpu ? 512 : 70),
               .n = host_number(argc, argv, 3, gpu ? 4096 : 130),
               .k = host_number(argc, argv, 4, gpu ? 4096 : 200)};
  while (p.form < FORMS && strcmp(forms[p.form], form) != 0) p.form++;
  if (p.form == FORMS) {
    fprintf(stderr, "linear: no form %s\n", form);
    return 2;
  }
  make(&host, &p, gpu);
  launch(&host, &p);
  if (p.form == STREAM_K) launch(&host, &p); // works only if the first launch has reset the counters
  if (!host.status) host.status = tilec_device_synchronize(host.device);
  check(&host, &p);
  if (gpu) report_speed(&host, &p);
  for (int i = 0; i < 2; i++) tilec_kernel_free(p.kernels[i]);
  return host_close(&host);
}
