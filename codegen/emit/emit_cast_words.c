// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts on words of two or four elements. A bf16 is the upper half of its fp32. So a shift and a mask give
// both halves of a word. Extracting the upper half and shifting it back would take two instructions.
//
// A fresh cast, also from fp16, is computed where it is in the IR. LLVM does not know that its words equal
// those of an earlier cast. Byte permutations hide this from ptxas too. With shifts and masks, ptxas would
// merge the fresh cast with the first one and keep its result alive in between.
#include "codegen/emit/emit.h"
#include "codegen/nvvm/nvvm.h"

// True if they are elements 2 i and 2 i + 1 of a vector, such as a loaded word.
static bool are_of_word(LLVMValueRef low, LLVMValueRef high) {
  if (!LLVMIsAExtractElementInst(low) || !LLVMIsAExtractElementInst(high)) return false;
  LLVMValueRef first = LLVMGetOperand(low, 1), second = LLVMGetOperand(high, 1);
  if (LLVMGetOperand(low, 0) != LLVMGetOperand(high, 0) || !LLVMIsAConstantInt(first)) return false;
  uint64_t i = LLVMConstIntGetZExtValue(first);
  return i % 2 == 0 && LLVMIsAConstantInt(second) && LLVMConstIntGetZExtValue(second) == i + 1;
}

// The half's two bytes, above two zero bytes.
static LLVMValueRef permuted_half(Emitter *e, LLVMValueRef word, uint32_t half) {
  LLVMValueRef bytes[] = {word, emit_i32(e, 0), emit_i32(e, half ? 0x3244 : 0x1044)};
  return LLVMBuildBitCast(e->builder, nvvm_intrinsic(e, "llvm.nvvm.prmt", NULL, 0, bytes, 3), e->f32, "");
}

static LLVMValueRef half_of(Emitter *e, LLVMValueRef word, LLVMTypeRef type, uint32_t half, bool fresh) {
  if (type == e->bf16 && fresh) return permuted_half(e, word, half);
  if (type == e->bf16) {
    LLVMValueRef bits = half ? LLVMBuildAnd(e->builder, word, emit_i32(e, 0xffff0000u), "")
                             : LLVMBuildShl(e->builder, word, emit_i32(e, 16), "");
    return LLVMBuildBitCast(e->builder, bits, e->f32, "");
  }
  LLVMValueRef pair = LLVMBuildBitCast(e->builder, word, LLVMVectorType(type, 2), "");
  return LLVMBuildFPExt(e->builder, emit_vector_element(e, pair, half), e->f32, "");
}

// True if the function of a reduction or scan is one op and not a comparison.
static bool combines_by_one(const Op *op) {
  const Region *region = op->regions[0];
  return region->first->next == region->last && !op_has(region->first, COMPARE);
}

// True if all users compute with the value. A value that is only passed on may be cast back, and a comparison
// works on bf16 directly. LLVM sees both through a plain cast.
static bool is_computed_with(const Value *value) {
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool combines = op_has(user, COMBINES) && user->kind != OP_SCAN_CARRY;
    if (op_has(user, CONVERTS) || user->kind == OP_SELECT) return false;
    if (combines ? !combines_by_one(user) : !op_has(user, PURE | ELEMENTWISE) || op_has(user, COMPARE))
      return false;
  }
  return true;
}

// The bit of a thread's register number that changes between neighbours in shared memory; -1: none does.
static int bit_in_shared(const Op *store) {
  const Layout *held = op_operand(store, 0)->type->layout, *buffer = op_operand(store, 1)->type->layout;
  for (uint32_t i = 0; i < held->bits[DIM_REGISTER]; i++)
    if (layout_basis(held, DIM_REGISTER, i) == layout_basis(buffer, DIM_OFFSET, 0)) return (int)i;
  return -1;
}

// The same for bytes that go to memory or to an exchange as words, directly or in another shape. -1: not all users move
// them so.
static int bit_in_words(const Value *value) {
  int bit = -1;
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool first = use == &user->operands[0], stored = use == &user->operands[user->kind == OP_STORE];
    int own = -1;
    if (user->kind == OP_RESHAPE || user->kind == OP_TRANS) own = bit_in_words(op_result(user));
    if (user->kind == OP_SHARED_STORE && first) own = bit_in_shared(user);
    if (user->kind == OP_CONVERT_LAYOUT) own = 0;
    if (user->kind == OP_STORE && stored && op_int(user, ATTR_VECTOR, 1) > 1) own = 0;
    if (own < 0 || (bit >= 0 && own != bit)) return -1;
    bit = own;
  }
  return bit;
}

