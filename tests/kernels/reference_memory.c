// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that move data: gathers, scatters, caches, transposes.
#include <math.h>
#include <string.h>

#include "tests/kernels/launch.h"
#include "tests/kernels/tests.h"

enum { VOCABULARY = 11, TOKENS = 19, DIM = 20 };

static void check_embedding(bool backward) {
  Launch l;
  launch_open(&l, "embedding.py", backward ? "embedding_backward" : "embedding_forward");
  const double *indices = launch_random(&l, "indices_ptr", "i64", TOKENS, 0, VOCABULARY);
  double *expected = launch_array(&l, backward ? VOCABULARY * DIM : TOKENS * DIM);
  if (backward) {
    const double *g = launch_random(&l, "grad_output_ptr", "fp32", TOKENS * DIM, -1, 1);
    launch_fill(&l, "grad_weight_ptr", "fp32", VOCABULARY * DIM, 0);
    for (uint32_t i = 0; i < TOKENS * DIM; i++) expected[(uint32_t)indices[i / DIM] * DIM + i % DIM] += g[i];
  } else {
    const double *w = launch_random(&l, "embeddings_ptr", "bf16", VOCABULARY * DIM, -1, 1);
    launch_empty(&l, "output_ptr", "bf16", TOKENS * DIM);
    for (uint32_t i = 0; i < TOKENS * DIM; i++) expected[i] = w[(uint32_t)indices[i / DIM] * DIM + i % DIM];
  }
  launch_scalars(&l, "n_elements=%d", TOKENS);
  launch_constexprs(&l, "embedding_dim=%d BLOCK_SIZE_M=8 BLOCK_SIZE_N=16", DIM);
  launch_kernel(&l, (TOKENS + 7) / 8, (DIM + 15) / 16, 1);
  launch_expect(&l, backward ? "grad_weight_ptr" : "output_ptr", expected, backward ? 1e-6 : 0);
  launch_close(&l);
}

KERNEL_TEST(embedding) {
  check_embedding(false);
  check_embedding(true);
}

static void check_bag(const char *mode, bool weights) {
  enum { BAGS = 4, N = 12 };
  static const double offsets[BAGS + 1] = {0, 5, 5, 6, 12};
  Launch l;
  launch_open(&l, "embedding.py", "embedding_bag");
  const double *w = launch_random(&l, "weight_ptr", "fp16", VOCABULARY * DIM, -0.5, 0.5), *sample = NULL;
  const double *indices = launch_random(&l, "indices_ptr", "i32", N, 0, VOCABULARY);
  launch_values(&l, "offsets_ptr", "i32", BAGS + 1, offsets);
  if (weights)
    sample = launch_random(&l, "per_sample_ptr", "fp32", N, -1, 1);
  else
    launch_scalars(&l, "per_sample_ptr=None");
  launch_empty(&l, "out_ptr", "fp32", BAGS * DIM);
  launch_scalars(&l, "max_norm=1.25 dim=%d", DIM);
  launch_constexprs(&l, "MODE=\"%s\" BLOCK_D=32", mode);
  launch_kernel(&l, BAGS, 1, 1);
  bool most = strcmp(mode, "max") == 0;
  double *out = launch_array(&l, BAGS * DIM);
  for (uint32_t bag = 0; bag < BAGS; bag++)
    for (uint32_t i = (uint32_t)offsets[bag]; i < (uint32_t)offsets[bag + 1]; i++) {
      const double *row = w + (uint32_t)indices[i] * DIM;
      double norm = 0, count = offsets[bag + 1] - offsets[bag];
      for (uint32_t d = 0; d < DIM; d++) norm += row[d] * row[d];
      double scale = fmin(1, 1.25 / sqrt(norm)) * (sample ? sample[i] : 1);
      for (uint32_t d = 0; d < DIM; d++) {
        double *y = &out[bag * DIM + d], x = row[d] * scale;
        *y = most ? (i == (uint32_t)offsets[bag] ? x : fmax(*y, x)) : *y + (mode[1] == 'e' ? x / count : x);
      }
    }
  launch_expect(&l, "out_ptr", out, 1e-6);
  launch_close(&l);
}

KERNEL_TEST(embedding_bag) {
  check_bag("sum", true);
  check_bag("mean", false);
  check_bag("max", false);
}

