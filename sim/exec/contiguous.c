// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/exec/contiguous.h"

#include "sim/machine/hooks.h"
#include "sim/machine/lanes.h"

static inline bool is_contiguous(const uint64_t *addresses, uint64_t bytes) {
  uint64_t differ = 0;
  for (uint32_t l = 1; l < LANES; l++) differ |= (addresses[l] - addresses[l - 1]) ^ bytes;
  return differ == 0;
}

static inline bool is_contiguous32(const uint32_t *addresses, uint32_t bytes) {
  uint32_t differ = 0;
  for (uint32_t l = 1; l < LANES; l++) differ |= (addresses[l] - addresses[l - 1]) ^ bytes;
  return differ == 0;
}

static void notify_checker(Warp *warp, const Insn *insn, PtxSpace space, uint64_t first, uint64_t bytes, bool writes) {
  uint64_t addresses[LANES];
  for (uint32_t l = 0; l < LANES; l++) addresses[l] = first + l * bytes;
  sim_hook_access(warp, insn, ALL_LANES, space, writes ? HOOK_WRITE : HOOK_READ, addresses, (uint32_t)bytes);
}

SIM_LANES unsigned char *resolve_contiguous(Warp *warp, const Insn *insn, uint32_t mask, bool writes) {
  const MemoryAccess *access = insn->u.access;
  const void *base = lanes_at(warp, insn->src[0]);
  Block *block = warp->block;
  Worker *worker = block->worker;
  uint64_t bytes = (uint64_t)access->bytes * access->count, all = LANES * bytes, first;
  if (mask != ALL_LANES) return NULL;
  if (access->address64 ? !is_contiguous(base, bytes) : !is_contiguous32(base, (uint32_t)bytes)) return NULL;
  if (access->address64)
    first = *(const uint64_t *)base + (uint64_t)access->offset;
  else
    first = *(const uint32_t *)base + (uint32_t)access->offset;
  if (first & (bytes - 1)) return NULL;
  PtxSpace space = access->space;
  if (space == SPACE_GENERIC) space = first < PARAM_WINDOW ? SPACE_GLOBAL : SPACE_SHARED;
  if (space == SPACE_SHARED) {
    if (block->peers) return NULL;
    if (access->space == SPACE_GENERIC) first -= SHARED_WINDOW; // another window: far beyond its size
    if (first > block->shared_bytes || all > block->shared_bytes - first) return NULL;
    counters_shared_contiguous(&worker->by_site[insn->site], (uint32_t)bytes);
    if (worker->launch->hooks) notify_checker(warp, insn, SPACE_SHARED, first, bytes, writes);
    return block->shared + first;
  }
  if (space != SPACE_GLOBAL && space != SPACE_CONST) return NULL;
  const Allocation *allocation = memory_find(worker->launch->memory, &worker->cache, first, all);
  if (!allocation || (writes && allocation->read_only)) return NULL;
  counters_global_contiguous(&worker->by_site[insn->site], first, (uint32_t)bytes);
  if (worker->launch->hooks) notify_checker(warp, insn, SPACE_GLOBAL, first, bytes, writes);
  if (writes && allocation->written) allocation_mark(allocation, first - allocation->base, all);
  return allocation->host + (first - allocation->base);
}
