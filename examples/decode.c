// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of a sequence's last positions to all its keys, with the kernels of decode.tile. Four query heads
// share one key head, with 128 columns. Compares with the result in double: all rows, or 64 rows of a large
// problem. On a GPU it is also timed.
//
//   decode [DEVICE [QUERIES [KEYS [KV_HEADS [BATCH [PAGE [BF16 [FILE]]]]]]]]
//
// PAGE: keys per page, a power of two up to 128. 0: keys are contiguous. BF16 1: bf16, else fp16.
// Sequence b has KEYS - b KEYS / (4 BATCH) keys.
#include "host.h"

enum { GROUP = 4, COLUMNS = 128, PROGRAMS = 132, KEYS_A_BLOCK = 64 };

typedef struct Problem {
  int64_t queries, keys, kv_heads, batch, page;
  int64_t capacity, rows, parts; // capacity: room for keys; rows: per key head
  tilec_dtype dtype;
  tilec_kernel *decode, *combine;
  Array *q, *k, *v, *table, *lengths, *sums, *tops, *out;
} Problem;

// One program per multiprocessor of a large GPU. Two if addresses are loaded for each key.
static int64_t count_parts(const Problem *p) {
  int64_t programs = p->page && p->page < KEYS_A_BLOCK ? 2 * PROGRAMS : PROGRAMS,
          groups = p->batch * p->kv_heads;
  return programs < groups ? 1 : programs / groups;
}

static tilec_kernel *compile(Host *host, const Problem *p, const char *name, size_t count) {
  char text[4][32];
  const char *defines[] = {text[0], text[1], text[2], text[3]};
  snprintf(text[0], 32, "ROWS=%d", (int)p->rows);
  snprintf(text[1], 32, "PARTS=%d", (int)p->parts);
  snprintf(text[2], 32, "QUERIES=%d", (int)p->queries);
  snprintf(text[3], 32, "PAGE=%d", (int)p->page);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = name;
  options.defines = defines;
  options.define_count = count;
  options.overlap = 1; // combine starts while decode ends
  tilec_kernel *kernel = NULL;
  if (!host->status) host->status = tilec_kernel_new(host->device, host->program, &options, &kernel);
  return kernel;
}

static void launch(Host *host, const Problem *p, int times) {
  const Array *arrays[] = {p->q, p->k, p->v, p->table, p->lengths, p->sums, p->tops};
  int64_t sizes[] = {p->kv_heads, p->batch, p->capacity};
  tilec_arg args[11], parts[] = {host_arg(p->sums), host_arg(p->tops), host_arg(p->out),
                                 tilec_arg_int(p->batch * p->kv_heads)};
  for (int i = 0; i < 7; i++) args[i] = host_arg(arrays[i]);
  args[7] = tilec_arg_float(1 / sqrt((double)COLUMNS));
  for (int i = 0; i < 3; i++) args[8 + i] = tilec_arg_int(sizes[i]);
  for (int i = 0; i < times && !host->status; i++) {
    host->status = tilec_launch(p->decode, NULL, args, 11);
    if (!host->status) host->status = tilec_launch(p->combine, NULL, parts, 4);
  }
  if (!host->status) host->status = tilec_device_synchronize(host->device);
}

static int64_t length_of(const Problem *p, int64_t b) { return p->keys - b * p->keys / (4 * p->batch); }

static void report_speed(Host *host, const Problem *p) {
  launch(host, p, 20);
  double start = host_seconds(), bytes = 0;
  launch(host, p, 50);
  double each = (host_seconds() - start) / 50;
  for (int64_t b = 0; b < p->batch; b++) bytes += 4.0 * (double)(p->kv_heads * length_of(p, b) * COLUMNS);
  if (!host->status) printf("decode: %.1f us, %.0f GB/s\n", each * 1e6, 1e-9 * bytes / each);
}

// Pages in random order, and the number of keys of each sequence.
static void fill_tables(Host *host, Problem *p) {
  int32_t *table = p->table->at, *lengths = p->lengths->at;
  for (size_t i = 0; i < p->table->n; i++) {
    host->random = host->random * 6364136223846793005u + 1442695040888963407u;
    size_t other = (size_t)((host->random >> 33) % (i + 1));
    table[i] = table[other];
    table[other] = (int32_t)i;
  }
  for (int64_t b = 0; b < p->batch; b++) lengths[b] = (int32_t)length_of(p, b);
  host_upload(host, p->table);
  host_upload(host, p->lengths);
}

static size_t key_row(const Problem *p, int64_t b, int64_t head, int64_t key) {
  if (!p->page) return (size_t)((b * p->kv_heads + head) * p->capacity + key);
  int64_t page = ((int32_t *)p->table->at)[(b * p->capacity + key) / p->page];
  return (size_t)((page * p->kv_heads + head) * p->page + key % p->page);
}

