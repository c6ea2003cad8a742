// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of pad_tiles for ops that move elements. If padding comes between former neighbours, the elements are gathered.
#include "base/integer.h"
#include "passes/lower/pad_tiles.h"

static Value *clamp_index(Builder *b, Value *i, uint32_t size) {
  return build_with_int(b, OP_MIN, build_with_int(b, OP_MAX, i, 0), size - 1);
}

// --- reshape

static uint32_t without_ones(const Type *type, uint32_t sizes[TILE_MAX_RANK]) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->shape[d] > 1) sizes[n++] = type->shape[d];
  return n;
}

// True if the padded elements keep their order. Dimensions of both shapes are grouped until the groups have equal
// numbers of elements. In each group only the first dimension may be padded.
static bool keeps_order(const Type *from, const Type *to) {
  uint32_t x[TILE_MAX_RANK], y[TILE_MAX_RANK], s = 0, d = 0, n = without_ones(from, x),
                                               m = without_ones(to, y);
  while (s < n && d < m) {
    uint64_t left = x[s++], right = y[d++];
    while (left != right) {
      bool first = left < right;
      uint32_t next = first ? x[s++] : y[d++];
      if (!is_power_of_two(next)) return false;
      *(first ? &left : &right) *= next;
    }
  }
  return true;
}

// The linear index of each element of `to`, in its written shape. Padding gets the index of some element.
static Value *number_of(Builder *b, const Value *to, const Type *written) {
  Value *number = NULL;
  uint64_t stride = 1;
  for (uint32_t d = written->rank; d-- > 0; stride *= written->shape[d]) {
    if (written->shape[d] == 1) continue;
    Value *part = build_with_int(b, OP_MUL, pad_index(b, to, d), (int64_t)stride);
    number = number ? build_binary(b, OP_ADD, number, part) : part;
  }
  return build_with_int(b, OP_MIN, number, (int64_t)type_elements(written) - 1);
}

// The linear index, in the padded shape `from`, of each element of `to`.
static Value *place_in(Builder *b, const Type *from, const Value *to, const Type *to_written) {
  Value *flat = number_of(b, to, to_written), *place = NULL;
  uint64_t stride = 1;
  for (uint32_t d = from->rank; d-- > 0; stride *= pad_size(from->shape[d])) {
    if (from->shape[d] == 1) continue;
    Value *part = build_with_int(b, OP_MUL, build_with_int(b, OP_REM, flat, from->shape[d]), (int64_t)stride);
    place = place ? build_binary(b, OP_ADD, place, part) : part;
    flat = build_with_int(b, OP_DIV, flat, from->shape[d]);
  }
  return place;
}

// True if the value is only reduced, and by itself. Other operands of the same reduction (such as indices) would have
// their elements at other places.
static bool is_only_reduced(const Value *value) {
  bool reduced = value->type->rank == 1;
  for (const Use *use = value->first_use; use; use = use->next)
    reduced &= use->user->kind == OP_REDUCE && use->user->operand_count == 1;
  return reduced;
}

// If a line is only reduced, only the order of its elements counts. So padding may stay between them.
static void pad_line(Padding *p, Op *op) {
  Value *x = op_operand(op, 0);
  uint32_t size = (uint32_t)type_elements(x->type);
  Builder b = builder_before(op);
  Value *line = build_reshape(&b, x, 1, &size), *inside = pad_inside(p, &b, x, PAD_ALL);
  pad_replace(p, op_result(op), line);
  pad_scatter(p, line, build_reshape(&b, inside, 1, &size));
  op_erase(op);
}

void pad_reshape(Padding *p, Op *op) {
  Value *x = op_operand(op, 0), *to = op_result(op);
  const Type *from = pad_written(p, x), *written = pad_written(p, to);
  if (keeps_order(from, written)) return;
  if (is_only_reduced(to) && pad_is_padded(p, x)) {
    pad_line(p, op);
    return;
  }
  Builder b = builder_before(op);
  if (x->def && x->def->kind == OP_ARANGE) { // computed where it is needed
    pad_replace(p, to, build_with_int(&b, OP_ADD, number_of(&b, to, written), op_int(x->def, ATTR_START, 0)));
    op_erase(op);
    return;
  }
  Value *place = place_in(&b, from, to, written);
  uint32_t many = (uint32_t)type_elements(x->type), fewer = (uint32_t)type_elements(to->type);
  place = build_reshape(&b, place, 1, &fewer);
  Value *line = build_gather(&b, build_reshape(&b, x, 1, &many), place, 0);
  pad_replace(p, to, build_reshape(&b, line, to->type->rank, to->type->shape));
  op_erase(op);
}

// --- cat, slice, flip

// A tile shaped like `to` along `axis`. From index `from` on, it has the elements of x.
static Value *part_of(Builder *b, Value *x, const Value *to, uint32_t axis, uint32_t from) {
  if (x->type->shape[axis] == to->type->shape[axis] && from == 0) return x;
  Value *i = build_with_int(b, OP_SUB, pad_index(b, to, axis), from);
  return build_gather(b, x, clamp_index(b, i, x->type->shape[axis]), axis);
}

void pad_cat(Padding *p, Op *op) {
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  Value *x = op_operand(op, 0), *y = op_operand(op, 1), *to = op_result(op);
  uint32_t size = pad_written(p, x)->shape[axis];
  if (!pad_along(p, to, axis) && !pad_along(p, x, axis) && !pad_along(p, y, axis)) return;
  Builder b = builder_before(op);
  Value *first = build_with_int(&b, OP_LT, pad_index(&b, to, axis), size);
  Value *a = part_of(&b, x, to, axis, 0), *c = part_of(&b, y, to, axis, size);
  pad_replace(p, to, build(&b, OP_SELECT, to->type, first, a, c));
  op_erase(op);
}

void pad_slice(Padding *p, Op *op) {
  Value *x = op_operand(op, 0), *to = op_result(op);
  const Attr *attr = op_attr(op, ATTR_STARTS);
  uint32_t starts[TILE_MAX_RANK], shape[TILE_MAX_RANK];
  Builder b = builder_before(op);
  for (uint32_t d = 0; d < to->type->rank; d++) {
    uint32_t size = to->type->shape[d], has = x->type->shape[d];
    starts[d] = (uint32_t)attr->ints.at[d];
    if (starts[d] + size <= has) continue;
    memcpy(shape, x->type->shape, sizeof shape);
    shape[d] = size;
    Value *i = clamp_index(&b, build_arange(&b, starts[d], (int64_t)starts[d] + size), has);
    x = build_gather(&b, x, tile_along(&b, i, d, to->type->rank, shape), d);
    starts[d] = 0;
  }
  if (x == op_operand(op, 0)) return;
  bool whole = type_same_shape(x->type, to->type);
  pad_replace(p, to, whole ? x : build_slice(&b, x, starts, to->type->shape));
  op_erase(op);
}

void pad_flip(Padding *p, Op *op) {
  Value *x = op_operand(op, 0);
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0), last = pad_written(p, x)->shape[axis] - 1;
  if (!pad_along(p, x, axis)) return;
  Builder b = builder_before(op);
  Value *i = pad_index(&b, x, axis);
  Value *mirrored = build_binary(&b, OP_SUB, build_int(&b, i->type, last), i);
  pad_replace(p, op_result(op), build_gather(&b, x, build_with_int(&b, OP_MAX, mirrored, 0), axis));
  op_erase(op);
}
