// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/vec.h"

#include "base/fault.h"

void *vec_grow(Arena *arena, void *old, uint32_t *cap, size_t size) {
  if (*cap > UINT32_MAX / 2) fault_raise(FAULT_MEMORY, "a vector of more than %u elements", UINT32_MAX / 2);
  uint32_t grown = *cap ? *cap * 2 : 8;
  void *at = arena_array(arena, grown, size);
  if (*cap) memcpy(at, old, *cap * size);
  *cap = grown;
  return at;
}
