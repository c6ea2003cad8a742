// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that run once at most.
#ifndef PASSES_LOOPS_RUN_ONCE_H
#define PASSES_LOOPS_RUN_ONCE_H

#include "passes/passes.h"

// Returns true if the loop starts less than a step before its end, as the last iteration that split_masks peels.
bool loop_runs_once(const Op *loop);
// Turns such a loop into a branch.
void loop_to_branch(Arena *arena, Op *loop);

#endif
