// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/tmem.h"

#include "sim/exec/tcgen05.h"
#include "sim/machine/hooks.h"
#include "sim/machine/lanes.h"
#include "sim/machine/resolve.h"

void tmem_start(Tmem *tmem) {
  memset(tmem->allocations, 0, sizeof tmem->allocations);
  tmem->least = 0;
  tmem->relinquished = tmem->granted = false;
  tmem->asked.columns = 0;
}

static void wake(Block *block) {
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++)
      if (block->warps[w].groups[g].state == GROUP_AT_TMEM) block->warps[w].groups[g].state = GROUP_READY;
}

static bool is_free(const Tmem *tmem, uint32_t column, uint32_t columns) {
  for (uint32_t i = 0; i < TMEM_ALLOCATIONS; i++) {
    const TmemAllocation *a = &tmem->allocations[i];
    if (a->columns && column < a->column + a->columns && a->column < column + columns) return false;
  }
  return true;
}

// The first columns that are free in both, from the top if `down`: code must not rely on an address that it was not
// given.
static bool find_columns(const Tmem *tmem, const Tmem *other, uint32_t columns, bool down, uint32_t *column) {
  for (uint32_t i = 0; i + columns <= CHIP_TMEM_COLUMNS; i += CHIP_TMEM_UNIT) {
    *column = down ? CHIP_TMEM_COLUMNS - columns - i : i;
    if (is_free(tmem, *column, columns) && is_free(other, *column, columns)) return true;
  }
  return false;
}

// The operand, which must be the same in all lanes.
static bool uniform(Warp *warp, const Insn *insn, uint32_t mask, uint32_t slot, const char *what,
                    uint32_t *value) {
  const uint32_t *lanes = lanes_at(warp, slot);
  *value = lanes[lowest_lane(mask)];
  for (uint32_t l = 0; l < LANES; l++)
    if ((mask >> l & 1) && lanes[l] != *value)
      return warp_fault(warp, insn, 1u << l, TILEC_SIM_TMEM, 0, "the %s differs between lanes", what);
  return true;
}

static bool count_fits(Warp *warp, const Insn *insn, uint32_t mask, uint32_t columns) {
  if (columns >= CHIP_TMEM_UNIT && columns <= CHIP_TMEM_COLUMNS && !(columns & (columns - 1))) return true;
  return warp_fault(warp, insn, mask, TILEC_SIM_TMEM, 0,
                    "%u columns of tensor memory: the number must be a power of two from %d to %d", columns,
                    CHIP_TMEM_UNIT, CHIP_TMEM_COLUMNS);
}

static bool may_allocate(Warp *warp, const Insn *insn, uint32_t mask, uint32_t columns) {
  const Tmem *tmem = warp->block->tmem;
  if (!count_fits(warp, insn, mask, columns)) return false;
  if (tmem->relinquished)
    warp_fault(warp, insn, mask, TILEC_SIM_TMEM, 0,
               "an allocation of tensor memory after tcgen05.relinquish_alloc_permit");
  else if (tmem->least && columns > tmem->least)
    warp_fault(warp, insn, mask, TILEC_SIM_TMEM, 0,
               "%u columns of tensor memory after %u: a CTA's later allocation must not be larger", columns,
               tmem->least);
  else
    return true;
  return false;
}

static void take_columns(Tmem *tmem, TmemAllocation allocation) {
  TmemAllocation *free_one = tmem->allocations;
  while (free_one->columns) free_one++;
  *free_one = allocation;
  tmem->least = allocation.columns;
  memset(tmem->words[allocation.column], 0xff,
         allocation.columns * sizeof *tmem->words); // NaN in every format
}

// The warp's part of .cta_group::2. The second warp of the pair takes the columns for both. False: it must wait for
// the other one, or for columns.
static bool allocate_pair(Warp *warp, const Insn *insn, uint32_t mask, uint32_t columns, uint32_t *column) {
  Block *peer = cluster_block(warp->block, warp->block->rank ^ 1);
  Tmem *tmem = warp->block->tmem, *other = peer->tmem;
  TmemAllocation asked = {0, columns, (uint32_t)(insn - warp->block->program->code.at), warp->index};
  bool down = warp->block->worker->launch->descending;
  if (!tmem->granted) {
    tmem->asked = asked;
    if (!other->asked.columns || other->granted) return false;
    if (other->asked.columns != columns) {
      warp_fault(warp, insn, mask, TILEC_SIM_TMEM, 0,
                 "the CTAs of a pair allocate %u and %u columns of tensor memory together", columns,
                 other->asked.columns);
      return true;
    }
    if (!find_columns(tmem, other, columns, down, column)) return false;
    tmem->asked.column = other->asked.column = *column;
    take_columns(tmem, tmem->asked);
    take_columns(other, other->asked);
    other->granted = true;
    wake(peer);
  }
  *column = tmem->asked.column;
  tmem->granted = false;
  tmem->asked.columns = 0;
  return true;
}

