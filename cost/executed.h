// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that a launch executes, of the machine code that an assembler made: each basic block's, times its runs.
#ifndef COST_EXECUTED_H
#define COST_EXECUTED_H

#include "cost/cost.h"

// ops: by op's id, the func's, with their runs and the estimate of instructions, which is replaced by what the code has. Of instructions
// that are no op's the func's last op gets them.
void executed_count(Arena *arena, const Func *func, const MachineCode *code, CostOp *ops);

#endif
