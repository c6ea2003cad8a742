// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores. A run of `vector` registers is one access of at most 16 bytes, under the mask of its
// first register. If the mask cuts a run short (emit_partial.c), each whole word and each element of the rest
// is one access.
// An access without mask and cache hint is a plain LLVM vector access. Others are one predicated instruction
// of inline assembly: without branches, the accesses stay together.
#include "codegen/emit/emit.h"

#include <string.h>
#include "codegen/emit/emit_move.h"
#include "codegen/llvm/instruction_order.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/memory/access.h"

typedef struct MemoryRun {
  const Op *op;
  const Type *type;   // of the value
  uint32_t registers; // of the value
  uint32_t length;    // registers an access
  uint32_t bytes;     // of an element
  LLVMTypeRef memory; // an element as stored in memory; i64 for pointers
} MemoryRun;

static MemoryRun run_of(const Emitter *e, const Op *op, const Type *type) {
  MemoryRun run = {.op = op, .type = type, .registers = emit_count(type), .bytes = type_element_bytes(type)};
  run.memory = type_is_ptr(type) ? e->i64 : emit_memory_type(e, type);
  run.length = access_run(op, type);
  return run;
}

static bool is_true(LLVMValueRef x) { return !x || (LLVMIsAConstantInt(x) && LLVMConstIntGetZExtValue(x)); }
static bool is_false(LLVMValueRef x) { return x && LLVMIsAConstantInt(x) && !LLVMConstIntGetZExtValue(x); }

LLVMValueRef emit_to_memory(Emitter *e, LLVMValueRef x) {
  if (LLVMTypeOf(x) == e->i1) return LLVMBuildZExt(e->builder, x, e->i8, "");
  if (LLVMTypeOf(x) == e->ptr) return LLVMBuildPtrToInt(e->builder, x, e->i64, "");
  return x;
}

LLVMValueRef emit_from_memory(Emitter *e, const Type *element, LLVMValueRef x) {
  LLVMTypeRef type = emit_type(e, element);
  if (type == e->i1) return LLVMBuildICmp(e->builder, LLVMIntNE, x, LLVMConstNull(e->i8), "");
  if (type == e->ptr) return LLVMBuildIntToPtr(e->builder, x, type, "");
  return x;
}

static LLVMTypeRef vector_type(const MemoryRun *run) {
  return run->length == 1 ? run->memory : LLVMVectorType(run->memory, run->length);
}

// The run's elements as one LLVM value, in memory format.
static LLVMValueRef gather_run(Emitter *e, const MemoryRun *run, const LLVMValueRef *elements) {
  if (run->length == 1) return emit_to_memory(e, elements[0]);
  LLVMValueRef stored[16];
  for (uint32_t i = 0; i < run->length; i++) stored[i] = emit_to_memory(e, elements[i]);
  return emit_vector(e, stored, run->length);
}

static void scatter_run(Emitter *e, const MemoryRun *run, LLVMValueRef vector, LLVMValueRef *elements) {
  for (uint32_t i = 0; i < run->length; i++) {
    LLVMValueRef x = run->length == 1 ? vector : emit_vector_element(e, vector, i);
    elements[i] = emit_from_memory(e, run->type, x);
  }
}

// The run's access for inline assembly. Words have 64 bits if the elements do, else 32 bits if there are
// enough bytes.
static GlobalAccess access_of(const MemoryRun *run, LLVMValueRef pointer, LLVMValueRef predicate) {
  uint32_t bytes = run->length * run->bytes;
  const Attr *cache = op_attr(run->op, ATTR_CACHE), *evict = op_attr(run->op, ATTR_EVICT);
  GlobalAccess access = {.pointer = pointer, .predicate = predicate};
  access.word_bits = run->bytes == 8 ? 64 : bytes >= 4 ? 32 : 8 * bytes;
  access.words = 8 * bytes / access.word_bits;
  access.is_volatile = op_attr(run->op, ATTR_VOLATILE) != NULL;
  access.cache = cache && cache->str[0] ? cache->str : NULL;
  access.evict = evict && strncmp(evict->str, "evict_", 6) == 0 && strcmp(evict->str, "evict_normal") != 0
                     ? evict->str
                     : NULL;
  return access;
}

static bool has_hint(const GlobalAccess *access) { return access->cache || access->evict; }

