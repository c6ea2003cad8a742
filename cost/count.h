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
  uint32_t
      alike; // warps and registers that ask for the same at the same time: the first-level cache serves all but one; 0: as 1
} AccessCounts;

// Of global memory: load, store, atomic_rmw, atomic_cas, copy_async. mask NULL: none.
AccessCounts count_global(const Op *op, const CostValue *pointer, const CostValue *mask);
// Bytes that one instruction of the op moves a lane.
uint32_t count_lane_bytes(const Op *op);
// Vectors of shared memory that have been read since anything there was written: who reads one again has it.
typedef struct SharedVector {
  const Value *buffer;
  uint64_t lanes; // where a warp's lanes read, as a hash
  int64_t place;
  uint32_t bytes;
} SharedVector;
typedef VEC(SharedVector) SharedVectors;

// Of shared memory, whatever it is that the op does there but by wgmma and tensor copies, which pass threads by.
AccessCounts count_shared(Arena *scratch, const Op *op, SharedVectors *read);

#endif
