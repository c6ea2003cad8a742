// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ldmatrix, stmatrix, movmatrix, mma, wgmma: PTX ISA 9.7.14 and 9.7.15.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"
#include "sim/exec/matrix.h"

static void emit_aligned(Decoder *d, ExecFn *exec) {
  d->insn.exec = exec;
  d->insn.kind = KIND_SYNC;
  d->insn.src[3] = slot_all_lanes(d);
  decode_emit(d);
}

static void need_aligned(Decoder *d) {
  if (!mod_take(d, "sync") || !mod_take(d, "aligned"))
    decode_error(d, "%.*s needs .sync.aligned", STR_ARG(d->base));
}

uint32_t operand_registers(Decoder *d, uint32_t *slots, uint32_t most, uint32_t bytes, bool written) {
  const PtxOperand *operand = operand_next(d);
  bool vector = operand->kind == OPERAND_VECTOR;
  uint32_t n = 0;
  for (const PtxOperand *item = vector ? operand->items : operand; item; item = vector ? item->next : NULL) {
    if (n == most) {
      decode_error(d, "at most %u registers are expected", most);
      return n;
    }
    uint32_t width = bytes;
    if (written || item->kind == OPERAND_NAME)
      slots[n] = register_of(d, item, &width);
    else
      slots[n] = source_of(d, item, bytes == 8 ? PTX_B64 : PTX_B32);
    if (slots[n] == UINT32_MAX && written) slots[n] = slot_new(d, bytes), width = bytes;
    if (slots[n] == UINT32_MAX || width != bytes)
      decode_error(d, "registers of %u bits are needed", 8 * bytes);
    n++;
  }
  return n;
}

// ---- moves ----

// The shape and the type. False: not known.
static bool take_elements(Decoder *d, MatrixMove *move) {
  if (mod_take(d, "m8n8")) return mod_need_type(d) == PTX_B16;
  bool square = mod_take(d, "m16n16");
  if ((!square && !mod_take(d, "m8n16")) || square != move->transposed || d->op != OP_LDMATRIX) return false;
  if (!mod_take(d, "b8x16"))
    move->bytes = square && mod_need_type(d) == PTX_B8 ? MATRIX_U8 : MATRIX_NONE;
  else if (mod_take(d, "b4x16_p64"))
    move->bytes = MATRIX_E2M1;
  else if (mod_take(d, "b6x16_p32"))
    move->bytes = MATRIX_E2M3;
  if (square) move->count *= 2;
  return move->bytes && move->count <= 4;
}

void decode_matrix_move(Decoder *d) {
  need_aligned(d);
  MatrixMove *move = ARENA_NEW(d->arena, MatrixMove);
  move->count = mod_take(d, "x2") ? 2 : mod_take(d, "x4") ? 4 : 1;
  mod_take(d, "x1");
  move->transposed = mod_take(d, "trans");
  PtxSpace space = mod_space(d);
  if (!take_elements(d, move) || (space != SPACE_SHARED && space != SPACE_GENERIC))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  if (d->op == OP_MOVMATRIX) {
    if (!move->transposed || move->count != 1) decode_error(d, "movmatrix needs .trans");
    d->insn.dst = operand_dest(d, PTX_B32);
    d->insn.src[0] = operand_source(d, PTX_B32);
    emit_aligned(d, exec_movmatrix);
    return;
  }
  bool load = d->op == OP_LDMATRIX;
  uint32_t n = load ? operand_registers(d, move->slots, 4, 4, true) : 0;
  operand_address(d, space, &move->address);
  if (!load) n = operand_registers(d, move->slots, 4, 4, false);
  if (n != move->count) decode_error(d, "%u registers are needed", move->count);
  d->insn.u.move = move;
  emit_aligned(d, load ? exec_ldmatrix : exec_stmatrix);
}

// ---- shapes and types ----

// mMnNkK. False: none.
static bool take_shape(Decoder *d, Matrix *matrix) {
  for (uint32_t i = 0; i < d->mod_count; i++) {
    Str name = d->mods[i];
    uint32_t values[3] = {0}, at = 0;
    static const char letters[] = "mnk";
    bool shape = name.n > 5 && name.at[0] == 'm' && !d->taken[i];
    for (size_t c = 0; c < name.n && shape; c++) {
      if (at < 3 && name.at[c] == letters[at])
        at++;
      else if (at && name.at[c] >= '0' && name.at[c] <= '9' && values[at - 1] < 1000)
        values[at - 1] = values[at - 1] * 10 + (uint32_t)(name.at[c] - '0');
      else
        shape = false;
    }
    if (!shape || at != 3) continue;
    d->taken[i] = true;
    matrix->m = values[0];
    matrix->n = values[1];
    matrix->k = values[2];
    return true;
  }
  return false;
}

