// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rings of a function, and which of them a value stands for.
// Shared by place_barriers, lower_rings and allocate_shared.
#ifndef PASSES_ANALYSIS_RINGS_H
#define PASSES_ANALYSIS_RINGS_H

#include "ir/memory/ring.h"

enum { NO_RING = UINT32_MAX };

typedef struct Rings {
  VEC(Op *) begins; // ring_begin ops, in program order; a channel for each of its two rings
  uint32_t *of;     // by value id: which ring; NO_RING: it is none
} Rings;

// Of a numbered function that keeps the rules of rings. `arena` holds the tables.
Rings rings_find(Arena *arena, Func *func);

// The op that gave the view of a slot that `value` is, maybe transposed: ring_fill or ring_wait.
// NULL: it is none.
const Op *ring_view_source(const Value *value);
// Whether the buffer that the op allocates belongs to a ring.
bool ring_owns(const Op *alloc);

#endif
