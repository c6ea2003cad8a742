// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by mma and wgmma: elements of fragments and of shared memory, and the matmuls.
//
// Numerics. Multiplications of two inputs are exact. They are added to the accumulator one after another,
// with k ascending, in binary32 (binary64 for f64). Each sum is rounded to nearest even. An f16 result is
// rounded once, at the end. tf32 inputs are binary32 words, and their low 13 bits are ignored. Integers wrap,
// or clamp at the end with .satfinite. Tensor cores keep fewer bits while they add, and use another order. So
// a GPU's last bits may differ.
//
// Fragments, with g = lane / 4 and q = lane % 4. A register r has E elements e. E is 4 bytes / element, 8
// for packed e2m1, or 1 for f64. For C and D, v counts values. An f16 register has two values.
//
//   (A, 16 rows)  row g + 8 (r % 2)        k = E q + e + 4 E (r / 2);
//   (A, 8 rows)   row g                    k = E q + e + 4 E r;
//   (B)           column g                 k = E q + e + 4 E r;
//   (C, D)        row g + 8 (v / 2 % 2)    column 8 (v / 4) + 2 q + v % 2
#ifndef SIM_EXEC_MATRIX_H
#define SIM_EXEC_MATRIX_H

#include "sim/machine/state.h"

enum { MATRIX_ROWS = 16, MATRIX_COLUMNS = 256, MATRIX_DEPTH = 32 };

// The operands of a warp's part as numbers: a[row][k], b[k][column], c[row][column]. Each row has n or k
// elements.
typedef struct Numbers {
  float a[MATRIX_ROWS * MATRIX_DEPTH], b[MATRIX_DEPTH * MATRIX_COLUMNS], c[MATRIX_ROWS * MATRIX_COLUMNS];
} Numbers;

typedef struct Integers {
  int32_t a[MATRIX_ROWS * MATRIX_DEPTH], b[MATRIX_DEPTH * MATRIX_COLUMNS];
  int64_t c[MATRIX_ROWS * MATRIX_COLUMNS];
} Integers;

uint32_t matrix_bytes(MatrixType type); // of an element, or its container
uint32_t matrix_chunk(MatrixType type); // elements in 16 bytes of shared memory
// True for elements of 6 and 4 bits that have 8 bits in registers and tensor memory.
bool matrix_unpacks(MatrixType type);
// 16 of them lie packed at the start of 16 bytes of shared memory. In 8 bits e2m1 has bits 2 to 5, the others
// bits 0 to 5.
void matrix_unpack(MatrixType type, const unsigned char *from, unsigned char *containers);
bool matrix_is_int(MatrixType type);
// mma.m8n8k4 of f16: four matmuls. Each is done by the eight lanes l with the same l / 4 % 4.
static inline bool matrix_in_quads(const Matrix *matrix) { return matrix->m == 8 && matrix->a == MATRIX_F16; }
// Loads `count` neighbouring elements at `from` to to[0], to[step] ...
// (MATRIX_E2M1_PAIRS: an even number).
void matrix_floats(MatrixType type, const unsigned char *from, uint32_t count, float *to, uint32_t step);
void matrix_ints(MatrixType type, const unsigned char *from, uint32_t count, int32_t *to, uint32_t step);

// Fragments of A and B as numbers.
void matrix_load_a(const Warp *warp, const Matrix *matrix, float *a, int32_t *ints);
void matrix_load_b(const Warp *warp, const Matrix *matrix, float *b, int32_t *ints);
// Accumulators in `slots` of `type`, from and to numbers or integers (the other pointer is NULL).
void matrix_load_c(const Warp *warp, const Matrix *matrix, MatrixType type, const uint32_t *slots, float *c,
                   int64_t *ints);
void matrix_store_d(Warp *warp, const Matrix *matrix, const float *c, const int64_t *ints);

static inline void matrix_negate(float *numbers, size_t n, bool really) {
  for (size_t i = 0; really && i < n; i++) numbers[i] = -numbers[i];
}

// c += a b: a[row][k], b[k][column], c[row][column]. Integers: at most MATRIX_DEPTH deep.
void matrix_multiply_floats(uint32_t m, uint32_t n, uint32_t k, const float *a, const float *b, float *c);
void matrix_multiply_int32s(uint32_t m, uint32_t n, uint32_t k, const int32_t *a, const int32_t *b,
                            int64_t *c);
void matrix_multiply(const Matrix *matrix, Numbers *numbers);
void matrix_multiply_ints(const Matrix *matrix, Integers *integers);

#endif
