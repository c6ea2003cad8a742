// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics. The first of the threads and registers that hold an element executes it. If the old value is used,
// the others get it from there. If it is not used, neighbours in memory become one red, under the first one's
// mask.
#include <stdio.h>
#include <string.h>
#include "codegen/emit/emit.h"
#include "codegen/emit/emit_move.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/nvvm/nvvm_atomic.h"
#include "ir/memory/atomic.h"

typedef struct AtomicElement { // one element, or several neighbours in one instruction
  const Op *op;
  const Type *type;
  uint32_t length; // elements
  Atomic atomic;   // without the operation
  bool used;
} AtomicElement;

static const char *word_of(const Op *op, AttrKey key, const char *otherwise) {
  const Attr *attr = op_attr(op, key);
  return attr ? attr->str : otherwise;
}

static LLVMValueRef to_bits(Emitter *e, const Type *type, LLVMValueRef x) {
  LLVMTypeRef integer = emit_bits_type(e, type);
  if (type_is_ptr(type)) return LLVMBuildPtrToInt(e->builder, x, integer, "");
  return LLVMBuildBitCast(e->builder, x, integer, "");
}

// Converts a word that holds one element, or two of 16 bits.
static LLVMValueRef from_bits(Emitter *e, const Type *type, LLVMValueRef bits) {
  LLVMTypeRef to = emit_type(e, type);
  if (type_is_ptr(type)) return LLVMBuildIntToPtr(e->builder, bits, to, "");
  if (LLVMGetIntTypeWidth(LLVMTypeOf(bits)) > 8 * type_element_bytes(type)) to = LLVMVectorType(to, 2);
  return LLVMBuildBitCast(e->builder, bits, to, "");
}

// "noftz.bf16", "noftz.bf16x2", "noftz.v4.bf16x2", "v2.f32".
static const char *float_sum(Emitter *e, const Type *type, uint32_t length) {
  Elem elem = type_element(type)->elem;
  bool is_half = elem_is_half(elem);
  uint32_t words = is_half && length > 1 ? length / 2 : length;
  const char *vector = words > 1 ? arena_printf(e->arena, "v%u.", words) : "";
  if (words > 1) emit_needs_ptx(e, 81);
  if (elem == ELEM_BF16) emit_needs_ptx(e, 78);
  if (!is_half) return arena_printf(e->arena, "add.%sf%u", vector, 8 * type_element_bytes(type));
  return arena_printf(e->arena, "add.noftz.%s%s%s", vector, elem == ELEM_BF16 ? "bf16" : "f16",
                      length > 1 ? "x2" : "");
}

// "add.u32", "max.s64", "add.noftz.f16", "exch.b32": `unsigned_order` compares as unsigned.
static const char *operation_of(Emitter *e, const char *rmw, const AtomicElement *element,
                                bool unsigned_order) {
  const Type *type = element->type;
  uint32_t bits = 8 * type_element_bytes(type);
  bool is_add = strcmp(rmw, "add") == 0, compares = strcmp(rmw, "max") == 0 || strcmp(rmw, "min") == 0;
  if (strcmp(rmw, "xchg") == 0) return arena_printf(e->arena, "exch.b%u", bits);
  if (is_add && type_is_float(type)) return float_sum(e, type, element->length);
  if (is_add) return arena_printf(e->arena, "add.u%u", bits);
  if (compares) return arena_printf(e->arena, "%s.%c%u", rmw, unsigned_order ? 'u' : 's', bits);
  return arena_printf(e->arena, "%s.b%u", rmw, bits);
}

static LLVMValueRef build_one_instruction(Emitter *e, AtomicElement *element, const char *rmw,
                                          bool unsigned_order) {
  bool exchange = strcmp(rmw, "xchg") == 0;
  element->atomic.operation = operation_of(e, rmw, element, unsigned_order);
  return nvvm_atomic(e, &element->atomic, element->used || exchange);
}

