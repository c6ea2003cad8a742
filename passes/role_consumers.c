// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The consumers: the kernel as it is, but that the loop waits for slots and gives them back.
#include "passes/roles.h"

#include "ir/build.h"

typedef struct Iteration {
  Builder *b;
  CloneMap map;
  RoleRings rings;
  bool waited[ROLE_CHANNELS];
} Iteration;

static bool is_replaced(const StagedLoop *staged, const Op *op) {
  for (uint32_t i = 0; i < staged->loads.n; i++) {
    const StagedLoad *load = &staged->loads.at[i];
    if (op == load->load || op == load->trans || op == load->alloc || op == load->store || op == load->boxed)
      return true;
  }
  return false;
}

static Value *release(Builder *b, Value *ring) {
  return build(b, OP_RING_RELEASE, ring->type, ring, NULL, NULL);
}

static Value *wait_for_all(Builder *b, Value *sum) {
  Op *wait = build_op(b, OP_DOT_WAIT, 1, &sum, 1, &sum->type);
  op_set_attr(wait, (Attr){.key = ATTR_PENDING, .i = 0});
  return op_result(wait);
}

static void release_slot(Iteration *i, uint32_t channel) {
  i->rings.at[channel] = release(i->b, i->rings.at[channel]);
}

static void wait_slot(Roles *r, Iteration *i, uint32_t channel) {
  StagedGroup *slots = r->slots[channel];
  slots->ring = i->rings.at[channel];
  stage_use(&r->s, i->b, slots, &i->map);
  i->rings.at[channel] = slots->ring;
  i->waited[channel] = true;
}

// Whether the op takes what a load of the channel brings.
static bool takes_slot(const StagedGroup *slots, const Op *op) {
  for (uint32_t k = 0; k < op->operand_count; k++)
    for (uint32_t i = 0; i < slots->count; i++)
      if (op_operand(op, k) == op_result(slots->loads[i]->alloc)) return true;
  return false;
}

static void copy_op(Roles *r, Iteration *i, const Op *op) {
  for (uint32_t c = 0; c < r->channels; c++)
    if (!i->waited[c] && takes_slot(r->slots[c], op)) wait_slot(r, i, c);
  Op *copy = op_clone(i->b, op, &i->map);
  i->b->loc = op->loc;
  for (uint32_t c = 0; c < r->channels; c++)
    if (op == r->release[c]) release_slot(i, c);
  if (!r->s.in_flight || op != r->s.staged->dot_wait) return;
  op_set_attr(copy, (Attr){.key = ATTR_PENDING, .i = 1});
  release_slot(i, 0); // of the product before, which is done
}

// A slot comes, and goes when its readers are done: that of a product that stays under way an iteration later.
static void emit_iteration(Roles *r, Iteration *i) {
  const Op *loop = r->s.staged->loop;
  i->b->loc = loop->loc;
  wait_slot(r, i, 0);
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    if (!op_has(op, TERMINATOR) && !is_replaced(r->s.staged, op)) copy_op(r, i, op);
  i->b->loc = loop->regions[0]->last->loc;
  for (uint32_t c = 0; c < r->channels; c++)
    if (!r->s.in_flight && !r->release[c]) release_slot(i, c);
}

static void push_rings(Roles *r, StagedValues *values, const RoleRings *rings) {
  for (uint32_t c = 0; c < r->channels; c++) stage_push(&r->s, values, rings->at[c]);
}

static void push_yielded(Roles *r, const Iteration *i, StagedValues *values) {
  const Op *loop = r->s.staged->loop;
  for (uint32_t k = 0; k < loop->result_count; k++)
    stage_push(&r->s, values, clone_get(&i->map, loop_yielded(loop, k)));
  push_rings(r, values, &i->rings);
}

// The loop, of the values and the rings behind them; what it gives.
static Op *emit_loop(Roles *r, Builder *b, const StagedValues *init) {
  const Op *loop = r->s.staged->loop;
  b->loc = loop->loc;
  Op *made = build_for(b, r->s.lower, r->s.upper, loop_step(loop), init->list.n, init->list.at);
  Builder body = builder_at_end(r->s.func, made->regions[0]);
  Iteration i = {&body, clone_map_new(r->s.arena, r->s.func), {{0}}, {0}};
  StagedValues yielded = {0};
  op_copy_attrs(made, loop);
  op_set_attr(made, (Attr){.key = ATTR_NUM_STAGES, .i = 1});
  for (uint32_t k = 0; k <= loop->result_count; k++) {
    clone_set(&i.map, loop->regions[0]->args[k], made->regions[0]->args[k]);
    made->regions[0]->args[k]->name = loop->regions[0]->args[k]->name;
  }
  for (uint32_t c = 0; c < r->channels; c++) i.rings.at[c] = loop_carried(made, loop->result_count + c);
  emit_iteration(r, &i);
  push_yielded(r, &i, &yielded);
  build_yield(&body, yielded.list.n, yielded.list.at);
  return made;
}

