// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pass `pipeline` emits of one loop beside its ops: copies and loads that are ahead (pipeline_emit.c), waits, and the rings
// between them (pipeline_steps.c). pipeline_loops.c and role_consumers.c say in which order.
#ifndef PASSES_PIPELINE_PIPELINE_EMIT_H
#define PASSES_PIPELINE_PIPELINE_EMIT_H

#include "passes/pipeline/pipeline_loads.h"
#include "passes/pipeline/schedule.h"

// The late ones feed the second product of a loop that is to be overlapped: they have rings of their own.
enum {
  STAGED_COPIES,
  STAGED_LATE_COPIES,
  STAGED_TENSORS,
  STAGED_LATE_TENSORS,
  STAGED_STORES,
  STAGED_VALUES,
  STAGED_GROUPS
};

// Loads that are issued the same number of iterations ahead, into slots of one ring: by copies, which a group of theirs or
// the slot's mbarrier says the end of, or through registers. Values stay in registers and have no ring.
typedef struct StagedGroup {
  int kind;
  bool async; // by copies of groups
  uint32_t count, distance, slots;
  uint32_t held; // tokens: of groups that were not waited for before the iteration
  const StagedLoad **loads;
  Value **buffers;  // all slots of each load
  Value *mbarriers; // of tensor copies, one a slot
  Value **views;    // of each load: the slot that this iteration reads
  Value *ring;
  Value **state;  // by carried value of the original loop: as of the iteration ahead; NULL: not needed
  Value **tokens; // async: of the groups under way, the oldest first
  Value **tiles;  // registers: what was loaded
  Value **maps;   // of tensor copies, one a load
} StagedGroup;

typedef struct Stager {
  PassContext *context;
  Func *func;
  const StagedLoop *staged;
  Arena *arena;
  int64_t step;
  Schedule schedule;
  StagedGroup groups[STAGED_GROUPS];
  const Op *late; // the buffer of the loads that are late; NULL: none
  bool in_flight; // the dot may be under way while the next begins
  bool dot_first; // what is ahead is waited for and issued after the dot
  bool refills;   // what is ahead is issued after the dot before has been waited for
} Stager;

// The group's buffers, their mbarriers and maps.
void stage_alloc(Stager *s, Builder *b, StagedGroup *g);
// ring_fill or ring_wait: the results are a view of each load's slot.
Op *stage_next_slot(Stager *s, Builder *b, StagedGroup *g, OpKind kind);
// What the mbarrier of the slot that is being filled is to wait for, and the copies; `map`: what they go by.
void stage_copy_tensors(Stager *s, Builder *b, const StagedGroup *g, const CloneMap *map, const Op *fill);
// The group's buffers and its ring, and what is ahead of iteration 0;
// `any` says whether there are iterations.
void stage_begin(Stager *s, Builder *b, StagedGroup *g, Value *any);
// What is the group's distance ahead of `iv`.
void stage_issue(Stager *s, Builder *b, StagedGroup *g, Value *iv);
// The slot as the load sees it, before the transposition.
Value *stage_target(Stager *s, Builder *b, const StagedLoad *load, Value *slot);

// What a schedule has beside the loop's ops.
typedef enum StagedStep {
  STAGED_TAKE,    // the values that were loaded stand for their loads
  STAGED_STORE,   // what goes through registers into the next slot
  STAGED_BEGIN,   // the copies or loads of the iteration that is the group's distance ahead
  STAGED_USE,     // the group's oldest slots that were filled stand for the loads' buffers
  STAGED_RELEASE, // the group's slots that were in use the longest are free
  STAGED_READ,    // a load that is computed on: its value is what this iteration's slot has
  STAGED_AWAIT,   // what the oldest slots' data wait for, see stage_wait
  STAGED_MEET,    // everyone meets
} StagedStep;

// Whether steps of the Stager's own stand for the op of the loop.
bool stage_replaces(const Stager *s, const Op *op);
// The schedule of the Stager's loop, of one stage and without steps; rings are those of groups that the loop fills itself, ahead.
void stage_schedule(Stager *s);
// The next step, which stands where `at` does; nothing where the group has no loads, or, of slots, has none.
void stage_step(Stager *s, StagedStep what, int group, const Op *at);
// Makes the loop anew.
void stage_expand(Stager *s, const char *pass, Builder *b, Value *any);

// What the oldest slots' data wait for: the copies, `under_way` groups of which have not been waited for (of the
// late ones all that are held), everyone's stores, and for wgmma the proxy's order.
void stage_wait(Stager *s, Builder *b, uint32_t under_way);
// Everyone meets.
void stage_meet(Stager *s, Builder *b);
// Whether everyone meets before the first copies: the loop may run more than once, as it stands in another one or in a branch, or
// they read what may have been written.
bool stage_begins_again(const Stager *s);
// Whether the op is a load that is computed on.
bool stage_is_read(const Stager *s, const Op *op);
// What the loop carries of the group: addresses ahead, tokens, tiles, its ring.
void stage_carry(Stager *s, StagedGroup *g);

#endif
