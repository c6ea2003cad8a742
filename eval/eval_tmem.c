// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor memory of the evaluator. A value of type tmem has the accumulator's elements, as a tile has. Each change gives
// a state with the next number. Only the current state of an accumulator may be read or added to. tmem_alloc's result
// is that of its first accumulator.
//
// A group of warps takes an accumulator that another group has filled. So each accumulator also has its content, and
// the dots of the group that changed it last.
#include "eval/eval_machine.h"

struct Accumulator {
  uint64_t state; // 0: freed
  Tile content;
  bool holds; // The content is what was stored last. An accumulator of fewer columns keeps it to itself.
  const DotsUnderWay *dots;
};

bool eval_tmem_current(Machine *m, const Op *op, uint32_t operand) {
  const Tile *tile = eval_operand(m, op, operand);
  if (tile->tmem == m->tmem_slots[tile->tmem_slot].state) return true;
  return eval_error(m, op, NO_ELEMENT,
                    "[T0000] operand %u is a former state of tensor memory: a later op has overwritten it",
                    operand);
}

void eval_tmem_change(Machine *m, Tile *state, uint32_t slot) {
  Accumulator *to = &m->tmem_slots[slot];
  state->tmem = to->state = ++m->tmem;
  state->tmem_slot = slot;
  to->holds = state->n == to->content.n && state->code == to->content.code;
  if (to->holds) eval_copy(m, &to->content, state);
  to->content.dot = state->dot;
  to->dots = m->dots;
}

bool eval_tmem_take(Machine *m, const Op *op, const Value *result, uint32_t slot) {
  const Accumulator *from = &m->tmem_slots[slot];
  Tile *state = eval_tile(m, result);
  if (!eval_dots_done(from->dots, from->content.dot))
    return eval_error(m, op, NO_ELEMENT, "[T0000] dots of accumulator %u may be in flight", slot);
  Element undefined = {.state = UNDEFINED};
  if (from->holds && state->n == from->content.n && state->code == from->content.code)
    eval_copy(m, state, &from->content);
  else
    eval_fill(state, &undefined);
  state->dot = 0;
  eval_tmem_change(m, state, slot);
  return true;
}

// All accumulators are undefined. The programs of a launch use the same storage.
static void run_alloc(Machine *m, const Op *op) {
  uint32_t slots = (uint32_t)op_int(op, ATTR_SLOTS, 1);
  Tile *state = eval_tile(m, op_result(op));
  Element undefined = {.state = UNDEFINED};
  if (!m->tmem_slots) {
    m->tmem_slots = ARENA_ARRAY(m->arena, Accumulator, slots);
    for (uint32_t i = 0; i < slots; i++) {
      m->tmem_slots[i].content = (Tile){.n = state->n, .code = state->code};
      eval_tile_alloc(m, &m->tmem_slots[i].content);
    }
  }
  state->dot = 0;
  eval_fill(state, &undefined);
  for (uint32_t i = slots; i-- > 0;) eval_tmem_change(m, state, i);
}

static bool run_load(Machine *m, const Op *op) {
  if (!eval_tmem_current(m, op, 0)) return false;
  eval_copy(m, eval_tile(m, op_result(op)), eval_operand(m, op, 0));
  return true;
}

static bool run_slot(Machine *m, const Op *op) {
  uint64_t number = eval_operand(m, op, 1)->bits[0],
           slots = (uint64_t)op_int(op_operand(op, 0)->def, ATTR_SLOTS, 1);
  if (number < slots) return eval_tmem_take(m, op, op_result(op), (uint32_t)number);
  return eval_error(m, op, NO_ELEMENT, "[T0000] there is no accumulator %llu", (unsigned long long)number);
}

static void run_store(Machine *m, const Op *op) {
  Tile *state = eval_tile(m, op_result(op));
  eval_copy(m, state, eval_operand(m, op, 0));
  eval_tmem_change(m, state, eval_operand(m, op, 1)->tmem_slot);
}

static void run_dealloc(Machine *m, const Op *op) {
  uint32_t slots = (uint32_t)op_int(op_operand(op, 0)->def, ATTR_SLOTS, 1);
  for (uint32_t i = 0; i < slots; i++) m->tmem_slots[i].state = 0;
}

bool eval_tmem(Machine *m, Op *op) {
  if (op->kind == OP_TMEM_LOAD) return run_load(m, op);
  if (op->kind == OP_TMEM_SLOT) return run_slot(m, op);
  if (eval_dots_in_flight(m))
    return eval_error(m, op, NO_ELEMENT, "[T0000] a dot that has not been waited for uses tensor memory");
  if (op->kind == OP_TMEM_ALLOC)
    run_alloc(m, op);
  else if (op->kind == OP_TMEM_STORE)
    run_store(m, op);
  else
    run_dealloc(m, op);
  return true;
}
