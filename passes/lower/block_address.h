// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block pointers as scalars: where a block's elements are, and which of them are within the tensor.
#ifndef PASSES_LOWER_BLOCK_ADDRESS_H
#define PASSES_LOWER_BLOCK_ADDRESS_H

#include "ir/build.h"
#include "passes/analysis/axis_info.h"

typedef struct BlockParts {
  uint32_t rank;
  const Op *made; // the make_block_ptr that says the tensor; NULL: one of several
  Value *pointer; // the block's first element, offsets included
  Value *size[TILE_MAX_RANK], *stride[TILE_MAX_RANK], *offset[TILE_MAX_RANK]; // i64
  // The offset is never negative and less than this; 0: it may be anything.
  uint64_t below[TILE_MAX_RANK];
} BlockParts;

// What may be put into `below` for an offset, from what is known of it; 0: nothing.
uint64_t block_offset_bound(const AxisTable *axes, const Value *offset);
// The bound after adding 0 .. most; 0 where it is unknown or too large to be sure that nothing wraps.
uint64_t block_bound_add(uint64_t bound, int64_t most);

// `pointer` moved by `by` (i64, one a dimension) in the tensor.
Value *block_move(Builder *b, Value *pointer, const BlockParts *parts, Value *const *by);
// Pointers to the block's elements; `tile` has its shape.
Value *block_pointers(Builder *b, const BlockParts *parts, const Type *tile);
// Where the block's elements are within the tensor's bounds in the dimensions of `checked` (a bit each);
// NULL: everywhere, so far as they are checked.
Value *block_mask(Builder *b, const BlockParts *parts, const Type *tile, uint32_t checked);
// The same of dimensions along which the block has one element, as a scalar i1; NULL: inside.
Value *block_scalar_mask(Builder *b, const BlockParts *parts, uint32_t checked);
// A tile of zeros, or of NaN where the elements are floats.
Value *block_padding(Builder *b, const Type *tile, bool nan);

#endif
