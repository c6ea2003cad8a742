// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations and losses over rows.
#include <math.h>

#include "tests/kernels/launch.h"
#include "tests/kernels/tests.h"

typedef struct Row {
  double mean, rstd;
} Row;

static Row statistics(const double *x, uint32_t n, double eps) {
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < n; i++) sum += x[i];
  double mean = sum / n;
  for (uint32_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
  return (Row){mean, 1 / sqrt(squares / n + eps)};
}

static void check_layer_norm(const char *type, bool weight, bool bias, double tolerance) {
  enum { M = 5, N = 77 };
  Launch l;
  launch_open(&l, "layer_norm.py", "layer_norm_fwd");
  const double *x = launch_random(&l, "X", type, M * N, -2, 3), *w = NULL, *b = NULL;
  launch_empty(&l, "Y", type, M * N);
  if (weight) w = launch_random(&l, "W", type, N, -1, 1);
  if (bias) b = launch_random(&l, "B", type, N, -1, 1);
  if (!weight) launch_scalars(&l, "W=None");
  if (!bias) launch_scalars(&l, "B=None");
  launch_empty(&l, "Mean", "fp32", M);
  launch_empty(&l, "Rstd", "fp32", M);
  launch_scalars(&l, "stride=%d N=%d eps=1e-5", N, N);
  launch_constexprs(&l, "HAS_W=%s BLOCK_SIZE=32", weight ? "True" : "False");
  launch_kernel(&l, M, 1, 1);
  double *y = launch_array(&l, M * N), *mean = launch_array(&l, M), *rstd = launch_array(&l, M);
  for (uint32_t i = 0; i < M; i++) {
    Row row = statistics(x + i * N, N, 1e-5);
    mean[i] = row.mean;
    rstd[i] = row.rstd;
    for (uint32_t j = 0; j < N; j++)
      y[i * N + j] = (x[i * N + j] - row.mean) * row.rstd * (w ? w[j] : 1) + (b ? b[j] : 0);
  }
  launch_expect(&l, "Y", y, tolerance);
  launch_expect(&l, "Mean", mean, 1e-6);
  launch_expect(&l, "Rstd", rstd, 1e-6);
  launch_close(&l);
}

KERNEL_TEST(layer_norm_forward) {
  check_layer_norm("fp32", true, true, 2e-6);
  check_layer_norm("fp16", true, false, 1e-3);
  check_layer_norm("fp32", false, false, 2e-6);
}

// dx, and for each group of rows the sums of dw and db.
static void layer_norm_gradients(const double *x, const double *dy, const double *w, const Row *rows,
                                 uint32_t m, uint32_t n, uint32_t groups, double *dx, double *dw,
                                 double *db) {
  for (uint32_t i = 0; i < m; i++) {
    double c1 = 0, c2 = 0;
    for (uint32_t j = 0; j < n; j++) {
      double xhat = (x[i * n + j] - rows[i].mean) * rows[i].rstd;
      c1 += xhat * w[j] * dy[i * n + j];
      c2 += w[j] * dy[i * n + j];
    }
    for (uint32_t j = 0; j < n; j++) {
      double xhat = (x[i * n + j] - rows[i].mean) * rows[i].rstd, g = dy[i * n + j];
      dx[i * n + j] = (w[j] * g - (xhat * c1 / n + c2 / n)) * rows[i].rstd;
      dw[i % groups * n + j] += g * xhat;
      db[i % groups * n + j] += g;
    }
  }
}

