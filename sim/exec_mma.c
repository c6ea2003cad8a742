// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync. PTX ISA 9.7.14; fragments and numerics: matrix.h.
#include <math.h>
#include "sim/matrix.h"

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

void exec_mma(Warp *warp, const Insn *insn, uint32_t mask) {
  const Matrix *matrix = insn->u.matrix;
  (void)mask;
  if (matrix->a == MATRIX_F64)
    run_doubles(warp, matrix);
  else if (matrix_is_int(matrix->a))
    run_ints(warp, matrix);
  else
    run_floats(warp, matrix);
}
