// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA tiles: the data of one instruction, and buffers that a few of them fill. PTX ISA 5.5.
#ifndef IR_MEMORY_TENSOR_BOX_H
#define IR_MEMORY_TENSOR_BOX_H

#include "ir/ir.h"

enum {
  TENSOR_COPY_BYTES = 16, // Unit of a map's address, strides and innermost coordinates.
  TENSOR_BOX_MOST = 256,  // Elements along a TMA tile's dimension.
  TENSOR_SIZE_MOST =
      INT32_MAX - 255, // Along a tensor's dimension: an out-of-range coordinate still fits 32 bits.
};

typedef struct TensorBox {
  uint32_t rank;
  uint32_t shape[TILE_MAX_RANK]; // Elements, outermost first.
  uint32_t swizzle;              // Bytes: 16-byte chunks are permuted within this size.
  uint32_t count;                // TMA tiles that fill the buffer, adjacent along the last dimension.
  uint32_t bytes;                // Size of one TMA tile.
  uint32_t distance;             // In the buffer, between the starts of two TMA tiles.
} TensorBox;

// The TMA tiles that fill a shared buffer, a matrix whose last dimension is contiguous in memory. Returns
// false if TMA cannot write its layout.
bool layout_tma_box(const Type *buffer, TensorBox *box);
// Reduces the box to `count` TMA tiles, and each to its first `rows` rows.
void tensor_box_trim(TensorBox *box, uint32_t rows, uint32_t count);
// The TMA tiles that a tma_copy or tma_store moves, limited to its map's rows.
bool tensor_op_box(const Op *op, TensorBox *box);

// Elements along dimension d of the map's tensor that one op copies. A buffer's TMA tiles are adjacent along
// the last one.
static inline uint32_t tensor_extent(const Type *map, const Type *buffer, uint32_t d) {
  return d + 1 < map->rank ? map->shape[d] : buffer->shape[buffer->rank - 1];
}

#endif