static MatrixType next_type(Decoder *d) {
  static const struct {
    const char *name;
    MatrixType type;
  } rows[] = {{"f16", MATRIX_F16},   {"bf16", MATRIX_BF16}, {"tf32", MATRIX_TF32}, {"e4m3", MATRIX_E4M3},
              {"e5m2", MATRIX_E5M2}, {"s8", MATRIX_S8},     {"u8", MATRIX_U8},     {"f32", MATRIX_F32},
              {"f64", MATRIX_F64},   {"s32", MATRIX_S32},   {"e2m3", MATRIX_E2M3}, {"e3m2", MATRIX_E3M2},
              {"e2m1", MATRIX_E2M1}};
  for (uint32_t i = 0; i < d->mod_count; i++)
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
      if (!d->taken[i] && str_is(d->mods[i], rows[r].name)) {
        d->taken[i] = true;
        return rows[r].type;
      }
  return MATRIX_NONE;
}

static bool is_fp8(MatrixType type) { return type == MATRIX_E4M3 || type == MATRIX_E5M2; }

// True if these input and accumulator types can be combined.
static bool types_fit(const Matrix *matrix) {
  MatrixType a = matrix->a, b = matrix->b, d = matrix->d, c = matrix->c;
  if (a == MATRIX_F64) return b == a && d == a && c == a;
  if (a == MATRIX_S8 || a == MATRIX_U8)
    return (b == MATRIX_S8 || b == MATRIX_U8) && d == MATRIX_S32 && c == MATRIX_S32;
  bool same = is_fp8(a) ? is_fp8(b) : a == b;
  if (!same || (a != MATRIX_F16 && a != MATRIX_BF16 && a != MATRIX_TF32 && !is_fp8(a))) return false;
  if (a == MATRIX_BF16 || a == MATRIX_TF32) return d == MATRIX_F32 && c == MATRIX_F32;
  return (d == MATRIX_F32 || d == MATRIX_F16) && (c == MATRIX_F32 || c == MATRIX_F16);
}

static uint32_t accumulators(const Matrix *matrix, MatrixType type) {
  uint32_t lanes = matrix_in_quads(matrix) ? LANES / 4 : LANES;
  return matrix->m * matrix->n / lanes / (type == MATRIX_F16 ? 2 : 1);
}

// ---- mma ----

typedef struct ShapeRow {
  uint32_t m, n, k, bytes; // bytes: of an input element
} ShapeRow;

static bool mma_shape_fits(const Matrix *matrix) {
  static const ShapeRow rows[] = {{16, 8, 8, 2},  {16, 8, 16, 2}, {16, 8, 4, 4}, {16, 8, 8, 4},
                                  {16, 8, 16, 1}, {16, 8, 32, 1}, {8, 8, 16, 1}, {8, 8, 4, 8},
                                  {16, 8, 4, 8},  {16, 8, 8, 8},  {16, 8, 16, 8}};
  if (matrix_in_quads(matrix)) return matrix->a == MATRIX_F16 && matrix->n == 8 && matrix->k == 4;
  if (matrix->transpose_a || matrix->transpose_b) return false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].m == matrix->m && rows[i].n == matrix->n && rows[i].k == matrix->k &&
        rows[i].bytes == matrix_bytes(matrix->a))
      return !(matrix->m == 8 && is_fp8(matrix->a));
  return false;
}

// .row or .col of A, then of B. False: one is missing.
static bool take_orders(Decoder *d, Matrix *matrix) {
  Str orders[2];
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->mod_count && n < 2; i++)
    if (str_is(d->mods[i], "row") || str_is(d->mods[i], "col")) {
      orders[n++] = d->mods[i];
      d->taken[i] = true;
    }
  if (n < 2) return false;
  matrix->transpose_a = str_is(orders[0], "col");
  matrix->transpose_b = str_is(orders[1], "row");
  return true;
}

// Checks the instruction's numbers of registers.
static bool counts_fit(const Matrix *matrix, uint32_t bytes) {
  uint32_t per = matrix_chunk(matrix->a) * bytes / 16, lanes = matrix_in_quads(matrix) ? LANES / 4 : LANES;
  return matrix->d_count == accumulators(matrix, matrix->d) &&
         matrix->c_count == accumulators(matrix, matrix->c) &&
         matrix->a_count == matrix->m * matrix->k / per / lanes &&
         matrix->b_count == matrix->n * matrix->k / per / lanes;
}

