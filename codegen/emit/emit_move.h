// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which register of which operand each register of a result is, for ops that only move elements: expand_dims,
// broadcast, reshape, trans, join, split, cat, slice.
#ifndef CODEGEN_EMIT_EMIT_MOVE_H
#define CODEGEN_EMIT_EMIT_MOVE_H

#include "ir/ir.h"

typedef struct RegisterMove {
  uint32_t operand, reg;
} RegisterMove;

// Whether ops of the kind are such moves.
bool moves_registers(OpKind kind);
// Fills moves[r] for every register of result number `result`. False where a thread does not hold all sources
// of its elements, or threads hold them in different registers: a conversion of layouts is missing.
bool plan_moves(Arena *arena, const Op *op, uint32_t result, RegisterMove *moves);
// A join of two scalars: any layout of the result will do.
bool joins_scalars(const Op *op);
// For each register the lowest one with the same element.
void first_registers(Arena *arena, const Layout *layout, uint32_t *first);

#endif
