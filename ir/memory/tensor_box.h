// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of tensor copies: what one instruction brings, and which buffers a few of them fill. PTX ISA 5.5.
#ifndef IR_MEMORY_TENSOR_BOX_H
#define IR_MEMORY_TENSOR_BOX_H

#include "ir/ir.h"

enum {
  TENSOR_COPY_BYTES = 16, // what divides a map's address, strides and innermost coordinates
  TENSOR_BOX_MOST = 256,  // elements of a box's dimension
  TENSOR_SIZE_MOST =
      INT32_MAX - 255, // of a tensor's dimension: a coordinate there is outside, and of 32 bits
};

typedef struct TensorBox {
  uint32_t rank;
  uint32_t shape[TILE_MAX_RANK]; // elements, outermost first
  uint32_t swizzle;              // bytes: within so many 16-byte chunks change places
  uint32_t count;                // boxes that fill the buffer, side by side along the last dimension
  uint32_t bytes;                // of one
  uint32_t distance;             // in the buffer, from where one begins to where the next one does
} TensorBox;

// The boxes that fill a shared buffer, a matrix whose last dimension counts upwards in memory. False: its layout
// is none that tensor copies write.
bool layout_tma_box(const Type *buffer, TensorBox *box);
// No more than these: `count` boxes, of their first rows.
void tensor_box_trim(TensorBox *box, uint32_t rows, uint32_t count);
// The boxes that a tma_copy or tma_store moves: of its map's rows.
bool tensor_op_box(const Op *op, TensorBox *box);

// How many elements along dimension d of the map's tensor one op copies: the boxes of a buffer stand side by side along the last.
static inline uint32_t tensor_extent(const Type *map, const Type *buffer, uint32_t d) {
  return d + 1 < map->rank ? map->shape[d] : buffer->shape[buffer->rank - 1];
}

#endif
