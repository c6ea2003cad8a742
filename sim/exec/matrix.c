// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/exec/matrix.h"

#include "sim/exec/exec.h"
#include "sim/exec/float_bits.h"
#include "sim/machine/lanes.h"

uint32_t matrix_bytes(MatrixType type) {
  switch (type) {
  case MATRIX_F16:
  case MATRIX_BF16: return 2;
  case MATRIX_E4M3:
  case MATRIX_E5M2:
  case MATRIX_E2M3:
  case MATRIX_E3M2:
  case MATRIX_E2M1:
  case MATRIX_E2M1_PAIRS:
  case MATRIX_S8:
  case MATRIX_U8: return 1;
  case MATRIX_F64: return 8;
  case MATRIX_NONE:
  case MATRIX_TF32:
  case MATRIX_F32:
  case MATRIX_S32: break;
  }
  return 4;
}

uint32_t matrix_chunk(MatrixType type) { return type == MATRIX_E2M1_PAIRS ? 32 : 16 / matrix_bytes(type); }

bool matrix_unpacks(MatrixType type) {
  return type == MATRIX_E2M1 || type == MATRIX_E2M3 || type == MATRIX_E3M2;
}

void matrix_unpack(MatrixType type, const unsigned char *from, unsigned char *containers) {
  uint32_t bits = type == MATRIX_E2M1 ? 4 : 6, up = type == MATRIX_E2M1 ? 2 : 0;
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t at = i * bits, pair = from[at / 8] | (uint32_t)from[at / 8 + 1] << 8;
    containers[i] = (unsigned char)((pair >> at % 8 & ((1u << bits) - 1)) << up);
  }
}

bool matrix_is_int(MatrixType type) { return type == MATRIX_S8 || type == MATRIX_U8 || type == MATRIX_S32; }

// e4m3 has no infinity; all ones is NaN.
static inline float float_of_e4m3(uint8_t bits) {
  uint32_t magnitude = bits & 0x7fu;
  float scaled = float_of(magnitude << 20) * 0x1p120f; // exact, subnormals included
  uint32_t result = magnitude == 0x7fu ? 0x7fc00000u : float_bits(scaled);
  return float_of(result | (uint32_t)(bits & 0x80u) << 24);
}

static void halves(const unsigned char *from, uint32_t count, float *to, uint32_t step, bool bf16) {
  for (uint32_t i = 0; i < count; i++) {
    uint16_t half;
    memcpy(&half, from + 2 * i, 2);
    to[i * step] = bf16 ? float_of_bf16(half) : float_of_half(half);
  }
}

static void binary32s(const unsigned char *from, uint32_t count, float *to, uint32_t step, uint32_t kept) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t word;
    memcpy(&word, from + 4 * i, 4);
    to[i * step] = float_of(word & kept);
  }
}

static void bytes(const unsigned char *from, uint32_t count, float *to, uint32_t step, bool e4m3) {
  for (uint32_t i = 0; i < count; i++)
    to[i * step] = e4m3 ? float_of_e4m3(from[i]) : float_of_half((uint16_t)(from[i] << 8));
}

static void narrow(const unsigned char *from, uint32_t count, float *to, uint32_t step, NarrowFloat format,
                   uint32_t down) {
  for (uint32_t i = 0; i < count; i++) to[i * step] = float_of_narrow(from[i] >> down, format);
}

static void pairs(const unsigned char *from, uint32_t count, float *to, uint32_t step) {
  for (uint32_t i = 0; i < count; i++)
    to[i * step] = float_of_narrow(from[i / 2] >> 4 * (i % 2) & 15, NARROW_E2M1);
}

// Floats of 6 and 4 bits. Not inlined, so that matrix_floats stays small.
__attribute__((noinline)) static void narrow_floats(MatrixType type, const unsigned char *from,
                                                    uint32_t count, float *to, uint32_t step) {
  if (type == MATRIX_E2M1_PAIRS)
    pairs(from, count, to, step);
  else if (type == MATRIX_E2M1)
    narrow(from, count, to, step, NARROW_E2M1, 2);
  else
    narrow(from, count, to, step, type == MATRIX_E2M3 ? NARROW_E2M3 : NARROW_E3M2, 0);
}

void matrix_floats(MatrixType type, const unsigned char *from, uint32_t count, float *to, uint32_t step) {
  if (type == MATRIX_F16 || type == MATRIX_BF16)
    halves(from, count, to, step, type == MATRIX_BF16);
  else if (type == MATRIX_E4M3 || type == MATRIX_E5M2)
    bytes(from, count, to, step, type == MATRIX_E4M3);
  else if (type == MATRIX_TF32 || type == MATRIX_F32)
    binary32s(from, count, to, step, type == MATRIX_TF32 ? 0xffffe000u : UINT32_MAX);
  else
    narrow_floats(type, from, count, to, step);
}

void matrix_ints(MatrixType type, const unsigned char *from, uint32_t count, int32_t *to, uint32_t step) {
  for (uint32_t i = 0; i < count; i++) to[i * step] = type == MATRIX_S8 ? (int8_t)from[i] : from[i];
}

static void load_element(MatrixType type, const unsigned char *word, uint32_t count, size_t at, uint32_t step,
                         float *floats, int32_t *ints) {
  if (floats && (type == MATRIX_F16 || type == MATRIX_BF16))
    halves(word, count, floats + at, step, type == MATRIX_BF16);
  else if (floats)
    matrix_floats(type, word, count, floats + at, step);
  else
    matrix_ints(type, word, count, ints + at, step);
}

