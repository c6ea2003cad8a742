// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow of the evaluator: regions, if, for, while.
//
// Every value has one tile for the whole launch. A for loop keeps its loop-carried values in the tiles of its
// results. They are copied to the region's arguments before each iteration, so that a yield may permute the
// arguments.
#include "base/seconds.h"
#include "base/fault.h"
#include "eval/eval_machine.h"

enum { MAX_DEPTH = 256 };

bool eval_control_operand(Machine *m, const Op *op, uint32_t index, const char *what, uint64_t *bits,
                          uint8_t *doubt) {
  const Tile *tile = eval_operand(m, op, index);
  if (!eval_defined(m, op, index, NO_ELEMENT, what)) return false;
  *doubt = state_is_doubtful(tile->state[0]) ? tile->state[0] : 0;
  *bits = tile->bits[0];
  return true;
}

// The same for control flow that decides what is in memory.
bool eval_flow_operand(Machine *m, const Op *op, uint32_t index, const char *what, uint64_t *bits) {
  uint8_t doubt = 0;
  if (!eval_control_operand(m, op, index, what, bits, &doubt)) return false;
  eval_doubt_memory(m, doubt);
  return true;
}

// Control flow passes a value on.
static void carry(Machine *m, const Value *to, const Value *from) {
  eval_copy(m, eval_tile(m, to), &m->values[from->id]);
  eval_carry_origin(m, to, from);
}

// Copies the region's yielded values to the op's results.
void eval_take_yielded(Machine *m, const Op *op, const Op *end) {
  uint32_t yielded = end && end->kind == OP_YIELD ? end->operand_count : 0;
  if (yielded != op->result_count)
    BUG("%s yields %u values for %u results", op_info(op->kind)->name, yielded, op->result_count);
  for (uint32_t i = 0; i < yielded; i++) carry(m, &op->results[i], op_operand(end, i));
}

static RegionEnd run_if(Machine *m, const Op *op) {
  uint64_t condition = 0;
  const Op *end = NULL;
  if (!eval_flow_operand(m, op, 0, "the condition", &condition)) return REGION_FAILED;
  RegionEnd flow = eval_region(m, op->regions[condition ? 0 : 1], &end);
  if (flow == REGION_ENDED) eval_take_yielded(m, op, end);
  return flow;
}

// The distance to the upper bound counts down, so that a bound near the type's end cannot overflow i.
bool eval_for_advance(ForRounds *r) {
  uint64_t distance = r->down ? r->i - r->upper : r->upper - r->i, size = r->down ? 0 - r->step : r->step;
  if (size >= distance) return false;
  r->i += r->step;
  return true;
}

bool eval_for_begin(Machine *m, const Op *op, ForRounds *r, bool *more) {
  if (!eval_flow_operand(m, op, 0, "the loop's lower bound", &r->i) ||
      !eval_flow_operand(m, op, 1, "the loop's upper bound", &r->upper) ||
      !eval_flow_operand(m, op, 2, "the loop's step", &r->step))
    return false;
  if (r->step == 0) return eval_error(m, op, NO_ELEMENT, "[T0000] the loop's step is 0");
  bool is_signed = elem_is_signed((Elem)eval_operand(m, op, 0)->code);
  r->down = is_signed && (int64_t)r->step < 0;
  for (uint32_t k = 0; k < op->result_count; k++)
    carry(m, &op->results[k], op_operand(op, LOOP_FIRST_INIT + k));
  *more = r->down     ? (int64_t)r->i > (int64_t)r->upper
          : is_signed ? (int64_t)r->i < (int64_t)r->upper
                      : r->i < r->upper;
  return true;
}

void eval_for_round(Machine *m, const Op *op, const ForRounds *r) {
  eval_set_int(m, op->regions[0]->args[0], r->i);
  for (uint32_t k = 0; k < op->result_count; k++) carry(m, loop_carried(op, k), &op->results[k]);
}

static RegionEnd run_for(Machine *m, const Op *op) {
  ForRounds rounds;
  bool more = false;
  if (!eval_for_begin(m, op, &rounds, &more)) return REGION_FAILED;
  for (; more; more = eval_for_advance(&rounds)) {
    const Op *end = NULL;
    eval_for_round(m, op, &rounds);
    RegionEnd flow = eval_region(m, op->regions[0], &end);
    if (flow != REGION_ENDED) return flow;
    eval_take_yielded(m, op, end);
  }
  return REGION_ENDED;
}

// Returns true if the region changes memory other than by atomics, or leaves the program.
static bool has_effect(const Region *region) {
  for (OpWalk w = ops_in(region); ops_next(&w);) {
    bool waits = op_has(w.op, ATOMIC) || w.op->kind == OP_BARRIER || w.op->kind == OP_GLOBALTIMER ||
                 w.op->kind == OP_SHARED_STORE; // publishes an atomic's result
    if ((op_has(w.op, WRITES) && !waits) || w.op->kind == OP_RETURN) return true;
  }
  return false;
}

static bool is_used(const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (op->results[i].first_use) return true;
  return false;
}

bool eval_only_waits(const Op *op) {
  return op && op->kind == OP_WHILE && !is_used(op) && !has_effect(op->regions[0]) &&
         !has_effect(op->regions[1]);
}

void eval_take_args(Machine *m, const Region *region, const Op *from, uint32_t first) {
  if (from->operand_count - first != region->arg_count)
    BUG("%s passes %u values to %u arguments", op_info(from->kind)->name, from->operand_count - first,
        region->arg_count);
  for (uint32_t i = 0; i < region->arg_count; i++) carry(m, region->args[i], op_operand(from, first + i));
}

