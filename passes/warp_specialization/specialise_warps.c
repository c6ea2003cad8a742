// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// specialise_warps: splits a dot loop that TMA copies feed into groups of warps: producer warps and consumer warps.
//
// ```
// before  for %i = range (%sum) {group_warps = [8, 4], group_registers = [232, 40], slots = 4} {
//           %x, %y = load %p, %q                         (TMA tiles, each into a buffer)
//           %d = dot %xs, %ys, %sum {async}
//           %e = dot_wait %d {pending = 0}
//           yield %e
//         }
//         store %c, ...
// after   %fill, %read = channel %full {slots = 4, filled = 1}
//         warp_groups {group_warps = [8, 4], group_registers = [232, 40], group_threads = [256, 1]} do {
//           if there is an iteration {
//             for %i = range (%sum, %r) {
//               %x, %y, %r1 = ring_wait %r
//               %d = dot %x, %y, %sum {async}
//               %e = dot_wait %d {pending = 1}
//               %r2 = ring_release %r1                     (the previous dot's slot; at first the `filled` one)
//               yield %e, %r2
//             }
//             dot_wait {pending = 0}
//           }
//           store %c, ...
//           ring_release                                   (the last dot's)
//         } do {
//           for %i = range (%f) { ring_fill %f; mbarrier_expect; tma_copy ...; ring_commit }
//         }
// ```
//
// needs   Layouts, promote_shared's buffers, plan_pipeline, and loads with their TMA tiles (lower_block_pointers).
// keeps   every value
// breaks  Passes that do not take groups (passes.def). Barriers of such kernels are named barriers (place_barriers).
//
// pays    A separate thread starts copies when slots become free. No consumer warp waits for the others, computes
//         addresses or issues copies. The consumers also get nearly all registers.
//
// Group 0 is the kernel as it was, with `num_warps` warps. The producer comes after it. It is one thread with clones of
// the ifs and loops around the loop, their bounds, and what the copies' coordinates need. Scalars that the kernel loads
// before any branch are loaded before the groups. A persistent kernel's program may also load scalars before any
// branch. These are loaded in both groups.
//
// If no dot stays in flight, a slot is released at the end of the iteration. Reasons are:
// * the dot's sum is not only loop-carried;
// * there are fewer than three stages;
// * operands are in registers.
//
// A dot by tcgen05 needs one thread. It gets a third group (group_warps = [4, 1, 1]), which waits for slots and issues the
// dots (role_mma.c). Consumers only take the sums, from one of two accumulators in a persistent kernel. So they store a
// program's result while the next one's dots run:
//
// ```
//         %fill_sums, %sums = channel {slots = 2}
//         warp_groups {group_warps = [4, 1, 1], group_threads = [128, 1, 1]} do {
//           %t, %u = ring_wait %sums, %tmem
//           %x = tmem_load %t
//           store %c, %x
//           ring_release %u
//         } do { ... copies ... } do { ... dots ... }
// ```
//
// Its groups may take the kernel's programs one after another (role_programs.c). Two CTAs may then compute dots as a pair
// (`pair`, pair_programs.c). Each op is still one of one CTA: its dots read a whole second operand. Only the emitted code
// has one half of it in each CTA.
//
// plan_pipeline has chosen the loop, its warps, slots and registers. The loop's attributes record them.
#include "base/integer.h"
#include "ir/build.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "passes/analysis/plan.h"
#include "passes/warp_specialization/roles.h"
#include "passes/analysis/overlapped_dots.h"

// --- groups

// Tensor memory is allocated before the groups, and freed after them.
static bool is_outside(const Op *op) {
  if (op->kind == OP_TMEM_ALLOC || op->kind == OP_TMEM_DEALLOC) return true;
  if (op->kind == OP_BARRIER) return op->next && op->next->kind == OP_TMEM_DEALLOC;
  if (op->kind != OP_SHARED_ALLOC && op->kind != OP_MBARRIER_INIT) return false;
  const Value *buffer = op->kind == OP_SHARED_ALLOC ? op_result(op) : op_operand(op, 0);
  for (const Use *use = buffer->first_use; use; use = use->next)
    if (use->user->kind == OP_TMEM_ALLOC) return true;
  return false;
}

