// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits dot with the instruction that choose_dot chose. mma.sync is here. wgmma and fused multiply-adds have
// their own files.
#include "codegen/emit/emit_dot.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "base/integer.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/nvvm/nvvm_dot.h"
#include "ir/dot/dot.h"
#include "ir/dot/dot_fits.h"

RegisterMap emit_layout_map(Emitter *e, const LLVMValueRef *registers, const Layout *layout) {
  uint32_t *at = ARENA_ARRAY(e->arena, uint32_t, (size_t)1 << layout->out_bits);
  for (uint32_t r = layout_registers(layout); r-- > 0;) at[layout_apply(layout, r, 0, 0, 0)] = r + 1;
  return (RegisterMap){registers, at};
}

RegisterMap emit_register_map(Emitter *e, const Value *tile) {
  return emit_layout_map(e, emit_get(e, tile), tile->type->layout);
}

uint32_t emit_mapped_register(const RegisterMap *map, uint32_t index) {
  if (!map->at[index]) BUG("a dot's operand is not where its layout says");
  return map->at[index] - 1;
}

LLVMValueRef emit_mapped(const RegisterMap *map, uint32_t index) {
  return map->registers[emit_mapped_register(map, index)];
}

LLVMValueRef emit_word(Emitter *e, const RegisterMap *map, uint32_t index, uint32_t stride, uint32_t pack) {
  LLVMValueRef first = emit_mapped(map, index);
  if (pack == 0) return LLVMBuildBitCast(e->builder, first, e->i32, "");
  LLVMValueRef elements[4];
  for (uint32_t i = 0; i < 1u << pack; i++) elements[i] = emit_mapped(map, index + i * stride);
  return emit_vector_word(e, elements, 1u << pack);
}

void emit_begin_sums(const EmittedDot *p) {
  for (uint32_t r = 0; r < layout_registers(p->layout); r++) {
    LLVMValueRef sum = p->acc.registers[r];
    p->out[r] = dot_sums_in(p->op, r) ? sum : LLVMConstNull(LLVMTypeOf(sum));
  }
}

// --- mma.sync

// An fp32 number as one or two tf32 numbers, or as two or three bf16 numbers.
typedef enum Part { WHOLE, BIG, SMALL, LEAST, FINITE, PART_COUNT } Part; // FINITE: BIG, but 0 for infinities

enum { TILE_K = 32 }; // bytes of k in one tile of the operands' layouts

typedef struct Mma {
  Emitter *e;
  const EmittedDot *p;
  RegisterMap a, b, scales[2];
  uint32_t pack;
  uint32_t run;          // log2 of the neighbours along k that a thread holds in a row.
  bool split;            // fp32 by three MMAs of tf32, or by MMAs of `pieces`.
  uint32_t pieces;       // The number of bf16 that an fp32 is split into; 0: no split.
  bool swapped;          // The transposed dot: b is the instruction's first operand.
  uint32_t pair;         // log2 of the distance along k of a word's halves, within a run.
  uint32_t eighth;       // The distance of the instruction's rows 0 and 8 in their operand.
  uint32_t across, down; // The offset in the result of the instruction's next column, and of row 8.
  bool shallow;          // Pieces with 8 of k, half of the instruction's k.
  uint32_t k;            // Bytes of k of one instruction.
  bool by_place;         // An instruction takes the fields of words that start at the same bit of a byte.
  uint8_t *within;       // By instruction along k: see find_fields. NULL: operands are as they are.
  LLVMValueRef *words[2][PART_COUNT]; // By operand and index; NULL: not made yet.
} Mma;

