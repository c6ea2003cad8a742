// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What specialise_warps makes of a loop: the consumers, which are the kernel as it is (role_consumers.c), and the producer,
// which copies ahead of them (role_producer.c).
#ifndef PASSES_ROLES_H
#define PASSES_ROLES_H

#include "passes/pipeline_emit.h"

enum { ROLE_CHANNELS = 2 };

// Values of the rings by which a group of warps uses the channels, one each.
typedef struct RoleRings {
  Value *at[ROLE_CHANNELS];
} RoleRings;

typedef struct Roles {
  Stager s;
  // The loop's loads: all of one channel, or, of a loop whose second product is to run under what comes between the two
  // (`stagger`), what that one reads of a channel of its own.
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

// The registers that a thread of the warps that multiply may have, where warps that copy are beside them; 0: nothing is moved. Of a
// kernel with three products or more in a row the loop, `many`, leaves those that copy less.
uint32_t roles_registers(const TargetInfo *arch, uint32_t warps, bool many, uint32_t *producer);

// Whether the kernel's one loop of products can be parted where its programs are run in turn, and that pays. No remark, and the
// kernel stays as it is.
bool roles_pay_in_turn(PassContext *context, Func *func);

// Marks what the producer computes. NULL, or why it cannot.
const char *roles_find_producer(Roles *r);

// The producer's region: what is marked, and copies into slots of the rings. The kernel is still as it was.
void roles_emit_producer(Roles *r, Region *region, const RoleRings *rings);

// Replaces the loop by one whose slots come round the rings, which go through all that the loop is within.
void roles_emit_consumers(Roles *r, const RoleRings *rings);

#endif
