// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CODEGEN_EMIT_EMIT_PAIRS_H
#define CODEGEN_EMIT_EMIT_PAIRS_H

#include "codegen/emit/emit.h"

// True if a thread computes with pairs of the tile's registers where both are treated alike.
bool emit_is_paired(const Emitter *e, const Type *type);
// Emits registers r and r + 1 of a minimum, maximum, select or power into out[0] and out[1]. Returns false with
// nothing done if they are not a pair.
bool emit_both(Emitter *e, const Op *op, uint32_t r, LLVMValueRef *out);
// x[0] and x[1] from the lane that differs by `mask`.
void emit_shuffle_pair(Emitter *e, const LLVMValueRef *x, uint32_t mask, LLVMValueRef *out);

#endif