// The upper 11 bits of the significand (BIG), or the rest (SMALL). Infinities and NaNs have no rest. FINITE
// keeps the rest of others from being multiplied by an infinity: zero times infinity is NaN.
static LLVMValueRef part_of(Emitter *e, LLVMValueRef word, Part part) {
  if (part == WHOLE) return word;
  LLVMValueRef big = LLVMBuildAnd(e->builder, word, emit_i32(e, 0xffffe000u), "");
  if (part == BIG) return big;
  LLVMValueRef x = LLVMBuildBitCast(e->builder, word, e->f32, "");
  LLVMValueRef rest = LLVMBuildFSub(e->builder, x, LLVMBuildBitCast(e->builder, big, e->f32, ""), "");
  LLVMValueRef number = LLVMBuildFCmp(e->builder, LLVMRealORD, rest, rest, "");
  if (part == FINITE) return LLVMBuildSelect(e->builder, number, big, emit_i32(e, 0), "");
  rest = LLVMBuildSelect(e->builder, number, rest, LLVMConstNull(e->f32), "");
  return LLVMBuildBitCast(e->builder, rest, e->i32, "");
}

// Splits two fp32 numbers into words of bf16: the nearest value, then the nearest of the rest. An infinity
// leaves a NaN.
static void split_pair(Mma *m, LLVMValueRef x, LLVMValueRef y, DotOperand operand, uint32_t index) {
  LLVMBuilderRef b = m->e->builder;
  for (uint32_t i = 0; i < m->pieces; i++) {
    LLVMValueRef word = nvvm_to_bf16_pair(m->e, x, y);
    m->words[operand][BIG + i][index] = word;
    if (i + 1 == m->pieces) break;
    LLVMValueRef low = LLVMBuildShl(b, word, emit_i32(m->e, 16), ""),
                 high = LLVMBuildAnd(b, word, emit_i32(m->e, 0xffff0000u), "");
    x = LLVMBuildFSub(b, x, LLVMBuildBitCast(b, low, m->e->f32, ""), "");
    y = LLVMBuildFSub(b, y, LLVMBuildBitCast(b, high, m->e->f32, ""), "");
  }
}

static LLVMValueRef word_at(Mma *m, DotOperand operand, uint32_t index, Part part) {
  LLVMValueRef *word = &m->words[operand][part][index];
  if (*word) return *word;
  uint32_t stride = (operand == DOT_A ? 1 : 1u << m->p->shape.n) << m->pair;
  if (m->pieces) {
    const RegisterMap *map = operand == DOT_A ? &m->a : &m->b;
    split_pair(m, emit_mapped(map, index), emit_mapped(map, index + 4 * stride), operand, index);
    return *word;
  }
  *word = part_of(m->e, emit_word(m->e, operand == DOT_A ? &m->a : &m->b, index, stride, m->pack), part);
  return *word;
}

// The words of a tile at row (or column) `outer` and k: k's lower half first. a's rows that are 8 apart come
// together. With pieces, a word holds what fp32's layout gives a thread, 4 apart along k. This reorders k in
// the same way for both operands. Longer runs along k do so too: a tile takes the next words of them.
static uint32_t place_of_word(const Mma *m, uint32_t k, uint32_t half) {
  uint32_t bits = m->run - m->pack, word = (k >> (m->pack + 2)) + half;
  if (m->pieces) return k + half * 8;
  uint32_t in_run = word & ((1u << bits) - 1);
  if (m->by_place && m->pair) in_run = in_run >> 1 | (in_run & 1) << (bits - 1);
  uint32_t low = in_run & ((1u << m->pair) - 1);
  if (m->pair) return word >> bits << (m->run + 2) | (in_run - low) << 1 | low;
  return word >> bits << (m->run + 2) | in_run << m->pack;
}

static uint32_t tile_words(const Mma *m, DotOperand operand) {
  uint32_t count = (operand == DOT_A) != m->swapped ? 4 : 2;
  return m->shallow ? count / 2 : count;
}

// The index in the operand of word i of a tile.
static uint32_t index_of_word(const Mma *m, DotOperand operand, uint32_t batch, uint32_t outer, uint32_t k,
                              uint32_t i) {
  const DotShape *shape = &m->p->shape;
  bool first = (operand == DOT_A) != m->swapped;
  uint32_t at_k = place_of_word(m, k, first ? i >> 1 : i), row = outer + (first && i & 1 ? m->eighth : 0);
  return operand == DOT_A ? (((batch << shape->m) + row) << shape->k) + at_k
                          : (((batch << shape->k) + at_k) << shape->n) + row;
}

