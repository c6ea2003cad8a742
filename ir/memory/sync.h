// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What synchronises, as ops.def says.
#ifndef IR_MEMORY_SYNC_H
#define IR_MEMORY_SYNC_H

#include "ir/ir.h"

// The synchronising instructions that the op prints, parted by spaces (words_next); "": none.
const char *op_sync(const Op *op);

#endif
