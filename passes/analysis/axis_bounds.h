// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Within the axis analysis: the greatest that integers can be that are not negative.
#ifndef PASSES_ANALYSIS_AXIS_BOUNDS_H
#define PASSES_ANALYSIS_AXIS_BOUNDS_H

#include "passes/analysis/axis_info.h"

// The greatest number of the integer type.
uint64_t axis_greatest(const Type *integer);
// Sets `nonnegative` and `most` of an elementwise op's integers, whose operands' facts are `in`.
void axis_set_bounds(const Op *op, const AxisInfo *const in[3], AxisInfo *out);

#endif
