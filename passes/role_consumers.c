// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The consumers: the kernel as it is, but that the loop waits for slots and gives them back.
#include "passes/roles.h"

#include "ir/build.h"

typedef struct Iteration {
  Builder *b;
  CloneMap map;
  Value *ring;
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

static void copy_op(Roles *r, Iteration *i, const Op *op) {
  Op *copy = op_clone(i->b, op, &i->map);
  if (!r->s.in_flight || op != r->s.staged->dot_wait) return;
  op_set_attr(copy, (Attr){.key = ATTR_PENDING, .i = 1});
  i->b->loc = op->loc;
  i->ring = release(i->b, i->ring); // the slot of the product before, which is done
}

// The slot comes, and goes when its readers are done: that of a product that stays under way an iteration later.
static void emit_iteration(Roles *r, Iteration *i) {
  const Op *loop = r->s.staged->loop;
  i->b->loc = loop->loc;
  r->slots->ring = i->ring;
  stage_use(&r->s, i->b, r->slots, &i->map);
  i->ring = r->slots->ring;
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    if (!op_has(op, TERMINATOR) && !is_replaced(r->s.staged, op)) copy_op(r, i, op);
  i->b->loc = loop->regions[0]->last->loc;
  if (!r->s.in_flight) i->ring = release(i->b, i->ring);
}

static void push_yielded(Roles *r, const Iteration *i, StagedValues *values) {
  const Op *loop = r->s.staged->loop;
  for (uint32_t k = 0; k < loop->result_count; k++)
    stage_push(&r->s, values, clone_get(&i->map, loop_yielded(loop, k)));
  stage_push(&r->s, values, i->ring);
}

// The loop, of the values and the ring behind them; what it gives.
static Op *emit_loop(Roles *r, Builder *b, const StagedValues *init) {
  const Op *loop = r->s.staged->loop;
  b->loc = loop->loc;
  Op *made = build_for(b, r->s.lower, r->s.upper, loop_step(loop), init->list.n, init->list.at);
  Builder body = builder_at_end(r->s.func, made->regions[0]);
  Iteration i = {&body, clone_map_new(r->s.arena, r->s.func), NULL};
  StagedValues yielded = {0};
  op_copy_attrs(made, loop);
  op_set_attr(made, (Attr){.key = ATTR_NUM_STAGES, .i = 1});
  for (uint32_t k = 0; k <= loop->result_count; k++) {
    clone_set(&i.map, loop->regions[0]->args[k], made->regions[0]->args[k]);
    made->regions[0]->args[k]->name = loop->regions[0]->args[k]->name;
  }
  i.ring = loop_carried(made, loop->result_count);
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
  stage_push(&r->s, results, &made->results[n]);
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

static Value *replace_loop(Roles *r, Op *loop, Value *ring) {
  Builder b = builder_before(loop);
  StagedValues init = {0};
  for (uint32_t i = 0; i < loop->result_count; i++) stage_push(&r->s, &init, loop_init(loop, i));
  stage_push(&r->s, &init, ring);
  r->s.lower = loop_lower(loop), r->s.upper = loop_upper(loop);
  Op *made = r->s.in_flight ? emit_guarded(r, &b, &init) : emit_loop(r, &b, &init);
  uint32_t n = loop->result_count;
  for (uint32_t i = 0; i < n; i++) value_replace_uses(&loop->results[i], &made->results[i]);
  op_erase(loop);
  return &made->results[n];
}

// --- around the loop

static Value *emit_level(Roles *r, uint32_t level, Value *ring);

static void take_over(Value *from, Value *to) {
  to->name = from->name;
  value_replace_uses(from, to);
}

static Value *replace_op(Op *op, Op *made) {
  op_copy_attrs(made, op);
  for (uint32_t i = 0; i < op->result_count; i++) take_over(&op->results[i], &made->results[i]);
  uint32_t n = op->result_count;
  op_erase(op);
  return &made->results[n];
}

static Value *emit_if(Roles *r, Op *op, uint32_t level, Value *ring) {
  Builder b = builder_before(op);
  const Type **types = ARENA_ARRAY(r->s.arena, const Type *, op->result_count + 1);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
  types[op->result_count] = ring->type;
  Op *made = build_if(&b, op_operand(op, 0), op->result_count + 1, types);
  uint32_t own = r->path.at[level + 1]->region == op->regions[1];
  for (uint32_t k = 0; k < 2; k++)
    while (op->regions[k]->first) op_move(op->regions[k]->first, made->regions[k], NULL);
  op_add_operand(made->regions[1 - own]->last, ring);
  op_add_operand(made->regions[own]->last, emit_level(r, level + 1, ring));
  return replace_op(op, made);
}

static Value *emit_for(Roles *r, Op *op, uint32_t level, Value *ring) {
  Builder b = builder_before(op);
  StagedValues init = {0};
  for (uint32_t i = 0; i < op->result_count; i++) stage_push(&r->s, &init, loop_init(op, i));
  stage_push(&r->s, &init, ring);
  Op *made = build_for(&b, loop_lower(op), loop_upper(op), loop_step(op), init.list.n, init.list.at);
  Region *body = made->regions[0];
  for (uint32_t i = 0; i <= op->result_count; i++) take_over(op->regions[0]->args[i], body->args[i]);
  while (op->regions[0]->first) op_move(op->regions[0]->first, body, NULL);
  op_add_operand(body->last, emit_level(r, level + 1, loop_carried(made, op->result_count)));
  return replace_op(op, made);
}

static Value *emit_level(Roles *r, uint32_t level, Value *ring) {
  Op *op = r->path.at[level];
  if (level + 1 == r->path.n) return replace_loop(r, op, ring);
  return op->kind == OP_IF ? emit_if(r, op, level, ring) : emit_for(r, op, level, ring);
}

// The slot that is behind goes last.
void roles_emit_consumers(Roles *r, Value *ring) {
  const Region *body = r->path.at[0]->region;
  Value *last = emit_level(r, 0, ring);
  Builder b = builder_before(body->last);
  if (r->s.in_flight) release(&b, last);
}
