// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, reductions with indices, routing, histograms, convolution.
#include <math.h>

#include "tests/kernels/launch.h"
#include "tests/kernels/tests.h"

static void check_selective_scan(bool initial, bool softplus) {
  enum { BATCHES = 2, DIM = 3, STATE = 4, L = 21, N = BATCHES * DIM * L };
  Launch l;
  launch_open(&l, "selective_scan.py", "selective_scan");
  const double *u = launch_random(&l, "U", "fp32", N, -1, 1);
  const double *delta = launch_random(&l, "Delta", "fp32", N, 0, 1);
  const double *a = launch_random(&l, "A", "fp32", DIM * STATE, -2, -0.1);
  const double *b = launch_random(&l, "B", "fp32", BATCHES * L * STATE, -1, 1);
  const double *c = launch_random(&l, "C", "fp32", BATCHES * L * STATE, -1, 1);
  const double *skip = launch_random(&l, "D", "fp32", DIM, -1, 1), *h0 = NULL;
  launch_empty(&l, "Out", "fp32", N);
  if (initial)
    h0 = launch_random(&l, "H0", "fp32", BATCHES * DIM * STATE, -1, 1);
  else
    launch_scalars(&l, "H0=None");
  launch_scalars(&l, "L=%d", L);
  launch_constexprs(&l, "DIM=%d STATE=%d CHUNK=8 DELTA_SOFTPLUS=%s", DIM, STATE, softplus ? "True" : "False");
  launch_kernel(&l, DIM, BATCHES, 1);
  double *out = launch_array(&l, N);
  for (uint32_t s = 0; s < BATCHES * DIM * STATE; s++) {
    uint32_t row = s / STATE, d = row % DIM, batch = row / DIM, n = s % STATE;
    double h = h0 ? h0[s] : 0;
    for (uint32_t t = 0; t < L; t++) {
      double step = delta[row * L + t];
      if (softplus) step = log1p(exp(step));
      h = exp(step * a[d * STATE + n]) * h + step * u[row * L + t] * b[(batch * L + t) * STATE + n];
      out[row * L + t] += h * c[(batch * L + t) * STATE + n] + (n == 0 ? skip[d] * u[row * L + t] : 0);
    }
  }
  launch_expect(&l, "Out", out, 1e-5);
  launch_close(&l);
}

KERNEL_TEST(selective_scan) {
  check_selective_scan(false, false);
  check_selective_scan(true, true);
}

KERNEL_TEST(reverse_cumsum) {
  enum { ROWS = 3, T = 45 };
  Launch l;
  launch_open(&l, "selective_scan.py", "reverse_cumsum");
  const double *s = launch_random(&l, "s", "fp32", ROWS * T, -1, 1);
  launch_empty(&l, "o", "fp32", ROWS * T);
  launch_scalars(&l, "T=%d", T);
  launch_constexprs(&l, "BT=16");
  launch_kernel(&l, ROWS, 1, 1);
  double *o = launch_array(&l, ROWS * T);
  for (uint32_t row = 0; row < ROWS; row++) {
    double sum = 0;
    for (uint32_t t = T; t-- > 0;) o[row * T + t] = sum += s[row * T + t];
  }
  launch_expect(&l, "o", o, 1e-5);
  launch_close(&l);
}

KERNEL_TEST(look_back) {
  enum { N = 230, BLOCK = 32, BLOCKS = (N + BLOCK - 1) / BLOCK };
  Launch l;
  launch_open(&l, "look_back.py", "prefix_sum");
  const double *x = launch_random(&l, "in_ptr0", "fp32", N, -1, 1);
  launch_empty(&l, "out_ptr0", "fp32", N);
  launch_fill(&l, "ws_ptr", "u64", BLOCKS, 0);
  launch_scalars(&l, "xnumel=%d", N);
  launch_constexprs(&l, "XBLOCK=%d", BLOCK);
  l.warnings = 1; // the atomics' results depend on the order of programs
  launch_kernel(&l, BLOCKS, 1, 1);
  double *out = launch_array(&l, N), sum = 0;
  for (uint32_t i = 0; i < N; i++) out[i] = sum += x[i];
  launch_expect(&l, "out_ptr0", out, 1e-5);
  launch_close(&l);
}

// --- Routing ---

static uint32_t largest(const double *x, uint32_t n) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < n; i++)
    if (x[i] > x[best]) best = i;
  return best;
}

