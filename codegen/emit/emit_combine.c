// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combining by a region, and moving values of any type between lanes in words of 32 bits.
#include "codegen/emit/emit_combine.h"

#include "base/fault.h"
#include "codegen/nvvm/nvvm.h"

void emit_combine(Emitter *e, const Op *op, const LLVMValueRef *a, const LLVMValueRef *b, LLVMValueRef *out) {
  Region *region = op->regions[0];
  uint32_t count = region->arg_count / 2;
  for (uint32_t i = 0; i < count; i++) {
    emit_new(e, region->args[i])[0] = a[i];
    emit_new(e, region->args[count + i])[0] = b[i];
  }
  const Op *yield = emit_region(e, region);
  if (!yield) BUG("the region of %s does not yield", op_info(op->kind)->name);
  for (uint32_t i = 0; i < count; i++) out[i] = emit_register(e, op_operand(yield, i), 0);
}

typedef struct Shuffle {
  uint32_t mask;     // XORed to the lane
  LLVMValueRef lane; // if not NULL, that lane
} Shuffle;

static LLVMValueRef shuffle_word(Emitter *e, LLVMValueRef word, const Shuffle *shuffle) {
  return shuffle->lane ? nvvm_shuffle(e, word, shuffle->lane) : nvvm_shuffle_xor(e, word, shuffle->mask);
}

static LLVMValueRef shuffle_bits(Emitter *e, LLVMValueRef bits, const Shuffle *shuffle) {
  LLVMTypeRef type = LLVMTypeOf(bits);
  if (LLVMGetIntTypeWidth(type) <= 32) {
    LLVMValueRef word = LLVMBuildZExt(e->builder, bits, e->i32, "");
    return LLVMBuildTrunc(e->builder, shuffle_word(e, word, shuffle), type, "");
  }
  LLVMTypeRef pair = LLVMVectorType(e->i32, 2);
  LLVMValueRef words = LLVMBuildBitCast(e->builder, bits, pair, "");
  for (uint32_t i = 0; i < 2; i++) {
    LLVMValueRef word = LLVMBuildExtractElement(e->builder, words, emit_i32(e, i), "");
    words = LLVMBuildInsertElement(e->builder, words, shuffle_word(e, word, shuffle), emit_i32(e, i), "");
  }
  return LLVMBuildBitCast(e->builder, words, type, "");
}

static uint32_t float_bits(const Emitter *e, LLVMTypeRef type) {
  return type == e->f64 ? 64 : type == e->f32 ? 32 : 16;
}

static LLVMValueRef shuffle_value(Emitter *e, LLVMValueRef x, const Shuffle *shuffle) {
  LLVMTypeRef type = LLVMTypeOf(x);
  if (type == e->ptr) {
    LLVMValueRef bits = shuffle_bits(e, LLVMBuildPtrToInt(e->builder, x, e->i64, ""), shuffle);
    return LLVMBuildIntToPtr(e->builder, bits, type, "");
  }
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) return shuffle_bits(e, x, shuffle);
  LLVMTypeRef integer = LLVMIntTypeInContext(e->context, float_bits(e, type));
  LLVMValueRef bits = shuffle_bits(e, LLVMBuildBitCast(e->builder, x, integer, ""), shuffle);
  return LLVMBuildBitCast(e->builder, bits, type, "");
}

LLVMValueRef emit_shuffle_xor(Emitter *e, LLVMValueRef x, uint32_t mask) {
  return mask ? shuffle_value(e, x, &(Shuffle){.mask = mask}) : x;
}

LLVMValueRef emit_shuffle_from(Emitter *e, LLVMValueRef x, LLVMValueRef lane) {
  return shuffle_value(e, x, &(Shuffle){.lane = lane});
}