static LLVMValueRef both_masks(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
  return a ? LLVMBuildAnd(e->builder, a, b, "") : b;
}

// Floats of the same sign are ordered like their bits: positive ones as signed integers, negative ones
// backwards as unsigned. So the value's sign selects one of two atomics, whatever is in memory.
static LLVMValueRef float_extreme(Emitter *e, AtomicElement *element, bool is_max) {
  LLVMValueRef bits = element->atomic.args[0], predicate = element->atomic.predicate;
  LLVMValueRef negative = LLVMBuildICmp(e->builder, LLVMIntSLT, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
  element->atomic.predicate = both_masks(e, predicate, LLVMBuildNot(e->builder, negative, ""));
  LLVMValueRef positive_old = build_one_instruction(e, element, is_max ? "max" : "min", false);
  element->atomic.predicate = both_masks(e, predicate, negative);
  LLVMValueRef negative_old = build_one_instruction(e, element, is_max ? "min" : "max", true);
  if (!element->used) return NULL;
  return LLVMBuildSelect(e->builder, negative, negative_old, positive_old, "");
}

static LLVMValueRef combine(Emitter *e, const char *rmw, LLVMValueRef x, LLVMValueRef y) {
  if (strcmp(rmw, "add") == 0) return LLVMBuildFAdd(e->builder, x, y, "");
  return nvvm_binary(e, strcmp(rmw, "max") == 0 ? "llvm.maximumnum" : "llvm.minimumnum", x, y);
}

// For 16-bit floats, one or two in a word, without an instruction: a compare-and-swap loop.
static LLVMValueRef by_loop(Emitter *e, AtomicElement *element, const char *rmw) {
  LLVMBuilderRef b = e->builder;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b), loop = emit_block(e, "cas"),
                    end = emit_block(e, "cas_end");
  LLVMValueRef value = element->atomic.args[0], predicate = element->atomic.predicate;
  LLVMTypeRef word = LLVMTypeOf(value);
  LLVMValueRef always = LLVMConstInt(e->i1, 1, false), zero = LLVMConstNull(word);
  LLVMBuildCondBr(b, predicate ? predicate : always, loop, end);
  LLVMPositionBuilderAtEnd(b, loop);
  LLVMValueRef old = LLVMBuildPhi(b, word, "");
  LLVMValueRef second = from_bits(e, element->type, value), first = from_bits(e, element->type, old);
  LLVMValueRef now = combine(e, rmw, first, second);
  AtomicElement swap = *element;
  swap.atomic.operation = element->length > 1 ? "cas.b32" : "cas.b16";
  swap.atomic.predicate = NULL;
  swap.atomic.args[0] = old;
  swap.atomic.args[1] = LLVMBuildBitCast(b, now, word, "");
  LLVMValueRef found = nvvm_atomic(e, &swap.atomic, true);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, found, old, ""), end, loop);
  LLVMAddIncoming(old, (LLVMValueRef[]){zero, found}, (LLVMBasicBlockRef[]){before, loop}, 2);
  LLVMPositionBuilderAtEnd(b, end);
  LLVMValueRef result = LLVMBuildPhi(b, word, "");
  LLVMAddIncoming(result, (LLVMValueRef[]){zero, found}, (LLVMBasicBlockRef[]){before, loop}, 2);
  return result;
}

static LLVMValueRef emit_half(Emitter *e, AtomicElement *element, bool load) {
  element->atomic.operation = arena_printf(e->arena, "b%u", 8 * type_element_bytes(element->type));
  if (load) return nvvm_atomic_load(e, &element->atomic);
  nvvm_atomic_store(e, &element->atomic);
  return NULL;
}