static void to_words(Emitter *e, const MemoryRun *run, const GlobalAccess *access,
                     const LLVMValueRef *elements, LLVMValueRef *words) {
  LLVMTypeRef integer = LLVMIntTypeInContext(e->context, access->word_bits);
  LLVMTypeRef type = access->words == 1 ? integer : LLVMVectorType(integer, access->words);
  LLVMValueRef all = LLVMBuildBitCast(e->builder, gather_run(e, run, elements), type, "");
  for (uint32_t i = 0; i < access->words; i++) {
    LLVMValueRef word = access->words == 1 ? all : emit_vector_element(e, all, i);
    words[i] = LLVMBuildZExt(e->builder, word, nvvm_word_type(e, access->word_bits), "");
  }
}

static void from_words(Emitter *e, const MemoryRun *run, const GlobalAccess *access,
                       const LLVMValueRef *words, LLVMValueRef *elements) {
  LLVMTypeRef integer = LLVMIntTypeInContext(e->context, access->word_bits);
  LLVMValueRef all = access->words > 1 ? emit_vector(e, words, access->words)
                                       : LLVMBuildTrunc(e->builder, words[0], integer, "");
  scatter_run(e, run, LLVMBuildBitCast(e->builder, all, vector_type(run), ""), elements);
}

static void plain_load(Emitter *e, const MemoryRun *run, const GlobalAccess *access, LLVMValueRef *out) {
  LLVMValueRef load = LLVMBuildLoad2(e->builder, vector_type(run), access->pointer, "");
  LLVMSetAlignment(load, run->length * run->bytes);
  LLVMSetVolatile(load, access->is_volatile);
  scatter_run(e, run, load, out);
}

// `otherwise`: the run's elements if the mask is false.
static void load_run(Emitter *e, const MemoryRun *run, LLVMValueRef pointer, LLVMValueRef mask,
                     const LLVMValueRef *otherwise, LLVMValueRef *out) {
  GlobalAccess access = access_of(run, pointer, is_true(mask) ? NULL : mask);
  if (is_false(mask)) {
    memcpy(out, otherwise, run->length * sizeof *out);
  } else if (!access.predicate && !has_hint(&access)) {
    plain_load(e, run, &access, out);
  } else {
    LLVMValueRef initial[4], words[4];
    to_words(e, run, &access, otherwise, initial);
    nvvm_load_global(e, &access, initial, words);
    from_words(e, run, &access, words, out);
  }
}

static LLVMValueRef both_masks(Emitter *e, LLVMValueRef mask, LLVMValueRef holder) {
  if (!holder || is_false(mask)) return mask;
  return is_true(mask) ? holder : LLVMBuildAnd(e->builder, mask, holder, "");
}

// --- runs that the mask cuts short

typedef struct TwoWays {
  LLVMBasicBlockRef whole, cut, end;
} TwoWays;

static TwoWays begin_two_ways(Emitter *e, LLVMValueRef cut) {
  TwoWays ways = {emit_block(e, "whole"), emit_block(e, "cut"), emit_block(e, "cut_end")};
  LLVMBuildCondBr(e->builder, cut, ways.cut, ways.whole);
  LLVMPositionBuilderAtEnd(e->builder, ways.whole);
  return ways;
}

static void second_way(Emitter *e, const TwoWays *ways) {
  LLVMBuildBr(e->builder, ways->end);
  LLVMPositionBuilderAtEnd(e->builder, ways->cut);
}

static void end_two_ways(Emitter *e, const TwoWays *ways) {
  LLVMBuildBr(e->builder, ways->end);
  LLVMPositionBuilderAtEnd(e->builder, ways->end);
}

// A run's whole words, and the last word, whose elements the mask enables only in part.
typedef struct CutRun {
  GlobalAccess access;               // of the run
  LLVMValueRef pointer, bytes, tail; // how many bytes the mask enables; how many of them in the last word
  uint32_t word, parts;              // bytes of a word, its elements
} CutRun;

