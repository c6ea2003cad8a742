// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes attention and its gradients with the kernels of attention_backward.tile. Compares with the result
// in double: all heads, or two heads of a large problem. On a GPU the backward pass is also timed.
//
//   attention_backward [DEVICE [BATCHES [HEADS [N [D [CAUSAL [BF16 [FILE]]]]]]]]
//
// D: 64 or 128. CAUSAL 1: a row attends to itself and the rows before it. BF16 1: bf16, else fp16.
#include "host.h"

enum { Q, K, V, DO, OUT, DQ, DK, DV, LSE, DELTA, SUM, ARRAYS }; // heads x n x d each, LSE and DELTA heads x n
enum { FORWARD, PREPARE, BACKWARD, FINISH, KERNELS };

typedef struct Problem {
  int64_t heads, n, d, causal; // heads: of all batches
  tilec_dtype dtype;
  Array *array[ARRAYS];
  tilec_kernel *kernel[KERNELS];
} Problem;

static void make_arrays(Host *host, Problem *p) {
  size_t rows = (size_t)(p->heads * p->n);
  for (int i = 0; i < ARRAYS; i++) {
    size_t blocks = (size_t)(p->heads * ((p->n + 63) / 64)), width = (size_t)p->d;
    size_t count = i == LSE || i == DELTA ? rows : i == SUM ? blocks * 64 * width : rows * width;
    p->array[i] = host_array(host, i < LSE ? p->dtype : TILEC_FP32, count, i < OUT ? 2 : 0);
  }
}

static void compile(Host *host, Problem *p) {
  static const char *const names[] = {"attention_forward", "attention_prepare", "attention_backward",
                                      "attention_finish"};
  char d[16];
  snprintf(d, sizeof d, "D=%d", (int)p->d);
  const char *causal = p->causal ? "CAUSAL=True" : "CAUSAL=False",
             *whole = p->n % 128 ? "WHOLE=False" : "WHOLE=True";
  const char *defines[KERNELS][3] = {{d, causal, whole}, {d}, {d, causal, whole}, {d}};
  for (int i = 0; i < KERNELS && !host->status; i++) {
    tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
    int products = i == FORWARD || i == BACKWARD;
    options.kernel = names[i];
    options.defines = defines[i];
    options.define_count = products ? 3 : 1;
    options.num_warps = products ? 8 : 4;
    options.num_stages = 2;
    options.restrict_pointers = 1; // no two arrays overlap, so loads may be prefetched past the atomic adds
    host->status = tilec_kernel_new(host->device, host->program, &options, &p->kernel[i]);
  }
}

// The kernel's parameters: the arrays, then the numbers.
static void launch(Host *host, const Problem *p, int kernel, const int *arrays, uint32_t count,
                   const tilec_arg *numbers, uint32_t more) {
  tilec_arg args[16];
  for (uint32_t i = 0; i < count + more; i++)
    args[i] = i < count ? host_arg(p->array[arrays[i]]) : numbers[i - count];
  if (!host->status) host->status = tilec_launch(p->kernel[kernel], NULL, args, count + more);
}

static void run(Host *host, const Problem *p, int backward) {
  tilec_arg n[] = {tilec_arg_float(1 / sqrt((double)p->d)), tilec_arg_int(p->heads), tilec_arg_int(p->n)};
  if (!backward) {
    launch(host, p, FORWARD, (int[]){Q, K, V, OUT, LSE}, 5, n, 3);
    return;
  }
  launch(host, p, PREPARE, (int[]){OUT, DO, DELTA, SUM}, 4, n + 1, 2);
  launch(host, p, BACKWARD, (int[]){Q, K, V, DO, LSE, DELTA, SUM, DK, DV}, 9, n, 3);
  launch(host, p, FINISH, (int[]){SUM, DQ}, 2, n, 3);
}

static void report_speed(Host *host, const Problem *p, int times) {
  double start = host_seconds(), n = (double)p->n,
         flops = 10.0 * (double)(p->heads * p->d) * n * n / (p->causal ? 2 : 1);
  for (int i = 0; i < times; i++) run(host, p, 1);
  if (!host->status) host->status = tilec_device_synchronize(host->device);
  double each = (host_seconds() - start) / times;
  if (!host->status) printf("attention_backward: %.1f us, %.1f TFLOP/s\n", each * 1e6, 1e-12 * flops / each);
}

// --- the same in double

static double product(const Array *a, size_t row_a, const Array *b, size_t row_b, size_t d) {
  double sum = 0;
  for (size_t i = 0; i < d; i++) sum += array_get(a, row_a * d + i) * array_get(b, row_b * d + i);
  return sum;
}

