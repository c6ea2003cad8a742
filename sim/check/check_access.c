// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes accesses to global and shared memory on to the race checker.
#include "sim/check/check_parts.h"
#include "sim/check/facts.h"
#include "sim/exec/exec.h"

// The lanes that run together with those of `mask` while they execute `insn`.
static uint32_t group_of(const Warp *warp, const Insn *insn, uint32_t mask) {
  if (warp->n == 1) return warp->groups[0].mask;
  uint32_t pc = insn_index(warp, insn);
  for (uint32_t i = 0; i < warp->n; i++)
    if (warp->groups[i].pc == pc && !(mask & ~warp->groups[i].mask)) return warp->groups[i].mask;
  return mask;
}

static bool has_access(const Insn *insn) { return access_of(insn) != TILEC_SIM_ACCESS_NONE; }

static void actor_open(Actor *actor, Warp *warp, const Insn *insn, uint32_t mask, PtxSpace space) {
  const LaunchChecker *checker = checker_of(warp);
  const View *view = &warp_check(warp)->view;
  uint32_t info = insn_index(warp, insn);
  if (has_access(insn) && insn->u.access->order != ORDER_WEAK)
    info |= (uint32_t)MARK_STRONG | (insn->u.access->scope == SCOPE_CTA ? MARK_BLOCK : 0);
  uint32_t first = block_check(warp->block)->first, own = warp_strand(warp);
  *actor = (Actor){.warp = warp,
                   .insn = insn,
                   .space = space,
                   .mark = {first + own, view->at[own], info},
                   .lanes = mask,
                   .group = group_of(warp, insn, mask),
                   .converged = warp_check(warp)->converged,
                   .first = first,
                   .warps = checker->warps,
                   .strands = checker->strands,
                   .own = own,
                   .base = block_check(warp->block)->base,
                   .block_strands = checker->block_strands,
                   .block = warp->block,
                   .seen = view->at,
                   .foreign = view->seen};
}

// The shadow for an address's space or allocation. *offset is the address relative to it.
static Shadow *shadow_of(LaunchChecker *checker, const Block *owner, PtxSpace space, uint64_t address,
                         uint64_t *offset) {
  *offset = address;
  if (space == SPACE_SHARED) return &block_check(owner)->shared;
  const Memory *memory = checker->launch->memory;
  const Allocation *allocation = &memory->at[checker->last];
  if (address - allocation->base >= allocation->size || address < allocation->base) {
    allocation = memory_below(memory, address);
    if (!allocation || address - allocation->base >= allocation->size) return NULL;
    checker->last = (size_t)(allocation - memory->at);
  }
  *offset = address - allocation->base;
  Shadow *shadow = &checker->global[checker->last];
  if (!shadow->pages && !shadow_open(shadow, allocation->size, false)) return NULL;
  return shadow;
}

// The shadow covers the whole run, because allocations are far apart.
static void touch_bytes(LaunchChecker *checker, Actor *actor, HookAccess access, ByteRun run) {
  Shadow *shadow = shadow_of(checker, actor->block, actor->space, run.address, &run.offset);
  if (shadow && run.bytes <= shadow->bytes - run.offset)
    race_run(actor, shadow, &run, access);
  else
    checker->failed = true;
}

// The lanes with the lane's address.
static uint32_t lanes_sharing(const HookLanes *lanes, uint32_t lane) {
  uint32_t same = 0;
  for (uint32_t l = 0; l < LANES; l++)
    if ((lanes->mask >> l & 1) && lanes->addresses[l] == lanes->addresses[lane]) same |= 1u << l;
  return same;
}

// The lanes that have an address with another one. Usually addresses rise, so that there are none.
static uint32_t lanes_shared(const HookLanes *lanes) {
  uint64_t last = 0;
  uint32_t shared = 0;
  bool rise = true;
  for (uint32_t l = 0; l < LANES && rise; l++)
    if (lanes->mask >> l & 1) rise = lanes->addresses[l] > last || l == 0, last = lanes->addresses[l];
  for (uint32_t l = 0; l < LANES && !rise; l++)
    if (lanes->mask & ~shared & 1u << l) {
      uint32_t same = lanes_sharing(lanes, l);
      if (same & (same - 1)) shared |= same;
    }
  return shared;
}

