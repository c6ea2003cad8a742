// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps each register of a result to the operand register that it copies. For ops that only move elements:
// expand_dims, broadcast, reshape, trans, join, split, cat, slice.
#ifndef CODEGEN_EMIT_EMIT_MOVE_H
#define CODEGEN_EMIT_EMIT_MOVE_H

#include "ir/ir.h"

typedef struct RegisterMove {
  uint32_t operand, reg;
} RegisterMove;

// Fills moves[r] for every register of result number `result`. Returns false if a layout conversion is
// missing: a thread does not hold all its source elements, or threads hold them in different registers.
bool plan_moves(Arena *arena, const Op *op, uint32_t result, RegisterMove *moves);
// True for a join of two scalars: it works with any layout of the result.
bool joins_scalars(const Op *op);
// Sets first[r] to the lowest register with the same element as r.
void first_registers(Arena *arena, const Layout *layout, uint32_t *first);

#endif
