// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts that specialise_warps makes of a loop. The consumers are the kernel as it is (role_consumers.c). The
// producer prefetches for them (role_producer.c). A dot by tcgen05 may have a thread of its own (role_mma.c). Then
// the consumers only take its sums. plan_pipeline first asks which loops can be split (role_loops.c).
#ifndef PASSES_WARP_SPECIALIZATION_ROLES_H
#define PASSES_WARP_SPECIALIZATION_ROLES_H

#include "passes/pipeline/pipeline_emit.h"

enum { ROLE_CHANNELS = 2 };

// Ring values by which a group of warps uses the channels, one per channel.
typedef struct RoleRings {
  Value *at[ROLE_CHANNELS];
} RoleRings;

typedef struct Roles {
  Stager s;
  // The loop's loads. They use one channel, except in a loop whose dots overlap (`overlapped`). There, the second dot
  // runs under the computation between the dots. Its operands have a separate channel.
  StagedGroup *slots[ROLE_CHANNELS];
  uint32_t channels;
  uint32_t warps; // consumer warps
  const Op *release
      [ROLE_CHANNELS]; // wait for dots after which a slot is released; NULL: at the end of the iteration
  VEC(Op *) path;      // the ops around the loop, outermost first, and the loop
  bool pair;           // Two CTAs compute the dots together.
  Value *tmem;         // The accumulators of the thread that issues the dots; NULL: consumers issue them.
  uint8_t *needed;     // by value id: the producer computes it.
  uint8_t *before;     // Those computed before the groups, for both: loads, and what these need.
} Roles;

// The kernel's innermost loops with wgmma dots.
typedef struct RoleLoops {
  VEC(Op *) list;
  const Op *ordered; // an op that orders all warps, so that they cannot be split; NULL: none
  Arena *arena;
} RoleLoops;

// Finds the loops. Numbers the function.
RoleLoops roles_loops(Arena *arena, Func *func);
// Why no loop of the kernel can be split, whatever it does. NULL: one may be.
const char *roles_refuse(const Func *func, const RoleLoops *loops);
// Plans how the loop would be split, except for the slots. Returns NULL, or why it cannot be split. `in_turn`: the
// kernel is persistent, or will be. The kernel does not change. Remarks are those of pipeline about the loop's loads.
const char *roles_find(PassContext *context, Func *func, Op *loop, bool in_turn, StagedLoop *staged,
                       Roles *r);
// True if the loop's dot stays in flight while the next one starts.
bool roles_stay_under_way(const StagedLoop *staged, uint32_t slots);

// Marks what the producer computes. Returns NULL, or why it cannot.
const char *roles_find_producer(Roles *r);

// A group of one thread. It runs the ifs and loops around the loop, and computes what it needs.
typedef struct RoleThread {
  Roles *roles;
  CloneMap map;
  const uint8_t *needed; // by value id
  RoleRings rings;
  uint32_t ring_count;
  bool multiplies; // it issues the dots, and does not copy
} RoleThread;

// Emits the producer's region: marked ops, and copies into slots of the rings. The kernel is still unchanged.
void roles_emit_producer(Roles *r, Region *region, const RoleRings *rings);
// Emits the region of the thread that issues the dots. Its rings: the slots that it reads, the accumulators.
void roles_emit_mma(Roles *r, Region *region, const RoleRings *rings);
// Emits the loop of that thread, by role_producer.c.
void roles_emit_dots(RoleThread *t, Builder *b, const Op *loop);

// Why no separate thread can issue the loop's dots. NULL: one can. Roles are found.
const char *roles_refuse_mma(const Roles *r);
// The load of the dot's second operand. NULL: it is no load of the loop.
const StagedLoad *roles_second_load(const StagedLoop *staged);
// The accumulators that it fills one after another: two, if the loop runs again and tensor memory has room.
uint32_t roles_accumulators(const Roles *r);

// The groups take programs of the grid one after another (role_programs.c). Their loops over programs, from
// programs_take, have one iteration so far.
void roles_take_programs(Roles *r, Op *groups);

// Replaces the loop by one that takes its slots from the rings. The rings pass through all ops around the loop.
void roles_emit_consumers(Roles *r, const RoleRings *rings);

#endif
