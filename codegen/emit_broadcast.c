// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the first holders of elements know goes through shared memory to the others: old values of atomics,
// what a volatile load read.
#include "codegen/emit.h"

#include "base/fault.h"
#include "codegen/nvvm.h"

bool emit_needs_broadcast(const Op *op) {
  const Type *type = op_result(op)->type;
  uint32_t free_bits[DIM_COUNT];
  if (!op_result(op)->first_use) return false;
  if (!type_is_tile(type)) return true;
  layout_free_bits(type->layout, free_bits);
  return free_bits[DIM_LANE] || free_bits[DIM_WARP];
}

static LLVMValueRef slot(Emitter *e, const Type *type, LLVMTypeRef memory, LLVMValueRef buffer, uint32_t r) {
  if (!type_is_tile(type)) return buffer;
  LLVMValueRef index = emit_index(e, type->layout, r);
  return LLVMBuildGEP2(e->builder, memory, buffer, &index, 1, "");
}

// The first holders write, all read; between them the op's own barrier.
void emit_broadcast(Emitter *e, const Op *op, LLVMValueRef *registers) {
  const Type *type = op_result(op)->type;
  if (!emit_needs_broadcast(op)) return;
  if (!op_scratch(op)) BUG("%s without a scratch buffer", op_info(op->kind)->name);
  LLVMTypeRef memory = type_is_ptr(type) ? e->i64 : emit_memory_type(e, type);
  LLVMValueRef buffer = emit_shared_address(e, op_scratch(op)), holder = emit_holder(e, type);
  LLVMBasicBlockRef write = emit_block(e, "share"), end = emit_block(e, "shared");
  LLVMBuildCondBr(e->builder, holder, write, end);
  LLVMPositionBuilderAtEnd(e->builder, write);
  for (uint32_t r = 0; r < emit_count(type); r++)
    LLVMBuildStore(e->builder, emit_to_memory(e, registers[r]), slot(e, type, memory, buffer, r));
  LLVMBuildBr(e->builder, end);
  LLVMPositionBuilderAtEnd(e->builder, end);
  nvvm_barrier(e, 0, 0);
  for (uint32_t r = 0; r < emit_count(type); r++) {
    LLVMValueRef x = LLVMBuildLoad2(e->builder, memory, slot(e, type, memory, buffer, r), "");
    registers[r] = emit_from_memory(e, type, x);
  }
}
