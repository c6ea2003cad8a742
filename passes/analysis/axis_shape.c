// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expand_dims, broadcast and trans move whole dimensions, and facts move with them. A reshape keeps the order of the
// flattened elements. If all sizes are powers of two, an aligned run along the old innermost dimension stays an aligned
// run. It must fit in the new innermost dimension.
#include "passes/analysis/axis_shape.h"
#include "base/integer.h"
#include "passes/analysis/axis_rules.h"

// The number that divides every element. Each dimension contributes a known divisor.
static uint64_t divisor_of_all(const AxisInfo *info, uint64_t step, uint32_t rank) {
  uint64_t most = 1;
  for (uint32_t d = 0; d < rank; d++) {
    uint64_t divisor = axis_divisor_at(info, step, d, 1);
    if (divisor > most) most = divisor;
  }
  return most;
}

static void set_dim(AxisInfo *info, uint32_t d, uint64_t contiguity, uint64_t divisibility,
                    uint64_t constancy) {
  info->contiguity[d] = contiguity;
  info->divisibility[d] = divisibility;
  info->constancy[d] = constancy;
}

static void copy_dim(AxisInfo *to, uint32_t d, const AxisInfo *from, uint32_t source) {
  set_dim(to, d, from->contiguity[source], from->divisibility[source], from->constancy[source]);
}

// The last dimension with more than one element; 0 if there is none.
static uint32_t innermost_dim(const Type *tile) {
  uint32_t d = tile->rank - 1u;
  while (d > 0 && tile->shape[d] == 1) d--;
  return d;
}

static void set_reshaped(AxisInfo *info, const AxisInfo *in, uint64_t step, const Type *from,
                         const Type *to) {
  if (!type_sizes_are_powers(from) || !type_sizes_are_powers(to)) return;
  uint32_t s = innermost_dim(from), d = innermost_dim(to);
  uint64_t extent = to->shape[d], run = min_u64(in->contiguity[s], extent);
  set_dim(info, d, run, axis_divisor_at(in, step, s, run), min_u64(in->constancy[s], extent));
  bool uniform = true; // All of the tile has one value.
  for (uint32_t i = 0; i < from->rank; i++) uniform = uniform && in->constancy[i] >= from->shape[i];
  for (uint32_t i = 0; uniform && i < to->rank; i++) info->constancy[i] = to->shape[i];
}

AxisInfo axis_of_shape_op(const Op *op, const AxisInfo *in, uint64_t step) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  const Attr *order = op_attr(op, ATTR_ORDER);
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  uint64_t all = divisor_of_all(in, step, from->rank);
  AxisInfo info = *in;
  for (uint32_t d = 0; d < TILE_MAX_RANK; d++) set_dim(&info, d, 1, all, 1);
  for (uint32_t d = 0; d < to->rank; d++) {
    if (op->kind == OP_EXPAND_DIMS && d != axis) copy_dim(&info, d, in, d - (d > axis));
    if (op->kind == OP_TRANS) copy_dim(&info, d, in, (uint32_t)order->ints.at[d]);
    if (op->kind == OP_BROADCAST) copy_dim(&info, d, in, d);
    bool repeats = op->kind == OP_BROADCAST && from->shape[d] != to->shape[d];
    uint64_t extent = 1;
    while (extent < to->shape[d]) extent *= 2;
    if (repeats) set_dim(&info, d, 1, all, extent);
  }
  if (op->kind == OP_RESHAPE) set_reshaped(&info, in, step, from, to);
  return info;
}

uint32_t axis_dim_behind(const Op *op, uint32_t dim) {
  if (op->kind == OP_TRANS) return (uint32_t)op_attr(op, ATTR_ORDER)->ints.at[dim];
  if (op->kind != OP_EXPAND_DIMS) return dim;
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  return dim == axis ? TILE_MAX_RANK : dim - (dim > axis);
}