KERNEL_TEST(layer_norm_backward) {
  enum { M = 7, N = 50, GROUPS = 3 };
  Launch l;
  launch_open(&l, "layer_norm.py", "layer_norm_bwd_dx");
  launch_empty(&l, "DX", "fp32", M * N);
  const double *dy = launch_random(&l, "DY", "fp32", M * N, -1, 1);
  launch_fill(&l, "DW", "fp32", GROUPS * N, 0);
  launch_fill(&l, "DB", "fp32", GROUPS * N, 0);
  const double *x = launch_random(&l, "X", "fp32", M * N, -2, 2),
               *w = launch_random(&l, "W", "fp32", N, -1, 1);
  Row rows[M];
  double mean[M], rstd[M];
  for (uint32_t i = 0; i < M; i++) {
    rows[i] = statistics(x + i * N, N, 1e-5);
    mean[i] = rows[i].mean;
    rstd[i] = rows[i].rstd;
  }
  launch_values(&l, "Mean", "fp32", M, mean);
  launch_values(&l, "Rstd", "fp32", M, rstd);
  launch_fill(&l, "Lock", "i32", 2 * GROUPS, 0);
  launch_scalars(&l, "stride=%d N=%d", N, N);
  launch_constexprs(&l, "GROUP_SIZE_M=%d BLOCK_SIZE_N=64", GROUPS);
  launch_kernel(&l, M, 1, 1);
  double *dx = launch_array(&l, M * N), *dw = launch_array(&l, GROUPS * N),
         *db = launch_array(&l, GROUPS * N);
  layer_norm_gradients(x, dy, w, rows, M, N, GROUPS, dx, dw, db);
  launch_expect(&l, "DX", dx, 1e-5);
  launch_expect(&l, "DW", dw, 1e-5);
  launch_expect(&l, "DB", db, 1e-5);
  launch_close(&l);
}

KERNEL_TEST(layer_norm_partial_sums) {
  enum { M = 21, N = 70 };
  Launch l;
  launch_open(&l, "layer_norm.py", "layer_norm_bwd_dwdb");
  const double *dw = launch_random(&l, "DW", "fp32", M * N, -1, 1);
  const double *db = launch_random(&l, "DB", "fp32", M * N, -1, 1);
  launch_empty(&l, "FINAL_DW", "fp16", N);
  launch_empty(&l, "FINAL_DB", "fp32", N);
  launch_scalars(&l, "M=%d N=%d", M, N);
  launch_constexprs(&l, "BLOCK_SIZE_M=8 BLOCK_SIZE_N=32");
  launch_kernel(&l, (N + 31) / 32, 1, 1);
  double *w = launch_array(&l, N), *b = launch_array(&l, N);
  for (uint32_t i = 0; i < M * N; i++) w[i % N] += dw[i], b[i % N] += db[i];
  launch_expect(&l, "FINAL_DW", w, 1e-3);
  launch_expect(&l, "FINAL_DB", b, 1e-5);
  launch_close(&l);
}

// mode: -1, 0 or 1, as rms_norm.py's.
static void check_rms_norm(int mode, bool affine, const char *type, double tolerance) {
  enum { M = 4, N = 45 };
  Launch l;
  launch_open(&l, "rms_norm.py", "rms_norm_forward");
  launch_empty(&l, "Y_ptr", type, M * N);
  const double *x = launch_random(&l, "X_ptr", type, M * N, -2, 2), *w = NULL;
  if (affine)
    w = launch_random(&l, "W_ptr", type, N, -1, 1);
  else
    launch_scalars(&l, "W_ptr=None");
  launch_empty(&l, "RSTD_ptr", "fp32", M);
  launch_scalars(&l, "Y_row_stride=%d X_row_stride=%d RSTD_row_stride=1 n_cols=%d eps=1e-3 offset=1.0", N, N,
                 N);
  launch_constexprs(&l, "casting_mode=%d elementwise_affine=%s BLOCK_SIZE=64", mode,
                    affine ? "True" : "False");
  launch_kernel(&l, M, 1, 1);
  double *y = launch_array(&l, M * N), *rstd = launch_array(&l, M);
  for (uint32_t i = 0; i < M; i++) {
    double squares = 0;
    for (uint32_t j = 0; j < N; j++) squares += x[i * N + j] * x[i * N + j];
    rstd[i] = 1 / sqrt(squares / N + 1e-3);
    for (uint32_t j = 0; j < N; j++) y[i * N + j] = x[i * N + j] * rstd[i] * (w ? 1 + w[j] : 1);
  }
  launch_expect(&l, "Y_ptr", y, tolerance);
  launch_expect(&l, "RSTD_ptr", rstd, tolerance);
  launch_close(&l);
}

