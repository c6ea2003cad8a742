// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The consumers: the kernel as it is, except that the loop waits for slots and releases them.
#include "passes/warp_specialization/roles.h"

#include "ir/memory/ring.h"
#include "passes/analysis/overlapped_dots.h"

// True if the op takes what a load of the channel brings.
static bool takes_slot(const StagedGroup *slots, const Op *op) {
  for (uint32_t k = 0; k < op->operand_count; k++)
    for (uint32_t i = 0; i < slots->count; i++)
      if (op_operand(op, k) == op_result(slots->loads[i]->alloc)) return true;
  return false;
}

static int group_of(const Roles *r, uint32_t channel) { return (int)(r->slots[channel] - r->s.groups); }

// Places the waits and releases of slots. A slot is waited for at its first use. It is released when its readers are
// done. If a dot stays in flight, its slot is released when the next dot has started.
static void assign_steps(Roles *r) {
  Stager *s = &r->s;
  const Op *loop = s->staged->loop, *last = loop->regions[0]->last;
  bool waited[ROLE_CHANNELS] = {true};
  stage_step(s, STAGED_USE, group_of(r, 0), loop);
  for (const Op *op = loop->regions[0]->first; op != last; op = op->next) {
    bool overlaps = s->in_flight && op == s->staged->dot_wait;
    if (stage_replaces(s, op)) continue;
    for (uint32_t c = 0; c < r->channels; c++) {
      if (waited[c] || !takes_slot(r->slots[c], op)) continue;
      stage_step(s, STAGED_USE, group_of(r, c), op);
      waited[c] = true;
    }
    schedule_push(&s->schedule, (ScheduleStep){.op = op, .pending = overlaps});
    for (uint32_t c = 0; c < r->channels; c++)
      if (op == r->release[c] || (overlaps && c == 0)) stage_step(s, STAGED_RELEASE, group_of(r, c), op);
  }
  for (uint32_t c = 0; c < r->channels; c++)
    if (!s->in_flight && !r->release[c]) stage_step(s, STAGED_RELEASE, group_of(r, c), last);
}

static void take_rings(const Roles *r, const Op *made, RoleRings *rings) {
  for (uint32_t c = 0; c < r->channels; c++)
    rings->at[c] = &made->results[made->result_count - r->channels + c];
}

static void replace_loop(Roles *r, Op *loop, RoleRings *rings) {
  Builder b = builder_before(loop);
  stage_schedule(&r->s);
  assign_steps(r);
  r->s.schedule.beside_after = true;
  for (uint32_t c = 0; c < r->channels; c++) {
    r->slots[c]->ring = rings->at[c];
    vec_push(r->s.arena, &r->s.schedule.beside, &r->slots[c]->ring);
  }
  Value *any = r->s.in_flight ? schedule_any(&r->s.schedule, &b) : NULL;
  stage_expand(&r->s, "specialise_warps", &b, any);
  for (uint32_t c = 0; c < r->channels; c++) rings->at[c] = r->slots[c]->ring;
}

// Replaces the loop of another thread's dots by their sums. Without iterations these are what the loop began with. The
// accumulator is released at the region's end: its parts may be read as late as they are stored.
static void take_sums(Roles *r, Op *loop, RoleRings *rings) {
  uint32_t sum = r->s.staged->sum;
  Op *store = loop_init(loop, sum)->def, *barrier = store->next;
  const Type *type = r->tmem->type, *ring = rings->at[0]->type;
  Builder b = builder_before(loop);
  b.loc = loop->loc;
  stage_schedule(&r->s);
  Op *wait =
      build_op(&b, OP_RING_WAIT, 2, (Value *[]){rings->at[0], r->tmem}, 2, (const Type *[]){type, ring});
  Op *branch = build_if(&b, schedule_any(&r->s.schedule, &b), 1, &type);
  Builder some = builder_inside(branch->regions[0], loop->loc),
          none = builder_inside(branch->regions[1], loop->loc);
  build_yield(&some, 1, (Value *[]){&wait->results[0]});
  Value *first = build(&none, OP_TMEM_STORE, type, op_operand(store, 0), &wait->results[0], NULL);
  build_yield(&none, 1, &first);
  value_replace_uses(&loop->results[sum], &branch->results[0]);
  Builder end = builder_before(loop->region->last);
  end.loc = loop->loc;
  rings->at[0] = build(&end, OP_RING_RELEASE, ring, ring_result(wait), NULL, NULL);
  if (barrier->kind == OP_BARRIER) op_erase(barrier);
  op_erase(loop);
  op_erase(store);
}

// --- around the loop

static void emit_level(Roles *r, uint32_t level, RoleRings *rings);

static void yield_rings(const Roles *r, Region *region, const RoleRings *rings) {
  for (uint32_t c = 0; c < r->channels; c++) op_add_operand(region->last, rings->at[c]);
}

static void emit_if(Roles *r, Op *op, uint32_t level, RoleRings *rings) {
  Builder b = builder_before(op);
  uint32_t n = op->result_count + r->channels;
  const Type **types = ARENA_ARRAY(r->s.arena, const Type *, n);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
  for (uint32_t c = 0; c < r->channels; c++) types[op->result_count + c] = rings->at[c]->type;
  Op *made = build_if(&b, op_operand(op, 0), n, types);
  uint32_t own = r->path.at[level + 1]->region == op->regions[1];
  for (uint32_t k = 0; k < 2; k++)
    while (op->regions[k]->first) op_move(op->regions[k]->first, made->regions[k], NULL);
  yield_rings(r, made->regions[1 - own], rings);
  emit_level(r, level + 1, rings);
  yield_rings(r, made->regions[own], rings);
  op_copy_attrs(made, op);
  op_replace_results(op, made);
  op_erase(op);
  take_rings(r, made, rings);
}

static void emit_for(Roles *r, Op *op, uint32_t level, RoleRings *rings) {
  uint32_t n = op->result_count;
  Value **inits = loop_inits(r->s.arena, op, r->channels);
  for (uint32_t c = 0; c < r->channels; c++) inits[n + c] = rings->at[c];
  Op *made = loop_with_inits(op, n + r->channels, inits);
  for (uint32_t c = 0; c < r->channels; c++) rings->at[c] = loop_carried(made, n + c);
  emit_level(r, level + 1, rings);
  yield_rings(r, made->regions[0], rings);
  take_rings(r, made, rings);
}

static void emit_level(Roles *r, uint32_t level, RoleRings *rings) {
  Op *op = r->path.at[level];
  if (level + 1 == r->path.n && r->tmem)
    take_sums(r, op, rings);
  else if (level + 1 == r->path.n)
    replace_loop(r, op, rings);
  else if (op->kind == OP_IF)
    emit_if(r, op, level, rings);
  else
    emit_for(r, op, level, rings);
}

// The slot of the dot that is still in flight is released last.
void roles_emit_consumers(Roles *r, const RoleRings *rings) {
  const Region *body = r->path.at[0]->region;
  RoleRings own = *rings;
  emit_level(r, 0, &own);
  Builder b = builder_before(body->last);
  if (r->s.in_flight) build(&b, OP_RING_RELEASE, own.at[0]->type, own.at[0], NULL, NULL);
}
