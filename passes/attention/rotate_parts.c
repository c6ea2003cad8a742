// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts a loop's ops into two parts: the first dot and values computed from it, and the second dot.
#include "passes/attention/rotate_parts.h"

#include "ir/build.h"
#include "ir/memory/ring.h"
#include "passes/analysis/rings.h"

static bool is_for_both(const Op *op) {
  return op->kind == OP_ASYNC_WAIT || op->kind == OP_FENCE_ASYNC ||
         (op->kind == OP_BARRIER && !op_attr(op, ATTR_WARPS));
}

static bool begins_copies(const Op *op) {
  if (op->kind != OP_IF || op->result_count) return false;
  for (const Op *inner = op->regions[0]->first; inner; inner = inner->next)
    if (op_has(inner, ASYNC)) return true;
  return false;
}

// --- ops that can move

static bool copies_alone(const Region *region) {
  for (const Op *op = region->first; op; op = op->next) {
    if (!op_has_any(op, ASYNC | TERMINATOR | PURE) && op->kind != OP_MBARRIER_EXPECT) return false;
  }
  return true;
}

static bool can_move(const Rotation *r, const Op *op) {
  if (is_for_both(op) || op_has(op, RING) || op->kind == OP_ASYNC_COMMIT) return true;
  if (op->kind == OP_DOT_WAIT) return op == r->dots.first_wait || op == r->dots.second_wait;
  if (begins_copies(op)) return copies_alone(op->regions[0]) && copies_alone(op->regions[1]);
  if (op_scratch(op) || op_is_loop(op)) return false;
  return op_is_dead(op); // Has no effect but its results.
}

static bool all_can_move(Rotation *r) {
  const Region *body = r->loop->regions[0];
  bool begun = false;
  for (const Op *op = body->first; op != body->last; op = op->next) {
    begun |= op == r->dots.first;
    if (!can_move(r, op)) r->why = "an op of the loop's body cannot be moved";
    if (begun && is_for_both(op)) r->why = "the wait for copies is after the first dot";
  }
  return !r->why;
}

// --- the second dot's part

static void mark_late(Rotation *r, const Op *op) {
  bool fills = op->kind == OP_RING_FILL || op->kind == OP_ASYNC_COMMIT || begins_copies(op);
  r->parts[op->id] = fills ? PART_FILLS : PART_LATE;
}

static bool is_late_value(const Rotation *r, const Value *value) {
  if (is_body_arg(r->loop, value)) return value->index > 0 && r->late_args[value->index - 1];
  const Op *def = body_def(r->loop, value);
  return def && rotated_is_late(r, def);
}

static bool takes_late(const Rotation *r, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++)
      if (is_late_value(r, op_operand(w.op, i))) return true;
  return false;
}

// An async_commit closes the group of the copies before it.
static bool closes_late(const Rotation *r, const Op *op) {
  return op->kind == OP_ASYNC_COMMIT && op->prev && begins_copies(op->prev) && rotated_is_late(r, op->prev);
}

// Spreads from the second dot and its slots to all ops that use their results.
static void spread_late(Rotation *r) {
  const Region *body = r->loop->regions[0];
  for (bool more = true; more;) {
    more = false;
    for (const Op *op = body->first; op != body->last; op = op->next) {
      if (rotated_part(r, op) != PART_EARLY || (!takes_late(r, op) && !closes_late(r, op))) continue;
      mark_late(r, op);
      more = true;
    }
    for (uint32_t i = 0; i < r->loop->result_count; i++) {
      if (r->late_args[i] || !is_late_value(r, loop_yielded(r->loop, i))) continue;
      r->late_args[i] = 1;
      more = true;
    }
  }
}

// Returns true if the late part computes the early value again: numbers, addresses, masks and copies of one element.
static bool rotated_is_cheap(const Op *op) {
  if (!op_has(op, PURE) || op->region_count || op->result_count != 1 || op->kind == OP_DOT || op_scratch(op))
    return false;
  return op_has(op, SPREADS) || op->kind == OP_CONSTANT || !type_is_float(type_element(op_result(op)->type));
}

// --- cheap ops that only the second dot's part takes move into it

typedef struct Sinker {
  Rotation *r;
  uint8_t *ops;  // By id: may sink.
  uint8_t *args; // By loop-carried value.
} Sinker;

// The op of the body that contains the op, or is the op.
static const Op *in_body(const Rotation *r, const Op *op) { return op_in_region(op, r->loop->regions[0]); }

static bool sinks_for(const Sinker *s, const Value *value) {
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = in_body(s->r, use->user);
    bool yields = user == s->r->loop->regions[0]->last;
    uint32_t carried = (uint32_t)(use - use->user->operands);
    if (yields ? !s->args[carried] && !s->r->late_args[carried]
               : !s->ops[user->id] && !rotated_is_late(s->r, user))
      return false;
  }
  return true;
}