static void check_kv_cache(bool fp8) {
  enum {
    HEADS = 3,
    HEAD = 10,
    ROW = HEADS * HEAD,
    PAGE = 4,
    PAGES = 5,
    COUNT = 6,
    CACHE = PAGES * PAGE * ROW
  };
  static const double slots[COUNT] = {7, -1, 0, 19, 8, 4};
  const char *cache_type = fp8 ? "fp8e4nv" : "fp16";
  Launch l;
  launch_open(&l, "kv_cache.py", "reshape_and_cache");
  const double *k = launch_random(&l, "key_ptr", "fp16", COUNT * ROW, -4, 4);
  const double *v = launch_random(&l, "value_ptr", "fp16", COUNT * ROW, -4, 4);
  launch_fill(&l, "key_cache_ptr", cache_type, CACHE, 9);
  launch_fill(&l, "value_cache_ptr", cache_type, CACHE, 9);
  launch_values(&l, "slot_mapping_ptr", "i64", COUNT, slots);
  if (fp8)
    launch_fill(&l, "k_scale", "fp32", 1, 0.5);
  else
    launch_scalars(&l, "k_scale=None");
  launch_scalars(&l, "key_stride=%d block_stride=%d page_stride=%d", ROW, PAGE * ROW, ROW);
  launch_constexprs(&l, "num_heads=%d head_size=%d block_size=%d FP8_KV_CACHE=%s TILE_SIZE=16", HEADS, HEAD,
                    PAGE, fp8 ? "True" : "False");
  launch_kernel(&l, COUNT, 2, 1);
  double *keys = launch_array(&l, CACHE), *values = launch_array(&l, CACHE);
  for (uint32_t i = 0; i < CACHE; i++) keys[i] = values[i] = 9;
  for (uint32_t t = 0; t < COUNT; t++)
    for (uint32_t i = 0; slots[t] >= 0 && i < ROW; i++) {
      keys[(uint32_t)slots[t] * ROW + i] = k[t * ROW + i] / (fp8 ? 0.5 : 1);
      values[(uint32_t)slots[t] * ROW + i] = v[t * ROW + i];
    }
  launch_expect(&l, "key_cache_ptr", keys, fp8 ? 0x1p-4 : 0);
  launch_expect(&l, "value_cache_ptr", values, fp8 ? 0x1p-4 : 0);
  launch_close(&l);
}

KERNEL_TEST(kv_cache) {
  check_kv_cache(false);
  check_kv_cache(true);
}

KERNEL_TEST(scatter_rows) {
  enum { ROWS = 6, COLUMNS = 13, STRIDE = 15, OUT_ROWS = 9 };
  static const double to[ROWS] = {8, 2, -1, 0, 5, 3};
  Launch l;
  launch_open(&l, "kv_cache.py", "scatter_rows");
  const double *src = launch_random(&l, "src_ptr", "i16", ROWS * COLUMNS, -1000, 1000);
  launch_values(&l, "index_ptr", "i32", ROWS, to);
  launch_fill(&l, "out_ptr", "i16", OUT_ROWS * STRIDE, 7);
  launch_scalars(&l, "n_rows=%d n_cols=%d stride_o=%d", ROWS, COLUMNS, STRIDE);
  launch_constexprs(&l, "BLOCK_R=4 BLOCK_C=16");
  launch_kernel(&l, 2, 1, 1);
  double out[OUT_ROWS * STRIDE];
  for (uint32_t i = 0; i < OUT_ROWS * STRIDE; i++) out[i] = 7;
  for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
    if (to[i / COLUMNS] >= 0) out[(uint32_t)to[i / COLUMNS] * STRIDE + i % COLUMNS] = src[i];
  launch_expect(&l, "out_ptr", out, 0);
  launch_close(&l);
}

static void check_transpose(uint32_t m, uint32_t n, const char *type) {
  Launch l;
  launch_open(&l, "transpose.py", "transpose_block_ptr");
  const double *x = launch_random(&l, "X", type, m * n, -100, 100);
  launch_empty(&l, "Y", type, m * n);
  launch_scalars(&l, "M=%u N=%u stride_xm=%u stride_ym=%u", m, n, n, m);
  launch_constexprs(&l, "BLOCK_M=8 BLOCK_N=16 EVEN_M=%s EVEN_N=%s", m % 8 ? "False" : "True",
                    n % 16 ? "False" : "True");
  launch_kernel(&l, (m + 7) / 8, (n + 15) / 16, 1);
  double *y = launch_array(&l, m * n);
  for (uint32_t i = 0; i < m * n; i++) y[i % n * m + i / n] = x[i];
  launch_expect(&l, "Y", y, 0);
  launch_close(&l);
}

KERNEL_TEST(transpose) {
  check_transpose(16, 32, "fp32");
  check_transpose(21, 37, "i8");
}

