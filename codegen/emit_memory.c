// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores. A run of `vector` registers is one access of at most 16 bytes, under the mask of its
// first register. What is not masked and has no cache hint is a plain LLVM vector access; the rest is one
// predicated instruction of inline assembly, so that no branch is made and the accesses stay together.
#include "codegen/emit.h"

#include <string.h>
#include "codegen/emit_move.h"
#include "codegen/nvvm.h"
#include "ir/access.h"

typedef struct MemoryRun {
  const Op *op;
  const Type *type;   // of the value
  uint32_t registers; // of the value
  uint32_t length;    // registers an access
  uint32_t bytes;     // of an element
  LLVMTypeRef memory; // an element as it lies in memory; i64 for pointers
} MemoryRun;

static MemoryRun run_of(const Emitter *e, const Op *op, const Type *type) {
  MemoryRun run = {
      .op = op, .type = type, .registers = emit_count(type), .bytes = type_element_bytes(type)};
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

// The run's elements as one LLVM value, as they lie in memory.
static LLVMValueRef gather_run(Emitter *e, const MemoryRun *run, const LLVMValueRef *elements) {
  if (run->length == 1) return emit_to_memory(e, elements[0]);
  LLVMValueRef vector = LLVMGetPoison(vector_type(run));
  for (uint32_t i = 0; i < run->length; i++)
    vector = LLVMBuildInsertElement(e->builder, vector, emit_to_memory(e, elements[i]), emit_i32(e, i), "");
  return vector;
}

static void scatter_run(Emitter *e, const MemoryRun *run, LLVMValueRef vector, LLVMValueRef *elements) {
  for (uint32_t i = 0; i < run->length; i++) {
    LLVMValueRef x =
        run->length == 1 ? vector : LLVMBuildExtractElement(e->builder, vector, emit_i32(e, i), "");
    elements[i] = emit_from_memory(e, run->type, x);
  }
}

// The run's access through inline assembly, in words of 32 bits
// where it has as many, of 64 where its elements are.
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
    LLVMValueRef word =
        access->words == 1 ? all : LLVMBuildExtractElement(e->builder, all, emit_i32(e, i), "");
    words[i] = LLVMBuildZExt(e->builder, word, nvvm_word_type(e, access->word_bits), "");
  }
}

static void from_words(Emitter *e, const MemoryRun *run, const GlobalAccess *access,
                       const LLVMValueRef *words, LLVMValueRef *elements) {
  LLVMTypeRef integer = LLVMIntTypeInContext(e->context, access->word_bits);
  LLVMValueRef all = LLVMBuildTrunc(e->builder, words[0], integer, "");
  if (access->words > 1) {
    all = LLVMGetPoison(LLVMVectorType(integer, access->words));
    for (uint32_t i = 0; i < access->words; i++)
      all = LLVMBuildInsertElement(e->builder, all, words[i], emit_i32(e, i), "");
  }
  scatter_run(e, run, LLVMBuildBitCast(e->builder, all, vector_type(run), ""), elements);
}

static void plain_load(Emitter *e, const MemoryRun *run, const GlobalAccess *access, LLVMValueRef *out) {
  LLVMValueRef load = LLVMBuildLoad2(e->builder, vector_type(run), access->pointer, "");
  LLVMSetAlignment(load, run->length * run->bytes);
  LLVMSetVolatile(load, access->is_volatile);
  scatter_run(e, run, load, out);
}

// `otherwise`: the run's elements where the mask does not hold.
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

// Volatile loads are done by each element's first holder alone, which alone has the value.
static void load_once(Emitter *e, Op *op, const MemoryRun *run, LLVMValueRef *out) {
  uint32_t inputs = op_input_count(op), *first = ARENA_ARRAY(e->arena, uint32_t, run->registers);
  const Value *mask = inputs > 1 ? op_operand(op, 1) : NULL, *other = inputs > 2 ? op_operand(op, 2) : NULL;
  LLVMValueRef zero = LLVMConstNull(emit_type(e, run->type)), holder = emit_holder(e, run->type);
  if (type_is_tile(run->type)) first_registers(e->arena, run->type->layout, first);
  for (uint32_t r = 0; r < run->registers; r += run->length) {
    LLVMValueRef otherwise[16], predicate = both_masks(e, mask ? emit_register(e, mask, r) : NULL, holder);
    for (uint32_t i = 0; i < run->length; i++) otherwise[i] = other ? emit_register(e, other, r + i) : zero;
    if (first[r] == r)
      load_run(e, run, emit_register(e, op_operand(op, 0), r), predicate, otherwise, out + r);
    for (uint32_t i = 0; i < run->length; i++) out[r + i] = out[first[r + i]];
  }
}

void emit_load(Emitter *e, Op *op) {
  const Value *pointer = op_operand(op, 0), *mask = op_operand(op, 1), *other = op_operand(op, 2);
  MemoryRun run = run_of(e, op, op_result(op)->type);
  LLVMValueRef zero = LLVMConstNull(emit_type(e, run.type));
  LLVMValueRef *out = emit_new(e, op_result(op));
  if (op_attr(op, ATTR_VOLATILE)) {
    load_once(e, op, &run, out);
    return;
  }
  // What is only stored is needed by each element's first holder alone, but where another one is to write it.
  LLVMValueRef holder = access_is_only_stored(op_result(op)) ? emit_holder(e, run.type) : NULL;
  for (uint32_t r = 0; r < run.registers; r += run.length) {
    LLVMValueRef otherwise[16], predicate = both_masks(e, mask ? emit_register(e, mask, r) : NULL, holder);
    for (uint32_t i = 0; i < run.length; i++) otherwise[i] = other ? emit_register(e, other, r + i) : zero;
    load_run(e, &run, emit_register(e, pointer, r), predicate, otherwise, out + r);
  }
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

// Of the threads and registers that hold an element the first stores it.
void emit_store(Emitter *e, Op *op) {
  const Value *pointer = op_operand(op, 0), *value = op_operand(op, 1), *mask = op_operand(op, 2);
  MemoryRun run = run_of(e, op, value->type);
  uint32_t free_bits[DIM_COUNT] = {0};
  LLVMValueRef holder = emit_holder(e, value->type);
  if (type_is_tile(value->type)) layout_free_bits(value->type->layout, free_bits);
  for (uint32_t r = 0; r < run.registers; r += run.length) {
    if (r & free_bits[DIM_REGISTER]) continue;
    LLVMValueRef predicate = mask ? emit_register(e, mask, r) : NULL;
    if (holder && !is_false(predicate))
      predicate = is_true(predicate) ? holder : LLVMBuildAnd(e->builder, predicate, holder, "");
    LLVMValueRef elements[16];
    for (uint32_t i = 0; i < run.length; i++) elements[i] = emit_register(e, value, r + i);
    store_run(e, &run, emit_register(e, pointer, r), predicate, elements);
  }
}