// Casts pairs of numbers to pairs of fp8 by one instruction, if they go on as words.
static bool cast_to_fp8_pairs(Emitter *e, const Op *op, LLVMValueRef *out) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  bool fp8 = type_is_elem(to, ELEM_FP8E4NV) || type_is_elem(to, ELEM_FP8E5);
  bool single =
      type_is_elem(from, ELEM_FP32) || type_is_elem(from, ELEM_FP16) || type_is_elem(from, ELEM_BF16);
  if (!fp8 || !single || !e->target->arch->fp8_ptx) return false;
  int bit = bit_in_words(op_result(op));
  if (bit < 0 || emit_count(to) % (2u << bit)) return false;
  for (uint32_t r = 0, next = 1u << bit; r < emit_count(to); r++) {
    if (r & next) continue;
    LLVMValueRef x = emit_widen(e, emit_register(e, op_operand(op, 0), r));
    LLVMValueRef y = emit_widen(e, emit_register(e, op_operand(op, 0), r + next));
    LLVMValueRef pair = nvvm_to_fp8_pair(e, type_element(to)->elem, x, y);
    LLVMValueRef high = LLVMBuildLShr(e->builder, pair, LLVMConstInt(e->i16, 8, false), "");
    out[r] = LLVMBuildTrunc(e->builder, pair, e->i8, "");
    out[r + next] = LLVMBuildTrunc(e->builder, high, e->i8, "");
  }
  return true;
}

// True if registers r to r + 3 are elements 4 i to 4 i + 3 of a vector, such as a loaded word.
static bool are_bytes_of_word(const Emitter *e, const Value *tile, uint32_t r) {
  for (uint32_t i = 0; i < 4; i++) {
    LLVMValueRef byte = emit_register(e, tile, r + i), first = emit_register(e, tile, r);
    if (!LLVMIsAExtractElementInst(byte) || LLVMGetOperand(byte, 0) != LLVMGetOperand(first, 0)) return false;
    LLVMValueRef index = LLVMGetOperand(byte, 1), start = LLVMGetOperand(first, 1);
    if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) % 4 != i) return false;
    if (LLVMConstIntGetZExtValue(index) != LLVMConstIntGetZExtValue(start) + i) return false;
  }
  return true;
}

static LLVMValueRef word_of_bytes(Emitter *e, const Value *tile, uint32_t r) {
  LLVMValueRef bytes[4];
  for (uint32_t i = 0; i < 4; i++) bytes[i] = emit_register(e, tile, r + i);
  return emit_vector_word(e, bytes, 4);
}

// Two bytes of the word, from byte `first`, as fp16: a byte below the upper byte of 1024 is 1024 + x.
static void bytes_to_fp16(Emitter *e, LLVMValueRef word, uint32_t first, bool is_signed, LLVMValueRef *out) {
  LLVMValueRef half = LLVMConstReal(e->f16, is_signed ? 1152 : 1024), halves[] = {half, half};
  LLVMValueRef bytes[] = {word, emit_i32(e, 0x64), emit_i32(e, first ? 0x4342 : 0x4140)};
  LLVMValueRef above = nvvm_intrinsic(e, "llvm.nvvm.prmt", NULL, 0, bytes, 3);
  above = LLVMBuildBitCast(e->builder, above, LLVMVectorType(e->f16, 2), "");
  above = LLVMBuildFSub(e->builder, above, LLVMConstVector(halves, 2), "");
  emit_elements(e, above, 2, out);
}

// The same as bf16, which has too few bits for such a sum: it is 2^23 + x in fp32.
static void bytes_to_bf16(Emitter *e, LLVMValueRef word, uint32_t first, bool is_signed, LLVMValueRef *out) {
  LLVMValueRef less = LLVMConstReal(e->f32, 0x1p23 + (is_signed ? 128 : 0));
  for (uint32_t i = 0; i < 2; i++) {
    LLVMValueRef bytes[] = {word, emit_i32(e, 0x4b000000u), emit_i32(e, 0x7650 + first + i)};
    LLVMValueRef above = nvvm_intrinsic(e, "llvm.nvvm.prmt", NULL, 0, bytes, 3);
    above = LLVMBuildFSub(e->builder, LLVMBuildBitCast(e->builder, above, e->f32, ""), less, "");
    out[i] = LLVMBuildFPTrunc(e->builder, above, e->bf16, "");
  }
}

