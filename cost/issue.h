// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates instructions by pipe. LLVM and ptxas decide the actual ones.
#ifndef COST_ISSUE_H
#define COST_ISSUE_H

#include "cost/cost.h"
#include "cost/count.h"

// Warps that execute the op. An op for one thread of a group counts one warp.
uint32_t issue_warps(const Op *op);
// Assumed executions of a region whose executions depend on data. One of two branches executes, so each gets
// half. Other regions get the maximum.
double issue_runs(const Region *region, CostRange runs);
// Instructions of one execution of the op by one warp, into out[]. Arguments: func_shares gives `share`.
// With `index` the op only computes addresses or masks, so a thread has one variable part and constants.
// For `shared` pass count_shared's result.
void issue_of(const Op *op, const uint32_t *share, bool index, const AccessCounts *shared,
              double out[PIPE_COUNT]);
// A dot, all warps together: floating-point operations, and tensor core clocks of a multiprocessor (0: none,
// or unknown).
uint64_t issue_flops(const Op *dot);
double issue_tensor_cycles(const Op *dot);
// The instructions of a dot that add to one sum one after another, while nothing else is done: mma.sync; else 0.
double issue_dot_chain(const Op *dot);
// The PTX instruction that does most of the op's work; NULL: not reported. In the arena.
const char *issue_name(Arena *arena, const Op *op);

#endif
