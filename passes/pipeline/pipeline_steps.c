// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule steps that are not ops of the loop: use of slots, and waits.
#include "base/fault.h"
#include "passes/pipeline/pipeline_emit.h"

static void take_slot(const StagedGroup *g, CloneMap *map) {
  for (uint32_t i = 0; i < g->count; i++) clone_set(map, op_result(g->loads[i]->load), g->tiles[i]);
}

// --- use of slots

static void store_tiles(Stager *s, Builder *b, StagedGroup *g) {
  if (g->count == 0) return;
  b->loc = g->loads[g->count - 1]->store->loc;
  const Op *fill = stage_next_slot(s, b, g, OP_RING_FILL);
  for (uint32_t i = 0; i < g->count; i++) {
    const StagedLoad *load = g->loads[i];
    b->loc = load->store->loc;
    Value *tile = g->tiles[i];
    if (load->trans) {
      CloneMap map = clone_map_new(s->arena, s->func);
      clone_set(&map, op_operand(load->trans, 0), tile);
      tile = op_result(op_clone(b, load->trans, &map));
    }
    build_op(b, OP_SHARED_STORE, 2, (Value *[]){tile, &fill->results[i]}, 0, NULL);
  }
}

static void store_computed(Stager *s, Builder *b, StagedGroup *g, const CloneMap *map) {
  const StagedLoad *operand = g->loads[0];
  b->loc = operand->store->loc;
  const Op *fill = stage_next_slot(s, b, g, OP_RING_FILL);
  Value *tile = clone_get(map, op_operand(operand->store, 0));
  build_op(b, OP_SHARED_STORE, 2, (Value *[]){tile, &fill->results[0]}, 0, NULL);
}

// Passes the oldest group's token to the wait, and moves the others up.
static uint32_t take_token(StagedGroup *g, uint32_t under_way, Value **tokens, uint32_t n) {
  tokens[n] = g->tokens[0];
  for (uint32_t i = 1; i < under_way; i++) g->tokens[i - 1] = g->tokens[i];
  return n + 1;
}

// Returns true if something other than threads' loads may read the buffer.
static bool feeds_dot(const Value *buffer) {
  for (const Use *use = buffer->first_use; use; use = use->next)
    if (use->user->kind != OP_SHARED_STORE && use->user->kind != OP_SHARED_LOAD) return true;
  return false;
}

// Returns true if a dot may read slots of the group. Other slots are only read back by threads.
static bool fills_buffers(const StagedGroup *g) {
  bool fills = false;
  for (uint32_t i = 0; i < g->count; i++)
    fills |= g->loads[i]->alloc && feeds_dot(op_result(g->loads[i]->alloc));
  return fills;
}

void stage_wait(Stager *s, Builder *b, uint32_t under_way) {
  StagedGroup *async = &s->groups[STAGED_COPIES], *late = &s->groups[STAGED_LATE_COPIES];
  Value *tokens[2];
  uint32_t n = 0, pending = 0;
  b->loc = s->staged->loop->loc;
  if (async->count) {
    n = take_token(async, under_way, tokens, n);
    pending += under_way - 1;
  }
  if (late->count) {
    n = take_token(late, late->held, tokens, n);
    pending += late->held - 1;
  }
  if (n) op_set_int(build_op(b, OP_ASYNC_WAIT, n, tokens, 0, NULL), ATTR_PENDING, pending);
  bool by_threads = fills_buffers(async) || fills_buffers(late) || s->groups[STAGED_STORES].count;
  if (s->staged->feeds_matrices && by_threads) build_op(b, OP_FENCE_ASYNC, 0, NULL, 0, NULL);
  stage_meet(s, b);
}

void stage_meet(Stager *s, Builder *b) {
  b->loc = s->staged->loop->loc;
  build_op(b, OP_BARRIER, 0, NULL, 0, NULL);
}

static void use_slots(Stager *s, Builder *b, StagedGroup *g, CloneMap *map) {
  if (g->count == 0) return;
  const StagedLoad *last = g->loads[g->count - 1];
  b->loc = last->alloc ? last->alloc->loc : last->load->loc;
  const Op *wait = stage_next_slot(s, b, g, OP_RING_WAIT);
  for (uint32_t i = 0; i < g->count; i++) {
    g->views[i] = &wait->results[i];
    if (g->loads[i]->alloc) clone_set(map, op_result(g->loads[i]->alloc), g->views[i]);
  }
}

// The index of a read-back load in the first group; the group's count: none.
static uint32_t read_load(const StagedGroup *g, const Op *op) {
  uint32_t i = 0;
  while (i < g->count && (g->loads[i]->load != op || !g->loads[i]->reads)) i++;
  return i;
}

bool stage_is_read(const Stager *s, const Op *op) {
  const StagedGroup *g = &s->groups[STAGED_COPIES];
  return read_load(g, op) < g->count;
}

static void read_slot(Stager *s, Builder *b, const Op *op, CloneMap *map) {
  const StagedGroup *g = &s->groups[STAGED_COPIES];
  uint32_t i = read_load(g, op);
  Value *view = stage_target(s, b, g->loads[i], g->views[i]);
  clone_set(map, op_result(op), build(b, OP_SHARED_LOAD, op_result(op)->type, view, NULL, NULL));
}

static void release_slots(Builder *b, StagedGroup *g) {
  g->ring = build(b, OP_RING_RELEASE, g->ring->type, g->ring, NULL, NULL);
}

// --- loop-carried values

