// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor copies and stores: boxes of tensors whose maps a launch makes.
#ifndef COST_TMA_H
#define COST_TMA_H

#include "cost/l2_cache.h"
#include "cost/count.h"

// A tensor as the kernel's host region says for the launch's arguments; dimensions outermost first.
typedef struct CostTensor {
  bool known;
  uint64_t address;
  int64_t size[TENSOR_MAP_MAX_RANK], stride[TENSOR_MAP_MAX_RANK]; // elements; bytes
} CostTensor;

// By the kernel's parameters: those of maps. Before the function's ops are numbered.
CostTensor *tensors_of(Arena *arena, Func *func, const CostLaunch *launch);
// The map's tensor that a tma_copy or tma_store is of.
const CostTensor *tensor_of(const CostTensor *tensors, const Op *op);
// The op's first coordinate among its operands.
uint32_t tensor_coordinates(const Op *op);
uint64_t tensor_box_bytes(const Op *op);
// One execution. A request is the whole box, of which rows outside of the tensor move nothing.
AccessCounts count_tensor(const Op *op, const CostTensor *tensor, const CostValue *coordinates);
// The same for the L2 cache; nothing where it is not known.
void cache_box(CostCache *cache, const Op *op, const CostTensor *tensor, const CostValue *coordinates,
               uint64_t weight);

#endif
