// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared-memory buffers of a function, and the buffers that each value may refer to. Used by allocate_shared and
// place_barriers.
#ifndef PASSES_ANALYSIS_SHARED_BUFFERS_H
#define PASSES_ANALYSIS_SHARED_BUFFERS_H

#include "ir/ir.h"

typedef struct SharedBuffers {
  VEC(Op *) allocs; // In program order.
  uint32_t words;   // Words of a set of buffers.
  uint64_t **sets;  // By value id: the buffers that it may refer to; NULL: none.
} SharedBuffers;

// Numbers the function. `arena` holds the tables.
SharedBuffers shared_buffers_find(Arena *arena, Func *func);

static inline bool set_has(const uint64_t *set, uint32_t i) { return set && set[i / 64] >> i % 64 & 1; }
static inline void set_add(uint64_t *set, uint32_t i) { set[i / 64] |= UINT64_C(1) << i % 64; }
// Returns true if the set grew.
static inline bool set_unite(uint64_t *set, const uint64_t *other, uint32_t words) {
  bool grew = false;
  for (uint32_t w = 0; other && w < words; w++) {
    grew |= (other[w] & ~set[w]) != 0;
    set[w] |= other[w];
  }
  return grew;
}
static inline bool set_meets(const uint64_t *a, const uint64_t *b, uint32_t words) {
  for (uint32_t w = 0; a && b && w < words; w++)
    if (a[w] & b[w]) return true;
  return false;
}

#endif
