// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rings of a function, and the ring that each value refers to. Shared by place_barriers, lower_rings and
// allocate_shared.
#ifndef PASSES_ANALYSIS_RINGS_H
#define PASSES_ANALYSIS_RINGS_H

#include "ir/memory/ring.h"

enum { NO_RING = UINT32_MAX };

typedef struct Rings {
  VEC(Op *) begins; // The ring_begin ops, in program order, and each channel twice.
  uint32_t *of;     // By value id: the ring's index; NO_RING: it is no ring.
} Rings;

// The function is numbered and obeys the rules of rings. `arena` holds the tables.
Rings rings_find(Arena *arena, Func *func);

// The op that gave this view of a slot: ring_fill or ring_wait. The view may be transposed. NULL: it is no view.
const Op *ring_view_source(const Value *value);
// Returns true if the buffer that the op allocates belongs to a ring.
bool ring_owns(const Op *alloc);

#endif
