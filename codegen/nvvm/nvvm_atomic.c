// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's atomic on global memory, as inline assembly, because LLVM's atomicrmw drops order and scope. See
// PTX ISA, sections on atom, red and fence.
#include "codegen/nvvm/nvvm_atomic.h"

#include <stdio.h>
#include <string.h>
#include "codegen/nvvm/nvvm.h"

static char word_letter(uint32_t bits) { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }

// red has no acquire. Its order could not be observed, because red returns no value.
static const char *order_of(const Atomic *atomic, bool has_result) {
  if (has_result) return atomic->sem;
  return strcmp(atomic->sem, "acquire") == 0 || strcmp(atomic->sem, "relaxed") == 0 ? "relaxed" : "release";
}

LLVMValueRef nvvm_atomic(Emitter *e, const Atomic *atomic, bool has_result) {
  LLVMTypeRef word = LLVMTypeOf(atomic->args[0]), types[6];
  LLVMValueRef args[6];
  uint32_t count = 0, first = has_result;
  char letter = word_letter(LLVMGetIntTypeWidth(word));
  Buf text = {0}, constraints = {0};
  args[count++] = atomic->pointer;
  buf_printf(&constraints, has_result ? "=%c,l" : "l", letter);
  for (uint32_t i = 0; i < 4 && atomic->args[i]; i++) {
    args[count++] = atomic->args[i];
    buf_printf(&constraints, ",%c", letter);
  }
  uint32_t values = count - 1;
  if (atomic->predicate) {
    args[count++] = atomic->predicate;
    buf_text(&constraints, ",b");
    buf_printf(&text, "@$%u ", first + values + 1);
  }
  buf_printf(&text, "%s.%s.%s.global.%s ", has_result ? "atom" : "red", order_of(atomic, has_result),
             atomic->scope, atomic->operation);
  if (has_result) buf_text(&text, "$0, ");
  buf_printf(&text, "[$%u]", first);
  for (uint32_t i = 0; i < values; i++)
    buf_printf(&text, i == 0 && atomic->vector ? ", {$%u" : ", $%u", first + 1 + i);
  buf_text(&text, atomic->vector ? "};" : ";");
  for (uint32_t i = 0; i < count; i++) types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type =
      LLVMFunctionType(has_result ? word : LLVMVoidTypeInContext(e->context), types, count, false);
  return nvvm_assembly(e, type, &text, &constraints, args, count);
}

// PTX has no registers of 8 bits.
static LLVMTypeRef register_of(Emitter *e, LLVMTypeRef word) {
  return LLVMGetIntTypeWidth(word) < 16 ? LLVMInt16TypeInContext(e->context) : word;
}

static void add_predicate(Buf *text, Buf *constraints, const Atomic *atomic, uint32_t at) {
  if (!atomic->predicate) return;
  buf_text(constraints, ",b");
  buf_printf(text, "@$%u ", at);
}

LLVMValueRef nvvm_atomic_load(Emitter *e, const Atomic *atomic) {
  LLVMTypeRef word = LLVMTypeOf(atomic->args[0]), held = register_of(e, word);
  LLVMValueRef args[2] = {atomic->pointer, atomic->predicate};
  LLVMTypeRef types[2] = {LLVMTypeOf(atomic->pointer), e->i1};
  uint32_t count = atomic->predicate ? 2 : 1;
  Buf text = {0}, constraints = {0};
  buf_printf(&constraints, "=%c,l", word_letter(LLVMGetIntTypeWidth(held)));
  add_predicate(&text, &constraints, atomic, 2);
  buf_printf(&text, "ld.%s.%s.global.%s $0, [$1];", atomic->sem, atomic->scope, atomic->operation);
  LLVMTypeRef type = LLVMFunctionType(held, types, count, false);
  LLVMValueRef value = nvvm_assembly(e, type, &text, &constraints, args, count);
  return held == word ? value : LLVMBuildTrunc(e->builder, value, word, "");
}

void nvvm_atomic_store(Emitter *e, const Atomic *atomic) {
  LLVMTypeRef word = LLVMTypeOf(atomic->args[0]), held = register_of(e, word);
  LLVMValueRef value = held == word ? atomic->args[0] : LLVMBuildZExt(e->builder, atomic->args[0], held, "");
  LLVMValueRef args[3] = {atomic->pointer, value, atomic->predicate};
  LLVMTypeRef types[3] = {LLVMTypeOf(atomic->pointer), held, e->i1};
  uint32_t count = atomic->predicate ? 3 : 2;
  Buf text = {0}, constraints = {0};
  buf_printf(&constraints, "l,%c", word_letter(LLVMGetIntTypeWidth(held)));
  add_predicate(&text, &constraints, atomic, 2);
  buf_printf(&text, "st.%s.%s.global.%s [$0], $1;", atomic->sem, atomic->scope, atomic->operation);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), types, count, false);
  nvvm_assembly(e, type, &text, &constraints, args, count);
}

void nvvm_fence_release(Emitter *e, const char *scope) { nvvm_order(e, "fence.acq_rel.", scope); }