void matrix_load_a(const Warp *warp, const Matrix *matrix, float *a, int32_t *ints) {
  uint32_t per = matrix_chunk(matrix->a) / 4;
  for (uint32_t r = 0; r < matrix->a_count; r++) {
    const unsigned char *words = lanes_at(warp, matrix->a_slots[r]);
    uint32_t down = matrix->m == 16 ? 8 * (r & 1) : 0, along = matrix->m == 16 ? r >> 1 : r;
    for (uint32_t l = 0; l < LANES; l++) {
      size_t at = (size_t)(l / 4 + down) * matrix->k + per * (l % 4) + 4 * per * along;
      load_element(matrix->a, words + 4 * l, per, at, 1, a, ints);
    }
  }
}

void matrix_load_b(const Warp *warp, const Matrix *matrix, float *b, int32_t *ints) {
  uint32_t per = matrix_chunk(matrix->b) / 4;
  for (uint32_t r = 0; r < matrix->b_count; r++) {
    const unsigned char *words = lanes_at(warp, matrix->b_slots[r]);
    for (uint32_t l = 0; l < LANES; l++) {
      size_t at = (size_t)(per * (l % 4) + 4 * per * r) * matrix->n + l / 4;
      load_element(matrix->b, words + 4 * l, per, at, matrix->n, b, ints);
    }
  }
}

// The index of lane l's value v.
static inline size_t place_of(const Matrix *matrix, uint32_t l, uint32_t v) {
  return (size_t)(l / 4 + 8 * (v / 2 % 2)) * matrix->n + 8 * (v / 4) + 2 * (l % 4) + v % 2;
}

void matrix_load_c(const Warp *warp, const Matrix *matrix, MatrixType type, const uint32_t *slots, float *c,
                   int64_t *ints) {
  uint32_t values = matrix->m * matrix->n / LANES;
  for (uint32_t v = 0; v < values; v++) {
    const uint32_t *words = lanes_at(warp, slots[type == MATRIX_F16 ? v / 2 : v]);
    for (uint32_t l = 0; l < LANES; l++) {
      size_t at = place_of(matrix, l, v);
      if (ints)
        ints[at] = (int32_t)words[l];
      else
        c[at] = type == MATRIX_F16 ? float_of_half((uint16_t)(words[l] >> 16 * (v % 2))) : float_of(words[l]);
    }
  }
}

static int64_t clamped(int64_t value, bool clamp) {
  if (!clamp) return value;
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
}

void matrix_store_d(Warp *warp, const Matrix *matrix, const float *c, const int64_t *ints) {
  uint32_t values = matrix->m * matrix->n / LANES;
  for (uint32_t v = 0; v < values; v++) {
    uint32_t *words = lanes_at(warp, matrix->d_slots[matrix->d == MATRIX_F16 ? v / 2 : v]);
    for (uint32_t l = 0; l < LANES; l++) {
      size_t at = place_of(matrix, l, v);
      if (ints)
        words[l] = (uint32_t)clamped(ints[at], matrix->satfinite);
      else if (matrix->d != MATRIX_F16)
        words[l] = float_bits(c[at]);
      else if (v % 2 == 0)
        words[l] = half_of_float(c[at]);
      else
        words[l] |= (uint32_t)half_of_float(c[at]) << 16;
    }
  }
}

SIM_LANES static void multiply(uint32_t m, uint32_t n, uint32_t k, const float *restrict a,
                               const float *restrict b, float *restrict c) {
  for (uint32_t i = 0; i < m; i++)
    for (uint32_t x = 0; x < k; x++) {
      float scale = a[i * k + x];
      const float *row = b + (size_t)x * n;
      float *sum = c + (size_t)i * n;
      for (uint32_t j = 0; j < n; j++) sum[j] += scale * row[j];
    }
}

// mma's eight columns: the sums stay in registers.
SIM_LANES static void multiply8(uint32_t m, uint32_t k, const float *restrict a, const float *restrict b,
                                float *restrict c) {
  for (uint32_t i = 0; i < m; i++) {
    float sum[8];
    memcpy(sum, c + (size_t)i * 8, sizeof sum);
    for (uint32_t x = 0; x < k; x++)
      for (int j = 0; j < 8; j++) sum[j] += a[i * k + x] * b[(size_t)x * 8 + j];
    memcpy(c + (size_t)i * 8, sum, sizeof sum);
  }
}

void matrix_multiply_floats(uint32_t m, uint32_t n, uint32_t k, const float *a, const float *b, float *c) {
  multiply(m, n, k, a, b, c);
}

void matrix_multiply(const Matrix *matrix, Numbers *numbers) {
  if (matrix->n == 8)
    multiply8(matrix->m, matrix->k, numbers->a, numbers->b, numbers->c);
  else
    multiply(matrix->m, matrix->n, matrix->k, numbers->a, numbers->b, numbers->c);
}

// The sum of an accumulator and 32 8-bit multiplications fits in 64 bits. Storing wraps it.
SIM_LANES static void multiply_ints(uint32_t m, uint32_t n, uint32_t k, const int32_t *restrict a,
                                    const int32_t *restrict b, int64_t *restrict c) {
  int32_t sum[MATRIX_COLUMNS];
  for (uint32_t i = 0; i < m; i++) {
    memset(sum, 0, sizeof sum);
    for (uint32_t x = 0; x < k; x++)
      for (uint32_t j = 0; j < n; j++) sum[j] += a[i * k + x] * b[(size_t)x * n + j];
    for (uint32_t j = 0; j < n; j++) c[(size_t)i * n + j] += sum[j];
  }
}

void matrix_multiply_int32s(uint32_t m, uint32_t n, uint32_t k, const int32_t *a, const int32_t *b,
                            int64_t *c) {
  multiply_ints(m, n, k, a, b, c);
}

void matrix_multiply_ints(const Matrix *matrix, Integers *integers) {
  multiply_ints(matrix->m, matrix->n, matrix->k, integers->a, integers->b, integers->c);
}
