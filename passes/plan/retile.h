// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of another extent: what has to change its shape with a tile, in IR without layouts (retile.c).
#ifndef PASSES_PLAN_RETILE_H
#define PASSES_PLAN_RETILE_H

#include "ir/build.h"
#include "passes/passes.h"

// Tiles and block pointers of two dimensions, each with the one whose extent is to change.
typedef struct Retile {
  Arena *arena;
  Func *func;
  uint8_t *marks; // by value id: 1 + the dimension; 0: the value stays as it is
  VEC(Value *) values; // the marked ones
} Retile;

// Numbers the function's values; those made later are not asked for.
Retile retile_new(Arena *arena, Func *func);
// False where the value has been marked with its other dimension, or has not two.
bool retile_mark(Retile *r, Value *value, uint32_t dim);
bool retile_is_marked(const Retile *r, const Value *value, uint32_t dim);
// Marks all that has to change with what is marked: operands and results of one shape, what loops carry, a product's operands
// and result, block pointers and what goes through them. False where an op stands in the way.
bool retile_spread(Retile *r);
// Gives what is marked `times` the extent, divided by `by`.
void retile_apply(const Retile *r, uint32_t times, uint32_t by);

// The operand of make_block_ptr or advance that says where the block is along the dimension.
static inline uint32_t retile_offset_index(const Op *op, uint32_t dim) {
  return op->kind == OP_ADVANCE ? 1 + dim : 1 + 2u * op_result(op)->type->rank + dim;
}

#endif
