// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of simplify; simplify.c has the pass.
#ifndef PASSES_SIMPLIFY_SIMPLIFY_H
#define PASSES_SIMPLIFY_SIMPLIFY_H

#include "ir/build.h"
#include "ir/fold_number.h"
#include "passes/passes.h"

// A pure op with constant operands, as a new constant put before it; NULL where it does not fold.
Value *fold_op(Op *op);

// An equal but simpler value for the op's result: an existing one, or one of new ops put before it; NULL
// where there is none. May also put the op's operands into canonical order, which sets *changed.
Value *canonical_value(Op *op, bool *changed);

// Whether every value of type `from` is a value of type `to`, so that casting there loses nothing.
bool cast_is_exact(Elem from, Elem to);

// Makes later ops use the results of equal earlier ones,
// in regions where those are visible; the later ones are erased.
bool merge_common(Arena *scratch, Func *func, Region *region);

#endif
