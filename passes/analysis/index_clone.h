// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-dimensional tiles whose element i depends only on i. They can be computed again for other i. This is for passes
// that touch elements outside a tile's own range.
#ifndef PASSES_ANALYSIS_INDEX_CLONE_H
#define PASSES_ANALYSIS_INDEX_CLONE_H

#include "ir/build.h"

// Returns true if the tile consists of aranges, splats, constants and arithmetic that is defined for every index.
bool index_can_clone(const Value *tile);
// The elements start, start + 1, ... start + n - 1 of that function of the index. index_can_clone must hold. Elements
// that are in the tile equal its own.
Value *index_clone(Builder *b, Value *tile, int64_t start, uint32_t n);
// The element `at` of that function, n times.
Value *index_clone_one(Builder *b, Value *tile, int64_t at, uint32_t n);

#endif
