// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Synchronisation, as ops.def defines it.
#ifndef IR_MEMORY_SYNC_H
#define IR_MEMORY_SYNC_H

#include "ir/ir.h"

// The synchronising instructions that the op prints, separated by spaces (words_next); "": none.
const char *op_sync(const Op *op);
// Returns true if the op takes effect when the dots that its thread has begun are complete.
bool op_follows_dots(const Op *op);

#endif
