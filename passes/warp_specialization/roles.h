// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What specialise_warps makes of a loop: the consumers, which are the kernel as it is (role_consumers.c), and the producer,
// which copies ahead of them (role_producer.c); and what plan_pipeline asks before: which loops can be parted (role_loops.c).
#ifndef PASSES_WARP_SPECIALIZATION_ROLES_H
#define PASSES_WARP_SPECIALIZATION_ROLES_H

#include "passes/pipeline/pipeline_emit.h"

enum { ROLE_CHANNELS = 2 };

// Values of the rings by which a group of warps uses the channels, one each.
typedef struct RoleRings {
  Value *at[ROLE_CHANNELS];
} RoleRings;

typedef struct Roles {
  Stager s;
  // The loop's loads: all of one channel, or, of a loop whose second product is to run under what comes between the two
  // (`overlapped`), what that one reads of a channel of its own.
  StagedGroup *slots[ROLE_CHANNELS];
  uint32_t channels;
  uint32_t warps; // that multiply
  const Op
      *release[ROLE_CHANNELS]; // behind which wait for products a slot goes; NULL: at the iteration's end
  VEC(Op *) path;              // the ops that the loop is within, the outermost first, and the loop
  uint8_t *needed;             // by value id: the producer computes it
  uint8_t
      *before; // of these, what is computed before the groups, for both: read from memory, or needed for that
} Roles;

// The kernel's innermost loops with products of wgmma.
typedef struct RoleLoops {
  VEC(Op *) list;
  const Op *ordered; // an op whose order among warps is its own: they cannot be parted round it; NULL: there is none
  Arena *arena;
} RoleLoops;

// Numbers the function.
RoleLoops roles_loops(Arena *arena, Func *func);
// Why no loop of the kernel can be parted, whatever it does; NULL: one may be.
const char *roles_refuse(const Func *func, const RoleLoops *loops);
// What the loop would be parted into, but for the slots; NULL, or why it cannot be. `in_turn`: the kernel's programs are run in turn, or are
// to be. The kernel stays as it is; remarks are those of pipeline about the loop's loads.
const char *roles_find(PassContext *context, Func *func, Op *loop, bool in_turn, StagedLoop *staged, Roles *r);
// Whether the loop's product stays under way while the next begins.
bool roles_stay_under_way(const StagedLoop *staged, uint32_t slots);

// Marks what the producer computes. NULL, or why it cannot.
const char *roles_find_producer(Roles *r);

// The producer's region: what is marked, and copies into slots of the rings. The kernel is still as it was.
void roles_emit_producer(Roles *r, Region *region, const RoleRings *rings);

// Replaces the loop by one whose slots come round the rings, which go through all that the loop is within.
void roles_emit_consumers(Roles *r, const RoleRings *rings);

#endif
