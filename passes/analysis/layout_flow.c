// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts through ops, by the layout algebra's shape changes.
#include "passes/analysis/layout_flow.h"
#include "base/integer.h"
#include "ir/dot/layout_dot.h"
#include <string.h>

static IrContext *context_of(const Op *op) { return op->region->func->module->ir; }
static const Layout *intern_for(const Op *op, Layout layout) {
  return layout_intern(context_of(op), &layout);
}

// The layout through a transposition, or back.
static const Layout *transposed(const Op *op, const Layout *layout, bool back) {
  const Attr *attr = op_attr(op, ATTR_ORDER);
  uint32_t order[TILE_MAX_RANK];
  for (uint32_t d = 0; d < attr->ints.n; d++) {
    uint32_t from = (uint32_t)attr->ints.at[d];
    order[back ? from : d] = back ? d : from;
  }
  const Type *type = back ? op_result(op)->type : operand_type(op, 0);
  return intern_for(op, layout_trans(layout, type->rank, type->shape, order));
}

const Layout *flow_view_operand(const Op *op, const Layout *result) {
  const Type *from = operand_type(op, 0), *to = op_result(op)->type;
  if (op->kind == OP_BROADCAST)
    return intern_for(op, layout_broadcast_operand(result, to->rank, from->shape, to->shape));
  return op->kind == OP_TRANS ? transposed(op, result, true) : result;
}

const Layout *flow_view_result(const Op *op, const Layout *operand) {
  const Type *from = operand_type(op, 0), *to = op_result(op)->type;
  if (op->kind == OP_BROADCAST)
    return intern_for(op, layout_broadcast_result(operand, to->rank, from->shape, to->shape));
  return op->kind == OP_TRANS ? transposed(op, operand, false) : operand;
}

static void add_register(Layout *layout, uint32_t basis) {
  uint32_t n = layout_in_bits(layout), at = layout->bits[DIM_REGISTER];
  memmove(layout->basis + at + 1, layout->basis + at, (n - at) * sizeof *layout->basis);
  layout->basis[at] = basis;
  layout->bits[DIM_REGISTER]++;
}

static uint32_t dim_bits(const Type *tile, uint32_t d, uint32_t *first) {
  return layout_dim_bits(tile->rank, tile->shape, d, first);
}

// The layout of a larger tile of the same rank. Its additional index bits, the high ones of each dimension, are
// registers.
static const Layout *layout_of_larger(const Op *op, const Layout *layout, const Type *small,
                                      const Type *large) {
  Layout result = *layout;
  uint32_t n = layout_in_bits(layout), out_bits = 0;
  for (uint32_t i = 0; i < n; i++) result.basis[i] = 0;
  for (uint32_t d = 0; d < small->rank; d++) {
    uint32_t from, to, bits = dim_bits(small, d, &from);
    out_bits += dim_bits(large, d, &to);
    for (uint32_t i = 0; i < n; i++)
      result.basis[i] |= (layout->basis[i] >> from & ((UINT32_C(1) << bits) - 1)) << to;
  }
  result.out_bits = (uint8_t)out_bits;
  for (uint32_t d = small->rank; d-- > 0;) {
    uint32_t from, to, bits = dim_bits(small, d, &from), more = dim_bits(large, d, &to);
    for (uint32_t i = bits; i < more; i++) add_register(&result, UINT32_C(1) << (to + i));
  }
  return intern_for(op, result);
}

// Both elements of a pair in each thread.
static const Layout *layout_of_pair(const Op *op) {
  Layout layout = {.out_bits = 1, .basis = {1}};
  layout.bits[DIM_REGISTER] = 1;
  layout.bits[DIM_LANE] = LANE_BITS;
  layout.bits[DIM_WARP] = (uint8_t)region_warp_bits(op);
  return intern_for(op, layout);
}

static const Layout *mma_scales(const Op *op, uint32_t i, const Layout *layout) {
  DotShape shape = dot_op_shape(op);
  uint32_t k_bits = log2_ceil(operand_type(op, i)->shape[1]);
  return intern_for(op, layout_mma_scales(layout, &shape, (DotOperand)(i - DOT_SCALE_A), k_bits));
}

