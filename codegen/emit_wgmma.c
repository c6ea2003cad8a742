// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot by wgmma: descriptors of the operands in shared memory, one instruction for each m64 x n and 32 bytes
// of k. PTX ISA, "Matrix Descriptor Format" and "Strides" of wgmma.mma_async.
#include "base/fault.h"
#include "codegen/emit_dot.h"
#include "codegen/nvvm_dot.h"

// An operand in shared memory, a matrix of rows x columns.
typedef struct Matrix {
  Layout inverse;     // index -> offset, in elements
  LLVMValueRef start; // of the thread's warpgroup's part, in bytes: i32
  uint64_t fields;    // of the descriptor, without the start
  uint32_t bytes;     // an element
  bool transposed;    // not k-major
} Matrix;

typedef struct WgmmaDot {
  Emitter *e;
  const Product *p;
  uint32_t pack; // log2 of the elements that 32 bits hold
  bool a_in_registers;
  RegisterMap a_map;
  Matrix a, b;
  LLVMValueRef *sums; // by register, as they change
} WgmmaDot;

static uint32_t offset_of(const Matrix *matrix, uint32_t index) {
  return layout_apply_offset(&matrix->inverse, index) * matrix->bytes;
}

// LBO and SBO in bytes, and the swizzle. K-major: groups of 8 rows follow one another, LBO is unused. Else:
// groups of 8 of k follow one another, LBO leads to the next row's width of m or n.
static uint64_t descriptor_fields(uint32_t row_bytes, bool k_major, uint32_t k) {
  uint64_t swizzle = row_bytes == 128 ? 1 : row_bytes == 64 ? 2 : 3;
  uint64_t lbo = k_major ? 16 : (uint64_t)k * row_bytes, sbo = 8ull * row_bytes;
  return lbo >> 4 << 16 | sbo >> 4 << 32 | swizzle << 62;
}

// Bytes from the matrix's start to where the thread's warpgroup's part begins: by the result's warp bits from
// the third on.
static LLVMValueRef warpgroup_offset(WgmmaDot *d, DotOperand operand, const Matrix *matrix) {
  Emitter *e = d->e;
  const DotShape *shape = &d->p->shape;
  LLVMValueRef offset = emit_i32(e, 0);
  for (uint32_t bit = 2; bit < d->p->layout->bits[DIM_WARP]; bit++) {
    uint32_t basis = layout_basis(d->p->layout, DIM_WARP, bit);
    uint32_t index = operand == DOT_A ? (basis >> shape->n) << shape->k : basis & ((1u << shape->n) - 1);
    uint32_t bytes = offset_of(matrix, index);
    if (!bytes) continue;
    LLVMValueRef set = LLVMBuildAnd(e->builder, LLVMBuildLShr(e->builder, e->warp, emit_i32(e, bit), ""),
                                    emit_i32(e, 1), "");
    offset = LLVMBuildAdd(e->builder, offset, LLVMBuildMul(e->builder, set, emit_i32(e, bytes), ""), "");
  }
  return offset;
}

static Matrix matrix_of(WgmmaDot *d, DotOperand operand) {
  Emitter *e = d->e;
  const DotShape *shape = &d->p->shape;
  const Value *buffer = op_operand(d->p->op, operand);
  uint32_t elem_bits = 2 - d->pack, row_bits = operand == DOT_A ? shape->m : shape->k;
  uint32_t column_bits = operand == DOT_A ? shape->k : shape->n;
  Matrix matrix = {.bytes = 1u << elem_bits};
  bool known = false;
  for (uint32_t contiguous = 0; contiguous < 2 && !known; contiguous++) {
    Layout layout;
    uint32_t row_bytes;
    if (!layout_wgmma_shared(row_bits, column_bits, elem_bits, contiguous, &layout, &row_bytes)) continue;
    if (!layout_equal(&layout, buffer->type->layout)) continue;
    matrix.transposed = (contiguous == 1) != (operand == DOT_A);
    matrix.fields = descriptor_fields(row_bytes, !matrix.transposed, 1u << shape->k);
    known = true;
  }
  if (!known || !layout_invert(buffer->type->layout, &matrix.inverse))
    BUG("wgmma cannot read a buffer of this layout");
  LLVMValueRef base = LLVMBuildPtrToInt(e->builder, emit_shared_address(e, buffer), e->i32, "");
  matrix.start = LLVMBuildAdd(e->builder, base, warpgroup_offset(d, operand, &matrix), "");
  return matrix;
}

