// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far neighbours along a dimension are apart, where the compiler can tell.
#include "passes/axis_info.h"

enum { MAX_STEPS = 96 }; // expressions share operands, so the search is bounded

typedef struct StrideSearch {
  const AxisTable *axes;
  uint32_t steps;
} StrideSearch;

static bool stride_of(StrideSearch *s, const Value *value, uint32_t dim, int64_t *stride);

static bool stride_of_product(StrideSearch *s, const Value *x, const Value *by, uint32_t dim,
                              int64_t *stride) {
  const AxisInfo *factor = axis_info(s->axes, by);
  return factor->known && stride_of(s, x, dim, stride) &&
         !__builtin_mul_overflow(*stride, factor->constant, stride);
}

static bool stride_of_sum(StrideSearch *s, const Op *op, uint32_t dim, int64_t unit, int64_t *stride) {
  int64_t more;
  if (!stride_of(s, op_operand(op, 0), dim, stride) || !stride_of(s, op_operand(op, 1), dim, &more))
    return false;
  if (op->kind == OP_SUB) unit = -unit;
  return !__builtin_mul_overflow(more, unit, &more) && !__builtin_add_overflow(*stride, more, stride);
}

static bool stride_of_shift(StrideSearch *s, const Op *op, uint32_t dim, int64_t *stride) {
  const AxisInfo *by = axis_info(s->axes, op_operand(op, 1));
  if (!by->known || by->constant < 0 || by->constant > 31 || !stride_of(s, op_operand(op, 0), dim, stride))
    return false;
  return !__builtin_mul_overflow(*stride, INT64_C(1) << by->constant, stride);
}

// The operand's dimension that is the result's; TILE_MAX_RANK: a new one of size 1.
static uint32_t dim_behind(const Op *op, uint32_t dim) {
  if (op->kind == OP_TRANS) return (uint32_t)op_attr(op, ATTR_ORDER)->ints.at[dim];
  if (op->kind != OP_EXPAND_DIMS) return dim;
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  return dim == axis ? TILE_MAX_RANK : dim - (dim > axis);
}

static bool stride_of_op(StrideSearch *s, const Op *op, uint32_t dim, int64_t *stride) {
  const Type *inner = type_element(op_result(op)->type);
  switch ((int)op->kind) {
  case OP_ADD:
  case OP_SUB: return stride_of_sum(s, op, dim, 1, stride);
  case OP_ADDPTR: return stride_of_sum(s, op, dim, type_element_bytes(inner->inner), stride);
  case OP_MUL:
    return stride_of_product(s, op_operand(op, 0), op_operand(op, 1), dim, stride) ||
           stride_of_product(s, op_operand(op, 1), op_operand(op, 0), dim, stride);
  case OP_HINT: return stride_of(s, op_operand(op, 0), dim, stride);
  case OP_SHL: return stride_of_shift(s, op, dim, stride);
  case OP_CAST: return type_is_int(op_operand(op, 0)->type) && stride_of(s, op_operand(op, 0), dim, stride);
  case OP_TRANS:
  case OP_BROADCAST:
  case OP_EXPAND_DIMS: return stride_of(s, op_operand(op, 0), dim_behind(op, dim), stride);
  default: return false;
  }
}

static bool stride_of(StrideSearch *s, const Value *value, uint32_t dim, int64_t *stride) {
  *stride = 0;
  if (!type_is_tile(value->type) || dim >= value->type->rank || value->type->shape[dim] == 1) return true;
  const AxisInfo *info = axis_info(s->axes, value);
  if (info->constancy[dim] >= value->type->shape[dim]) return true;
  const Type *element = type_element(value->type);
  if (info->contiguity[dim] >= value->type->shape[dim]) {
    *stride = element->kind == TYPE_PTR ? type_element_bytes(element->inner) : 1;
    return true;
  }
  if (!value->def || s->steps == 0) return false;
  s->steps--;
  return stride_of_op(s, value->def, dim, stride);
}

bool axis_stride(const AxisTable *table, const Value *value, uint32_t dim, int64_t *stride) {
  StrideSearch search = {table, MAX_STEPS};
  return stride_of(&search, value, dim, stride);
}
