// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that depend on only one index, for passes that create address and mask arithmetic.
#ifndef PASSES_ANALYSIS_TILE_INDEX_H
#define PASSES_ANALYSIS_TILE_INDEX_H

#include "ir/build.h"

// Puts a one-dimensional tile along dimension `dim` of a tile of `shape`. It is the same for all other indices.
Value *tile_along(Builder *b, Value *x, uint32_t dim, uint32_t rank, const uint32_t *shape);

#endif
