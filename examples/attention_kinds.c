// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the attention variants of models with the kernel of attention_kinds.tile. Compares with the result in
// double: all rows, or some rows of a large problem. On a GPU it is also timed.
// `attention_kinds [DEVICE [KIND [TYPE [BATCHES [HEADS [N [D]]]]]]] [FILE]`.
// KIND: plain, causal, grouped (4 query heads per key head), window, cap, alibi, sinks, all.
// Also packed: sequences of at most N.
// TYPE: fp16, bf16 or e4m3 (not packed; v with keys contiguous; fp16 results). D: 32, 64, 96 (not packed), 128, 256.
#include "host.h"

typedef struct Kind {
  const char *name;
  int group, causal, window, cap, alibi, sinks, packed;
} Kind;

static const Kind kinds[] = {
    {"plain", 1, 0, 0, 0, 0, 0, 0},    {"causal", 1, 1, 0, 0, 0, 0, 0}, {"grouped", 4, 1, 0, 0, 0, 0, 0},
    {"window", 1, 1, 200, 0, 0, 0, 0}, {"cap", 1, 0, 0, 1, 0, 0, 0},    {"alibi", 1, 1, 0, 0, 1, 0, 0},
    {"sinks", 1, 1, 0, 0, 0, 1, 0},    {"packed", 1, 1, 0, 0, 0, 0, 1}, {"all", 2, 1, 100, 1, 1, 1, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct Problem {
  const Kind *kind;
  tilec_dtype dtype;
  int64_t batches, heads, n, d, tokens; // of queries; packed: tokens of all batches, else n each
  Array *q, *k, *v, *out, *starts, *slopes, *sinks;
} Problem;

static const double scale = 0.0625, cap = 3;

// The number of rows of batch z. packed: n, n - 1, n - 3, n - 6, ... down to none.
static int64_t batch_rows(const Problem *p, int64_t z) {
  int64_t rows = p->n - z * (z + 1) / 2;
  return !p->kind->packed ? p->n : rows > 0 ? rows : 0;
}

static int64_t batch_start(const Problem *p, int64_t z) {
  int64_t start = 0;
  for (int64_t i = 0; i < z; i++) start += batch_rows(p, i);
  return start;
}

// The offset of the first element of a row, in one of `heads` heads.
static size_t row_at(const Problem *p, int64_t z, int64_t head, int64_t heads, int64_t row) {
  int64_t at = p->kind->packed ? (batch_start(p, z) + row) * heads + head : (z * heads + head) * p->n + row;
  return (size_t)(at * p->d);
}

// Element `column` of v for key `row`.
static double value_at(const Problem *p, int64_t z, int64_t head, int64_t heads, int64_t row,
                       int64_t column) {
  int64_t turned = ((z * heads + head) * p->d + column) * p->n + row;
  size_t at = row_at(p, z, head, heads, row) + (size_t)column;
  return array_get(p->v, p->dtype == TILEC_FP8E4NV ? (size_t)turned : at);
}

static tilec_kernel *compile(Host *host, const Problem *p) {
  enum { N = 12 };
  const Kind *kind = p->kind;
  int pad = 32;
  while (pad < p->d) pad *= 2;
  const char *names[N] = {"D",   "PAD",   "BLOCK_N", "GROUP",  "WINDOW", "CAUSAL",
                          "CAP", "ALIBI", "SINKS",   "PACKED", "WHOLE",  "TURNED"};
  const int values[N] = {(int)p->d,
                         pad,
                         pad == 256 ? 64 : 128,
                         kind->group,
                         kind->window,
                         kind->causal,
                         kind->cap,
                         kind->alibi,
                         kind->sinks,
                         kind->packed,
                         !kind->packed && p->n % 128 == 0,
                         p->dtype == TILEC_FP8E4NV};
  char text[N][32];
  const char *defines[N];
  for (int i = 0; i < N; i++) {
    snprintf(text[i], sizeof *text, "%s=%d", names[i], values[i]);
    defines[i] = text[i];
  }
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.defines = defines;
  options.define_count = N;
  options.num_warps = 8; // two warpgroups, which use the tensor cores one after the other
  options.num_stages = 2;
  tilec_kernel *kernel = NULL;
  if (!host->status) host->status = tilec_kernel_new(host->device, host->program, &options, &kernel);
  return kernel;
}

static void launch(Host *host, const Problem *p, tilec_kernel *kernel, int times) {
  tilec_arg args[] = {host_arg(p->q),          host_arg(p->k),
                      host_arg(p->v),          host_arg(p->out),
                      host_arg(p->starts),     host_arg(p->slopes),
                      host_arg(p->sinks),      tilec_arg_float(scale),
                      tilec_arg_float(cap),    tilec_arg_int(p->batches),
                      tilec_arg_int(p->heads), tilec_arg_int(p->n),
                      tilec_arg_int(p->tokens)};
  for (int i = 0; i < times && !host->status; i++)
    host->status = tilec_launch(kernel, NULL, args, sizeof args / sizeof *args);
  if (!host->status) host->status = tilec_device_synchronize(host->device);
}

// Computes the expected row. weights: room for n.
static void expect_row(const Problem *p, int64_t z, int64_t head, int64_t row, double *weights,
                       double *expected) {
  const Kind *kind = p->kind;
  int64_t end = kind->causal ? row + 1 : batch_rows(p, z), kv_heads = p->heads / kind->group,
          kv = head / kind->group;
  int64_t from = kind->window && end > kind->window ? end - kind->window : 0;
  size_t at = row_at(p, z, head, p->heads, row);
  double most = -INFINITY, sum = 0, sink = kind->sinks ? array_get(p->sinks, (size_t)head) : 0;
  for (int64_t j = from; j < end; j++) {
    double s = 0;
    for (int64_t i = 0; i < p->d; i++)
      s += array_get(p->q, at + (size_t)i) * array_get(p->k, row_at(p, z, kv, kv_heads, j) + (size_t)i);
    s = kind->cap ? cap * tanh(s * scale / cap) : s * scale;
    weights[j] = s + (kind->alibi ? array_get(p->slopes, (size_t)head) * (double)(j - row) : 0);
    most = fmax(most, weights[j]);
  }
  for (int64_t j = from; j < end; j++) sum += weights[j] = exp(weights[j] - most);
  if (kind->sinks) sum += exp(sink - most);
  for (int64_t i = 0; i < p->d; i++) expected[i] = 0;
  for (int64_t j = from; j < end; j++)
    for (int64_t i = 0; i < p->d; i++) expected[i] += weights[j] / sum * value_at(p, z, kv, kv_heads, j, i);
}

// Weights and results are rounded to the type. Each rounding is half a unit, for values up to 2. Capped
// scores come from tanh.approx, with a relative error of 2^-11.
static void check(Host *host, const Problem *p) {
  double unit = p->dtype == TILEC_FP16   ? 0x1p-11
                : p->dtype == TILEC_BF16 ? 0x1p-8
                                         : 0x1p-5,
         worst = 0, *weights = host_doubles((size_t)p->n);
  double allowed = 2 * 2 * unit + (p->kind->cap ? 2 * 2 * cap * 0x1p-11 : 0),
         *expected = host_doubles((size_t)p->d);
  int64_t count = 0, step = p->tokens * p->heads * p->n * p->d > INT64_C(1) << 27 ? 509 : 1;
  if (!host->status) host->status = tilec_buffer_read(p->out->buffer, 0, p->out->at, p->out->n * 2);
  for (int64_t z = 0; !host->status && z < p->batches; z++)
    for (int64_t i = 0; i < p->heads * batch_rows(p, z); i += step, count++) {
      int64_t head = i % p->heads, row = i / p->heads;
      expect_row(p, z, head, row, weights, expected);
      for (int64_t c = 0; c < p->d; c++) {
        double error = fabs(array_get(p->out, row_at(p, z, head, p->heads, row) + (size_t)c) - expected[c]);
        if (!(error <= worst) && !isnan(worst)) worst = error; // a NaN stays
      }
    }
  host->wrong += !(worst <= allowed);
  printf("attention, %s: %lld rows, max error %.3g, allowed %.3g\n", p->kind->name, (long long)count, worst,
         allowed);
  free(weights);
  free(expected);
}

static void make_arrays(Host *host, Problem *p) {
  p->tokens = batch_start(p, p->batches);
  int64_t rows = p->tokens, kv_heads = p->heads / p->kind->group;
  p->q = host_array(host, p->dtype, (size_t)(rows * p->heads * p->d), 1);
  p->k = host_array(host, p->dtype, (size_t)(rows * kv_heads * p->d), 1);
  p->v = host_array(host, p->dtype, (size_t)(rows * kv_heads * p->d), 1);
  p->out = host_array(host, p->dtype == TILEC_FP8E4NV ? TILEC_FP16 : p->dtype,
                      (size_t)(rows * p->heads * p->d), 0);
  p->starts = host_array(host, TILEC_I32, (size_t)p->batches + 1, 0);
  p->slopes = host_array(host, TILEC_FP32, (size_t)p->heads, 0);
  p->sinks = host_array(host, TILEC_FP32, (size_t)p->heads, 1);
  for (int64_t z = 0; z <= p->batches; z++) ((int32_t *)p->starts->at)[z] = (int32_t)batch_start(p, z);
  for (int64_t h = 0; h < p->heads; h++)
    array_set(p->slopes, (size_t)h, exp2(-8.0 * (double)(h + 1) / (double)p->heads));
  host_upload(host, p->starts);
  host_upload(host, p->slopes);
}

static const char *word(int argc, char **argv, int index, const char *otherwise) {
  return argc > index && !strstr(argv[index], ".tile") ? argv[index] : otherwise;
}

int main(int argc, char **argv) {
  Host host = host_open("attention_kinds", "attention_kinds.tile", argc, argv);
  int gpu = host_on_gpu(&host), kind = 0;
  const char *name = word(argc, argv, 2, "grouped"), *type = word(argc, argv, 3, "fp16");
  while (kind < KINDS && strcmp(kinds[kind].name, name)) kind++;
  tilec_dtype dtype = !strcmp(type, "fp16") ? TILEC_FP16 : !strcmp(type, "bf16") ? TILEC_BF16 : TILEC_FP8E4NV;
  if (kind == KINDS || (dtype == TILEC_FP8E4NV && (strcmp(type, "e4m3") || kinds[kind].packed)))
    return fprintf(stderr, "no kind %s of %s\n", name, type), 2;
  Problem p = {.kind = &kinds[kind], .dtype = dtype};
  p.batches = host_number(argc, argv, 3, gpu ? 4 : 2);
  p.heads = host_number(argc, argv, 4, gpu ? 32 : 4);
  p.n = host_number(argc, argv, 5, gpu ? 4096 : 150);
  p.d = host_number(argc, argv, 6, gpu ? 128 : 64);
  make_arrays(&host, &p);
  tilec_kernel *kernel = compile(&host, &p);
  launch(&host, &p, kernel, 1);
  check(&host, &p);
  double start = host_seconds();
  if (gpu) launch(&host, &p, kernel, 50);
  if (gpu && !host.status) printf("attention, %s: %.1f us\n", name, (host_seconds() - start) / 50 * 1e6);
  tilec_kernel_free(kernel);
  return host_close(&host);
}
