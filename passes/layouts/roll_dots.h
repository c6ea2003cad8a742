// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_LAYOUTS_ROLL_DOTS_H
#define PASSES_LAYOUTS_ROLL_DOTS_H

#include "passes/passes.h"

// Turns dots by multiply-adds into loops over k if a kernel has too many multiply-adds. True if something changed.
bool roll_dots(PassContext *context, Func *func);

#endif
