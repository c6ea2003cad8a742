// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of one dimension whose element i is computed from i alone, made anew for other i: for passes that
// touch elements beside a tile's own.
#ifndef PASSES_ANALYSIS_INDEX_CLONE_H
#define PASSES_ANALYSIS_INDEX_CLONE_H

#include "ir/build.h"

// Whether the tile is made of aranges, splats, constants and arithmetic that is defined for every index.
bool index_can_clone(const Value *tile);
// The elements start, start + 1, ... start + n - 1 of that function of the index; what holds is as above.
// Where those are elements of the tile they equal its own.
Value *index_clone(Builder *b, Value *tile, int64_t start, uint32_t n);
// The element `at` of that function, n times.
Value *index_clone_one(Builder *b, Value *tile, int64_t at, uint32_t n);

#endif
