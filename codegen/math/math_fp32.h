// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of fp32 in a few instructions without branches: a reduction, a polynomial of our own, and the
// hardware's ex2.approx and rcp.approx where they help. tests/accuracy measures them.
//
// The polynomials are minimax fits of relative error (Lawson's iteration at 1500 Chebyshev points), rounded
// to fp32 one coefficient after another, the remaining ones fitted again.
#ifndef CODEGEN_MATH_MATH_FP32_H
#define CODEGEN_MATH_MATH_FP32_H

#include "codegen/emitter.h"

// c[0] + c[1] x + ... + c[n - 1] x^(n - 1), n >= 2
LLVMValueRef fp32_polynomial(Emitter *e, LLVMValueRef x, const float *c, uint32_t n);
LLVMValueRef fp32_real(const Emitter *e, double value);
LLVMValueRef fp32_reciprocal(Emitter *e, LLVMValueRef x); // off by 1 ulp at most; denormals are 0

// One instruction each.
LLVMValueRef fp32_magnitude(Emitter *e, LLVMValueRef x);
LLVMValueRef fp32_negated(Emitter *e, LLVMValueRef x);
LLVMValueRef fp32_sum(Emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef fp32_difference(Emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef fp32_product(Emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef fp32_choose(Emitter *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef fp32_compare(Emitter *e, LLVMRealPredicate predicate, LLVMValueRef x, double y);
// x is not negative, or has that sign already.
LLVMValueRef fp32_with_sign(Emitter *e, LLVMValueRef x, LLVMValueRef of);
LLVMValueRef fp32_root(Emitter *e, LLVMValueRef x); // sqrt.approx.f32: off by 2^-23; keeps denormals
LLVMValueRef fp32_bits(Emitter *e, LLVMValueRef x);
LLVMValueRef fp32_of_bits(Emitter *e, LLVMValueRef bits);

// x[0] is the argument.
LLVMValueRef fp32_exp(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_exp_approx(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_exp_flushed(Emitter *e, const LLVMValueRef *x); // as fp32_exp_approx, below 2^-126 0
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
// From 2^16 on the argument is reduced otherwise, behind a branch.
LLVMValueRef fp32_sin(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_cos(Emitter *e, const LLVMValueRef *x);
LLVMValueRef fp32_tan(Emitter *e, const LLVMValueRef *x);

#endif
