// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordering through memory and fences (PTX ISA chapter 8). A release publishes the warp's clocks at an
// address, and an acquire reads them. Also tracks reconvergence of a warp's lanes.
//
// A fence releases the clocks that the warp knows, at the fence's scope. A later relaxed write publishes
// them. Barriers pass on clocks that fences released. So one thread's flag can publish for a CTA whose
// threads fenced before a barrier. Relaxed reads keep the clocks they found until the next fence acquires
// them.
#include <stdlib.h>
#include "sim/check/check_parts.h"

// ---- the table ----

// The number of elements of a lane's access. Each synchronises separately. A packed pair counts as two.
static uint32_t elements_of(const HookLanes *lanes) {
  const MemoryAccess *access = lanes->insn->u.access;
  return access->type == PTX_F16X2 || access->type == PTX_BF16X2 ? 2 * access->count : access->count;
}

static uint64_t key_of(const HookLanes *lanes, uint32_t lane, uint32_t element) {
  uint64_t address = lanes->addresses[lane] + element * (lanes->bytes / elements_of(lanes));
  if (lanes->space != SPACE_SHARED) return address;
  return (uint64_t)1 << 63 | (uint64_t)lanes->block->index << CLUSTER_SHIFT | address;
}

static Released *slot_for(Released *table, uint32_t cap, uint64_t key) {
  uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (cap - 1);
  while (table[at].key && table[at].key != key) at = (at + 1) & (cap - 1);
  return &table[at];
}

static bool grow_released(LaunchChecker *checker) {
  uint32_t cap = checker->released_cap ? 2 * checker->released_cap : 64;
  Released *table = calloc(cap, sizeof *table);
  if (!table) return false;
  for (uint32_t i = 0; i < checker->released_cap; i++)
    if (checker->released[i].key) *slot_for(table, cap, checker->released[i].key) = checker->released[i];
  free(checker->released);
  checker->released = table;
  checker->released_cap = cap;
  return true;
}

static Released *released_at(LaunchChecker *checker, uint64_t key, bool make) {
  if (!make && !checker->released_n) return NULL;
  if (make && 2 * checker->released_n >= checker->released_cap && !grow_released(checker)) {
    checker->failed = true;
    return NULL;
  }
  Released *slot = slot_for(checker->released, checker->released_cap, key);
  if (slot->key) return slot;
  if (!make) return NULL;
  slot->key = key;
  checker->released_n++;
  return slot;
}

void sync_free(LaunchChecker *checker) {
  for (uint32_t i = 0; i < checker->released_cap; i++) {
    foreign_drop(checker->released[i].system);
    foreign_drop(checker->released[i].wide);
    foreign_drop(checker->released[i].narrow);
  }
  free(checker->released);
}

// ---- acquire ----

static void join(Foreign **to, Foreign *from, bool *failed) {
  Foreign *joined = foreign_join(*to, from, failed);
  foreign_drop(*to);
  *to = joined;
}

// The warp learns the clocks in `known`, including those about its CTA.
static void learn(Warp *warp, Foreign *known) {
  LaunchChecker *checker = checker_of(warp);
  View *view = &warp_check(warp)->view;
  uint32_t first = block_check(warp->block)->first;
  for (uint32_t i = 0; i < foreign_count(known); i++) {
    Event event = foreign_at(known, i);
    uint32_t strand = event.strand - first;
    if (strand < checker->strands && view->at[strand] < event.clock) view->at[strand] = event.clock;
  }
  join(&view->seen, known, &checker->failed);
}

static bool acquires(MemoryOrder order) { return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL; }
static bool releases(MemoryOrder order) { return order == ORDER_RELEASE || order == ORDER_ACQ_REL; }

