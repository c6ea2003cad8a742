// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads that become tensor copies: which can, and the maps that they go by.
#ifndef PASSES_TMA_TENSOR_COPIES_H
#define PASSES_TMA_TENSOR_COPIES_H

#include "ir/clone.h"
#include "ir/build.h"
#include "ir/memory/tensor_box.h"
#include "ir/memory/tensor_map.h"
#include "passes/analysis/axis_info.h"
#include "passes/passes.h"

// A tile that is loaded and goes whole into a slot of shared memory.
typedef struct TensorLoad {
  const Op *tma_mark;  // says which box it is
  uint32_t inner;   // the tile's dimension along which neighbours are neighbours in memory
  const Type *slot; // the slot with that dimension last
  TensorBox box;    // of it
} TensorLoad;

// The operands of tma_mark behind the tile: base, sizes, strides, offsets.
static inline uint32_t tma_mark_rank(const Op *tma_mark) { return (tma_mark->operand_count - 2) / 3; }
static inline Value *tma_mark_offset(const Op *tma_mark, uint32_t d) {
  return op_operand(tma_mark, 2 + 2 * tma_mark_rank(tma_mark) + d);
}
// The tensor's dimension that the tile's dimension d is.
static inline uint32_t tma_mark_dim(const Op *tma_mark, uint32_t d) {
  const Attr *dims = op_attr(tma_mark, ATTR_DIMS);
  return dims ? (uint32_t)dims->ints.at[d] : d;
}

// The value, which is, computed at the builder's place in a host region; `map` knows the region's arguments.
Value *host_clone(Builder *b, CloneMap *map, Value *value);
// The product of wgmma that takes the tile as it is, or its transpose; NULL: none does.
const Op *fed_wgmma(const Value *tile);

// The tile's dimension whose stride is known to be 1 of what tma_mark says of a tensor; false: there is none.
bool tma_mark_inner(const Op *tma_mark, uint32_t *inner);

// Whether a map can be made before a launch of what they say: a base that is a parameter, sizes and strides that are computed of parameters
// alone; a stride of 1; the others and the base multiples of 16 bytes, as they are of every descriptor.
bool tensor_parts_fit(const Func *func, const AxisTable *axes, const Op *op, uint32_t first);

// Whether tensor copies can bring what is tma_mark into a slot of that type; NULL, or why not. `axes`: of the function as it is.
const char *tensor_load_find(Func *func, const AxisTable *axes, const Op *tma_mark, const Type *slot,
                             TensorLoad *found);

// The body's value of the map, one of those that there are if it is the same.
Value *tensor_map_of(PassContext *context, Func *func, const TensorLoad *load);

// The coordinates of the box in the map's order, what `map` has for the offsets (NULL: they are as they are). How many.
uint32_t tensor_coordinates_of(Builder *b, const TensorLoad *load, const CloneMap *map, Value *coordinates[TENSOR_MAP_MAX_RANK]);

// The offset as a coordinate, of 32 bits.
Value *tensor_coordinate(Builder *b, Value *offset);

#endif
