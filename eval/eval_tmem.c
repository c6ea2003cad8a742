// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor memory of the evaluator. A value of type tmem has the accumulator's elements, as a tile has. Each change gives
// a state with the next number. Only the current state may be read or added to.
#include "eval/eval_machine.h"

bool eval_tmem_current(Machine *m, const Op *op, uint32_t operand) {
  if (eval_operand(m, op, operand)->tmem == m->tmem) return true;
  return eval_error(m, op, NO_ELEMENT,
                    "[T0000] operand %u is a former state of tensor memory: a later op has overwritten it",
                    operand);
}

static void give_state(Machine *m, const Op *op, const Tile *content) {
  Tile *state = eval_tile(m, op_result(op));
  Element undefined = {.state = UNDEFINED};
  if (content)
    eval_copy(m, state, content);
  else
    eval_fill(state, &undefined);
  state->tmem = ++m->tmem;
}

static bool run_load(Machine *m, const Op *op) {
  if (!eval_tmem_current(m, op, 0)) return false;
  eval_copy(m, eval_tile(m, op_result(op)), eval_operand(m, op, 0));
  return true;
}

bool eval_tmem(Machine *m, Op *op) {
  if (op->kind == OP_TMEM_LOAD) return run_load(m, op);
  if (eval_dots_in_flight(m))
    return eval_error(m, op, NO_ELEMENT, "[T0000] a dot that has not been waited for uses tensor memory");
  if (op->kind == OP_TMEM_DEALLOC)
    ++m->tmem;
  else
    give_state(m, op, op->kind == OP_TMEM_STORE ? eval_operand(m, op, 0) : NULL);
  return true;
}
