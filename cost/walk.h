// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows programs of a launch through their loops and branches, and counts.
#ifndef COST_WALK_H
#define COST_WALK_H

#include "cost/l2_cache.h"
#include "cost/count.h"
#include "cost/tma.h"

typedef struct CostWalk {
  Arena *arena;
  Func *func;
  const CostLaunch *launch;
  ValueSpace space;
  CostValue *values; // by id
  bool *followed;    // by op's id: its results lead to an address, a mask, a bound or a condition
  CostOp *ops;       // by op's id
  CostRange *runs;   // by the id of a region's first op: of the region
  Table counts;      // of accesses, by what their addresses and masks are
  uint32_t program[3], programs[3]; // the one that is followed; how many: of a persistent kernel blocks along x alone
  bool certain;   // what is counted now happens
  bool estimated; // something was not followed to its end
  bool unbounded;
  uint64_t weight; // how often what is counted now happens
  uint64_t steps, limit;
  CostTraffic *traffic; // by buffer
  const CostTensor *tensors;
  CostEventList *events; // NULL: nobody asks for them
  uint32_t most_events, group, trip;
  CostCache *cache; // not NULL: it is told of accesses, and nothing is counted
} CostWalk;

// Ready to follow programs of the launch; the report's way, and that of events.
void walk_init(CostWalk *walk, Arena *arena, Func *func, const CostLaunch *launch, CostTraffic *traffic);
void walk_event(CostWalk *walk, const Op *op);
// Program 0 alone, until there are enough events.
void walk_first_program(CostWalk *walk);
// Of a value that is a buffer or part of one its shared_alloc; *index: the slot's number, NULL where it is no slot.
const Op *buffer_alloc(const Value *value, const Value **index);

// Programs from `first` on, one after the other in so many rounds, for the cache; of each about so many steps, loops cut short.
// false: that took too long, and the cache knows too little.
bool walk_rounds(CostWalk *walk, uint64_t first, uint64_t round, uint64_t rounds, uint64_t steps);
// Fills ops, runs and traffic for all programs; `counted` of them were followed.
void cost_walk(CostWalk *walk, uint64_t *counted);

#endif