// The last product is waited for behind the loop.
static void emit_under_way(Roles *r, Builder *b, const StagedValues *init, StagedValues *results) {
  const Op *made = emit_loop(r, b, init);
  uint32_t n = r->s.staged->loop->result_count;
  b->loc = r->s.staged->loop->loc;
  for (uint32_t k = 0; k < n; k++) {
    Value *value = &made->results[k];
    stage_push(&r->s, results, k == r->s.staged->sum ? wait_for_all(b, value) : value);
  }
  for (uint32_t c = 0; c < r->channels; c++) stage_push(&r->s, results, &made->results[n + c]);
}

// Entered only for an iteration: so nothing but products gives what is waited for.
static Op *emit_guarded(Roles *r, Builder *b, const StagedValues *init) {
  const Op *loop = r->s.staged->loop;
  const Type **types = ARENA_ARRAY(r->s.arena, const Type *, init->list.n);
  StagedValues some = {0};
  for (uint32_t i = 0; i < init->list.n; i++) types[i] = init->list.at[i]->type;
  b->loc = loop->loc;
  Value *any = build_binary(b, r->s.step < 0 ? OP_GT : OP_LT, r->s.lower, r->s.upper);
  Op *branch = build_if(b, any, init->list.n, types);
  Builder inner = builder_at_end(r->s.func, branch->regions[0]),
          otherwise = builder_at_end(r->s.func, branch->regions[1]);
  inner.loc = otherwise.loc = loop->loc;
  emit_under_way(r, &inner, init, &some);
  build_yield(&inner, some.list.n, some.list.at);
  build_yield(&otherwise, init->list.n, init->list.at);
  return branch;
}

static void take_rings(const Roles *r, const Op *made, RoleRings *rings) {
  for (uint32_t c = 0; c < r->channels; c++)
    rings->at[c] = &made->results[made->result_count - r->channels + c];
}

static void replace_loop(Roles *r, Op *loop, RoleRings *rings) {
  Builder b = builder_before(loop);
  StagedValues init = {0};
  for (uint32_t i = 0; i < loop->result_count; i++) stage_push(&r->s, &init, loop_init(loop, i));
  push_rings(r, &init, rings);
  r->s.lower = loop_lower(loop), r->s.upper = loop_upper(loop);
  Op *made = r->s.in_flight ? emit_guarded(r, &b, &init) : emit_loop(r, &b, &init);
  for (uint32_t i = 0; i < loop->result_count; i++) value_replace_uses(&loop->results[i], &made->results[i]);
  op_erase(loop);
  take_rings(r, made, rings);
}

// --- around the loop

static void emit_level(Roles *r, uint32_t level, RoleRings *rings);

static void take_over(Value *from, Value *to) {
  to->name = from->name;
  value_replace_uses(from, to);
}

static void yield_rings(const Roles *r, Region *region, const RoleRings *rings) {
  for (uint32_t c = 0; c < r->channels; c++) op_add_operand(region->last, rings->at[c]);
}

static void replace_op(const Roles *r, Op *op, Op *made, RoleRings *rings) {
  op_copy_attrs(made, op);
  for (uint32_t i = 0; i < op->result_count; i++) take_over(&op->results[i], &made->results[i]);
  op_erase(op);
  take_rings(r, made, rings);
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
  replace_op(r, op, made, rings);
}

static void emit_for(Roles *r, Op *op, uint32_t level, RoleRings *rings) {
  Builder b = builder_before(op);
  StagedValues init = {0};
  for (uint32_t i = 0; i < op->result_count; i++) stage_push(&r->s, &init, loop_init(op, i));
  push_rings(r, &init, rings);
  Op *made = build_for(&b, loop_lower(op), loop_upper(op), loop_step(op), init.list.n, init.list.at);
  Region *body = made->regions[0];
  for (uint32_t i = 0; i <= op->result_count; i++) take_over(op->regions[0]->args[i], body->args[i]);
  while (op->regions[0]->first) op_move(op->regions[0]->first, body, NULL);
  for (uint32_t c = 0; c < r->channels; c++) rings->at[c] = loop_carried(made, op->result_count + c);
  emit_level(r, level + 1, rings);
  yield_rings(r, body, rings);
  replace_op(r, op, made, rings);
}

static void emit_level(Roles *r, uint32_t level, RoleRings *rings) {
  Op *op = r->path.at[level];
  if (level + 1 == r->path.n)
    replace_loop(r, op, rings);
  else if (op->kind == OP_IF)
    emit_if(r, op, level, rings);
  else
    emit_for(r, op, level, rings);
}

// The slot that is behind goes last.
void roles_emit_consumers(Roles *r, const RoleRings *rings) {
  const Region *body = r->path.at[0]->region;
  RoleRings own = *rings;
  emit_level(r, 0, &own);
  Builder b = builder_before(body->last);
  if (r->s.in_flight) release(&b, own.at[0]);
}