KERNEL_TEST(top1_routing) {
  enum { TOKENS = 37, EXPERTS = 6 };
  Launch l;
  launch_open(&l, "routing.py", "top1_routing");
  const double *x = launch_random(&l, "logits_ptr", "fp32", TOKENS * EXPERTS, -3, 3);
  launch_empty(&l, "expert_ptr", "i32", TOKENS);
  launch_empty(&l, "gate_ptr", "fp32", TOKENS);
  launch_fill(&l, "counts_ptr", "i32", EXPERTS, 0);
  launch_scalars(&l, "n_tokens=%d n_experts=%d", TOKENS, EXPERTS);
  launch_constexprs(&l, "BLOCK_T=16 BLOCK_E=8");
  launch_kernel(&l, 3, 1, 1);
  double expert[TOKENS], gate[TOKENS], counts[EXPERTS] = {0};
  for (uint32_t t = 0; t < TOKENS; t++) {
    uint32_t best = largest(x + t * EXPERTS, EXPERTS);
    double sum = 0;
    for (uint32_t e = 0; e < EXPERTS; e++) sum += exp(x[t * EXPERTS + e] - x[t * EXPERTS + best]);
    expert[t] = best;
    gate[t] = 1 / sum;
    counts[best]++;
  }
  launch_expect(&l, "expert_ptr", expert, 0);
  launch_expect(&l, "gate_ptr", gate, 1e-6);
  launch_expect(&l, "counts_ptr", counts, 0);
  launch_close(&l);
}

static void check_topk(bool renormalise) {
  enum { TOKENS = 5, EXPERTS = 13, K = 3 };
  Launch l;
  launch_open(&l, "routing.py", "grouped_topk");
  const double *x = launch_random(&l, "logits_ptr", "fp16", TOKENS * EXPERTS, -3, 3);
  launch_empty(&l, "ids_ptr", "i64", TOKENS * K);
  launch_empty(&l, "weights_ptr", "fp32", TOKENS * K);
  launch_scalars(&l, "n_experts=%d", EXPERTS);
  launch_constexprs(&l, "TOPK=%d BLOCK_E=16", K);
  if (!renormalise) launch_constexprs(&l, "RENORMALISE=False");
  launch_kernel(&l, TOKENS, 1, 1);
  double ids[TOKENS * K], weights[TOKENS * K];
  for (uint32_t t = 0; t < TOKENS; t++) {
    double p[EXPERTS], sum = 0, chosen = 0;
    for (uint32_t e = 0; e < EXPERTS; e++) sum += p[e] = exp(x[t * EXPERTS + e]);
    for (uint32_t i = 0; i < K; i++) {
      uint32_t best = largest(p, EXPERTS);
      ids[t * K + i] = best;
      chosen += weights[t * K + i] = p[best] / sum;
      p[best] = -1;
    }
    for (uint32_t i = 0; renormalise && i < K; i++) weights[t * K + i] /= chosen;
  }
  launch_expect(&l, "ids_ptr", ids, 0);
  launch_expect(&l, "weights_ptr", weights, 1e-6);
  launch_close(&l);
}

KERNEL_TEST(topk_routing) {
  check_topk(true);
  check_topk(false);
}

KERNEL_TEST(argmax_reduce) {
  enum { ROWS = 4, N = 70 };
  Launch l;
  launch_open(&l, "routing.py", "argmax_reduce");
  // few values, so that there are ties: the first one wins
  double x[ROWS * N], value[ROWS], index[ROWS];
  for (uint32_t i = 0; i < ROWS * N; i++) x[i] = (double)(i * 37 % 11) - 20;
  launch_values(&l, "x_ptr", "fp32", ROWS * N, x);
  launch_empty(&l, "value_ptr", "fp32", ROWS);
  launch_empty(&l, "index_ptr", "i32", ROWS);
  launch_scalars(&l, "N=%d", N);
  launch_constexprs(&l, "BLOCK=16");
  launch_kernel(&l, ROWS, 1, 1);
  for (uint32_t i = 0; i < ROWS; i++) {
    index[i] = largest(x + i * N, N);
    value[i] = x[i * N + (uint32_t)index[i]];
  }
  launch_expect(&l, "value_ptr", value, 0);
  launch_expect(&l, "index_ptr", index, 0);
  launch_close(&l);
}

// --- Histograms ---

KERNEL_TEST(histogram_atomic) {
  enum { N = 300, BINS = 8 };
  Launch l;
  launch_open(&l, "histogram.py", "histogram_atomic");
  const double *x = launch_random(&l, "x_ptr", "fp32", N, -1.5, 9.5);
  launch_fill(&l, "counts_ptr", "i32", BINS, 0);
  launch_fill(&l, "sums_ptr", "fp32", BINS, 0);
  launch_scalars(&l, "n=%d low=0.0 inv_width=1.0", N);
  launch_constexprs(&l, "NUM_BINS=%d BLOCK=128", BINS);
  launch_kernel(&l, 3, 1, 1);
  double counts[BINS] = {0}, sums[BINS] = {0};
  for (uint32_t i = 0; i < N; i++) {
    uint32_t bin = (uint32_t)fmin(fmax(floor(x[i]), 0), BINS - 1);
    counts[bin]++;
    sums[bin] += x[i];
  }
  launch_expect(&l, "counts_ptr", counts, 0);
  launch_expect(&l, "sums_ptr", sums, 1e-5);
  launch_close(&l);
}

