// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of a loop whose values pass through other ops before a dot (pipeline_computed.c).
#ifndef PASSES_PIPELINE_PIPELINE_COMPUTED_H
#define PASSES_PIPELINE_PIPELINE_COMPUTED_H

#include "passes/passes.h"

// A shared-memory slot for the load's tile. Each thread reads back what it copied. Registers that are adjacent in
// global memory are adjacent in the slot, then lanes, then warps. So neither access has bank conflicts. NULL: cp.async
// cannot copy it.
const Type *computed_slot(IrContext *ir, const Op *load);

#endif
