// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles multiplied by factors that are nearly always 1: a warp-uniform branch skips the multiplications.
#include "codegen/emit/emit.h"
#include "codegen/nvvm/nvvm.h"

// True if one of the thread's factors is not 1. The same register is tested once.
static LLVMValueRef any_but_one(Emitter *e, const LLVMValueRef *factors, uint32_t count) {
  VEC(LLVMValueRef) asked = {0};
  LLVMValueRef any = NULL, one = LLVMConstReal(e->f32, 1);
  for (uint32_t r = 0; r < count; r++) {
    uint32_t i = 0;
    while (i < asked.n && asked.at[i] != factors[r]) i++;
    if (i < asked.n) continue;
    vec_push(e->arena, &asked, factors[r]);
    LLVMValueRef other = LLVMBuildFCmp(e->builder, LLVMRealUNE, factors[r], one, "");
    any = any ? LLVMBuildOr(e->builder, any, other, "") : other;
  }
  return any;
}

LLVMValueRef emit_rescales(Emitter *e, const Op *op) {
  return nvvm_vote_any(e, any_but_one(e, emit_get(e, op_operand(op, 1)), emit_count(op_result(op)->type)));
}

void emit_rescale(Emitter *e, Op *op) {
  if (emit_tmem_rescales(op)) return;
  uint32_t count = emit_count(op_result(op)->type);
  const LLVMValueRef *x = emit_get(e, op_operand(op, 0)), *factors = emit_get(e, op_operand(op, 1));
  LLVMValueRef *out = emit_new(e, op_result(op)), any = emit_rescales(e, op);
  LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(e->builder), emit_block(e, "rescale")},
                    end = emit_block(e, "rescale_end");
  LLVMBuildCondBr(e->builder, any, from[1], end);
  LLVMPositionBuilderAtEnd(e->builder, from[1]);
  for (uint32_t r = 0; r < count; r++) out[r] = LLVMBuildFMul(e->builder, x[r], factors[r], "");
  LLVMBuildBr(e->builder, end);
  LLVMPositionBuilderAtEnd(e->builder, end);
  for (uint32_t r = 0; r < count; r++) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, e->f32, ""), values[] = {x[r], out[r]};
    LLVMAddIncoming(phi, values, from, 2);
    out[r] = phi;
  }
}
