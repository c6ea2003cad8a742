// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync. PTX ISA 9.7.14; fragments and numerics: matrix.h.
#include <math.h>
#include "sim/exec/float_bits.h"
#include "sim/exec/matrix.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

static void run_doubles(Warp *warp, const Matrix *matrix) {
  double a[16][16], b[16][8], c[16][8];
  for (uint32_t l = 0; l < LANES; l++) {
    uint32_t g = l / 4, q = l % 4;
    for (uint32_t r = 0; r < matrix->a_count; r++) {
      uint32_t down = matrix->m == 16 ? 8 * (r & 1) : 0, along = matrix->m == 16 ? r >> 1 : r;
      a[g + down][q + 4 * along] = ((const double *)lanes_at(warp, matrix->a_slots[r]))[l];
    }
    for (uint32_t r = 0; r < matrix->b_count; r++)
      b[q + 4 * r][g] = ((const double *)lanes_at(warp, matrix->b_slots[r]))[l];
    for (uint32_t v = 0; v < matrix->c_count; v++)
      c[g + 8 * (v / 2)][2 * q + v % 2] = ((const double *)lanes_at(warp, matrix->c_slots[v]))[l];
  }
  for (uint32_t i = 0; i < matrix->m; i++)
    for (uint32_t j = 0; j < 8; j++)
      for (uint32_t x = 0; x < matrix->k; x++) c[i][j] = fma(a[i][x], b[x][j], c[i][j]);
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t v = 0; v < matrix->d_count; v++)
      ((double *)lanes_at(warp, matrix->d_slots[v]))[l] = c[l / 4 + 8 * (v / 2)][2 * (l % 4) + v % 2];
}

static void run_ints(Warp *warp, const Matrix *matrix) {
  Integers integers;
  matrix_load_a(warp, matrix, NULL, integers.a);
  matrix_load_b(warp, matrix, NULL, integers.b);
  matrix_load_c(warp, matrix, MATRIX_S32, matrix->c_slots, NULL, integers.c);
  matrix_multiply_ints(matrix, &integers);
  matrix_store_d(warp, matrix, NULL, integers.c);
}

static void run_floats(Warp *warp, const Matrix *matrix) {
  Numbers numbers;
  matrix_load_a(warp, matrix, numbers.a, NULL);
  matrix_load_b(warp, matrix, numbers.b, NULL);
  matrix_load_c(warp, matrix, matrix->c, matrix->c_slots, numbers.c, NULL);
  matrix_multiply(matrix, &numbers);
  matrix_store_d(warp, matrix, numbers.c, NULL);
}

// ---- m8n8k4 of f16 ----

// The position of the lane's accumulator v, of f16 or f32, in its 8x8 matrix.
static uint32_t quad_place(MatrixType type, uint32_t lane, uint32_t v) {
  uint32_t down = lane < 16 ? 0 : 4;
  if (type == MATRIX_F16) return 8 * (lane % 4 + down) + v;
  return 8 * ((lane & 1) + (v & 2) + down) + (v & 4) + (lane & 2) + (v & 1);
}

static float half_at(const Warp *warp, const uint32_t *slots, uint32_t lane, uint32_t i) {
  const uint32_t *words = lanes_at(warp, slots[i / 2]);
  return float_of_half((uint16_t)(words[lane] >> 16 * (i % 2)));
}

// The lane's part of A (8x4), B (4x8) and C.
static void load_quad(const Warp *warp, const Matrix *matrix, uint32_t lane, Numbers *to) {
  uint32_t down = lane < 16 ? 0 : 4, at = lane % 4;
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t row = matrix->transpose_a ? i + down : at + down, depth = matrix->transpose_a ? at : i;
    to->a[4 * row + depth] = half_at(warp, matrix->a_slots, lane, i);
    uint32_t column = matrix->transpose_b ? i + down : at + down;
    depth = matrix->transpose_b ? at : i;
    to->b[8 * depth + column] = half_at(warp, matrix->b_slots, lane, i);
  }
  for (uint32_t v = 0; v < 8; v++) {
    const float *words = lanes_at(warp, matrix->c_slots[matrix->c == MATRIX_F16 ? 0 : v]);
    to->c[quad_place(matrix->c, lane, v)] =
        matrix->c == MATRIX_F16 ? half_at(warp, matrix->c_slots, lane, v) : words[lane];
  }
}

static void store_quad(Warp *warp, const Matrix *matrix, uint32_t lane, const float *c) {
  for (uint32_t v = 0; v < 8; v++) {
    float value = c[quad_place(matrix->d, lane, v)];
    uint32_t *words = lanes_at(warp, matrix->d_slots[matrix->d == MATRIX_F16 ? v / 2 : v]);
    if (matrix->d != MATRIX_F16)
      words[lane] = float_bits(value);
    else
      words[lane] = (v % 2 ? words[lane] & 0xffff : 0) | (uint32_t)half_of_float(value) << 16 * (v % 2);
  }
}

static void run_quads(Warp *warp, const Matrix *matrix) {
  Numbers numbers;
  for (uint32_t quad = 0; quad < 4; quad++) {
    for (uint32_t l = 0; l < LANES; l++)
      if (l / 4 % 4 == quad) load_quad(warp, matrix, l, &numbers);
    matrix_multiply(matrix, &numbers);
    for (uint32_t l = 0; l < LANES; l++)
      if (l / 4 % 4 == quad) store_quad(warp, matrix, l, numbers.c);
  }
}

void exec_mma(Warp *warp, const Insn *insn, uint32_t mask) {
  const Matrix *matrix = insn->u.matrix;
  (void)mask;
  if (matrix->a == MATRIX_F64)
    run_doubles(warp, matrix);
  else if (matrix_is_int(matrix->a))
    run_ints(warp, matrix);
  else if (matrix_in_quads(matrix))
    run_quads(warp, matrix);
  else
    run_floats(warp, matrix);
}
