// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis analysis of one op.
#ifndef PASSES_ANALYSIS_AXIS_RULES_H
#define PASSES_ANALYSIS_AXIS_RULES_H

#include "passes/analysis/axis_info.h"

// What is claimed of any value of the type; of a constant.
AxisInfo axis_nothing_known(const Value *value);
AxisInfo axis_of_constant(const Value *value, int64_t constant);
// How far neighbouring values of a contiguous run are apart.
uint64_t axis_step(const Value *value);
// What divides the values of dimension d at multiples of `run`.
uint64_t axis_divisor_at(const AxisInfo *info, uint64_t step, uint32_t d, uint64_t run);
// What is claimed of the op's result, from what is claimed of its operands. Ops with regions are not for it.
AxisInfo axis_of_result(const AxisTable *table, const Op *op, const Value *result);

#endif