// A loop-carried value can sink if its yielded value does.
static bool arg_sinks(const Sinker *s, uint32_t i) {
  const Op *def = body_def(s->r->loop, loop_yielded(s->r->loop, i));
  return def && s->ops[def->id] && sinks_for(s, loop_carried(s->r->loop, i));
}

static void sink_cheap(Rotation *r) {
  const Region *body = r->loop->regions[0];
  Sinker s = {r, ARENA_ARRAY(r->context->scratch, uint8_t, r->func->op_count),
              ARENA_ARRAY(r->context->scratch, uint8_t, r->loop->result_count + 1)};
  for (const Op *op = body->first; op != body->last; op = op->next)
    s.ops[op->id] = rotated_part(r, op) == PART_EARLY && rotated_is_cheap(op);
  for (uint32_t i = 0; i < r->loop->result_count; i++)
    s.args[i] = !r->late_args[i] && value_unused(&r->loop->results[i]);
  for (bool less = true; less;) {
    less = false;
    for (const Op *op = body->first; op != body->last; op = op->next)
      if (s.ops[op->id] && !sinks_for(&s, op_result(op))) less = true, s.ops[op->id] = 0;
    for (uint32_t i = 0; i < r->loop->result_count; i++)
      if (s.args[i] && !arg_sinks(&s, i)) less = true, s.args[i] = 0;
  }
  for (const Op *op = body->first; op != body->last; op = op->next)
    if (s.ops[op->id] && !value_unused(op_result(op))) r->parts[op->id] = PART_LATE;
  for (uint32_t i = 0; i < r->loop->result_count; i++) r->late_args[i] |= s.args[i];
}

// --- values that pass between the parts

static bool is_made_anew(const Rotation *r, const Value *value, uint32_t depth) {
  const Op *def = body_def(r->loop, value);
  if (is_body_arg(r->loop, value)) return !type_is_tile(value->type);
  if (!def || rotated_is_late(r, def)) return true;
  if (depth == 0 || !rotated_is_cheap(def)) return false;
  for (uint32_t i = 0; i < def->operand_count && !op_has(def, SPREADS); i++)
    if (!is_made_anew(r, op_operand(def, i), depth - 1)) return false;
  return true;
}

static void cross_value(Rotation *r, Value *value) {
  enum { DEPTH = 64 };
  Op *def = body_def(r->loop, value);
  bool arg = is_body_arg(r->loop, value);
  if ((!def && !arg) || r->crosses[value->id] || is_late_value(r, value)) return;
  if (!arg && is_made_anew(r, value, DEPTH)) {
    for (uint32_t i = 0; i < def->operand_count; i++) cross_value(r, op_operand(def, i));
    return;
  }
  r->crosses[value->id] = 1;
  vec_push(r->context->scratch, &r->crossing, value);
}

static void cross_operands(Rotation *r, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++) cross_value(r, op_operand(w.op, i));
}

static void find_crossing(Rotation *r) {
  const Region *body = r->loop->regions[0];
  for (const Op *op = body->first; op != body->last; op = op->next)
    if (rotated_is_late(r, op)) cross_operands(r, op);
  for (uint32_t i = 0; i < r->crossing.n; i++) {
    const Type *type = r->crossing.at[i]->type;
    if (type->kind == TYPE_SHARED || type->kind == TYPE_RING || type->kind == TYPE_TOKEN)
      r->why = "the second dot uses slots of the first";
  }
}

// Conversions of the second dot's operand. Each is used only by the next one.
static void find_packed(Rotation *r) {
  Op *op = body_def(r->loop, op_operand(r->dots.second, 0));
  while (op && rotated_part(r, op) == PART_EARLY && (op->kind == OP_CAST || op->kind == OP_CONVERT_LAYOUT) &&
         value_single_use(op_result(op))) {
    r->parts[op->id] = PART_PACKED;
    op = body_def(r->loop, op_operand(op, 0));
  }
}

bool rotation_find(Rotation *r) {
  const Region *body = r->loop->regions[0];
  const Op *slots = ring_view_source(op_operand(r->dots.second, 1));
  r->parts = ARENA_ARRAY(r->context->scratch, uint8_t, r->func->op_count);
  r->late_args = ARENA_ARRAY(r->context->scratch, uint8_t, r->loop->result_count + 1);
  r->crosses = ARENA_ARRAY(r->context->scratch, uint8_t, r->func->value_count);
  if (!slots || slots->region != body) {
    r->why = "the second dot's operand is not prefetched";
    return false;
  }
  if (!all_can_move(r)) return false;
  for (const Op *op = body->first; op != body->last; op = op->next)
    if (is_for_both(op)) r->parts[op->id] = PART_BOTH;
  mark_late(r, r->dots.second);
  mark_late(r, slots);
  spread_late(r);
  if (rotated_is_late(r, r->dots.first)) {
    r->why = "the first dot depends on the second, or on its slots";
    return false;
  }
  find_packed(r);
  sink_cheap(r);
  find_crossing(r);
  return !r->why;
}
