// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CODEGEN_EMIT_EMIT_PAIRS_H
#define CODEGEN_EMIT_EMIT_PAIRS_H

#include "codegen/emit/emit.h"

// Whether a thread's registers of the tile are computed with by twos where they go the same way.
bool emit_is_paired(const Emitter *e, const Type *type);
// Registers r and r + 1 of a minimum, maximum or choice into out[0] and out[1]; false, with nothing done, where
// they are no pair.
bool emit_both(Emitter *e, const Op *op, uint32_t r, LLVMValueRef *out);
// x[0] and x[1] of the lane that differs by `mask`.
void emit_shuffle_pair(Emitter *e, const LLVMValueRef *x, uint32_t mask, LLVMValueRef *out);

#endif
