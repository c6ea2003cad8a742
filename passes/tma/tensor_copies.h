// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads that become TMA copies: which loads can, and their tensor maps.
#ifndef PASSES_TMA_TENSOR_COPIES_H
#define PASSES_TMA_TENSOR_COPIES_H

#include "ir/clone.h"
#include "ir/build.h"
#include "ir/memory/tensor_box.h"
#include "ir/memory/tensor_map.h"
#include "passes/analysis/axis_info.h"
#include "passes/passes.h"

// A loaded tile that goes as a whole into a slot of shared memory.
typedef struct TensorLoad {
  const Op *tma_mark; // says which TMA tile it is
  uint32_t inner;     // the tile's contiguous dimension in memory
  const Type *slot;   // the slot with that dimension last
  TensorBox box;      // of that slot
  bool by_blocks;     // By bulk copies: the mark is a bulk_mark. `box` has only `bytes` and `count`.
} TensorLoad;

// The operands of tma_mark after the tile: base, sizes, strides, offsets.
static inline uint32_t tma_mark_rank(const Op *tma_mark) { return (tma_mark->operand_count - 2) / 3; }
static inline Value *tma_mark_offset(const Op *tma_mark, uint32_t d) {
  return op_operand(tma_mark, 2 + 2 * tma_mark_rank(tma_mark) + d);
}
// The dimension of the tensor that the tile's dimension d is.
static inline uint32_t tma_mark_dim(const Op *tma_mark, uint32_t d) {
  const Attr *dims = op_attr(tma_mark, ATTR_DIMS);
  return dims ? (uint32_t)dims->ints.at[d] : d;
}

// The scalars of a tma_mark or bulk_mark that say where a copy begins: offsets, or addresses.
static inline uint32_t mark_places(const Op *mark) {
  return mark->kind == OP_BULK_MARK ? mark->operand_count - 1 : tma_mark_rank(mark);
}
static inline Value *mark_place(const Op *mark, uint32_t i) {
  return mark->kind == OP_BULK_MARK ? op_operand(mark, 1 + i) : tma_mark_offset(mark, i);
}

// Clones the value and what computes it into a host region, at the builder's place. `map` maps the region's arguments.
Value *host_clone(Builder *b, CloneMap *map, Value *value);
// The dot by wgmma or tcgen05 that takes the tile, or its transpose, as it is. NULL: none does.
const Op *fed_dot(const Value *tile);

// Finds the tile's dimension whose stride in the tensor is known to be 1. Returns false if there is none.
bool tma_mark_inner(const Op *tma_mark, uint32_t *inner);

// True if a tensor map can be made before the launch, from the op's operands from `first` on. Conditions:
// * the base is a parameter;
// * sizes and strides are computed only from parameters;
// * one stride is 1;
// * the base and the other strides are multiples of 16 bytes. Those of a descriptor always are.
bool tensor_parts_fit(const Func *func, const AxisTable *axes, const Op *op, uint32_t first);

// NULL if TMA copies can bring the marked tile into a slot of that type; otherwise why not. `axes` is of the current
// function.
const char *tensor_load_find(Func *func, const AxisTable *axes, const Op *tma_mark, const Type *slot,
                             TensorLoad *found);

// The map as a value of the body. An equal map that exists is used again.
Value *tensor_map_of(PassContext *context, Func *func, const TensorLoad *load);

// Builds the tile's coordinates in the map's order. `map` maps the offsets; NULL: they are used as they are. Returns
// the number of coordinates.
uint32_t tensor_coordinates_of(Builder *b, const TensorLoad *load, const CloneMap *map,
                               Value *coordinates[TENSOR_MAP_MAX_RANK]);

#endif
