// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one execution of an op by all its warps does to memory, in the simulator's counters.
#ifndef COST_COUNT_H
#define COST_COUNT_H

#include "cost/value.h"

typedef struct AccessCount {
  uint64_t requests, units, ideal; // units: sectors of global memory, wavefronts of shared
} AccessCount;

typedef struct AccessCounts {
  AccessCount least, most;
  bool data_dependent;
} AccessCounts;

// Of global memory: load, store, atomic_rmw, atomic_cas, copy_async. mask NULL: none.
AccessCounts count_global(const Op *op, const CostValue *pointer, const CostValue *mask);
// Bytes that one instruction of the op moves a lane.
uint32_t count_lane_bytes(const Op *op);
// Of shared memory, whatever it is that the op does there but by wgmma and tensor copies, which pass threads by.
AccessCounts count_shared(Arena *scratch, const Op *op);

#endif