// ---- mma with .kind: PTX ISA 9.7.14.3 and 9.7.14.5.14 ----

static bool is_narrow(MatrixType type) { return is_fp8(type) || matrix_unpacks(type); }

// {byte, thread}
static void take_selector(Decoder *d, uint32_t *byte, uint32_t *thread) {
  const PtxOperand *operand = operand_next(d);
  const PtxOperand *first = operand->kind == OPERAND_VECTOR ? operand->items : NULL;
  if (!first || !first->next || first->next->next) {
    decode_error(d, "{byte, thread} of a scale is needed");
    return;
  }
  *byte = source_of(d, first, PTX_U16);
  *thread = source_of(d, first->next, PTX_U16);
}

static void take_scales(Decoder *d, Matrix *matrix) {
  matrix->scale_a = operand_source(d, PTX_B32);
  take_selector(d, &matrix->byte_a, &matrix->thread_a);
  matrix->scale_b = operand_source(d, PTX_B32);
  take_selector(d, &matrix->byte_b, &matrix->thread_b);
}

// .scale_vec::NX, and the scales' type. False: they do not belong to the kind. mxf4: packed e2m1 with K 64.
static bool take_block_scale(Decoder *d, Matrix *matrix, bool packed, bool nv) {
  bool one = mod_take(d, "scale_vec::1X"), two = mod_take(d, "scale_vec::2X"),
       four = mod_take(d, "scale_vec::4X");
  matrix->scales_e4m3 = mod_take(d, "ue4m3");
  if (!matrix->scales_e4m3 && !mod_take(d, "ue8m0")) return false;
  matrix->block = four ? 16 : 32;
  if (!packed) return !two && !four && !matrix->scales_e4m3;
  if (one || (four && !nv) || (matrix->scales_e4m3 && !four)) return false;
  return two || four || !nv;
}

typedef struct MmaKindRow {
  const char *name;
  bool scaled, packed, nv;
} MmaKindRow;

static void decode_mma_kind(Decoder *d, Matrix *matrix, const MmaKindRow *kind) {
  bool known = take_shape(d, matrix) && take_orders(d, matrix);
  known &= mod_take(d, "block_scale") == kind->scaled;
  matrix->d = next_type(d);
  matrix->a = next_type(d);
  matrix->b = next_type(d);
  matrix->c = next_type(d);
  known &= is_narrow(matrix->a) && is_narrow(matrix->b) && matrix->d == matrix->c &&
           (matrix->d == MATRIX_F32 || (matrix->d == MATRIX_F16 && !kind->scaled));
  if (kind->packed) {
    known &= matrix->a == MATRIX_E2M1 && matrix->b == MATRIX_E2M1;
    matrix->a = matrix->b = MATRIX_E2M1_PAIRS;
  }
  known &= matrix->m == 16 && matrix->n == 8 && matrix->k == (kind->packed ? 64u : 32u);
  if (kind->scaled) known &= take_block_scale(d, matrix, kind->packed, kind->nv);
  if (!known) {
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
    return;
  }
  matrix->d_count = operand_registers(d, matrix->d_slots, 8, 4, true);
  matrix->a_count = operand_registers(d, matrix->a_slots, 8, 4, false);
  matrix->b_count = operand_registers(d, matrix->b_slots, 4, 4, false);
  matrix->c_count = operand_registers(d, matrix->c_slots, 8, 4, false);
  if (!counts_fit(matrix, 4)) decode_error(d, "%.*s has another number of registers", STR_ARG(d->stmt->name));
  if (kind->scaled) take_scales(d, matrix);
  d->insn.u.matrix = matrix;
  emit_aligned(d, kind->scaled ? exec_mma_scaled : exec_mma);
}