// Shared addresses are below 2^18: start >> 4 fills bits 0 to 13.
static LLVMValueRef descriptor(WgmmaDot *d, const Matrix *matrix, uint32_t index) {
  Emitter *e = d->e;
  LLVMValueRef start = LLVMBuildAdd(e->builder, matrix->start, emit_i32(e, offset_of(matrix, index)), "");
  start =
      LLVMBuildAnd(e->builder, LLVMBuildLShr(e->builder, start, emit_i32(e, 4), ""), emit_i32(e, 0x3fff), "");
  LLVMValueRef wide = LLVMBuildZExt(e->builder, start, e->i64, "");
  return LLVMBuildOr(e->builder, wide, LLVMConstInt(e->i64, matrix->fields, false), "");
}

// The registers of one instruction's result, in its order: neighbours along n, then rows 8 apart, then the
// next 8 columns.
static uint32_t result_register(const WgmmaDot *d, uint32_t index, uint32_t v) {
  uint32_t row = 8 * (v >> 1 & 1), column = 8 * (v >> 2) + (v & 1);
  return emit_mapped_register(&d->p->acc, index + (row << d->p->shape.n) + column);
}

static void one_k(WgmmaDot *d, uint32_t row, uint32_t column, uint32_t k, uint32_t n, LLVMValueRef *sum) {
  const DotShape *shape = &d->p->shape;
  LLVMValueRef words[4];
  Wgmma w = {.types = {d->p->a, d->p->b, d->p->sum},
             .n = n,
             .b_transposed = d->b.transposed,
             .a_transposed = d->a.transposed};
  if (d->a_in_registers) {
    uint32_t half = 4u << d->pack;
    for (uint32_t i = 0; i < 4; i++)
      words[i] =
          emit_word(d->e, &d->a_map, ((row + (i & 1) * 8) << shape->k) + k + (i >> 1) * half, 1, d->pack);
    w.a = words;
  } else {
    w.a_descriptor = descriptor(d, &d->a, (row << shape->k) + k);
  }
  w.b_descriptor = descriptor(d, &d->b, (k << shape->n) + column);
  nvvm_wgmma(d->e, &w, sum);
}

// All of k for m64 x n from `index` on. Sums of fp16 are words of two, in the place of the first.
static void one_tile(WgmmaDot *d, uint32_t index, uint32_t n) {
  const DotShape *shape = &d->p->shape;
  uint32_t column = index & ((1u << shape->n) - 1), row = index >> shape->n;
  uint32_t step = d->p->sum == ELEM_FP16 ? 2 : 1, count = 0;
  LLVMValueRef sum[128];
  for (uint32_t v = 0; v < n / 2; v += step) sum[count++] = d->sums[result_register(d, index, v)];
  for (uint32_t k = 0; k < 1u << shape->k; k += 8u << d->pack) one_k(d, row, column, k, n, sum);
  for (uint32_t v = 0; v < n / 2; v += step) d->sums[result_register(d, index, v)] = sum[v / step];
}

// The register beside r that holds the next column.
static uint32_t neighbour(const WgmmaDot *d, uint32_t r) {
  return emit_mapped_register(&d->p->acc, layout_apply(d->p->layout, r, 0, 0, 0) ^ 1);
}

static bool is_first_of_pair(const WgmmaDot *d, uint32_t r) {
  return !(layout_apply(d->p->layout, r, 0, 0, 0) & 1);
}

