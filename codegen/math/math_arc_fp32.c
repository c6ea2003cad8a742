// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inverse functions, the cube root and hypot of fp32, without branches.
#include "codegen/math/math_fp32.h"

#include <math.h>
#include "codegen/nvvm/nvvm.h"

// The square root of z, nearly exact: rsqrt.approx and one Newton step. NaN below 0; not for infinity.
static LLVMValueRef refined_root(Emitter *e, LLVMValueRef z) {
  LLVMValueRef inverse = nvvm_call(e, "llvm.nvvm.rsqrt.approx.ftz.f", z), root = fp32_product(e, z, inverse);
  LLVMValueRef rest = nvvm_fma(e, fp32_negated(e, root), root, z);
  LLVMValueRef refined = nvvm_fma(e, rest, fp32_product(e, inverse, fp32_real(e, 0.5)), root);
  return fp32_choose(e, fp32_compare(e, LLVMRealOEQ, z, 0), z, refined);
}

// For a = |x|: asin(a), or where `far` is true asin(sqrt((1 - a) / 2)), which is half of acos(a).
typedef struct Arc {
  LLVMValueRef part, far;
} Arc;

static Arc arc_of(Emitter *e, LLVMValueRef a) {
  static const float c[] = {0x1.555728p-3f, 0x1.3296eap-4f, 0x1.7e780cp-5f, 0x1.2f3c2ap-6f, 0x1.a3824ap-5f};
  LLVMValueRef far = fp32_compare(e, LLVMRealOGT, a, 0.5625);
  LLVMValueRef rest = nvvm_fma(e, a, fp32_real(e, -0.5), fp32_real(e, 0.5));
  LLVMValueRef z = fp32_choose(e, far, rest, fp32_product(e, a, a));
  LLVMValueRef s = fp32_choose(e, far, refined_root(e, rest), a);
  LLVMValueRef tail = fp32_product(e, fp32_polynomial(e, z, c, 5), z);
  return (Arc){nvvm_fma(e, tail, s, s), far};
}

static const double HALF_PI = 0x1.921fb6p+0, REST_OF_HALF_PI = -0x1.777a5cp-25;

LLVMValueRef fp32_asin(Emitter *e, const LLVMValueRef *x) {
  Arc arc = arc_of(e, nvvm_magnitude(e, x[0]));
  LLVMValueRef far = nvvm_fma(e, arc.part, fp32_real(e, -2), fp32_real(e, HALF_PI));
  far = fp32_sum(e, far, fp32_real(e, REST_OF_HALF_PI));
  return fp32_with_sign(e, fp32_choose(e, arc.far, far, arc.part), x[0]);
}

// base - factor * part: pi / 2 - asin(x). Where `far` is true, 2 part for positive x and pi - 2 part for
// negative x.
LLVMValueRef fp32_acos(Emitter *e, const LLVMValueRef *x) {
  Arc arc = arc_of(e, nvvm_magnitude(e, x[0]));
  LLVMValueRef positive = fp32_compare(e, LLVMRealOGT, x[0], 0), zero = fp32_real(e, 0);
  LLVMValueRef base = fp32_choose(e, positive, zero, fp32_real(e, 2 * HALF_PI));
  base = fp32_choose(e, arc.far, base, fp32_real(e, HALF_PI));
  LLVMValueRef rest = fp32_choose(e, positive, zero, fp32_real(e, 2 * REST_OF_HALF_PI));
  rest = fp32_choose(e, arc.far, rest, fp32_real(e, REST_OF_HALF_PI));
  LLVMValueRef part = fp32_choose(e, arc.far, fp32_product(e, arc.part, fp32_real(e, -2)), arc.part);
  part = fp32_choose(e, positive, fp32_negated(e, part), part); // 2 part for a far and positive x
  return fp32_sum(e, fp32_sum(e, base, part), rest);
}

// From 2^30 on, asinh(a) and acosh(a) are log(2 a).
static LLVMValueRef log_of_sum(Emitter *e, LLVMValueRef a, LLVMValueRef less_one) {
  LLVMValueRef large = fp32_compare(e, LLVMRealOGT, a, 0x1p+30),
               args[] = {fp32_choose(e, large, a, less_one)};
  LLVMValueRef more = fp32_choose(e, large, fp32_real(e, 0x1.62e43p-1), fp32_real(e, 0));
  return fp32_sum(e, fp32_log1p(e, args), more);
}