// A region's arguments are not values of the other region, so copying them one by one is correct.
static RegionEnd run_rounds(Machine *m, const Op *op, LoopWatch *watch) {
  const Region *before = op->regions[0], *after = op->regions[1];
  bool waits = eval_only_waits(op);
  eval_take_args(m, before, op, 0);
  for (;;) {
    const Op *end = NULL;
    uint64_t condition = 0;
    uint8_t doubt = 0;
    if (!eval_watch(m, op, watch)) return REGION_FAILED;
    RegionEnd flow = eval_region(m, before, &end);
    if (flow != REGION_ENDED) return flow;
    if (!eval_control_operand(m, end, 0, "the condition", &condition, &doubt)) return REGION_FAILED;
    if (!waits || doubt & ASSEMBLED) eval_doubt_memory(m, doubt);
    if (!condition) {
      for (uint32_t i = 0; i < op->result_count; i++) carry(m, &op->results[i], op_operand(end, i + 1));
      return REGION_ENDED;
    }
    eval_take_args(m, after, end, 1);
    flow = eval_region(m, after, &end);
    if (flow != REGION_ENDED) return flow;
    eval_take_args(m, before, end, 0);
  }
}

static RegionEnd run_while(Machine *m, const Op *op) {
  LoopWatch watch = {0};
  RegionEnd end = run_rounds(m, op, &watch);
  eval_watch_end(m, &watch);
  return end;
}

bool eval_run_map(Machine *m, Op *op) {
  const Region *body = op->regions[0];
  uint32_t n = (uint32_t)type_elements(eval_shape(op));
  for (uint32_t i = 0; i < n; i++) {
    const Op *end = NULL;
    for (uint32_t x = 0; x < op->operand_count; x++) {
      Element from = tile_get(eval_operand(m, op, x), i);
      tile_set(eval_tile(m, body->args[x]), 0, &from);
    }
    RegionEnd flow = eval_region(m, body, &end);
    if (flow == REGION_FAILED) return false;
    if (flow != REGION_ENDED || end->operand_count != op->result_count)
      BUG("the region of map does not yield %u values", op->result_count);
    for (uint32_t x = 0; x < op->result_count; x++) {
      Element to = tile_get(eval_operand(m, end, x), 0);
      tile_set(eval_tile(m, &op->results[x]), i, &to);
    }
  }
  return true;
}

void eval_limit_begin(Machine *m) {
  if (m->options.timeout > 0) m->deadline = seconds_now() + m->options.timeout - m->options.spent;
}

// The error gets a note for each loop around the op.
static bool ends_in_loops(Machine *m, const Op *op) {
  m->memory->gave_up = true;
  for (const Op *loop = op->region->parent; loop; loop = loop->region ? loop->region->parent : NULL)
    if (op_is_loop(loop)) diag_note(m->diags, vec_last(&m->diags->list), loop->loc, "in this loop");
  return false;
}

// A yield counts as a step, so that an empty loop has steps.
bool eval_step(Machine *m, const Op *op) {
  enum { CLOCK_STEPS = 64 };
  const EvalOptions *o = &m->options;
  if (o->max_steps && m->steps >= o->max_steps) {
    eval_error(m, op, NO_ELEMENT,
               "[T1404] the limit of %llu steps is reached (raise it with --max-instructions N)",
               (unsigned long long)o->max_steps);
    return ends_in_loops(m, op);
  }
  if (!eval_stop(m, op)) return false;
  if (m->steps++ % CLOCK_STEPS) return true;
  if (o->cancel && __atomic_load_n(o->cancel, __ATOMIC_RELAXED)) {
    eval_error(m, op, NO_ELEMENT, "[T1404] the launch was interrupted");
    return ends_in_loops(m, op);
  }
  if (o->timeout <= 0 || seconds_now() <= m->deadline) return true;
  eval_error(m, op, NO_ELEMENT,
             "[T1404] the launch has not ended within %.3g seconds (--timeout SECONDS waits longer)",
             o->timeout);
  return ends_in_loops(m, op);
}

RegionEnd eval_op(Machine *m, Op *op) {
  if (!eval_dots_allow(m, op)) return REGION_FAILED;
  switch ((int)op->kind) {
  case OP_RETURN: return REGION_RETURNED;
  case OP_FOR: return run_for(m, op);
  case OP_IF: return run_if(m, op);
  case OP_WHILE: return run_while(m, op);
  case OP_WARP_GROUPS: return eval_groups(m, op) ? REGION_ENDED : REGION_FAILED;
  case OP_REDUCE:
  case OP_SCAN:
  case OP_REDUCE_PARTS:
  case OP_SCAN_CHUNKS:
  case OP_SCAN_CARRY:
  case OP_MAP: return eval_combine(m, op) ? REGION_ENDED : REGION_FAILED;
  default: return eval_plain(m, op) ? REGION_ENDED : REGION_FAILED;
  }
}

RegionEnd eval_region(Machine *m, const Region *region, const Op **end) {
  RegionEnd flow = REGION_ENDED;
  if (++m->depth > MAX_DEPTH) {
    eval_error(m, region->parent, NO_ELEMENT, "[T0000] more than %d levels of control flow", MAX_DEPTH);
    flow = REGION_FAILED;
  }
  for (Op *op = region->first; op && flow == REGION_ENDED; op = op->next) {
    *end = op;
    if (!eval_step(m, op))
      flow = REGION_FAILED;
    else if (op->kind == OP_YIELD)
      break;
    else
      flow = eval_op(m, op);
    if (flow == REGION_FAILED) eval_stop_failed(m, op);
  }
  m->depth--;
  return flow;
}
