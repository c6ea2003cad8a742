// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between layouts: register renaming if threads keep their elements, shuffles if warps do.
#include "base/fault.h"
#include "codegen/emit/emit_combine.h"
#include "codegen/nvvm/nvvm.h"

// Maps registers of `to` to registers of `from` that hold the same element in thread 0.
static void rename_registers(Emitter *e, const Value *x, const Layout *from, const Layout *to,
                             LLVMValueRef *out) {
  uint32_t *holder = ARENA_ARRAY(e->arena, uint32_t, 1u << from->out_bits); // register + 1
  for (uint32_t r = layout_registers(from); r-- > 0;) holder[layout_apply(from, r, 0, 0, 0)] = r + 1;
  for (uint32_t r = 0; r < layout_registers(to); r++) {
    uint32_t source = holder[layout_apply(to, r, 0, 0, 0)];
    if (!source) BUG("layouts differ in more than their registers");
    out[r] = emit_register(e, x, source - 1);
  }
}

// --- within warps

static uint32_t apply_linear(const uint32_t *words, uint32_t x) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < LANE_PLAN_BITS; i++)
    if (x >> i & 1) result ^= words[i];
  return result;
}

static void trade_places(Emitter *e, const LaneSelect *select, uint32_t count, LLVMValueRef *x) {
  LLVMValueRef bits = LLVMBuildAnd(e->builder, e->threads.thread, emit_i32(e, select->threads), "");
  LLVMValueRef odd = LLVMBuildTrunc(e->builder, nvvm_unary(e, "llvm.ctpop", bits), e->i1, "");
  for (uint32_t j = 0; j < count; j++) {
    uint32_t other = j ^ select->registers;
    if (other < j) continue;
    LLVMValueRef low = x[j], high = x[other];
    x[j] = LLVMBuildSelect(e->builder, odd, high, low, "");
    x[other] = LLVMBuildSelect(e->builder, odd, low, high, "");
  }
}

// The lane that a thread receives from, before the XOR of each round. NULL: its own lane.
static LLVMValueRef lane_from(Emitter *e, const LanePlan *plan) {
  LLVMValueRef lane = NULL;
  for (uint32_t i = 0; i < plan->thread_bits && !plan->butterfly; i++) {
    if (!plan->lane_from[i]) continue;
    LLVMValueRef bit = LLVMBuildLShr(e->builder, e->threads.thread, emit_i32(e, i), "");
    bit = LLVMBuildAnd(e->builder, bit, emit_i32(e, 1), "");
    bit = LLVMBuildMul(e->builder, bit, emit_i32(e, plan->lane_from[i]), "");
    lane = lane ? LLVMBuildXor(e->builder, lane, bit, "") : bit;
  }
  return plan->butterfly || lane ? lane : emit_i32(e, 0);
}

static LLVMValueRef receive_from_lane(Emitter *e, LLVMValueRef x, LLVMValueRef lane, uint32_t change) {
  if (!lane) return emit_shuffle_xor(e, x, change);
  return emit_shuffle_from(e, x, LLVMBuildXor(e->builder, lane, emit_i32(e, change), ""));
}

// Packs `count` registers of 8 or 16 bits into one word.
static LLVMValueRef pack_word(Emitter *e, const LLVMValueRef *x, uint32_t count, uint32_t bits) {
  LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bits);
  LLVMValueRef word = LLVMGetPoison(LLVMVectorType(integer, 32 / bits));
  for (uint32_t i = 0; i < count; i++) {
    LLVMValueRef part = LLVMBuildBitCast(e->builder, x[i], integer, "");
    word = LLVMBuildInsertElement(e->builder, word, part, emit_i32(e, i), "");
  }
  return LLVMBuildBitCast(e->builder, word, e->i32, "");
}

static void unpack_word(Emitter *e, LLVMValueRef word, LLVMTypeRef type, uint32_t count, uint32_t bits,
                        LLVMValueRef *const *to) {
  LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bits);
  LLVMValueRef parts = LLVMBuildBitCast(e->builder, word, LLVMVectorType(integer, 32 / bits), "");
  for (uint32_t i = 0; i < count; i++) {
    LLVMValueRef part = LLVMBuildExtractElement(e->builder, parts, emit_i32(e, i), "");
    *to[i] = LLVMBuildBitCast(e->builder, part, type, "");
  }
}

