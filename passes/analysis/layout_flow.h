// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the layouts of one op depend on each other. An op works in one layout. It gives the layout of each operand and
// result.
#ifndef PASSES_ANALYSIS_LAYOUT_FLOW_H
#define PASSES_ANALYSIS_LAYOUT_FLOW_H

#include "ir/queries.h"

// The layout that an op works in is the layout of these tiles:
// * The operands, for reduce, histogram, join and cat.
// * The results, for views, split, slice, gather and dot.
// * All tiles, for the other ops.

// The layout of a view's operand from that of its result, and the reverse. A view only renames registers, in any layout
// of the result.
const Layout *flow_view_operand(const Op *op, const Layout *result);
const Layout *flow_view_result(const Op *op, const Layout *operand);

// The layout of operand i, or of result i, if the op works in `layout`; NULL: any.
const Layout *flow_operand(const Op *op, uint32_t i, const Layout *layout);
const Layout *flow_result(const Op *op, uint32_t i, const Layout *layout);
// True if flow_operand gives `layout` itself: such operands can share the op's component.
bool flow_shares_operand(const Op *op, uint32_t i);
bool flow_shares_result(const Op *op, uint32_t i);
// The layout to work in so that operand i may stay in `operand`; NULL: there is none, or it is not certain.
const Layout *flow_layout_for(const Op *op, uint32_t i, const Layout *operand);
// The layout to work in so that the join gives `result`; NULL: there is none.
const Layout *flow_joined(const Op *join, const Layout *result);

// The layout of any tile in the region if nothing asks for another: last dimension fastest, one element per lane.
const Layout *flow_default(const Region *region, const Type *tile);

#endif
