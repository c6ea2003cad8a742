// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that run once at most become branches.
#include "passes/loops/run_once.h"

#include "ir/build.h"

static const Op *defined_by(const Value *value, OpKind kind) {
  return value->def && value->def->kind == kind ? value->def : NULL;
}

// True for x / step * step.
static bool is_multiple_of(const Value *value, const Value *x, int64_t step) {
  const Op *product = defined_by(value, OP_MUL), *quotient = NULL;
  for (uint32_t i = 0; product && i < 2 && !quotient; i++)
    if (value_is_int(op_operand(product, 1 - i), step)) quotient = defined_by(op_operand(product, i), OP_DIV);
  return quotient && op_operand(quotient, 0) == x && value_is_int(op_operand(quotient, 1), step);
}

// True for min(x, lower + step) of constants.
static bool is_one_step(const Op *loop, int64_t step) {
  const Op *least = defined_by(loop_upper(loop), OP_MIN);
  int64_t lower, end;
  if (!least || !value_int_constant(loop_lower(loop), &lower) || lower < 0) return false;
  for (uint32_t i = 0; i < 2; i++)
    if (value_int_constant(op_operand(least, i), &end) && end - lower <= step) return true;
  return false;
}

// The quotient is rounded toward zero. So with an end below 0 the loop starts at or after its end.
bool loop_runs_once(const Op *loop) {
  int64_t step;
  if (!value_int_constant(loop_step(loop), &step) || step <= 0) return false;
  const Type *type = loop_lower(loop)->type;
  if (type->kind != TYPE_SCALAR || !elem_is_signed(type->elem)) return false;
  return is_multiple_of(loop_lower(loop), loop_upper(loop), step) || is_one_step(loop, step);
}

void loop_to_branch(Arena *arena, Op *loop) {
  Region *body = loop->regions[0];
  uint32_t carried = loop->result_count;
  const Type **types = ARENA_ARRAY(arena, const Type *, carried);
  Value **inits = loop_inits(arena, loop, 0);
  for (uint32_t i = 0; i < carried; i++) types[i] = loop->results[i].type;
  Builder b = builder_before(loop);
  Op *branch = build_if(&b, build_binary(&b, OP_LT, loop_lower(loop), loop_upper(loop)), carried, types);
  Builder none = builder_inside(branch->regions[1], loop->loc);
  build_yield(&none, carried, inits);
  value_replace_uses(body->args[0], loop_lower(loop));
  for (uint32_t i = 0; i < carried; i++) {
    value_replace_uses(body->args[i + 1], inits[i]);
    value_replace_uses(&loop->results[i], &branch->results[i]);
  }
  for (Op *op = body->first, *next; op; op = next) {
    next = op->next;
    op_move(op, branch->regions[0], NULL);
  }
  op_erase(loop);
}
