// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that issues a loop's dots by tcgen05. It waits for slots and for an accumulator, and never for its dots:
// arrivals at mbarriers follow them.
//
// ```
// before  %s = for ... %zeros do (%i, %sum) { ... %d = dot %x, %y, %sum {async}; %e = dot_wait %d; yield %e }
// after   %t, %f1 = ring_fill %f, %tmem
//         %last, ... = for ... %t, true, %r do (%i, %sum, %fresh, %r: ring) {
//           %x, %y, %r1 = ring_wait %r
//           %d = dot %x, %y, %sum, %fresh {async}
//           %r2 = ring_release %r1, %d
//           yield %d, false, %r2
//         }
//         %f2 = ring_commit %f1, %last
// ```
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "ir/memory/ring.h"
#include "passes/warp_specialization/roles.h"

static Value *sums_after(const StagedLoop *staged) { return &staged->loop->results[staged->sum]; }

// The op that writes the sums before the loop. NULL: there is none.
static const Op *sums_begin(const StagedLoop *staged) {
  const Op *store = loop_init(staged->loop, staged->sum)->def;
  return store && store->kind == OP_TMEM_STORE ? store : NULL;
}

static const StagedLoad *load_of(const StagedLoop *staged, const Value *operand) {
  const Op *buffer = value_viewed(operand)->def;
  for (uint32_t i = 0; buffer && i < staged->loads.n; i++)
    if (staged->loads.at[i].alloc == buffer) return &staged->loads.at[i];
  return NULL;
}

const StagedLoad *roles_second_load(const StagedLoop *staged) {
  return load_of(staged, op_operand(staged->dot, DOT_B));
}

// True if the loop does nothing but load and multiply.
static bool only_multiplies(const Roles *r) {
  const StagedLoop *staged = r->s.staged;
  for (const Op *op = staged->loop->regions[0]->first; op; op = op->next) {
    bool known = op == staged->dot || op == staged->dot_wait || op->kind == OP_YIELD;
    if (!known && !stage_replaces(&r->s, op) && (!op_has(op, PURE) || op->region_count)) return false;
  }
  for (uint32_t i = 0; i < staged->loop->result_count; i++)
    if (i != staged->sum && !value_unused(&staged->loop->results[i])) return false;
  for (uint32_t i = 0; i < staged->dot->operand_count; i++)
    if (dot_is_factor(i) && !load_of(staged, op_operand(staged->dot, i))) return false;
  return true;
}

// Nothing else uses tensor memory.
static bool has_tmem_alone(const Value *tmem, const Op *store) {
  for (const Use *use = tmem->first_use; use; use = use->next)
    if (use->user != store && use->user->kind != OP_TMEM_DEALLOC) return false;
  return true;
}

const char *roles_refuse_mma(const Roles *r) {
  const StagedLoop *staged = r->s.staged;
  if (!staged->dot || !is_dot_of(staged->dot, DOT_TCGEN05)) return "its dot is not by tcgen05";
  const Value *fresh = op_operand(staged->dot, DOT_FRESH);
  if (fresh && !value_is_zero(fresh)) return "its sums start again";
  const Op *store = sums_begin(staged);
  if (!store || !value_is_zero(op_operand(store, 0))) return "its sums do not begin at zero";
  const Value *sums = sums_after(staged), *tmem = op_operand(store, 1);
  const Use *use = value_single_use(sums);
  if (!use || use->user->kind != OP_TMEM_LOAD || use->user->region != staged->loop->region)
    return "its sums are not read right after it";
  if (!has_tmem_alone(tmem, store)) return "other dots use tensor memory";
  return only_multiplies(r) ? NULL : "it does not only load and multiply";
}

uint32_t roles_accumulators(const Roles *r) {
  bool again = false;
  for (uint32_t i = 0; i + 1 < r->path.n; i++) again |= r->path.at[i]->kind == OP_FOR;
  uint32_t columns = tmem_columns(sums_after(r->s.staged)->type);
  uint32_t scales = (uint32_t)op_int(op_operand(sums_begin(r->s.staged), 1)->def, ATTR_SCALE_COLUMNS, 0);
  return again && 2 * columns + scales <= 1u << TMEM_COLUMN_BITS ? 2 : 1;
}

// Maps the loads' buffers to the slots that are readable now.
static void use_slots(RoleThread *t, Builder *b) {
  StagedGroup *slots = t->roles->slots[0];
  const Op *wait = stage_next_slot(&t->roles->s, b, slots, OP_RING_WAIT);
  for (uint32_t i = 0; i < slots->count; i++)
    clone_set(&t->map, op_result(slots->loads[i]->alloc), &wait->results[i]);
}

static Value *follow_dots(Builder *b, OpKind kind, Value *ring, Value *sums) {
  return build(b, kind, ring->type, ring, sums, NULL);
}

static void emit_body(RoleThread *t, Op *made) {
  Roles *r = t->roles;
  const StagedLoop *staged = r->s.staged;
  StagedGroup *slots = r->slots[0];
  Builder b = builder_inside(made->regions[0], staged->loop->loc);
  slots->ring = loop_carried(made, 2);
  use_slots(t, &b);
  for (const Op *op = staged->loop->regions[0]->first; op; op = op->next)
    if (op_is_buffer_view(op) && !stage_replaces(&r->s, op)) op_clone(&b, op, &t->map);
  clone_set(&t->map, op_operand(staged->dot, DOT_SUM), loop_carried(made, 0));
  Op *dot = op_clone(&b, staged->dot, &t->map);
  if (dot->operand_count > DOT_FRESH)
    op_set_operand(dot, DOT_FRESH, loop_carried(made, 1));
  else
    op_add_operand(dot, loop_carried(made, 1));
  b.loc = staged->loop->loc;
  Value *ring = follow_dots(&b, OP_RING_RELEASE, slots->ring, op_result(dot));
  Value *no = build_int(&b, loop_carried(made, 1)->type, 0);
  build_yield(&b, 3, (Value *[]){op_result(dot), no, ring});
}

void roles_emit_dots(RoleThread *t, Builder *b, const Op *loop) {
  Roles *r = t->roles;
  const Type *ring = t->rings.at[1]->type;
  Op *fill = build_op(b, OP_RING_FILL, 2, (Value *[]){t->rings.at[1], r->tmem}, 2,
                      (const Type *[]){r->tmem->type, ring});
  Value *bounds[LOOP_FIRST_INIT];
  for (uint32_t k = 0; k < LOOP_FIRST_INIT; k++) bounds[k] = clone_get(&t->map, op_operand(loop, k));
  Value *yes = build_int(b, type_scalar(r->s.func->module->ir, ELEM_I1), 1);
  Op *made =
      build_for(b, bounds[0], bounds[1], bounds[2], 3, (Value *[]){&fill->results[0], yes, t->rings.at[0]});
  op_set_int(made, ATTR_NUM_STAGES, 1);
  emit_body(t, made);
  t->rings.at[0] = &made->results[2];
  t->rings.at[1] = follow_dots(b, OP_RING_COMMIT, ring_result(fill), &made->results[0]);
}