static void find_words(Mma *m, DotOperand operand, uint32_t batch, uint32_t outer, uint32_t k, Part part,
                       LLVMValueRef *words) {
  for (uint32_t i = 0; i < tile_words(m, operand); i++)
    words[i] = word_at(m, operand, index_of_word(m, operand, batch, outer, k, i), part);
}

// The words of the scales that the instruction's rows and columns have at k.
static MmaScales scales_at(Mma *m, uint32_t row, uint32_t column, uint32_t k) {
  const Op *dot = m->p->op;
  uint32_t group = dot_scale_group(dot), first = k / group / DOT_SCALES_A_WORD * DOT_SCALES_A_WORD;
  uint32_t count = op_operand(dot, DOT_SCALE_A)->type->shape[1];
  return (MmaScales){.group = group,
                     .byte = k / group % DOT_SCALES_A_WORD,
                     .exponents = type_is_elem(op_operand(dot, DOT_SCALE_A)->type, ELEM_U8),
                     .a = emit_word(m->e, &m->scales[DOT_A], row * count + first, 1, 2),
                     .b = emit_word(m->e, &m->scales[DOT_B], column * count + first, 1, 2)};
}

static void multiply_words(Mma *m, const MmaScales *scales, const LLVMValueRef *a, const LLVMValueRef *b,
                           LLVMValueRef *sum) {
  MmaTypes types = {m->p->a, m->p->b, m->p->sum, scales};
  if (m->pieces) types.a = types.b = ELEM_BF16;
  bool half_k = m->k < TILE_K || m->shallow;
  nvvm_mma(m->e, &types, half_k, a, b, sum);
  if (half_k && !m->shallow) nvvm_mma(m->e, &types, true, a + 2, b + 1, sum);
}

static void multiply_parts(Mma *m, uint32_t batch, uint32_t row, uint32_t column, Part a_part, Part b_part,
                           uint32_t k, LLVMValueRef *sum) {
  LLVMValueRef a[4], b[2];
  find_words(m, DOT_A, batch, row, k, a_part, m->swapped ? b : a);
  find_words(m, DOT_B, batch, column, k, b_part, m->swapped ? a : b);
  MmaScales scales = {0};
  bool scaled = dot_is_scaled(m->p->op);
  if (scaled) scales = scales_at(m, row, column, k);
  multiply_words(m, scaled ? &scales : NULL, a, b, sum);
}

// The word that contains this value as half number `i`. NULL: none.
static LLVMValueRef word_of_half(LLVMValueRef x, uint64_t i) {
  if (!LLVMIsAExtractElementInst(x)) return NULL;
  LLVMValueRef vector = LLVMGetOperand(x, 0), at = LLVMGetOperand(x, 1);
  bool is_word = LLVMIsABitCastInst(vector) &&
                 LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(vector, 0))) == LLVMIntegerTypeKind;
  return is_word && LLVMIsAConstantInt(at) && LLVMConstIntGetZExtValue(at) == i ? LLVMGetOperand(vector, 0)
                                                                                : NULL;
}

LLVMValueRef emit_pair(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef word = word_of_half(x, 0);
  if (word && word == word_of_half(y, 1)) return word;
  return emit_vector_word(e, (LLVMValueRef[]){x, y}, 2);
}

void emit_unpair(Emitter *e, LLVMValueRef word, LLVMValueRef *x, LLVMValueRef *y) {
  LLVMValueRef vector = LLVMBuildBitCast(e->builder, word, LLVMVectorType(e->f16, 2), "");
  *x = emit_vector_element(e, vector, 0);
  *y = emit_vector_element(e, vector, 1);
}