KERNEL_TEST(histogram_block) {
  enum { N = 300, BINS = 16 };
  Launch l;
  launch_open(&l, "histogram.py", "histogram_block");
  const double *x = launch_random(&l, "x_ptr", "i32", N, 0, BINS);
  launch_fill(&l, "counts_ptr", "i32", BINS, 5);
  launch_fill(&l, "lowest_ptr", "i32", 1, 1000);
  launch_fill(&l, "highest_ptr", "i32", 1, -1000);
  launch_scalars(&l, "n=%d", N);
  launch_constexprs(&l, "NUM_BINS=%d BLOCK=128", BINS);
  launch_kernel(&l, 3, 1, 1);
  double counts[BINS], lowest = BINS, highest = 0;
  for (uint32_t i = 0; i < BINS; i++) counts[i] = 5;
  for (uint32_t i = 0; i < N; i++) {
    counts[(uint32_t)x[i]]++;
    lowest = fmin(lowest, x[i]);
    highest = fmax(highest, x[i]);
  }
  launch_expect(&l, "counts_ptr", counts, 0);
  launch_expect(&l, "lowest_ptr", &lowest, 0);
  launch_expect(&l, "highest_ptr", &highest, 0);
  launch_close(&l);
}

// --- Convolution ---

typedef struct Conv {
  uint32_t width;
  bool bias, silu;
} Conv;

enum { CONV_DIM = 5, CONV_TOKENS = 29, CONV_SEQUENCES = 4 };
static const double conv_starts[CONV_SEQUENCES + 1] = {0, 11, 12, 21, 29};
static const double conv_slots[CONV_SEQUENCES] = {2, 0, -1, 1}, conv_initial[CONV_SEQUENCES] = {1, 0, 1, 1};

// The input of sequence s at token t of it: before its start, the state's, or 0.
static double conv_input(const Conv *o, const double *x, const double *state, uint32_t s, uint32_t d, int t) {
  int kept = (int)o->width - 1;
  if (t >= 0) return x[d * CONV_TOKENS + (uint32_t)conv_starts[s] + (uint32_t)t];
  return conv_initial[s] != 0 ? state[((int)conv_slots[s] * CONV_DIM + (int)d) * kept + kept + t] : 0;
}

static void check_conv(const Conv *o) {
  enum { N = CONV_DIM * CONV_TOKENS };
  Launch l;
  launch_open(&l, "causal_conv1d.py", "causal_conv1d_fwd");
  const double *x = launch_random(&l, "x_ptr", "fp32", N, -1, 1), *bias = NULL;
  const double *w = launch_random(&l, "w_ptr", "fp32", CONV_DIM * o->width, -1, 1);
  if (o->bias)
    bias = launch_random(&l, "bias_ptr", "fp32", CONV_DIM, -1, 1);
  else
    launch_scalars(&l, "bias_ptr=None");
  const double *state = launch_random(&l, "initial_states_ptr", "fp32", 3 * CONV_DIM * (o->width - 1), -1, 1);
  launch_values(&l, "cache_indices_ptr", "i32", CONV_SEQUENCES, conv_slots);
  launch_values(&l, "has_initial_states_ptr", "i1", CONV_SEQUENCES, conv_initial);
  launch_values(&l, "query_start_loc_ptr", "i32", CONV_SEQUENCES + 1, conv_starts);
  launch_fill(&l, "o_ptr", "fp32", N, -9);
  launch_scalars(&l, "stride_x_dim=%d stride_o_dim=%d", CONV_TOKENS, CONV_TOKENS);
  launch_constexprs(&l, "dim=%d HAS_BIAS=%s KERNEL_WIDTH=%u SILU_ACTIVATION=%s", CONV_DIM,
                    o->bias ? "True" : "False", o->width, o->silu ? "True" : "False");
  launch_constexprs(&l, "pad_slot_id=-1 BLOCK_M=4 BLOCK_N=4");
  launch_kernel(&l, CONV_SEQUENCES, 3, 2);
  double *out = launch_array(&l, N);
  for (uint32_t i = 0; i < N; i++) out[i] = -9;
  for (uint32_t s = 0; s < CONV_SEQUENCES; s++)
    for (uint32_t i = 0; conv_slots[s] >= 0 && i < CONV_DIM * (uint32_t)(conv_starts[s + 1] - conv_starts[s]);
         i++) {
      uint32_t d = i % CONV_DIM, t = i / CONV_DIM;
      double y = bias ? bias[d] : 0;
      for (uint32_t j = 0; j < o->width; j++)
        y += w[d * o->width + j] * conv_input(o, x, state, s, d, (int)(t + j) - (int)o->width + 1);
      out[d * CONV_TOKENS + (uint32_t)conv_starts[s] + t] = o->silu ? y / (1 + exp(-y)) : y;
    }
  launch_expect(&l, "o_ptr", out, 1e-6);
  launch_close(&l);
}

KERNEL_TEST(causal_conv1d) {
  check_conv(&(Conv){.width = 4, .bias = true, .silu = true});
  check_conv(&(Conv){.width = 3});
}
