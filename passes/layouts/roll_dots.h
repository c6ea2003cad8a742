// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_LAYOUTS_ROLL_DOTS_H
#define PASSES_LAYOUTS_ROLL_DOTS_H

#include "passes/passes.h"

// Dots by multiply-adds become loops over k where a kernel has too many multiply-adds. True where something changed.
bool roll_dots(PassContext *context, Func *func);

#endif
