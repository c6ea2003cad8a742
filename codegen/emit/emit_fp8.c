// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions to and from fp8. One instruction on sm_89 and newer, integer arithmetic on the bits before
// that.
#include "codegen/emit/emit.h"

#include "codegen/nvvm/nvvm.h"

typedef struct Fp8 {
  uint32_t mantissa, bias, most; // bits; the largest finite value's bits
} Fp8;

static Fp8 format_of(Elem elem) { return elem == ELEM_FP8E4NV ? (Fp8){3, 7, 0x7e} : (Fp8){2, 15, 0x7b}; }

// Values that are too large become the largest one. NaN stays NaN.
static LLVMValueRef saturate(Emitter *e, const Fp8 *f, LLVMValueRef bits, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef word = LLVMBuildBitCast(b, x, e->i32, "");
  LLVMValueRef sign = LLVMBuildAnd(b, LLVMBuildLShr(b, word, emit_i32(e, 24), ""), emit_i32(e, 0x80), "");
  LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
  bits = nvvm_binary(e, "llvm.umin", bits, emit_i32(e, f->most));
  bits = LLVMBuildSelect(b, is_nan, emit_i32(e, 0x7f), bits, "");
  return LLVMBuildTrunc(b, LLVMBuildOr(b, bits, sign, ""), e->i8, "");
}

// fp32 to fp8, to nearest even. A normal result rounds exponent and mantissa as one number, so carries are
// right. A subnormal result is rounded by adding a number with the same last place.
static LLVMValueRef narrow_by_bits(Emitter *e, Elem fp8, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  Fp8 f = format_of(fp8);
  uint32_t shift = 23 - f.mantissa, rebias = (127 - f.bias) << 23, magic = (151 - f.bias - f.mantissa) << 23;
  LLVMValueRef magnitude = LLVMBuildAnd(b, LLVMBuildBitCast(b, x, e->i32, ""), emit_i32(e, 0x7fffffff), "");
  LLVMValueRef moved = LLVMBuildSub(b, magnitude, emit_i32(e, rebias), "");
  LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, moved, emit_i32(e, shift), ""), emit_i32(e, 1), "");
  LLVMValueRef up = LLVMBuildAdd(b, moved, emit_i32(e, (1u << (shift - 1)) - 1), "");
  LLVMValueRef normal = LLVMBuildLShr(b, LLVMBuildAdd(b, up, odd, ""), emit_i32(e, shift), "");
  LLVMValueRef large = LLVMBuildBitCast(b, emit_i32(e, magic), e->f32, "");
  LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildBitCast(b, magnitude, e->f32, ""), large, "");
  LLVMValueRef subnormal = LLVMBuildSub(b, LLVMBuildBitCast(b, sum, e->i32, ""), emit_i32(e, magic), "");
  LLVMValueRef least = emit_i32(e, (128 - f.bias) << 23); // the smallest normal number
  LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntULT, magnitude, least, "");
  return saturate(e, &f, LLVMBuildSelect(b, is_small, subnormal, normal, ""), x);
}

// fp8 to fp16, exactly. An fp8e5 is the upper half of its fp16. An fp8e4nv in that place is too small by 2^8,
// and has one NaN.
static LLVMValueRef widen_by_bits(Emitter *e, Elem fp8, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef wide = LLVMBuildZExt(b, x, e->i16, "");
  if (fp8 == ELEM_FP8E5)
    return LLVMBuildBitCast(b, LLVMBuildShl(b, wide, LLVMConstInt(e->i16, 8, false), ""), e->f16, "");
  LLVMValueRef magnitude = LLVMBuildAnd(b, wide, LLVMConstInt(e->i16, 0x7f, false), "");
  LLVMValueRef sign = LLVMBuildAnd(b, wide, LLVMConstInt(e->i16, 0x80, false), "");
  sign = LLVMBuildShl(b, sign, LLVMConstInt(e->i16, 8, false), "");
  LLVMValueRef placed =
      LLVMBuildOr(b, LLVMBuildShl(b, magnitude, LLVMConstInt(e->i16, 7, false), ""), sign, "");
  LLVMValueRef value =
      LLVMBuildFMul(b, LLVMBuildBitCast(b, placed, e->f16, ""), LLVMConstReal(e->f16, 256), "");
  LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntEQ, magnitude, LLVMConstInt(e->i16, 0x7f, false), "");
  LLVMValueRef nan = LLVMBuildBitCast(b, LLVMConstInt(e->i16, 0x7fff, false), e->f16, "");
  return LLVMBuildSelect(b, is_nan, nan, value, "");
}

LLVMValueRef emit_from_fp8(Emitter *e, Elem fp8, LLVMValueRef x) {
  return e->target->arch->fp8_ptx ? nvvm_from_fp8(e, fp8, x) : widen_by_bits(e, fp8, x);
}

LLVMValueRef emit_to_fp8(Emitter *e, Elem fp8, LLVMValueRef x) {
  return e->target->arch->fp8_ptx ? nvvm_to_fp8(e, fp8, x) : narrow_by_bits(e, fp8, x);
}
