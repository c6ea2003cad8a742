// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the loop of a schedule: the code before it, its rounds, the code after it, and the case without an iteration.
#include "passes/pipeline/schedule.h"

#include "ir/memory/ring.h"

typedef struct ValueList {
  VEC(Value *) list;
} ValueList;

typedef struct Expander {
  const Schedule *s;
  Arena *arena;
  CloneMap maps[SCHEDULE_STAGES]; // Values of the old body, in the iteration that the stage works for.
  Value *index;                   // Index of stage 0.
  ScheduleFlight flight;          // For the code being built.
  bool waits;                     // It contains a wait for copies.
} Expander;

enum { FIRST = 1, SECOND = 2 }; // Sets of stages.

static void push(Expander *x, ValueList *to, Value *value) { vec_push(x->arena, &to->list, value); }

static uint32_t all_stages(const Schedule *s) { return (1u << s->stages) - 1; }

// --- steps

// Waits for the tokens of the existing stages.
static void emit_async_wait(Expander *x, Builder *b, const Op *op, uint32_t stages) {
  ValueList tokens = {0};
  int64_t pending = op_int(op, ATTR_PENDING, 0);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    Value *token = op_operand(op, i);
    uint32_t stage = token->index > 0 ? x->s->stage_of[token->index - 1] : 0;
    if (stages >> stage & 1)
      push(x, &tokens, clone_get(&x->maps[stage], token));
    else if (stage > 0)
      pending++; // Its group was closed after that of the previous stage.
  }
  if (!tokens.list.n) return;
  x->waits = true;
  b->loc = op->loc;
  op_set_int(build_op(b, OP_ASYNC_WAIT, tokens.list.n, tokens.list.at, 0, NULL), ATTR_PENDING, pending);
}

static void emit_meeting(Expander *x, Builder *b, const Op *op, uint32_t stages) {
  if (op->kind == OP_ASYNC_WAIT)
    emit_async_wait(x, b, op, stages);
  else if (stages & FIRST || x->waits)
    op_clone(b, op, &x->maps[0]);
}

// Values computed under the dot come before its wait. The value that the next operand is packed from passes through the
// wait.
static Op *emit_wait_behind(Expander *x, Builder *b, const ScheduleStep *step) {
  const Op *wait = step->op;
  CloneMap *map = &x->maps[step->stage];
  ValueList operands = {0};
  const Type *types[2] = {op_result(wait)->type, step->under[0]->type};
  push(x, &operands, clone_get(map, op_operand(wait, 0)));
  for (uint32_t i = 0; i < step->under_count; i++) push(x, &operands, clone_get(&x->maps[0], step->under[i]));
  b->loc = wait->loc;
  Op *made = build_op(b, OP_DOT_WAIT, operands.list.n, operands.list.at, 2, types);
  op_copy_attrs(made, wait);
  op_set_flag(made, ATTR_PINNED, operands.list.n > 2);
  clone_set(map, op_result(wait), &made->results[0]);
  clone_set(&x->maps[0], step->under[0], &made->results[1]);
  return made;
}

static void emit_op(Expander *x, Builder *b, const ScheduleStep *step, uint32_t stages) {
  bool behind = step->under_count && stages & FIRST;
  int64_t pending = flight_pass(&x->flight, step);
  Op *made = behind ? emit_wait_behind(x, b, step) : op_clone(b, step->op, &x->maps[step->stage]);
  if (pending >= 0) op_set_int(made, ATTR_PENDING, pending);
}

// Fills nothing more: the ring does not change.
static void leave_out(Expander *x, const ScheduleStep *step) {
  CloneMap *map = &x->maps[step->stage];
  if (step->op->kind == OP_RING_FILL)
    clone_set(map, ring_result(step->op), clone_get(map, op_operand(step->op, 0)));
}

// Emits the steps of those stages.
static void emit_steps(Expander *x, Builder *b, uint32_t stages) {
  x->flight = flight_begin(x->s, x->arena);
  x->waits = false;
  for (uint32_t i = 0; i < x->s->steps.n; i++) {
    const ScheduleStep *step = &x->s->steps.at[i];
    bool now = stages >> step->stage & 1;
    if (step->kind == STEP_MEET)
      emit_meeting(x, b, step->op, stages);
    else if (step->kind == STEP_OWN)
      x->s->emit(x->s->data, b, step, &x->maps[step->stage], x->index);
    else if (step->kind == STEP_FILL && !(stages & FIRST))
      leave_out(x, step);
    else if (now)
      emit_op(x, b, step, stages);
  }
}

