// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many registers a thread's floating-point tiles fill where most of them are alive. Left out are pointers
// and integers, which are made of the thread's number and constants where they are used, and copies of one
// value.
#include "codegen/emit.h"
#include "ir/scratch.h"

static bool is_loop(const Op *op) { return op->kind == OP_FOR || op->kind == OP_WHILE; }

// The last op of those in the op's regions, or the op.
static uint32_t end_of(const Op *op) {
  for (uint32_t r = op->region_count; r-- > 0;)
    if (op->regions[r]->last) return end_of(op->regions[r]->last);
  return op->id;
}

// What a loop reads it reads again until its end.
static uint32_t read_until(const Op *user, const Region *home) {
  uint32_t end = user->id;
  for (const Op *op = user; op->region != home && op->region->parent; op = op->region->parent)
    if (is_loop(op->region->parent)) end = end_of(op->region->parent);
  return end;
}

static bool is_copy(const Op *op) {
  return op && (op->kind == OP_CONSTANT || op->kind == OP_SPLAT || op->kind == OP_BROADCAST);
}

static uint32_t words(const Type *type) {
  if (!type_is_tile(type) || type->inner->kind == TYPE_PTR || !elem_is_float(type->inner->elem)) return 0;
  return tile_words(type);
}

static void count(uint32_t *change, const Value *value, const Region *home, uint32_t begin) {
  uint32_t n = is_copy(value->def) ? 0 : words(value->type), end = begin;
  for (const Use *use = value->first_use; use && n; use = use->next) {
    uint32_t until = read_until(use->user, home);
    if (until > end) end = until;
  }
  change[begin] += n;
  change[end] -= n; // unsigned sums wrap, and wrap back
}

static void count_region(uint32_t *change, const Region *region) {
  for (uint32_t i = 0; i < region->arg_count && region->first; i++)
    count(change, region->args[i], region, region->first->id);
  for (const Op *op = region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->result_count; i++) count(change, &op->results[i], region, end_of(op));
    for (uint32_t r = 0; r < op->region_count; r++) count_region(change, op->regions[r]);
  }
}

uint32_t emit_pressure(const Emitter *e, Func *func) {
  uint32_t *change = ARENA_ARRAY(e->arena, uint32_t, func->op_count + 1), most = 0;
  count_region(change, func->body);
  for (uint32_t i = 0, now = 0; i < func->op_count; i++) {
    now += change[i];
    if (now > most) most = now;
  }
  return most;
}
