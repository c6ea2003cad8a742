// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that a tile's elements are at most the maximum that was taken of them (maximum_bound.c).
#ifndef PASSES_ANALYSIS_MAXIMUM_BOUND_H
#define PASSES_ANALYSIS_MAXIMUM_BOUND_H

#include "ir/ir.h"

// True if no element of the tile is above its element of `maxima`, up to rounding.
// `axis`: the dimension that `maxima` does not have; -1: it has 1 element along one dimension.
// `*factor`: NULL, or a scalar of floats. The result holds only if that scalar is not negative.
bool maximum_bounds(const Value *maxima, const Value *tile, int64_t axis, Value **factor);

#endif
