// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution of one warp. Its lanes run in groups, each at one instruction. The group that is first in
// control-flow order (reconvergence.h) runs first. So groups reconverge at joins. A group that has waited for
// 1,000 instructions runs next.
#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/integer.h"
#include "base/text.h"
#include "sim/machine/hooks.h"
#include "sim/machine/mbarrier.h"
#include "sim/machine/tmem.h"
#include "sim/machine/lanes.h"

enum { PATIENCE = 1000, TURN = 32 };

static uint32_t count_lanes(uint32_t mask) { return bit_count(mask); }

bool warp_fault(Warp *warp, const Insn *insn, uint32_t lanes, tilec_sim_report_kind kind, uint64_t address,
                const char *format, ...) {
  if (warp->block->worker->fault.set) return false;
  Fault fault = {.set = true,
                 .kind = kind,
                 .insn = (uint32_t)(insn - warp->block->program->code.at),
                 .block = warp->block->index,
                 .warp = warp->index,
                 .lanes = lanes,
                 .address = address};
  va_list args;
  va_start(args, format);
  fault.message = text_make_list(format, args);
  va_end(args);
  if (sim_hook_fault(warp, &fault)) {
    warp->block->worker->survived = lanes;
    text_free(fault.message);
  } else
    warp->block->worker->fault = fault;
  return false;
}

static void remove_group(Warp *warp, uint32_t index) { warp->groups[index] = warp->groups[--warp->n]; }

// Merges groups at one instruction. The merged group tries its wait again.
static void merge_groups(Warp *warp) {
  for (uint32_t i = 0; i < warp->n; i++)
    for (uint32_t k = i + 1; k < warp->n;) {
      LaneGroup *a = &warp->groups[i], *b = &warp->groups[k];
      if (a->pc != b->pc || a->state == GROUP_AT_BARRIER || b->state == GROUP_AT_BARRIER) {
        k++;
        continue;
      }
      sim_hook_join(warp, a->mask, b->mask);
      a->mask |= b->mask;
      a->hasty |= b->hasty;
      a->state = GROUP_READY;
      if (b->last_run < a->last_run) a->last_run = b->last_run;
      remove_group(warp, k);
    }
}

typedef struct WarpTurn {
  LaneGroup *group; // NULL: none can run
  uint32_t stop_pc; // the group must stop here, for others to join or run first
  uint64_t most;    // instructions
} WarpTurn;

static WarpTurn choose_turn(Warp *warp) {
  const CodeOrder *order = warp->block->program->order;
  LaneGroup *lowest = NULL, *starved = NULL;
  for (uint32_t i = 0; i < warp->n; i++) {
    LaneGroup *group = &warp->groups[i];
    if (group->state != GROUP_READY) continue;
    if (!lowest || order[group->pc].place < order[lowest->pc].place) lowest = group;
    if (!starved || group->last_run < starved->last_run) starved = group;
  }
  WarpTurn turn = {lowest, UINT32_MAX, UINT64_MAX};
  if (warp->n <= 1 || !lowest) return turn;
  uint64_t waited = warp->executed - starved->last_run;
  if (starved != lowest && waited >= PATIENCE) return (WarpTurn){starved, UINT32_MAX, TURN};
  if (starved != lowest) turn.most = PATIENCE - waited;
  turn.stop_pc = order[lowest->pc].end;
  for (uint32_t i = 0; i < warp->n; i++) {
    LaneGroup *other = &warp->groups[i];
    if (other->state != GROUP_AT_BARRIER && other->pc > lowest->pc && other->pc < turn.stop_pc)
      turn.stop_pc = other->pc;
  }
  return turn;
}

// Lanes of `taken` leave the group for `target`.
static void split_group(Warp *warp, LaneGroup *group, uint32_t taken, uint32_t target) {
  sim_hook_split(warp, group->mask);
  group->mask &= ~taken;
  warp->groups[warp->n++] =
      (LaneGroup){.pc = target, .mask = taken, .hasty = group->hasty, .last_run = warp->executed};
}

// bar.red: writes the result for the lanes that continue.
static void give_votes(Warp *warp, const LaneGroup *group, const Insn *insn, const Barrier *barrier) {
  bool holds = insn->to == OP_AND ? barrier->votes == barrier->arrived : barrier->votes > 0;
  uint32_t counts[LANES];
  for (int l = 0; l < LANES; l++) counts[l] = barrier->votes;
  if (insn->to == OP_POPC)
    lanes_write32(warp, insn->dst, counts, group->mask);
  else if (insn->to)
    predicate_write(warp, insn->dst, holds ? ALL_LANES : 0, group->mask);
}

