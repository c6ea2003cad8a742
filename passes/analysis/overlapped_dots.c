// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries about a loop with chained dots.
#include "passes/analysis/overlapped_dots.h"

#include "ir/build.h"
#include "ir/dot/dot.h"

bool overlapped_dots_find(const Op *loop, OverlappedDots *dots) {
  *dots = (OverlappedDots){0};
  if (loop->kind != OP_FOR) return false;
  for (Op *op = loop->regions[0]->first; op; op = op->next) {
    for (uint32_t r = 0; r < op->region_count; r++)
      if (ops_find(op->regions[r], OP_DOT)) return false;
    if (op->kind != OP_DOT) continue;
    if (dots->second || !op_attr(op, ATTR_ASYNC) || is_dot_of(op, DOT_TCGEN05)) return false;
    *(dots->first ? &dots->second : &dots->first) = op;
  }
  if (!dots->second) return false;
  dots->first_wait = dot_wait_of(dots->first);
  dots->second_wait = dot_wait_of(dots->second);
  return dots->first_wait && dots->second_wait && dots->first_wait != dots->second_wait;
}

const Op *dot_buffer(const Value *operand) {
  operand = value_before(operand, OP_SHARED_TRANS);
  return operand->type->kind == TYPE_SHARED ? operand->def : NULL;
}

const Op *overlapped_buffer(const Op *loop) {
  OverlappedDots dots;
  if (!overlapped_dots_find(loop, &dots)) return NULL;
  const Op *buffer = dot_buffer(op_operand(dots.second, 1));
  bool shared =
      buffer == dot_buffer(op_operand(dots.first, 0)) || buffer == dot_buffer(op_operand(dots.first, 1));
  return buffer && buffer->kind == OP_SHARED_ALLOC && !shared ? buffer : NULL;
}

// Returns true if the op, or an op in its regions, takes a marked value.
static bool takes_marked(const uint8_t *marks, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++)
      if (marks[op_operand(w.op, i)->id]) return true;
  return false;
}

// Returns true if anything was marked.
static bool mark_round(uint8_t *marks, const Op *loop, const Op *from) {
  const Region *body = loop->regions[0];
  bool more = false;
  for (const Op *op = body->first; op != body->last; op = op->next)
    for (uint32_t i = 0; (op == from || takes_marked(marks, op)) && i < op->result_count; i++) {
      more |= !marks[op->results[i].id];
      marks[op->results[i].id] = 1;
    }
  for (uint32_t i = 0; i < loop->result_count; i++) {
    if (!marks[loop_yielded(loop, i)->id] || marks[loop_carried(loop, i)->id]) continue;
    more = true;
    marks[loop_carried(loop, i)->id] = 1;
  }
  return more;
}

uint8_t *loop_hangs_on(Arena *arena, const Func *func, const Op *loop, const Op *from) {
  uint8_t *marks = ARENA_ARRAY(arena, uint8_t, func->value_count);
  memset(marks, 0, func->value_count);
  while (mark_round(marks, loop, from)) {
  }
  return marks;
}

uint32_t chained_dots(Arena *arena, const Func *func, const Op *loop) {
  const Op *first = NULL;
  const uint8_t *marks = NULL;
  uint32_t count = 0;
  bool chained = false;
  if (loop->kind != OP_FOR) return 0;
  for (const Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_DOT) continue;
    count++;
    if (!first) marks = loop_hangs_on(arena, func, loop, first = op);
    chained |= op != first && (marks[op_operand(op, 0)->id] || marks[op_operand(op, 1)->id]);
  }
  return chained ? count : 0;
}

Op *loop_with_inits(Op *loop, uint32_t count, Value *const *inits) {
  Builder b = builder_before(loop);
  Op *made = build_for(&b, loop_lower(loop), loop_upper(loop), loop_step(loop), count, inits);
  Region *from = loop->regions[0], *to = made->regions[0];
  op_copy_attrs(made, loop);
  for (uint32_t i = 0; i < from->arg_count; i++) value_take_over(from->args[i], to->args[i]);
  while (from->first) op_move(from->first, to, NULL);
  op_replace_results(loop, made);
  op_erase(loop);
  return made;
}
