// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads in loops of dots.
#ifndef PASSES_ANALYSIS_DOT_LOOPS_H
#define PASSES_ANALYSIS_DOT_LOOPS_H

#include "passes/passes.h"

enum { MIN_COPY_BYTES = 4 }; // The least that cp.async copies.

// Returns true if the op is a load in a loop with a dot, and the loop may copy loads to shared memory ahead.
bool may_be_copied_ahead(const Op *load);
// Returns true if, in addition, its tile is one row or column of elements smaller than a copy (scales of groups).
bool is_narrow_row(const Op *load);

// Returns true if an asynchronous copy may replace the load. It needs at least 4 bytes, and zeros where the mask is
// false.
bool load_is_copyable(const Op *load);
// By value id: true if a dot of the loop's body depends on it in the same iteration. Also true for what meets the result
// of a dot of packed words there (scales of groups). The function must be numbered.
uint8_t *find_feeding(Arena *arena, const Func *func, const Op *loop);

#endif
