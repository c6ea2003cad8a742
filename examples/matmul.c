// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes c (M, N) = a (M, K) times b with the kernels of matmul.tile. Compares with the result in double:
// all elements, or 4096 of a large matrix. On a GPU it is also timed.
//
//   matmul [DEVICE [TYPE [FORM [M [N [K [FILE]]]]]]]
//
// TYPE: fp16, bf16, fp32, tf32, tf32x3, fp8 or int8.
// (tf32x3 is fp32 by tensor cores. fp8 is e4m3, to bf16. int8 sums to int32.)
//
// FORM: nn (b is K x N), nt (b is N x K), block and transposed (nn and nt with block pointers).
#include "host.h"

// M, N, K, warps, stages.
static const int tall[] = {256, 128, 64, 8, 4}, wide[] = {128, 256, 64, 8, 4}, small[] = {64, 64, 64, 4, 5},
                 tall_words[] = {256, 128, 32, 8, 4}, wide_words[] = {128, 256, 32, 8, 3},
                 narrow_words[] = {128, 64, 32, 4, 3}, square_words[] = {128, 128, 32, 8, 3},
                 bytes[] = {128, 256, 128, 8, 4};

typedef struct Type {
  const char *name;
  tilec_dtype in, out;
  tilec_fp32_dot fp32_dot;
  const int *nn, *nt;  // fastest tiles measured on an H200, for each order of b
  double operand, sum; // relative errors: of an operand; of a sum, relative to its terms' magnitudes
  double out_unit;     // of rounding c
} Type;

static const Type types[] = {
    {"fp16", TILEC_FP16, TILEC_FP16, TILEC_FP32_DOT_IEEE, tall, wide, 0, 0x1p-18, 0x1p-11},
    {"bf16", TILEC_BF16, TILEC_BF16, TILEC_FP32_DOT_IEEE, tall, wide, 0, 0x1p-18, 0x1p-8},
    {"fp32", TILEC_FP32, TILEC_FP32, TILEC_FP32_DOT_IEEE, wide_words, tall_words, 0, 0x1p-20, 0x1p-24},
    {"tf32", TILEC_FP32, TILEC_FP32, TILEC_FP32_DOT_TF32, tall_words, tall_words, 0x1p-10, 0x1p-17, 0x1p-24},
    {"tf32x3", TILEC_FP32, TILEC_FP32, TILEC_FP32_DOT_TF32X3, narrow_words, square_words, 0x1p-20, 0x1p-17,
     0},
    {"fp8", TILEC_FP8E4NV, TILEC_BF16, TILEC_FP32_DOT_IEEE, bytes, bytes, 0, 0x1p-10, 0x1p-8},
    {"int8", TILEC_I8, TILEC_I32, TILEC_FP32_DOT_IEEE, bytes, bytes, 0, 0, 0}};

typedef struct Problem {
  const Type *type;
  int transposed, blocks;
  int64_t m, n, k;
  Array *a, *b, *c;
} Problem;

static tilec_kernel *compile(Host *host, const Problem *p) {
  const int *tile = p->transposed ? p->type->nt : p->type->nn;
  int few = p->m <= 1024 && p->n <= 1024; // few tiles, if they were large
  if (tilec_dtype_bytes(p->type->in) == 2 && few) tile = small;
  char text[4][32];
  const char *defines[4] = {text[0], text[1], text[2], text[3]};
  for (int i = 0; i < 3; i++) snprintf(text[i], sizeof text[i], "BLOCK_%c=%d", "MNK"[i], tile[i]);
  snprintf(text[3], sizeof text[3], "TRANSPOSED=%s", p->transposed ? "True" : "False");
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = p->blocks ? "block_matmul" : "matmul";
  options.defines = defines;
  options.define_count = p->blocks ? 4 : 3;
  options.num_warps = tile[3];
  options.num_stages = tile[4];
  options.fp32_dot = p->type->fp32_dot;
  tilec_kernel *kernel = NULL;
  if (!host->status) host->status = tilec_kernel_new(host->device, host->program, &options, &kernel);
  return kernel;
}

