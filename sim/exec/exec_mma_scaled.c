// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync with block scaling (PTX ISA 9.7.14.3): D = (A scale_A) (B scale_B) + C. The lanes 4g to 4g + 3 are a
// quad. Its lane 2 thread + i has the scales of row g + 8i of A. Its lane `thread` has those of column g of B.
// The byte selects the first of a row's scales in the lane's word.
#include "sim/exec/exec.h"
#include "sim/exec/matrix.h"
#include "sim/machine/lanes.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 64 };

// Scale j in the lane's word. The selectors are those of the lane.
static float scale_of(const Warp *warp, const Matrix *matrix, uint32_t slot, uint32_t byte_slot,
                      uint32_t lane, uint32_t j) {
  uint32_t word = ((const uint32_t *)lanes_at(warp, slot))[lane];
  uint32_t byte = ((const uint16_t *)lanes_at(warp, byte_slot))[lane] & 3u;
  return float_of_scale(word >> 8 * ((byte + j) & 3) & 255, matrix->scales_e4m3);
}

static void scale_a(const Warp *warp, const Matrix *matrix, float *a) {
  for (uint32_t row = 0; row < ROWS; row++) {
    uint32_t quad = row % 8 * 4;
    uint32_t thread = ((const uint16_t *)lanes_at(warp, matrix->thread_a))[quad] & 1u;
    for (uint32_t k = 0; k < matrix->k; k++)
      a[row * matrix->k + k] *= scale_of(warp, matrix, matrix->scale_a, matrix->byte_a,
                                         quad + 2 * thread + row / 8, k / matrix->block);
  }
}

static void scale_b(const Warp *warp, const Matrix *matrix, float *b) {
  for (uint32_t column = 0; column < COLUMNS; column++) {
    uint32_t quad = column * 4;
    uint32_t thread = ((const uint16_t *)lanes_at(warp, matrix->thread_b))[quad] & 3u;
    for (uint32_t k = 0; k < matrix->k; k++)
      b[k * COLUMNS + column] *=
          scale_of(warp, matrix, matrix->scale_b, matrix->byte_b, quad + thread, k / matrix->block);
  }
}

void exec_mma_scaled(Warp *warp, const Insn *insn, uint32_t mask) {
  const Matrix *matrix = insn->u.matrix;
  float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS];
  (void)mask;
  matrix_load_a(warp, matrix, a, NULL);
  matrix_load_b(warp, matrix, b, NULL);
  matrix_load_c(warp, matrix, matrix->c, matrix->c_slots, c, NULL);
  scale_a(warp, matrix, a);
  scale_b(warp, matrix, b);
  matrix_multiply_floats(ROWS, COLUMNS, matrix->k, a, b, c);
  matrix_store_d(warp, matrix, c, NULL);
}
