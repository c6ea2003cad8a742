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
// What loads of shared memory have read since something was written or waited for: a load of the same addresses is that load's result.
typedef struct SharedRead {
  const Value *buffer;
  uint32_t bytes;                  // a lane
  uint64_t addresses[TARGET_WARP]; // of warp 0
} SharedRead;
typedef VEC(SharedRead) SharedReads;

// Of shared memory, whatever it is that the op does there but by wgmma and tensor copies, which pass threads by. `reads`: of the
// region's ops before, in order.
AccessCounts count_shared(Arena *scratch, const Op *op, SharedReads *reads);

#endif
