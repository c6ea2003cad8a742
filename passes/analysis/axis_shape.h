// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis analysis of ops that move elements to another shape.
#ifndef PASSES_ANALYSIS_AXIS_SHAPE_H
#define PASSES_ANALYSIS_AXIS_SHAPE_H

#include "passes/analysis/axis_info.h"

// Whether the op is expand_dims, broadcast, trans or reshape.
bool axis_is_shape_op(const Op *op);
// What is claimed of its result where `in` is claimed of its operand.
// `step`: how far neighbours of a contiguous run are apart.
AxisInfo axis_of_shape_op(const Op *op, const AxisInfo *in, uint64_t step);

// The operand's dimension that is dimension `dim` of the result of an expand_dims, broadcast or trans;
// TILE_MAX_RANK: a new one of size 1.
uint32_t axis_dim_behind(const Op *op, uint32_t dim);

#endif
