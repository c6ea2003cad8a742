// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// specialise_warps: a loop of products that tensor copies feed becomes two groups of warps, one that copies and one that
// multiplies.
//
// before  for %i = ... (%sum) {
//           %x, %y = load ...                            (boxes of tensors, each into a buffer)
//           %d = dot %xs, %ys, %sum {async}
//           %e = dot_wait %d {pending = 0}
//           yield %e
//         }
//         store %c, ...
// after   %fill, %read = channel %full {slots = 4, behind = 1}
//         warp_groups {group_warps = [8, 4], group_registers = [232, 40], group_threads = [256, 1]} do {
//           if there is an iteration {
//             for %i = ... (%sum, %r) {
//               %x, %y, %r1 = ring_wait %r
//               %d = dot %x, %y, %sum {async}
//               %e = dot_wait %d {pending = 1}
//               %r2 = ring_release %r1                     (the slot of the product before; at first the one behind)
//               yield %e, %r2
//             }
//             dot_wait {pending = 0}
//           }
//           store %c, ...
//           ring_release                                   (the last product's)
//         } do {
//           for %i = ... (%f) { ring_fill %f; mbarrier_expect; copy_tensor ...; ring_commit }
//         }
// needs   layouts, and promote_shared's buffers; loads that say which boxes they are (lower_block_pointers)
// keeps   every value
// breaks  passes that do not take groups (passes.def); barriers of such kernels are named ones (place_barriers)
// pays    a thread of its own begins copies as slots are free: no warp that multiplies waits for the others, computes
//         addresses or issues copies, and nearly all registers are theirs
//
// Group 0 is the kernel as it was, with `num_warps` warps; the producer is behind them: a thread with the ifs and loops
// around the loop, their bounds, and what the copies' coordinates need, cloned. Scalars that the kernel reads from memory before
// any branch are read before the groups; those that a program run in turn reads so, in both. Where no product stays under way (its
// sum is not carried by the loop alone, fewer than three stages, operands in registers) a slot goes at the iteration's end.
//
// `auto` takes loops that ask for it, and products whose programs are run in turn (persist).
//
// Declined, with a remark: kernels that print, assert or use atomics or inline PTX, whose order among warps is their own;
// that may have written what the copies read; loops not all of whose loads are tensor copies; a second loop of products.
#include "ir/atomic.h"
#include "ir/build.h"
#include "ir/dot.h"
#include "ir/groups.h"
#include "ir/layout_dot.h"
#include "ir/scratch.h"
#include "ir/tuning.h"
#include "passes/padded_warps.h"
#include "passes/roles.h"
#include "passes/stagger.h"

enum { PRODUCER_WARPS = 4, WARPGROUP = 4 };

// --- which loop

typedef struct LoopSearch {
  VEC(Op *) loops; // innermost ones with products
  const Op *other; // what cannot be parted
  Arena *arena;
} LoopSearch;

static bool has_dot(const Region *region) {
  for (const Op *op = region->first; op; op = op->next)
    if (is_dot_of(op, DOT_WGMMA)) return true;
  return false;
}

static bool is_of_all_warps(const Op *op) {
  switch ((int)op->kind) {
  case OP_ATOMIC_RMW: return !atomic_only_reduces(op);
  case OP_PRINT:
  case OP_ASSERT:
  case OP_ATOMIC_CAS:
  case OP_INLINE_ASM:
  case OP_GDC_WAIT:
  case OP_GDC_LAUNCH_DEPENDENTS:
  case OP_GLOBALTIMER: return true;
  default: return false;
  }
}

static void find_loops(Op *op, void *data) {
  LoopSearch *search = data;
  if (op_is_loop(op) && has_dot(op->regions[op->region_count - 1]))
    vec_push(search->arena, &search->loops, op);
  if (!search->other && is_of_all_warps(op)) search->other = op;
}

static void decline(const PassContext *context, const Op *op, const char *why) {
  diag_remark(context->diags, op->loc, "specialise_warps", "not specialised: %s", why);
}

static bool is_in_turn(const Op *loop) {
  for (const Op *around = loop; around; around = around->region->parent)
    if (op_attr(around, ATTR_PROGRAMS)) return true;
  return false;
}

// Loops that stagger_dots has marked, those of attention's gradients, and those that ask for it, but those of one warpgroup stay:
// another block's warps copy while it multiplies. Where programs are run in turn others gain too: the next program's copies run under what is done
// with this one's product.
static bool is_wanted(const PassContext *context, const Func *func, const Op *loop) {
  const Target *target = &func->module->target;
  if (target->warp_roles == WARP_ROLES_ON) return true;
  if (target->num_warps > WARPGROUP)
    return is_in_turn(loop) || op_attr(loop, ATTR_STAGGER) || op_attr(loop, ATTR_WARP_SPECIALIZE) ||
           chained_dots(context->scratch, func, loop) > 2;
  if (!op_attr(loop, ATTR_WARP_SPECIALIZE)) return false;
  decline(context, loop, "four warps leave a multiprocessor to another block, which gains more");
  return false;
}