static const Layout *dot_operand(const Op *op, uint32_t i, const Layout *layout) {
  if (i >= DOT_SCALE_A) return is_dot_of(op, DOT_MMA) ? mma_scales(op, i, layout) : NULL;
  if (i >= DOT_SUM) return layout;
  if (op_attr(op, i == 0 ? ATTR_SHARED_A : ATTR_SHARED_B)) return NULL;
  const Attr *anchor = op_attr(op, i == 0 ? ATTR_ANCHOR_A : ATTR_ANCHOR_B);
  return anchor ? anchor->layout : NULL;
}

const Layout *flow_operand(const Op *op, uint32_t i, const Layout *layout) {
  if (op_has(op, VIEW) && type_is_tile(operand_type(op, 0))) return flow_view_operand(op, layout);
  switch ((int)op->kind) {
  case OP_DOT: return dot_operand(op, i, layout);
  case OP_SPLIT:
    return type_is_tile(op_result(op)->type) ? intern_for(op, layout_join(layout)) : layout_of_pair(op);
  case OP_SLICE: return layout_of_larger(op, layout, op_result(op)->type, operand_type(op, 0));
  case OP_GATHER: return i == 1 ? layout : NULL;
  case OP_PRINT:
  case OP_CONVERT_LAYOUT: return NULL;
  default: return layout;
  }
}

const Layout *flow_result(const Op *op, uint32_t i, const Layout *layout) {
  const Type *from = op->operand_count ? operand_type(op, 0) : NULL;
  switch ((int)op->kind) {
  case OP_REDUCE:
    return intern_for(op, layout_slice(layout, from->rank, from->shape, (uint32_t)op_int(op, ATTR_AXIS, 0)));
  case OP_JOIN: return type_is_tile(from) ? intern_for(op, layout_join(layout)) : NULL;
  case OP_CAT: return layout_of_larger(op, layout, from, op->results[i].type);
  case OP_HISTOGRAM: return NULL;
  default: return layout;
  }
}

bool flow_shares_operand(const Op *op, uint32_t i) {
  if (op_has_any(op, VIEW | PIECES)) return false;
  switch ((int)op->kind) {
  case OP_DOT: return i == 2 && !op_attr(op, ATTR_ANCHOR);
  case OP_PRINT:
  case OP_CONVERT_LAYOUT: return false;
  case OP_GATHER: return i == 1;
  default: return true;
  }
}

bool flow_shares_result(const Op *op, uint32_t i) {
  (void)i;
  switch ((int)op->kind) {
  case OP_REDUCE:
  case OP_JOIN:
  case OP_CAT:
  case OP_HISTOGRAM:
  case OP_CONVERT_LAYOUT: return false;
  case OP_DOT: return !op_attr(op, ATTR_ANCHOR);
  default: return true;
  }
}

const Layout *flow_layout_for(const Op *op, uint32_t i, const Layout *operand) {
  Layout half;
  if (op->kind == OP_SPLIT && type_is_tile(op_result(op)->type))
    return layout_split(operand, &half) ? intern_for(op, half) : NULL;
  if (op_has(op, PIECES) || op->kind == OP_DOT) return NULL;
  if (op->kind == OP_GATHER && i == 0) return NULL;
  if (op_has(op, VIEW)) return flow_view_result(op, operand);
  return operand;
}

const Layout *flow_joined(const Op *join, const Layout *result) {
  Layout half;
  return type_is_tile(operand_type(join, 0)) && layout_split(result, &half) ? intern_for(join, half) : NULL;
}

const Layout *flow_default(const Region *region, const Type *tile) {
  uint32_t order[TILE_MAX_RANK];
  for (uint32_t i = 0; i < tile->rank; i++) order[i] = tile->rank - 1u - i;
  Layout layout = layout_default(tile->rank, tile->shape, order, 0, region_warp_bits_of(region));
  return layout_intern(region->func->module->ir, &layout);
}