KERNEL_TEST(permute) {
  enum { BATCHES = 2, S = 11, H = 2, D = 4, N = BATCHES * S * H * D };
  Launch l;
  launch_open(&l, "transpose.py", "permute_bhsd");
  const double *x = launch_random(&l, "x_ptr", "u8", N, 0, 256);
  launch_empty(&l, "y_ptr", "u8", N);
  launch_scalars(&l, "S=%d", S);
  launch_constexprs(&l, "H=%d D=%d BLOCK_S=8", H, D);
  launch_kernel(&l, 2, BATCHES, 1);
  double y[N];
  for (uint32_t i = 0; i < N; i++) {
    uint32_t b = i / (S * H * D), s = i / (H * D) % S, hd = i % (H * D);
    y[(b * H * D + hd) * S + s] = x[i];
  }
  launch_expect(&l, "y_ptr", y, 0);
  launch_close(&l);
}

KERNEL_TEST(pointer_list) {
  enum { LISTS = 2, MOST = 50 };
  static const double sizes[LISTS] = {50, 21};
  Launch l;
  launch_open(&l, "lists.py", "multi_tensor_axpy");
  double inputs[LISTS], outputs[LISTS];
  const double *x[LISTS], *before[LISTS];
  static const char *const names[2 * LISTS] = {"x 0", "x 1", "out 0", "out 1"};
  for (uint32_t i = 0; i < LISTS; i++) {
    x[i] = launch_random(&l, names[i], "fp16", (uint32_t)sizes[i], -1, 1);
    inputs[i] = (double)l.args[l.count - 1].bits;
    before[i] = launch_random(&l, names[LISTS + i], "fp32", (uint32_t)sizes[i], -1, 1);
    outputs[i] = (double)l.args[l.count - 1].bits;
  }
  launch_values(&l, "x_ptrs", "i64", LISTS, inputs);
  launch_values(&l, "out_ptrs", "u64", LISTS, outputs);
  launch_values(&l, "sizes", "i32", LISTS, sizes);
  launch_scalars(&l, "alpha=0.5");
  launch_constexprs(&l, "x_dtype=fp16 BLOCK=32");
  launch_kernel(&l, 2, LISTS, 1);
  for (uint32_t i = 0; i < LISTS; i++) {
    double expected[MOST];
    for (uint32_t j = 0; j < (uint32_t)sizes[i]; j++) expected[j] = 0.5 * x[i][j] + before[i][j];
    launch_expect(&l, names[LISTS + i], expected, 1e-6);
  }
  launch_close(&l);
}

static void check_sort(bool descending) {
  enum { ROWS = 3, N = 13, BLOCK = 16 };
  Launch l;
  launch_open(&l, "lists.py", "sort_rows");
  const double *x = launch_random(&l, "x_ptr", "fp32", ROWS * N, -5, 5);
  const double *index = launch_random(&l, "index_ptr", "i32", BLOCK, 0, N);
  launch_empty(&l, "out_ptr", "fp32", ROWS * N);
  launch_empty(&l, "reversed_ptr", "fp32", ROWS * BLOCK);
  launch_empty(&l, "picked_ptr", "fp32", ROWS * BLOCK);
  launch_scalars(&l, "n_cols=%d", N);
  launch_constexprs(&l, "DESCENDING=%s BLOCK=%d", descending ? "True" : "False", BLOCK);
  launch_kernel(&l, ROWS, 1, 1);
  double sorted[ROWS * N], backwards[ROWS * BLOCK], picked[ROWS * BLOCK];
  for (uint32_t i = 0; i < ROWS * N; i++) {
    uint32_t rank = 0, row = i / N;
    for (uint32_t j = 0; j < N; j++) rank += descending ? x[row * N + j] > x[i] : x[row * N + j] < x[i];
    sorted[row * N + rank] = x[i];
  }
  for (uint32_t i = 0; i < ROWS * BLOCK; i++) {
    uint32_t row = i / BLOCK, c = BLOCK - 1 - i % BLOCK;
    backwards[i] = c < N ? x[row * N + c] : 0;
    picked[i] = x[row * N + (uint32_t)index[i % BLOCK]];
  }
  launch_expect(&l, "out_ptr", sorted, 0);
  launch_expect(&l, "reversed_ptr", backwards, 0);
  launch_expect(&l, "picked_ptr", picked, 0);
  launch_close(&l);
}

KERNEL_TEST(sort_rows) {
  check_sort(false);
  check_sort(true);
}
