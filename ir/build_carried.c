// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop-carried tiles of integers or pointers that grow by uniform steps.
#include "ir/build.h"

// The type of the loop-carried scalar for a tile of that type.
static const Type *number_type(const Func *func, const Type *tile) {
  return type_is_ptr(tile) ? type_scalar(func->module->ir, ELEM_I64) : type_element(tile);
}

// The scalar of a uniform tile, cast to `type`.
static Value *build_step(Builder *b, const Value *tile, const Type *type) {
  int64_t constant;
  if (value_int_constant(tile, &constant)) return build_int(b, type, constant);
  return build_cast(b, op_operand(tile->def, 0), type);
}

// The op that moves a pointer or offset tile by a uniform step. NULL if the tile is not defined like that.
static Op *advance_of(const Value *tile) {
  Op *op = tile->def;
  bool sum = op && (op->kind == OP_ADDPTR || (op->kind == OP_ADD && type_is_int(tile->type)));
  return sum && value_uniform(op_operand(op, 1)) ? op : NULL;
}

bool loop_adds_steps(const Op *loop, uint32_t i) {
  const Value *carried = loop_carried(loop, i), *next = loop_yielded(loop, i);
  const Region *body = loop->regions[0];
  if (next == carried) return false;
  for (const Op *op; next != carried; next = op_operand(op, 0))
    if (!(op = advance_of(next)) || op->region != body) return false;
  return true;
}

// Sum of all steps from `base` to `tile`. NULL if there are none.
static Value *build_sum(Builder *b, const Value *base, const Value *tile, const Type *type) {
  Value *sum = NULL;
  for (; tile != base; tile = op_operand(tile->def, 0)) {
    Value *step = build_step(b, op_operand(tile->def, 1), type);
    sum = sum ? build_binary(b, OP_ADD, sum, step) : step;
  }
  return sum;
}

// `from` becomes a scalar. Its uses become uses of base + from.
static Value *replace_by_sum(Builder *b, Value *from, Value *base, const Type *type) {
  bool unused = value_unused(from);
  Value *any = build_int(b, type, 0); // replaces `from` while its uses are moved
  Value *splat = build_splat(b, any, base->type);
  Value *sum = build(b, type_is_ptr(base->type) ? OP_ADDPTR : OP_ADD, base->type, base, splat, NULL);
  value_replace_uses(from, sum);
  from->type = type;
  op_set_operand(splat->def, 0, from);
  op_erase(any->def);
  if (!unused) return sum;
  op_erase(sum->def);
  op_erase(splat->def);
  return NULL;
}

Value *loop_carry_sum(Op *loop, uint32_t i) {
  Region *body = loop->regions[0];
  Value *carried = loop_carried(loop, i), *next = loop_yielded(loop, i), *init = loop_init(loop, i),
        *base = init;
  const Type *type = number_type(loop->region->func, carried->type);
  for (const Op *op; type_is_ptr(base->type) && (op = advance_of(base));) base = op_operand(op, 0);

  Builder b = builder_before(loop);
  Value *start = build_sum(&b, base, init, type);
  if (!start) start = build_int(&b, type, 0);
  op_set_operand(loop, LOOP_FIRST_INIT + i, start);

  b = builder_before(body->last);
  Value *step = build_sum(&b, carried, next, type);
  Value *sum = build_binary(&b, OP_ADD, start, step);
  op_set_operand(body->last, i, sum);
  for (Op *op = next->def, *before; op && value_unused(op_result(op)); op = before) {
    before = op_operand(op, 0)->def;
    op_erase(op);
  }
  b = builder_before(body->first);
  Value *inside = replace_by_sum(&b, carried, base, type);
  op_set_operand(sum->def, 0, carried);
  b = builder_after(loop);
  replace_by_sum(&b, &loop->results[i], base, type);
  return inside;
}
