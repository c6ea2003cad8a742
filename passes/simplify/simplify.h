// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of simplify; simplify.c has the pass.
#ifndef PASSES_SIMPLIFY_SIMPLIFY_H
#define PASSES_SIMPLIFY_SIMPLIFY_H

#include "ir/build.h"
#include "ir/fold_number.h"
#include "passes/passes.h"

// Folds a pure op with constant operands to a new constant placed before it. NULL if it does not fold.
Value *fold_op(Op *op);

// An equal but simpler value for the op's result. It is an existing value, or the result of new ops placed before the
// op. NULL if there is none. May also put the op's operands into canonical order, and then sets *changed.
Value *canonical_value(Op *op, bool *changed);

// True if type `to` holds every value of type `from`, so that the cast loses nothing.
bool cast_is_exact(Elem from, Elem to);

// Replaces ops by equal earlier ones, in regions where those are visible. The later ops are erased.
bool merge_common(Arena *scratch, Func *func, Region *region);

#endif