KERNEL_TEST(rms_norm_forward) {
  check_rms_norm(0, true, "bf16", 2e-2);
  check_rms_norm(1, true, "fp16", 2e-3);
  check_rms_norm(1, false, "fp32", 1e-6);
  check_rms_norm(-1, true, "fp32", 1e-6);
}

KERNEL_TEST(rms_norm_backward) {
  enum { M = 7, N = 33, PER = 3, PROGRAMS = 3 };
  Launch l;
  launch_open(&l, "rms_norm.py", "rms_norm_backward");
  const double *dy = launch_random(&l, "dY_ptr", "fp32", M * N, -1, 1);
  launch_empty(&l, "dX_ptr", "fp32", M * N);
  const double *x = launch_random(&l, "X_ptr", "fp32", M * N, -2, 2),
               *w = launch_random(&l, "W_ptr", "fp32", N, -1, 1);
  double rstd[M], *dx = launch_array(&l, M * N), *dw = launch_array(&l, PROGRAMS * N);
  for (uint32_t i = 0; i < M; i++) {
    double squares = 0, dots = 0;
    for (uint32_t j = 0; j < N; j++) {
      squares += x[i * N + j] * x[i * N + j];
      dots += dy[i * N + j] * (w[j] + 0.5) * x[i * N + j];
    }
    double r = rstd[i] = 1 / sqrt(squares / N + 1e-6);
    for (uint32_t j = 0; j < N; j++) {
      dx[i * N + j] = r * (dy[i * N + j] * (w[j] + 0.5) - r * r * dots / N * x[i * N + j]);
      dw[i / PER * N + j] += dy[i * N + j] * x[i * N + j] * r;
    }
  }
  launch_values(&l, "RSTD_ptr", "fp32", M, rstd);
  launch_empty(&l, "dW_ptr", "fp32", PROGRAMS * N);
  launch_scalars(&l, "dY_row_stride=%d dX_row_stride=%d X_row_stride=%d RSTD_row_stride=1 dW_row_stride=%d",
                 N, N, N, N);
  launch_scalars(&l, "n_rows=%d n_cols=%d offset=0.5 rows_per_program=%d", M, N, PER);
  launch_constexprs(&l, "X_dtype=fp32 BLOCK_SIZE=64");
  launch_kernel(&l, PROGRAMS, 1, 1);
  launch_expect(&l, "dX_ptr", dx, 1e-5);
  launch_expect(&l, "dW_ptr", dw, 1e-5);
  launch_close(&l);
}

// --- Cross entropy ---

typedef struct LossOptions {
  double smoothing, z, softcap; // softcap 0: none
  bool weights;
} LossOptions;

// One row's loss, gradient over x, z loss.
static double cross_entropy(const double *x, uint32_t n, uint32_t label, const LossOptions *o, double scale,
                            double *gradient, double *z_loss) {
  double sum = 0, total = 0, capped[64];
  for (uint32_t j = 0; j < n; j++) {
    capped[j] = o->softcap > 0 ? o->softcap * tanh(x[j] / o->softcap) : x[j];
    sum += exp(capped[j]);
    total += capped[j];
  }
  double lse = log(sum), eps = o->smoothing / n;
  for (uint32_t j = 0; j < n; j++) {
    double p = exp(capped[j]) / sum, t = capped[j] / o->softcap;
    double g = p + 2 * o->z * lse * p - eps - (j == label ? 1 - o->smoothing : 0);
    gradient[j] = g * scale * (o->softcap > 0 ? 1 - t * t : 1);
  }
  *z_loss = o->z * lse * lse;
  double loss = (1 - o->smoothing) * (lse - capped[label]) - eps * total + o->smoothing * lse;
  return loss + *z_loss;
}

