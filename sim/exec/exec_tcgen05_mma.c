// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma: D = A B + D, with D in tensor memory. Its instruction descriptor (PTX ISA 9.7.16.4.2), and its
// numbers. These are matrix.h's: sums in binary32, with k ascending. An element and its scale are multiplied
// first, which is exact unless it overflows.
#include <stdlib.h>
#include "sim/exec/exec.h"
#include "sim/exec/float_bits.h"
#include "sim/exec/shared_matrix.h"
#include "sim/exec/tcgen05.h"
#include "sim/machine/lanes.h"

enum { PART = 32, MOST_M = CHIP_TMEM_LANES, MOST_N = MATRIX_COLUMNS, MOST_K = 64, ROW_BYTES = 32 };

// ---- the instruction descriptor ----

static MatrixType type_of(MmaKind kind, uint32_t code) {
  static const MatrixType halves[] = {MATRIX_F16, MATRIX_BF16}, ints[] = {MATRIX_U8, MATRIX_S8};
  static const MatrixType narrow[] = {MATRIX_E4M3, MATRIX_E5M2, MATRIX_NONE,
                                      MATRIX_E2M3, MATRIX_E3M2, MATRIX_E2M1};
  switch (kind) {
  case MMA_KIND_F16: return code < 2 ? halves[code] : MATRIX_NONE;
  case MMA_KIND_TF32: return code == 2 ? MATRIX_TF32 : MATRIX_NONE;
  case MMA_KIND_I8: return code < 2 ? ints[code] : MATRIX_NONE;
  case MMA_KIND_F8F6F4:
  case MMA_KIND_MXF8F6F4: return code < 6 ? narrow[code] : MATRIX_NONE;
  case MMA_KIND_MXF4:
  case MMA_KIND_MXF4NVF4: return code == 1 ? MATRIX_E2M1_PAIRS : MATRIX_NONE;
  }
  return MATRIX_NONE;
}

static MatrixType result_of(MmaKind kind, uint32_t code, const MmaForm *form) {
  bool half =
      (kind == MMA_KIND_F16 && form->a == MATRIX_F16 && form->b == MATRIX_F16) || kind == MMA_KIND_F8F6F4;
  if (kind >= MMA_KIND_MXF8F6F4) return MATRIX_F32;
  if (kind == MMA_KIND_I8) return code == 2 ? MATRIX_S32 : MATRIX_NONE;
  return code == 1 ? MATRIX_F32 : code == 0 && half ? MATRIX_F16 : MATRIX_NONE;
}

static uint32_t depth_of(MmaKind kind) {
  static const uint32_t depths[] = {16, 8, 32, 32, 32, 64, 64};
  return depths[kind];
}

// .cta_group::2.
static bool pair_fits(MmaKind kind, const MmaForm *form) {
  uint32_t step = kind == MMA_KIND_I8 ? 32 : 16;
  if (form->n < step || form->n > MOST_N || form->n % step) return false;
  return form->m == 128 || form->m == 256;
}

static bool shape_fits(MmaKind kind, const MmaForm *form) {
  uint32_t n = form->n;
  if (form->pair) return pair_fits(kind, form);
  if (n < 8 || n > MOST_N) return false;
  if (kind >= MMA_KIND_MXF8F6F4) return form->m == 128;
  if (form->m != 64 && form->m != 128) return false;
  return kind != MMA_KIND_I8 || n % 16 == 0 || n == 8 || n == 24;
}

static bool transpose_fits(MmaKind kind, const MmaForm *form) {
  bool packed = kind == MMA_KIND_MXF4 || kind == MMA_KIND_MXF4NVF4;
  if ((form->transpose_a || form->transpose_b) && packed) return false;
  if ((form->transpose_a && matrix_unpacks(form->a)) || (form->transpose_b && matrix_unpacks(form->b)))
    return false;
  return !form->transpose_b || matrix_bytes(form->b) != 1 || form->n % (form->pair ? 32 : 16) == 0;
}

static const char *block_form(const TensorMma *mma, uint32_t bits, MmaForm *form) {
  form->scale_b_id = bits >> 4 & 3;
  form->scale_a_id = bits >> 29 & 3;
  form->scales_e4m3 = !(bits >> 23 & 1);
  if (form->scales_e4m3 && mma->kind != MMA_KIND_MXF4NVF4) return "scales of this kind are ue8m0 (bit 23)";
  if (form->scales_e4m3 && mma->block != 16) return "scales of ue4m3 have blocks of 16";
  if (mma->kind != MMA_KIND_MXF8F6F4 && bits >> 31) return "K = 96 is not built";
  uint32_t step = mma->kind == MMA_KIND_MXF8F6F4 ? 1 : mma->block == 16 ? 4 : 2;
  if (form->scale_a_id % step || form->scale_b_id % step) return "a scale's id is not one of this kind";
  return NULL;
}