// Moves everything into the first group, except the return, what both groups read, and the ends of tensor memory. The
// source's barriers become the group's named barrier, as place_barriers does it.
static Op *make_groups(Roles *r) {
  Func *func = r->s.func;
  Op *first = func->body->first, *last = func->body->last;
  Builder b = builder_before(last);
  b.loc = r->s.staged->loop->loc;
  Op *groups = build_op(&b, OP_WARP_GROUPS, 0, NULL, 0, NULL);
  plan_move_groups(groups, r->s.staged->loop);
  uint32_t count = groups_count(groups);
  op_set_ints(groups, ATTR_GROUP_THREADS, count, (uint32_t[]){r->warps * TARGET_WARP, 1, 1});
  Region *own = region_new(func, groups);
  for (uint32_t i = 1; i < count; i++) region_new(func, groups);
  for (Op *op = first, *next; op != groups; op = next) {
    next = op->next;
    bool outside = is_outside(op);
    if (outside && (op->kind == OP_BARRIER || op->kind == OP_TMEM_DEALLOC))
      op_move(op, func->body, last);
    else if (!outside && (!op->result_count || !r->before[op_result(op)->id]))
      op_move(op, own, NULL);
  }
  Builder end = builder_inside(own, last->loc);
  build_yield(&end, 0, NULL);
  for (OpWalk w = ops_in(own); ops_next(&w);) {
    if (w.op->kind != OP_BARRIER) continue;
    op_set_int(w.op, ATTR_ID, 1);
    op_set_int(w.op, ATTR_WARPS, region_warps(w.op));
  }
  return groups;
}

// Dots by tcgen05 complete at mbarriers one after another, and a phase can only be told from the one before. No barrier
// holds the warp that issues them back. It may be ahead of the others' waits by all slots.
static void add_mbarriers(const Roles *r, uint32_t slots) {
  for (Op *op = r->s.func->body->first; op; op = op->next) {
    if (op->kind != OP_TMEM_ALLOC) continue;
    Value *mbarriers = op_operand(op, 1);
    uint32_t n = 1u << log2_ceil(slots);
    mbarriers->type = shared_in_order(r->s.func->module->ir, ELEM_I64, 1, &n);
  }
}

static Op *build_channel(const Roles *r, Op *groups, uint32_t slots, Value **mbarriers) {
  Builder b = builder_before(groups);
  const Type *ring = type_ring(r->s.func->module->ir);
  b.loc = r->s.staged->loop->loc;
  Op *channel = build_op(&b, OP_CHANNEL, mbarriers != NULL, mbarriers, 2, (const Type *[]){ring, ring});
  op_set_int(channel, ATTR_SLOTS, slots);
  return channel;
}

static Op *make_channel(Roles *r, Op *groups, StagedGroup *slots) {
  Builder b = builder_before(groups);
  stage_alloc(&r->s, &b, slots);
  Op *channel = build_channel(r, groups, slots->slots, &slots->mbarriers);
  if (r->s.in_flight) op_set_int(channel, ATTR_FILLED, 1);
  return channel;
}

static bool is_late(const Op *buffer, const StagedLoad *load) { return buffer && load->alloc == buffer; }

