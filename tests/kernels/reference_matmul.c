// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matmuls: scheduled, split, persistent, grouped, by descriptors, quantised.
#include <math.h>
#include <string.h>

#include "tests/kernels/launch.h"
#include "tests/kernels/tests.h"

typedef struct Shape {
  uint32_t m, n, k;
} Shape;

// a (m, k) times b (k, n), row-major; b (n, k) where it is transposed.
static double *product_of(Launch *l, const double *a, const double *b, Shape s, bool transposed) {
  double *c = launch_array(l, (size_t)s.m * s.n);
  for (uint32_t i = 0; i < s.m; i++)
    for (uint32_t j = 0; j < s.n; j++)
      for (uint32_t k = 0; k < s.k; k++)
        c[i * s.n + j] += a[i * s.k + k] * (transposed ? b[j * s.k + k] : b[k * s.n + j]);
  return c;
}

static void add_strides(Launch *l, Shape s) {
  launch_scalars(l, "M=%u N=%u K=%u", s.m, s.n, s.k);
  launch_scalars(l, "stride_am=%u stride_ak=1 stride_bk=%u stride_bn=1 stride_cm=%u stride_cn=1", s.k, s.n,
                 s.n);
}

static uint32_t tiles(uint32_t n, uint32_t block) { return (n + block - 1) / block; }

static double activate(const char *name, double x) {
  if (strcmp(name, "leaky_relu") == 0) return x >= 0 ? x : 0.01 * x;
  if (strcmp(name, "gelu") == 0) return x * 0.5 * erfc(-x * sqrt(0.5));
  if (strcmp(name, "gelu_tanh") == 0)
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  return x;
}

static void check_matmul(const char *type, const char *activation, bool bias, double tolerance) {
  const Shape s = {70, 45, 50};
  Launch l;
  launch_open(&l, "matmul.py", "matmul_kernel");
  const double *a = launch_random(&l, "a_ptr", type, s.m * s.k, -1, 1);
  const double *b = launch_random(&l, "b_ptr", type, s.k * s.n, -1, 1), *v = NULL;
  launch_empty(&l, "c_ptr", type, s.m * s.n);
  if (bias)
    v = launch_random(&l, "bias_ptr", type, s.n, -1, 1);
  else
    launch_scalars(&l, "bias_ptr=None");
  add_strides(&l, s);
  launch_constexprs(&l, "ACTIVATION=\"%s\"", activation);
  launch_kernel(&l, tiles(s.m, 32) * tiles(s.n, 32), 1, 1); // of the first configuration
  double *c = product_of(&l, a, b, s, false);
  for (uint32_t i = 0; i < s.m * s.n; i++) c[i] = activate(activation, c[i] + (v ? v[i % s.n] : 0));
  launch_expect(&l, "c_ptr", c, tolerance);
  launch_close(&l);
}

KERNEL_TEST(matmul) {
  check_matmul("fp16", "", false, 2e-3);
  check_matmul("fp32", "leaky_relu", true, 1e-5);
}

KERNEL_TEST(matmul_epilogues) {
  check_matmul("fp32", "gelu", true, 1e-5);
  check_matmul("bf16", "gelu_tanh", false, 2e-2);
}

static void check_split_k(uint32_t split, uint32_t k, const char *type) {
  const Shape s = {33, 40, k};
  Launch l;
  launch_open(&l, "matmul.py", "matmul_split_k");
  const double *a = launch_random(&l, "A", type, s.m * s.k, -1, 1);
  const double *b = launch_random(&l, "B", type, s.k * s.n, -1, 1);
  launch_fill(&l, "C", "fp32", s.m * s.n, 0);
  add_strides(&l, s);
  launch_constexprs(&l, "BLOCK_M=16 BLOCK_N=32 BLOCK_K=16 SPLIT_K=%u EVEN_K=%s", split,
                    k % (16 * split) == 0 ? "True" : "False");
  launch_kernel(&l, tiles(s.m, 16) * tiles(s.n, 32), split, 1);
  launch_expect(&l, "C", product_of(&l, a, b, s, false), 1e-5);
  launch_close(&l);
}

KERNEL_TEST(matmul_split_k) {
  check_split_k(2, 100, "fp32");
  check_split_k(3, 96, "fp16");
  check_split_k(1, 20, "fp16");
}