static CutRun cut_run(Emitter *e, const MemoryRun *run, const Value *mask, uint32_t r, LLVMValueRef holder) {
  CutRun cut = {.access = access_of(run, NULL, NULL), .pointer = emit_register(e, op_operand(run->op, 0), r)};
  LLVMValueRef bytes = emit_masked_bytes(e, run->op, mask, r, run->length, run->bytes);
  cut.bytes = holder ? LLVMBuildSelect(e->builder, holder, bytes, emit_i32(e, 0), "") : bytes;
  cut.word = cut.access.word_bits / 8;
  cut.parts = cut.word / run->bytes;
  cut.tail = LLVMBuildAnd(e->builder, cut.bytes, emit_i32(e, cut.word - 1), "");
  return cut;
}

static LLVMValueRef at_least(Emitter *e, LLVMValueRef x, uint32_t least) {
  return LLVMBuildICmp(e->builder, LLVMIntUGE, x, emit_i32(e, least), "");
}

static GlobalAccess word_access(Emitter *e, const CutRun *cut, uint32_t i) {
  GlobalAccess access = cut->access;
  access.words = 1;
  LLVMValueRef offset = emit_i32(e, i * cut->word);
  access.pointer = LLVMBuildGEP2(e->builder, e->i8, cut->pointer, &offset, 1, "");
  access.predicate = at_least(e, cut->bytes, (i + 1) * cut->word);
  return access;
}

// An element of the last word.
static GlobalAccess part_access(Emitter *e, const MemoryRun *run, const CutRun *cut, uint32_t i) {
  GlobalAccess access = cut->access;
  access.words = 1;
  access.word_bits = 8 * run->bytes;
  LLVMValueRef offset = LLVMBuildSub(e->builder, cut->bytes, cut->tail, "");
  offset = LLVMBuildAdd(e->builder, offset, emit_i32(e, i * run->bytes), "");
  access.pointer = LLVMBuildGEP2(e->builder, e->i8, cut->pointer, &offset, 1, "");
  access.predicate = at_least(e, cut->tail, (i + 1) * run->bytes);
  return access;
}

static LLVMValueRef is_last_word(Emitter *e, const CutRun *cut, uint32_t i) {
  LLVMValueRef before = LLVMBuildSub(e->builder, cut->bytes, cut->tail, "");
  return LLVMBuildICmp(e->builder, LLVMIntEQ, before, emit_i32(e, i * cut->word), "");
}

static LLVMTypeRef parts_type(Emitter *e, const MemoryRun *run, const CutRun *cut) {
  return LLVMVectorType(LLVMIntTypeInContext(e->context, 8 * run->bytes), cut->parts);
}

// The last word's elements.
static LLVMValueRef tail_of(Emitter *e, const MemoryRun *run, const CutRun *cut, const LLVMValueRef *words) {
  LLVMValueRef tail = words[0];
  for (uint32_t i = 1; i < cut->access.words; i++)
    tail = LLVMBuildSelect(e->builder, is_last_word(e, cut, i), words[i], tail, "");
  return LLVMBuildBitCast(e->builder, tail, parts_type(e, run, cut), "");
}

static LLVMValueRef load_tail(Emitter *e, const MemoryRun *run, const CutRun *cut, LLVMValueRef tail) {
  for (uint32_t i = 0; i + 1 < cut->parts; i++) {
    GlobalAccess access = part_access(e, run, cut, i);
    LLVMTypeRef held = nvvm_word_type(e, access.word_bits), type = LLVMGetElementType(LLVMTypeOf(tail));
    LLVMValueRef part = emit_vector_element(e, tail, i), read;
    part = LLVMBuildZExt(e->builder, part, held, "");
    nvvm_load_global(e, &access, &part, &read);
    read = LLVMBuildTrunc(e->builder, read, type, "");
    tail = LLVMBuildInsertElement(e->builder, tail, read, emit_i32(e, i), "");
  }
  return tail;
}

static void load_cut_run(Emitter *e, const MemoryRun *run, uint32_t r, LLVMValueRef holder,
                         const LLVMValueRef *otherwise, LLVMValueRef *out) {
  CutRun cut = cut_run(e, run, op_operand(run->op, 1), r, holder);
  LLVMValueRef initial[4], words[4];
  to_words(e, run, &cut.access, otherwise, initial);
  for (uint32_t i = 0; i < cut.access.words; i++) {
    GlobalAccess access = word_access(e, &cut, i);
    nvvm_load_global(e, &access, &initial[i], &words[i]);
  }
  if (cut.parts > 1) {
    LLVMValueRef tail = load_tail(e, run, &cut, tail_of(e, run, &cut, initial));
    tail = LLVMBuildBitCast(e->builder, tail, LLVMTypeOf(words[0]), "");
    for (uint32_t i = 0; i < cut.access.words; i++)
      words[i] = LLVMBuildSelect(e->builder, is_last_word(e, &cut, i), tail, words[i], "");
  }
  from_words(e, run, &cut.access, words, out);
}

