// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot by wgmma: descriptors of the operands in shared memory, and one instruction for each m64 x n and 32
// bytes of k. See PTX ISA, "Matrix Descriptor Format" and "Strides" of wgmma.mma_async, and "Shared memory
// descriptor" of tcgen05.
//
// The instruction's first operand is usually a. It is b if b is in registers or the dot is `swapped`. Its
// rows are then the result's columns, and its columns the result's rows. The result's layout maps row and
// column bits to elements.
#include "base/fault.h"
#include "base/integer.h"
#include "base/vec.h"
#include "codegen/emit/emit_dot.h"
#include "codegen/llvm/instruction_order.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/nvvm/nvvm_dot.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "target/tuning.h"

// --- matrices in shared memory

// log2 of the operand's own k. The dot may use a part of it.
static uint32_t matrix_k_bits(const EmittedDot *p, DotOperand operand) {
  const Type *type = op_operand(p->op, operand)->type;
  return log2_of(type->shape[operand == DOT_A]);
}

static bool is_whole(const EmittedDot *p, DotOperand operand) {
  return matrix_k_bits(p, operand) == p->shape.k;
}

uint32_t matrix_index(const EmittedDot *p, DotOperand operand, uint32_t outer, uint32_t k) {
  if (!is_whole(p, operand)) k += dot_part(p->op).first;
  return operand == DOT_A ? (outer << matrix_k_bits(p, operand)) + k : (k << p->shape.n) + outer;
}

uint32_t matrix_outer(const EmittedDot *p, DotOperand operand, uint32_t index) {
  uint32_t n = p->shape.n;
  return operand == DOT_A ? index >> n : index & ((1u << n) - 1);
}

// Bytes from the start to the element at that index of the operand.
static uint32_t matrix_offset(const SharedMatrix *matrix, uint32_t index) {
  return layout_apply_offset(&matrix->inverse, index) * matrix->bytes;
}

// LBO and SBO in bytes, and the swizzle. K-major: SBO is the distance between groups of 8 rows, and LBO is
// unused. Otherwise SBO is the distance between groups of 8 of k, and LBO leads to the next row's width of m
// or n. The swizzle of tcgen05 has three bits. Its upper two are wgmma's. There is also a constant.
static uint64_t descriptor_fields(const Op *dot, uint32_t row_bytes, bool k_major, uint32_t k) {
  const uint64_t tcgen05 = 1ull << 46;
  uint64_t swizzle = row_bytes == 128 ? 1 : row_bytes == 64 ? 2 : 3;
  uint64_t lbo = k_major ? 16 : (uint64_t)k * row_bytes, sbo = 8ull * row_bytes;
  return lbo >> 4 << 16 | sbo >> 4 << 32 | swizzle << 62 | (is_dot_of(dot, DOT_TCGEN05) ? tcgen05 : 0);
}

// The number of loop-invariant descriptors that a dot needs for the operand.
static uint32_t lasting_descriptors(const Op *dot, DotOperand operand) {
  enum { K_BYTES = 32 };
  const Value *buffer = op_operand(dot, operand);
  const Type *type = buffer->type;
  buffer = value_before(buffer, OP_SHARED_TRANS);
  if (!buffer->def || buffer->def->kind != OP_SHARED_ALLOC) return 0;
  return type->shape[operand == DOT_A] * elem_bytes(type->elem) / K_BYTES;
}

// True if they are too many to keep. LLVM would compute them before the loop and keep each in two registers.
// Many of them are computed at their use instead.
static bool are_many(const Op *dot) {
  uint32_t count = 0;
  if (!dot->region->parent || !op_is_loop(dot->region->parent)) return false;
  for (const Op *op = dot->region->first; op; op = op->next)
    if (dot_reads_matrices(op)) count += lasting_descriptors(op, DOT_A) + lasting_descriptors(op, DOT_B);
  return 2 * count > TUNE_DESCRIPTORS_KEPT;
}