static const char *form_of(const TensorMma *mma, uint32_t bits, bool pair, MmaForm *form) {
  bool scaled = mma->kind >= MMA_KIND_MXF8F6F4;
  *form = (MmaForm){.m = (bits >> 24 & 31) << 4,
                    .n = (bits >> 17 & 63) << 3,
                    .k = depth_of(mma->kind),
                    .pair = pair,
                    .negate_a = bits >> 13 & 1,
                    .negate_b = bits >> 14 & 1,
                    .transpose_a = bits >> 15 & 1,
                    .transpose_b = bits >> 16 & 1,
                    .saturate = mma->kind == MMA_KIND_I8 && (bits >> 3 & 1)};
  bool pairs = mma->kind == MMA_KIND_MXF4 || mma->kind == MMA_KIND_MXF4NVF4;
  form->a = type_of(mma->kind, bits >> 7 & 7);
  form->b = type_of(mma->kind, bits >> 10 & (pairs ? 3 : 7));
  if (scaled) form->m = (bits >> 27 & 3) << 7;
  if (bits >> 2 & 1) return "sparse A is not built";
  if (!form->a || !form->b) return "the type of A or B is not one of this kind";
  form->d = result_of(mma->kind, bits >> 4 & 3, form);
  if (!form->d) return "the type of D is not one of this kind";
  if (!shape_fits(mma->kind, form)) return "M and N are not a shape of this kind";
  if (!transpose_fits(mma->kind, form)) return "A or B cannot be transposed";
  if (mma->kind == MMA_KIND_I8 && (form->negate_a || form->negate_b)) return "integers cannot be negated";
  return scaled ? block_form(mma, bits, form) : NULL;
}

bool mma_form(Warp *warp, const Insn *insn, uint32_t lane, uint32_t bits, MmaForm *form) {
  const char *what = form_of(insn->u.mma, bits, insn->count == 2, form);
  if (what)
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, 0, "tcgen05.mma's instruction descriptor 0x%08x: %s",
               bits, what);
  return !what;
}

// ---- operands ----

typedef struct MmaNumbers {
  float a[MOST_M * MOST_K], b[MOST_K * MOST_N], c[MOST_M * MOST_N];
  float scaled_b[MOST_K * MOST_N]; // block scaling: for the rows of one part
} MmaNumbers;

typedef struct MmaIntegers {
  int32_t a[MOST_M * 32], b[32 * MOST_N];
  int64_t c[MOST_M * MOST_N];
} MmaIntegers;

static bool swizzle_fits(const MmaForm *form, MatrixType type, bool transposed,
                         const Descriptor *descriptor) {
  (void)form;
  if (!transposed) return true;
  return descriptor->wide_atoms == (type == MATRIX_TF32);
}

static bool load_shared(AsyncOp *op, SharedMatrix *matrix, uint64_t bits, const char *name) {
  const char *what;
  bool known = descriptor_of_tcgen05(bits, &matrix->descriptor, &what);
  if (known && !swizzle_fits(&op->u.tensor->form, matrix->type, matrix->transposed, &matrix->descriptor)) {
    known = false;
    what = "transposed tf32 needs the swizzle with atoms of 32 bytes, and no other type has it";
  }
  if (!known)
    warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_ASYNC, 0, "tcgen05.mma's matrix descriptor of %s: %s",
               name, what);
  return known && shared_matrix_load(matrix);
}

// The part of D that is multiplied at once: a CTA's rows, and all columns, or (mma_halves) those of 64 lanes.
typedef struct MmaPart {
  AsyncOp *op;
  Block *block;
  uint32_t cta, half; // cta: 0, or 1 for the odd one of a pair
} MmaPart;

// A in tensor memory: 32 bytes of each row.
static void load_tmem_a(const MmaPart *part, float *floats, int32_t *ints) {
  const MmaForm *form = &part->op->u.tensor->form;
  const Tmem *tmem = part->block->tmem;
  uint32_t address = part->op->u.tensor->a;
  for (uint32_t m = 0; m < mma_rows(form); m++) {
    uint32_t words[ROW_BYTES / 4], lane = tmem_lane(address) + mma_lane(form, m) + 64 * part->half;
    for (uint32_t i = 0; i < ROW_BYTES / 4; i++) words[i] = tmem->words[tmem_column(address) + i][lane];
    if (floats)
      matrix_floats(form->a, (unsigned char *)words, form->k, floats + (size_t)m * form->k, 1);
    else
      matrix_ints(form->a, (unsigned char *)words, form->k, ints + (size_t)m * form->k, 1);
  }
}

