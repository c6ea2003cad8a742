// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of promote_shared that puts dots' operands into shared memory.
#ifndef PASSES_PROMOTE_DOT_H
#define PASSES_PROMOTE_DOT_H

#include "passes/passes.h"

// Operands that the dot wants in shared memory become buffers; conversions that feed a dot's operand go
// through a buffer that the dot's side reads (ldmatrix). Returns whether anything changed.
bool promote_dots(PassContext *context, Func *func);

#endif