SharedMatrix emit_matrix(Emitter *e, const EmittedDot *p, DotOperand operand) {
  const DotShape *shape = &p->shape;
  const Value *buffer = op_operand(p->op, operand);
  uint32_t elem_bits = log2_of(elem_bytes(p->a)), k_bits = matrix_k_bits(p, operand);
  uint32_t row_bits = operand == DOT_A ? shape->m : k_bits,
           column_bits = operand == DOT_A ? k_bits : shape->n;
  SharedMatrix matrix = {.bytes = 1u << elem_bits};
  bool known = false;
  for (uint32_t contiguous = 0; contiguous < 2 && !known; contiguous++) {
    Layout layout;
    uint32_t row_bytes;
    if (!layout_wgmma_shared(row_bits, column_bits, elem_bits, contiguous, &layout, &row_bytes)) continue;
    if (!layout_equal(&layout, buffer->type->layout)) continue;
    matrix.transposed = (contiguous == 1) != (operand == DOT_A);
    matrix.fields = descriptor_fields(p->op, row_bytes, !matrix.transposed, 1u << k_bits);
    known = true;
  }
  if (!known || !layout_invert(buffer->type->layout, &matrix.inverse))
    BUG("no descriptor has a buffer of this layout");
  matrix.start = LLVMBuildPtrToInt(e->builder, emit_shared_address(e, buffer), e->i32, "");
  return matrix;
}

// Shared addresses are below 2^18, so start >> 4 fits in bits 0 to 13.
void emit_descriptor(Emitter *e, const Op *dot, DotOperand operand, SharedMatrix *matrix) {
  LLVMValueRef start = matrix->start;
  if (lasting_descriptors(dot, operand) && are_many(dot)) start = nvvm_fresh(e, start);
  start = LLVMBuildLShr(e->builder, start, emit_i32(e, 4), "");
  LLVMValueRef wide = LLVMBuildZExt(e->builder, start, e->i64, "");
  matrix->first = LLVMBuildOr(e->builder, wide, LLVMConstInt(e->i64, matrix->fields, false), "");
}

// Shared memory ends below 2^18, so the start's field does not overflow.
LLVMValueRef matrix_descriptor(Emitter *e, const SharedMatrix *matrix, uint32_t index) {
  uint64_t distance = matrix_offset(matrix, index) >> 4;
  return LLVMBuildAdd(e->builder, matrix->first, LLVMConstInt(e->i64, distance, false), "");
}

// --- wgmma

typedef struct WgmmaDot {
  Emitter *e;
  const EmittedDot *p;
  uint32_t pack;  // log2 of the elements in 32 bits
  uint32_t depth; // how much of the dot's k is multiplied
  DotOperand first;
  uint32_t next_column, next_8_rows; // in the result's index
  uint32_t column_bits;              // log2 of the instructions' maximal number of columns
  // The first operand in registers; `registers` NULL: in shared memory.
  RegisterMap a_map;
  LLVMValueRef *registers, *a_words; // words of 32 bits, by the index of their first element
  VEC(LLVMValueRef) packed;          // The words that the instructions take.
  SharedMatrix a, b;                 // the instruction's operands
  LLVMValueRef *sums;                // by register, as they change
} WgmmaDot;

static DotOperand second_operand(const WgmmaDot *d) { return d->first == DOT_A ? DOT_B : DOT_A; }

// Moves the matrix's start to the part of the thread's warpgroup, by the result's warp bits from the third on.
static SharedMatrix matrix_of(WgmmaDot *d, DotOperand operand) {
  Emitter *e = d->e;
  SharedMatrix matrix = emit_matrix(e, d->p, operand);
  LLVMValueRef offset = emit_i32(e, 0);
  for (uint32_t bit = 2; bit < d->p->layout->bits[DIM_WARP]; bit++) {
    uint32_t outer = matrix_outer(d->p, operand, layout_basis(d->p->layout, DIM_WARP, bit));
    uint32_t bytes = matrix_offset(&matrix, operand == DOT_A ? outer << matrix_k_bits(d->p, operand) : outer);
    if (!bytes) continue;
    LLVMValueRef set = LLVMBuildAnd(
        e->builder, LLVMBuildLShr(e->builder, e->threads.warp, emit_i32(e, bit), ""), emit_i32(e, 1), "");
    offset = LLVMBuildAdd(e->builder, offset, LLVMBuildMul(e->builder, set, emit_i32(e, bytes), ""), "");
  }
  matrix.start = LLVMBuildAdd(e->builder, matrix.start, offset, "");
  emit_descriptor(e, d->p->op, operand, &matrix);
  return matrix;
}

