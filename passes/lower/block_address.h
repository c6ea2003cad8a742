// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block pointers as scalars: where a block's elements are, and which of them are within the tensor.
#ifndef PASSES_LOWER_BLOCK_ADDRESS_H
#define PASSES_LOWER_BLOCK_ADDRESS_H

#include "ir/build.h"
#include "passes/analysis/axis_info.h"

typedef struct BlockParts {
  uint32_t rank;
  const Op *made; // the make_block_ptr that describes the tensor; NULL: one of several
  Value *pointer; // the block's first element, offsets included
  Value *size[TILE_MAX_RANK], *stride[TILE_MAX_RANK], *offset[TILE_MAX_RANK]; // i64
  // The offset is in 0 .. below - 1. 0: it may be any number.
  uint64_t below[TILE_MAX_RANK];
} BlockParts;

// The value of `below` for an offset, from what is known about it. 0: nothing.
uint64_t block_offset_bound(const AxisTable *axes, const Value *offset);
// The bound after adding 0 .. most. 0 if it is unknown, or too large to exclude wrapping.
uint64_t block_bound_add(uint64_t bound, int64_t most);

// `pointer` moved by `by` in the tensor. `by` has one i64 per dimension.
Value *block_move(Builder *b, Value *pointer, const BlockParts *parts, Value *const *by);
// Pointers to the block's elements. `tile` has the block's shape.
Value *block_pointers(Builder *b, const BlockParts *parts, const Type *tile);
// True where the block's elements are within the tensor, in the dimensions of `checked` (one bit each). NULL:
// everywhere in these dimensions.
Value *block_mask(Builder *b, const BlockParts *parts, const Type *tile, uint32_t checked);
// The same for dimensions along which the block has one element, as a scalar i1. NULL: inside.
Value *block_scalar_mask(Builder *b, const BlockParts *parts, uint32_t checked);
// A tile of zeros. With `nan`, floats are NaN.
Value *block_padding(Builder *b, const Type *tile, bool nan);

#endif
