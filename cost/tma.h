// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA copies and stores: tiles of tensors whose maps the launch creates.
#ifndef COST_TMA_H
#define COST_TMA_H

#include "cost/l2_cache.h"
#include "cost/count.h"

// A tensor as the kernel's host region computes it for the launch's arguments; outermost dimension first.
typedef struct CostTensor {
  bool known;
  uint64_t address;
  int64_t size[TENSOR_MAP_MAX_RANK], stride[TENSOR_MAP_MAX_RANK]; // elements; bytes
} CostTensor;

// Indexed by the kernel's map parameters. Call it before the function's ops are numbered.
CostTensor *tensors_of(Arena *arena, Func *func, const CostLaunch *launch);
// The tensor of the map operand of a tma_copy or tma_store.
const CostTensor *tensor_of(const CostTensor *tensors, const Op *op);
// The index of the op's first coordinate operand.
uint32_t tensor_coordinates(const Op *op);
// True if operand i is a coordinate, or a pointer of a bulk_copy.
bool tensor_place(const Op *op, uint32_t i);
// The bytes of one TMA tile, or of a part of a bulk_copy.
uint64_t tensor_box_bytes(const Op *op);
// One part of a bulk_copy, from that address on, and the same for the L2 cache.
AccessCounts count_run(const Op *op, uint64_t address, bool known);
void cache_run(CostCache *cache, const Op *op, uint64_t address, uint64_t weight);
// Counts one execution, which moves `boxes` TMA tiles (0: unknown). A request is the whole tile. Rows outside the
// tensor move nothing.
AccessCounts count_tensor(const Op *op, uint32_t boxes, const CostTensor *tensor,
                          const CostValue *coordinates);
// The same for the L2 cache. Does nothing if the tensor is unknown.
void cache_box(CostCache *cache, const Op *op, uint32_t boxes, const CostTensor *tensor,
               const CostValue *coordinates, uint64_t weight);

#endif