KERNEL_TEST(matmul_persistent) {
  const Shape s = {80, 70, 40};
  Launch l;
  launch_open(&l, "matmul.py", "matmul_persistent");
  const double *a = launch_random(&l, "a_ptr", "fp16", s.m * s.k, -1, 1);
  const double *b = launch_random(&l, "b_ptr", "fp16", s.k * s.n, -1, 1);
  launch_empty(&l, "c_ptr", "fp16", s.m * s.n);
  add_strides(&l, s);
  launch_constexprs(&l, "BLOCK_SIZE_M=32 BLOCK_SIZE_N=16 BLOCK_SIZE_K=16 GROUP_SIZE_M=2 NUM_SMS=4");
  launch_kernel(&l, 4, 1, 1);
  launch_expect(&l, "c_ptr", product_of(&l, a, b, s, false), 2e-3);
  launch_close(&l);
}

static void check_descriptors(bool subtile) {
  const Shape s = {40, 72, 56};
  Launch l;
  launch_open(&l, "matmul.py", "matmul_tma");
  const double *a = launch_random(&l, "a_ptr", "fp16", s.m * s.k, -1, 1);
  const double *b = launch_random(&l, "b_ptr", "fp16", s.n * s.k, -1, 1);
  launch_empty(&l, "c_ptr", "fp16", s.m * s.n);
  launch_scalars(&l, "M=%u N=%u K=%u", s.m, s.n, s.k);
  launch_constexprs(&l, "BLOCK_SIZE_M=32 BLOCK_SIZE_N=32 BLOCK_SIZE_K=16 EPILOGUE_SUBTILE=%s",
                    subtile ? "True" : "False");
  launch_kernel(&l, tiles(s.m, 32) * tiles(s.n, 32), 1, 1);
  launch_expect(&l, "c_ptr", product_of(&l, a, b, s, true), 2e-3);
  launch_close(&l);
}

KERNEL_TEST(matmul_descriptors) {
  check_descriptors(false);
  check_descriptors(true);
}

KERNEL_TEST(grouped_matmul) {
  enum { GROUPS = 3 };
  static const Shape shapes[GROUPS] = {{40, 32, 48}, {5, 64, 16}, {33, 16, 20}};
  double offsets[3 * GROUPS], sizes[3 * GROUPS], strides[3 * GROUPS];
  uint32_t at[3] = {0};
  for (uint32_t g = 0; g < GROUPS; g++) {
    Shape s = shapes[g];
    for (int i = 0; i < 3; i++) offsets[3 * g + i] = at[i];
    sizes[3 * g] = s.m, sizes[3 * g + 1] = s.n, sizes[3 * g + 2] = s.k;
    strides[3 * g] = s.k, strides[3 * g + 1] = s.n, strides[3 * g + 2] = s.n;
    at[0] += s.m * s.k, at[1] += s.k * s.n, at[2] += s.m * s.n;
  }
  Launch l;
  launch_open(&l, "grouped_matmul.py", "grouped_matmul_kernel");
  const double *a = launch_random(&l, "a_base", "fp16", at[0], -1, 1);
  const double *b = launch_random(&l, "b_base", "fp16", at[1], -1, 1);
  launch_empty(&l, "c_base", "fp16", at[2]);
  launch_values(&l, "group_offsets", "i64", 3 * GROUPS, offsets);
  launch_values(&l, "group_gemm_sizes", "i32", 3 * GROUPS, sizes);
  launch_values(&l, "g_lds", "i32", 3 * GROUPS, strides);
  launch_scalars(&l, "group_size=%d", GROUPS);
  launch_constexprs(&l, "NUM_SM=4");
  launch_kernel(&l, 4, 1, 1);
  double *c = launch_array(&l, at[2]);
  for (uint32_t g = 0; g < GROUPS; g++) {
    const double *part =
        product_of(&l, a + (uint32_t)offsets[3 * g], b + (uint32_t)offsets[3 * g + 1], shapes[g], false);
    memcpy(c + (uint32_t)offsets[3 * g + 2], part, shapes[g].m * shapes[g].n * sizeof *part);
  }
  launch_expect(&l, "c_base", c, 2e-3);
  launch_close(&l);
}

// --- Quantised ---