static bool has_tiles(const StagedGroup *g) { return g->kind == STAGED_STORES || g->kind == STAGED_VALUES; }

static void carry(Stager *s, Value **value) { vec_push(s->arena, &s->schedule.beside, value); }

void stage_carry(Stager *s, StagedGroup *g) {
  if (g->count == 0) return;
  for (uint32_t i = 0; i < s->staged->loop->result_count; i++)
    if (g->state[i]) carry(s, &g->state[i]);
  for (uint32_t i = 0; g->async && i < g->held; i++) carry(s, &g->tokens[i]);
  for (uint32_t i = 0; has_tiles(g) && i < g->count; i++) carry(s, &g->tiles[i]);
  if (g->ring) carry(s, &g->ring);
}

// --- schedules

static void emit_step(void *data, Builder *b, const ScheduleStep *step, CloneMap *map, Value *index) {
  Stager *s = data;
  StagedGroup *g = &s->groups[step->group];
  b->loc = step->op->loc;
  switch ((StagedStep)step->what) {
  case STAGED_TAKE: take_slot(g, map); break;
  case STAGED_STORE:
    if (g->kind == STAGED_COMPUTED)
      store_computed(s, b, g, map);
    else
      store_tiles(s, b, g);
    break;
  case STAGED_BEGIN: stage_issue(s, b, g, index); break;
  case STAGED_USE: use_slots(s, b, g, map); break;
  case STAGED_RELEASE: release_slots(b, g); break;
  case STAGED_READ: read_slot(s, b, step->op, map); break;
  case STAGED_AWAIT: stage_wait(s, b, g->held); break;
  case STAGED_MEET: build_op(b, OP_BARRIER, 0, NULL, 0, NULL); break;
  }
}

bool stage_replaces(const Stager *s, const Op *op) {
  const StagedGroup *values = &s->groups[STAGED_VALUES];
  for (uint32_t i = 0; i < values->count; i++)
    if (op == values->loads[i]->load) return true;
  const StagedLoad *computed = &s->staged->computed_operand;
  if (s->groups[STAGED_COMPUTED].count && (op == computed->alloc || op == computed->store)) return true;
  for (uint32_t i = 0; i < s->staged->loads.n; i++) {
    const StagedLoad *load = &s->staged->loads.at[i];
    if (op == load->load || op == load->trans || op == load->alloc || op == load->store) return true;
    if (op == load->tma_mark && !load->reads) return true;
  }
  return false;
}

void stage_schedule(Stager *s) {
  Op *loop = s->staged->loop;
  s->schedule = (Schedule){.context = s->context,
                           .func = s->func,
                           .loop = loop,
                           .step = s->step,
                           .stages = 1,
                           .stage_of = ARENA_ARRAY(s->arena, uint8_t, loop->result_count + 1),
                           .entered = s->in_flight,
                           .emit = emit_step,
                           .data = s};
  for (int i = 0; i < STAGED_GROUPS; i++) {
    const StagedGroup *g = &s->groups[i];
    uint32_t filled = g->kind == STAGED_STORES ? 0 : g->distance;
    if ((g->distance || g->kind == STAGED_COMPUTED) && g->slots && g->count)
      s->schedule.rings[i] = (ScheduleRing){g->slots, filled, s->in_flight};
  }
}

// The step's effect on a slot of its group's ring.
static ScheduleSlots slots_of(const StagedGroup *g, StagedStep what) {
  bool stores = g->kind == STAGED_STORES || g->kind == STAGED_COMPUTED;
  bool fills = what == (stores ? STAGED_STORE : STAGED_BEGIN);
  return fills                    ? SLOTS_FILLED
         : what == STAGED_USE     ? SLOTS_READ
         : what == STAGED_RELEASE ? SLOTS_FREED
                                  : SLOTS_KEPT;
}

void stage_step(Stager *s, StagedStep what, int group, const Op *at) {
  static const char *const steps[] = {"take", "store", "begin", "use", "release", "read", "await", "meet"};
  static const char *const groups[] = {"copies", "late copies", "tensors", "late tensors",
                                       "tiles",  "values",      "computed"};
  const StagedGroup *g = &s->groups[group];
  bool of_slots = what == STAGED_USE || what == STAGED_RELEASE, of_group = what <= STAGED_RELEASE;
  if (of_group && (!g->count || (of_slots && !g->slots))) return;
  const char *name = of_group ? arena_printf(s->arena, "%s %s", steps[what], groups[group]) : steps[what];
  schedule_push(&s->schedule, (ScheduleStep){.kind = STEP_OWN,
                                             .op = at,
                                             .own = name,
                                             .what = (uint8_t)what,
                                             .group = (uint8_t)group,
                                             .ahead = what == STAGED_BEGIN ? (uint8_t)g->distance : 0,
                                             .slots = of_group ? slots_of(g, what) : SLOTS_KEPT});
}

void stage_expand(Stager *s, const char *pass, Builder *b, Value *any) {
  Op *loop = s->staged->loop;
  const char *why = schedule_check(&s->schedule), *stalls = schedule_stalls(&s->schedule);
  if (why) BUG("the schedule does not hold: %s", why);
  if (stalls)
    diag_remark(s->context->diags, loop->loc, pass, "each dot waits for the one before: %s", stalls);
  op_set_int(loop, ATTR_NUM_STAGES, 1);
  schedule_remark(&s->schedule, pass);
  schedule_expand(&s->schedule, b, any);
}