// --- whether it can be

static const char not_copies[] = "not all of its loads are tensor copies";

// Whether something is computed of what a product takes as it is too.
static bool reads_operands(const StagedLoop *staged) {
  for (uint32_t i = 0; i < staged->loads.n; i++)
    if (staged->loads.at[i].reads && staged->loads.at[i].alloc) return true;
  return false;
}

static bool are_tensor_copies(const StagedLoop *staged) {
  for (uint32_t i = 0; i < staged->loads.n; i++)
    if (!staged->loads.at[i].by_tensor) return false;
  return staged->loads.n > 0;
}

static const char *why_not_kernel(const Func *func, const LoopSearch *search) {
  const Target *target = &func->module->target;
  if (!target->arch->setmaxnreg_most) return "the architecture has no setmaxnreg";
  if (target->num_warps % WARPGROUP || (target->num_warps + PRODUCER_WARPS) * TARGET_WARP > 1024)
    return "its warps are no whole number of warpgroups, or too many";
  if (target->maxnreg) return "its registers are limited";
  if (search->other)
    return "it has ops whose order among warps is their own (print, assert, atomics, inline PTX)";
  if (search->loops.n > 1) return "it has several loops of products";
  return NULL;
}

static void find_path(Roles *r, Op *loop) {
  VEC(Op *) inner = {0};
  for (Op *op = loop; op; op = op->region->parent) vec_push(r->s.arena, &inner, op);
  while (inner.n) vec_push(r->s.arena, &r->path, vec_pop(&inner));
}

static const char *why_not_loop(Roles *r, const Op *loop, int64_t step) {
  const StagedLoop *staged = r->s.staged;
  enum { MAX_STEP = INT32_MAX / 64 };
  if (loop->kind != OP_FOR) return "it is a while loop";
  if (!are_tensor_copies(staged)) return not_copies;
  if (staged->after_writes) return "the kernel may have written what its copies read";
  if (step == 0 || step < -MAX_STEP || step > MAX_STEP) return "its step is no small constant";
  return roles_find_producer(r);
}

// --- groups

uint32_t roles_registers(const TargetInfo *arch, uint32_t warps, bool many, uint32_t *producer) {
  if (warps <= WARPGROUP) return 0; // two blocks may share a multiprocessor
  uint32_t groups = warps / WARPGROUP, threads = (warps + PRODUCER_WARPS) * TARGET_WARP;
  *producer = many         ? TUNE_PRODUCER_REGISTERS_BESIDE_MANY
              : groups > 2 ? TUNE_PRODUCER_REGISTERS_BESIDE_THREE
                           : TUNE_PRODUCER_REGISTERS;
  uint32_t entry = arch->registers / threads / 8 * 8; // of each thread as the block begins; what is beyond is nobody's
  uint32_t registers = (entry * (groups + PRODUCER_WARPS / WARPGROUP) - *producer) / groups / 8 * 8;
  return registers < arch->setmaxnreg_most ? registers : arch->setmaxnreg_most;
}

// Those of the source are the group's, as place_barriers gives them.
static void name_barrier(Op *op, void *data) {
  (void)data;
  if (op->kind != OP_BARRIER) return;
  op_set_attr(op, (Attr){.key = ATTR_ID, .i = 1});
  op_set_attr(op, (Attr){.key = ATTR_WARPS, .i = region_warps(op)});
}

// Everything but the return, and what both groups read, goes into the first group.
static Op *make_groups(Roles *r) {
  Func *func = r->s.func;
  const Target *target = &func->module->target;
  Op *first = func->body->first, *last = func->body->last;
  Builder b = builder_before(last);
  b.loc = r->s.staged->loop->loc;
  Op *groups = build_op(&b, OP_WARP_GROUPS, 0, NULL, 0, NULL);
  bool many = chained_dots(r->s.arena, func, r->s.staged->loop) > 2;
  uint32_t producer, registers = roles_registers(target->arch, r->warps, many, &producer);
  op_set_ints(groups, ATTR_GROUP_WARPS, 2, (uint32_t[]){r->warps, PRODUCER_WARPS});
  op_set_ints(groups, ATTR_GROUP_THREADS, 2, (uint32_t[]){r->warps * TARGET_WARP, 1});
  if (registers) op_set_ints(groups, ATTR_GROUP_REGISTERS, 2, (uint32_t[]){registers, producer});
  Region *own = region_new(func, groups);
  region_new(func, groups);
  for (Op *op = first, *next; op != groups; op = next) {
    next = op->next;
    if (!op->result_count || !r->before[op_result(op)->id]) op_move(op, own, NULL);
  }
  Builder end = builder_at_end(func, own);
  end.loc = last->loc;
  build_yield(&end, 0, NULL);
  region_walk(own, name_barrier, NULL);
  if (registers)
    diag_remark(r->s.context->diags, b.loc, "specialise_warps",
                "registers a thread: %u of those that multiply, %u of those that copy", registers,
                producer);
  return groups;
}