static void release_barrier(Block *block, uint32_t id) {
  Barrier complete = block->barriers[id];
  block->barriers[id] = (Barrier){0};
  block->waited &= ~(1u << id);
  sim_hook_bar_release(block, id);
  cluster_leader(block)->timeouts = 0;
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++) {
      LaneGroup *group = &block->warps[w].groups[g];
      if (group->state != GROUP_AT_BARRIER || group->barrier != id) continue;
      give_votes(&block->warps[w], group, &block->program->code.at[group->pc - 1], &complete);
      group->state = GROUP_READY;
      group->last_run = block->warps[w].executed;
    }
}

// The CTA's threads have passed the cluster's barrier.
static void release_at_cluster(Block *block) {
  for (uint32_t w = 0; w < block->warp_count; w++) {
    block->warps[w].cluster_arrived = 0;
    for (uint32_t g = 0; g < block->warps[w].n; g++) {
      LaneGroup *group = &block->warps[w].groups[g];
      if (group->state != GROUP_AT_CLUSTER) continue;
      group->state = GROUP_READY;
      group->last_run = block->warps[w].executed;
    }
  }
}

// Completes the barrier of the cluster once all threads that have not exited are there.
static void release_cluster(Block *leader) {
  Barrier *barrier = &leader->barriers[CLUSTER_BARRIER];
  uint32_t expected = 0;
  for (uint32_t i = 0; i < cluster_size(leader); i++) expected += cluster_block(leader, i)->live_threads;
  if (barrier->arrived < expected) return;
  *barrier = (Barrier){0};
  sim_hook_cluster_release(leader);
  leader->timeouts = 0;
  for (uint32_t i = 0; i < cluster_size(leader); i++) release_at_cluster(cluster_block(leader, i));
}

static void release_complete_barriers(Block *block) {
  for (uint32_t left = block->waited; left; left &= left - 1) {
    uint32_t id = lowest_lane(left);
    const Barrier *barrier = &block->barriers[id];
    uint32_t expected = barrier->expected ? barrier->expected : block->live_threads;
    if (barrier->arrived >= expected) release_barrier(block, id);
  }
  Block *leader = cluster_leader(block);
  if (leader->barriers[CLUSTER_BARRIER].arrived) release_cluster(leader);
}

// Threads that have exited are not awaited at the cluster's barrier, so that their arrivals do not count either.
static void exit_lanes(Warp *warp, LaneGroup *group, const Insn *insn, uint32_t lanes) {
  sim_hook_exit(warp, insn, lanes);
  cluster_leader(warp->block)->barriers[CLUSTER_BARRIER].arrived -=
      count_lanes(lanes & warp->cluster_arrived);
  warp->cluster_arrived &= ~lanes;
  warp->live &= ~lanes;
  warp->block->live_threads -= count_lanes(lanes);
  group->mask &= ~lanes;
  group->pc++;
  for (uint32_t i = 0; i < warp->n; i++)
    if (warp->groups[i].state == GROUP_AT_SYNC) warp->groups[i].state = GROUP_READY;
  if (!group->mask) remove_group(warp, (uint32_t)(group - warp->groups));
  release_complete_barriers(warp->block);
}

static uint32_t first_lane(const Warp *warp, uint32_t slot, uint32_t mask) {
  return ((const uint32_t *)lanes_at(warp, slot))[lowest_lane(mask)];
}

// With checks, lanes at an .aligned barrier wait for the rest of their warp. If it does not come, they arrive
// alone, once nothing else can run (block_run).
static bool waits_for_warp(const Warp *warp, const LaneGroup *group, const Insn *insn, uint32_t lanes) {
  return insn->extra == BARRIER_ALIGNED && hooks_of(warp) && lanes != warp->live && !group->alone;
}