static LLVMValueRef emit_rmw(Emitter *e, AtomicElement *element) {
  const char *rmw = op_attr(element->op, ATTR_RMW)->str;
  if (atomic_only_reads(element->op) || atomic_is_store(element->op))
    return emit_half(e, element, !atomic_is_store(element->op));
  bool is_float = type_is_float(element->type), is_max = strcmp(rmw, "max") == 0;
  bool is_extreme = is_max || strcmp(rmw, "min") == 0;
  if (is_float && is_extreme && type_element_bytes(element->type) == 2) return by_loop(e, element, rmw);
  if (is_float && is_extreme) return float_extreme(e, element, is_max);
  bool is_bf16_add = type_is_elem(element->type, ELEM_BF16) && strcmp(rmw, "add") == 0;
  if (is_bf16_add && !e->target->arch->has_bf16_atomics) return by_loop(e, element, rmw);
  bool unsigned_order = !is_float && !type_is_ptr(element->type) &&
                        elem_info(type_element(element->type)->elem)->cls == CLASS_UINT;
  return build_one_instruction(e, element, rmw, unsigned_order);
}

static LLVMValueRef emit_cas(Emitter *e, AtomicElement *element) {
  element->atomic.operation = arena_printf(e->arena, "cas.b%u", 8 * type_element_bytes(element->type));
  return nvvm_atomic(e, &element->atomic, true);
}

// Sets the values of registers from r on. Several 16-bit values are packed into 32-bit words.
static void set_values(Emitter *e, AtomicElement *element, const Value *value, uint32_t r) {
  uint32_t per_word = element->length > 1 && type_element_bytes(element->type) == 2 ? 2 : 1;
  Atomic *atomic = &element->atomic;
  for (uint32_t i = 0; i < element->length; i += per_word) {
    LLVMValueRef x = emit_register(e, value, r + i);
    if (per_word == 1) {
      atomic->args[i] = to_bits(e, element->type, x);
      continue;
    }
    LLVMValueRef pair[] = {x, emit_register(e, value, r + i + 1)};
    atomic->args[i / 2] = emit_vector_word(e, pair, 2);
  }
  atomic->vector = element->length > per_word;
}

// The atomic of `length` registers from r on. Returns the old value if it is used, else anything or NULL.
static LLVMValueRef emit_element(Emitter *e, const Op *op, uint32_t r, uint32_t length, LLVMValueRef holder) {
  const Value *result = op_result(op);
  bool is_cas = op->kind == OP_ATOMIC_CAS;
  const Value *mask = op_input(op, is_cas ? 3 : 2);
  AtomicElement element = {
      .op = op, .type = result->type, .length = length, .used = result->first_use != NULL};
  element.atomic = (Atomic){.sem = atomic_fences(op) ? "relaxed" : word_of(op, ATTR_SEM, "acq_rel"),
                            .scope = word_of(op, ATTR_SCOPE, "gpu"),
                            .pointer = emit_register(e, op_operand(op, 0), r),
                            .predicate = holder};
  set_values(e, &element, op_operand(op, 1), r);
  if (is_cas) element.atomic.args[1] = to_bits(e, result->type, emit_register(e, op_operand(op, 2), r));
  if (mask) element.atomic.predicate = both_masks(e, holder, emit_register(e, mask, r));
  return is_cas ? emit_cas(e, &element) : emit_rmw(e, &element);
}

void emit_atomic(Emitter *e, Op *op) {
  const Type *type = op_result(op)->type;
  uint32_t count = emit_count(type), length = atomic_vector(op);
  uint32_t *first = ARENA_ARRAY(e->arena, uint32_t, count);
  if (type_is_tile(type)) first_registers(e->arena, type->layout, first);
  LLVMValueRef holder = emit_holder(e, type), *out = emit_new(e, op_result(op));
  bool used = op_result(op)->first_use != NULL;
  if (atomic_fences(op)) nvvm_fence_release(e, word_of(op, ATTR_SCOPE, "gpu"));
  for (uint32_t r = 0; r < count; r += length) {
    LLVMValueRef old = first[r] == r ? emit_element(e, op, r, length, holder) : NULL;
    if (used) out[r] = old ? from_bits(e, type, old) : out[first[r]];
  }
}
