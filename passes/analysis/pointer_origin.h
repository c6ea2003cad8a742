// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the kernel's arguments a pointer, or a tile of them, was computed from.
#ifndef PASSES_ANALYSIS_POINTER_ORIGIN_H
#define PASSES_ANALYSIS_POINTER_ORIGIN_H

#include "ir/ir.h"

// The function's argument that each of the pointers is some elements away from; NULL: they may be of several, or
// were read from memory or made of integers.
const Value *pointer_origin(const Value *pointer);

#endif