static void launch(Host *host, const Problem *p, tilec_kernel *kernel, int times) {
  int64_t bk = p->transposed ? 1 : p->n, bn = p->transposed ? p->k : 1;
  tilec_arg args[] = {host_arg(p->a),      host_arg(p->b),      host_arg(p->c),      tilec_arg_int(p->m),
                      tilec_arg_int(p->n), tilec_arg_int(p->k), tilec_arg_int(p->k), tilec_arg_int(1),
                      tilec_arg_int(bk),   tilec_arg_int(bn)};
  for (int i = 0; i < times && !host->status; i++)
    host->status = tilec_launch(kernel, NULL, args, p->blocks ? 6 : 10);
  if (!host->status) host->status = tilec_device_synchronize(host->device);
}

// Launches one after another with the same arrays. Loads may hit the L2 cache.
static void report_speed(Host *host, const Problem *p, tilec_kernel *kernel) {
  launch(host, p, kernel, 20);
  double start = host_seconds();
  launch(host, p, kernel, 50);
  double each = (host_seconds() - start) / 50;
  if (!host->status)
    printf("matmul: %.1f us, %.1f TFLOP/s\n", each * 1e6,
           2e-12 * (double)p->m * (double)p->n * (double)p->k / each);
}

// The largest error, as a share of what the roundings allow. It must be at most 1.
static void check(Host *host, const Problem *p) {
  size_t all = p->c->n, step = (double)all * (double)p->k > 0x1p28 ? all / 4096 | 1 : 1, count = 0;
  double worst = 0, scale = p->type->in == TILEC_I8 ? 0.5 : 0;
  if (!host->status)
    host->status = tilec_buffer_read(p->c->buffer, 0, p->c->at, all * tilec_dtype_bytes(p->c->dtype));
  for (size_t i = 0; !host->status && i < all; i += step, count++) {
    double sum = 0, squares = 0, magnitude = 0;
    for (int64_t k = 0; k < p->k; k++) {
      size_t row = i / (size_t)p->n, column = i % (size_t)p->n;
      size_t b = p->transposed ? column * (size_t)p->k + (size_t)k : (size_t)k * (size_t)p->n + column;
      double term = array_get(p->a, row * (size_t)p->k + (size_t)k) * array_get(p->b, b);
      sum += term, squares += term * term, magnitude += fabs(term);
    }
    double allowed = p->type->out_unit * fabs(sum) + p->type->sum * magnitude +
                     8 * p->type->operand * sqrt(squares) + scale;
    double part = fabs(array_get(p->c, i) - sum) / fmax(allowed, 0x1p-100);
    if (!(part <= worst) && !isnan(worst)) worst = part; // a NaN stays
  }
  host->wrong += !(worst <= 1);
  printf("matmul: %s: %zu of %zu elements, error at most %.3g of what is allowed\n", p->type->name, count,
         all, worst);
}

int main(int argc, char **argv) {
  Host host = host_open("matmul", "matmul.tile", argc, argv);
  const char *type = argc > 2 && !strstr(argv[2], ".tile") ? argv[2] : "fp16";
  const char *form = argc > 3 && !strstr(argv[3], ".tile") ? argv[3] : "nt";
  int gpu = host_on_gpu(&host);
  int64_t size = gpu ? 4096 : 160;
  Problem p = {NULL,
               !strcmp(form, "nt") || !strcmp(form, "transposed"),
               !strcmp(form, "block") || !strcmp(form, "transposed"),
               host_number(argc, argv, 3, size),
               host_number(argc, argv, 4, size),
               host_number(argc, argv, 5, size),
               0,
               0,
               0};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i].name, type)) p.type = &types[i];
  if (!p.type || (!p.transposed && !p.blocks && strcmp(form, "nn") != 0)) {
    fprintf(stderr, "matmul: no type %s or form %s\n", type, form);
    return 2;
  }
  p.a = host_array(&host, p.type->in, (size_t)(p.m * p.k), 2);
  p.b = host_array(&host, p.type->in, (size_t)(p.k * p.n), 2);
  p.c = host_array(&host, p.type->out, (size_t)(p.m * p.n), 0);
  tilec_kernel *kernel = compile(&host, &p);
  launch(&host, &p, kernel, 1);
  check(&host, &p);
  if (gpu) report_speed(&host, &p, kernel);
  tilec_kernel_free(kernel);
  return host_close(&host);
}