// Register v of one instruction's result. The order is: neighbours along n, then rows 8 apart, then the next
// 8 columns.
static uint32_t result_register(const WgmmaDot *d, uint32_t index, uint32_t v) {
  uint32_t place = (v >> 1 & 1) * d->next_8_rows + (8 * (v >> 2) + (v & 1)) * d->next_column;
  return emit_mapped_register(&d->p->acc, index + place);
}

// The first element of word i of the instruction's first operand, at that index of the result. The order is:
// rows 8 apart, then k's upper half.
static uint32_t a_word(const WgmmaDot *d, uint32_t index, uint32_t k, uint32_t i) {
  uint32_t row = matrix_outer(d->p, d->first, index + (i & 1) * d->next_8_rows);
  return matrix_index(d->p, d->first, row, k + (i >> 1) * (4u << d->pack));
}

// A group of wgmma instructions under construction, and their accumulators in order.
typedef struct TileProducts {
  WgmmaStep *steps;
  LLVMValueRef *sums;
  uint32_t *registers; // the result register of each sum
  uint32_t count, sum_count;
} TileProducts;

static WgmmaStep step_of(WgmmaDot *d, uint32_t index, uint32_t k) {
  WgmmaStep step = {0};
  if (d->registers) {
    LLVMValueRef *words = ARENA_ARRAY(d->e->arena, LLVMValueRef, 4);
    for (uint32_t i = 0; i < 4; i++) words[i] = d->a_words[a_word(d, index, k, i)];
    step.a = words;
  } else {
    step.a_descriptor =
        matrix_descriptor(d->e, &d->a, matrix_index(d->p, d->first, matrix_outer(d->p, d->first, index), k));
  }
  step.b_descriptor = matrix_descriptor(
      d->e, &d->b, matrix_index(d->p, second_operand(d), matrix_outer(d->p, second_operand(d), index), k));
  return step;
}

// Adds all of k for m64 x n from `index` on. fp16 sums are words of two, in the place of the first.
static void add_tile(WgmmaDot *d, TileProducts *group, uint32_t index) {
  uint32_t words = d->p->sum == ELEM_FP16 ? 2 : 1, n = dot_columns_at(d->p->op, index), at = group->sum_count;
  if (n == 0) return;
  for (uint32_t v = 0; v < n / 2; v += words) {
    uint32_t r = result_register(d, index, v);
    group->registers[group->sum_count] = r;
    group->sums[group->sum_count++] = d->sums[r];
  }
  for (uint32_t k = 0; k < d->depth; k += 8u << d->pack) {
    WgmmaStep *step = &group->steps[group->count++];
    *step = step_of(d, index, k);
    step->sum = at, step->n = n;
    step->begins = k == 0;
  }
}

// The register that holds the next column after r's.
static uint32_t next_column_register(const WgmmaDot *d, uint32_t r) {
  return emit_mapped_register(&d->p->acc, layout_apply(d->p->layout, r, 0, 0, 0) ^ d->next_column);
}

static bool is_first_of_pair(const WgmmaDot *d, uint32_t r) {
  return !(layout_apply(d->p->layout, r, 0, 0, 0) & d->next_column);
}

static void pack_pairs(WgmmaDot *d, uint32_t registers) {
  for (uint32_t r = 0; r < registers; r++)
    if (is_first_of_pair(d, r)) d->sums[r] = emit_pair(d->e, d->sums[r], d->sums[next_column_register(d, r)]);
}

static void unpack_pairs(WgmmaDot *d, uint32_t registers) {
  for (uint32_t r = 0; r < registers; r++)
    if (is_first_of_pair(d, r))
      emit_unpair(d->e, d->sums[r], &d->p->out[r], &d->p->out[next_column_register(d, r)]);
}

// Packs the words of a that the instructions read. Values of only one part of the dot are computed here: after the wait
// for the dot that has their registers (split_ops).
static void find_words(WgmmaDot *d, uint32_t registers) {
  uint32_t next_k = d->first == DOT_A ? 1 : 1u << d->p->shape.n;
  for (uint32_t r = 0; r < registers; r++) {
    uint32_t index = layout_apply(d->p->layout, r, 0, 0, 0);
    if (matrix_outer(d->p, second_operand(d), index) || index & d->next_8_rows) continue;
    for (uint32_t k = 0; k < d->depth; k += 8u << d->pack)
      for (uint32_t i = 0; i < 4; i++) {
        uint32_t at = a_word(d, index, k, i);
        d->a_words[at] = emit_word(d->e, &d->a_map, at, next_k, d->pack);
        vec_push(d->e->arena, &d->packed, d->a_words[at]);
      }
  }
  if (op_attr(d->p->op, ATTR_PART)) llvm_sink(LLVMGetInsertBlock(d->e->builder), d->packed.at, d->packed.n);
}