// The CTA's rows of A.
static bool load_a(const MmaPart *part, float *floats, int32_t *ints) {
  const MmaForm *form = &part->op->u.tensor->form;
  SharedMatrix matrix = {.op = part->op,
                         .block = part->block,
                         .name = "tcgen05.mma",
                         .type = form->a,
                         .transposed = form->transpose_a,
                         .rows = mma_rows(form),
                         .depth = form->k,
                         .by_row = form->k,
                         .by_k = 1,
                         .floats = floats,
                         .ints = ints};
  if (!part->op->insn->u.mma->a_in_tmem) return load_shared(part->op, &matrix, part->op->descriptors[0], "A");
  load_tmem_a(part, floats, ints);
  return true;
}

// All columns of B. Each CTA of a pair has half of them.
static bool load_b(AsyncOp *op, float *floats, int32_t *ints) {
  const MmaForm *form = &op->u.tensor->form;
  uint32_t n = group_size(op), columns = form->n / n;
  for (uint32_t i = 0; i < n; i++) {
    SharedMatrix matrix = {.op = op,
                           .block = group_block(op, i),
                           .name = "tcgen05.mma",
                           .type = form->b,
                           .transposed = form->transpose_b,
                           .rows = columns,
                           .depth = form->k,
                           .by_row = 1,
                           .by_k = form->n,
                           .floats = floats ? floats + (size_t)i * columns : NULL,
                           .ints = ints ? ints + (size_t)i * columns : NULL};
    if (!load_shared(op, &matrix, op->descriptors[1], "B")) return false;
  }
  return true;
}

// ---- D ----

static uint32_t *word_of_d(const MmaPart *part, uint32_t m, uint32_t n, uint32_t *lane) {
  const TensorOp *tensor = part->op->u.tensor;
  *lane = tmem_lane(tensor->to) + mma_lane(&tensor->form, m) + 64 * part->half;
  return &part->block->tmem->words[tmem_column(tensor->to) + n % mma_columns(&tensor->form)][*lane];
}

static bool is_off(const MmaPart *part, uint32_t lane) {
  return part->op->u.tensor->lanes_off[4 * part->cta + lane / 32] >> lane % 32 & 1;
}

// The columns of D in the part.
static uint32_t first_column(const MmaPart *part) {
  return part->half * mma_columns(&part->op->u.tensor->form);
}
static uint32_t last_column(const MmaPart *part) {
  return first_column(part) + mma_columns(&part->op->u.tensor->form);
}

static void load_d(const MmaPart *part, float *c) {
  const MmaForm *form = &part->op->u.tensor->form;
  float scale = ldexpf(1.0f, -(int)part->op->insn->u.mma->scale_d);
  uint32_t lane;
  for (uint32_t n = first_column(part); n < last_column(part); n++)
    for (uint32_t m = 0; m < mma_rows(form); m++) {
      uint32_t word = *word_of_d(part, m, n, &lane);
      float value = form->d == MATRIX_F16 ? float_of_half((uint16_t)word) : float_of(word);
      c[(size_t)m * form->n + n] = value * scale;
    }
}

// fp16 has the lower half of a word. The upper half becomes zero.
static void store_d(const MmaPart *part, const float *c) {
  const MmaForm *form = &part->op->u.tensor->form;
  uint32_t lane;
  for (uint32_t n = first_column(part); n < last_column(part); n++)
    for (uint32_t m = 0; m < mma_rows(form); m++) {
      uint32_t *word = word_of_d(part, m, n, &lane);
      float value = c[(size_t)m * form->n + n];
      if (!is_off(part, lane)) *word = form->d == MATRIX_F16 ? half_of_float(value) : float_bits(value);
    }
}

// ---- floats ----

// Scale j of row r, as the part of tensor memory has it: 0 to 3.
static float scale_at(const MmaPart *of, uint32_t address, uint32_t id, uint32_t part, uint32_t r,
                      uint32_t j) {
  const Tmem *tmem = of->block->tmem;
  uint32_t word = tmem->words[tmem_column(address) + r / PART][part * PART + r % PART];
  return float_of_scale(word >> 8 * (id + j) & 255, of->op->u.tensor->form.scales_e4m3);
}

static void scale_a(const MmaPart *of, float *a) {
  const AsyncOp *op = of->op;
  const MmaForm *form = &op->u.tensor->form;
  uint32_t block = op->insn->u.mma->block;
  for (uint32_t m = 0; m < mma_rows(form); m++)
    for (uint32_t j = 0; j < form->k / block; j++) {
      float scale = scale_at(of, op->u.tensor->scale_a, form->scale_a_id, m / PART + 2 * of->half, m, j);
      for (uint32_t k = j * block; k < (j + 1) * block; k++) a[m * form->k + k] *= scale;
    }
}

