// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an op's layouts hang together: which layout each operand has,
// and each result, where the op itself works in a given one.
#ifndef PASSES_ANALYSIS_LAYOUT_FLOW_H
#define PASSES_ANALYSIS_LAYOUT_FLOW_H

#include "ir/ir.h"

// The layout that an op works in is that of: the operands, for reduce, histogram, join and cat; the results,
// for views, split, slice, gather and dot; all tiles, for the rest.

// expand_dims, broadcast, trans, reshape: these only rename registers, in any layout of the result.
bool flow_is_view(const Op *op);
// A view's operand's layout from its result's, and the other way.
const Layout *flow_view_operand(const Op *op, const Layout *result);
const Layout *flow_view_result(const Op *op, const Layout *operand);

// What operand i must be in, or result i comes out in, where the op works in `layout`; NULL: any.
const Layout *flow_operand(const Op *op, uint32_t i, const Layout *layout);
const Layout *flow_result(const Op *op, uint32_t i, const Layout *layout);
// Whether flow_operand gives `layout` itself: such operands can share the op's component.
bool flow_shares_operand(const Op *op, uint32_t i);
bool flow_shares_result(const Op *op, uint32_t i);
// The layout to work in so that operand i may stay in `operand`; NULL: there is none, or none that is sure.
const Layout *flow_layout_for(const Op *op, uint32_t i, const Layout *operand);

// Any tile's layout in the region where nothing asks for another: the last dimension fastest, an element a lane.
const Layout *flow_default(const Region *region, const Type *tile);

#endif
