// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the ops on whole tiles: shapes, dots, block pointers, atomics, and those with regions over elements.
// Result types follow from the operands. Wrong operands give types that the verifier rejects.
#include "base/fault.h"
#include "ir/build.h"
#include "target/math.h"

static IrContext *ir_of(const Builder *b) { return b->func->module->ir; }

void op_set_str(Op *op, AttrKey key, const char *text) {
  IrContext *ir = op->region->func->module->ir;
  if (text) op_set_attr(op, (Attr){.key = key, .str = ir_name(ir, str_from(text))});
}

void op_copy_attr(Op *op, const Op *from, AttrKey key) {
  const Attr *attr = op_attr(from, key);
  if (attr) op_set_attr(op, *attr);
}

void op_copy_attrs(Op *op, const Op *from) {
  for (uint32_t i = 0; i < from->attrs.n; i++) op_set_attr(op, from->attrs.at[i]);
}

void op_set_ints(Op *op, AttrKey key, uint32_t n, const uint32_t *numbers) {
  int64_t *ints = ARENA_ARRAY(op->region->func->module->ir->arena, int64_t, n);
  for (uint32_t i = 0; i < n; i++) ints[i] = numbers[i];
  Attr attr = {.key = key};
  attr.ints.at = ints;
  attr.ints.n = n;
  op_set_attr(op, attr);
}

void op_set_flag(Op *op, AttrKey key, bool on) {
  if (on) op_set_attr(op, (Attr){.key = key});
}

static const Type *tile_of(Builder *b, const Value *like, uint32_t rank, const uint32_t *shape) {
  return type_tile(ir_of(b), type_element(like->type), rank, shape, NULL);
}

static void need_axis(const Value *x, uint32_t axis, const char *what) {
  if (!type_is_tile(x->type) || axis >= x->type->rank) BUG("%s along dimension %u", what, axis);
}

Value *build_math(Builder *b, const char *function, Value *x, Value *y, Value *z) {
  MathFunction f;
  if (!math_parse(str_from(function), &f)) BUG("no math function '%s'", function);
  IrContext *ir = ir_of(b);
  const Type *element = type_scalar(ir, math_result_elem(f, type_element(x->type)->elem));
  Value *result = build(b, OP_MATH, type_with_element(ir, x->type, element), x, y, z);
  op_set_str(result->def, ATTR_FUNCTION, function);
  return result;
}

Value *build_expand_dims(Builder *b, Value *x, uint32_t axis) {
  uint32_t shape[TILE_MAX_RANK], rank = x->type->rank;
  if (!type_is_tile(x->type) || axis > rank || rank == TILE_MAX_RANK) BUG("a new dimension at %u", axis);
  for (uint32_t d = 0; d <= rank; d++) shape[d] = d == axis ? 1 : x->type->shape[d - (d > axis)];
  Value *result = build(b, OP_EXPAND_DIMS, tile_of(b, x, rank + 1, shape), x, NULL, NULL);
  op_set_int(result->def, ATTR_AXIS, axis);
  return result;
}

Value *build_broadcast(Builder *b, Value *x, const uint32_t *shape) {
  return build(b, OP_BROADCAST, tile_of(b, x, x->type->rank, shape), x, NULL, NULL);
}

Value *tile_along(Builder *b, Value *x, uint32_t dim, uint32_t rank, const uint32_t *shape) {
  bool whole = true;
  for (uint32_t d = 0; d < rank; d++) {
    if (d == dim) continue;
    x = build_expand_dims(b, x, d);
    whole = whole && shape[d] == 1;
  }
  return whole ? x : build_broadcast(b, x, shape);
}

Value *build_reshape(Builder *b, Value *x, uint32_t rank, const uint32_t *shape) {
  return build(b, OP_RESHAPE, tile_of(b, x, rank, shape), x, NULL, NULL);
}

Value *build_trans(Builder *b, Value *x, const uint32_t *order) {
  uint32_t shape[TILE_MAX_RANK] = {0}, rank = x->type->rank;
  for (uint32_t d = 0; d < rank; d++) {
    need_axis(x, order[d], "a transposition");
    shape[d] = x->type->shape[order[d]];
  }
  Value *result = build(b, OP_TRANS, tile_of(b, x, rank, shape), x, NULL, NULL);
  op_set_ints(result->def, ATTR_ORDER, rank, order);
  return result;
}

Value *build_join(Builder *b, Value *x, Value *y) {
  uint32_t shape[TILE_MAX_RANK], rank = x->type->rank;
  if (rank == TILE_MAX_RANK) BUG("a join of tiles with %u dimensions", rank);
  memcpy(shape, x->type->shape, rank * sizeof *shape);
  shape[rank] = 2;
  return build(b, OP_JOIN, tile_of(b, x, rank + 1, shape), x, y, NULL);
}