// With mma_halves, the lanes of a half have the scales of its columns, the first in column 0.
static void scale_b(const MmaPart *of, uint32_t part, const float *b, float *scaled) {
  const AsyncOp *op = of->op;
  const MmaForm *form = &op->u.tensor->form;
  uint32_t block = op->insn->u.mma->block;
  for (uint32_t j = 0; j < form->k / block; j++)
    for (uint32_t n = 0; n < form->n; n++) {
      float scale = scale_at(of, op->u.tensor->scale_b, form->scale_b_id, part + 2 * of->half,
                             n % mma_columns(form), j);
      for (uint32_t k = j * block; k < (j + 1) * block; k++)
        scaled[(size_t)k * form->n + n] = b[(size_t)k * form->n + n] * scale;
    }
}

// Each part of 32 rows has its own copy of the scales.
static void multiply_scaled(const MmaPart *of, MmaNumbers *numbers) {
  const MmaForm *form = &of->op->u.tensor->form;
  scale_a(of, numbers->a);
  for (uint32_t part = 0; part < mma_rows(form) / PART; part++) {
    scale_b(of, part, numbers->b, numbers->scaled_b);
    matrix_multiply_floats(PART, form->n, form->k, numbers->a + (size_t)part * PART * form->k,
                           numbers->scaled_b, numbers->c + (size_t)part * PART * form->n);
  }
}

static bool run_floats(const MmaPart *part, MmaNumbers *numbers) {
  const MmaForm *form = &part->op->u.tensor->form;
  uint32_t rows = mma_rows(form);
  if (!load_a(part, numbers->a, NULL)) return false;
  matrix_negate(numbers->a, (size_t)rows * form->k, form->negate_a);
  memset(numbers->c, 0, (size_t)rows * form->n * sizeof *numbers->c);
  if (part->op->accumulate) load_d(part, numbers->c);
  if (part->op->insn->u.mma->kind >= MMA_KIND_MXF8F6F4)
    multiply_scaled(part, numbers);
  else
    matrix_multiply_floats(rows, form->n, form->k, numbers->a, numbers->b, numbers->c);
  store_d(part, numbers->c);
  return true;
}

// ---- integers ----

static bool run_ints(const MmaPart *part, MmaIntegers *integers) {
  const MmaForm *form = &part->op->u.tensor->form;
  uint32_t lane, rows = mma_rows(form), first = first_column(part), last = last_column(part);
  if (!load_a(part, NULL, integers->a)) return false;
  memset(integers->c, 0, (size_t)rows * form->n * sizeof *integers->c);
  for (uint32_t m = 0; m < rows && part->op->accumulate; m++)
    for (uint32_t n = first; n < last; n++)
      integers->c[(size_t)m * form->n + n] = (int32_t)*word_of_d(part, m, n, &lane);
  matrix_multiply_int32s(rows, form->n, form->k, integers->a, integers->b, integers->c);
  for (uint32_t m = 0; m < rows; m++)
    for (uint32_t n = first; n < last; n++) {
      int64_t value = integers->c[(size_t)m * form->n + n];
      uint32_t *word = word_of_d(part, m, n, &lane);
      if (form->saturate) value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
      if (!is_off(part, lane)) *word = (uint32_t)value;
    }
  return true;
}

// B is the same for all parts.
static void run_parts(AsyncOp *op, MmaNumbers *numbers, MmaIntegers *integers) {
  const MmaForm *form = &op->u.tensor->form;
  if (!load_b(op, numbers ? numbers->b : NULL, integers ? integers->b : NULL)) return;
  if (numbers) matrix_negate(numbers->b, (size_t)form->n * form->k, form->negate_b);
  for (uint32_t cta = 0; cta < group_size(op); cta++)
    for (uint32_t half = 0; half < (mma_halves(form) ? 2 : 1); half++) {
      MmaPart part = {op, group_block(op, cta), cta, half};
      if (numbers ? !run_floats(&part, numbers) : !run_ints(&part, integers)) return;
    }
}

void mma_run(AsyncOp *op) {
  bool ints = op->insn->u.mma->kind == MMA_KIND_I8;
  void *memory = malloc(ints ? sizeof(MmaIntegers) : sizeof(MmaNumbers));
  if (!memory)
    warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_ASYNC, 0, "no memory for a tcgen05.mma");
  else
    run_parts(op, ints ? NULL : memory, ints ? memory : NULL);
  free(memory);
}
