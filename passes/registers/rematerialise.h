// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_REGISTERS_REMATERIALISE_H
#define PASSES_REGISTERS_REMATERIALISE_H

#include "passes/passes.h"

// True if the op's tile is the thread index, a scalar or a constant. No registers are kept for these.
static inline bool op_is_leaf(const Op *op) {
  return op->kind == OP_ARANGE || op->kind == OP_SPLAT || op->kind == OP_CONSTANT;
}

// rematerialise_data.c: if registers are short, tiles computed from a narrower tile are computed again after reductions
// and scans. Returns true if something changed.
bool rematerialise_data(PassContext *context, Func *func);
// rematerialise_rows.c: if registers are short, computes each address of single elements in rows from the previous one.
bool rematerialise_rows(PassContext *context, Func *func);

#endif
