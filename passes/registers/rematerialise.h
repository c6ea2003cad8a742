// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_REGISTERS_REMATERIALISE_H
#define PASSES_REGISTERS_REMATERIALISE_H

#include "passes/passes.h"

// Whether the op's tile is the thread's number, a scalar or a constant, which nothing waits in registers for.
static inline bool op_is_leaf(const Op *op) {
  return op->kind == OP_ARANGE || op->kind == OP_SPLAT || op->kind == OP_CONSTANT;
}

// rematerialise_data.c: tiles that are wider than the one that they are made of are made of it again after
// reductions and scans, where registers are short. True where something changed.
bool rematerialise_data(PassContext *context, Func *func);
// rematerialise_rows.c: addresses of single elements in rows are made one of the other, where registers are short.
bool rematerialise_rows(PassContext *context, Func *func);

#endif
