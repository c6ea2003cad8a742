// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the values that change their shape together.
#include "passes/plan/retile.h"

enum { RANK = 2 };

Retile retile_new(Arena *arena, Func *func) {
  func_number(func);
  return (Retile){.arena = arena, .func = func, .marks = ARENA_ARRAY(arena, uint8_t, func->value_count)};
}

bool retile_mark(Retile *r, Value *value, uint32_t dim) {
  const Type *type = value->type;
  if (!type_is_tile(type) && !type_is_block_ptr(type)) return false;
  if (type->rank != RANK || type->layout || value->id >= r->func->value_count) return false;
  uint8_t *mark = &r->marks[value->id];
  if (*mark) return *mark == dim + 1;
  *mark = (uint8_t)(dim + 1);
  vec_push(r->arena, &r->values, value);
  return true;
}

bool retile_is_marked(const Retile *r, const Value *value, uint32_t dim) {
  return value->id < r->func->value_count && r->marks[value->id] == dim + 1;
}

// If one is marked, marks both.
static bool keep_alike(Retile *r, Value *x, Value *y) {
  uint8_t mark = r->marks[x->id] ? r->marks[x->id] : r->marks[y->id];
  return !mark || (retile_mark(r, x, mark - 1u) && retile_mark(r, y, mark - 1u));
}

static bool spread_elementwise(Retile *r, Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (type_is_tile(op_operand(op, i)->type) && !keep_alike(r, op_result(op), op_operand(op, i)))
      return false;
  return true;
}

static bool spread_transposed(Retile *r, const Op *op) {
  Value *x = op_operand(op, 0), *y = op_result(op);
  uint8_t own = r->marks[x->id], turned = r->marks[y->id];
  if (x->type->rank != RANK || op_attr(op, ATTR_ORDER)->ints.at[0] != 1) return false;
  return own ? retile_mark(r, y, RANK - own) : !turned || retile_mark(r, x, RANK - turned);
}

// Rows of the first operand and columns of the second are those of the result. Both operands have k.
static bool spread_dot(Retile *r, const Op *op) {
  Value *x = op_operand(op, 0), *y = op_operand(op, 1), *result = op_result(op);
  if (!keep_alike(r, op_operand(op, 2), result)) return false;
  if (retile_is_marked(r, x, 0) && !(retile_mark(r, result, 0) && retile_mark(r, op_operand(op, 2), 0)))
    return false;
  if (retile_is_marked(r, y, 1) && !(retile_mark(r, result, 1) && retile_mark(r, op_operand(op, 2), 1)))
    return false;
  if (retile_is_marked(r, result, 0) && !retile_mark(r, x, 0)) return false;
  if (retile_is_marked(r, result, 1) && !retile_mark(r, y, 1)) return false;
  if (retile_is_marked(r, x, 1) && !retile_mark(r, y, 0)) return false;
  return !retile_is_marked(r, y, 0) || retile_mark(r, x, 1);
}

static bool spread_loop(Retile *r, const Op *loop) {
  for (uint32_t i = 0; i < loop->result_count; i++) {
    Value *arg = loop_carried(loop, i);
    if (!keep_alike(r, arg, loop_init(loop, i)) || !keep_alike(r, arg, loop_yielded(loop, i)) ||
        !keep_alike(r, arg, &loop->results[i]) || !keep_alike(r, arg, loop_init(loop, i)))
      return false;
  }
  return true;
}

static bool spread_op(Retile *r, Op *op) {
  if (op->result_count && value_uniform(op_result(op))) return true;
  switch ((int)op->kind) {
  case OP_MAKE_BLOCK_PTR: return true;
  case OP_ADVANCE:
  case OP_BLOCK_LOAD: return keep_alike(r, op_result(op), op_operand(op, 0));
  case OP_BLOCK_STORE: return keep_alike(r, op_operand(op, 0), op_operand(op, 1));
  case OP_TRANS: return spread_transposed(r, op);
  case OP_DOT: return spread_dot(r, op);
  case OP_FOR: return spread_loop(r, op);
  case OP_YIELD:
    return op->region->parent && op->region->parent->kind == OP_FOR && spread_loop(r, op->region->parent);
  default: {
    uint32_t traits = op_traits[op->kind];
    return (traits & PURE) && (traits & ELEMENTWISE) && op->result_count == 1 && spread_elementwise(r, op);
  }
  }
}

bool retile_spread(Retile *r) {
  for (uint32_t i = 0; i < r->values.n; i++) {
    Value *value = r->values.at[i];
    Op *from = value->def ? value->def : value->region->parent;
    if (!from || !spread_op(r, from)) return false;
    for (const Use *use = value->first_use; use; use = use->next)
      if (!spread_op(r, use->user)) return false;
  }
  return true;
}

void retile_apply(const Retile *r, uint32_t times, uint32_t by) {
  IrContext *ir = r->func->module->ir;
  for (uint32_t i = 0; i < r->values.n; i++) {
    Value *value = r->values.at[i];
    const Type *type = value->type;
    uint32_t dim = r->marks[value->id] - 1u, shape[RANK] = {type->shape[0], type->shape[1]};
    shape[dim] = shape[dim] * times / by;
    value->type = type_is_tile(type) ? type_tile(ir, type_element(type), RANK, shape, NULL)
                                     : type_block_ptr(ir, type->inner, RANK, shape);
  }
}
