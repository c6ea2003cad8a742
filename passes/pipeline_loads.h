// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pass `pipeline` finds out about a loop before it changes it (pipeline_loads.c, pipeline_stages.c).
#ifndef PASSES_PIPELINE_LOADS_H
#define PASSES_PIPELINE_LOADS_H

#include "passes/passes.h"

// A tile that the loop's body loads and puts into a buffer: load -> (trans ->) shared_store.
typedef struct StagedLoad {
  Op *load, *trans, *alloc, *store; // trans may be NULL
  bool async;                       // by cp.async; else through registers
} StagedLoad;

typedef struct StagedLoop {
  Op *loop;
  VEC(StagedLoad) loads;
  // An asynchronous wgmma whose sum is carried by the loop:
  // may be under way while the next begins; NULL: none.
  Op *dot;
  Op *dot_wait; // for the dot
  uint32_t sum; // which carried value that is
  bool feeds_wgmma;
  uint32_t stages;
  // By value id: computed a few iterations ahead, for the loads' addresses and masks.
  uint8_t *ahead;
} StagedLoop;

// Whether the loop has loads to be issued ahead; remarks say why not.
bool staged_loop_find(PassContext *context, Func *func, Op *loop, StagedLoop *found);

// How many stages the loop gets; fewer than 2: none.
uint32_t staged_loop_stages(PassContext *context, Func *func, const StagedLoop *staged);

#endif
