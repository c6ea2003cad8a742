// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combines values by a region and moves them between lanes, for reductions and scans.
#ifndef CODEGEN_EMIT_EMIT_COMBINE_H
#define CODEGEN_EMIT_EMIT_COMBINE_H

#include "codegen/emit/emit.h"

enum { MAX_COMBINED = 16 }; // operands of a reduction or scan

// Applies the region to (a..., b...), `count` values each. out may be a or b.
void emit_combine(Emitter *e, const Op *op, const LLVMValueRef *a, const LLVMValueRef *b, LLVMValueRef *out);
// The value, of any register type, from the lane that differs by `mask`, or from lane `lane` (i32).
LLVMValueRef emit_shuffle_xor(Emitter *e, LLVMValueRef x, uint32_t mask);
LLVMValueRef emit_shuffle_from(Emitter *e, LLVMValueRef x, LLVMValueRef lane);

#endif