// The lanes wait at the barrier, unless they only arrive or are the last ones.
static void arrive_at_barrier(Warp *warp, LaneGroup *group, const Insn *insn, uint32_t lanes) {
  Block *block = warp->block;
  uint32_t id = first_lane(warp, insn->src[0], lanes), threads = first_lane(warp, insn->src[1], lanes);
  bool cluster = insn->extra == BARRIER_CLUSTER;
  if (id >= BARRIERS && !cluster) {
    warp_fault(warp, insn, lanes, TILEC_SIM_TRAP, 0, "barrier %u: there are %u", id, (unsigned)BARRIERS);
    return;
  }
  if (waits_for_warp(warp, group, insn, lanes)) {
    group->state = GROUP_AT_SYNC;
    return;
  }
  group->alone = false;
  if (cluster) {
    warp->cluster_arrived |= lanes;
    sim_hook_cluster_arrive(warp, insn, lanes);
  } else {
    sim_hook_bar_arrive(warp, insn, lanes, id);
  }
  block->worker->by_site[insn->site].barriers++;
  Barrier *barrier = &(cluster ? cluster_leader(block) : block)->barriers[id];
  if (!cluster) block->waited |= 1u << id;
  barrier->arrived += count_lanes(lanes);
  barrier->expected = threads;
  if (insn->to) {
    uint32_t votes = predicate_at(warp, insn->src[2]);
    barrier->votes += count_lanes((insn->flags & FLAG_NOT ? ~votes : votes) & lanes);
  }
  group->pc++;
  if (!(insn->flags & FLAG_ARRIVE)) {
    if (group->mask != lanes) split_group(warp, group, group->mask & ~lanes, group->pc);
    group->state = GROUP_AT_BARRIER;
    group->barrier = id;
  }
  release_complete_barriers(block);
}

static void branch_lanes(Warp *warp, LaneGroup *group, uint32_t taken, uint32_t target) {
  uint32_t rest = group->mask & ~taken;
  if (!rest)
    group->pc = target;
  else {
    group->pc++;
    if (taken) split_group(warp, group, taken, target);
  }
}

// brx.idx: lanes branch by their index, one target after another.
static void branch_indexed(Warp *warp, LaneGroup *group, const Insn *insn, uint32_t lanes) {
  const uint32_t *index = lanes_at(warp, insn->src[0]);
  for (uint32_t l = 0; l < LANES; l++)
    if ((lanes >> l & 1) && index[l] >= insn->count) {
      warp_fault(warp, insn, 1u << l, TILEC_SIM_WILD_BRANCH, 0, "branch index %u into a table of %u",
                 index[l], insn->count);
      return;
    }
  uint32_t left = lanes;
  while (left) {
    uint32_t wanted = insn->u.targets[first_lane(warp, insn->src[0], left)], same = 0;
    for (uint32_t l = 0; l < LANES; l++)
      if ((left >> l & 1) && insn->u.targets[index[l]] == wanted) same |= 1u << l;
    left &= ~same;
    if (same == group->mask)
      group->pc = wanted;
    else
      split_group(warp, group, same, wanted);
  }
  if (group->mask & ~lanes) return;
  if (!group->mask) remove_group(warp, (uint32_t)(group - warp->groups));
}

static void run_rounded(Warp *warp, const Insn *insn, uint32_t mask) {
  static const int modes[] = {[ROUND_RN] = FE_TONEAREST,
                              [ROUND_RZ] = FE_TOWARDZERO,
                              [ROUND_RM] = FE_DOWNWARD,
                              [ROUND_RP] = FE_UPWARD};
  fesetround(modes[insn->round]);
  insn->exec(warp, insn, mask);
  fesetround(FE_TONEAREST);
}

// True if another group waits at a warp barrier with these members. Lanes of a warp may be at several warp
// barriers.
static bool waits_with(Warp *warp, const LaneGroup *other, uint32_t members) {
  const Insn *insn = &warp->block->program->code.at[other->pc];
  if (other->state != GROUP_AT_SYNC || insn->kind != KIND_WARP_BARRIER) return false;
  uint32_t mask = other->mask & (predicate_at(warp, insn->guard) ^ insn->guard_flip);
  return mask && (first_lane(warp, insn->src[3], mask) & warp->live) == members;
}

// True if all members outside of the group wait at other warp barriers. Then all continue.
static bool meets_others(Warp *warp, const LaneGroup *group, uint32_t members) {
  uint32_t lanes = group->mask;
  for (uint32_t i = 0; i < warp->n; i++)
    if (waits_with(warp, &warp->groups[i], members)) lanes |= warp->groups[i].mask;
  if (members & ~lanes) return false;
  for (uint32_t i = 0; i < warp->n; i++) {
    LaneGroup *other = &warp->groups[i];
    if (!waits_with(warp, other, members)) continue;
    warp->block->worker->executed[other->pc++]++;
    warp->executed++;
    other->state = GROUP_READY;
    other->last_run = warp->executed;
  }
  sim_hook_join(warp, group->mask, lanes);
  return true;
}

