// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of a loop whose values are computed on before a product (pipeline_computed.c).
#ifndef PASSES_PIPELINE_PIPELINE_COMPUTED_H
#define PASSES_PIPELINE_PIPELINE_COMPUTED_H

#include "passes/passes.h"

// By value id: whether a product of the loop's body hangs on it in the same iteration. Of a numbered function.
uint8_t *find_feeding(Arena *arena, const Func *func, const Op *loop);

// A slot in shared memory for what the load gives, from which each thread reads what it copied there: registers
// that lie side by side in global memory do so in the slot, then lanes, then warps, so that neither has conflicts.
// NULL: cp.async cannot copy it.
const Type *computed_slot(IrContext *ir, const Op *load);

#endif
