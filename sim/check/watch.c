// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/check/watch.h"

#include <stdlib.h>
#include "sim/check/facts.h"
#include "sim/machine/async.h"
#include "sim/machine/block.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

// Steps of a CTA's watch: a base number and more per warp. The number doubles each time it was too small.
enum { FIRST_STEPS = 4096, WARP_STEPS = 512, MAX_WATCH_STEPS = 1 << 20, OFTEN = 4, SELDOM = 8, CHUNK = 4096 };

typedef struct WarpState {
  uint32_t n;
  uint64_t executed;
  LaneGroup groups[LANES];
} WarpState;

typedef struct BlockSnapshot {
  unsigned char *registers;
  size_t bytes, cap;
  size_t differs; // the register chunk with the last difference
  WarpState warps[CHIP_BLOCK_THREADS / LANES];
  Barrier barriers[ALL_BARRIERS];
} BlockSnapshot;

// A cluster's state, for comparison.
struct Watch {
  BlockSnapshot *blocks[CHIP_CLUSTER_BLOCKS]; // by rank; NULL: not used yet
  bool reads_global;                          // since the last state
};

void watch_free(Watch *watch) {
  if (!watch) return;
  for (int i = 0; i < CHIP_CLUSTER_BLOCKS; i++) {
    if (watch->blocks[i]) free(watch->blocks[i]->registers);
    free(watch->blocks[i]);
  }
  free(watch);
}

bool watch_is_due(const Block *block, uint64_t slices) {
  if (block->worker->launch->watch_every) return slices > 0;
  return block->wakes_in_vain || (slices > 0 && (slices <= OFTEN || slices % SELDOM == 0));
}

// ---- the state ----

static bool open_snapshot(Watch *watch, const Block *block) {
  size_t bytes = block_register_bytes(block);
  BlockSnapshot **at = &watch->blocks[block->rank];
  if (!*at) *at = calloc(1, sizeof **at);
  BlockSnapshot *snapshot = *at;
  if (!snapshot) return false;
  if (snapshot->cap < bytes) {
    free(snapshot->registers);
    snapshot->registers = malloc(bytes);
    snapshot->cap = snapshot->registers ? bytes : 0;
  }
  snapshot->bytes = bytes;
  return snapshot->registers;
}

// False: out of memory.
static bool open_watch(Block *block) {
  Worker *worker = block->worker;
  if (!worker->watch) worker->watch = calloc(1, sizeof *worker->watch);
  bool ok = worker->watch;
  for (uint32_t i = 0; ok && i < cluster_size(block); i++)
    ok = open_snapshot(worker->watch, cluster_block(block, i));
  return ok;
}

static void keep_block(BlockSnapshot *snapshot, Block *block) {
  memcpy(snapshot->registers, block->registers, snapshot->bytes);
  memcpy(snapshot->barriers, block->barriers, sizeof snapshot->barriers);
  snapshot->differs = 0;
  for (uint32_t w = 0; w < block->warp_count; w++) {
    Warp *warp = &block->warps[w];
    WarpState *state = &snapshot->warps[w];
    memset(warp->spins, 0, sizeof warp->spins);
    state->n = warp->n;
    state->executed = warp->executed;
    memcpy(state->groups, warp->groups, warp->n * sizeof *warp->groups);
  }
}

static void keep_state(Watch *watch, Block *block) {
  watch->reads_global = false;
  for (uint32_t i = 0; i < cluster_size(block); i++) keep_block(watch->blocks[i], cluster_block(block, i));
}

static bool same_chunk(const BlockSnapshot *snapshot, const Block *block, size_t at) {
  size_t left = snapshot->bytes - at;
  return memcmp(snapshot->registers + at, block->registers + at, left < CHUNK ? left : CHUNK) == 0;
}

// Compares first where the last difference was: it is usually there again.
static bool same_registers(BlockSnapshot *snapshot, const Block *block) {
  if (!same_chunk(snapshot, block, snapshot->differs)) return false;
  for (size_t at = 0; at < snapshot->bytes; at += CHUNK)
    if (!same_chunk(snapshot, block, at)) {
      snapshot->differs = at;
      return false;
    }
  return true;
}

