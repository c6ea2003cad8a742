// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rotate_loops: moves a loop's first dot, and values computed from it, one iteration ahead of its second dot.
//
// ```
// before  for %i = %l to %u, %acc {overlapped} {     after  if %l < %u {
//           wait, barrier, copies ahead                    wait, barrier, copies ahead
//           %s0 = dot %q, %k, 0 {async}                    %s0 = dot %q, %k, 0 {async}
//           %s = dot_wait %s0                              %s = dot_wait %s0
//           ... %p of %s, %f its factors ...               ... %p, %f ...
//           %a = mul %acc, %f                              for %i = %l + step to %u, %acc, %p, %f {
//           %o0 = dot %p, %v, %a {async}                     wait, barrier, copies ahead
//           %o = dot_wait %o0                                %s0 = dot %q, %k, 0 {async}
//           yield %o                                         %a = mul %acc, %f
//         }                                                  %o0 = dot %p, %v, %a {async}
//                                                            %s = dot_wait %s0 {pending = 1}
//                                                            ... %p2, %f2 ...
//                                                            %o = dot_wait %o0 {pending = 0}
//                                                            yield %o, %p2, %f2
//                                                          }
//                                                          wait, barrier
//                                                          %o = dot_wait (dot %p, %v, mul(%acc, %f))
//                                                        }
// ```
//
// needs   pipeline's rings, one of them only for the second dot's operand; before place_barriers
// keeps   every value: the same ops on the same numbers. An iteration's second part moves to the next iteration's body
// breaks  nothing
// pays    the second dot runs during the exponentials, maxima and sums of the next iteration
//
// The second dot's wait takes values computed under it as operands. Otherwise ptxas would move it above them. They are
// row sums (`pinned`), and the operand that is packed for the next dot, which passes through. Its conversions are after
// the wait. If registers are written while a dot is in flight, ptxas waits after each dot.
//
// This file assigns the loop a schedule of two stages. schedule_expand builds the loop from it.
#include "ir/memory/ring.h"
#include "ir/memory/scratch.h"
#include "passes/attention/rotate_parts.h"

typedef struct Rotator {
  Rotation r;
  Schedule s;
  uint8_t *early, *late; // By op id: it is a step of that stage.
} Rotator;

// --- ops of one part

static void push_early(Rotator *t, const Op *op) {
  if (t->early[op->id]) return;
  t->early[op->id] = 1;
  schedule_push(&t->s, (ScheduleStep){.op = op});
}

static void push_late(Rotator *t, const Op *op);

// Values that a late op takes from early ones are loop-carried or computed again.
static void take_operands(Rotator *t, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++) {
      const Op *def = body_def(t->r.loop, op_operand(w.op, i));
      if (def && !t->r.crosses[op_operand(w.op, i)->id]) push_late(t, def);
    }
}

static void push_late(Rotator *t, const Op *op) {
  bool fills = rotated_part(&t->r, op) == PART_FILLS;
  if (t->late[op->id]) return;
  t->late[op->id] = 1;
  take_operands(t, op);
  schedule_push(&t->s, (ScheduleStep){.kind = fills ? STEP_FILL : STEP_OP, .op = op, .stage = 1});
}

// --- computed before the second dot's wait

static bool is_sum(const Value *value) {
  return type_is_tile(value->type) &&
         (type_is_elem(value->type, ELEM_FP32) || type_is_elem(value->type, ELEM_I32));
}

// The early value that the next second dot's operand is packed from, after the wait; NULL: it is packed elsewhere.
static Value *packed_from(const Rotation *r) {
  Value *value = op_operand(r->dots.second, 0);
  const Op *def = body_def(r->loop, value);
  while (def && rotated_part(r, def) == PART_PACKED) {
    value = op_operand(def, 0);
    def = body_def(r->loop, value);
  }
  return def && value != op_operand(r->dots.second, 0) && is_sum(value) ? value : NULL;
}

// The packed value, and loop-carried values with few registers that depend on all of it.
static uint32_t find_under(Rotator *t, Value **under) {
  enum { MAX_WORDS = 4 };
  const Op *loop = t->r.loop;
  Value *packed = packed_from(&t->r);
  uint32_t n = 0;
  if (!packed) return 0;
  under[n++] = packed;
  const uint8_t *marks = loop_hangs_on(t->r.context->scratch, t->r.func, loop, packed->def);
  for (uint32_t i = 0; i < loop->result_count; i++) {
    Value *value = loop_yielded(loop, i);
    const Op *def = body_def(loop, value);
    if (def && rotated_part(&t->r, def) == PART_EARLY && marks[value->id] && is_sum(value) &&
        tile_words(value->type) <= MAX_WORDS)
      under[n++] = value;
  }
  return n;
}

static void push_second_wait(Rotator *t) {
  const Op *wait = t->r.dots.second_wait;
  Value **under = ARENA_ARRAY(t->r.context->scratch, Value *, t->r.loop->result_count + 1);
  uint32_t n = find_under(t, under);
  t->late[wait->id] = 1;
  schedule_push(&t->s, (ScheduleStep){.op = wait, .stage = 1, .under = under, .under_count = n});
}