// Lanes with different member masks, as tiles of cooperative groups have them, exchange nothing.
static void run_members(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *members = lanes_at(warp, insn->src[3]);
  for (uint32_t left = mask; left;) {
    uint32_t first = members[lowest_lane(left)], same = 0;
    for (uint32_t l = 0; l < LANES; l++)
      if ((left >> l & 1) && members[l] == first) same |= 1u << l;
    insn->exec(warp, insn, same);
    left &= ~same;
  }
}

// Runs a .sync instruction. False: it must wait for lanes of its member mask.
static bool run_sync(Warp *warp, LaneGroup *group, const Insn *insn, uint32_t mask) {
  uint32_t members = mask ? first_lane(warp, insn->src[3], mask) & warp->live : 0;
  if (members & ~group->mask) {
    if (insn->kind != KIND_WARP_BARRIER || !meets_others(warp, group, members)) {
      group->state = GROUP_AT_SYNC;
      return false;
    }
  } else if (mask)
    sim_hook_warp_sync(warp, insn, mask);
  if (mask) run_members(warp, insn, mask);
  group->pc++;
  return true;
}

// try_wait. It gives true at once if a lane's phase is complete. Otherwise the lanes wait until an mbarrier
// changes. Under most schedules it first gives false once, as a GPU may. This finds code that does not ask
// again.
static void run_wait(Warp *warp, LaneGroup *group, const Insn *insn, uint32_t mask) {
  bool hasty = warp->block->worker->launch->hasty && !group->hasty;
  uint32_t done = mask ? mbarrier_test(warp, insn, mask, hasty) : 0;
  if (mask && !done && !hasty && !group->timed_out) {
    group->state = GROUP_AT_MBARRIER;
    return;
  }
  if (mask) {
    predicate_write(warp, insn->dst, done, mask);
    group->hasty = !done && (hasty || group->hasty);
  }
  group->timed_out = false;
  group->pc++;
}

// setmaxnreg, once all lanes of the warp have arrived. False: it must wait for registers. Registers of a warp
// that exits are not returned.
static bool change_registers(Warp *warp, const Insn *insn) {
  Block *block = warp->block;
  uint32_t had = warp->registers, more = insn->count - had;
  if (!block->program->registers) return true;
  if (insn->extra ? insn->count < had : insn->count > had) {
    warp_fault(warp, insn, warp->live, TILEC_SIM_REGISTERS, 0,
               "setmaxnreg.%s to %u registers per thread, but the warp has %u", insn->extra ? "inc" : "dec",
               insn->count, had);
    return true;
  }
  if (insn->extra && more > block->pool) return false;
  block->pool -= more;
  warp->registers = insn->count;
  for (uint32_t w = 0; !insn->extra && w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++)
      if (block->warps[w].groups[g].state == GROUP_AT_REGISTERS)
        block->warps[w].groups[g].state = GROUP_READY;
  return true;
}

// An instruction of the whole warp that waits for what the block's other warps hold.
static void run_shared(Warp *warp, LaneGroup *group, const Insn *insn, uint32_t mask) {
  bool registers = insn->kind == KIND_REGISTERS;
  if (mask && (warp->live & ~group->mask)) {
    group->state = GROUP_AT_SYNC;
    return;
  }
  if (mask && !(registers ? change_registers(warp, insn) : tmem_change(warp, insn, mask))) {
    group->state = registers ? GROUP_AT_REGISTERS : GROUP_AT_TMEM;
    return;
  }
  if (mask && registers) sim_hook_registers(warp, insn);
  group->pc++;
}