static Op *make_channel(Roles *r, Op *groups, StagedGroup *slots) {
  Builder b = builder_before(groups);
  stage_alloc(&r->s, &b, slots);
  const Type *ring = type_ring(r->s.func->module->ir);
  b.loc = r->s.staged->loop->loc;
  Op *channel = build_op(&b, OP_CHANNEL, 1, &slots->mbarriers, 2, (const Type *[]){ring, ring});
  op_set_attr(channel, (Attr){.key = ATTR_SLOTS, .i = slots->slots});
  if (r->s.in_flight) op_set_attr(channel, (Attr){.key = ATTR_BEHIND, .i = 1});
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

// What the second product of a loop to be rotated reads has a channel of its own: it is an iteration behind.
static void make_all_slots(Roles *r, uint32_t slots) {
  const Op *loop = r->s.staged->loop, *late = op_attr(loop, ATTR_STAGGER) ? staggered_buffer(loop) : NULL;
  StaggeredDots dots;
  bool apart = late && staggered_dots_find(loop, &dots) && r->s.staged->loads.n > 1;
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

// What the loop becomes, in *staged and *r, and how many slots it gets; 0, with a remark: it stays.
static uint32_t plan_roles(PassContext *context, Func *func, Op *loop, const LoopSearch *search, bool in_turn,
                           StagedLoop *staged, Roles *r) {
  const char *why = why_not_kernel(func, search);
  if (why) return decline(context, loop, why), 0;
  if (loop->kind != OP_FOR || !staged_loop_find(context, func, loop, staged)) return 0;
  if (reads_operands(staged)) return decline(context, loop, not_copies), 0;
  staged_loop_keep_computed(staged); // the warps that multiply load it themselves
  *r = (Roles){.s = {.context = context, .func = func, .staged = staged, .arena = context->scratch}};
  int64_t step = 0;
  value_int_constant(loop_step(loop), &step);
  r->s.step = step;
  r->warps = unpadded_warps(func);
  r->needed = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  r->before = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  find_path(r, loop);
  why = why_not_loop(r, loop, step);
  if (why) return decline(context, loop, why), 0;
  staged->by_role = true;
  staged->in_turn = in_turn;
  uint32_t slots = staged_loop_stages(context, func, staged);
  if (slots < 2) return decline(context, loop, "shared memory has no room for two slots"), 0;
  r->s.in_flight = staged->dot && slots >= 3 && !dot_parts(staged->dot);
  return slots;
}

static bool specialise(PassContext *context, Func *func, Op *loop, const LoopSearch *search) {
  StagedLoop staged;
  Roles r;
  uint32_t slots = plan_roles(context, func, loop, search, is_in_turn(loop), &staged, &r);
  if (!slots) return false;
  make_all_slots(&r, slots);
  diag_remark(context->diags, loop->loc, "specialise_warps",
              "%u warps multiply, one thread copies ahead of them into %u slots%s", r.warps, slots,
              r.s.in_flight ? "; a product stays under way while the next begins" : "");
  Op *groups = make_groups(&r);
  RoleRings fill, read;
  for (uint32_t c = 0; c < r.channels; c++) {
    Op *channel = make_channel(&r, groups, r.slots[c]);
    fill.at[c] = &channel->results[0], read.at[c] = &channel->results[1];
  }
  roles_emit_producer(&r, groups->regions[1], &fill);
  roles_emit_consumers(&r, &read);
  return true;
}

bool roles_pay_in_turn(PassContext *context, Func *func) {
  const Target *target = &func->module->target;
  LoopSearch search = {.arena = context->scratch};
  Diags unheard = {.arena = context->scratch, .sources = context->diags->sources};
  PassContext asking = {context->scratch, &unheard};
  StagedLoop staged;
  Roles r;
  func_number(func);
  region_walk(func->body, find_loops, &search);
  if (search.loops.n != 1 || target->num_warps <= WARPGROUP || !target->arch->setmaxnreg_most) return false;
  uint32_t slots = plan_roles(&asking, func, search.loops.at[0], &search, true, &staged, &r);
  if (!slots || !r.s.in_flight) return false;
  uint32_t sums = tile_words(op_result(staged.dot)->type), producer;
  return sums >= TUNE_TURN_SUMS &&
         sums + TUNE_TURN_OTHER_REGISTERS <= roles_registers(target->arch, r.warps, false, &producer);
}

bool pass_specialise_warps(PassContext *context, Func *func) {
  LoopSearch search = {.arena = context->scratch};
  if (func->module->target.warp_roles == WARP_ROLES_OFF || func_groups(func)) return false;
  func_number(func);
  region_walk(func->body, find_loops, &search);
  for (uint32_t i = 0; i < search.loops.n; i++)
    if (is_wanted(context, func, search.loops.at[i]) &&
        specialise(context, func, search.loops.at[i], &search))
      return true;
  return false;
}
