// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hoist: computations that are the same in every iteration move out of loops.
//
// before  for ... do (%i) {                after  %k = mul %n, %m
//           %k = mul %n, %m                       for ... do (%i) {
//           %x = add %i, %k                         %x = add %i, %k
//
// needs   valid IR, with or without layouts
// keeps   every value
// breaks  nothing
// pays    loop-invariant values are computed once, not in each iteration
//
// Pure ops never fault, so they may run even if the loop runs no iteration. Inner loops go first. So an op that is
// invariant in several loops leaves all of them. Memory accesses stay in the loop. So does an op in a branch within the
// loop, because the branch may not be taken.
#include "ir/build.h"
#include "passes/passes.h"

typedef struct Hoister {
  PassContext *context;
  bool *inside; // by value id: defined in the current loop
  bool changed;
} Hoister;

static bool is_invariant(const Hoister *h, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++)
      if (h->inside[op_operand(w.op, i)->id]) return false;
  return true;
}

// Ops that combine and maps are pure, because the functions in them must be.
static bool may_move(const Op *op) {
  return (op_has_any(op, PURE | COMBINES) || op->kind == OP_MAP) && !op_scratch(op);
}

static void unmark_op(Hoister *h, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) h->inside[op->results[i].id] = false;
}

// True if the op may leave the loop. The arguments of a function's own region are its elements, which move with it.
static bool moves_out(Hoister *h, const Op *op) {
  if (!may_move(op)) return false;
  op_mark_inside(op, h->inside, false);
  bool invariant = is_invariant(h, op);
  if (!invariant) op_mark_inside(op, h->inside, true);
  return invariant;
}

static void hoist_from(Hoister *h, Op *loop) {
  op_mark_inside(loop, h->inside, true);
  for (uint32_t r = 0; r < loop->region_count; r++)
    for (Op *op = loop->regions[r]->first, *next; op; op = next) {
      next = op->next;
      if (!moves_out(h, op)) continue;
      op_move(op, loop->region, loop);
      unmark_op(h, op);
      h->changed = true;
    }
  op_mark_inside(loop, h->inside, false);
}

bool pass_hoist(PassContext *context, Func *func) {
  func_number(func);
  Hoister h = {.context = context, .inside = ARENA_ARRAY(context->scratch, bool, func->value_count)};
  for (OpWalk w = ops_outward(func->body); ops_next(&w);)
    if (op_is_loop(w.op)) hoist_from(&h, w.op);
  return h.changed;
}
