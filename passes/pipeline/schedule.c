// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries about a schedule: is it valid, what is in flight, and how is it printed?
#include "passes/pipeline/schedule.h"

#include "base/buf.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "ir/memory/scratch.h"

void schedule_push(Schedule *s, ScheduleStep step) { vec_push(s->context->scratch, &s->steps, step); }

// --- dots in flight

static bool is_async_dot(const Op *op) { return op && op->kind == OP_DOT && op_attr(op, ATTR_ASYNC); }

ScheduleFlight flight_begin(const Schedule *s, Arena *arena) {
  return (ScheduleFlight){s, 0, ARENA_ARRAY(arena, uint32_t, s->func->op_count)};
}

int64_t flight_pass(ScheduleFlight *flight, const ScheduleStep *step) {
  const Op *op = step->op;
  if (step->kind != STEP_OP) return -1;
  if (is_async_dot(op)) flight->at[op->id] = ++flight->begun;
  if (op->kind != OP_DOT_WAIT) return -1;
  if (flight->s->stages == 1) return step->pending ? step->pending : -1;
  const Op *dot = body_def(flight->s->loop, op_operand(op, 0));
  return is_async_dot(dot) ? (int64_t)(flight->begun - flight->at[dot->id]) + step->pending : -1;
}

// --- validity

typedef struct Check {
  const Schedule *s;
  Arena *arena;
  uint8_t *made;  // By value id: the stages of its steps.
  uint8_t *known; // By value id: the stages that have it at the current step.
  bool own;       // The pass's own steps define values too.
} Check;

static bool is_of_body(const Check *c, const Value *value) {
  return body_def(c->s->loop, value) || is_body_arg(c->s->loop, value);
}

static bool has_value(const Check *c, const Value *value, uint32_t stage) {
  if (!is_of_body(c, value) || c->known[value->id] >> stage & 1) return true;
  return c->own && value->def && !c->made[value->id];
}

static bool takes_known(const Check *c, const Op *op, uint32_t stage) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++)
      if (!has_value(c, op_operand(w.op, i), stage)) return false;
  return true;
}

static void begin_check(Check *c) {
  const Schedule *s = c->s;
  uint32_t n = s->func->value_count;
  c->made = ARENA_ARRAY(c->arena, uint8_t, n);
  c->known = ARENA_ARRAY(c->arena, uint8_t, n);
  for (uint32_t i = 0; i < s->steps.n; i++) {
    const ScheduleStep *step = &s->steps.at[i];
    c->own |= step->kind == STEP_OWN;
    if (step->kind == STEP_OWN || step->kind == STEP_MEET) continue;
    for (uint32_t r = 0; r < step->op->result_count; r++)
      c->made[step->op->results[r].id] |= (uint8_t)(1u << step->stage);
  }
  c->known[loop_index(s->loop)->id] = 1;
  for (uint32_t i = 0; i < s->loop->result_count; i++)
    c->known[loop_carried(s->loop, i)->id] = (uint8_t)(1u << s->stage_of[i]);
  for (uint32_t i = 0; i < s->crossing.n; i++) c->known[s->crossing.at[i]->id] |= 2;
}

static const char *check_uses(Check *c) {
  const Schedule *s = c->s;
  for (uint32_t i = 0; i < s->steps.n; i++) {
    const ScheduleStep *step = &s->steps.at[i];
    if (step->kind == STEP_OWN || step->kind == STEP_MEET) continue;
    if (step->stage >= s->stages) return "a step is of a stage that does not exist";
    if (!takes_known(c, step->op, step->stage)) return "a step takes a value that its stage does not have";
    for (uint32_t k = 0; k < step->under_count; k++)
      if (!has_value(c, step->under[k], 0)) return "a wait comes before what should overlap with it";
    for (uint32_t r = 0; r < step->op->result_count; r++)
      c->known[step->op->results[r].id] |= (uint8_t)(1u << step->stage);
  }
  return NULL;
}

static const char *check_carried(const Check *c) {
  const Schedule *s = c->s;
  for (uint32_t i = 0; i < s->loop->result_count; i++)
    if (!has_value(c, loop_yielded(s->loop, i), s->stage_of[i]))
      return "the stage of a loop-carried value does not compute its next value";
  for (uint32_t i = 0; i < s->crossing.n; i++) {
    const Value *value = s->crossing.at[i];
    int kind = value->type->kind;
    if (kind == TYPE_SHARED || kind == TYPE_RING || kind == TYPE_TOKEN) return "a slot crosses in a register";
    if (!has_value(c, value, 0)) return "what crosses is not of the first stage";
    if (is_async_dot(value->def)) return "a dot in flight crosses";
  }
  return NULL;
}

static bool takes_product(const Op *loop, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++)
      if (is_async_dot(body_def(loop, op_operand(w.op, i)))) return true;
  return false;
}

bool takes_product_early(const Op *loop) {
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    if (op->kind != OP_DOT && op->kind != OP_DOT_WAIT && takes_product(loop, op)) return true;
  return false;
}

static const char *check_products(const Check *c) {
  for (uint32_t i = 0; i < c->s->steps.n; i++) {
    const ScheduleStep *step = &c->s->steps.at[i];
    bool waits = step->kind == STEP_OWN || step->op->kind == OP_DOT || step->op->kind == OP_DOT_WAIT;
    if (!waits && takes_product(c->s->loop, step->op)) return "a dot is used before its wait";
  }
  return NULL;
}

