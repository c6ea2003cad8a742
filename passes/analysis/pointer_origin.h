// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the kernel argument that a pointer, or a tile of pointers, was computed from.
#ifndef PASSES_ANALYSIS_POINTER_ORIGIN_H
#define PASSES_ANALYSIS_POINTER_ORIGIN_H

#include "ir/ir.h"

// The function's argument that each pointer is an offset from. NULL: there may be several, or the pointers were loaded
// or made from integers.
const Value *pointer_origin(const Value *pointer);

#endif