static void store_cut_run(Emitter *e, const MemoryRun *run, uint32_t r, LLVMValueRef holder,
                          const LLVMValueRef *elements) {
  CutRun cut = cut_run(e, run, op_operand(run->op, 2), r, holder);
  LLVMValueRef words[4];
  to_words(e, run, &cut.access, elements, words);
  for (uint32_t i = 0; i < cut.access.words; i++) {
    GlobalAccess access = word_access(e, &cut, i);
    nvvm_store_global(e, &access, &words[i]);
  }
  LLVMValueRef tail = cut.parts > 1 ? tail_of(e, run, &cut, words) : NULL;
  for (uint32_t i = 0; i + 1 < cut.parts; i++) {
    GlobalAccess access = part_access(e, run, &cut, i);
    LLVMValueRef part = emit_vector_element(e, tail, i);
    part = LLVMBuildZExt(e->builder, part, nvvm_word_type(e, access.word_bits), "");
    nvvm_store_global(e, &access, &part);
  }
}

// --- loads

// The run's elements for a false mask.
static void gather_other(Emitter *e, const MemoryRun *run, const Value *other, uint32_t r,
                         LLVMValueRef *otherwise) {
  LLVMValueRef zero = LLVMConstNull(emit_type(e, run->type));
  for (uint32_t i = 0; i < run->length; i++) otherwise[i] = other ? emit_register(e, other, r + i) : zero;
}

// Only each element's first holder executes volatile loads and has the value.
static void load_once(Emitter *e, Op *op, const MemoryRun *run, LLVMValueRef *out) {
  uint32_t inputs = op_input_count(op), *first = ARENA_ARRAY(e->arena, uint32_t, run->registers);
  const Value *mask = inputs > 1 ? op_operand(op, 1) : NULL, *other = inputs > 2 ? op_operand(op, 2) : NULL;
  LLVMValueRef holder = emit_holder(e, run->type);
  if (type_is_tile(run->type)) first_registers(e->arena, run->type->layout, first);
  for (uint32_t r = 0; r < run->registers; r += run->length) {
    LLVMValueRef otherwise[16], predicate = both_masks(e, mask ? emit_register(e, mask, r) : NULL, holder);
    gather_other(e, run, other, r, otherwise);
    if (first[r] == r)
      load_run(e, run, emit_register(e, op_operand(op, 0), r), predicate, otherwise, out + r);
    for (uint32_t i = 0; i < run->length; i++) out[r + i] = out[first[r + i]];
  }
}

// A value that is only stored is needed by each element's first holder alone, unless another holder is to
// write it.
static LLVMValueRef holder_of_load(Emitter *e, const Op *op) {
  return access_is_for_holders(op_result(op)) ? emit_holder(e, op_result(op)->type) : NULL;
}

static void load_runs(Emitter *e, const MemoryRun *run, bool cut, LLVMValueRef *out) {
  const Op *op = run->op;
  const Value *pointer = op_operand(op, 0), *mask = op_operand(op, 1), *other = op_operand(op, 2);
  LLVMValueRef holder = holder_of_load(e, op);
  for (uint32_t r = 0; r < run->registers; r += run->length) {
    LLVMValueRef otherwise[16], predicate = both_masks(e, mask ? emit_register(e, mask, r) : NULL, holder);
    gather_other(e, run, other, r, otherwise);
    if (cut)
      load_cut_run(e, run, r, holder, otherwise, out + r);
    else
      load_run(e, run, emit_register(e, pointer, r), predicate, otherwise, out + r);
  }
}

// Returns the loaded elements as words. A run then takes no more registers after the two branches than inside
// them.
static LLVMValueRef *all_words(Emitter *e, const MemoryRun *run, const LLVMValueRef *elements,
                               uint32_t *count) {
  GlobalAccess access = access_of(run, NULL, NULL);
  LLVMValueRef *words = ARENA_ARRAY(e->arena, LLVMValueRef, run->registers);
  *count = 0;
  for (uint32_t r = 0; r < run->registers; r += run->length, *count += access.words)
    to_words(e, run, &access, elements + r, words + *count);
  return words;
}