// Shuffles all rounds. Rounds with the same lane share a shuffle if several registers fit in a word.
static void take_rounds(Emitter *e, const LanePlan *plan, LLVMTypeRef type, uint32_t bits,
                        const LLVMValueRef *x, LLVMValueRef *y) {
  uint32_t rounds = 1u << plan->round_bits;
  uint32_t most = type != e->i1 && bits < 32 ? 32 / bits : 1;
  LLVMValueRef lane = lane_from(e, plan);
  for (uint32_t k = 0; k < rounds; k++) {
    LLVMValueRef group[4], *to[4];
    uint32_t n = 0, change = apply_linear(plan->round_lane, k);
    for (uint32_t other = k; other < rounds && n < most && !y[k]; other++) {
      if (y[other] || apply_linear(plan->round_lane, other) != change) continue;
      group[n] = x[apply_linear(plan->send_register, other)];
      to[n++] = &y[other];
    }
    if (n == 1 || (n && !lane && !change))
      for (uint32_t i = 0; i < n; i++) *to[i] = receive_from_lane(e, group[i], lane, change);
    else if (n)
      unpack_word(e, receive_from_lane(e, pack_word(e, group, n, bits), lane, change), type, n, bits, to);
  }
}

// Moves registers `x` to the result's registers. `bits` is the width of their type.
static void shuffle_registers(Emitter *e, const LanePlan *plan, LLVMTypeRef type, uint32_t bits,
                              LLVMValueRef *x, LLVMValueRef *out) {
  uint32_t sources = 1u << plan->src_register_bits, rounds = 1u << plan->round_bits;
  LLVMValueRef *y = ARENA_ARRAY(e->arena, LLVMValueRef, rounds);
  for (uint32_t i = 0; i < plan->send_count; i++) trade_places(e, &plan->send[i], sources, x);
  take_rounds(e, plan, type, bits, x, y);
  for (uint32_t i = 0; i < plan->receive_count; i++) trade_places(e, &plan->receive[i], rounds, y);
  for (uint32_t r = 0; r < 1u << plan->dst_register_bits; r++)
    out[r] = y[apply_linear(plan->result_round, r)];
}

static void convert_by_shuffles(Emitter *e, const Op *op, const LanePlan *plan, LLVMValueRef *out) {
  const Value *from = op_operand(op, 0);
  const Type *element = type_element(from->type);
  uint32_t sources = 1u << plan->src_register_bits;
  LLVMValueRef *x = ARENA_ARRAY(e->arena, LLVMValueRef, sources);
  for (uint32_t r = 0; r < sources; r++) x[r] = emit_register(e, from, r);
  shuffle_registers(e, plan, emit_type(e, element), 8 * type_element_bytes(element), x, out);
}

// --- bytes, four in a word, and halves, two

enum { WORD_BITS = 2, WORD_BYTES = 1 << WORD_BITS };

// Two layouts of words of registers that a thread holds both before and after; with the register-number bits
// that select a part.
typedef struct PartWords {
  Layout from, to;
  uint32_t bits; // bits of a part's number in its word
  uint32_t from_bit[WORD_BITS], to_bit[WORD_BITS];
} PartWords;

// The number of bases of the layout that contain the bit. *bit is that of the last register basis.
static uint32_t count_bases(const Layout *layout, uint32_t v, uint32_t *bit) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    count += (layout->basis[i] & v) != 0;
    if (layout->basis[i] == v && i < layout->bits[DIM_REGISTER]) *bit = i;
  }
  return count;
}

// The layout of the half of the tile in which the element bit `v` is 0. Drops the register bit that provides
// it.
static void halve_layout(Layout *layout, uint32_t bit, uint32_t v) {
  uint32_t count = layout_in_bits(layout);
  for (uint32_t i = bit; i + 1 < count; i++) layout->basis[i] = layout->basis[i + 1];
  for (uint32_t i = 0; i + 1 < count; i++) {
    uint32_t x = layout->basis[i];
    layout->basis[i] = (x & (v - 1)) | (x >> 1 & ~(v - 1));
  }
  layout->bits[DIM_REGISTER]--;
  layout->out_bits--;
}

static bool find_words(const Layout *from, const Layout *to, uint32_t bits, PartWords *words) {
  *words = (PartWords){.from = *from, .to = *to, .bits = bits};
  for (uint32_t n = 0; n < bits; n++) {
    uint32_t a = UINT32_MAX, b = UINT32_MAX, i = 0, v = 0;
    for (; i < words->from.bits[DIM_REGISTER]; i++) {
      v = words->from.basis[i];
      a = b = UINT32_MAX;
      bool alone =
          v && !(v & (v - 1)) && count_bases(&words->from, v, &a) == 1 && count_bases(&words->to, v, &b) == 1;
      if (alone && b != UINT32_MAX) break;
    }
    if (i == words->from.bits[DIM_REGISTER]) return false;
    halve_layout(&words->from, words->from_bit[n] = a, v);
    halve_layout(&words->to, words->to_bit[n] = b, v);
  }
  return true;
}

