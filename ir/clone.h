// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of ops.
#ifndef IR_CLONE_H
#define IR_CLONE_H

#include "ir/build.h"

// What each value of the original (by its id, as of func_number) has become; NULL: itself.
typedef struct CloneMap {
  Value **at;
  uint32_t count; // values made since have no entry and stand for themselves
} CloneMap;

CloneMap clone_map_new(Arena *arena, const Func *func); // after func_number
Value *clone_get(const CloneMap *map, Value *value);
void clone_set(CloneMap *map, const Value *value, Value *copy);

// A copy at the builder's place, with the original's location, of the op with its regions, operands as the
// map says; the map gets its results (and what is within).
Op *op_clone(Builder *b, const Op *op, CloneMap *map);
// Copies the region's ops to the builder's place, without the terminator.
void region_clone_ops(Builder *b, const Region *region, CloneMap *map);

#endif