// --- loop-carried values

// The values for the next round. Stages in `done` have their yielded values. The others have their initial values.
static ValueList next_values(Expander *x, uint32_t done) {
  const Op *loop = x->s->loop;
  ValueList values = {0};
  for (uint32_t i = 0; i < loop->result_count; i++) {
    uint32_t stage = x->s->stage_of[i];
    bool ran = done >> stage & 1;
    push(x, &values, ran ? clone_get(&x->maps[stage], loop_yielded(loop, i)) : loop_init(loop, i));
  }
  for (uint32_t i = 0; i < x->s->crossing.n; i++)
    push(x, &values, clone_get(&x->maps[0], x->s->crossing.at[i]));
  for (uint32_t i = 0; i < x->s->beside.n; i++) push(x, &values, *x->s->beside.at[i]);
  return values;
}

// The same values as arguments of the loop's body or of the code after it. Old names stay.
static void take_arguments(Expander *x, Region *region) {
  const Op *loop = x->s->loop;
  Value *const *arg = region->args;
  x->index = *arg;
  clone_set(&x->maps[0], loop_index(loop), *arg);
  (*arg++)->name = loop_index(loop)->name;
  for (uint32_t i = 0; i < loop->result_count; i++, arg++) {
    clone_set(&x->maps[x->s->stage_of[i]], loop_carried(loop, i), *arg);
    (*arg)->name = loop_carried(loop, i)->name;
  }
  for (uint32_t i = 0; i < x->s->crossing.n; i++) clone_set(&x->maps[1], x->s->crossing.at[i], *arg++);
  for (uint32_t i = 0; i < x->s->beside.n; i++) *x->s->beside.at[i] = *arg++;
}

static void take_results(Expander *x, Op *made) {
  const Op *loop = x->s->loop;
  Value *result = made->results;
  for (uint32_t i = 0; i < loop->result_count; i++)
    clone_set(&x->maps[x->s->stage_of[i]], loop_carried(loop, i), result++);
  for (uint32_t i = 0; i < x->s->crossing.n; i++) clone_set(&x->maps[1], x->s->crossing.at[i], result++);
}

// --- the loop

Value *schedule_any(const Schedule *s, Builder *b) {
  return build_binary(b, s->step < 0 ? OP_GT : OP_LT, loop_lower(s->loop), loop_upper(s->loop));
}

Value *build_reaches(Builder *b, Value *index, Value *upper, int64_t step, uint32_t ahead) {
  IrContext *ir = b->func->module->ir;
  const Type *type = index->type,
             *distance = type_scalar(ir, elem_bytes(type->elem) == 8 ? ELEM_U64 : ELEM_U32);
  bool down = step < 0;
  Value *left = build_cast(b, build_binary(b, OP_SUB, down ? index : upper, down ? upper : index), distance);
  return build_binary(b, OP_GT, left, build_int(b, distance, ahead * (down ? -step : step)));
}

// The second iteration's index; the bound if there is none.
static Value *second_index(const Schedule *s, Builder *b) {
  Value *lower = loop_lower(s->loop), *upper = loop_upper(s->loop);
  Value *another = build_reaches(b, lower, upper, s->step, 1);
  Value *next = build_with_int(b, OP_ADD, lower, s->step);
  return build(b, OP_SELECT, lower->type, another, next, upper);
}

static Op *make_loop(Expander *x, Builder *b, uint32_t done) {
  const Op *loop = x->s->loop;
  ValueList init = next_values(x, done);
  b->loc = loop->loc;
  Value *lower = done ? second_index(x->s, b) : loop_lower(loop);
  Op *made = build_for(b, lower, loop_upper(loop), loop_step(loop), init.list.n, init.list.at);
  Builder body = builder_at_end(x->s->func, made->regions[0]);
  op_copy_attrs(made, loop);
  body.loc = loop->loc;
  take_arguments(x, made->regions[0]);
  emit_steps(x, &body, all_stages(x->s));
  ValueList yielded = next_values(x, all_stages(x->s));
  body.loc = loop->regions[0]->last->loc;
  build_yield(&body, yielded.list.n, yielded.list.at);
  return made;
}