static const char *check_ring(const Schedule *s, uint32_t group) {
  ScheduleRing ring = s->rings[group];
  for (uint32_t i = 0; i < s->steps.n && ring.slots; i++) {
    const ScheduleStep *step = &s->steps.at[i];
    if (step->kind != STEP_OWN || step->group != group) continue;
    if (step->slots == SLOTS_FILLED && ring.filled++ + ring.read == ring.slots)
      return "a ring has too few slots";
    if (step->slots == SLOTS_READ && ring.filled-- == 0) return "a slot is read that was not filled";
    if (step->slots == SLOTS_FREED && ring.read == 0) return "a slot is freed that nobody reads";
    ring.read += step->slots == SLOTS_READ;
    ring.read -= step->slots == SLOTS_FREED;
  }
  bool same = ring.filled == s->rings[group].filled && ring.read == s->rings[group].read;
  return same ? NULL : "a round does not free as many slots as it fills";
}

const char *schedule_check(const Schedule *s) {
  Check c = {.s = s, .arena = s->context->scratch};
  begin_check(&c);
  const char *why = check_uses(&c);
  if (!why) why = check_carried(&c);
  if (!why) why = check_products(&c);
  for (uint32_t i = 0; i < SCHEDULE_RINGS && !why; i++) why = check_ring(s, i);
  return why;
}

// --- can dots be in flight?

// Returns true if a dot takes the value in registers. A dot that is computed in parts waits for others itself.
static bool feeds_product(const Schedule *s, const Value *value) {
  if (!type_is_tile(value->type)) return false;
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *op = use->user;
    if (op->region == s->loop->regions[0] && is_dot_of(op, DOT_WGMMA) && op_operand(op, 0) == value &&
        !dot_parts(op))
      return true;
  }
  return false;
}

// Checks two rounds, because the first one may leave dots in flight in the second.
const char *schedule_stalls(const Schedule *s) {
  ScheduleFlight flight = flight_begin(s, s->context->scratch);
  int64_t under_way = 0;
  for (uint32_t i = 0; i < 2 * s->steps.n; i++) {
    const ScheduleStep *step = &s->steps.at[i % s->steps.n];
    const Op *op = step->op;
    int64_t pending = flight_pass(&flight, step);
    if (step->kind != STEP_OP) continue;
    if (op->kind == OP_DOT_WAIT) {
      if (pending < 0) pending = op_int(op, ATTR_PENDING, 0);
      under_way = pending < under_way ? pending : under_way;
      continue;
    }
    if (op->kind == OP_DOT && dot_parts(op)) under_way = 0;
    for (uint32_t r = 0; r < op->result_count && under_way; r++)
      if (feeds_product(s, &op->results[r]))
        return "registers of a dot are written while one is in flight";
    under_way += is_async_dot(op);
  }
  return NULL;
}

// --- printing

static bool is_named(const ScheduleStep *step) {
  const Op *op = step->op;
  return step->kind != STEP_OP || (op && (op_has(op, RING) || op->kind == OP_DOT || op->kind == OP_DOT_WAIT));
}

typedef struct Reading {
  Buf out;
  uint32_t others; // Steps without a name.
  bool first;      // It is the first of its stage.
} Reading;

static void print_part(Reading *r, const char *text) {
  buf_printf(&r->out, r->first ? "%s" : ", %s", text);
  r->first = false;
}

static void print_others(Reading *r) {
  if (r->others) {
    print_part(r, "");
    buf_printf(&r->out, "%u op%s", r->others, r->others == 1 ? "" : "s");
  }
  r->others = 0;
}

static void print_stage(Reading *r, const ScheduleStep *step) {
  if (r->out.n) buf_text(&r->out, "; ");
  if (step->kind == STEP_MEET)
    buf_text(&r->out, "all: ");
  else
    buf_printf(&r->out, "%u: ", step->stage);
  r->first = true;
}

static void print_steps(const Schedule *s, Reading *r) {
  ScheduleFlight flight = flight_begin(s, s->context->scratch);
  uint32_t stage = UINT32_MAX;
  r->first = true;
  for (uint32_t i = 0; i < s->steps.n; i++) {
    const ScheduleStep *step = &s->steps.at[i];
    uint32_t of = step->kind == STEP_MEET ? s->stages : step->stage;
    int64_t under_way = flight_pass(&flight, step);
    bool named = is_named(step);
    if (of != stage || named) print_others(r);
    if (of != stage && s->stages > 1) print_stage(r, step);
    stage = of;
    r->others += !named;
    if (named) print_part(r, step->own ? step->own : op_info(step->op->kind)->name);
    if (step->ahead) buf_printf(&r->out, " %u ahead", step->ahead);
    if (under_way > 0) buf_printf(&r->out, " (%u in flight)", (uint32_t)under_way);
  }
  print_others(r);
}

void schedule_remark(const Schedule *s, const char *pass) {
  Reading r = {0};
  uint32_t words = 0;
  print_steps(s, &r);
  for (uint32_t i = 0; i < s->crossing.n; i++)
    words += type_is_tile(s->crossing.at[i]->type) ? tile_words(s->crossing.at[i]->type) : 1;
  if (s->stages > 1)
    diag_remark(s->context->diags, s->loop->loc, pass,
                "schedule of %u stages: %s; %u values cross in %u registers", s->stages, r.out.at,
                s->crossing.n, words);
  else
    diag_remark(s->context->diags, s->loop->loc, pass, "schedule: %s", r.out.at);
  buf_free(&r.out);
}