// Control instructions. Afterwards the group may no longer exist.
static void run_control(Warp *warp, LaneGroup *group, const Insn *insn, uint32_t mask) {
  switch ((InsnKind)insn->kind) {
  case KIND_BRANCH: branch_lanes(warp, group, mask, insn->target); return;
  case KIND_TRAP:
    if (mask) warp_fault(warp, insn, mask, TILEC_SIM_TRAP, 0, "trap");
    group->pc++;
    return;
  case KIND_CLUSTER_WAIT:
    if (warp->cluster_arrived & mask) {
      group->state = GROUP_AT_CLUSTER;
      return;
    }
    if (mask) sim_hook_cluster_wait(warp, insn, mask);
    group->pc++;
    return;
  case KIND_WAIT: run_wait(warp, group, insn, mask); return;
  case KIND_REGISTERS:
  case KIND_TMEM: run_shared(warp, group, insn, mask); return;
  case KIND_END:
    warp_fault(warp, insn, group->mask, TILEC_SIM_WILD_BRANCH, 0, "ran past the end of the kernel");
    return;
  case KIND_EXIT:
  case KIND_BARRIER:
  case KIND_INDEXED:
    if (!mask)
      group->pc++;
    else if (insn->kind == KIND_EXIT)
      exit_lanes(warp, group, insn, mask);
    else if (insn->kind == KIND_BARRIER)
      arrive_at_barrier(warp, group, insn, mask);
    else {
      if (mask != group->mask) split_group(warp, group, group->mask & ~mask, group->pc + 1);
      branch_indexed(warp, group, insn, mask);
    }
    return;
  case KIND_LANES:
  case KIND_ROUNDED:
  case KIND_CHECKED:
  case KIND_SYNC:
  case KIND_WARP_BARRIER: return;
  }
}

// Runs the group's instructions that cannot fail, wait or branch, at most `left`. Returns the number left.
static inline uint64_t run_lanes(Warp *warp, LaneGroup *group, uint32_t stop_pc, uint64_t left) {
  const Insn *code = warp->block->program->code.at;
  uint64_t *executed = warp->block->worker->executed;
  uint32_t pc = group->pc, lanes = group->mask;
  for (; left > 0 && pc < stop_pc && code[pc].kind == KIND_LANES; pc++, left--) {
    const Insn *insn = &code[pc];
    uint32_t mask = lanes & (predicate_at(warp, insn->guard) ^ insn->guard_flip);
    executed[pc]++;
    warp->executed++;
    if (mask) insn->exec(warp, insn, mask);
  }
  group->pc = pc;
  return left;
}

// Runs one group until control flow changes, other groups must run, or `most` instructions have run.
static void run_group(Warp *warp, WarpTurn turn, uint64_t most) {
  LaneGroup *group = turn.group;
  Worker *worker = warp->block->worker;
  const SimHooks *hooks = hooks_of(warp);
  bool watched = hooks && hooks->step;
  const Insn *code = warp->block->program->code.at;
  uint64_t left = turn.most < most ? turn.most : most;
  for (; left > 0 && group->pc < turn.stop_pc; left--) {
    if (!watched && code[group->pc].kind == KIND_LANES) {
      left = run_lanes(warp, group, turn.stop_pc, left);
      if (!left || group->pc >= turn.stop_pc) break;
    }
    const Insn *insn = &code[group->pc];
    uint32_t mask = group->mask & (predicate_at(warp, insn->guard) ^ insn->guard_flip);
    worker->executed[group->pc]++;
    warp->executed++;
    if (watched) hooks->step(hooks->context, warp, insn, mask);
    switch (insn->kind) {
    case KIND_LANES:
      if (mask) insn->exec(warp, insn, mask);
      group->pc++;
      break;
    case KIND_ROUNDED:
      if (mask) run_rounded(warp, insn, mask);
      group->pc++;
      break;
    case KIND_CHECKED:
      if (mask) insn->exec(warp, insn, mask);
      if (worker->fault.set) return;
      group->pc++;
      break;
    case KIND_SYNC:
    case KIND_WARP_BARRIER:
      if (run_sync(warp, group, insn, mask)) {
        if (worker->fault.set) return;
        break;
      }
      worker->executed[group->pc]--; // counted when it runs
      return;
    case KIND_BRANCH:
      if (mask == group->mask && warp->n == 1) {
        group->pc = insn->target;
        break;
      }
      branch_lanes(warp, group, mask, insn->target);
      group->last_run = warp->executed;
      return;
    default:
      group->last_run = warp->executed;
      run_control(warp, group, insn, mask);
      return;
    }
  }
  group->last_run = warp->executed;
}

void warp_step(Warp *warp, LaneGroup *group) {
  run_group(warp, (WarpTurn){group, UINT32_MAX, 1}, 1);
  if (warp->n > 1) merge_groups(warp);
}

uint64_t warp_run(Warp *warp, uint64_t slice) {
  uint64_t begin = warp->executed;
  warp->block->worker->slice_begin = begin;
  while (warp->executed - begin < slice && !warp->block->worker->fault.set) {
    if (warp->n > 1) merge_groups(warp);
    WarpTurn turn = choose_turn(warp);
    if (!turn.group) break;
    run_group(warp, turn, slice - (warp->executed - begin));
  }
  return warp->executed - begin;
}