// Emits the first iteration's first stage.
static void emit_before(Expander *x, Builder *b) {
  const Op *loop = x->s->loop;
  clone_set(&x->maps[0], loop_index(loop), loop_lower(loop));
  for (uint32_t i = 0; i < loop->result_count; i++)
    clone_set(&x->maps[0], loop_carried(loop, i), loop_init(loop, i));
  b->loc = loop->loc;
  emit_steps(x, b, FIRST);
}

// A dot that stays in flight between rounds is waited for after the last round.
static Value *wait_for_last(const Schedule *s, Builder *b, const Value *yielded, Value *result) {
  for (uint32_t i = 0; i < s->steps.n; i++) {
    const ScheduleStep *step = &s->steps.at[i];
    if (!step->pending || step->op != yielded->def) continue;
    Op *wait = build_op(b, OP_DOT_WAIT, 1, &result, 1, &result->type);
    op_set_int(wait, ATTR_PENDING, 0);
    return op_result(wait);
  }
  return result;
}

// Returns the used results of the old loop and the additional loop-carried values.
static ValueList emit_loop(Expander *x, Builder *b) {
  const Op *loop = x->s->loop;
  bool two = x->s->stages > 1;
  ValueList results = {0};
  if (two) emit_before(x, b);
  if (x->s->enter) x->s->enter(x->s->data, b);
  Op *made = make_loop(x, b, two ? FIRST : 0);
  take_results(x, made);
  b->loc = loop->loc;
  if (two) emit_steps(x, b, SECOND);
  for (uint32_t i = 0; i < loop->result_count; i++) {
    Value *yielded = loop_yielded(loop, i), *value = &made->results[i];
    b->loc = loop->loc;
    value = x->s->stage_of[i] ? clone_get(&x->maps[1], yielded) : wait_for_last(x->s, b, yielded, value);
    if (!value_unused(&loop->results[i])) push(x, &results, value);
  }
  for (uint32_t i = made->result_count - x->s->beside.n; i < made->result_count && x->s->beside_after; i++)
    push(x, &results, &made->results[i]);
  return results;
}

// Puts the loop in a branch, entered only if there is an iteration.
static ValueList emit_branch(Expander *x, Builder *b, Value *any) {
  const Op *loop = x->s->loop;
  ValueList none = {0}, results = {0};
  for (uint32_t i = 0; i < loop->result_count; i++)
    if (!value_unused(&loop->results[i])) push(x, &none, loop_init(loop, i));
  for (uint32_t i = 0; i < x->s->beside.n && x->s->beside_after; i++) push(x, &none, *x->s->beside.at[i]);
  const Type **types = ARENA_ARRAY(x->arena, const Type *, none.list.n);
  for (uint32_t i = 0; i < none.list.n; i++) types[i] = none.list.at[i]->type;
  b->loc = loop->loc;
  Op *branch = build_if(b, any, none.list.n, types);
  Builder inner = builder_at_end(x->s->func, branch->regions[0]),
          otherwise = builder_at_end(x->s->func, branch->regions[1]);
  ValueList some = emit_loop(x, &inner);
  inner.loc = otherwise.loc = loop->loc;
  build_yield(&inner, some.list.n, some.list.at);
  build_yield(&otherwise, none.list.n, none.list.at);
  for (uint32_t i = 0; i < branch->result_count; i++) push(x, &results, &branch->results[i]);
  return results;
}

void schedule_expand(Schedule *s, Builder *b, Value *any) {
  Expander x = {.s = s, .arena = s->context->scratch};
  Op *loop = s->loop;
  for (uint32_t k = 0; k < s->stages; k++) x.maps[k] = clone_map_new(x.arena, s->func);
  ValueList results = s->entered ? emit_branch(&x, b, any) : emit_loop(&x, b);
  uint32_t at = 0;
  for (uint32_t i = 0; i < loop->result_count; i++)
    if (!value_unused(&loop->results[i])) value_replace_uses(&loop->results[i], results.list.at[at++]);
  for (uint32_t i = 0; at < results.list.n; i++) *s->beside.at[i] = results.list.at[at++];
  op_erase(loop);
}
