// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of ops that change the shapes of tiles or work along a dimension.
#include "ir/verify/verify_parts.h"

#include <inttypes.h>

bool verify_axis(Verifier *v, const Op *op, const Type *tile) {
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  if (axis >= 0 && axis < tile->rank) return true;
  return verify_fail(v, op, "the axis %" PRId64 " is not a dimension of %s", axis, verify_type_text(v, tile));
}

void verify_word(Verifier *v, const Op *op, AttrKey key, const char *const *words, size_t n) {
  const Attr *attr = op_attr(op, key);
  for (size_t i = 0; attr && i < n; i++)
    if (strcmp(attr->str, words[i]) == 0) return;
  if (attr) verify_fail(v, op, "'%.40s' is not a value of '%s'", attr->str, attr_info(key)->name);
}

// The result's tile must have the operand's elements and this shape.
static void want_shape(Verifier *v, const Op *op, uint32_t result, uint32_t rank, const uint32_t *shape) {
  const Type *type = op->results[result].type, *from = operand_type(op, 0);
  bool good = type_element(type) == type_element(from) && type->rank == rank &&
              type->kind == (rank ? TYPE_TILE : type_element(from)->kind);
  for (uint32_t d = 0; good && d < rank; d++) good = type->shape[d] == shape[d];
  if (!good)
    verify_fail(v, op, "result %u is %s, which does not follow from %s", result, verify_type_text(v, type),
                verify_type_text(v, from));
}

static void check_expand_dims(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0);
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  uint32_t shape[TILE_MAX_RANK + 1];
  if (axis < 0 || axis > from->rank) {
    verify_fail(v, op, "a dimension cannot be inserted at %" PRId64 " of %s", axis,
                verify_type_text(v, from));
    return;
  }
  for (uint32_t d = 0; d <= from->rank; d++) shape[d] = d == axis ? 1 : from->shape[d - (d > axis)];
  want_shape(v, op, 0, from->rank + 1u, shape);
}

static void check_broadcast(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  uint32_t shape[TILE_MAX_RANK];
  for (uint32_t d = 0; d < from->rank; d++)
    shape[d] = from->shape[d] == 1 && to->rank == from->rank ? to->shape[d] : from->shape[d];
  want_shape(v, op, 0, from->rank, shape);
}

static void check_reshape(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  if (type_element(from) != type_element(to) || type_elements(from) != type_elements(to))
    verify_fail(v, op, "%s and %s do not hold the same elements", verify_type_text(v, from),
                verify_type_text(v, to));
}

static void check_trans(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0);
  const Attr *order = op_attr(op, ATTR_ORDER);
  uint32_t shape[TILE_MAX_RANK], seen = 0;
  for (uint32_t i = 0; i < order->ints.n; i++)
    if (order->ints.at[i] >= 0 && order->ints.at[i] < from->rank) seen |= 1u << order->ints.at[i];
  if (order->ints.n != from->rank || seen != (1u << from->rank) - 1) {
    verify_fail(v, op, "'order' is a permutation of the %u dimensions", from->rank);
    return;
  }
  for (uint32_t d = 0; d < from->rank; d++) shape[d] = from->shape[order->ints.at[d]];
  want_shape(v, op, 0, from->rank, shape);
}

static void check_join(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0);
  uint32_t shape[TILE_MAX_RANK + 1];
  memcpy(shape, from->shape, from->rank * sizeof *shape);
  shape[from->rank] = 2;
  want_shape(v, op, 0, from->rank + 1u, shape);
}

static void check_split(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0);
  if (from->shape[from->rank - 1] != 2) {
    verify_fail(v, op, "the last dimension of %s is not of size 2", verify_type_text(v, from));
    return;
  }
  for (uint32_t i = 0; i < 2; i++) want_shape(v, op, i, from->rank - 1u, from->shape);
}

static void check_cat(Verifier *v, const Op *op) {
  const Type *a = operand_type(op, 0), *b = operand_type(op, 1);
  uint32_t shape[TILE_MAX_RANK];
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  bool agree = b->rank == a->rank && type_element(a) == type_element(b);
  for (uint32_t d = 0; agree && d < a->rank; d++) {
    agree = d == axis || a->shape[d] == b->shape[d];
    shape[d] = a->shape[d] + (d == axis ? b->shape[d] : 0);
  }
  if (agree)
    want_shape(v, op, 0, a->rank, shape);
  else
    verify_fail(v, op, "%s and %s differ in more than dimension %u", verify_type_text(v, a),
                verify_type_text(v, b), axis);
}

static void check_slice(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  const Attr *starts = op_attr(op, ATTR_STARTS);
  if (to->rank != from->rank || type_element(to) != type_element(from) || starts->ints.n != from->rank) {
    verify_fail(v, op, "%s to %s with %u starts is not a slice", verify_type_text(v, from),
                verify_type_text(v, to), starts->ints.n);
    return;
  }
  verify_starts(v, op, to, from);
}

static void check_gather(Verifier *v, const Op *op) {
  const Type *x = operand_type(op, 0), *index = operand_type(op, 1);
  bool agree = index->rank == x->rank;
  for (uint32_t d = 0; agree && d < x->rank; d++)
    agree = d == (uint32_t)op_int(op, ATTR_AXIS, 0) || x->shape[d] == index->shape[d];
  if (!agree)
    verify_fail(v, op, "%s and the index %s differ in more than dimension %" PRId64, verify_type_text(v, x),
                verify_type_text(v, index), op_int(op, ATTR_AXIS, 0));
  else
    want_shape(v, op, 0, index->rank, index->shape);
}

static void check_sort(Verifier *v, const Op *op) {
  uint32_t size = result_type(op)->shape[op_int(op, ATTR_AXIS, 0)];
  if (op_attr(op, ATTR_MERGE) && (size & (size - 1)))
    verify_fail(v, op, "a merge is of a power of two of elements, not %u", size);
}

void verify_tile_op(Verifier *v, const Op *op) {
  switch ((int)op->kind) {
  case OP_EXPAND_DIMS: check_expand_dims(v, op); break;
  case OP_BROADCAST: check_broadcast(v, op); break;
  case OP_RESHAPE: check_reshape(v, op); break;
  case OP_TRANS: check_trans(v, op); break;
  case OP_JOIN: check_join(v, op); break;
  case OP_SPLIT: check_split(v, op); break;
  case OP_CAT: check_cat(v, op); break;
  case OP_SLICE: check_slice(v, op); break;
  case OP_GATHER: check_gather(v, op); break;
  case OP_SORT: check_sort(v, op); break;
  case OP_DOT: verify_dot(v, op); break;
  default: break;
  }
}
