// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows programs of a launch through loops and branches, and counts costs.
#ifndef COST_WALK_H
#define COST_WALK_H

#include "cost/l2_cache.h"
#include "cost/count.h"
#include "cost/tma.h"

typedef struct Counted Counted; // walk.c

typedef struct CostWalk {
  Arena *arena;
  Func *func;
  const CostLaunch *launch;
  ValueSpace space;
  CostValue *values;         // by id
  bool *followed;            // By op id: its results affect an address, a mask, a bound or a condition.
  uint8_t *steps_of;         // By op id: what a visit does, of WalkStep.
  Counted **counted;         // By op id: the counts of its last access.
  const Op **next;           // By op id: the next op of the region that is followed, counted or has regions.
  const CostValue ***inputs; // By op id: its operands' values.
  uint32_t *skipped;         // By op id: fixed ops that follow, which are not visited again.
  bool *fixed;               // By value id: the value is the same in all programs.
  int64_t *places;           // By op id: the address of the last access.
  uint32_t *boxes;           // By op id: the TMA tiles that a TMA op moves; 0: unknown.
  CostOp *ops;               // By op id.
  CostRange *runs;           // By the id of a region's first op: executions of the region.
  Table counts;              // Counts of accesses, by their addresses and masks.
  uint32_t program[3], programs[3]; // The current program; the number of programs: for a persistent kernel,
                                    // CTAs along x only.
  bool certain;                     // The current code certainly executes.
  bool estimated;                   // Something was not followed to its end.
  bool unbounded;
  uint64_t weight; // Executions that the current code represents.
  uint64_t steps, limit;
  CostTraffic *traffic; // By buffer.
  CostTraffic *
      *into; // By value id: the buffer that a pointer of unknown offset points into; NULL: not known.
  double unplaced, outside; // as of CostReport
  const CostTensor *tensors;
  CostEventList *events; // NULL: events are not requested.
  uint32_t most_events, group, trip;
  CostCache *cache; // Not NULL: accesses go to the cache, and nothing is counted.
} CostWalk;

// Prepares to follow programs of the launch, for the report and for events.
void walk_init(CostWalk *walk, Arena *arena, Func *func, const CostLaunch *launch, CostTraffic *traffic);
void walk_event(CostWalk *walk, const Op *op);
// Follows only program 0, until there are enough events.
void walk_first_program(CostWalk *walk);

// Follows programs from `first` on, in rounds one after another, for the cache. Each program takes about
// `steps` steps, with loops truncated. Returns false if that took too long and the cache has too little data.
bool walk_rounds(CostWalk *walk, uint64_t first, uint64_t round, uint64_t rounds, uint64_t steps);
// Fills ops, runs and traffic for all programs; `counted` of them were followed.
void cost_walk(CostWalk *walk, uint64_t *counted);

#endif
