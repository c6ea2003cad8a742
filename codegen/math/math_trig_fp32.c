// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sine, cosine, tangent and arc tangent of fp32.
#include "codegen/math/math_fp32.h"

#include <string.h>
#include "codegen/nvvm/nvvm.h"

// x = n pi/2 + r. pi/2 has three parts of 24 bits, and each is multiplied exactly. n is an integer of at most
// 17 bits.
typedef struct Quarter {
  LLVMValueRef r, n; // n: i32
} Quarter;

static Quarter quarter_of(Emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  const double round = 0x1.8p+23;
  LLVMValueRef rounded = nvvm_fma(e, x, fp32_real(e, 0x1.45f306p-1), fp32_real(e, round));
  LLVMValueRef n = LLVMBuildFSub(b, rounded, fp32_real(e, round), "");
  LLVMValueRef r = nvvm_fma(e, n, fp32_real(e, -0x1.921fb6p+0), x);
  r = nvvm_fma(e, n, fp32_real(e, 0x1.777a5cp-25), r);
  r = nvvm_fma(e, n, fp32_real(e, 0x1.ee59dap-50), r);
  return (Quarter){r, LLVMBuildBitCast(b, rounded, e->i32, "")};
}

static LLVMValueRef bit(Emitter *e, LLVMValueRef n, uint32_t mask) {
  LLVMValueRef masked = LLVMBuildAnd(e->builder, n, emit_i32(e, mask), "");
  return LLVMBuildICmp(e->builder, LLVMIntNE, masked, emit_i32(e, 0), "");
}

