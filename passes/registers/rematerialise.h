// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_REGISTERS_REMATERIALISE_H
#define PASSES_REGISTERS_REMATERIALISE_H

#include "passes/passes.h"

// rematerialise_data.c: if registers are short, tiles computed from a narrower tile are computed again after reductions
// and scans. Returns true if something changed.
bool rematerialise_data(PassContext *context, Func *func);
// rematerialise_rows.c: if registers are short, computes each address of single elements in rows from the previous one.
bool rematerialise_rows(PassContext *context, Func *func);

#endif