KERNEL_TEST(quantise_int8) {
  enum { GROUPS = 5, N = 40 };
  Launch l;
  launch_open(&l, "quantised.py", "per_token_group_quant_int8");
  const double *y = launch_random(&l, "y_ptr", "fp16", GROUPS * N, -5, 5);
  launch_empty(&l, "y_q_ptr", "i8", GROUPS * N);
  launch_empty(&l, "y_s_ptr", "fp32", GROUPS);
  launch_scalars(&l, "y_stride=%d N=%d eps=1e-10 int8_min=-128.0 int8_max=127.0", N, N);
  launch_constexprs(&l, "BLOCK=64");
  launch_kernel(&l, GROUPS, 1, 1);
  double *quantised = launch_array(&l, GROUPS * N), scales[GROUPS];
  for (uint32_t g = 0; g < GROUPS; g++) {
    double most = 1e-10;
    for (uint32_t i = 0; i < N; i++) most = fmax(most, fabs(y[g * N + i]));
    float scale = (float)most / 127.0f;
    scales[g] = scale;
    for (uint32_t i = 0; i < N; i++) quantised[g * N + i] = trunc((double)((float)y[g * N + i] / scale));
  }
  launch_expect(&l, "y_q_ptr", quantised, 0);
  launch_expect(&l, "y_s_ptr", scales, 1e-7);
  launch_close(&l);
}

static void check_scaled_int8(bool per_row, bool bias, const char *out, double tolerance) {
  const Shape s = {37, 50, 70};
  Launch l;
  launch_open(&l, "quantised.py", "scaled_mm_int8");
  const double *a = launch_random(&l, "a_ptr", "i8", s.m * s.k, -128, 128);
  const double *b = launch_random(&l, "b_ptr", "i8", s.k * s.n, -128, 128), *v = NULL;
  const double *sa = launch_random(&l, "scale_a_ptr", "fp32", per_row ? s.m : 1, 0.001, 0.01);
  const double *sb = launch_random(&l, "scale_b_ptr", "fp32", per_row ? s.n : 1, 0.001, 0.01);
  launch_empty(&l, "c_ptr", out, s.m * s.n);
  if (bias)
    v = launch_random(&l, "bias_ptr", out, s.n, -1, 1);
  else
    launch_scalars(&l, "bias_ptr=None");
  add_strides(&l, s);
  launch_constexprs(&l, "ACCUMULATOR_DTYPE=int32 BLOCK_SIZE_M=32 BLOCK_SIZE_N=32 BLOCK_SIZE_K=32");
  launch_constexprs(&l, "BLOCK_SIZE_SCALE_A=%d BLOCK_SIZE_SCALE_B=%d", per_row ? 32 : 1, per_row ? 32 : 1);
  launch_kernel(&l, tiles(s.m, 32) * tiles(s.n, 32), 1, 1);
  double *c = product_of(&l, a, b, s, false);
  for (uint32_t i = 0; i < s.m * s.n; i++)
    c[i] = c[i] * sa[per_row ? i / s.n : 0] * sb[per_row ? i % s.n : 0] + (v ? v[i % s.n] : 0);
  launch_expect(&l, "c_ptr", c, tolerance);
  launch_close(&l);
}

KERNEL_TEST(scaled_matmul_int8) {
  check_scaled_int8(true, false, "fp32", 1e-6);
  check_scaled_int8(false, true, "bf16", 2e-2);
}

KERNEL_TEST(matmul_int4) {
  enum { GROUP = 32 };
  const Shape s = {20, 48, 64};
  Launch l;
  launch_open(&l, "quantised.py", "matmul_w4a16");
  const double *a = launch_random(&l, "a_ptr", "fp16", s.m * s.k, -1, 1);
  const double *words = launch_random(&l, "qw_ptr", "i32", s.k * s.n / 8, -2147483648.0, 2147483648.0);
  const double *zeros =
      launch_random(&l, "qz_ptr", "i32", s.k / GROUP * s.n / 8, -2147483648.0, 2147483648.0);
  const double *scales = launch_random(&l, "scales_ptr", "fp16", s.k / GROUP * s.n, 0.01, 0.1);
  launch_empty(&l, "c_ptr", "fp16", s.m * s.n);
  launch_scalars(&l, "M=%u N=%u K=%u", s.m, s.n, s.k);
  launch_constexprs(&l, "group_size=%d stride_am=%u stride_qw=%u BLOCK_M=16 BLOCK_N=32 BLOCK_K=16", GROUP,
                    s.k, s.n / 8);
  launch_kernel(&l, tiles(s.m, 16), tiles(s.n, 32), 1);
  double *w = launch_array(&l, s.k * s.n);
  for (uint32_t k = 0; k < s.k; k++)
    for (uint32_t n = 0; n < s.n; n++) {
      uint32_t shift = 4 * (n % 8), row = k / GROUP;
      int q = (int)((uint32_t)(int32_t)words[(k * s.n + n) / 8] >> shift & 15);
      int z = (int)((uint32_t)(int32_t)zeros[(row * s.n + n) / 8] >> shift & 15);
      w[k * s.n + n] = (q - z) * scales[row * s.n + n];
    }
  launch_expect(&l, "c_ptr", product_of(&l, a, w, s, false), 5e-3);
  launch_close(&l);
}