// One tile of m16n8.
typedef struct MmaTile {
  uint32_t batch, row, column, registers[4];
  LLVMValueRef value[4], sum[4];
} MmaTile;

// Begins the tile whose first element in thread 0 has that index. Tensor cores truncate as they accumulate.
// To be as accurate as fp32, `split` accumulates into zeros and adds the result to acc separately.
static void begin_tile(Mma *m, MmaTile *t, uint32_t index) {
  const DotShape *shape = &m->p->shape;
  Emitter *e = m->e;
  t->column = index & ((1u << shape->n) - 1), t->row = index >> shape->n & ((1u << shape->m) - 1);
  t->batch = index >> (shape->n + shape->m);
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t at = (i & 1) * m->across + (i >> 1) * m->down;
    t->registers[i] = emit_mapped_register(&m->p->acc, index + at);
    t->value[i] = m->p->acc.registers[t->registers[i]];
    t->sum[i] = m->split ? LLVMConstNull(e->f32) : t->value[i];
  }
  if (m->p->sum != ELEM_FP16) return;
  t->sum[0] = emit_pair(e, t->value[0], t->value[1]);
  t->sum[1] = emit_pair(e, t->value[2], t->value[3]);
}

static void add_k(Mma *m, MmaTile *t, uint32_t k) {
  if (m->split) multiply_parts(m, t->batch, t->row, t->column, SMALL, FINITE, k, t->sum);
  if (m->split) multiply_parts(m, t->batch, t->row, t->column, FINITE, SMALL, k, t->sum);
  Part part = m->split ? BIG : WHOLE;
  multiply_parts(m, t->batch, t->row, t->column, part, part, k, t->sum);
}

static void end_tile(Mma *m, MmaTile *t) {
  bool pairs = m->p->sum == ELEM_FP16;
  if (pairs) emit_unpair(m->e, t->sum[1], &t->value[2], &t->value[3]);
  if (pairs) emit_unpair(m->e, t->sum[0], &t->value[0], &t->value[1]);
  for (uint32_t i = 0; i < 4; i++) {
    if (m->split) t->sum[i] = LLVMBuildFAdd(m->e->builder, t->value[i], t->sum[i], "");
    m->p->out[t->registers[i]] = pairs ? t->value[i] : t->sum[i];
  }
}

// Replaces infinities and NaNs in a tile's sum by zero.
static void drop_infinities(Emitter *e, MmaTile *t) {
  LLVMValueRef infinity = LLVMConstReal(e->f32, INFINITY), zero = LLVMConstNull(e->f32);
  for (uint32_t i = 0; i < 4; i++) {
    LLVMValueRef size = nvvm_unary(e, "llvm.fabs", t->sum[i]);
    LLVMValueRef number = LLVMBuildFCmp(e->builder, LLVMRealOLT, size, infinity, "");
    t->sum[i] = LLVMBuildSelect(e->builder, number, t->sum[i], zero, "");
  }
}

// Multiplies the pieces that matter, small ones first. The small pieces' sum counts only if it is finite. An
// infinite operand leaves NaNs in it, and the greatest pieces alone then give the result.
static void multiply_pieces(Mma *m, MmaTile *tiles, uint32_t count) {
  static const Part small[][2] = {{SMALL, SMALL}, {LEAST, BIG}, {BIG, LEAST}, {SMALL, BIG}, {BIG, SMALL}};
  uint32_t depth = dot_depth(m->p->op), first = m->pieces == 3 ? 0 : 3;
  for (uint32_t k = 0; k < depth; k += 16)
    for (MmaTile *t = tiles; t < tiles + count; t++)
      for (uint32_t i = first; i < 5; i++)
        multiply_parts(m, t->batch, t->row, t->column, small[i][0], small[i][1], k, t->sum);
  for (uint32_t i = 0; i < count; i++) drop_infinities(m->e, &tiles[i]);
  for (uint32_t k = 0; k < depth; k += 16)
    for (MmaTile *t = tiles; t < tiles + count; t++)
      multiply_parts(m, t->batch, t->row, t->column, BIG, BIG, k, t->sum);
}

