// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that a launch executes, from an assembler's machine code: each basic block's, times its
// executions.
#ifndef COST_EXECUTED_H
#define COST_EXECUTED_H

#include "cost/cost.h"

// ops: indexed by the func's op ids, with executions and estimated instructions. The code's counts replace
// the estimate. Instructions of no op count for the func's last op.
void executed_count(Arena *arena, const Func *func, const MachineCode *code, CostOp *ops);

#endif
