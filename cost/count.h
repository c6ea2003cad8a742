// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory accesses of one execution of an op by all its warps, in the simulator's counters.
#ifndef COST_COUNT_H
#define COST_COUNT_H

#include "cost/value.h"

typedef struct AccessCount {
  uint64_t requests, units, ideal;        // units: sectors of global memory, wavefronts of shared
  uint64_t lines, partial, partial_lines; // of 128 bytes; sectors that a store fills in part, and their lines
  uint64_t bytes;                         // of global memory: of each request the distinct ones
} AccessCount;

typedef struct AccessCounts {
  AccessCount least, most;
  bool data_dependent;
  uint64_t updates; // of elements in memory, by atomics
  uint32_t
      alike; // warps and registers with the same request at the same time: L1 serves all except one; 0: as 1
} AccessCounts;

// Global memory: load, store, atomic_rmw, atomic_cas, copy_async. mask NULL: none.
AccessCounts count_global(const Op *op, const CostValue *pointer, const CostValue *mask);
// Time in the L2 cache. The unit is the time of a sector of a whole line that is read.
double count_cache_steps(const AccessCount *count);
// Bytes per lane of one instruction of the op.
uint32_t count_lane_bytes(const Op *op);
// Vectors of shared memory that were read since the last write to it. Another read of the same vector is
// free.
typedef struct SharedVector {
  const Value *buffer;
  uint64_t lanes; // a hash of the addresses that a warp's lanes read
  int64_t place;
  uint32_t bytes;
} SharedVector;
typedef VEC(SharedVector) SharedVectors;

// Counts all shared memory accesses of the op. wgmma and TMA copies bypass threads and are excluded.
AccessCounts count_shared(Arena *scratch, const Op *op, SharedVectors *read);

#endif