static void check_cross_entropy(const LossOptions *o) {
  enum { M = 5, N = 43, IGNORED = 3 };
  static const double labels[M] = {0, 42, 17, -100, 16};
  Launch l;
  launch_open(&l, "cross_entropy.py", "cross_entropy_kernel");
  const double *x = launch_random(&l, "X_ptr", "fp32", M * N, -4, 4), *w = NULL;
  launch_values(&l, "Y_ptr", "i64", M, labels);
  if (o->weights)
    w = launch_random(&l, "weight_ptr", "fp32", N, 0.5, 2);
  else
    launch_scalars(&l, "weight_ptr=None");
  launch_fill(&l, "loss_ptr", "fp32", M, 0);
  launch_fill(&l, "z_loss_ptr", "fp32", M, 0);
  launch_fill(&l, "n_non_ignore_ptr", "i64", 1, M - 1);
  launch_scalars(&l, "X_stride=%d Y_stride=1 loss_stride=1 n_cols=%d ignore_index=-100", N, N);
  launch_scalars(&l, o->softcap > 0 ? "softcap=%.1f" : "softcap=None", o->softcap);
  launch_constexprs(&l, "lse_square_scale=%.3f label_smoothing=%.2f reduction=\"mean\" RETURN_Z_LOSS=True",
                    o->z, o->smoothing);
  launch_constexprs(&l, "BLOCK_SIZE=16 HAS_WEIGHT=%s HAS_SOFTCAPPING=%s", o->weights ? "True" : "False",
                    o->softcap > 0 ? "True" : "False");
  launch_kernel(&l, M, 1, 1);
  double *gradient = launch_array(&l, M * N), *loss = launch_array(&l, M), *z_loss = launch_array(&l, M);
  for (uint32_t i = 0; i < M; i++) {
    if (i == IGNORED) continue;
    double scale = (w ? w[(int)labels[i]] : 1) / (M - 1), z;
    loss[i] = scale * cross_entropy(x + i * N, N, (uint32_t)labels[i], o, scale, gradient + i * N, &z);
    z_loss[i] = z / (M - 1);
  }
  launch_expect(&l, "X_ptr", gradient, 1e-5);
  launch_expect(&l, "loss_ptr", loss, 1e-5);
  launch_expect(&l, "z_loss_ptr", z_loss, 1e-5);
  launch_close(&l);
}

KERNEL_TEST(cross_entropy) {
  check_cross_entropy(&(LossOptions){0});
  check_cross_entropy(&(LossOptions){.smoothing = 0.1, .z = 0.01, .weights = true});
  check_cross_entropy(&(LossOptions){.softcap = 3});
}

KERNEL_TEST(welford) {
  enum { M = 5, N = 75 };
  Launch l;
  launch_open(&l, "welford.py", "group_norm_stats");
  const double *x = launch_random(&l, "x_ptr", "fp32", M * N, 1, 3);
  launch_empty(&l, "mean_ptr", "fp32", M);
  launch_empty(&l, "var_ptr", "fp32", M);
  launch_scalars(&l, "x_numel=%d r_numel=%d", M, N);
  launch_constexprs(&l, "XBLOCK=2 RBLOCK=16");
  launch_kernel(&l, 3, 1, 1);
  double mean[M], variance[M];
  for (uint32_t i = 0; i < M; i++) {
    Row row = statistics(x + i * N, N, 0);
    mean[i] = row.mean;
    variance[i] = 1 / (row.rstd * row.rstd);
  }
  launch_expect(&l, "mean_ptr", mean, 1e-6);
  launch_expect(&l, "var_ptr", variance, 1e-5);
  launch_close(&l);
}