// True if all tiles are computed together, k by k. Registers then hold the small parts of only one k. They
// also hold the sums of all tiles, in addition to acc.
static bool goes_by_k(const Mma *m) {
  uint32_t sums = layout_registers(m->p->layout), numbers = 0;
  for (uint32_t i = 0; i < 2; i++) numbers += emit_count(op_operand(m->p->op, i)->type);
  return m->split && (m->pieces == 0 || (m->pieces == 3 && 2 * sums < numbers));
}

// --- fields of packed words
//
// Unpacked weights from 0 to 1023 take an instruction more for each pair than their bits do as subnormal fp16.
// Products and sums of these are as exact: 2^-24 times the dot's, and 2^n times that where fields start at bit n of
// their halves.
//
// ```
// before  mma(fma(lop3(w & 0x00f000f0 | 0x64006400), 1/16, -64), x)
// after   mma(lop3(w & 0x00f000f0), x) * 2^20
// ```
//
// One instruction takes fields that start at the same bit. Each such bit has separate sums.

enum { SUBNORMAL = 24, MAX_WITHIN = 8 };

// The sum times 2^power, plus another number.
static LLVMValueRef scaled(Emitter *e, LLVMValueRef sum, int power, LLVMValueRef other) {
  LLVMValueRef operands[] = {sum, LLVMConstReal(e->f32, ldexp(1, power)), other};
  if (LLVMIsNull(other)) return LLVMBuildFMul(e->builder, sum, operands[1], "");
  return nvvm_intrinsic(e, "llvm.fma", &e->f32, 1, operands, 3);
}

static void multiply_fields(Mma *m, MmaTile *t, uint32_t step) {
  enum { SUMS = 4 };
  LLVMValueRef sums[MAX_WITHIN][SUMS] = {{NULL}};
  for (uint32_t k = 0; k < dot_depth(m->p->op); k += step) {
    LLVMValueRef *sum = sums[m->within[k / step]];
    for (uint32_t i = 0; i < SUMS; i++) t->sum[i] = sum[i] ? sum[i] : LLVMConstNull(m->e->f32);
    add_k(m, t, k);
    memcpy(sum, t->sum, sizeof t->sum);
  }
  memcpy(t->sum, t->value, sizeof t->sum);
  for (int n = MAX_WITHIN; n-- > 0;)
    for (uint32_t i = 0; i < SUMS && sums[n][i]; i++)
      t->sum[i] = scaled(m->e, sums[n][i], SUBNORMAL - n, t->sum[i]);
}

// Finds the fields of an operand's words for one instruction. False: some have none, or do not start at that bit.
static bool find_fields_at(Mma *m, DotOperand operand, const MmaTile *t, uint32_t k, uint32_t *within) {
  uint32_t stride = (operand == DOT_A ? 1 : 1u << m->p->shape.n) << m->pair, at;
  const RegisterMap *map = operand == DOT_A ? &m->a : &m->b;
  for (uint32_t i = 0; i < tile_words(m, operand); i++) {
    uint32_t index = index_of_word(m, operand, t->batch, operand == DOT_A ? t->row : t->column, k, i);
    if (m->words[operand][WHOLE][index]) continue;
    LLVMValueRef word = emit_fields(m->e, emit_mapped(map, index), emit_mapped(map, index + stride), &at);
    if (!word || (*within != MAX_WITHIN && *within != at)) return false;
    m->words[operand][WHOLE][index] = word, *within = at;
  }
  return true;
}

// Finds the fields of an operand's words. True if they save at least twice the instructions of the sums' factors:
// sums of several kinds take registers.
static bool find_fields(Mma *m, DotOperand operand, const MmaTile *tiles, uint32_t count, uint32_t step) {
  uint32_t depth = dot_depth(m->p->op), words = emit_count(op_operand(m->p->op, operand)->type) / 2,
           kinds = 0;
  for (uint32_t k = 0; k < depth; k += step) {
    uint32_t within = MAX_WITHIN;
    for (uint32_t i = 0; i < count; i++)
      if (!find_fields_at(m, operand, &tiles[i], k, &within)) return false;
    m->within[k / step] = (uint8_t)within, kinds |= 1u << within;
  }
  return words >= 2 * layout_registers(m->p->layout) * bit_count(kinds);
}