// True if the group is where it was, and has run since.
static bool same_group(const WarpState *state, const LaneGroup *group) {
  for (uint32_t i = 0; i < state->n; i++) {
    const LaneGroup *old = &state->groups[i];
    if (old->mask != group->mask) continue;
    bool may_run = group->state == GROUP_READY || group->state == GROUP_AT_MBARRIER;
    return old->pc == group->pc && old->state == group->state && old->barrier == group->barrier &&
           old->alone == group->alone && old->timed_out == group->timed_out && old->hasty == group->hasty &&
           (!may_run || group->last_run > state->executed);
  }
  return false;
}

static bool same_block(BlockSnapshot *snapshot, const Block *block) {
  for (uint32_t w = 0; w < block->warp_count; w++) {
    const Warp *warp = &block->warps[w];
    if (snapshot->warps[w].n != warp->n) return false;
    for (uint32_t g = 0; g < warp->n; g++)
      if (!same_group(&snapshot->warps[w], &warp->groups[g])) return false;
  }
  return memcmp(snapshot->barriers, block->barriers, sizeof snapshot->barriers) == 0 &&
         same_registers(snapshot, block);
}

static bool same_state(Watch *watch, const Block *block) {
  for (uint32_t i = 0; i < cluster_size(block); i++)
    if (!same_block(watch->blocks[i], cluster_block(block, i))) return false;
  return true;
}

// ---- a step ----

// True if the instruction's effects depend only on registers and memory, and it changes nothing else. Stores
// and atomics report separately if they changed a byte.
static bool is_function(const Insn *insn) {
  ExecFn *exec = insn->exec;
  switch ((InsnKind)insn->kind) {
  case KIND_LANES: return exec != exec_clock && exec != exec_activemask;
  case KIND_CHECKED:
    return access_of(insn) || exec == exec_mbarrier_test || exec == exec_mapa || exec == exec_cancel_query;
  case KIND_SYNC:
    return exec == exec_shfl || exec == exec_vote || exec == exec_redux || exec == exec_elect ||
           exec == exec_match || exec == exec_nothing || exec == exec_ldmatrix || exec == exec_movmatrix ||
           exec == exec_mma || exec == exec_mma_scaled;
  case KIND_ROUNDED:
  case KIND_WARP_BARRIER:
  case KIND_WAIT:
  case KIND_BRANCH:
  case KIND_INDEXED:
  case KIND_BARRIER:
  case KIND_CLUSTER_WAIT: return true;
  case KIND_REGISTERS:
  case KIND_TMEM:
  case KIND_EXIT:
  case KIND_TRAP:
  case KIND_END: return false;
  }
  return false;
}

// Keeps the address that the lowest lane is about to read. keep_value adds the value. Global memory is
// preferred to shared memory, because a warp may pass on through shared memory what it has read.
static void keep_read(Warp *warp, const Insn *insn, uint32_t leader, uint32_t mask) {
  Watch *watch = warp->block->worker->watch;
  bool reads = access_of(insn) == TILEC_SIM_ACCESS_LOAD || access_of(insn) == TILEC_SIM_ACCESS_ATOMIC;
  bool tests = insn->exec == exec_mbarrier_test;
  if (!mask || (!reads && !tests)) return;
  AddressOperand operand = {0};
  if (tests)
    operand = *insn->u.address;
  else
    operand = (AddressOperand){insn->u.access->space, insn->src[0], insn->u.access->address64, false,
                               insn->u.access->offset};
  Spin *kept = &warp->spins[leader], spin = {.insn = insn, .space = operand.space};
  for (uint32_t l = LANES; l-- > 0;) {
    if (!(mask >> l & 1)) continue;
    uint64_t address = address_at(warp, &operand, l);
    bool generic = operand.space == SPACE_GENERIC, shared = generic && address >= SHARED_WINDOW;
    spin.lane = l;
    spin.address = shared ? address - SHARED_WINDOW : address;
    if (generic) spin.space = shared ? SPACE_SHARED : address < PARAM_WINDOW ? SPACE_GLOBAL : SPACE_LOCAL;
    watch->reads_global |= spin.space == SPACE_GLOBAL;
  }
  if (!kept->insn || kept->space != SPACE_GLOBAL || spin.space == SPACE_GLOBAL) *kept = spin;
}

static void keep_value(Warp *warp, const Insn *insn, uint32_t leader) {
  Spin *spin = &warp->spins[leader];
  bool load = access_of(insn) == TILEC_SIM_ACCESS_LOAD;
  if (spin->insn != insn || (!load && access_of(insn) != TILEC_SIM_ACCESS_ATOMIC)) return;
  const MemoryAccess *access = insn->u.access;
  uint32_t slot = load ? access->slots[0] : access->results[0];
  uint32_t bytes = load ? access->slot_bytes[0] : access->bytes;
  spin->has_value = slot != UINT32_MAX && bytes > 0 && bytes <= 8;
  spin->value = 0;
  if (spin->has_value) memcpy(&spin->value, warp->regs + slot + (size_t)spin->lane * bytes, bytes);
}