// Inserts the bits of part `part` into the word's register number, in the reverse order of their removal.
static uint32_t part_register(const PartWords *words, uint32_t word, uint32_t part, const uint32_t *bit) {
  for (uint32_t n = words->bits; n-- > 0;) {
    uint32_t low = (1u << bit[n]) - 1;
    word = (word & low) | (word & ~low) << 1 | (part >> n & 1) << bit[n];
  }
  return word;
}

// Combines four bytes into a word with shifts. LLVM recognises bytes of one word or of two.
static LLVMValueRef word_of_bytes(Emitter *e, const LLVMValueRef *bytes) {
  LLVMValueRef word = NULL;
  for (uint32_t i = 0; i < WORD_BYTES; i++) {
    LLVMValueRef byte = LLVMBuildBitCast(e->builder, bytes[i], e->i8, "");
    LLVMValueRef part =
        LLVMBuildShl(e->builder, LLVMBuildZExt(e->builder, byte, e->i32, ""), emit_i32(e, 8 * i), "");
    word = word ? LLVMBuildOr(e->builder, word, part, "") : part;
  }
  return word;
}

// Regroups the result's registers into the words that instructions use.
static void regroup_bytes(Emitter *e, LLVMTypeRef type, uint32_t count, LLVMValueRef *out) {
  for (uint32_t r = 0; r + WORD_BYTES <= count; r += WORD_BYTES) {
    LLVMValueRef *to[WORD_BYTES] = {&out[r], &out[r + 1], &out[r + 2], &out[r + 3]};
    unpack_word(e, word_of_bytes(e, &out[r]), type, WORD_BYTES, 8, to);
  }
}

// True if there are selects and all their registers are needed. Otherwise LLVM drops some of them and their
// inputs.
static bool chooses_of_all(const LanePlan *plan) {
  return plan->send_count + plan->receive_count && plan->round_bits >= plan->src_register_bits;
}

// Exchanges bytes or halves that stay together as whole words. The selects then work on words too.
static bool convert_words(Emitter *e, const Op *op, LLVMValueRef *out) {
  const Value *from = op_operand(op, 0);
  LLVMTypeRef type = emit_type(e, type_element(from->type));
  uint32_t bytes = type_element_bytes(from->type), bits = bytes == 1 ? 2 : 1, count = 1u << bits;
  PartWords words;
  LanePlan plan;
  if (bytes > 2 || type == e->i1 ||
      !find_words(from->type->layout, op_result(op)->type->layout, bits, &words) ||
      !layout_lane_plan(&words.from, &words.to, &plan) || (bytes == 2 && !chooses_of_all(&plan)))
    return false;
  uint32_t sources = layout_registers(&words.from), results = layout_registers(&words.to);
  LLVMValueRef *x = ARENA_ARRAY(e->arena, LLVMValueRef, sources),
               *y = ARENA_ARRAY(e->arena, LLVMValueRef, results);
  for (uint32_t r = 0; r < sources; r++) {
    LLVMValueRef parts[WORD_BYTES];
    for (uint32_t i = 0; i < count; i++)
      parts[i] = emit_register(e, from, part_register(&words, r, i, words.from_bit));
    x[r] = bytes == 1 ? word_of_bytes(e, parts) : pack_word(e, parts, count, 8 * bytes);
  }
  shuffle_registers(e, &plan, e->i32, 32, x, y);
  for (uint32_t r = 0; r < results; r++) {
    LLVMValueRef *to[WORD_BYTES];
    for (uint32_t i = 0; i < count; i++) to[i] = &out[part_register(&words, r, i, words.to_bit)];
    if (bytes == 2) unpack_word(e, y[r], type, count, 8 * bytes, to);
    for (uint32_t i = 0; i < count && bytes == 1; i++) {
      LLVMValueRef byte = LLVMBuildLShr(e->builder, y[r], emit_i32(e, 8 * i), "");
      *to[i] = LLVMBuildTrunc(e->builder, byte, e->i8, "");
    }
  }
  if (bytes == 1) regroup_bytes(e, type, results * WORD_BYTES, out);
  return true;
}

void emit_convert_layout(Emitter *e, Op *op) {
  const Value *x = op_operand(op, 0);
  const Layout *from = x->type->layout, *to = op_result(op)->type->layout;
  LLVMValueRef *out = emit_new(e, op_result(op));
  LanePlan plan;
  Conversion kind = layout_conversion(from, to);
  if (kind == CONVERT_NOTHING || kind == CONVERT_REGISTERS)
    rename_registers(e, x, from, to, out);
  else if (convert_words(e, op, out))
    return;
  else if (layout_lane_plan(from, to, &plan))
    convert_by_shuffles(e, op, &plan, out);
  else
    BUG("a conversion that shuffles cannot do");
}
