// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows one program through shared memory, op by op.
#include "cost/walk.h"

// The shared_alloc of a buffer or part of one. *index: the slot's number, NULL if it is no slot.
static const Op *buffer_alloc(const Value *value, const Value **index) {
  *index = NULL;
  for (const Op *op = value->def; op; op = op_operand(op, 0)->def) {
    if (op->kind == OP_SHARED_ALLOC) return op;
    if (op->kind == OP_SHARED_INDEX)
      *index = op_operand(op, 1);
    else if (op->kind != OP_SHARED_TRANS)
      return NULL;
  }
  return NULL;
}

static bool orders(const Op *op) { return op_has(op, SYNC) || (op_has(op, GROUPED) && !op_has(op, SINGLE)); }

void walk_event(CostWalk *w, const Op *op) {
  if (w->events->n >= w->most_events || op_is_buffer_view(op) || op->kind == OP_MBARRIER_INIT) return;
  CostEvent event = {.op = op, .slot = -1, .group = w->group, .trip = w->trip};
  for (uint32_t i = 0; i < op->operand_count && (!event.alloc || op->kind == OP_DOT); i++) {
    const Value *value = op_operand(op, i), *index;
    if (value->type->kind != TYPE_SHARED) continue;
    event.follows = event.alloc != NULL;
    event.alloc = buffer_alloc(value, &index);
    event.slot = index && w->values[index->id].known ? w->values[index->id].base : -1;
    vec_push(w->arena, w->events, event);
  }
  if (!event.alloc && orders(op)) vec_push(w->arena, w->events, event);
}

CostEventList cost_events(Arena *arena, Func *func, const CostLaunch *launch, uint32_t most) {
  CostEventList events = {0};
  CostWalk w;
  walk_init(&w, arena, func, launch, ARENA_ARRAY(arena, CostTraffic, launch->buffer_count + 1));
  w.tensors = tensors_of(arena, func, launch);
  w.events = &events;
  w.most_events = most;
  if (launch->grid[0] && launch->grid[1] && launch->grid[2]) walk_first_program(&w);
  return events;
}