static LaneGroup *group_of(Warp *warp, uint32_t lane) {
  for (uint32_t g = 0; g < warp->n; g++)
    if (warp->groups[g].mask >> lane & 1) return &warp->groups[g];
  return NULL;
}

// Runs the group of the lowest lane of *todo until its next backward branch, or until it waits. Its lanes
// leave *todo. False: the CTA makes progress, or no steps are left.
static bool watch_turn(Warp *warp, uint32_t *todo, uint64_t *left) {
  Worker *worker = warp->block->worker;
  uint32_t lane = lowest_lane(*todo);
  for (LaneGroup *group = group_of(warp, lane); *left > 0;) {
    --*left;
    const Insn *insn = &warp->block->program->code.at[group->pc];
    uint32_t pc = group->pc, mask = group->mask & (predicate_at(warp, insn->guard) ^ insn->guard_flip);
    if (mask && !is_function(insn)) return false;
    uint32_t leader = lowest_lane(group->mask);
    keep_read(warp, insn, leader, mask);
    warp_step(warp, group);
    worker->clock++;
    if (worker->fault.set || worker->changed) return false;
    keep_value(warp, insn, leader);
    group = group_of(warp, lane);
    if (!group) return false;
    if (group->state == GROUP_READY && group->pc > pc) continue;
    *todo &= ~group->mask;
    return true;
  }
  return false;
}

// Each group of lanes runs once. Waits at mbarriers time out.
static bool watch_warps(Block *block, uint64_t *left) {
  for (uint32_t w = 0; w < block->warp_count; w++) {
    Warp *warp = &block->warps[w];
    uint32_t todo = 0;
    for (uint32_t g = 0; g < warp->n; g++) {
      LaneGroup *group = &warp->groups[g];
      if (group->state == GROUP_AT_MBARRIER) group->timed_out = true, group->state = GROUP_READY;
      if (group->state == GROUP_READY) todo |= group->mask;
    }
    while (todo)
      if (!watch_turn(warp, &todo, left)) return false;
  }
  return true;
}

static bool watch_round(Block *block, uint64_t *left) {
  for (uint32_t i = 0; i < cluster_size(block); i++)
    if (!watch_warps(cluster_block(block, i), left)) return false;
  return true;
}

// ---- the watch ----

// Detects a repeated state. Compares with the state after 1, 2, 4 ... rounds (Brent's cycle detection).
static bool comes_back(Block *block, bool expected, uint64_t *left) {
  Watch *watch = block->worker->watch;
  uint64_t most = *left, lap = 0, length = 1;
  while (!expected && *left > most - most / 4) // most CTAs make progress here: no state is kept
    if (!watch_round(block, left)) return false;
  keep_state(watch, block);
  while (watch_round(block, left)) {
    if (same_state(watch, block)) return true;
    if (++lap < length) continue;
    keep_state(watch, block);
    lap = 0;
    length *= 2;
  }
  return false;
}

bool watch_stir(Block *block) {
  if (async_pending(block)) {
    async_finish(block);
    return true;
  }
  return block_release_alone(block);
}

WatchResult watch_block(Block *block, bool expected) {
  Worker *worker = block->worker;
  block->wakes_in_vain = false;
  if (!open_watch(block)) return WATCH_MOVES;
  uint32_t n = cluster_size(block);
  if (!block->watch_steps) block->watch_steps = FIRST_STEPS + WARP_STEPS * n * block->warp_count;
  uint64_t left = block->watch_steps;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t w = 0; w < block->warp_count; w++)
      memset(cluster_block(block, i)->warps[w].spins, 0, sizeof block->warps[w].spins);
  worker->changed = false;
  worker->watching = true;
  bool back = comes_back(block, expected || block->spins, &left);
  worker->watching = false;
  if (!back) {
    if (left == 0 && block->watch_steps < MAX_WATCH_STEPS) block->watch_steps *= 2;
    return WATCH_MOVES;
  }
  if (worker->watch->reads_global) return WATCH_SPINS;
  return watch_stir(block) ? WATCH_MOVES : WATCH_STUCK;
}