// src[0]: columns. u.address: the word of shared memory that gets the address.
static bool allocate(Warp *warp, const Insn *insn, uint32_t mask) {
  Tmem *tmem = warp->block->tmem;
  uint32_t columns, column, lane = lowest_lane(mask),
                            index = (uint32_t)(insn - warp->block->program->code.at);
  Place place;
  if (!uniform(warp, insn, mask, insn->src[0], "number of columns", &columns) ||
      (!tmem->granted && !may_allocate(warp, insn, mask, columns)) ||
      !resolve_operand(warp, insn, lane, insn->u.address, 4, 4, true, &place))
    return true;
  if (place.space != SPACE_SHARED) {
    warp_fault(warp, insn, mask, TILEC_SIM_TMEM, place.address, "tcgen05.alloc writes to shared memory only");
    return true;
  }
  if (insn->count == 2) {
    if (!allocate_pair(warp, insn, mask, columns, &column)) return false;
    if (warp->block->worker->fault.set) return true;
  } else {
    if (!find_columns(tmem, tmem, columns, warp->block->worker->launch->descending, &column)) return false;
    take_columns(tmem, (TmemAllocation){column, columns, index, warp->index});
  }
  memcpy(place.host, &column, sizeof column);
  HookRange range = {.warp = warp, .insn = insn, .lanes = mask, .space = SPACE_SHARED, .access = HOOK_WRITE};
  range.address = place.address;
  range.bytes = sizeof column;
  sim_hook_range(&range);
  sim_hook_tmem_change(warp, insn, mask, column, columns);
  return true;
}

// src[0]: columns. src[1]: the address.
static void deallocate(Warp *warp, const Insn *insn, uint32_t mask) {
  Tmem *tmem = warp->block->tmem;
  uint32_t columns, address;
  if (!uniform(warp, insn, mask, insn->src[0], "number of columns", &columns) ||
      !uniform(warp, insn, mask, insn->src[1], "address of tensor memory", &address) ||
      !count_fits(warp, insn, mask, columns))
    return;
  for (uint32_t i = 0; i < TMEM_ALLOCATIONS; i++) {
    TmemAllocation *a = &tmem->allocations[i];
    if (a->columns != columns || a->column != address) continue;
    sim_hook_tmem_change(warp, insn, mask, a->column, columns);
    a->columns = 0;
    wake(warp->block);
    if (insn->count == 2) wake(cluster_block(warp->block, warp->block->rank ^ 1));
    return;
  }
  warp_fault(warp, insn, mask, TILEC_SIM_TMEM, address,
             "no allocation of %u columns of tensor memory is at address 0x%x", columns, address);
}

bool tmem_change(Warp *warp, const Insn *insn, uint32_t mask) {
  Tmem *tmem = warp->block->tmem;
  warp->block->worker->changed = true;
  if (!cta_group_fits(warp, insn, mask)) return true;
  sim_hook_warp_sync(warp, insn, mask);
  switch ((TmemChange)insn->extra) {
  case TMEM_ALLOC: return allocate(warp, insn, mask);
  case TMEM_DEALLOC: deallocate(warp, insn, mask); break;
  case TMEM_RELINQUISH:
    tmem->relinquished = true;
    sim_hook_tmem_change(warp, insn, mask, 0, 0);
    break;
  }
  return true;
}

bool tmem_reach(Warp *warp, const Insn *insn, uint32_t mask, const Block *block, TmemRange range,
                const char *what) {
  const Tmem *tmem = block->tmem;
  uint32_t at = range.first, column = range.first, columns = range.count;
  for (uint32_t i = 0; at < column + columns && i < TMEM_ALLOCATIONS; i++) {
    const TmemAllocation *a = &tmem->allocations[i];
    if (!a->columns || at < a->column || at >= a->column + a->columns) continue;
    at = a->column + a->columns;
    i = UINT32_MAX; // from the first again
  }
  if (at >= column + columns) return true;
  return warp_fault(warp, insn, mask, TILEC_SIM_TMEM, at,
                    "%s column %u of tensor memory, which is not allocated", what, at);
}
