// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise kernels, and those of TorchInductor's shape.
#include <math.h>
#include <string.h>

#include "tests/kernels/launch.h"
#include "tests/kernels/tests.h"

// --- Rotary embedding ---

static void check_rope(bool backward, uint32_t dim) {
  enum { TOKENS = 6, SEQUENCE = 3, HEADS = 3 };
  uint32_t half = dim / 2, n = TOKENS * HEADS * dim;
  Launch l;
  launch_open(&l, "rope.py", "rope_embedding");
  const double *q = launch_random(&l, "Q", "fp32", n, -1, 1);
  const double *cosine = launch_random(&l, "cos", "fp32", SEQUENCE * half, -1, 1);
  const double *sine = launch_random(&l, "sin", "fp32", SEQUENCE * half, -1, 1);
  launch_scalars(&l, "cos_row_stride=%u sin_row_stride=%u seqlen=%d", half, half, SEQUENCE);
  launch_constexprs(&l, "Q_row_stride=%u head_dim=%u n_heads=%d BACKWARD_PASS=%s", HEADS * dim, dim, HEADS,
                    backward ? "True" : "False");
  launch_kernel(&l, TOKENS, 2, 1);
  double *expected = launch_array(&l, n);
  for (uint32_t i = 0; i < TOKENS * HEADS; i++)
    for (uint32_t j = 0; j < half; j++) {
      uint32_t at = i / HEADS % SEQUENCE * half + j;
      double a = q[i * dim + j], b = q[i * dim + half + j], s = backward ? -sine[at] : sine[at];
      expected[i * dim + j] = a * cosine[at] - b * s;
      expected[i * dim + half + j] = b * cosine[at] + a * s;
    }
  launch_expect(&l, "Q", expected, 1e-6);
  launch_close(&l);
}

KERNEL_TEST(rope) {
  check_rope(false, 16);
  check_rope(true, 24);
}

KERNEL_TEST(rope_interleaved) {
  enum { ROWS = 6, DIM = 16, HALF = DIM / 2 };
  Launch l;
  launch_open(&l, "rope.py", "rope_interleaved");
  const double *x = launch_random(&l, "X", "fp32", ROWS * DIM, -1, 1);
  const double *cosine = launch_random(&l, "Cos", "fp32", ROWS * HALF, -1, 1);
  const double *sine = launch_random(&l, "Sin", "fp32", ROWS * HALF, -1, 1);
  launch_empty(&l, "Out", "fp16", ROWS * DIM);
  launch_scalars(&l, "rows=%d", ROWS);
  launch_constexprs(&l, "DIM=%d BLOCK_M=4", DIM);
  launch_kernel(&l, 2, 1, 1);
  double *expected = launch_array(&l, ROWS * DIM);
  for (uint32_t i = 0; i < ROWS * HALF; i++) {
    expected[2 * i] = x[2 * i] * cosine[i] - x[2 * i + 1] * sine[i];
    expected[2 * i + 1] = x[2 * i] * sine[i] + x[2 * i + 1] * cosine[i];
  }
  launch_expect(&l, "Out", expected, 1e-3);
  launch_close(&l);
}

// --- Gated activations ---

enum { GATED_ROWS = 3, GATED_COLUMNS = 50, GATED = GATED_ROWS * GATED_COLUMNS };

static double silu(double x, double *slope) {
  double s = 1 / (1 + exp(-x));
  *slope = s * (1 + x * (1 - s));
  return x * s;
}

// The form with tanh.
static double gelu(double x, double *slope) {
  double c = sqrt(2 / 3.14159265358979323846), t = tanh(c * (x + 0.044715 * x * x * x));
  *slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
  return 0.5 * x * (1 + t);
}

static void check_gated(const char *kernel, bool backward, double (*act)(double x, double *slope),
                        const char *type, double tolerance) {
  bool geglu = strncmp(kernel, "geglu", 5) == 0;
  const char *names[3] = {geglu ? "a" : "a_ptr", geglu ? "b" : "b_ptr", geglu ? "c" : "c_ptr"};
  Launch l;
  launch_open(&l, "swiglu.py", kernel);
  const double *a = launch_random(&l, names[0], type, GATED, -3, 3), *dc = NULL;
  const double *b = launch_random(&l, names[1], type, GATED, -2, 2);
  if (backward)
    dc = launch_random(&l, geglu ? "dc" : "dc_ptr", type, GATED, -1, 1);
  else
    launch_empty(&l, names[2], type, GATED);
  launch_scalars(&l, "stride=%d", GATED_COLUMNS);
  launch_constexprs(&l, "n_cols=%d BLOCK_SIZE=64", GATED_COLUMNS);
  launch_kernel(&l, GATED_ROWS, 1, 1);
  double *c = launch_array(&l, GATED), *da = launch_array(&l, GATED), *db = launch_array(&l, GATED);
  for (uint32_t i = 0; i < GATED; i++) {
    double slope, y = act(a[i], &slope);
    c[i] = y * b[i];
    if (!backward) continue;
    da[i] = dc[i] * b[i] * slope;
    db[i] = dc[i] * y;
  }
  if (!backward) launch_expect(&l, names[2], c, tolerance);
  if (backward) launch_expect(&l, names[0], da, tolerance);
  if (backward) launch_expect(&l, names[1], db, tolerance);
  launch_close(&l);
}