static void load_two_ways(Emitter *e, const MemoryRun *run, LLVMValueRef condition, LLVMValueRef *out) {
  TwoWays ways = begin_two_ways(e, condition);
  GlobalAccess access = access_of(run, NULL, NULL);
  uint32_t count;
  load_runs(e, run, false, out);
  LLVMValueRef *whole = all_words(e, run, out, &count);
  second_way(e, &ways);
  load_runs(e, run, true, out);
  LLVMValueRef *cut = all_words(e, run, out, &count);
  end_two_ways(e, &ways);
  for (uint32_t i = 0; i < count; i++) {
    LLVMValueRef from[] = {whole[i], cut[i]};
    whole[i] = LLVMBuildPhi(e->builder, LLVMTypeOf(from[0]), "");
    LLVMAddIncoming(whole[i], from, (LLVMBasicBlockRef[]){ways.whole, ways.cut}, 2);
  }
  for (uint32_t r = 0, at = 0; r < run->registers; r += run->length, at += access.words)
    from_words(e, run, &access, whole + at, out + r);
}

void emit_load(Emitter *e, Op *op) {
  MemoryRun run = run_of(e, op, op_result(op)->type);
  LLVMValueRef *out = emit_new(e, op_result(op));
  LLVMValueRef cut = emit_cut_short(e, op, op_operand(op, 1), run.registers, run.length);
  if (op_attr(op, ATTR_VOLATILE))
    load_once(e, op, &run, out);
  else if (cut)
    load_two_ways(e, &run, cut, out);
  else
    load_runs(e, &run, false, out);
}

static void store_run(Emitter *e, const MemoryRun *run, LLVMValueRef pointer, LLVMValueRef mask,
                      const LLVMValueRef *elements) {
  GlobalAccess access = access_of(run, pointer, is_true(mask) ? NULL : mask);
  if (is_false(mask)) return;
  if (!access.predicate && !has_hint(&access)) {
    LLVMValueRef store = LLVMBuildStore(e->builder, gather_run(e, run, elements), pointer);
    LLVMSetAlignment(store, run->length * run->bytes);
    return;
  }
  LLVMValueRef words[4];
  to_words(e, run, &access, elements, words);
  nvvm_store_global(e, &access, words);
}

// The first of the threads and registers that hold an element stores it.
static void store_runs(Emitter *e, const MemoryRun *run, LLVMValueRef holder, bool cut) {
  const Value *pointer = op_operand(run->op, 0), *value = op_operand(run->op, 1),
              *mask = op_operand(run->op, 2);
  uint32_t free_bits[DIM_COUNT] = {0};
  if (type_is_tile(value->type)) layout_free_bits(value->type->layout, free_bits);
  for (uint32_t r = 0; r < run->registers; r += run->length) {
    if (r & free_bits[DIM_REGISTER]) continue;
    LLVMValueRef elements[16], predicate = both_masks(e, mask ? emit_register(e, mask, r) : NULL, holder);
    emit_tmem_registers(e, value, r + run->length);
    for (uint32_t i = 0; i < run->length; i++) elements[i] = emit_register(e, value, r + i);
    if (cut)
      store_cut_run(e, run, r, holder, elements);
    else
      store_run(e, run, emit_register(e, pointer, r), predicate, elements);
  }
}

void emit_store(Emitter *e, Op *op) {
  const Value *value = op_operand(op, 1);
  MemoryRun run = run_of(e, op, value->type);
  LLVMValueRef holder = emit_holder(e, value->type);
  LLVMValueRef cut = emit_cut_short(e, op, op_operand(op, 2), run.registers, run.length);
  if (!cut) {
    store_runs(e, &run, holder, false);
    if (!op_attr(op, ATTR_STREAMED)) return;
    llvm_order_by_access(LLVMGetInsertBlock(e->builder));
    LLVMPositionBuilderAtEnd(e->builder, LLVMGetInsertBlock(e->builder));
    return;
  }
  emit_tmem_registers(e, value, run.registers);
  TwoWays ways = begin_two_ways(e, cut);
  store_runs(e, &run, holder, false);
  second_way(e, &ways);
  store_runs(e, &run, holder, true);
  end_two_ways(e, &ways);
}
