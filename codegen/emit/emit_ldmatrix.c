// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared_load {ldmatrix}, split into instructions by ir/layout/ldmatrix.h.
#include "base/fault.h"
#include "codegen/emit/emit_dot.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/layout/ldmatrix.h"

// The tile's register for element i of the word of matrix m of instruction r.
static uint32_t register_of(const LdmatrixPlan *plan, uint32_t r, uint32_t m, uint32_t i) {
  uint32_t result = i;
  for (uint32_t b = 0; b < plan->matrices_bits; b++) result |= (m >> b & 1) << plan->matrix_at[b];
  for (uint32_t b = 0; b < plan->rest_bits; b++) result |= (r >> b & 1) << plan->rest_at[b];
  return result;
}

static void scatter_word(Emitter *e, const LdmatrixPlan *plan, LLVMTypeRef element, LLVMValueRef word,
                         uint32_t r, uint32_t m, LLVMValueRef *out) {
  uint32_t count = 1u << plan->word_bits;
  LLVMValueRef vector =
      LLVMBuildBitCast(e->builder, word, count == 1 ? element : LLVMVectorType(element, count), "");
  for (uint32_t i = 0; i < count; i++)
    out[register_of(plan, r, m, i)] =
        count == 1 ? vector : LLVMBuildExtractElement(e->builder, vector, emit_i32(e, i), "");
}

void emit_ldmatrix(Emitter *e, Op *op) {
  LdmatrixPlan plan;
  if (!ldmatrix_plan(op, &plan)) BUG("a shared_load that is not an ldmatrix");
  static const char *const names[2][3] = {{"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16",
                                           "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16",
                                           "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"},
                                          {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16",
                                           "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16",
                                           "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16"}};
  const Value *buffer = op_operand(op, 0), *result = op_result(op);
  emit_needs_ptx(e, 65);
  LLVMTypeRef element = emit_memory_type(e, result->type);
  LLVMValueRef base = emit_shared_address(e, buffer), *out = emit_new(e, result);
  const Layout *rows = layout_intern(e->module->ir, &plan.rows);
  uint32_t matrices = 1u << plan.matrices_bits;
  for (uint32_t r = 0; r < 1u << plan.rest_bits; r++) {
    LLVMValueRef index = emit_index(e, rows, r);
    LLVMValueRef pointer = LLVMBuildGEP2(e->builder, element, base, &index, 1, "");
    LLVMTypeRef type = LLVMTypeOf(pointer);
    LLVMValueRef words = nvvm_intrinsic(e, names[plan.transposed][plan.matrices_bits], &type, 1, &pointer, 1);
    for (uint32_t m = 0; m < matrices; m++) {
      LLVMValueRef word = matrices == 1 ? words : LLVMBuildExtractValue(e->builder, words, m, "");
      scatter_word(e, &plan, element, word, r, m, out);
    }
  }
}
