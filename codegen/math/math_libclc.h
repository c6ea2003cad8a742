// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libclc's functions where they need help, and what replaces them. x: the operands, all fp32 or all fp64.
#ifndef CODEGEN_MATH_MATH_LIBCLC_H
#define CODEGEN_MATH_MATH_LIBCLC_H

#include "codegen/emitter.h"

// Odd functions: libclc's of fp64 make 0 of -0.
LLVMValueRef math_expm1(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_asin(Emitter *e, const LLVMValueRef *x);
// These of fp64 alone: math_fp32.h has fp32's.
LLVMValueRef math_sin(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_tan(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_atan(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_erf(Emitter *e, const LLVMValueRef *x);
// Zeros of sinpi have the argument's sign, those of cospi are positive (IEEE 754).
LLVMValueRef math_sinpi(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_cospi(Emitter *e, const LLVMValueRef *x);
// fp16 and bf16 too.
LLVMValueRef math_fmod(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_remainder(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_lgamma(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_tgamma(Emitter *e, const LLVMValueRef *x);
LLVMValueRef math_pow(Emitter *e, const LLVMValueRef *x);

#endif
