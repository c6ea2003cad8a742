// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts that stand where they are done: fp16 and bf16 to fp32 by words of two, of which LLVM does not know
// that they are those that were cast before. A bf16 is the upper half of its fp32.
#include "codegen/emit.h"
#include "codegen/nvvm.h"

static LLVMValueRef word_of(Emitter *e, LLVMValueRef low, LLVMValueRef high) {
  LLVMValueRef pair = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(low), 2));
  pair = LLVMBuildInsertElement(e->builder, pair, low, emit_i32(e, 0), "");
  pair = LLVMBuildInsertElement(e->builder, pair, high, emit_i32(e, 1), "");
  return nvvm_fresh(e, LLVMBuildBitCast(e->builder, pair, e->i32, ""));
}

static LLVMValueRef half_of(Emitter *e, LLVMValueRef word, LLVMTypeRef type, uint32_t half) {
  if (type == e->bf16) {
    LLVMValueRef bits = half ? LLVMBuildAnd(e->builder, word, emit_i32(e, 0xffff0000u), "")
                             : LLVMBuildShl(e->builder, word, emit_i32(e, 16), "");
    return LLVMBuildBitCast(e->builder, bits, e->f32, "");
  }
  LLVMValueRef pair = LLVMBuildBitCast(e->builder, word, LLVMVectorType(type, 2), "");
  LLVMValueRef x = LLVMBuildExtractElement(e->builder, pair, emit_i32(e, half), "");
  return LLVMBuildFPExt(e->builder, x, e->f32, "");
}

bool emit_fresh_cast(Emitter *e, const Op *op, LLVMValueRef *out) {
  const Type *from = op_operand(op, 0)->type;
  bool halves = type_is_elem(from, ELEM_FP16) || type_is_elem(from, ELEM_BF16);
  if (op->kind != OP_CAST || !op_attr(op, ATTR_FRESH) || !halves) return false;
  uint32_t count = emit_count(from);
  if (count % 2 != 0 || !type_is_elem(op_result(op)->type, ELEM_FP32)) return false;
  for (uint32_t r = 0; r < count; r += 2) {
    LLVMValueRef low = emit_register(e, op_operand(op, 0), r);
    LLVMValueRef high = emit_register(e, op_operand(op, 0), r + 1);
    LLVMValueRef word = word_of(e, low, high);
    for (uint32_t half = 0; half < 2; half++) out[r + half] = half_of(e, word, LLVMTypeOf(low), half);
  }
  return true;
}