static void add_row(double *to, double factor, const Array *a, size_t row, size_t d) {
  for (size_t i = 0; i < d; i++) to[i] += factor * array_get(a, row * d + i);
}

// Adds one row's part to all results of its head, which begins at row `head`. powers, slopes: room for n.
static void expect_row(const Problem *p, size_t head, size_t row, double *const expected[], double *powers,
                       double *slopes) {
  size_t n = (size_t)p->n, d = (size_t)p->d, keys = p->causal ? row + 1 : n;
  Array *const *array = p->array;
  double most = -INFINITY, sum = 0, delta = 0, scale = 1 / sqrt((double)d);
  for (size_t j = 0; j < keys; j++)
    most = fmax(most, powers[j] = scale * product(array[Q], head + row, array[K], head + j, d));
  for (size_t j = 0; j < keys; j++) sum += powers[j] = exp(powers[j] - most);
  for (size_t j = 0; j < keys; j++) {
    slopes[j] = product(array[DO], head + row, array[V], head + j, d);
    delta += (powers[j] /= sum) * slopes[j];
  }
  for (size_t j = 0; j < keys; j++) {
    double ds = powers[j] * (slopes[j] - delta) * scale;
    add_row(expected[OUT] + row * d, powers[j], array[V], head + j, d);
    add_row(expected[DQ] + row * d, ds, array[K], head + j, d);
    add_row(expected[DK] + j * d, ds, array[Q], head + row, d);
    add_row(expected[DV] + j * d, powers[j], array[DO], head + row, d);
  }
}

// Powers, slopes and results are rounded to 16 bits. Together that is about three halves of the last place of
// the largest number.
static void compare(Host *host, const Problem *p, int result, const double *expected, size_t first,
                    size_t size) {
  static const char *const names[ARRAYS] = {[OUT] = "out", [DQ] = "dq", [DK] = "dk", [DV] = "dv"};
  double most = 1, allowed = p->dtype == TILEC_BF16 ? 3 * 0x1p-8 : 3 * 0x1p-11;
  for (size_t i = 0; i < size; i++) most = fmax(most, fabs(expected[i]));
  double worst = array_error(p->array[result], first, expected, size) / most;
  host->wrong += !(worst <= allowed);
  printf("attention_backward: %s: max error %.3g of the largest, allowed %.3g\n", names[result], worst,
         allowed);
}

static void check(Host *host, const Problem *p) {
  size_t size = (size_t)(p->n * p->d), step = p->heads > 3 ? (size_t)(p->heads + 1) / 2 : 1;
  double *expected[ARRAYS] = {NULL}, *powers = host_doubles((size_t)p->n),
         *slopes = host_doubles((size_t)p->n);
  for (int i = OUT; i <= DV; i++) {
    expected[i] = host_doubles(size);
    if (!host->status)
      host->status = tilec_buffer_read(p->array[i]->buffer, 0, p->array[i]->at, p->array[i]->n * 2);
  }
  for (size_t head = 0; !host->status && head < (size_t)p->heads; head += step) {
    for (int i = OUT; i <= DV; i++) memset(expected[i], 0, size * sizeof(double));
    for (size_t row = 0; row < (size_t)p->n; row++)
      expect_row(p, head * (size_t)p->n, row, expected, powers, slopes);
    for (int i = OUT; i <= DV; i++) compare(host, p, i, expected[i], head * size, size);
  }
  for (int i = OUT; i <= DV; i++) free(expected[i]);
  free(powers);
  free(slopes);
}

int main(int argc, char **argv) {
  Host host = host_open("attention_backward", "attention_backward.tile", argc, argv);
  int gpu = host_on_gpu(&host);
  Problem p = {.heads = host_number(argc, argv, 1, gpu ? 4 : 1) * host_number(argc, argv, 2, gpu ? 32 : 2)};
  p.n = host_number(argc, argv, 3, gpu ? 4096 : 128);
  p.d = host_number(argc, argv, 4, 64);
  p.causal = host_number(argc, argv, 5, 0);
  p.dtype = host_number(argc, argv, 6, 0) ? TILEC_BF16 : TILEC_FP16;
  make_arrays(&host, &p);
  compile(&host, &p);
  for (int backward = 0; backward < 2; backward++) run(&host, &p, backward);
  if (!host.status) host.status = tilec_device_synchronize(host.device);
  check(&host, &p);
  for (int i = 0; gpu && i < 2; i++) report_speed(&host, &p, 20);
  for (int i = 0; i < KERNELS; i++) tilec_kernel_free(p.kernel[i]);
  return host_close(&host);
}