// --- the order

// Pushes the first dot's wait, and the release of the slots that it read.
static void push_first_wait(Rotator *t) {
  const Region *body = t->r.loop->regions[0];
  push_early(t, t->r.dots.first_wait);
  for (const Op *op = body->first; op != body->last; op = op->next) {
    const Op *ring = op->kind == OP_RING_RELEASE ? body_def(t->r.loop, op_operand(op, 0)) : NULL;
    if (ring && rotated_part(&t->r, op) == PART_EARLY && t->early[ring->id]) push_early(t, op);
  }
}

enum { EARLY = 1 << PART_EARLY, PACKED = 1 << PART_PACKED, LATE = 1 << PART_LATE, FILLS = 1 << PART_FILLS };

static void push_parts(Rotator *t, const Op *from, const Op *end, uint32_t parts) {
  for (const Op *op = from; op != end; op = op->next) {
    if (!(parts >> rotated_part(&t->r, op) & 1)) continue;
    if (rotated_is_late(&t->r, op))
      push_late(t, op);
    else
      push_early(t, op);
  }
}

// NULL: the loop's schedule is in t->s; otherwise the reason why there is none.
static const char *rotation_assign(Rotator *t) {
  const Region *body = t->r.loop->regions[0];
  Arena *arena = t->r.context->scratch;
  const OverlappedDots *dots = &t->r.dots;
  t->early = ARENA_ARRAY(arena, uint8_t, t->r.func->op_count);
  t->late = ARENA_ARRAY(arena, uint8_t, t->r.func->op_count);
  for (const Op *op = body->first; op != body->last; op = op->next)
    if (rotated_part(&t->r, op) == PART_BOTH)
      schedule_push(&t->s, (ScheduleStep){.kind = STEP_MEET, .op = op});
  push_parts(t, body->first, dots->first->next, EARLY | FILLS);
  push_parts(t, body->first, dots->second->next, LATE);
  push_first_wait(t);
  push_parts(t, dots->first_wait, body->last, EARLY);
  push_second_wait(t);
  push_parts(t, body->first, body->last, PACKED);
  push_parts(t, dots->second_wait->next, body->last, LATE | FILLS);
  t->s.stage_of = t->r.late_args;
  for (uint32_t i = 0; i < t->r.crossing.n; i++) vec_push(arena, &t->s.crossing, t->r.crossing.at[i]);
  const char *why = schedule_check(&t->s);
  return why ? why : schedule_stalls(&t->s);
}

// --- loops that qualify

// Erases values that pipeline computed again one iteration ahead.
static void erase_dead(Op *loop) {
  for (Op *op = loop->regions[0]->last, *before; op; op = before) {
    before = op->prev;
    bool used = op_has(op, TERMINATOR) || !op_is_dead(op);
    for (uint32_t i = 0; i < op->result_count; i++) used |= !value_unused(&op->results[i]);
    if (!used) op_erase(op);
  }
}

static bool fills_slots(const Op *loop) {
  const Op *op = loop->regions[0]->first;
  while (op && op->kind != OP_RING_FILL) op = op->next;
  return op != NULL;
}

// For slots that are prefetched. A channel that others fill is used after the loop as the last iteration leaves it.
static bool carries_slots_out(const Op *loop) {
  bool fills = fills_slots(loop);
  for (uint32_t i = 0; i < loop->result_count; i++) {
    int kind = loop->results[i].type->kind;
    if (((kind == TYPE_RING && fills) || kind == TYPE_TOKEN) && !value_unused(&loop->results[i])) return true;
  }
  return false;
}

static void rotate_loop(PassContext *context, Func *func, Op *loop) {
  Rotator t = {.r = {.context = context, .func = func, .loop = loop},
               .s = {.context = context, .func = func, .loop = loop, .stages = 2, .entered = true}};
  op_remove_attr(loop, ATTR_OVERLAPPED);
  erase_dead(loop);
  func_number(func);
  bool found = overlapped_dots_find(loop, &t.r.dots) && value_int_constant(loop_step(loop), &t.s.step) &&
               t.s.step != 0;
  if (!found || carries_slots_out(loop)) t.r.why = "the loop is not the one that was marked";
  if (!t.r.why && rotation_find(&t.r)) t.r.why = rotation_assign(&t);
  if (t.r.why) {
    diag_remark(context->diags, loop->loc, "rotate_loops", "not rotated: %s", t.r.why);
    return;
  }
  diag_remark(context->diags, t.r.dots.second->loc, "rotate_loops",
              "the dot is in flight while its next operand is computed");
  schedule_remark(&t.s, "rotate_loops");
  Builder b = builder_before(loop);
  schedule_expand(&t.s, &b, schedule_any(&t.s, &b));
}

bool pass_rotate_loops(PassContext *context, Func *func) {
  const OverlappedLoops marked = overlapped_loops(context->scratch, func);
  for (uint32_t i = 0; i < marked.list.n; i++) rotate_loop(context, func, marked.list.at[i]);
  return marked.list.n != 0;
}