static void acquire_at(const HookLanes *lanes, uint64_t key) {
  Warp *warp = lanes->warp;
  LaunchChecker *checker = checker_of(warp);
  const MemoryAccess *access = lanes->insn->u.access;
  Released *released = released_at(checker, key, false);
  if (!released) return;
  bool here = released->device == warp->block->device;
  Foreign *met[] = {released->block == warp->block->index ? released->narrow : NULL,
                    access->scope >= SCOPE_DEVICE && here ? released->wide : NULL,
                    access->scope == SCOPE_SYSTEM ? released->system : NULL};
  WarpCheck *check = warp_check(warp);
  Foreign **later[] = {&check->pending, &check->pending, &check->pending_system};
  for (int i = 0; i < 3; i++)
    if (met[i] && acquires(access->order))
      learn(warp, met[i]);
    else if (met[i])
      join(later[i], met[i], &checker->failed);
}

void sync_acquire(const HookLanes *lanes) {
  if (lanes->access == HOOK_WRITE || !checker_of(lanes->warp)->released_n) return;
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t i = 0; lanes->mask >> l & 1 && i < elements_of(lanes); i++)
      acquire_at(lanes, key_of(lanes, l, i));
}

// ---- release ----

// The clocks that the warp releases: all it knows, or those that its fences have released.
static Foreign *released_by(const Warp *warp, ClockPart part, Foreign *others, bool *failed) {
  const LaunchChecker *checker = checker_of(warp);
  const View *view = &warp_check(warp)->view;
  Foreign *own = foreign_make(block_check(warp->block)->first, view_part(view, part, checker->strands),
                              checker->strands, failed);
  Foreign *all = foreign_join(own, others, failed);
  foreign_drop(own);
  return all;
}

// The data that a release publishes for other devices.
static Foreign *system_released(const Warp *warp, const MemoryAccess *access, Foreign *all) {
  const Launch *launch = checker_of(warp)->launch;
  if (launch->devices == 1 || access->scope != SCOPE_SYSTEM) return NULL;
  return releases(access->order) ? all : warp_check(warp)->view.system;
}

// An atomic adds to the clocks released at the address. A store replaces them.
static void put_released(Foreign **to, Foreign *released, bool continues, bool *failed) {
  if (!continues) {
    foreign_drop(*to);
    *to = NULL;
  }
  join(to, released, failed);
}

void sync_release(const HookLanes *lanes) {
  Warp *warp = lanes->warp;
  LaunchChecker *checker = checker_of(warp);
  const WarpCheck *check = warp_check(warp);
  const MemoryAccess *access = lanes->insn->u.access;
  bool release = releases(access->order), atomic = lanes->access == HOOK_ATOMIC;
  if (lanes->access == HOOK_READ || (!release && !check->fenced && !checker->released_n)) return;
  Foreign *narrow =
      released_by(warp, release ? CLOCK_SEEN : CLOCK_RELEASED_BLOCK, check->view.seen, &checker->failed);
  Foreign *wide = access->scope == SCOPE_CTA ? NULL
                  : release                  ? foreign_keep(narrow)
                            : released_by(warp, CLOCK_RELEASED, check->view.released, &checker->failed);
  Foreign *system = system_released(warp, access, narrow);
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t i = 0; lanes->mask >> l & 1 && i < elements_of(lanes); i++) {
      Released *at = released_at(checker, key_of(lanes, l, i), release || check->fenced);
      if (!at) continue;
      put_released(&at->narrow, narrow, atomic && at->block == warp->block->index, &checker->failed);
      put_released(&at->wide, wide, atomic && at->device == warp->block->device, &checker->failed);
      put_released(&at->system, system, atomic, &checker->failed);
      at->block = warp->block->index;
      at->device = warp->block->device;
    }
  foreign_drop(narrow);
  foreign_drop(wide);
  if (release) warp_tick(warp);
}

// ---- fences ----

static void part_copy(View *view, ClockPart part, uint32_t strands) {
  memcpy(view_part(view, part, strands), view->at, strands * sizeof *view->at);
}

