// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis analysis of ops that change a tile's shape.
#ifndef PASSES_ANALYSIS_AXIS_SHAPE_H
#define PASSES_ANALYSIS_AXIS_SHAPE_H

#include "passes/analysis/axis_info.h"

// The facts about a view's result, from the facts `in` about its operand. `step`: the distance between neighbours of a
// contiguous run.
AxisInfo axis_of_shape_op(const Op *op, const AxisInfo *in, uint64_t step);

// The operand's dimension that becomes dimension `dim` of the result of an expand_dims, broadcast or trans.
// TILE_MAX_RANK: a new dimension of size 1.
uint32_t axis_dim_behind(const Op *op, uint32_t dim);

#endif