// True if an operand is unpacked weights as they are: less 1024 (choose_arithmetic).
static bool takes_weights(const Op *dot) {
  double less;
  for (uint32_t i = DOT_A; i <= DOT_B; i++) {
    const Op *op = op_operand(dot, i)->def;
    if (op && op->kind == OP_SUB && value_float_constant(op_operand(op, 1), &less) && less == 1024)
      return true;
  }
  return false;
}

// True if this dot takes such weights, or a constant where another dot of its other operand does. Both then take the
// same pairs of words from that.
static bool takes_by_place(const Op *dot) {
  double number;
  bool takes = takes_weights(dot);
  for (uint32_t i = DOT_A; i <= DOT_B && !takes; i++) {
    if (!value_float_constant(op_operand(dot, i), &number)) continue;
    for (const Use *use = op_operand(dot, 1 - i)->first_use; use; use = use->next)
      takes |= use->user->kind == OP_DOT && takes_weights(use->user);
  }
  return takes;
}

// Decides whether the operands' words are taken as their fields are.
static void take_fields(Mma *m, const MmaTile *tiles, uint32_t count, uint32_t step) {
  uint32_t steps = dot_depth(m->p->op) / step;
  bool halves = m->p->a == ELEM_FP16 && m->p->b == ELEM_FP16 && m->p->sum == ELEM_FP32 && m->k == TILE_K;
  m->by_place = halves && takes_by_place(m->p->op);
  if (!halves || !takes_weights(m->p->op)) return;
  m->within = ARENA_ARRAY(m->e->arena, uint8_t, steps);
  for (DotOperand i = DOT_A; i <= DOT_B; i++) {
    if (find_fields(m, i, tiles, count, step)) return;
    uint32_t bits = m->p->shape.batch + m->p->shape.k + (i == DOT_A ? m->p->shape.m : m->p->shape.n);
    memset(m->words[i][WHOLE], 0, sizeof(LLVMValueRef) << bits);
  }
  m->within = NULL;
}

static void multiply_tiles(Mma *m, MmaTile *tiles, uint32_t count) {
  uint32_t depth = dot_depth(m->p->op), step = 8u << m->pack, together = goes_by_k(m) ? count : 1;
  take_fields(m, tiles, count, step);
  for (uint32_t first = 0; first < count; first += together) {
    if (m->pieces) multiply_pieces(m, &tiles[first], together);
    if (m->within) multiply_fields(m, &tiles[first], step);
    for (uint32_t k = 0; k < depth && !m->pieces && !m->within; k += step)
      for (uint32_t i = 0; i < together; i++) add_k(m, &tiles[first + i], k);
    for (uint32_t i = 0; i < together; i++) end_tile(m, &tiles[first + i]);
  }
}

// The transposed dot may have the instruction's rows 0 and 8 as neighbours.
static void find_tile(Mma *m) {
  const DotShape *shape = &m->p->shape;
  m->eighth = 8, m->across = 1, m->down = 8u << shape->n;
  if (!m->swapped) return;
  m->eighth = m->down = layout_basis(m->p->layout, DIM_REGISTER, 1);
  m->across = 1u << shape->n;
}

// The number of bf16 pieces for an fp32 number.
static uint32_t pieces_of(Fp32Dot precision) {
  return precision == FP32_DOT_BF16X3 ? 2 : precision == FP32_DOT_BF16X6 ? 3 : 0;
}

