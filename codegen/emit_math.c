// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions on one register: own ones where the hardware's instructions are a good start, else
// libclc's.
#include "codegen/emit.h"

#include "codegen/nvvm.h"

static LLVMValueRef real(const Emitter *e, double value) { return LLVMConstReal(e->f32, value); }

// 2^n for n in -126 .. 127, as fp32.
static LLVMValueRef power_of_two(Emitter *e, LLVMValueRef n) {
  LLVMValueRef biased = LLVMBuildAdd(e->builder, n, emit_i32(e, 127), "");
  return LLVMBuildBitCast(e->builder, LLVMBuildShl(e->builder, biased, emit_i32(e, 23), ""), e->f32, "");
}

// e^x = 2^n * 2^f with n = rint(x * log2 e) and f = x * log2 e - n, log2 e in two parts: 0.8 ulp, and what
// ex2.approx adds on
// [-1/2, 1/2]. n is kept within +-160, beyond which f carries x to infinity or 0, NaN too. 2^n is two exact
// factors, so that a denormal result is rounded once.
static LLVMValueRef exp_fp32(Emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  const double log2_e = 0x1.715476p+0, log2_e_low = 0x1.4ae0cp-26, round = 0x1.8p+23;
  LLVMValueRef t = LLVMBuildFMul(b, x, real(e, log2_e), "");
  t = nvvm_binary(e, "llvm.maxnum", t, real(e, -160));
  t = nvvm_binary(e, "llvm.minnum", t, real(e, 160));
  LLVMValueRef rounded = LLVMBuildFAdd(b, t, real(e, round), ""); // its low bits are n
  LLVMValueRef minus_n = LLVMBuildFSub(b, real(e, round), rounded, "");
  LLVMValueRef f = nvvm_fma(e, x, real(e, log2_e), minus_n);
  f = nvvm_fma(e, x, real(e, log2_e_low), f);
  LLVMValueRef bits = LLVMBuildBitCast(b, rounded, e->i32, "");
  LLVMValueRef n = LLVMBuildSub(b, bits, emit_i32(e, 0x4b400000u), "");
  LLVMValueRef half = LLVMBuildAShr(b, n, emit_i32(e, 1), "");
  LLVMValueRef rest = LLVMBuildSub(b, n, half, "");
  LLVMValueRef y = LLVMBuildFMul(b, nvvm_exp2_ftz(e, f), power_of_two(e, half), "");
  return LLVMBuildFMul(b, y, power_of_two(e, rest), "");
}

LLVMValueRef emit_exp(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)op;
  if (LLVMTypeOf(x[0]) == e->f64) return emit_libclc(e, "_Z3expd", e->f64, x, 1);
  return exp_fp32(e, x[0]);
}

// fmod is exact, so the wider type's result is the narrower one's too.
LLVMValueRef emit_float_rem(Emitter *e, const Op *op, const LLVMValueRef *x) {
  LLVMTypeRef type = emit_type(e, op_result(op)->type);
  LLVMValueRef wide[2];
  for (uint32_t i = 0; i < 2; i++) wide[i] = LLVMBuildFPCast(e->builder, x[i], e->f64, "");
  return LLVMBuildFPCast(e->builder, emit_libclc(e, "_Z4fmoddd", e->f64, wide, 2), type, "");
}