static void make_slots(Roles *r, uint32_t channel, const Op *late, uint32_t slots) {
  Stager *s = &r->s;
  StagedGroup *group = r->slots[channel] = &s->groups[channel ? STAGED_LATE_TENSORS : STAGED_TENSORS];
  uint32_t n = s->staged->loads.n;
  *group = (StagedGroup){.kind = channel ? STAGED_LATE_TENSORS : STAGED_TENSORS, .slots = slots};
  group->loads = ARENA_ARRAY(s->arena, const StagedLoad *, n);
  for (uint32_t i = 0; i < n; i++)
    if (is_late(late, &s->staged->loads.at[i]) == (channel == 1))
      group->loads[group->count++] = &s->staged->loads.at[i];
  group->buffers = ARENA_ARRAY(s->arena, Value *, n);
  group->views = ARENA_ARRAY(s->arena, Value *, n);
  group->maps = ARENA_ARRAY(s->arena, Value *, n);
}

// The second dot of a loop that will be rotated is one iteration late. So what it reads has a separate channel.
static void make_all_slots(Roles *r, uint32_t slots) {
  const Op *loop = r->s.staged->loop, *late = op_attr(loop, ATTR_OVERLAPPED) ? overlapped_buffer(loop) : NULL;
  OverlappedDots dots;
  bool apart = late && overlapped_dots_find(loop, &dots) && r->s.staged->loads.n > 1;
  r->channels = apart ? 2 : 1;
  for (uint32_t c = 0; c < r->channels; c++) make_slots(r, c, apart ? late : NULL, slots);
  if (!apart || !r->slots[0]->count || !r->slots[1]->count) {
    r->channels = 1;
    make_slots(r, 0, NULL, slots);
    return;
  }
  r->release[0] = dots.first_wait;
  r->release[1] = dots.second_wait;
}

// Allocates tensor memory again: several accumulators, and no mbarriers for dots.
static void make_accumulators(Roles *r, uint32_t count) {
  Op *alloc = op_operand(loop_init(r->s.staged->loop, r->s.staged->sum)->def, 1)->def;
  Value *mbarriers = op_operand(alloc, 1);
  Builder b = builder_before(alloc);
  b.loc = alloc->loc;
  r->tmem = build(&b, OP_TMEM_ALLOC, op_result(alloc)->type, op_operand(alloc, 0), NULL, NULL);
  if (count > 1) op_set_int(r->tmem->def, ATTR_SLOTS, count);
  op_copy_attr(r->tmem->def, alloc, ATTR_SCALE_COLUMNS);
  value_replace_uses(op_result(alloc), r->tmem);
  op_erase(alloc);
  while (mbarriers->first_use) op_erase(mbarriers->first_use->user);
  op_erase(mbarriers->def);
}

// The map of a single TMA tile has the rows of one CTA.
static void halve_map(TensorBox *box) {
  if (box->count == 1) box->shape[0] /= 2;
}

// Marks what two CTAs share: tensor memory's dots, the mbarriers of slots, and the second operand. Each CTA has half of
// that operand. The mbarriers count the copies of both.
static void pair_slots(Roles *r, Op *groups, Op *sums) {
  const StagedGroup *slots = r->slots[0];
  const StagedLoad *second = roles_second_load(r->s.staged);
  int64_t bytes = (int64_t)second->tensor.box.bytes * second->tensor.box.count;
  op_set_flag(r->tmem->def, ATTR_PAIR, true);
  op_set_flag(sums, ATTR_PAIR, true);
  op_set_flag(slots->mbarriers->def, ATTR_PAIR, true);
  for (uint32_t i = 0; i < slots->count; i++)
    op_set_flag(slots->buffers[i]->def, ATTR_HALF, slots->loads[i] == second);
  for (OpWalk w = ops_in(groups->regions[1]); ops_next(&w);)
    if (w.op->kind == OP_MBARRIER_EXPECT)
      op_set_int(w.op, ATTR_PAIR_BYTES, 2 * op_int(w.op, ATTR_BYTES, 0) - bytes);
}