Op *build_split(Builder *b, Value *x) {
  need_axis(x, 0, "a split");
  const Type *half = tile_of(b, x, x->type->rank - 1u, x->type->shape);
  return build_op(b, OP_SPLIT, 1, &x, 2, (const Type *[]){half, half});
}

Value *build_cat(Builder *b, Value *x, Value *y, uint32_t axis) {
  uint32_t shape[TILE_MAX_RANK];
  need_axis(x, axis, "a cat");
  need_axis(y, axis, "a cat");
  memcpy(shape, x->type->shape, sizeof shape);
  shape[axis] += y->type->shape[axis];
  Value *result = build(b, OP_CAT, tile_of(b, x, x->type->rank, shape), x, y, NULL);
  op_set_int(result->def, ATTR_AXIS, axis);
  return result;
}

Value *build_slice(Builder *b, Value *x, const uint32_t *starts, const uint32_t *shape) {
  Value *result = build(b, OP_SLICE, tile_of(b, x, x->type->rank, shape), x, NULL, NULL);
  op_set_ints(result->def, ATTR_STARTS, x->type->rank, starts);
  return result;
}

Value *build_gather(Builder *b, Value *x, Value *index, uint32_t axis) {
  need_axis(x, axis, "a gather");
  Value *result = build(b, OP_GATHER, tile_of(b, x, index->type->rank, index->type->shape), x, index, NULL);
  op_set_int(result->def, ATTR_AXIS, axis);
  return result;
}

Value *build_flip(Builder *b, Value *x, uint32_t axis) {
  need_axis(x, axis, "a flip");
  Value *result = build(b, OP_FLIP, x->type, x, NULL, NULL);
  op_set_int(result->def, ATTR_AXIS, axis);
  return result;
}

Value *build_sort(Builder *b, Value *x, uint32_t axis, bool descending) {
  need_axis(x, axis, "a sort");
  Value *result = build(b, OP_SORT, x->type, x, NULL, NULL);
  op_set_int(result->def, ATTR_AXIS, axis);
  op_set_flag(result->def, ATTR_DESCENDING, descending);
  return result;
}

Value *build_histogram(Builder *b, Value *x, Value *mask, uint32_t bins) {
  IrContext *ir = ir_of(b);
  return build(b, OP_HISTOGRAM, type_tile(ir, type_scalar(ir, ELEM_I32), 1, &bins, NULL), x, mask, NULL);
}

Value *build_dot(Builder *b, Value *x, Value *y, Value *acc, const char *precision, uint32_t imprecise) {
  Value *result = build(b, OP_DOT, acc->type, x, y, acc);
  op_set_str(result->def, ATTR_PRECISION, precision);
  if (imprecise) op_set_int(result->def, ATTR_IMPRECISE, imprecise);
  return result;
}

static Value *with_order(Value *result, const char *sem, const char *scope) {
  op_set_str(result->def, ATTR_SEM, sem);
  op_set_str(result->def, ATTR_SCOPE, scope);
  return result;
}

Value *build_atomic_rmw(Builder *b, const char *rmw, Value *pointer, Value *value, Value *mask,
                        const char *sem, const char *scope) {
  Value *result = build(b, OP_ATOMIC_RMW, value->type, pointer, value, mask);
  op_set_str(result->def, ATTR_RMW, rmw);
  return with_order(result, sem, scope);
}

Value *build_atomic_cas(Builder *b, Value *pointer, Value *compare, Value *value, const char *sem,
                        const char *scope) {
  return with_order(build(b, OP_ATOMIC_CAS, value->type, pointer, compare, value), sem, scope);
}

Value *build_make_block_ptr(Builder *b, const BlockPtrParts *parts) {
  Value *operands[1 + 3 * TILE_MAX_RANK];
  uint32_t rank = parts->rank;
  if (parts->base->type->kind != TYPE_PTR || rank > TILE_MAX_RANK) BUG("a block pointer of rank %u", rank);
  operands[0] = parts->base;
  for (uint32_t d = 0; d < rank; d++) {
    operands[1 + d] = parts->extents[d];
    operands[1 + rank + d] = parts->strides[d];
    operands[1 + 2 * rank + d] = parts->offsets[d];
  }
  const Type *type = type_block_ptr(ir_of(b), parts->base->type->inner, rank, parts->block);
  Op *op = build_op(b, OP_MAKE_BLOCK_PTR, 1 + 3 * rank, operands, 1, &type);
  if (parts->order) op_set_ints(op, ATTR_ORDER, rank, parts->order);
  op_set_flag(op, ATTR_DESCRIPTOR, parts->descriptor);
  return op_result(op);
}