// False: it has no .kind.
static bool take_mma_kind(Decoder *d, Matrix *matrix) {
  static const MmaKindRow rows[] = {{"kind::f8f6f4", false, false, false},
                                    {"kind::mxf8f6f4", true, false, false},
                                    {"kind::mxf4", true, true, false},
                                    {"kind::mxf4nvf4", true, true, true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (mod_take(d, rows[i].name)) {
      decode_mma_kind(d, matrix, &rows[i]);
      return true;
    }
  return false;
}

void decode_mma(Decoder *d) {
  need_aligned(d);
  Matrix *matrix = ARENA_NEW(d->arena, Matrix);
  if (take_mma_kind(d, matrix)) return;
  bool shape = take_shape(d, matrix);
  bool order = take_orders(d, matrix);
  matrix->satfinite = mod_take(d, "satfinite");
  matrix->d = next_type(d);
  matrix->a = next_type(d);
  matrix->b = next_type(d);
  matrix->c = next_type(d);
  if (matrix->a == MATRIX_F64) mod_take(d, "rn");
  if (!shape || !order || !types_fit(matrix) || !mma_shape_fits(matrix) ||
      (matrix->satfinite && !matrix_is_int(matrix->a))) {
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
    return;
  }
  uint32_t bytes = matrix->a == MATRIX_F64 ? 8 : 4;
  matrix->d_count = operand_registers(d, matrix->d_slots, 8, bytes, true);
  matrix->a_count = operand_registers(d, matrix->a_slots, 8, bytes, false);
  matrix->b_count = operand_registers(d, matrix->b_slots, 4, bytes, false);
  matrix->c_count = operand_registers(d, matrix->c_slots, 8, bytes, false);
  if (!counts_fit(matrix, bytes))
    decode_error(d, "%.*s has another number of registers", STR_ARG(d->stmt->name));
  d->insn.u.matrix = matrix;
  emit_aligned(d, exec_mma);
}

// ---- wgmma ----

static bool wgmma_shape_fits(const Matrix *matrix) {
  uint32_t n = matrix->n;
  if (matrix->m != 64 || matrix->k != 32 / matrix_bytes(matrix->a) || n < 8 || n > 256 || n % 8) return false;
  return !matrix_is_int(matrix->a) || n % 16 == 0 || n == 8 || n == 24;
}

// 1 or -1. Returns true for -1.
static bool negates(Decoder *d) {
  const PtxOperand *operand = operand_next(d);
  bool negative = operand->kind == OPERAND_INT && operand->value == UINT64_MAX;
  if (!negative && (operand->kind != OPERAND_INT || operand->value != 1))
    decode_error(d, "a scale is 1 or -1");
  return negative;
}

static void wgmma_flags(Decoder *d, Matrix *matrix) {
  bool negated = false;
  matrix->accumulate = operand_predicate(d, &negated);
  matrix->accumulate_flip = negated ? ALL_LANES : 0;
  if (matrix_is_int(matrix->a)) return;
  matrix->negate_a = negates(d);
  matrix->negate_b = negates(d);
  if (matrix_bytes(matrix->a) != 2) return;
  if (!matrix->a_count) matrix->transpose_a = operand_constant(d, 1);
  matrix->transpose_b = operand_constant(d, 1);
}

static void decode_multiply(Decoder *d) {
  Matrix *matrix = ARENA_NEW(d->arena, Matrix);
  bool shape = take_shape(d, matrix);
  matrix->satfinite = mod_take(d, "satfinite");
  matrix->d = matrix->c = next_type(d);
  matrix->a = next_type(d);
  matrix->b = next_type(d);
  if (!shape || matrix->a == MATRIX_F64 || !types_fit(matrix) || !wgmma_shape_fits(matrix) ||
      (matrix->satfinite && !matrix_is_int(matrix->a))) {
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
    return;
  }
  matrix->m = 16;
  matrix->d_count = operand_registers(d, matrix->d_slots, 128, 4, true);
  if (matrix->d_count != accumulators(matrix, matrix->d))
    decode_error(d, "%u registers of D are needed", accumulators(matrix, matrix->d));
  if (d->operand && d->operand->kind == OPERAND_VECTOR) {
    matrix->a_count = operand_registers(d, matrix->a_slots, 4, 4, false);
    if (matrix->a_count != 4) decode_error(d, "4 registers of A are needed");
  } else {
    matrix->a_descriptor = operand_source(d, PTX_B64);
  }
  matrix->b_descriptor = operand_source(d, PTX_B64);
  wgmma_flags(d, matrix);
  d->insn.u.matrix = matrix;
  emit_aligned(d, exec_wgmma);
}

void decode_wgmma(Decoder *d) {
  need_aligned(d);
  d->insn.extra = ASYNC_GROUP_WGMMA;
  if (mod_take(d, "mma_async")) {
    decode_multiply(d);
  } else if (mod_take(d, "fence")) {
    emit_aligned(d, exec_wgmma_fence);
  } else if (mod_take(d, "commit_group")) {
    emit_aligned(d, exec_async_commit);
  } else if (mod_take(d, "wait_group")) {
    d->insn.count = (uint32_t)operand_constant(d, 7);
    emit_aligned(d, exec_async_wait);
  } else {
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  }
}
