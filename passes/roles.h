// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What specialise_warps makes of a loop: the consumers, which are the kernel as it is (role_consumers.c), and the producer,
// which copies ahead of them (role_producer.c).
#ifndef PASSES_ROLES_H
#define PASSES_ROLES_H

#include "passes/pipeline_emit.h"

typedef struct Roles {
  Stager s; // its loop's loads are all of the group STAGED_TENSORS
  StagedGroup *slots;
  VEC(Op *) path;  // the ops that the loop is within, the outermost first, and the loop
  uint8_t *needed; // by value id: the producer computes it
} Roles;

// Marks what the producer computes. NULL, or why it cannot.
const char *roles_find_producer(Roles *r);

// The producer's region: what is marked, and copies into slots of `ring`. The kernel is still as it was.
void roles_emit_producer(Roles *r, Region *region, Value *ring);

// Replaces the loop by one whose slots come round `ring`, which goes through all that the loop is within.
void roles_emit_consumers(Roles *r, Value *ring);

#endif