Value *build_advance(Builder *b, Value *block, Value *const *offsets) {
  Value *operands[1 + TILE_MAX_RANK] = {block};
  if (!type_is_block_ptr(block->type)) BUG("advancing no block pointer");
  for (uint32_t d = 0; d < block->type->rank; d++) operands[1 + d] = offsets[d];
  return op_result(build_op(b, OP_ADVANCE, 1u + block->type->rank, operands, 1, &block->type));
}

Value *build_block_load(Builder *b, Value *block, uint32_t boundary_count, const uint32_t *boundary,
                        const char *padding) {
  if (!type_is_block_ptr(block->type)) BUG("a load from no block pointer");
  const Type *tile = type_tile(ir_of(b), block->type->inner, block->type->rank, block->type->shape, NULL);
  Value *result = build(b, OP_BLOCK_LOAD, tile, block, NULL, NULL);
  if (boundary_count) op_set_ints(result->def, ATTR_BOUNDARY, boundary_count, boundary);
  op_set_str(result->def, ATTR_PADDING, padding);
  return result;
}

Op *build_block_store(Builder *b, Value *block, Value *value, uint32_t boundary_count,
                      const uint32_t *boundary) {
  Op *op = build_op(b, OP_BLOCK_STORE, 2, (Value *[]){block, value}, 0, NULL);
  if (boundary_count) op_set_ints(op, ATTR_BOUNDARY, boundary_count, boundary);
  return op;
}

static void add_element_args(Region *region, uint32_t count, Value *const *operands) {
  for (uint32_t i = 0; i < count; i++) region_add_arg(region, type_element(operands[i]->type), NULL);
}

Op *build_reduce(Builder *b, uint32_t count, Value *const *operands, uint32_t axis) {
  const Type **types = ARENA_ARRAY(ir_of(b)->arena, const Type *, count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t shape[TILE_MAX_RANK] = {0};
    const Type *tile = operands[i]->type;
    need_axis(operands[i], axis, "a reduction");
    for (uint32_t d = 0; d < tile->rank; d++)
      if (d != axis) shape[d - (d > axis)] = tile->shape[d];
    types[i] = tile_of(b, operands[i], tile->rank - 1u, shape);
  }
  Op *op = build_op(b, OP_REDUCE, count, operands, count, types);
  op_set_int(op, ATTR_AXIS, axis);
  Region *region = region_new(b->func, op);
  for (uint32_t side = 0; side < 2; side++) add_element_args(region, count, operands);
  return op;
}

Value *build_sum_along(Builder *b, Value *x, uint32_t axis) {
  Op *reduce = build_reduce(b, 1, &x, axis);
  Region *body = reduce->regions[0];
  Builder inner = builder_inside(body, b->loc);
  Value *sum = build_binary(&inner, OP_ADD, body->args[0], body->args[1]);
  build_yield(&inner, 1, &sum);
  return op_result(reduce);
}

static const Type **types_of(Builder *b, uint32_t count, Value *const *values) {
  const Type **types = ARENA_ARRAY(ir_of(b)->arena, const Type *, count);
  for (uint32_t i = 0; i < count; i++) types[i] = values[i]->type;
  return types;
}

Op *build_scan(Builder *b, uint32_t count, Value *const *operands, uint32_t axis, bool reverse) {
  for (uint32_t i = 0; i < count; i++) need_axis(operands[i], axis, "a scan");
  Op *op = build_op(b, OP_SCAN, count, operands, count, types_of(b, count, operands));
  op_set_int(op, ATTR_AXIS, axis);
  op_set_flag(op, ATTR_REVERSE, reverse);
  Region *region = region_new(b->func, op);
  for (uint32_t side = 0; side < 2; side++) add_element_args(region, count, operands);
  return op;
}

Op *build_map(Builder *b, uint32_t count, Value *const *operands, uint32_t result_count,
              const Type *const *result_elements) {
  if (count == 0) BUG("a map of nothing");
  const Type **types = ARENA_ARRAY(ir_of(b)->arena, const Type *, result_count);
  for (uint32_t i = 0; i < result_count; i++)
    types[i] = type_with_element(ir_of(b), operands[0]->type, result_elements[i]);
  Op *op = build_op(b, OP_MAP, count, operands, result_count, types);
  add_element_args(region_new(b->func, op), count, operands);
  return op;
}

Op *build_while(Builder *b, uint32_t init_count, Value *const *init) {
  Op *op = build_op(b, OP_WHILE, init_count, init, init_count, types_of(b, init_count, init));
  for (uint32_t r = 0; r < 2; r++) {
    Region *region = region_new(b->func, op);
    for (uint32_t i = 0; i < init_count; i++) region_add_arg(region, init[i]->type, init[i]->name);
  }
  return op;
}

Op *build_yield(Builder *b, uint32_t count, Value *const *values) {
  return build_op(b, OP_YIELD, count, values, 0, NULL);
}