// --- the dot

// Emits all instructions, as one group.
static void begin_products(WgmmaDot *d, uint32_t registers) {
  const EmittedDot *p = d->p;
  Arena *arena = d->e->arena;
  uint32_t in_tile = (((1u << d->column_bits) - 1) * d->next_column) | d->next_8_rows;
  uint32_t steps = (1u << p->shape.k) / (8u << d->pack), sums = 1u << (d->column_bits - 1);
  TileProducts group = {ARENA_ARRAY(arena, WgmmaStep, (size_t)(registers / sums) * steps),
                        ARENA_ARRAY(arena, LLVMValueRef, registers), ARENA_ARRAY(arena, uint32_t, registers),
                        0, 0};
  if (d->registers) find_words(d, registers);
  for (uint32_t r = 0; r < registers; r++) {
    uint32_t index = layout_apply(p->layout, r, 0, 0, 0);
    if (!(index & in_tile) && emit_mapped_register(&p->acc, index) == r) add_tile(d, &group, index);
  }
  WgmmaGroup products = {.types = {d->first == DOT_A ? p->a : p->b, d->first == DOT_A ? p->b : p->a, p->sum},
                         .a_transposed = d->a.transposed,
                         .b_transposed = d->b.transposed,
                         .from_zero = p->from_zero,
                         .fresh = p->fresh,
                         .steps = group.steps,
                         .count = group.count};
  nvvm_wgmma(d->e, &products, group.sums, group.sum_count);
  for (uint32_t i = 0; i < group.sum_count; i++) d->sums[group.registers[i]] = group.sums[i];
}

// The instruction's first operand: in registers, or a matrix in shared memory.
static void find_first(WgmmaDot *d) {
  const Value *a = op_operand(d->p->op, d->first);
  if (!type_is_tile(a->type)) {
    d->a = matrix_of(d, d->first);
    return;
  }
  d->a_words = ARENA_ARRAY(d->e->arena, LLVMValueRef, (size_t)1 << a->type->layout->out_bits);
  d->registers = emit_get(d->e, a);
  d->a_map = emit_layout_map(d->e, d->registers, a->type->layout);
}

static WgmmaDot dot_of(Emitter *e, const EmittedDot *p, uint32_t registers) {
  uint32_t bits = elem_info(p->a)->bits;
  DotOperand first = dot_takes_b_first(p->op) ? DOT_B : DOT_A;
  WgmmaDot d = {.e = e,
                .p = p,
                .pack = bits == 32   ? 0
                        : bits == 16 ? 1
                                     : 2,
                .first = first,
                .next_column = first == DOT_A ? 1 : 1u << p->shape.n,
                .next_8_rows = layout_basis(p->layout, DIM_REGISTER, 1)};
  d.column_bits = dot_column_bits(p->op);
  d.depth = dot_depth(p->op);
  find_first(&d);
  d.b = matrix_of(&d, second_operand(&d));
  d.sums = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
  emit_begin_sums(p);
  for (uint32_t r = 0; r < registers; r++) d.sums[r] = p->out[r];
  return d;
}

void emit_wgmma_dot(Emitter *e, EmittedDot *p) {
  uint32_t registers = layout_registers(p->layout);
  if (!op_attr(p->op, ATTR_ASYNC)) BUG("a wgmma that is not waited for");
  emit_prepare_sums(e, p->op);
  const LLVMValueRef *prepared = e->prepared[op_result(p->op)->id];
  if (prepared) p->acc.registers = prepared;
  WgmmaDot d = dot_of(e, p, registers);
  if (p->sum == ELEM_FP16) pack_pairs(&d, registers);
  begin_products(&d, registers);
  if (p->sum == ELEM_FP16) {
    unpack_pairs(&d, registers);
    return;
  }
  for (uint32_t r = 0; r < registers; r++) p->out[r] = d.sums[r];
}
