// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions by pipe, an estimate: what LLVM and ptxas make of an op is theirs.
#ifndef COST_ISSUE_H
#define COST_ISSUE_H

#include "cost/cost.h"
#include "cost/count.h"

// Warps that execute the op: of a group's one thread one.
uint32_t issue_warps(const Op *op);
// How often instructions of a region are taken to be executed whose runs hang on data: of two branches one is run, so each of them half
// as often; else as often as can be.
double issue_runs(const Region *region, CostRange runs);
// What one execution of the op costs one of its warps, into out[]. share: func_shares; index: the op computes addresses or
// masks alone, of which a thread has one part and constants beside it; shared: count_shared's of the op.
void issue_of(const Op *op, const uint32_t *share, bool index, const AccessCounts *shared,
              double out[PIPE_COUNT]);
// Of a dot, all its warps together: floating-point operations, and clocks of a multiprocessor's tensor cores (0: none, or not known).
uint64_t issue_flops(const Op *dot);
double issue_tensor_cycles(const Op *dot);
// The PTX instruction that does most of the op's work; NULL: it is not told. In the arena.
const char *issue_name(Arena *arena, const Op *op);

#endif