KERNEL_TEST(swiglu) {
  check_gated("swiglu_forward", false, silu, "fp32", 1e-6);
  check_gated("swiglu_forward", false, silu, "bf16", 2e-2);
  check_gated("swiglu_backward", true, silu, "fp32", 1e-6);
}

KERNEL_TEST(geglu) {
  check_gated("geglu_forward", false, gelu, "fp16", 2e-3);
  check_gated("geglu_backward", true, gelu, "fp32", 1e-5);
  check_gated("geglu_backward", true, gelu, "fp16", 3e-3);
}

// --- Dropout ---

// Philox 4x32 with ten rounds: the four words for counter (c, 0, 0, 0).
static void philox(uint64_t seed, uint32_t c, uint32_t words[4]) {
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, w[4] = {c, 0, 0, 0};
  for (int round = 0; round < 10; round++) {
    uint64_t a = 0xD2511F53ull * w[0], b = 0xCD9E8D57ull * w[2];
    uint32_t next[4] = {(uint32_t)(b >> 32) ^ w[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ w[3] ^ key[1],
                        (uint32_t)a};
    memcpy(w, next, sizeof w);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  memcpy(words, w, sizeof w);
}

// In 0 .. 1, of the word taken as signed: its magnitude's bits, times a little less than 2^-31.
static double uniform(uint32_t word) {
  int64_t x = (int32_t)word;
  if (x < 0) x = -x - 1;
  return (double)x * 4.6566127342e-10;
}

KERNEL_TEST(dropout) {
  enum { N = 150, BLOCK = 64 };
  Launch l;
  launch_open(&l, "dropout.py", "seeded_dropout");
  const double *x = launch_random(&l, "x_ptr", "fp32", N, 1, 2);
  launch_empty(&l, "output_ptr", "fp32", N);
  launch_scalars(&l, "n_elements=%d p=0.3 seed=12345", N);
  launch_constexprs(&l, "BLOCK_SIZE=%d", BLOCK);
  launch_kernel(&l, 3, 1, 1);
  double *expected = launch_array(&l, N);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < N; i++) {
    uint32_t words[4];
    philox(12345, i, words);
    expected[i] = uniform(words[0]) > 0.3 ? x[i] / 0.7 : 0;
    kept += expected[i] > 0;
  }
  launch_expect(&l, "output_ptr", expected, 1e-6);
  assert_in_range(kept, N / 2, N - N / 8);
  launch_close(&l);
}

KERNEL_TEST(dropout_of_four) {
  enum { N = 200, BLOCK = 32 };
  Launch l;
  launch_open(&l, "dropout.py", "dropout_4x");
  const double *x = launch_random(&l, "x_ptr", "fp32", N, 1, 2);
  launch_empty(&l, "out_ptr", "fp32", N);
  launch_scalars(&l, "n_elements=%d p=0.5 seed=81985529216486895", N);
  launch_constexprs(&l, "BLOCK_SIZE=%d", BLOCK);
  launch_kernel(&l, 2, 1, 1);
  double *expected = launch_array(&l, N);
  for (uint32_t i = 0; i < N; i++) {
    uint32_t words[4], program = i / (4 * BLOCK), quarter = i / BLOCK % 4;
    philox(81985529216486895u, program * BLOCK + i % BLOCK, words);
    expected[i] = uniform(words[quarter]) > 0.5 ? 2 * x[i] : 0;
  }
  launch_expect(&l, "out_ptr", expected, 1e-6);
  launch_close(&l);
}

KERNEL_TEST(random_words) {
  enum { N = 100 };
  Launch l;
  launch_open(&l, "dropout.py", "random_words");
  launch_empty(&l, "out_ptr", "u32", N);
  launch_scalars(&l, "n=%d seed=-7", N);
  launch_constexprs(&l, "BLOCK_SIZE=128");
  launch_kernel(&l, 1, 1, 1);
  double expected[N];
  for (uint32_t i = 0; i < N; i++) {
    uint32_t words[4];
    philox((uint64_t)-7, i, words);
    expected[i] = words[0];
  }
  launch_expect(&l, "out_ptr", expected, 0);
  launch_close(&l);
}

// --- TorchInductor ---

static double fused_mix(double x, uint32_t row) {
  double elu = x > 0 ? x : expm1(x);
  double power = pow(log1p(exp(-tanh(elu))), 2.5);
  double chosen = row < 3 ? power : atan2(fabs(x), power);
  return fmax(chosen, 0) + floor(x);
}

KERNEL_TEST(inductor_pointwise) {
  enum { ROWS = 5, COLUMNS = 37, N = ROWS * COLUMNS };
  Launch l;
  launch_open(&l, "inductor.py", "triton_poi_fused_mix");
  const double *x = launch_random(&l, "in_ptr0", "fp32", N, -3, 3);
  const double *y = launch_random(&l, "in_ptr1", "fp32", COLUMNS, -1, 1);
  launch_empty(&l, "out_ptr0", "fp32", N);
  launch_scalars(&l, "xnumel=%d ks0=%d", N, COLUMNS);
  launch_constexprs(&l, "XBLOCK=128");
  launch_kernel(&l, 2, 1, 1);
  double *expected = launch_array(&l, N);
  for (uint32_t i = 0; i < N; i++) expected[i] = fused_mix((float)x[i] + (float)y[i % COLUMNS], i / COLUMNS);
  launch_expect(&l, "out_ptr0", expected, 2e-6);
  launch_close(&l);
}

KERNEL_TEST(inductor_persistent_reduction) {
  enum { M = 7, N = 50 };
  Launch l;
  launch_open(&l, "inductor.py", "triton_per_fused_softmax");
  const double *x = launch_random(&l, "in_ptr0", "fp32", M * N, -3, 3);
  double *masked = launch_array(&l, M * N);
  for (uint32_t i = 0; i < M * N; i++) masked[i] = i % 7 == 3;
  launch_values(&l, "in_ptr1", "i1", M * N, masked);
  launch_empty(&l, "out_ptr2", "fp32", M * N);
  launch_scalars(&l, "xnumel=%d r0_numel=%d", M, N);
  launch_constexprs(&l, "XBLOCK=4");
  launch_kernel(&l, 2, 1, 1);
  double *expected = launch_array(&l, M * N), sums[M] = {0};
  for (uint32_t i = 0; i < M * N; i++) sums[i / N] += masked[i] != 0 ? 0 : exp(x[i]);
  for (uint32_t i = 0; i < M * N; i++) expected[i] = masked[i] != 0 ? 0 : exp(x[i]) / sums[i / N];
  launch_expect(&l, "out_ptr2", expected, 1e-6);
  launch_close(&l);
}

KERNEL_TEST(inductor_loop_reduction) {
  enum { M = 3, N = 150 };
  Launch l;
  launch_open(&l, "inductor.py", "triton_red_fused_norm");
  launch_fill(&l, "in_out_ptr0", "fp32", M, -1);
  const double *x = launch_random(&l, "in_ptr0", "bf16", M * N, -3, 3);
  const double *w = launch_random(&l, "in_ptr1", "bf16", N, -1, 1);
  launch_empty(&l, "out_ptr0", "fp32", 2 * M);
  launch_empty(&l, "out_ptr1", "bf16", M * N);
  launch_scalars(&l, "xnumel=%d r0_numel=%d", M, N);
  launch_constexprs(&l, "XBLOCK=2 R0_BLOCK=64");
  launch_kernel(&l, 2, 1, 1);
  double rstd[M], most[2 * M], *y = launch_array(&l, M * N);
  for (uint32_t i = 0; i < M; i++) {
    double squares = 0;
    most[i] = x[i * N];
    for (uint32_t j = 0; j < N; j++) {
      squares += x[i * N + j] * x[i * N + j];
      most[i] = fmax(most[i], x[i * N + j]);
    }
    most[M + i] = most[i] > (float)2.9;
    rstd[i] = 1 / sqrt(squares / N + 1e-5);
    for (uint32_t j = 0; j < N; j++) y[i * N + j] = x[i * N + j] * rstd[i] * w[j];
  }
  launch_expect(&l, "in_out_ptr0", rstd, 1e-6);
  launch_expect(&l, "out_ptr0", most, 0);
  launch_expect(&l, "out_ptr1", y, 1e-2);
  launch_close(&l);
}
