// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis analysis of one op.
#ifndef PASSES_ANALYSIS_AXIS_RULES_H
#define PASSES_ANALYSIS_AXIS_RULES_H

#include "passes/analysis/axis_info.h"

// The facts that hold for any value of the type, and those for a constant.
AxisInfo axis_nothing_known(const Value *value);
AxisInfo axis_of_constant(const Value *value, int64_t constant);
// The distance between neighbouring values of a contiguous run.
uint64_t axis_step(const Value *value);
// The number that divides the values of dimension d at multiples of `run`.
uint64_t axis_divisor_at(const AxisInfo *info, uint64_t step, uint32_t d, uint64_t run);
// The facts about the op's result, from the facts about its operands. Not for ops with regions.
AxisInfo axis_of_result(const AxisTable *table, const Op *op, const Value *result);

#endif