static void take_pending(Warp *warp, Foreign **pending) {
  if (*pending) learn(warp, *pending);
  foreign_drop(*pending);
  *pending = NULL;
}

static void thread_fence(Warp *warp, const Insn *insn) {
  LaunchChecker *checker = checker_of(warp);
  WarpCheck *check = warp_check(warp);
  take_pending(warp, &check->pending);
  if (fence_scope(insn) == SCOPE_SYSTEM) take_pending(warp, &check->pending_system);
  check->fenced = true;
  part_copy(&check->view, CLOCK_RELEASED_BLOCK, checker->strands);
  if (fence_scope(insn) != SCOPE_CTA) {
    part_copy(&check->view, CLOCK_RELEASED, checker->strands);
    foreign_drop(check->view.released);
    check->view.released = foreign_keep(check->view.seen);
  }
  if (fence_scope(insn) == SCOPE_SYSTEM && checker->launch->devices > 1) {
    foreign_drop(check->view.system);
    check->view.system = released_by(warp, CLOCK_SEEN, check->view.seen, &checker->failed);
  }
  warp_tick(warp);
}

// Orders accesses through multicast addresses and others of the same memory. A later thread that is ordered after
// this one may rely on it.
static void alias_fence(Warp *warp) {
  LaunchChecker *checker = checker_of(warp);
  if (!checker->aliases) return;
  Foreign *known = released_by(warp, CLOCK_SEEN, warp_check(warp)->view.seen, &checker->failed);
  join(&checker->aliased, known, &checker->failed);
  foreign_drop(known);
  warp_tick(warp);
}

void hook_fence(void *context, Warp *warp, const Insn *insn, uint32_t mask, HookFence fence) {
  const LaunchChecker *checker = context;
  (void)mask;
  if (fence == HOOK_FENCE_WGMMA) warp_check(warp)->wgmma_fenced = warp->executed;
  if (fence == HOOK_FENCE_MBARRIER_INIT) mbarriers_fence(warp);
  if (fence == HOOK_FENCE_ALIAS) alias_fence(warp);
  if (fence == HOOK_FENCE_TCGEN05_BEFORE || fence == HOOK_FENCE_TCGEN05_AFTER) tmem_fence(warp, fence);
  if (fence == HOOK_FENCE_THREAD)
    thread_fence(warp, insn);
  else if (fence == HOOK_FENCE_ASYNC || fence == HOOK_FENCE_ASYNC_SHARED ||
           fence == HOOK_FENCE_ASYNC_GLOBAL) {
    part_copy(&warp_check(warp)->view, CLOCK_PROXY, checker->strands);
    warp_tick(warp);
  }
}

// ---- lanes of a warp ----

// Every lane of `mask` learns all that any of them knows.
static void join_clocks(WarpCheck *check, uint32_t mask, uint32_t clock) {
  uint32_t known[LANES] = {0};
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t a = 0; (mask >> l & 1) && a < LANES; a++)
      if (known[a] < check->lanes[l][a]) known[a] = check->lanes[l][a];
  for (uint32_t a = 0; a < LANES; a++)
    if (mask >> a & 1) known[a] = clock;
  for (uint32_t l = 0; l < LANES; l++)
    if (mask >> l & 1) memcpy(check->lanes[l], known, sizeof known);
}

static void met(LaunchChecker *checker, Warp *warp, uint32_t mask) {
  WarpCheck *check = warp_check(warp);
  uint32_t clock = check->view.at[warp_strand(warp)];
  if (mask == warp->live)
    check->converged = clock;
  else {
    if (!check->lanes) check->lanes = calloc(LANES, sizeof *check->lanes);
    if (check->lanes)
      join_clocks(check, mask, clock);
    else
      checker->failed = true;
  }
  warp_tick(warp);
}

void hook_split(void *context, Warp *warp, uint32_t mask) { met(context, warp, mask); }
void hook_join(void *context, Warp *warp, uint32_t a, uint32_t b) { met(context, warp, a | b); }