// log1p(a + a^2 / (1 + sqrt(1 + a^2)))
LLVMValueRef fp32_asinh(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef a = nvvm_magnitude(e, x[0]), one = fp32_real(e, 1);
  LLVMValueRef root = nvvm_call(e, "llvm.nvvm.sqrt.approx.ftz.f", nvvm_fma(e, a, a, one));
  LLVMValueRef inverse = fp32_reciprocal(e, fp32_sum(e, root, one));
  LLVMValueRef y = log_of_sum(e, a, nvvm_fma(e, fp32_product(e, a, inverse), a, a));
  return fp32_with_sign(e, y, x[0]);
}

// log1p(t + sqrt(t^2 + 2 t)), t = x - 1
LLVMValueRef fp32_acosh(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef t = fp32_sum(e, x[0], fp32_real(e, -1));
  LLVMValueRef square = nvvm_fma(e, t, t, fp32_sum(e, t, t));
  LLVMValueRef root = nvvm_call(e, "llvm.nvvm.sqrt.approx.ftz.f", square);
  LLVMValueRef y = log_of_sum(e, x[0], fp32_sum(e, t, root));
  return fp32_choose(e, fp32_compare(e, LLVMRealOLT, x[0], 1), fp32_real(e, (double)NAN), y);
}

// log1p(2 a / (1 - a)) / 2
LLVMValueRef fp32_atanh(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef a = nvvm_magnitude(e, x[0]);
  LLVMValueRef inverse = fp32_reciprocal(e, fp32_difference(e, fp32_real(e, 1), a));
  LLVMValueRef args[] = {fp32_product(e, fp32_sum(e, a, a), inverse)};
  LLVMValueRef y = fp32_product(e, fp32_log1p(e, args), fp32_real(e, 0.5));
  y = fp32_choose(e, fp32_compare(e, LLVMRealOGT, a, 1), fp32_real(e, (double)NAN), y);
  return fp32_with_sign(e, y, x[0]);
}

// 2^(log2(a) / 3), and one Newton step.
LLVMValueRef fp32_cbrt(Emitter *e, const LLVMValueRef *x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef a = nvvm_magnitude(e, x[0]), small = fp32_compare(e, LLVMRealOLT, a, 0x1p-126);
  LLVMValueRef bits = fp32_bits(e, a);
  a = fp32_choose(e, small, fp32_product(e, a, fp32_real(e, 0x1p+24)), a);
  LLVMValueRef log = nvvm_call(e, "llvm.nvvm.lg2.approx.ftz.f", a);
  LLVMValueRef y = nvvm_exp2_ftz(e, fp32_product(e, log, fp32_real(e, 1.0 / 3)));
  LLVMValueRef square = fp32_product(e, y, y);
  LLVMValueRef inverse = fp32_reciprocal(e, fp32_product(e, square, fp32_real(e, 3)));
  LLVMValueRef rest = nvvm_fma(e, fp32_negated(e, square), y, a);
  y = nvvm_fma(e, rest, inverse, y);
  y = fp32_choose(e, small, fp32_product(e, y, fp32_real(e, 0x1p-8)), y);
  y = fp32_with_sign(e, y, x[0]);
  // 0, infinity and NaN are returned unchanged.
  LLVMValueRef less_one = LLVMBuildSub(b, bits, emit_i32(e, 1), "");
  LLVMValueRef number = LLVMBuildICmp(b, LLVMIntULT, less_one, emit_i32(e, 0x7f7fffff), "");
  return fp32_choose(e, number, y, fp32_sum(e, x[0], x[0]));
}

// Scales both by the power of two that brings the larger into 1 to 4; less for the smallest numbers.
LLVMValueRef fp32_hypot(Emitter *e, const LLVMValueRef *x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef a = nvvm_magnitude(e, x[0]), c = nvvm_magnitude(e, x[1]);
  LLVMValueRef most = nvvm_binary(e, "llvm.maxnum", a, c);
  LLVMValueRef exponent = LLVMBuildAnd(b, fp32_bits(e, most), emit_i32(e, 0x7f800000), "");
  exponent = nvvm_binary(e, "llvm.umin", exponent, emit_i32(e, 0x7e800000));
  exponent = nvvm_binary(e, "llvm.umax", exponent, emit_i32(e, 0x00800000));
  LLVMValueRef scale = fp32_of_bits(e, LLVMBuildSub(b, emit_i32(e, 0x7f000000), exponent, ""));
  a = fp32_product(e, a, scale), c = fp32_product(e, c, scale);
  LLVMValueRef square = nvvm_fma(e, a, a, fp32_product(e, c, c));
  LLVMValueRef root = nvvm_call(e, "llvm.nvvm.sqrt.approx.ftz.f", square);
  root = fp32_product(e, root, fp32_of_bits(e, exponent));
  // hypot of infinity and NaN is infinity.
  LLVMValueRef infinite = fp32_compare(e, LLVMRealOEQ, most, (double)INFINITY);
  return fp32_choose(e, infinite, most, root);
}
