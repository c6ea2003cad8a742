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

// reduce, scan and map are pure, because the functions in them must be.
static bool is_function(const Op *op) {
  return op->kind == OP_REDUCE || op->kind == OP_SCAN || op->kind == OP_MAP;
}

static bool is_invariant(const Hoister *h, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (h->inside[op_operand(op, i)->id]) return false;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const Op *inner = op->regions[r]->first; inner; inner = inner->next)
      if (!is_invariant(h, inner)) return false;
  return true;
}

static bool may_move(const Op *op) {
  return (op_has(op, PURE) && !op_scratch(op)) || (is_function(op) && !op_scratch(op));
}

static void mark_args(Hoister *h, const Region *region, bool inside) {
  for (uint32_t i = 0; i < region->arg_count; i++) h->inside[region->args[i]->id] = inside;
}

// Marks every value that ops of the region define, including those of nested regions.
static void mark_region(Hoister *h, const Region *region, bool inside) {
  mark_args(h, region, inside);
  for (const Op *op = region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->result_count; i++) h->inside[op->results[i].id] = inside;
    for (uint32_t r = 0; r < op->region_count; r++) mark_region(h, op->regions[r], inside);
  }
}

static void unmark_op(Hoister *h, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) h->inside[op->results[i].id] = false;
}

// True if the op may leave the loop. The arguments of a function's own region are its elements, which move with it.
static bool moves_out(Hoister *h, const Op *op) {
  if (!may_move(op)) return false;
  for (uint32_t r = 0; r < op->region_count; r++) mark_region(h, op->regions[r], false);
  bool invariant = is_invariant(h, op);
  for (uint32_t r = 0; !invariant && r < op->region_count; r++) mark_region(h, op->regions[r], true);
  return invariant;
}

static void hoist_region(Hoister *h, Region *region);

static void hoist_from(Hoister *h, Op *loop) {
  for (uint32_t r = 0; r < loop->region_count; r++) mark_region(h, loop->regions[r], true);
  for (uint32_t r = 0; r < loop->region_count; r++)
    for (Op *op = loop->regions[r]->first, *next; op; op = next) {
      next = op->next;
      if (!moves_out(h, op)) continue;
      op_move(op, loop->region, loop);
      unmark_op(h, op);
      h->changed = true;
    }
  for (uint32_t r = 0; r < loop->region_count; r++) mark_region(h, loop->regions[r], false);
}

static void hoist_region(Hoister *h, Region *region) {
  for (Op *op = region->first; op; op = op->next) {
    for (uint32_t r = 0; r < op->region_count; r++) hoist_region(h, op->regions[r]);
    if (op_is_loop(op)) hoist_from(h, op);
  }
}

bool pass_hoist(PassContext *context, Func *func) {
  func_number(func);
  Hoister h = {.context = context, .inside = ARENA_ARRAY(context->scratch, bool, func->value_count)};
  hoist_region(&h, func->body);
  return h.changed;
}
