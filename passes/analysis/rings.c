// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the ring that each value refers to. It follows ops on rings and control flow.
#include "passes/analysis/rings.h"

typedef struct RingFinder {
  Arena *arena;
  Rings *rings;
} RingFinder;

static void flow_ring(RingFinder *f, const Value *from, const Value *to) {
  f->rings->of[to->id] = f->rings->of[from->id];
}

static void visit_op(RingFinder *f, Op *op) {
  switch ((int)op->kind) {
  case OP_RING_BEGIN:
    f->rings->of[op_result(op)->id] = f->rings->begins.n;
    vec_push(f->arena, &f->rings->begins, op);
    break;
  case OP_CHANNEL:
    for (uint32_t i = 0; i < 2; i++) {
      f->rings->of[op->results[i].id] = f->rings->begins.n;
      vec_push(f->arena, &f->rings->begins, op);
    }
    break;
  default:
    if (op_has(op, RING)) flow_ring(f, op_operand(op, 0), ring_result(op));
    if (!op_hands_on(op)) break;
    for (const Use *use = op->operands; use < op->operands + op->operand_count; use++)
      for (uint32_t n = 0; is_ring(use->value) && flow_target(use, n); n++)
        flow_ring(f, use->value, flow_target(use, n));
  }
}

Rings rings_find(Arena *arena, Func *func) {
  Rings rings = {.of = ARENA_ARRAY(arena, uint32_t, func->value_count)};
  memset(rings.of, 0xff, func->value_count * sizeof *rings.of);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) visit_op(&(RingFinder){arena, &rings}, w.op);
  return rings;
}

const Op *ring_view_source(const Value *value) {
  const Op *op = value_before(value, OP_SHARED_TRANS)->def;
  return op && (op->kind == OP_RING_FILL || op->kind == OP_RING_WAIT) ? op : NULL;
}

bool ring_owns(const Op *alloc) {
  const Use *use = op_result(alloc)->first_use;
  return use && (use->user->kind == OP_RING_FILL || use->user->kind == OP_RING_WAIT);
}
