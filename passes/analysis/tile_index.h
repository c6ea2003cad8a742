// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that hang on one index alone, for passes that make address and mask arithmetic.
#ifndef PASSES_ANALYSIS_TILE_INDEX_H
#define PASSES_ANALYSIS_TILE_INDEX_H

#include "ir/build.h"

// A tile of one dimension put along dimension `dim` of a tile of `shape`, the same at every other index.
Value *tile_along(Builder *b, Value *x, uint32_t dim, uint32_t rank, const uint32_t *shape);

#endif
