// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the evaluator that only move elements. Each result element is an operand's element, found by
// strides.
#include <string.h>
#include "base/fault.h"
#include "eval/eval_machine.h"

// The positions in one tile of elements walked in row-major order of `shape`.
typedef struct TileView {
  const Type *shape;
  int64_t base, stride[TILE_MAX_RANK];
} TileView;

// Row-major strides of a type's dimensions.
static void strides_of(const Type *type, int64_t stride[TILE_MAX_RANK]) {
  int64_t size = 1;
  for (uint32_t d = type->rank; d-- > 0; size *= type->shape[d]) stride[d] = size;
}

// Advances index[] and returns the position of the next element.
static int64_t view_next(const TileView *view, uint32_t index[TILE_MAX_RANK], int64_t at) {
  for (uint32_t d = view->shape->rank; d-- > 0;) {
    at += view->stride[d];
    if (++index[d] < view->shape->shape[d]) break;
    at -= view->stride[d] * view->shape->shape[d];
    index[d] = 0;
  }
  return at;
}

// to[i] = from[position of i]: walks the result in order.
static void read_view(Tile *to, const Tile *from, const TileView *view) {
  uint32_t index[TILE_MAX_RANK] = {0};
  int64_t at = view->base;
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = tile_get(from, (uint32_t)at);
    tile_set(to, i, &x);
    at = view_next(view, index, at);
  }
}

static TileView broadcast_view(const Type *from, const Type *to) {
  TileView view = {.shape = to};
  strides_of(from, view.stride);
  for (uint32_t d = 0; d < to->rank; d++)
    if (from->shape[d] == 1) view.stride[d] = 0;
  return view;
}

static TileView trans_view(const Op *op, const Type *from, const Type *to) {
  const Attr *order = op_attr(op, ATTR_ORDER);
  int64_t stride[TILE_MAX_RANK];
  TileView view = {.shape = to};
  if (!order || order->ints.n != to->rank) BUG("trans without an order of %u dimensions", to->rank);
  strides_of(from, stride);
  for (uint32_t d = 0; d < to->rank; d++) view.stride[d] = stride[order->ints.at[d]];
  return view;
}

static TileView slice_view(const Op *op, const Type *from, const Type *to) {
  const Attr *starts = op_attr(op, ATTR_STARTS);
  TileView view = {.shape = to};
  if (!starts || starts->ints.n != to->rank) BUG("slice without starts in %u dimensions", to->rank);
  strides_of(from, view.stride);
  for (uint32_t d = 0; d < to->rank; d++) view.base += starts->ints.at[d] * view.stride[d];
  return view;
}

static TileView flip_view(const Op *op, const Type *type) {
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  TileView view = {.shape = type};
  strides_of(type, view.stride);
  view.base = view.stride[axis] * (type->shape[axis] - 1);
  view.stride[axis] = -view.stride[axis];
  return view;
}

static void run_join(const Tile *a, const Tile *b, Tile *to) {
  for (uint32_t i = 0; i < a->n; i++) {
    Element x = tile_get(a, i), y = tile_get(b, i);
    tile_set(to, 2 * i, &x);
    tile_set(to, 2 * i + 1, &y);
  }
}

static void run_split(Machine *m, const Op *op) {
  const Tile *from = eval_operand(m, op, 0);
  for (uint32_t half = 0; half < 2; half++) {
    Tile *to = eval_tile(m, &op->results[half]);
    for (uint32_t i = 0; i < to->n; i++) {
      Element x = tile_get(from, 2 * i + half);
      tile_set(to, i, &x);
    }
  }
}

// The number of elements per index of dimensions 0 .. axis - 1: the axis and the dimensions inside it.
static uint32_t row_of(const Type *type, int64_t axis) {
  uint32_t n = 1;
  for (uint32_t d = (uint32_t)axis; d < type->rank; d++) n *= type->shape[d];
  return n;
}

static void run_cat(Machine *m, const Op *op) {
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  Tile *to = eval_tile(m, op_result(op));
  uint32_t row = row_of(op_result(op)->type, axis), at = 0;
  for (uint32_t k = 0; k < 2; k++) {
    const Tile *from = eval_operand(m, op, k);
    uint32_t part = row_of(op_operand(op, k)->type, axis);
    for (uint32_t i = 0; i < from->n; i++) {
      Element x = tile_get(from, i);
      tile_set(to, i / part * row + at + i % part, &x);
    }
    at += part;
  }
}

// Dimensions other than axis may be larger in x than in the index.
void eval_gather(const Op *op, const Type *source, const Tile *from, const Tile *index, Tile *to) {
  const Type *type = op_result(op)->type;
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  TileView view = {.shape = type};
  uint32_t at_index[TILE_MAX_RANK] = {0};
  strides_of(source, view.stride);
  int64_t along = view.stride[axis], at = 0;
  view.stride[axis] = 0;
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = {.state = UNDEFINED};
    if (!(index->state[i] & UNDEFINED) && index->bits[i] < source->shape[axis])
      x = tile_get(from, (uint32_t)(at + along * (int64_t)index->bits[i]));
    x.state |= index->state[i] & (UNCERTAIN | UNREAD | ASSEMBLED);
    tile_set(to, i, &x);
    at = view_next(&view, at_index, at);
  }
}

bool eval_shape_op(Machine *m, Op *op) {
  if (op->kind == OP_SPLIT) return run_split(m, op), true;
  const Tile *from = eval_operand(m, op, 0);
  const Type *before = op_operand(op, 0)->type, *after = op_result(op)->type;
  Tile *to = eval_tile(m, op_result(op));
  TileView view;
  switch ((int)op->kind) {
  case OP_BROADCAST: view = broadcast_view(before, after); break;
  case OP_TRANS: view = trans_view(op, before, after); break;
  case OP_SLICE: view = slice_view(op, before, after); break;
  case OP_FLIP: view = flip_view(op, before); break;
  case OP_JOIN: return run_join(from, eval_operand(m, op, 1), to), true;
  case OP_CAT: return run_cat(m, op), true;
  case OP_GATHER: eval_gather(op, before, from, eval_operand(m, op, 1), to); return true;
  default: BUG("%s moves no elements", op_info(op->kind)->name);
  }
  read_view(to, from, &view);
  if (op->kind == OP_TRANS) to->sum_ulps = from->sum_ulps;
  return true;
}
