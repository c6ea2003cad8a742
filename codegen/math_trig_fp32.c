// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sine, cosine, tangent and arc tangent of fp32.
#include "codegen/math_fp32.h"

#include <string.h>
#include "codegen/nvvm.h"

// x = n pi/2 + r: exact products, pi/2 in three parts of 24 bits. n is whole and of at most 17 bits.
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
  return LLVMBuildSelect(b, bit(e, n, 2), LLVMBuildFNeg(b, y, ""), y, "");
}

static LLVMValueRef sine(Emitter *e, LLVMValueRef x) {
  Quarter q = quarter_of(e, x);
  LLVMValueRef zero = LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, fp32_real(e, 0), ""); // -0 too
  return LLVMBuildSelect(e->builder, zero, x, sine_at(e, q.r, q.n), "");
}

static LLVMValueRef cosine(Emitter *e, LLVMValueRef x) {
  Quarter q = quarter_of(e, x);
  return sine_at(e, q.r, LLVMBuildAdd(e->builder, q.n, emit_i32(e, 1), ""));
}

// r + r^3 c(r^2), its inverse negated where n is odd.
static LLVMValueRef tangent(Emitter *e, LLVMValueRef x) {
  static const float c[] = {0x1.5554dep-2f, 0x1.112de8p-3f, 0x1.b5859ep-5f,
                            0x1.906d68p-6f, 0x1.96dbf4p-9f, 0x1.33d7e6p-7f};
  LLVMBuilderRef b = e->builder;
  Quarter q = quarter_of(e, x);
  LLVMValueRef square = LLVMBuildFMul(b, q.r, q.r, "");
  LLVMValueRef y = LLVMBuildFMul(b, fp32_polynomial(e, square, c, 6), square, "");
  y = nvvm_fma(e, y, q.r, q.r);
  LLVMValueRef inverse = fp32_reciprocal(e, LLVMBuildFNeg(b, y, ""));
  y = LLVMBuildSelect(b, bit(e, q.n, 1), inverse, y, "");
  LLVMValueRef zero = LLVMBuildFCmp(b, LLVMRealOEQ, x, fp32_real(e, 0), "");
  return LLVMBuildSelect(b, zero, x, y, "");
}

typedef LLVMValueRef (*NearFn)(Emitter *e, LLVMValueRef x);

// The body of `name`: near(x) below 2^16, libclc's function beyond, infinities and NaN too.
static void fill(Emitter *e, LLVMValueRef function, const char *libclc, NearFn near) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef x = LLVMGetParam(function, 0);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, function, "");
  LLVMBasicBlockRef fast = LLVMAppendBasicBlockInContext(e->context, function, "");
  LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(e->context, function, "");
  LLVMPositionBuilderAtEnd(b, entry);
  LLVMValueRef size = nvvm_unary(e, "llvm.fabs", x);
  LLVMBuildCondBr(b, LLVMBuildFCmp(b, LLVMRealOLT, size, fp32_real(e, 0x1p+16), ""), fast, slow);
  LLVMPositionBuilderAtEnd(b, fast);
  LLVMBuildRet(b, near(e, x));
  LLVMPositionBuilderAtEnd(b, slow);
  LLVMBuildRet(b, emit_libclc(e, libclc, e->f32, &x, 1));
}

// A call of `name`, which is defined at its first use and inlined as libclc's functions are.
static LLVMValueRef call_defined(Emitter *e, const char *name, const char *libclc, NearFn near,
                                 LLVMValueRef x) {
  LLVMTypeRef type = LLVMFunctionType(e->f32, &e->f32, 1, false);
  LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
  if (!function) {
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(e->builder);
    function = LLVMAddFunction(e->llvm, name, type);
    LLVMSetCurrentDebugLocation2(e->builder, NULL); // of no subprogram
    fill(e, function, libclc, near);
    LLVMPositionBuilderAtEnd(e->builder, block);
    LLVMSetCurrentDebugLocation2(e->builder, location);
  }
  return LLVMBuildCall2(e->builder, type, function, &x, 1, "");
}

LLVMValueRef fp32_sin(Emitter *e, const LLVMValueRef *x) {
  return call_defined(e, "tilec_sin_fp32", "_Z3sinf", sine, x[0]);
}

LLVMValueRef fp32_cos(Emitter *e, const LLVMValueRef *x) {
  return call_defined(e, "tilec_cos_fp32", "_Z3cosf", cosine, x[0]);
}

LLVMValueRef fp32_tan(Emitter *e, const LLVMValueRef *x) {
  return call_defined(e, "tilec_tan_fp32", "_Z3tanf", tangent, x[0]);
}

// a + a^3 c(a^2) of a = |x|, beyond 1 pi/2 less that of 1 / a.
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
  return nvvm_binary(e, "llvm.copysign", y, x[0]);
}