// The dots have a thread of their own.
static void specialise_dots(Roles *r, uint32_t slots, bool takes) {
  uint32_t accumulators = roles_accumulators(r);
  diag_remark(
      r->s.context->diags, r->s.staged->loop->loc, "specialise_warps",
      "one thread prefetches into %u slots, one issues dots into %u accumulator%s, %u warps store them",
      slots, accumulators, accumulators > 1 ? "s" : "", r->warps);
  make_accumulators(r, accumulators);
  Op *groups = make_groups(r);
  Op *copies = make_channel(r, groups, r->slots[0]), *sums = build_channel(r, groups, accumulators, NULL);
  roles_emit_producer(r, groups->regions[1], &(RoleRings){{&copies->results[0]}});
  if (r->pair) pair_slots(r, groups, sums);
  roles_emit_mma(r, groups->regions[2], &(RoleRings){{&copies->results[1], &sums->results[0]}});
  roles_emit_consumers(r, &(RoleRings){{&sums->results[1]}});
  if (takes) roles_take_programs(r, groups);
}

static void specialise(Roles *r, uint32_t slots, bool takes) {
  const StagedLoop *staged = r->s.staged;
  bool apart = op_attr(staged->loop, ATTR_GROUP_WARPS)->ints.n > 2;
  r->s.in_flight = !apart && roles_stay_under_way(staged, slots);
  make_all_slots(r, slots);
  if (apart) {
    specialise_dots(r, slots, takes);
    return;
  }
  diag_remark(r->s.context->diags, staged->loop->loc, "specialise_warps",
              "%u consumer warps compute dots, one producer thread prefetches into %u slots%s", r->warps,
              slots, r->s.in_flight ? "; a dot stays in flight while the next starts" : "");
  Op *groups = make_groups(r);
  add_mbarriers(r, slots);
  RoleRings fill, read;
  for (uint32_t c = 0; c < r->channels; c++) {
    Op *channel = make_channel(r, groups, r->slots[c]);
    fill.at[c] = &channel->results[0], read.at[c] = &channel->results[1];
  }
  roles_emit_producer(r, groups->regions[1], &fill);
  roles_emit_consumers(r, &read);
}

// Plans the split of the loop that plan_pipeline has chosen. Returns NULL, or why it cannot be split.
static const char *find_roles(PassContext *context, Func *func, Op *loop, StagedLoop *staged, Roles *r) {
  const RoleLoops loops = roles_loops(context->scratch, func);
  const char *why = roles_refuse(func, &loops);
  if (!why) why = roles_find(context, func, loop, false, staged, r);
  bool apart = op_attr(loop, ATTR_GROUP_WARPS)->ints.n > 2;
  return !why && apart ? roles_refuse_mma(r) : why;
}

bool pass_specialise_warps(PassContext *context, Func *func) {
  Op *loop = func_groups(func) ? NULL : plan_parted_loop(func);
  if (!loop) return false;
  Diags unheard = {.arena = context->scratch,
                   .sources = context->diags->sources}; // plan_pipeline has reported it
  PassContext asking = {context->scratch, &unheard, NULL};
  StagedLoop staged;
  Roles r;
  bool takes = op_attr(loop, ATTR_TAKES_PROGRAMS), pair = op_attr(loop, ATTR_PAIR);
  const char *why = find_roles(&asking, func, loop, &staged, &r);
  if (!why && takes) {
    programs_take(func);
    why = find_roles(&asking, func, loop, &staged, &r);
  }
  if (why) {
    diag_remark(context->diags, loop->loc, "specialise_warps", "not specialised: %s", why);
    return false;
  }
  r.s.context = context;
  r.pair = pair;
  for (uint32_t i = 0; pair && i < staged.loads.n; i++)
    if (&staged.loads.at[i] == roles_second_load(&staged)) halve_map(&staged.loads.at[i].tensor.box);
  r.warps = (uint32_t)op_attr(loop, ATTR_GROUP_WARPS)->ints.at[0];
  specialise(&r, (uint32_t)op_int(loop, ATTR_SLOTS, 0), takes);
  return true;
}
