// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of ops.
#ifndef IR_CLONE_H
#define IR_CLONE_H

#include "ir/build.h"

// The copy of each original value, by its id as of func_number; NULL: the value itself.
typedef struct CloneMap {
  Value **at;
  uint32_t count; // newer values have no entry and map to themselves
} CloneMap;

CloneMap clone_map_new(Arena *arena, const Func *func); // after func_number
Value *clone_get(const CloneMap *map, Value *value);
void clone_set(CloneMap *map, const Value *value, Value *copy);

// Copies the op and its regions to the builder's position, with the original's location. The map translates
// operands, and gets the new results (inner ones included).
Op *op_clone(Builder *b, const Op *op, CloneMap *map);
// The arguments of `to` are copies of those of `from`, with their names.
void region_clone_args(const Region *from, Region *to, CloneMap *map);
// Copies the region's ops to the builder's position, without the terminator.
void region_clone_ops(Builder *b, const Region *region, CloneMap *map);

#endif
