// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds dot loops that can be split into consumer warps and a producer thread.
#include "ir/memory/atomic.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "passes/analysis/hopper_limits.h"
#include "passes/analysis/padded_warps.h"
#include "passes/warp_specialization/roles.h"

// --- the kernel

static bool has_dot(const Region *region) {
  for (const Op *op = region->first; op; op = op->next)
    if (dot_reads_matrices(op)) return true;
  return false;
}

static bool is_of_all_warps(const Op *op) {
  if (op_has(op, ATOMIC)) return op->kind != OP_ATOMIC_RMW || !atomic_only_reduces(op);
  return op_has(op, OUTSIDE) && op->kind != OP_SMID;
}

static void find_loops(RoleLoops *loops, Op *op) {
  if (op_is_loop(op) && has_dot(op->regions[op->region_count - 1])) vec_push(loops->arena, &loops->list, op);
  if (!loops->ordered && is_of_all_warps(op)) loops->ordered = op;
}

RoleLoops roles_loops(Arena *arena, Func *func) {
  RoleLoops loops = {.arena = arena};
  func_number(func);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) find_loops(&loops, w.op);
  return loops;
}

const char *roles_refuse(const Func *func, const RoleLoops *loops) {
  const Target *target = &func->module->target;
  if (!target->arch->setmaxnreg_most) return "the architecture has no setmaxnreg";
  if (target->num_warps % WARPGROUP_WARPS || (target->num_warps + PRODUCER_WARPS) * TARGET_WARP > 1024)
    return "its warps are not a whole number of warpgroups, or too many";
  if (target->maxnreg) return "its registers are limited";
  if (loops->ordered)
    return "it has ops whose order among warps matters (print, assert, atomics, inline PTX)";
  if (loops->list.n > 1) return "it has several dot loops";
  return NULL;
}

// --- the loop

static const char not_copies[] = "not all of its loads are TMA copies";

// True if some computation also reads what a dot takes directly from shared memory.
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

static void find_path(Roles *r, Op *loop) {
  VEC(Op *) inner = {0};
  for (Op *op = loop; op; op = op->region->parent) vec_push(r->s.arena, &inner, op);
  while (inner.n) vec_push(r->s.arena, &r->path, vec_pop(&inner));
}

static const char *why_not_loop(Roles *r) {
  const StagedLoop *staged = r->s.staged;
  int64_t step = r->s.step;
  enum { MAX_STEP = INT32_MAX / 64 };
  if (!are_tensor_copies(staged)) return not_copies;
  if (staged->after_writes) return "the kernel may have written what its copies read";
  if (step == 0 || step < -MAX_STEP || step > MAX_STEP) return "its step is not a small constant";
  return roles_find_producer(r);
}

const char *roles_find(PassContext *context, Func *func, Op *loop, bool in_turn, StagedLoop *staged,
                       Roles *r) {
  if (loop->kind != OP_FOR) return "it is a while loop";
  if (!staged_loop_find(context, func, loop, staged)) return "none of its loads can be prefetched";
  if (reads_operands(staged)) return not_copies;
  staged_loop_keep_computed(staged); // consumer warps load it themselves
  staged->by_role = true;
  staged->in_turn = in_turn;
  *r = (Roles){.s = {.context = context, .func = func, .staged = staged, .arena = context->scratch}};
  value_int_constant(loop_step(loop), &r->s.step);
  r->warps = unpadded_warps(func);
  r->needed = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  r->before = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  find_path(r, loop);
  return why_not_loop(r);
}

bool roles_stay_under_way(const StagedLoop *staged, uint32_t slots) {
  return staged->dot && slots >= 3 && !dot_parts(staged->dot);
}
