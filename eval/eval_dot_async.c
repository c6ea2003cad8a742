// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous dots of the evaluator. A dot is computed when it starts. Its result is available after a
// dot_wait that leaves at most the later dots in flight. Until then the result may only be loop-carried,
// waited for, or added to by another dot. Until then the dot's shared operands must not be written, and its
// register operands must not be recomputed.
#include "eval/eval_machine.h"
#include "ir/dot/layout_dot.h"
#include "ir/queries.h"

// An operand of a dot: elements of a buffer, or a tile's registers.
typedef struct Reading {
  const Value *tile; // NULL: a buffer
  uint64_t dot, first, last;
  uint32_t buffer;
} Reading;

struct DotsUnderWay {
  uint64_t begun, done; // dots are numbered from 1; dots up to `done` are complete
  VEC(Reading) readings;
};

void eval_dots_program(Machine *m) {
  if (m->dots) m->dots->begun = m->dots->done = m->dots->readings.n = 0;
}

static void add_reading(Machine *m, const Value *buffer) {
  if (buffer->type->kind != TYPE_SHARED) {
    vec_push(m->arena, &m->dots->readings, ((Reading){.tile = buffer, .dot = m->dots->begun}));
    return;
  }
  const Tile *view = &m->values[buffer->id];
  Reading reading = {NULL, m->dots->begun, view->bits[1], view->bits[1], (uint32_t)view->bits[0]};
  for (uint32_t d = 0; d < buffer->type->rank; d++)
    reading.last += (buffer->type->shape[d] - 1) * view->bits[2 + d];
  vec_push(m->arena, &m->dots->readings, reading);
}

void eval_dot_begun(Machine *m, const Op *dot, Tile *result) {
  result->dot = 0;
  if (!op_attr(dot, ATTR_ASYNC)) return;
  if (!m->dots) m->dots = ARENA_NEW(m->arena, DotsUnderWay);
  result->dot = ++m->dots->begun;
  // split_ops will write the registers of each part when they are free.
  bool later = dot_takes_b_computed(dot) && dot_parts(dot) > 1 && !op_attr(dot, ATTR_PART);
  for (uint32_t i = 0; i < dot->operand_count; i++)
    if (dot_is_factor(i) && !(later && i == DOT_B)) add_reading(m, op_operand(dot, i));
}

void eval_dots_wait(Machine *m, uint64_t pending) {
  DotsUnderWay *dots = m->dots;
  if (!dots || dots->begun <= pending || dots->begun - pending <= dots->done) return;
  dots->done = dots->begun - pending;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < dots->readings.n; i++)
    if (dots->readings.at[i].dot > dots->done) dots->readings.at[kept++] = dots->readings.at[i];
  dots->readings.n = kept;
}

bool eval_dots_done(const DotsUnderWay *dots, uint64_t number) { return !number || number <= dots->done; }

bool eval_dots_in_flight(const Machine *m) { return m->dots && m->dots->begun > m->dots->done; }

// Returns true if the op takes operand i without reading it.
static bool passes_on(const Op *op, uint32_t i) {
  if (op_follows_dots(op)) return i > 0;
  switch ((int)op->kind) {
  case OP_DOT: return i == 2 && op_attr(op, ATTR_ASYNC);
  case OP_DOT_WAIT: return i < op->result_count;
  case OP_FOR: return i >= 3;
  case OP_WHILE:
  case OP_YIELD: return true;
  default: return false;
  }
}

// Returns true if the op recomputes a tile that a dot in flight still reads.
static bool computes_anew(const Machine *m, const Op *op) {
  for (uint32_t i = 0; i < m->dots->readings.n; i++) {
    const Value *tile = m->dots->readings.at[i].tile;
    if (tile && tile->def == op) return true;
  }
  return false;
}

bool eval_dots_allow(Machine *m, const Op *op) {
  if (!eval_dots_in_flight(m)) return true;
  if (computes_anew(m, op))
    return eval_error(m, op, NO_ELEMENT,
                      "[T0000] the registers are written while an asynchronous dot reads them");
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Tile *tile = &m->values[op_operand(op, i)->id];
    if (tile->dot <= m->dots->done || passes_on(op, i)) continue;
    return eval_error(m, op, NO_ELEMENT,
                      "[T0000] operand %u is read before the wait for its asynchronous dot: %llu dots of "
                      "%llu were waited for",
                      i, (unsigned long long)m->dots->done, (unsigned long long)m->dots->begun);
  }
  return true;
}

bool eval_dots_read(const Machine *m, uint32_t buffer, uint64_t first, uint64_t last) {
  if (!m->dots) return false;
  for (uint32_t i = 0; i < m->dots->readings.n; i++) {
    const Reading *reading = &m->dots->readings.at[i];
    if (!reading->tile && reading->buffer == buffer && reading->first <= last && first <= reading->last)
      return true;
  }
  return false;
}
