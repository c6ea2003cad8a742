// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that `pipeline` emits in addition to the loop's ops. It consists of prefetching copies and loads
// (pipeline_emit.c), waits, and rings between them (pipeline_steps.c). pipeline_loops.c and role_consumers.c choose the
// order.
#ifndef PASSES_PIPELINE_PIPELINE_EMIT_H
#define PASSES_PIPELINE_PIPELINE_EMIT_H

#include "passes/pipeline/pipeline_loads.h"
#include "passes/pipeline/schedule.h"

// The late groups feed the second dot of an overlapped loop. They have their own rings.
enum {
  STAGED_COPIES,
  STAGED_LATE_COPIES,
  STAGED_TENSORS,
  STAGED_LATE_TENSORS,
  STAGED_STORES,
  STAGED_VALUES,
  STAGED_COMPUTED, // An operand that the loop computes for a dot that stays in flight.
  STAGED_GROUPS
};

// Loads that are issued the same number of iterations ahead, into slots of one ring. They are copies or go through
// registers. A copy ends when its copy group, or the slot's mbarrier, says so. Values stay in registers and have no
// ring.
typedef struct StagedGroup {
  int kind;
  bool async; // Copied in copy groups.
  uint32_t count, distance, slots;
  uint32_t held; // Tokens of groups that were not waited for before the iteration.
  const StagedLoad **loads;
  Value **buffers;  // All slots of each load.
  Value *mbarriers; // For TMA copies, one per slot.
  Value **views;    // By load: the slot that this iteration reads.
  Value *ring;
  Value **state;  // By loop-carried value: its state in the prefetched iteration; NULL: not needed.
  Value **tokens; // `async`: tokens of the groups in flight, the oldest first.
  Value **tiles;  // The loaded tiles in registers.
  Value **maps;   // For TMA copies, one per load.
} StagedGroup;

typedef struct Stager {
  PassContext *context;
  Func *func;
  const StagedLoop *staged;
  Arena *arena;
  int64_t step;
  Schedule schedule;
  StagedGroup groups[STAGED_GROUPS];
  const Op *late;     // The buffer of the late loads; NULL: none.
  bool in_flight;     // The dot may be in flight while the next one starts.
  bool dot_first;     // Waits and prefetches come after the dot.
  bool refills;       // Prefetches come after the wait for the previous dot.
  int64_t spare;      // Registers that a thread has left, before the loop is pipelined.
  bool reads_first;   // Packed words are read back before copies start.
  const Op *begin_at; // Copies start before this op, after what comes before it; NULL: with the iteration.
} Stager;

// Allocates the group's buffers, mbarriers and tensor maps.
void stage_alloc(Stager *s, Builder *b, StagedGroup *g);
// ring_fill or ring_wait: the results are views of each load's slot.
Op *stage_next_slot(Stager *s, Builder *b, StagedGroup *g, OpKind kind);
// Emits the copies into the slot that is being filled, and the bytes that its mbarrier expects. `map`: the values that
// they use.
void stage_copy_tensors(Stager *s, Builder *b, const StagedGroup *g, const CloneMap *map, const Op *fill);
// Emits the group's buffers, its ring, and the prefetches before iteration 0. `any`: true if there are iterations.
void stage_begin(Stager *s, Builder *b, StagedGroup *g, Value *any);
// Emits the prefetch for the iteration at the group's distance ahead of `iv`.
void stage_issue(Stager *s, Builder *b, StagedGroup *g, Value *iv);
// The slot as the load sees it, before the transposition.
Value *stage_target(Stager *s, Builder *b, const StagedLoad *load, Value *slot);

// The schedule's steps that are not ops of the loop.
typedef enum StagedStep {
  STAGED_TAKE,    // The loaded values replace their loads.
  STAGED_STORE,   // Tiles in registers go to the next slot, also those that the iteration has computed.
  STAGED_BEGIN,   // Start the copies or loads that are the group's distance ahead.
  STAGED_USE,     // The group's oldest filled slots replace the loads' buffers.
  STAGED_RELEASE, // Free the slots that the group has used for the longest time.
  STAGED_READ,    // Read a load's value back from this iteration's slot.
  STAGED_AWAIT,   // Wait for the data of the oldest slots, see stage_wait.
  STAGED_MEET,    // A barrier of all warps.
} StagedStep;

// Returns true if the Stager's own steps replace the op of the loop.
bool stage_replaces(const Stager *s, const Op *op);
// Starts the schedule of the Stager's loop: one stage and no steps. Its rings are those that the loop fills itself,
// ahead.
void stage_schedule(Stager *s);
// Adds a step, located at `at`. It adds nothing if the group has no loads. A step on slots also needs slots.
void stage_step(Stager *s, StagedStep what, int group, const Op *at);
// Builds the new loop.
void stage_expand(Stager *s, const char *pass, Builder *b, Value *any);

// Waits for the data of the oldest slots: the copies, all threads' stores, and the proxy's order for wgmma. `under_way`
// copy groups have not been waited for. For the late copies, all held groups have not.
void stage_wait(Stager *s, Builder *b, uint32_t under_way);
// Emits a barrier of all warps.
void stage_meet(Stager *s, Builder *b);
// Returns true if a barrier is needed before the first copies. Either the loop may run more than once, because it is in
// another loop or a branch. Or the copies read memory that the kernel may have written.
bool stage_begins_again(const Stager *s);
// Returns true if the op is a load whose value is read back for other ops.
bool stage_is_read(const Stager *s, const Op *op);
// Adds the group's loop-carried values: prefetched addresses, tokens, tiles and its ring.
void stage_carry(Stager *s, StagedGroup *g);

#endif