// h[x[i]] += 1: the lanes with one element load it, add to it and store it together.
static void lost_updates(LaunchChecker *checker, Actor *actor, const HookLanes *lanes, uint32_t shared) {
  if (lanes->insn->exec != exec_store || (actor->mark.info & MARK_STRONG)) return;
  while (shared) {
    uint32_t lane = lowest_lane(shared), same = lanes_sharing(lanes, lane);
    ByteRun run = {.address = lanes->addresses[lane], .bytes = lanes->bytes, .lane = lane};
    shared &= ~same;
    Shadow *shadow = shadow_of(checker, actor->block, actor->space, run.address, &run.offset);
    if (shadow && run.bytes <= shadow->bytes - run.offset) race_lost_update(actor, shadow, &run, same);
  }
}

// Neighbouring lanes with neighbouring addresses become one run.
static void touch_runs(LaunchChecker *checker, Actor *actor, const HookLanes *lanes, uint8_t element) {
  uint32_t shared = lanes->access == HOOK_ATOMIC ? 0 : lanes_shared(lanes);
  if (shared && lanes->access == HOOK_WRITE) lost_updates(checker, actor, lanes, shared);
  for (uint32_t l = 0; l < LANES;) {
    uint32_t first = l;
    if (!(lanes->mask >> l++ & 1)) continue;
    while (l < LANES && (lanes->mask >> l & 1) &&
           lanes->addresses[l] == lanes->addresses[l - 1] + lanes->bytes)
      l++;
    ByteRun run = {.address = lanes->addresses[first],
                   .bytes = (uint64_t)(l - first) * lanes->bytes,
                   .lane = first,
                   .element = element,
                   .shared = shared >> first & 1};
    touch_bytes(checker, actor, lanes->access, run);
  }
}

void hook_access(void *context, const HookLanes *lanes) {
  LaunchChecker *checker = context;
  Actor actor;
  uint8_t element = 0;
  bool strong = has_access(lanes->insn) && lanes->insn->u.access->order != ORDER_WEAK;
  if (strong) sync_acquire(lanes);
  actor_open(&actor, lanes->warp, lanes->insn, lanes->mask, lanes->space);
  actor.addresses = lanes->addresses;
  if (lanes->space == SPACE_SHARED && lanes->block != lanes->warp->block) {
    actor.block = lanes->block;
    visit_peer(lanes->warp, lanes->insn, lanes->mask, lanes->block,
               lanes->addresses[lowest_lane(lanes->mask)], actor.own, actor.mark.clock);
  }
  while (1u << element < lanes->bytes) element++;
  touch_runs(checker, &actor, lanes, element);
  checker->failed |= actor.failed;
  if (strong) sync_release(lanes);
}

static void report_beyond(const HookRange *range) {
  uint64_t address = range->address + range->bytes - range->beyond;
  Report *report =
      report_new(range->warp, range->insn, range->lanes, TILEC_SIM_OUT_OF_BOUNDS, address, UINT32_MAX);
  if (!report) return;
  report->api.is_global = false; // the bytes name the buffer; the text would not fit bytes past its end
  report_message(
      report,
      "out of bounds: a tensor %s changes %u bytes after the end of its tensor's row, as the hardware writes "
      "whole chunks of 16 bytes",
      range->access == HOOK_ATOMIC ? "reduction" : "store", (unsigned)range->beyond);
}

void hook_range(void *context, const HookRange *range) {
  LaunchChecker *checker = context;
  Actor actor;
  uint32_t lane = lowest_lane(range->lanes);
  if (!range->bytes) return;
  actor_open(&actor, range->warp, range->insn, range->lanes, range->space);
  if (range->proxy == HOOK_ASYNC) {
    actor.proxy = view_part(&warp_check(range->warp)->view, CLOCK_PROXY, checker->strands);
    actor.mark.info |= MARK_ASYNC;
  }
  if (range->op) {
    uint32_t strand;
    async_event(range->op, lane, range->access != HOOK_READ, &strand, &actor.mark.clock);
    actor.mark.strand = actor.first + strand;
  }
  const Block *signalled =
      range->op && range->op->group_kind == ASYNC_GROUP_NONE ? range->op->at : range->block;
  if (range->space == SPACE_SHARED && range->block &&
      (range->block != range->warp->block || range->block != signalled)) {
    actor.block = range->block;
    visit_peer(range->warp, range->insn, range->lanes, range->block, range->address,
               actor.mark.strand - actor.first, actor.mark.clock);
  }
  ByteRun run = {.address = range->address, .bytes = range->bytes, .lane = lane, .element = ONE_LANE};
  touch_bytes(checker, &actor, range->access, run);
  checker->failed |= actor.failed;
  if (range->beyond) report_beyond(range);
}