// Words i to i + 3 of 2/pi, with i = first in 0 .. 4. Word 0 is zero. The words are selected bit by bit of i.
static void words_of_two_over_pi(Emitter *e, LLVMValueRef first, LLVMValueRef words[4]) {
  static const uint32_t bits[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                  0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef odd = bit(e, first, 1), second = bit(e, first, 2), fourth = bit(e, first, 4), by_one[7];
  for (uint32_t i = 0; i < 7; i++)
    by_one[i] = LLVMBuildSelect(b, odd, emit_i32(e, bits[i + 1]), emit_i32(e, bits[i]), "");
  for (uint32_t i = 0; i < 4; i++) {
    words[i] = LLVMBuildSelect(b, second, by_one[i + 2], by_one[i], "");
    words[i] = LLVMBuildSelect(b, fourth, emit_i32(e, bits[i + 4]), words[i], "");
  }
}

static LLVMValueRef shifted_left(Emitter *e, LLVMValueRef high, LLVMValueRef low, LLVMValueRef by) {
  LLVMValueRef args[] = {high, low, by};
  return nvvm_intrinsic(e, "llvm.fshl", &e->i32, 1, args, 3);
}

static LLVMValueRef extend_to_i64(Emitter *e, LLVMValueRef x) {
  return LLVMBuildZExt(e->builder, x, e->i64, "");
}

static LLVMValueRef upper_word(Emitter *e, LLVMValueRef x) {
  return LLVMBuildLShr(e->builder, x, LLVMConstInt(e->i64, 32, false), "");
}

// For |x| from 2^16 on, by M. Payne and R. Hanek. Uses the 96 bits of 2/pi that matter modulo 4 after
// multiplication with the 24-bit fraction of x. NaN for infinities and NaN.
static Quarter far_quarter_of(Emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef bits = fp32_bits(e, nvvm_magnitude(e, x)), words[4], product[3];
  LLVMValueRef at = LLVMBuildSub(b, LLVMBuildLShr(b, bits, emit_i32(e, 23), ""), emit_i32(e, 120), "");
  words_of_two_over_pi(e, LLVMBuildLShr(b, at, emit_i32(e, 5), ""), words);
  LLVMValueRef fraction = LLVMBuildAnd(b, bits, emit_i32(e, 0x7fffff), "");
  fraction = extend_to_i64(e, LLVMBuildOr(b, fraction, emit_i32(e, 0x800000), ""));
  LLVMValueRef carry = LLVMConstNull(e->i64);
  for (uint32_t i = 3; i-- > 0;) {
    LLVMValueRef part = extend_to_i64(e, shifted_left(e, words[i], words[i + 1], at));
    product[i] = LLVMBuildAdd(b, LLVMBuildMul(b, part, fraction, ""), carry, "");
    carry = upper_word(e, product[i]);
  }
  LLVMValueRef top = LLVMBuildTrunc(b, product[0], e->i32, ""),
               middle = LLVMBuildTrunc(b, product[1], e->i32, "");
  LLVMValueRef low = LLVMBuildTrunc(b, product[2], e->i32, ""), two = emit_i32(e, 2);
  // The top two bits are n. The rest is the fraction, from -1/2 on.
  LLVMValueRef high = shifted_left(e, top, middle, two);
  LLVMValueRef rest = LLVMBuildShl(b, extend_to_i64(e, high), LLVMConstInt(e->i64, 32, false), "");
  rest = LLVMBuildOr(b, rest, extend_to_i64(e, shifted_left(e, middle, low, two)), "");
  LLVMValueRef n = LLVMBuildLShr(b, top, emit_i32(e, 30), "");
  n = LLVMBuildAdd(b, n, LLVMBuildLShr(b, high, emit_i32(e, 31), ""), "");
  LLVMValueRef r = LLVMBuildFMul(b, LLVMBuildSIToFP(b, rest, e->f64, ""),
                                 LLVMConstReal(e->f64, 0x1.921fb54442d18p-64), "");
  r = nvvm_fma(e, x, fp32_real(e, 0), LLVMBuildFPTrunc(b, r, e->f32, ""));
  LLVMValueRef negative = LLVMBuildFCmp(b, LLVMRealOLT, x, fp32_real(e, 0), "");
  r = LLVMBuildSelect(b, negative, LLVMBuildFNeg(b, r, ""), r, "");
  return (Quarter){r, LLVMBuildSelect(b, negative, LLVMBuildNeg(b, n, ""), n, "")};
}

// sin(r + n pi/2).
static LLVMValueRef sine_at(Emitter *e, LLVMValueRef r, LLVMValueRef n) {
  static const float sine[] = {-0x1.555546p-3f, 0x1.110778p-7f, -0x1.9953fcp-13f},
                     cosine[] = {-0.5f, 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e80cp-16f};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef square = LLVMBuildFMul(b, r, r, "");
  LLVMValueRef cube = LLVMBuildFMul(b, square, r, "");
  LLVMValueRef s = nvvm_fma(e, fp32_polynomial(e, square, sine, 3), cube, r);
  LLVMValueRef c = nvvm_fma(e, fp32_polynomial(e, square, cosine, 4), square, fp32_real(e, 1));
  LLVMValueRef y = LLVMBuildSelect(b, bit(e, n, 1), c, s, "");
  LLVMValueRef negated = LLVMBuildFNeg(b, y, "");
  return LLVMBuildSelect(b, bit(e, n, 2), negated, y, "");
}

static LLVMValueRef sine(Emitter *e, LLVMValueRef x, Quarter q) {
  LLVMValueRef zero = LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, fp32_real(e, 0), ""); // -0 too
  return LLVMBuildSelect(e->builder, zero, x, sine_at(e, q.r, q.n), "");
}

static LLVMValueRef cosine(Emitter *e, LLVMValueRef x, Quarter q) {
  (void)x;
  return sine_at(e, q.r, LLVMBuildAdd(e->builder, q.n, emit_i32(e, 1), ""));
}

// r + r^3 c(r^2). If n is odd, its negated inverse.
static LLVMValueRef tangent(Emitter *e, LLVMValueRef x, Quarter q) {
  static const float c[] = {0x1.5554dep-2f, 0x1.112de8p-3f, 0x1.b5859ep-5f,
                            0x1.906d68p-6f, 0x1.96dbf4p-9f, 0x1.33d7e6p-7f};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef square = LLVMBuildFMul(b, q.r, q.r, "");
  LLVMValueRef y = LLVMBuildFMul(b, fp32_polynomial(e, square, c, 6), square, "");
  y = nvvm_fma(e, y, q.r, q.r);
  LLVMValueRef inverse = fp32_reciprocal(e, LLVMBuildFNeg(b, y, ""));
  y = LLVMBuildSelect(b, bit(e, q.n, 1), inverse, y, "");
  LLVMValueRef zero = LLVMBuildFCmp(b, LLVMRealOEQ, x, fp32_real(e, 0), "");
  return LLVMBuildSelect(b, zero, x, y, "");
}

typedef LLVMValueRef (*OfQuarter)(Emitter *e, LLVMValueRef x, Quarter q);