static void emit_mma_dot(Emitter *e, const EmittedDot *p) {
  Fp32Dot precision = dot_precision(p->op);
  Mma m = {.e = e,
           .p = p,
           .k = dot_instruction_info(dot_instruction(p->op))->k,
           .split = fp32_dot_splits(precision),
           .pieces = pieces_of(precision),
           .shallow = pieces_of(precision) && p->shape.k == 3,
           .a = emit_register_map(e, op_operand(p->op, 0)),
           .b = emit_register_map(e, op_operand(p->op, 1))};
  uint32_t bits = elem_info(p->a)->bits, count = 0;
  for (uint32_t i = 0; dot_is_scaled(p->op) && i < 2; i++)
    m.scales[i] = emit_register_map(e, op_operand(p->op, DOT_SCALE_A + i));
  m.swapped = op_attr(p->op, ATTR_SWAPPED) != NULL;
  find_tile(&m);
  m.pack = bits >= 32 ? 0 : bits == 16 ? 1 : 2;
  m.run = dot_run_bits(p->op);
  m.pair = dot_pair_bits(p->op);
  for (int i = 0; i < PART_COUNT; i++) {
    m.words[DOT_A][i] =
        ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)1 << (p->shape.batch + p->shape.m + p->shape.k));
    m.words[DOT_B][i] =
        ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)1 << (p->shape.batch + p->shape.n + p->shape.k));
  }
  MmaTile *tiles = ARENA_ARRAY(e->arena, MmaTile, layout_registers(p->layout));
  emit_begin_sums(p);
  for (uint32_t r = 0; r < layout_registers(p->layout); r++) {
    uint32_t index = layout_apply(p->layout, r, 0, 0, 0);
    if (!(index & (m.across | m.down)) && emit_mapped_register(&p->acc, index) == r && dot_sums_in(p->op, r))
      begin_tile(&m, &tiles[count++], index);
  }
  multiply_tiles(&m, tiles, count);
}

// --- dot

// Replaces the accumulator with zeros if the dot starts from zero. wgmma does that itself.
static void begin_from_zeros(Emitter *e, EmittedDot *p) {
  uint32_t count = layout_registers(p->layout);
  LLVMValueRef *sums = ARENA_ARRAY(e->arena, LLVMValueRef, count);
  for (uint32_t r = 0; r < count; r++) {
    LLVMValueRef sum = p->acc.registers[r], zero = LLVMConstNull(LLVMTypeOf(sum));
    sums[r] = p->from_zero ? zero : LLVMBuildSelect(e->builder, p->fresh, zero, sum, "");
  }
  p->acc.registers = sums;
}

// A known i1 needs no predicate.
static void find_beginning(Emitter *e, EmittedDot *p, const Value *fresh) {
  int64_t known;
  if (!value_int_constant(fresh, &known))
    p->fresh = emit_register(e, fresh, 0);
  else
    p->from_zero = known != 0;
}

void emit_dot(Emitter *e, Op *op) {
  const Value *result = op_result(op);
  EmittedDot p = {.op = op,
                  .shape = dot_op_shape(op),
                  .a = type_element(op_operand(op, 0)->type)->elem,
                  .b = type_element(op_operand(op, 1)->type)->elem,
                  .sum = type_element(result->type)->elem,
                  .layout = result->type->layout};
  if (op->operand_count > 3) find_beginning(e, &p, op_operand(op, 3));
  if (is_dot_of(op, DOT_TCGEN05)) {
    emit_tcgen05_dot(e, &p);
    return;
  }
  p.acc = emit_register_map(e, op_operand(op, 2));
  p.out = emit_new(e, result);
  if ((p.from_zero || p.fresh) && dot_instruction(op) != DOT_WGMMA) begin_from_zeros(e, &p);
  switch (dot_instruction(op)) {
  case DOT_WGMMA: emit_wgmma_dot(e, &p); break;
  case DOT_MMA:
  case DOT_MMA_K8: emit_mma_dot(e, &p); break;
  case DOT_FMA: emit_fma_dot(e, &p); break;
  case DOT_TCGEN05:
  case DOT_INSTRUCTION_COUNT: break;
  }
}
