// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <math.h>

#include "tests/kernels/launch.h"
#include "tests/kernels/tests.h"

// Attention of one query over n keys with their scores; `out` (dim). The
// logarithm of the sum of exponentials.
static double attend(const double *scores, uint32_t n, const double *v, size_t stride, uint32_t dim,
                     double *out) {
  double most = -INFINITY, sum = 0;
  for (uint32_t j = 0; j < n; j++) most = fmax(most, scores[j]);
  for (uint32_t d = 0; d < dim; d++) out[d] = 0;
  for (uint32_t j = 0; j < n; j++) {
    double p = exp(scores[j] - most);
    sum += p;
    for (uint32_t d = 0; d < dim; d++) out[d] += p * v[j * stride + d];
  }
  for (uint32_t d = 0; d < dim; d++) out[d] /= sum;
  return most + log(sum);
}

static double dot(const double *a, const double *b, uint32_t n) {
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void check_flash(bool causal, uint32_t n, const char *type, double tolerance) {
  enum { BATCHES = 2, HEADS = 2, DIM = 16, MOST = 64 };
  const char *const strides[4] = {"q", "k", "v", "o"}, *const last[4] = {"mk", "nk", "kn", "mn"};
  uint32_t total = BATCHES * HEADS * n * DIM;
  Launch l;
  launch_open(&l, "flash_attention.py", "attn_fwd");
  const double *q = launch_random(&l, "Q", type, total, -2, 2),
               *k = launch_random(&l, "K", type, total, -2, 2);
  const double *v = launch_random(&l, "V", type, total, -1, 1);
  launch_empty(&l, "M", "fp32", BATCHES * HEADS * n);
  launch_empty(&l, "Out", type, total);
  for (int i = 0; i < 4; i++)
    launch_scalars(&l, "stride_%sz=%u stride_%sh=%u stride_%s%c=%d stride_%s%c=1", strides[i],
                   HEADS * n * DIM, strides[i], n * DIM, strides[i], last[i][0], DIM, strides[i], last[i][1]);
  launch_scalars(&l, "sm_scale=0.25 Z=%d H=%d N_CTX=%u", BATCHES, HEADS, n);
  launch_constexprs(&l, "HEAD_DIM=%d BLOCK_M=16 BLOCK_N=16 STAGE=%d", DIM, causal ? 3 : 1);
  launch_kernel(&l, (n + 15) / 16, BATCHES * HEADS, 1);
  double *out = launch_array(&l, total), *m = launch_array(&l, total), scores[MOST];
  for (uint32_t row = 0; row < BATCHES * HEADS * n; row++) {
    uint32_t first = row / n * n, keys = causal ? row % n + 1 : n;
    for (uint32_t j = 0; j < keys; j++) scores[j] = 0.25 * dot(q + row * DIM, k + (first + j) * DIM, DIM);
    m[row] = attend(scores, keys, v + first * DIM, DIM, DIM, out + row * DIM) / log(2);
  }
  launch_expect(&l, "Out", out, tolerance);
  launch_expect(&l, "M", m, 1e-5);
  launch_close(&l);
}

KERNEL_TEST(flash_attention) {
  check_flash(false, 48, "fp32", 1e-5);
  check_flash(false, 37, "fp16", 2e-3);
}

KERNEL_TEST(flash_attention_causal) {
  check_flash(true, 48, "fp16", 2e-3);
  check_flash(true, 37, "fp32", 1e-5);
}

enum { SEQUENCES = 3, QUERY_HEADS = 4, KV_HEADS = 2, HEAD = 12, PAGE = 8, PAGES = 10, TABLE = 4 };

typedef struct PagedOptions {
  bool alibi, softcap;
  uint32_t window; // 0: none
} PagedOptions;

static double paged_score(const PagedOptions *o, double s, uint32_t j, uint32_t length, double slope) {
  if (o->softcap) s = 5 * tanh(s / 5);
  int from_end = (int)j - (int)length + 1;
  if (o->window && -from_end >= (int)o->window) s = -10000;
  return o->alibi ? s + slope * from_end : s;
}

static void check_paged(const PagedOptions *o) {
  static const double tables[SEQUENCES * TABLE] = {3, 9, 0, 1, 5, 7, 7, 7, 2, 4, 6, 8},
                                         lengths[SEQUENCES] = {21, 8, 1};
  enum { CACHE = PAGES * PAGE * KV_HEADS * HEAD, ROW = KV_HEADS * HEAD };
  Launch l;
  launch_open(&l, "paged_attention.py", "paged_attention_2d");
  launch_empty(&l, "output_ptr", "fp32", SEQUENCES * QUERY_HEADS * HEAD);
  const double *q = launch_random(&l, "query_ptr", "fp32", SEQUENCES * QUERY_HEADS * HEAD, -2, 2),
               *slopes = NULL;
  const double *k = launch_random(&l, "key_cache_ptr", "fp16", CACHE, -2, 2);
  const double *v = launch_random(&l, "value_cache_ptr", "fp16", CACHE, -1, 1);
  launch_values(&l, "block_tables_ptr", "i32", SEQUENCES * TABLE, tables);
  launch_values(&l, "seq_lens_ptr", "i32", SEQUENCES, lengths);
  if (o->alibi)
    slopes = launch_random(&l, "alibi_slopes_ptr", "fp32", QUERY_HEADS, 0, 0.5);
  else
    launch_scalars(&l, "alibi_slopes_ptr=None");
  launch_scalars(&l, "scale=0.3 softcap=5.0 block_table_stride=%d query_stride_0=%d query_stride_1=%d", TABLE,
                 QUERY_HEADS * HEAD, HEAD);
  launch_scalars(&l, "stride_k_cache_0=%d stride_k_cache_1=%d stride_k_cache_2=%d", PAGE * ROW, ROW, HEAD);
  launch_constexprs(&l,
                    "num_query_heads=%d num_queries_per_kv=2 BLOCK_SIZE=%d HEAD_SIZE=%d HEAD_SIZE_PADDED=16",
                    QUERY_HEADS, PAGE, HEAD);
  launch_constexprs(&l, "stride_k_cache_3=1 USE_ALIBI_SLOPES=%s USE_SOFTCAP=%s SLIDING_WINDOW=%u",
                    o->alibi ? "True" : "False", o->softcap ? "True" : "False", o->window);
  launch_kernel(&l, SEQUENCES, KV_HEADS, 1);
  double *out = launch_array(&l, SEQUENCES * QUERY_HEADS * HEAD), scores[TABLE * PAGE],
         values[TABLE * PAGE * HEAD];
  for (uint32_t i = 0; i < SEQUENCES * QUERY_HEADS; i++) {
    uint32_t s = i / QUERY_HEADS, head = i % QUERY_HEADS, length = (uint32_t)lengths[s];
    for (uint32_t j = 0; j < length; j++) {
      size_t at = ((size_t)tables[s * TABLE + j / PAGE] * PAGE + j % PAGE) * ROW + head / 2 * HEAD;
      scores[j] = paged_score(o, 0.3 * dot(q + i * HEAD, k + at, HEAD), j, length, slopes ? slopes[head] : 0);
      for (uint32_t d = 0; d < HEAD; d++) values[j * HEAD + d] = v[at + d];
    }
    attend(scores, length, values, HEAD, HEAD, out + i * HEAD);
  }
  launch_expect(&l, "output_ptr", out, 1e-5);
  launch_close(&l);
}

KERNEL_TEST(paged_attention) {
  check_paged(&(PagedOptions){0});
  check_paged(&(PagedOptions){.alibi = true, .softcap = true});
  check_paged(&(PagedOptions){.window = 5});
}