// Fills in the body of a function of x. The range reduction has two branches: below 2^16, and beyond, with
// infinities and NaN.
static void fill(Emitter *e, LLVMValueRef function, OfQuarter of) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef x = LLVMGetParam(function, 0);
  LLVMBasicBlockRef blocks[4]; // entry, near, far, joined
  for (uint32_t i = 0; i < 4; i++) blocks[i] = LLVMAppendBasicBlockInContext(e->context, function, "");
  LLVMPositionBuilderAtEnd(b, blocks[0]);
  LLVMValueRef small = LLVMBuildFCmp(b, LLVMRealOLT, nvvm_magnitude(e, x), fp32_real(e, 0x1p+16), "");
  LLVMBuildCondBr(b, small, blocks[1], blocks[2]);
  LLVMPositionBuilderAtEnd(b, blocks[1]);
  Quarter near = quarter_of(e, x);
  LLVMBuildBr(b, blocks[3]);
  LLVMPositionBuilderAtEnd(b, blocks[2]);
  Quarter far = far_quarter_of(e, x);
  LLVMBuildBr(b, blocks[3]);
  LLVMPositionBuilderAtEnd(b, blocks[3]);
  Quarter q = {LLVMBuildPhi(b, e->f32, ""), LLVMBuildPhi(b, e->i32, "")};
  LLVMAddIncoming(q.r, (LLVMValueRef[]){near.r, far.r}, blocks + 1, 2);
  LLVMAddIncoming(q.n, (LLVMValueRef[]){near.n, far.n}, blocks + 1, 2);
  LLVMBuildRet(b, of(e, x, q));
}

// Calls `name`. It is defined at its first use, and inlined like libclc's functions.
static LLVMValueRef call_defined(Emitter *e, const char *name, OfQuarter of, LLVMValueRef x) {
  LLVMTypeRef type = LLVMFunctionType(e->f32, &e->f32, 1, false);
  LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
  if (!function) {
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(e->builder);
    function = LLVMAddFunction(e->llvm, name, type);
    LLVMSetCurrentDebugLocation2(e->builder, NULL); // outside any subprogram
    fill(e, function, of);
    e->has_library = true;
    LLVMPositionBuilderAtEnd(e->builder, block);
    LLVMSetCurrentDebugLocation2(e->builder, location);
  }
  return LLVMBuildCall2(e->builder, type, function, &x, 1, "");
}

LLVMValueRef fp32_sin(Emitter *e, const LLVMValueRef *x) {
  return call_defined(e, "tilec_sin_fp32", sine, x[0]);
}

LLVMValueRef fp32_cos(Emitter *e, const LLVMValueRef *x) {
  return call_defined(e, "tilec_cos_fp32", cosine, x[0]);
}

LLVMValueRef fp32_tan(Emitter *e, const LLVMValueRef *x) {
  return call_defined(e, "tilec_tan_fp32", tangent, x[0]);
}

// a + a^3 c(a^2) for a = |x|. Beyond 1, pi/2 minus the value for 1 / a.
LLVMValueRef fp32_atan(Emitter *e, const LLVMValueRef *x) {
  static const float c[] = {-0x1.55553ep-2f, 0x1.9991e4p-3f,  -0x1.242086p-3f,
                            0x1.c08c4ep-4f,  -0x1.58091ap-4f, 0x1.da29f6p-5f,
                            -0x1.fd7db2p-6f, 0x1.642422p-7f,  -0x1.d35842p-10f};
  LLVMBuilderRef b = e->builder;
  LLVMValueRef a = nvvm_unary(e, "llvm.fabs", x[0]);
  LLVMValueRef far = LLVMBuildFCmp(b, LLVMRealOGT, a, fp32_real(e, 1), "");
  LLVMValueRef t = LLVMBuildSelect(b, far, fp32_reciprocal(e, a), a, "");
  LLVMValueRef square = LLVMBuildFMul(b, t, t, "");
  LLVMValueRef y = LLVMBuildFMul(b, fp32_polynomial(e, square, c, 9), square, "");
  y = nvvm_fma(e, y, t, t);
  LLVMValueRef beyond = LLVMBuildFSub(b, fp32_real(e, 0x1.921fb6p+0), y, "");
  y = LLVMBuildSelect(b, far, beyond, y, "");
  return fp32_with_sign(e, y, x[0]);
}
