// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the buffers that a value of shared type may refer to. It follows indices, transpositions and control flow to a
// fixed point.
#include "passes/analysis/shared_buffers.h"

#include "ir/queries.h"

typedef struct BufferFinder {
  Arena *arena;
  SharedBuffers *buffers;
  bool grew;
} BufferFinder;

static void hand_on(BufferFinder *f, const Value *from, const Value *to) {
  SharedBuffers *b = f->buffers;
  if (to->type->kind != TYPE_SHARED || !b->sets[from->id]) return;
  if (!b->sets[to->id]) b->sets[to->id] = ARENA_ARRAY(f->arena, uint64_t, b->words);
  f->grew |= set_unite(b->sets[to->id], b->sets[from->id], b->words);
}

static void follow_for(BufferFinder *f, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    hand_on(f, loop_init(op, i), loop_carried(op, i));
    hand_on(f, loop_yielded(op, i), loop_carried(op, i));
    hand_on(f, loop_init(op, i), &op->results[i]);
    hand_on(f, loop_yielded(op, i), &op->results[i]);
  }
}

static void follow_while(BufferFinder *f, const Op *op) {
  const Region *test = op->regions[0], *body = op->regions[1];
  for (uint32_t i = 0; i < op->result_count; i++) {
    hand_on(f, op_operand(op, i), test->args[i]);
    hand_on(f, op_operand(body->last, i), test->args[i]);
    hand_on(f, op_operand(test->last, i + 1), body->args[i]);
    hand_on(f, op_operand(test->last, i + 1), &op->results[i]);
  }
}

static void follow_op(BufferFinder *f, Op *op) {
  switch ((int)op->kind) {
  case OP_SHARED_INDEX:
  case OP_SHARED_TRANS: hand_on(f, op_operand(op, 0), op_result(op)); break;
  case OP_RING_FILL:
  case OP_RING_WAIT:
    for (uint32_t i = 0; i + 1 < op->result_count; i++) hand_on(f, op_operand(op, i + 1), &op->results[i]);
    break;
  case OP_FOR: follow_for(f, op); break;
  case OP_WHILE: follow_while(f, op); break;
  case OP_IF:
    for (uint32_t r = 0; r < 2; r++)
      for (uint32_t i = 0; i < op->result_count; i++)
        hand_on(f, op_operand(op->regions[r]->last, i), &op->results[i]);
    break;
  default: break;
  }
}

SharedBuffers shared_buffers_find(Arena *arena, Func *func) {
  SharedBuffers buffers = {0};
  BufferFinder f = {.arena = arena, .buffers = &buffers, .grew = true};
  func_number(func);
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_SHARED_ALLOC) vec_push(arena, &buffers.allocs, w.op);
  buffers.words = buffers.allocs.n / 64 + 1;
  buffers.sets = ARENA_ARRAY(arena, uint64_t *, func->value_count);
  for (uint32_t i = 0; i < buffers.allocs.n; i++) {
    uint64_t *set = ARENA_ARRAY(arena, uint64_t, buffers.words);
    set_add(set, i);
    buffers.sets[op_result(buffers.allocs.at[i])->id] = set;
  }
  while (f.grew) {
    f.grew = false;
    for (OpWalk w = ops_in(func->body); ops_next(&w);) follow_op(&f, w.op);
  }
  return buffers;
}
