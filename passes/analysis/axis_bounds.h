// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of the axis analysis: upper bounds of non-negative integers.
#ifndef PASSES_ANALYSIS_AXIS_BOUNDS_H
#define PASSES_ANALYSIS_AXIS_BOUNDS_H

#include "passes/analysis/axis_info.h"

// The greatest number of the integer type.
uint64_t axis_greatest(const Type *integer);
// Sets `nonnegative` and `most` for the integers that an elementwise op gives. `in`: the facts about its operands.
void axis_set_bounds(const Op *op, const AxisInfo *const in[3], AxisInfo *out);

#endif