// Casts words of 8-bit integers to 16-bit floats. The machine converts integers at a fraction of this rate. Signed
// numbers get 128 more first.
static bool cast_bytes_to_halves(Emitter *e, const Op *op, LLVMValueRef *out) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  bool is_signed = type_is_elem(from, ELEM_I8), fp16 = type_is_elem(to, ELEM_FP16);
  if ((!fp16 && !type_is_elem(to, ELEM_BF16)) || (!is_signed && !type_is_elem(from, ELEM_U8))) return false;
  if (!type_is_tile(to) || emit_count(to) % 4) return false;
  for (uint32_t r = 0; r < emit_count(to); r += 4)
    if (!are_bytes_of_word(e, op_operand(op, 0), r)) return false;
  for (uint32_t r = 0; r < emit_count(to); r += 4) {
    LLVMValueRef word = word_of_bytes(e, op_operand(op, 0), r);
    if (is_signed) word = LLVMBuildXor(e->builder, word, emit_i32(e, 0x80808080u), "");
    for (uint32_t i = 0; i < 4; i += 2)
      (fp16 ? bytes_to_fp16 : bytes_to_bf16)(e, word, i, is_signed, out + r + i);
  }
  return true;
}

// The instruction after both, if they are in the current basic block. NULL: there is none, or they are
// elsewhere.
static LLVMValueRef behind_both(const Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
  if (!LLVMIsAInstruction(x) || !LLVMIsAInstruction(y)) return NULL;
  if (LLVMGetInstructionParent(x) != block || LLVMGetInstructionParent(y) != block) return NULL;
  LLVMValueRef last = x;
  for (LLVMValueRef at = x; at; at = LLVMGetNextInstruction(at))
    if (at == y) last = y;
  return LLVMGetNextInstruction(last);
}

// Casts pairs of fp32 to halves of a word, where the cast is in the IR. Casts of a dot's result follow the
// dot at once.
static bool cast_to_fresh_halves(Emitter *e, const Op *op, LLVMValueRef *out) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  if (!op_attr(op, ATTR_FRESH) || !type_is_elem(from, ELEM_FP32)) return false;
  LLVMTypeRef pair = LLVMVectorType(emit_type(e, type_element(to)), 2);
  const Op *product = op_operand(op, 0)->def;
  bool early = product && product->kind == OP_DOT && product->region == op->region;
  for (uint32_t r = 0; r < emit_count(to); r += 2) {
    LLVMValueRef half[2] = {emit_register(e, op_operand(op, 0), r),
                            emit_register(e, op_operand(op, 0), r + 1)};
    LLVMValueRef next = early ? behind_both(e, half[0], half[1]) : NULL;
    EmitPosition here = {0};
    if (next) here = emit_move_before(e, next);
    for (uint32_t i = 0; i < 2; i++)
      half[i] = LLVMBuildFPTrunc(e->builder, half[i], emit_type(e, type_element(to)), "");
    LLVMValueRef word = LLVMBuildBitCast(e->builder, nvvm_fresh(e, emit_vector_word(e, half, 2)), pair, "");
    emit_elements(e, word, 2, out + r);
    if (next) emit_move_back(e, &here);
  }
  return true;
}

bool emit_cast_words(Emitter *e, const Op *op, LLVMValueRef *out) {
  if (op->kind == OP_CAST &&
      (cast_to_fp8_pairs(e, op, out) || cast_bytes_to_halves(e, op, out) || cast_to_fresh_halves(e, op, out)))
    return true;
  if (op->kind != OP_CAST || !type_is_elem(op_result(op)->type, ELEM_FP32)) return false;
  const Type *from = op_operand(op, 0)->type;
  bool fresh = op_attr(op, ATTR_FRESH) != NULL, bf16 = type_is_elem(from, ELEM_BF16);
  uint32_t count = emit_count(from);
  if (count % 2 != 0 || !(bf16 || (fresh && type_is_elem(from, ELEM_FP16)))) return false;
  if (!fresh && !is_computed_with(op_result(op))) return false;
  for (uint32_t r = 0; r < count; r += 2) {
    LLVMValueRef low = emit_register(e, op_operand(op, 0), r);
    LLVMValueRef high = emit_register(e, op_operand(op, 0), r + 1);
    if (!fresh && !are_of_word(low, high)) return false;
  }
  for (uint32_t r = 0; r < count; r += 2) {
    LLVMValueRef halves[] = {emit_register(e, op_operand(op, 0), r),
                             emit_register(e, op_operand(op, 0), r + 1)};
    LLVMValueRef word = emit_vector_word(e, halves, 2);
    if (fresh) word = nvvm_fresh(e, word);
    for (uint32_t half = 0; half < 2; half++)
      out[r + half] = half_of(e, word, LLVMTypeOf(halves[0]), half, fresh);
  }
  return true;
}
