// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_REMATERIALISE_H
#define PASSES_REMATERIALISE_H

#include "passes/passes.h"

// rematerialise_data.c: tiles that are wider than the one that they are made of are made of it again after
// reductions and scans, where registers are short. True where something changed.
bool rematerialise_data(PassContext *context, Func *func);

#endif