// Computes row `row`, counted over all sequences. weights: room for all keys.
static void expect_row(const Problem *p, int64_t row, double *weights, double *expected) {
  int64_t b = row / (p->kv_heads * p->rows), head = row / p->rows % p->kv_heads;
  int64_t keys = length_of(p, b) - p->queries + 1 + row % p->rows % p->queries;
  double most = -INFINITY, sum = 0;
  for (int64_t j = 0; j < keys; j++) {
    size_t at = key_row(p, b, head, j) * COLUMNS;
    weights[j] = 0;
    for (size_t i = 0; i < COLUMNS; i++)
      weights[j] += array_get(p->q, (size_t)row * COLUMNS + i) * array_get(p->k, at + i);
    weights[j] /= sqrt((double)COLUMNS);
    most = fmax(most, weights[j]);
  }
  for (int64_t j = 0; j < keys; j++) sum += weights[j] = exp(weights[j] - most);
  for (size_t i = 0; i < COLUMNS; i++) expected[i] = 0;
  for (int64_t j = 0; j < keys; j++) {
    size_t at = key_row(p, b, head, j) * COLUMNS;
    for (size_t i = 0; i < COLUMNS; i++) expected[i] += weights[j] / sum * array_get(p->v, at + i);
  }
}

// Weights and results are rounded to the type. Each rounding is half a unit of the last fraction bit, for
// values up to 2.
static void check(Host *host, const Problem *p) {
  int64_t rows = p->batch * p->kv_heads * p->rows, step = rows > 64 ? rows / 64 | 1 : 1, count = 0;
  double worst = 0, allowed = 2 * 2 * ldexp(0.5, -format_fraction(p->dtype)),
         *weights = host_doubles((size_t)p->keys), expected[COLUMNS];
  if (!host->status) host->status = tilec_buffer_read(p->out->buffer, 0, p->out->at, p->out->n * 2);
  for (int64_t row = 0; !host->status && row < rows; row += step, count++) {
    expect_row(p, row, weights, expected);
    for (size_t i = 0; i < COLUMNS; i++) {
      double error = fabs(array_get(p->out, (size_t)row * COLUMNS + i) - expected[i]);
      if (!(error <= worst) && !isnan(worst)) worst = error; // a NaN stays
    }
  }
  host->wrong += !(worst <= allowed);
  printf("decode: %d of %d rows, max error %.3g, allowed %.3g\n", (int)count, (int)rows, worst, allowed);
  free(weights);
}

static void make_arrays(Host *host, Problem *p) {
  size_t groups = (size_t)(p->batch * p->kv_heads), rows = groups * (size_t)p->rows;
  size_t places = groups * (size_t)p->capacity * COLUMNS, parts = rows * (size_t)p->parts;
  p->q = host_array(host, p->dtype, rows * COLUMNS, 1);
  p->k = host_array(host, p->dtype, places, 1);
  p->v = host_array(host, p->dtype, places, 1);
  p->table =
      host_array(host, TILEC_I32, (size_t)(p->batch * p->capacity / (p->page ? p->page : p->capacity)), 0);
  p->lengths = host_array(host, TILEC_I32, (size_t)p->batch, 0);
  p->sums = host_array(host, TILEC_FP32, parts * COLUMNS, 0);
  p->tops = host_array(host, TILEC_FP32, 2 * parts, 0);
  p->out = host_array(host, p->dtype, rows * COLUMNS, 0);
  fill_tables(host, p);
}

int main(int argc, char **argv) {
  Host host = host_open("decode", "decode.tile", argc, argv);
  int gpu = host_on_gpu(&host);
  Problem p = {.queries = host_number(argc, argv, 1, gpu ? 1 : 3),
               .keys = host_number(argc, argv, 2, gpu ? 32768 : 500),
               .kv_heads = host_number(argc, argv, 3, gpu ? 8 : 2),
               .batch = host_number(argc, argv, 4, gpu ? 1 : 2),
               .page = host_number(argc, argv, 5, 0),
               .dtype = host_number(argc, argv, 6, 0) ? TILEC_BF16 : TILEC_FP16};
  p.capacity = (p.keys + 127) / 128 * 128;
  p.rows = GROUP * p.queries;
  p.parts = count_parts(&p);
  make_arrays(&host, &p);
  p.decode = compile(&host, &p, "decode", 4);
  p.combine = compile(&host, &p, "combine", 2);
  launch(&host, &p, 1);
  check(&host, &p);
  if (gpu) report_speed(&host, &p);
  tilec_kernel_free(p.decode);
  tilec_kernel_free(p.combine);
  return host_close(&host);
}