static void pack_pairs(WgmmaDot *d, uint32_t registers) {
  for (uint32_t r = 0; r < registers; r++)
    if (is_first_of_pair(d, r)) d->sums[r] = emit_pair(d->e, d->sums[r], d->sums[neighbour(d, r)]);
}

static void unpack_pairs(WgmmaDot *d, uint32_t registers) {
  uint32_t count = 0;
  LLVMValueRef *words = ARENA_ARRAY(d->e->arena, LLVMValueRef, registers);
  for (uint32_t r = 0; r < registers; r++)
    if (is_first_of_pair(d, r)) words[count++] = d->sums[r];
  nvvm_wgmma_wait(d->e, 0, words, count);
  count = 0;
  for (uint32_t r = 0; r < registers; r++)
    if (is_first_of_pair(d, r)) emit_unpair(d->e, words[count++], &d->p->out[r], &d->p->out[neighbour(d, r)]);
}

// Columns of one warpgroup's part: n bits that the result keeps in registers or lanes, up to 256.
static uint32_t instruction_n(const Product *p) {
  uint32_t taken = 0;
  for (uint32_t bit = 0; bit < p->layout->bits[DIM_WARP]; bit++)
    taken |= layout_basis(p->layout, DIM_WARP, bit) & ((1u << p->shape.n) - 1);
  uint32_t bits = 0;
  while (bits < p->shape.n && bits < 8 && !(taken >> bits & 1)) bits++;
  return 1u << bits;
}

void emit_wgmma_dot(Emitter *e, const Product *p) {
  const Value *a = op_operand(p->op, 0);
  uint32_t registers = layout_registers(p->layout), n = instruction_n(p), bits = elem_info(p->a)->bits;
  WgmmaDot d = {.e = e,
                .p = p,
                .pack = bits == 32   ? 0
                        : bits == 16 ? 1
                                     : 2,
                .a_in_registers = type_is_tile(a->type)};
  if (d.a_in_registers)
    d.a_map = emit_register_map(e, a);
  else
    d.a = matrix_of(&d, DOT_A);
  d.b = matrix_of(&d, DOT_B);
  d.sums = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
  for (uint32_t r = 0; r < registers; r++) d.sums[r] = p->acc.registers[r];

  bool pairs = p->sum == ELEM_FP16;
  if (pairs) pack_pairs(&d, registers);

  uint32_t in_tile = (n - 1) | 8u << p->shape.n;
  nvvm_wgmma_fence(e);
  for (uint32_t r = 0; r < registers; r++) {
    uint32_t index = layout_apply(p->layout, r, 0, 0, 0);
    if (!(index & in_tile) && emit_mapped_register(&p->acc, index) == r) one_tile(&d, index, n);
  }
  nvvm_wgmma_commit(e);
  if (pairs) {
    unpack_pairs(&d, registers);
    return;
  }
  for (uint32_t r = 0; r < registers; r++) p->out[r] = d.sums[r];
  if (!op_attr(p->op, ATTR_ASYNC)) nvvm_wgmma_wait(e, 0, p->out, registers);
}

void emit_dot_wait(Emitter *e, Op *op) {
  uint32_t count = 0, at = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) count += emit_count(op_operand(op, i)->type);
  LLVMValueRef *values = ARENA_ARRAY(e->arena, LLVMValueRef, count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    for (uint32_t r = 0; r < emit_count(op_operand(op, i)->type); r++)
      values[at++] = emit_register(e, op_operand(op, i), r);
  nvvm_wgmma_wait(e, (uint32_t)op_int(op, ATTR_PENDING, 0), values, count);
  at = 0;
  for (uint32_t i = 0; i < op->result_count; i++) {
    LLVMValueRef *out = emit_new(e, &op->results[i]);
    for (uint32_t r = 0; r < emit_count(op->results[i].type); r++) out[r] = values[at++];
  }
}
