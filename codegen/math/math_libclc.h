// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libclc's functions with corrections, and replacements for some. x: the operands, all fp32 or all fp64.
#ifndef CODEGEN_MATH_MATH_LIBCLC_H
#define CODEGEN_MATH_MATH_LIBCLC_H

#include "codegen/emitter.h"

// Odd functions. libclc's fp64 versions return 0 for -0.
LLVMValueRef math_expm1(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_asin(Emitter *e, const LLVMValueRef *x);
// For fp64 only: math_fp32.h has the fp32 versions.
LLVMValueRef math_sin(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_tan(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_atan(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_erf(Emitter *e, const LLVMValueRef *x);
// A zero of sinpi has the argument's sign. A zero of cospi is positive (IEEE 754).
LLVMValueRef math_sinpi(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_cospi(Emitter *e, const LLVMValueRef *x);
// For fp16 and bf16 too.
LLVMValueRef math_fmod(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_remainder(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_lgamma(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_tgamma(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_pow(Emitter *e, const LLVMValueRef *x);

#endif