// --- Mixture of experts ---

enum { MOE_TOKENS = 9, MOE_TOPK = 2, MOE_BLOCK = 16, MOE_BLOCKS = 4, MOE_EXPERTS = 3 };
// Slots by block of one expert; MOE_TOKENS * MOE_TOPK is padding.
static const double moe_experts[MOE_BLOCKS] = {2, -1, 0, 1};

static void sort_slots(double *sorted) {
  for (uint32_t i = 0; i < MOE_BLOCKS * MOE_BLOCK; i++) {
    uint32_t block = i / MOE_BLOCK, place = i % MOE_BLOCK, slot = place * 3 + block;
    sorted[i] = block < 3 && slot < MOE_TOKENS * MOE_TOPK ? slot : MOE_TOKENS * MOE_TOPK;
  }
}

static void check_moe(bool weighted, bool bias) {
  enum { N = 40, K = 24, SLOTS = MOE_TOKENS * MOE_TOPK };
  double sorted[MOE_BLOCKS * MOE_BLOCK];
  sort_slots(sorted);
  Launch l;
  launch_open(&l, "fused_moe.py", "fused_moe_kernel");
  const double *a = launch_random(&l, "a_ptr", "bf16", MOE_TOKENS * K, -1, 1), *v = NULL;
  const double *b = launch_random(&l, "b_ptr", "bf16", MOE_EXPERTS * K * N, -1, 1);
  const double *w = launch_random(&l, "topk_weights_ptr", "fp32", SLOTS, 0, 1);
  launch_empty(&l, "c_ptr", "bf16", SLOTS * N);
  if (bias)
    v = launch_random(&l, "b_bias_ptr", "fp32", MOE_EXPERTS * N, -1, 1);
  else
    launch_scalars(&l, "b_bias_ptr=None");
  launch_values(&l, "sorted_token_ids_ptr", "i32", MOE_BLOCKS * MOE_BLOCK, sorted);
  launch_values(&l, "expert_ids_ptr", "i32", MOE_BLOCKS, moe_experts);
  launch_fill(&l, "num_tokens_post_padded_ptr", "i32", 1, 3 * MOE_BLOCK);
  launch_scalars(&l, "N=%d K=%d EM=%d num_valid_tokens=%d", N, K, MOE_BLOCKS * MOE_BLOCK, SLOTS);
  launch_scalars(&l, "stride_am=%d stride_ak=1 stride_be=%d stride_bk=%d stride_bn=1", K, K * N, N);
  launch_scalars(&l, "stride_cm=%d stride_cn=1 stride_bbe=%d stride_bbn=1", N, N);
  launch_constexprs(&l, "BLOCK_SIZE_M=%d BLOCK_SIZE_N=32 BLOCK_SIZE_K=16 GROUP_SIZE_M=2", MOE_BLOCK);
  launch_constexprs(&l, "MUL_ROUTED_WEIGHT=%s top_k=%d compute_type=bfloat16 HAS_BIAS=%s",
                    weighted ? "True" : "False", MOE_TOPK, bias ? "True" : "False");
  launch_kernel(&l, MOE_BLOCKS * 2, 1, 1);
  double *c = launch_array(&l, SLOTS * N);
  for (uint32_t i = 0; i < SLOTS * N; i++) {
    uint32_t slot = i / N, n = i % N, expert = (uint32_t)moe_experts[slot % 3];
    if (moe_experts[slot % 3] < 0) continue;
    for (uint32_t k = 0; k < K; k++) c[i] += a[slot / MOE_TOPK * K + k] * b[(expert * K + k) * N + n];
    c[i] = (c[i] + (v ? v[expert * N + n] : 0)) * (weighted ? w[slot] : 1);
  }
  launch_expect(&l, "c_ptr", c, 1e-2);
  launch_close(&l);
}

KERNEL_TEST(fused_moe) {
  check_moe(false, false);
  check_moe(true, true);
}
