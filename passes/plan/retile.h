// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of another extent: finds what must change its shape together with a tile, in IR without layouts (retile.c).
#ifndef PASSES_PLAN_RETILE_H
#define PASSES_PLAN_RETILE_H

#include "ir/build.h"
#include "passes/passes.h"

// Two-dimensional tiles and block pointers, each with the dimension whose extent changes.
typedef struct Retile {
  Arena *arena;
  Func *func;
  uint8_t *marks;      // by value id: 1 + the dimension; 0: the value stays as it is
  VEC(Value *) values; // the marked ones
} Retile;

// Numbers the function's values. Values that are made later cannot be marked.
Retile retile_new(Arena *arena, Func *func);
// Returns false if the value is already marked with its other dimension, or does not have two dimensions.
bool retile_mark(Retile *r, Value *value, uint32_t dim);
bool retile_is_marked(const Retile *r, const Value *value, uint32_t dim);
// Marks everything that must change together with the marked values:
// * operands and results of elementwise ops;
// * loop-carried values;
// * a dot's operands and result;
// * block pointers and accesses through them.
//
// Returns false if an op does not allow the change.
bool retile_spread(Retile *r);
// Multiplies the extent of the marked values by `times`, and divides it by `by`.
void retile_apply(const Retile *r, uint32_t times, uint32_t by);

// The index of the operand of make_block_ptr or advance that is the block's offset along the dimension.
static inline uint32_t retile_offset_index(const Op *op, uint32_t dim) {
  return op->kind == OP_ADVANCE ? 1 + dim : 1 + 2u * op_result(op)->type->rank + dim;
}

#endif
