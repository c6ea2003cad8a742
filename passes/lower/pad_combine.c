// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of pad_tiles for ops that combine elements along a dimension. They set the padding to values that change
// nothing.
#include <math.h>
#include "ir/dot/dot.h"
#include "passes/lower/pad_tiles.h"

// --- neutral elements

// The largest integer of the type, or the smallest.
static int64_t extreme_of(Elem elem, bool greatest) {
  uint32_t bits = elem_info(elem)->bits;
  if (!elem_is_signed(elem)) return greatest ? (int64_t)(UINT64_MAX >> (64 - bits)) : 0;
  int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
  return greatest ? most : -most - 1;
}

// The neutral element: combined with any element it gives that element. NULL: none is known. min and max ignore NaN.
static Value *neutral_of(Builder *b, OpKind kind, const Type *tile) {
  bool real = type_is_float(tile);
  Elem elem = type_element(tile)->elem;
  switch ((int)kind) {
  case OP_ADD: return real ? build_float(b, tile, -0.0) : build_int(b, tile, 0);
  case OP_MUL: return real ? build_float(b, tile, 1) : build_int(b, tile, 1);
  case OP_MIN:
  case OP_MAX:
    return real ? build_float(b, tile, (double)NAN) : build_int(b, tile, extreme_of(elem, kind == OP_MIN));
  case OP_AND: return build_int(b, tile, -1);
  case OP_OR:
  case OP_XOR: return build_int(b, tile, 0);
  default: return NULL;
  }
}

// --- reduce, scan

// Moves the region's combination into `to`, which has one more argument on each side. It is true if the side has an
// element. If one side has none, the result is the other side.
static void combine_present(Op *op, Op *to, uint32_t n) {
  Region *from = op->regions[0], *region = to->regions[0];
  for (uint32_t i = 0; i < from->arg_count; i++)
    value_replace_uses(from->args[i], region->args[i + (i >= n)]);
  Op *yield = from->last;
  while (from->first != yield) op_move(from->first, region, NULL);
  Builder b = builder_inside(region, op->loc);
  Value *left = region->args[n], *right = region->args[2 * n + 1];
  Value **results = ARENA_ARRAY(region->func->module->ir->arena, Value *, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    Value *x = region->args[i], *y = region->args[n + 1 + i], *both = op_operand(yield, i);
    Value *known = build(&b, OP_SELECT, x->type, right, both, x);
    results[i] = build(&b, OP_SELECT, x->type, left, known, y);
  }
  results[n] = build_binary(&b, OP_OR, left, right);
  build_yield(&b, n + 1, results);
}

// Combines (x..., presence flag). For combinations without a neutral element.
static void carry_presence(Padding *p, Op *op, uint32_t axis) {
  uint32_t n = op->operand_count;
  Builder b = builder_before(op);
  Value **operands = ARENA_ARRAY(p->func->module->ir->arena, Value *, n + 1);
  for (uint32_t i = 0; i < n; i++) operands[i] = op_operand(op, i);
  operands[n] = pad_inside(p, &b, operands[0], (int32_t)axis);
  Op *to = op->kind == OP_REDUCE ? build_reduce(&b, n + 1, operands, axis)
                                 : build_scan(&b, n + 1, operands, axis, op_attr(op, ATTR_REVERSE) != NULL);
  combine_present(op, to, n);
  for (uint32_t i = 0; i < n; i++) pad_replace(p, &op->results[i], &to->results[i]);
  op_erase(op);
}

static void pad_combination(Padding *p, Op *op, uint32_t axis) {
  Builder b = builder_before(op);
  Value *x = op_operand(op, 0);
  Value *neutral =
      op->operand_count == 1 ? neutral_of(&b, region_combines_by(op->regions[0]), x->type) : NULL;
  if (neutral)
    op_set_operand(op, 0, pad_fill(p, &b, x, (int32_t)axis, neutral));
  else
    carry_presence(p, op, axis);
}

void pad_reduce(Padding *p, Op *op) {
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  if (pad_along(p, op_operand(op, 0), axis)) pad_combination(p, op, axis);
}

// Only a reverse scan needs this. In a forward scan the padding comes after the elements.
void pad_scan(Padding *p, Op *op) {
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  if (op_attr(op, ATTR_REVERSE) && pad_along(p, op_operand(op, 0), axis)) pad_combination(p, op, axis);
}

// --- sort, histogram, dot

// The padding must come last. NaN is last in either direction.
void pad_sort(Padding *p, Op *op) {
  Builder b = builder_before(op);
  Value *x = op_operand(op, 0);
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  if (!pad_along(p, x, axis)) return;
  bool greatest = op_attr(op, ATTR_DESCENDING) == NULL;
  Value *last = type_is_float(x->type)
                    ? build_float(&b, x->type, (double)NAN)
                    : build_int(&b, x->type, extreme_of(type_element(x->type)->elem, greatest));
  op_set_operand(op, 0, pad_fill(p, &b, x, (int32_t)axis, last));
}

// Masks out the padding of x. Padded bins count too, but nothing reads them.
void pad_histogram(Padding *p, Op *op) {
  Builder b = builder_before(op);
  Value *x = op_operand(op, 0), *mask = op_operand(op, 1);
  if (!pad_is_padded(p, x)) return;
  Value *padded = pad_mask(p, &b, mask, x);
  if (mask)
    op_set_operand(op, 1, padded);
  else
    op_add_operand(op, padded);
}

bool pad_boxes_products(const Padding *p, const Value *tile) {
  uint32_t step = dot_instruction_info(DOT_WGMMA)->k / type_element_bytes(tile->type);
  bool products = tile->first_use && tile->type->rank == 2;
  for (const Use *use = tile->first_use; products && use; use = use->next) {
    const Op *user = use->user;
    if (user->kind == OP_TRANS) {
      products = pad_boxes_products(p, op_result(user));
      continue;
    }
    uint32_t k = use == &user->operands[0]; // the dimension
    products = user->kind == OP_DOT && use != &user->operands[2] &&
               (!pad_along(p, tile, k) || pad_written(p, tile)->shape[k] % step == 0);
  }
  return products;
}

// The `extents` are the real sizes. They say how many instructions the dot needs, and how wide these are. Padding along
// k is zero.
void pad_dot(Padding *p, Op *op) {
  Builder b = builder_before(op);
  const Type *a = pad_written(p, op_operand(op, 0)), *to = pad_written(p, op_result(op));
  uint32_t extents[] = {to->shape[to->rank - 2], to->shape[to->rank - 1], a->shape[a->rank - 1]};
  op_set_ints(op, ATTR_EXTENTS, 3, extents);
  for (uint32_t i = 0; i < 2; i++) {
    Value *x = op_operand(op, i);
    uint32_t k = x->type->rank - 1u - i;
    if (!pad_is_zero(p, x, k)) op_set_operand(op, i, pad_fill(p, &b, x, (int32_t)k, pad_zeros(&b, x)));
  }
}
