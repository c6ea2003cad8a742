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

static void follow_op(BufferFinder *f, Op *op) {
  switch ((int)op->kind) {
  case OP_SHARED_INDEX:
  case OP_SHARED_TRANS: hand_on(f, op_operand(op, 0), op_result(op)); break;
  case OP_RING_FILL:
  case OP_RING_WAIT:
    for (uint32_t i = 0; i + 1 < op->result_count; i++) hand_on(f, op_operand(op, i + 1), &op->results[i]);
    break;
  default:
    if (!op_hands_on(op)) break;
    for (const Use *use = op->operands; use < op->operands + op->operand_count; use++)
      for (uint32_t n = 0; flow_target(use, n); n++) hand_on(f, use->value, flow_target(use, n));
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
