// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's atomic on global memory, as inline assembly, because LLVM's atomicrmw drops order and scope. See
// PTX ISA, sections on atom, red and fence.
#include "codegen/nvvm/nvvm_atomic.h"

#include <string.h>
#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"

// red has no acquire. Its order could not be observed, because red returns no value.
static const char *order_of(const Atomic *atomic, bool has_result) {
  if (has_result) return atomic->sem;
  return strcmp(atomic->sem, "acquire") == 0 || strcmp(atomic->sem, "relaxed") == 0 ? "relaxed" : "release";
}

LLVMValueRef nvvm_atomic(Emitter *e, const Atomic *atomic, bool has_result) {
  AsmCall call = {0};
  LLVMValueRef result = NULL;
  uint32_t values = 0;
  if (has_result) asm_result(e, &call, LLVMTypeOf(atomic->args[0]));
  uint32_t pointer = asm_operand(e, &call, atomic->pointer);
  while (values < 4 && atomic->args[values]) asm_operand(e, &call, atomic->args[values++]);
  if (atomic->predicate) buf_printf(&call.text, "@$%u ", asm_operand(e, &call, atomic->predicate));
  buf_printf(&call.text, "%s.%s.%s.global.%s ", has_result ? "atom" : "red", order_of(atomic, has_result),
             atomic->scope, atomic->operation);
  if (has_result) buf_text(&call.text, "$0, ");
  buf_printf(&call.text, "[$%u]", pointer);
  for (uint32_t i = 0; i < values; i++)
    buf_printf(&call.text, i == 0 && atomic->vector ? ", {$%u" : ", $%u", pointer + 1 + i);
  buf_text(&call.text, atomic->vector ? "};" : ";");
  asm_build(e, &call, ASM_EFFECTS, &result);
  return result;
}

// PTX has no registers of 8 bits.
static LLVMTypeRef register_of(Emitter *e, LLVMTypeRef word) {
  return LLVMGetIntTypeWidth(word) < 16 ? LLVMInt16TypeInContext(e->context) : word;
}

LLVMValueRef nvvm_atomic_load(Emitter *e, const Atomic *atomic) {
  LLVMTypeRef word = LLVMTypeOf(atomic->args[0]), held = register_of(e, word);
  LLVMValueRef value;
  AsmCall call = {0};
  asm_result(e, &call, held);
  asm_operand(e, &call, atomic->pointer);
  if (atomic->predicate) buf_printf(&call.text, "@$%u ", asm_operand(e, &call, atomic->predicate));
  buf_printf(&call.text, "ld.%s.%s.global.%s $0, [$1];", atomic->sem, atomic->scope, atomic->operation);
  asm_build(e, &call, ASM_EFFECTS, &value);
  return held == word ? value : LLVMBuildTrunc(e->builder, value, word, "");
}

void nvvm_atomic_store(Emitter *e, const Atomic *atomic) {
  LLVMTypeRef word = LLVMTypeOf(atomic->args[0]), held = register_of(e, word);
  LLVMValueRef value = held == word ? atomic->args[0] : LLVMBuildZExt(e->builder, atomic->args[0], held, "");
  AsmCall call = {0};
  asm_operand(e, &call, atomic->pointer);
  asm_operand(e, &call, value);
  if (atomic->predicate) buf_printf(&call.text, "@$%u ", asm_operand(e, &call, atomic->predicate));
  buf_printf(&call.text, "st.%s.%s.global.%s [$0], $1;", atomic->sem, atomic->scope, atomic->operation);
  asm_build(e, &call, ASM_EFFECTS, NULL);
}

void nvvm_fence_release(Emitter *e, const char *scope) { nvvm_order(e, "fence.acq_rel.", scope); }
