// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of 16-bit integers. Neighbouring registers of a thread that are treated alike are one word. Minima,
// maxima, selects and shuffles of a word take one instruction. Between such ops, LLVM sees that a word is
// unpacked and packed again, and drops both. Also pairs of fp32, for powers of two by a polynomial.
#include "codegen/emit/emit_pairs.h"

#include "codegen/math/math_fp32.h"
#include "codegen/nvvm/asm_call.h"
#include "codegen/emit/emit_combine.h"
#include "codegen/nvvm/nvvm.h"

bool emit_is_paired(const Emitter *e, const Type *type) {
  const Type *element = type_element(type);
  if (!e->target->arch->has_int_pairs || !type_is_tile(type) || element->kind == TYPE_PTR) return false;
  return (element->elem == ELEM_I16 || element->elem == ELEM_U16) && emit_count(type) % 2 == 0;
}

static LLVMValueRef as_word(Emitter *e, LLVMValueRef pair) {
  return LLVMBuildBitCast(e->builder, pair, e->i32, "");
}

void emit_shuffle_pair(Emitter *e, const LLVMValueRef *x, uint32_t mask, LLVMValueRef *out) {
  LLVMValueRef pair = emit_vector(e, x, 2);
  LLVMValueRef word = emit_shuffle_xor(e, as_word(e, pair), mask);
  emit_elements(e, LLVMBuildBitCast(e->builder, word, LLVMTypeOf(pair), ""), 2, out);
}

static void choose_pair(Emitter *e, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b,
                        LLVMValueRef *out) {
  LLVMValueRef second = as_word(e, b), first = as_word(e, a);
  LLVMValueRef word = LLVMBuildSelect(e->builder, condition, first, second, "");
  emit_elements(e, LLVMBuildBitCast(e->builder, word, LLVMTypeOf(a), ""), 2, out);
}

// min and max of .s16x2 and .u16x2: PTX 8.0, section 9.7.1.
static LLVMValueRef extreme_of(Emitter *e, const Op *op, LLVMValueRef a, LLVMValueRef b) {
  enum { PTX_OF_PAIRS = 80 };
  bool is_signed = elem_is_signed(type_element(op_result(op)->type)->elem);
  const char *name = op->kind == OP_MIN ? is_signed ? "min.s16x2 $0, $1, $2;" : "min.u16x2 $0, $1, $2;"
                     : is_signed        ? "max.s16x2 $0, $1, $2;"
                                        : "max.u16x2 $0, $1, $2;";
  emit_needs_ptx(e, PTX_OF_PAIRS);
  LLVMValueRef words[] = {as_word(e, a), as_word(e, b)};
  LLVMValueRef extreme = asm_of_text(e, e->i32, name, "=r,r,r", false, words, 2);
  return LLVMBuildBitCast(e->builder, extreme, LLVMTypeOf(a), "");
}

static bool emit_powers(Emitter *e, const Op *op, uint32_t r, LLVMValueRef *out) {
  const Value *x = op_operand(op, 0);
  fp32_exp2_pair(e, (LLVMValueRef[]){emit_register(e, x, r), emit_register(e, x, r + 1)}, out);
  return true;
}

bool emit_both(Emitter *e, const Op *op, uint32_t r, LLVMValueRef *out) {
  if (op->kind == OP_MATH) return math_has_polynomial(op, r) && emit_powers(e, op, r, out);
  bool extreme = op->kind == OP_MIN || op->kind == OP_MAX;
  if ((!extreme && op->kind != OP_SELECT) || !emit_is_paired(e, op_result(op)->type)) return false;
  uint32_t first = extreme ? 0 : 1;
  LLVMValueRef condition = extreme ? NULL : emit_register(e, op_operand(op, 0), r), pairs[2];
  if (!extreme && condition != emit_register(e, op_operand(op, 0), r + 1)) return false;
  for (uint32_t i = 0; i < 2; i++) {
    const Value *x = op_operand(op, first + i);
    pairs[i] = emit_vector(e, (LLVMValueRef[]){emit_register(e, x, r), emit_register(e, x, r + 1)}, 2);
  }
  if (extreme)
    emit_elements(e, extreme_of(e, op, pairs[0], pairs[1]), 2, out);
  else
    choose_pair(e, condition, pairs[0], pairs[1], out);
  return true;
}
