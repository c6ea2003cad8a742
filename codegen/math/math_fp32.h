// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fp32 functions in a few instructions without branches. They use a range reduction and our own polynomial.
// Where it helps, they use the hardware's ex2.approx and rcp.approx. tests/accuracy measures them.
//
// The polynomials are minimax fits of the relative error (Lawson's iteration at 1500 Chebyshev points).
// Coefficients are rounded to fp32 one after another, and the remaining ones are fitted again.
#ifndef CODEGEN_MATH_MATH_FP32_H
#define CODEGEN_MATH_MATH_FP32_H

#include "codegen/emitter.h"

// c[0] + c[1] x + ... + c[n - 1] x^(n - 1), n >= 2. x: a number, or a vector.
LLVMValueRef fp32_polynomial(Emitter *e, LLVMValueRef x, const float *c, uint32_t n);
LLVMValueRef fp32_real(const Emitter *e, double value);
LLVMValueRef fp32_reciprocal(Emitter *e, LLVMValueRef x); // error at most 1 ulp; denormals give 0

// One instruction each.
LLVMValueRef fp32_negated(Emitter *e, LLVMValueRef x);
LLVMValueRef fp32_sum(Emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef fp32_difference(Emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef fp32_product(Emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef fp32_choose(Emitter *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef fp32_compare(Emitter *e, LLVMRealPredicate predicate, LLVMValueRef x, double y);
// x must not be negative, or must already have that sign.
LLVMValueRef fp32_with_sign(Emitter *e, LLVMValueRef x, LLVMValueRef of);
LLVMValueRef fp32_root(Emitter *e, LLVMValueRef x); // sqrt.approx.f32: error 2^-23; keeps denormals
LLVMValueRef fp32_bits(Emitter *e, LLVMValueRef x);
LLVMValueRef fp32_of_bits(Emitter *e, LLVMValueRef bits);

// 2 to the powers x[0] and x[1], by a polynomial alone: 2.4 u, and 0 below 2^-126. In 16 instructions with pairs of fp32.
void fp32_exp2_pair(Emitter *e, const LLVMValueRef *x, LLVMValueRef *out);

// x[0] is the argument.
LLVMValueRef fp32_exp(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_exp_approx(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_exp_flushed(Emitter *e, const LLVMValueRef *x); // like fp32_exp_approx, but 0 below 2^-126
LLVMValueRef fp32_exp10(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_log(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_log2(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_log10(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_pow(Emitter *e, const LLVMValueRef *x); // to the power x[1]
LLVMValueRef fp32_log1p(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_tanh(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_sinh(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_cosh(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_asin(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_acos(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_asinh(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_acosh(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_atanh(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_cbrt(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_hypot(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_erf(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_erfc(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_atan(Emitter *e, const LLVMValueRef *x);
// From 2^16 on the argument has another range reduction, in a branch.
LLVMValueRef fp32_sin(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_cos(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_tan(Emitter *e, const LLVMValueRef *x);

#endif
