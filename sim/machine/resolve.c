// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/resolve.h"

#include "base/text.h"
#include "sim/machine/hooks.h"
#include "sim/machine/lanes.h"

// Addresses of shared memory have 32 bits: larger ones are truncated (PTX ISA 6.4.1).
static const uint64_t SHARED_ADDRESS = UINT32_MAX;

static void addresses_of(Warp *warp, const Insn *insn, uint64_t *addresses) {
  const MemoryAccess *access = insn->u.access;
  if (access->address64) {
    const uint64_t *base = lanes_at(warp, insn->src[0]);
    for (int l = 0; l < LANES; l++) addresses[l] = base[l] + (uint64_t)access->offset;
    for (int l = 0; l < LANES && access->space == SPACE_SHARED; l++) addresses[l] &= SHARED_ADDRESS;
  } else {
    const uint32_t *base = lanes_at(warp, insn->src[0]);
    for (int l = 0; l < LANES; l++) addresses[l] = base[l] + (uint32_t)access->offset;
  }
}

static uint32_t lowest(uint32_t mask) {
  uint32_t l = 0;
  while (l < LANES - 1 && !(mask >> l & 1)) l++;
  return l;
}

static const char *verb(const Insn *insn, bool writes) {
  if (insn->u.access->multimem) return "multimem access of";
  if (insn->u.access->atomic) return "atomic on";
  return writes ? "store of" : "load of";
}

static void fault_misaligned(Warp *warp, const Insn *insn, const uint64_t *addresses, uint32_t mask,
                             uint32_t bytes, bool writes) {
  uint32_t bad = 0;
  for (int l = 0; l < LANES; l++) bad |= (uint32_t)((mask >> l & 1) && addresses[l] % bytes) << l;
  uint64_t at = addresses[lowest(bad)];
  warp_fault(warp, insn, bad, TILEC_SIM_MISALIGNED, at,
             "%s %u bytes at 0x%llx, which is not a multiple of %u", verb(insn, writes), bytes,
             (unsigned long long)at, bytes);
}

// "variable 'app::table' of 32 bytes", or "the allocation of 32 bytes at 0x1000300300"
static char *describe(const Allocation *allocation) {
  unsigned long long bytes = allocation->size;
  return allocation->name.n ? text_make("variable '%.*s' of %llu bytes", STR_ARG(allocation->name), bytes)
                            : text_make("the allocation of %llu bytes at 0x%llx", bytes,
                                        (unsigned long long)allocation->base);
}

static void fault_global(Warp *warp, const Insn *insn, uint32_t bad, uint64_t at, uint32_t bytes,
                         bool writes) {
  const Memory *memory = warp->block->worker->launch->memory;
  if (memory_multicast_at(memory, at)) {
    warp_fault(
        warp, insn, bad, TILEC_SIM_MULTICAST, at,
        "%s %u bytes at 0x%llx, a multicast address: only multimem instructions may access it (PTX ISA "
        "9.7.9.14)",
        verb(insn, writes), bytes, (unsigned long long)at);
    return;
  }
  const Allocation *below = memory_below(memory, at), *above = memory_above(memory, at);
  uint64_t past = !below ? UINT64_MAX : at - below->base < below->size ? 0 : at - below->base - below->size;
  // No pointer of an argument is meant to point to a variable.
  uint64_t most = below && below->name.n ? (uint64_t)1 << 20 : (uint64_t)1 << 30;
  char *text = NULL;
  if (above && above->base - at < past && above->base - at < (uint64_t)1 << 16)
    warp_fault(warp, insn, bad, TILEC_SIM_OUT_OF_BOUNDS, at, "%s %u bytes at 0x%llx, %llu bytes before %s",
               verb(insn, writes), bytes, (unsigned long long)at, (unsigned long long)(above->base - at),
               text = describe(above));
  else if (below && at - below->base < below->size + most)
    warp_fault(warp, insn, bad, TILEC_SIM_OUT_OF_BOUNDS, at, "%s %u bytes at 0x%llx, %llu bytes into %s",
               verb(insn, writes), bytes, (unsigned long long)at, (unsigned long long)(at - below->base),
               text = describe(below));
  else
    warp_fault(warp, insn, bad, TILEC_SIM_OUT_OF_BOUNDS, at,
               "%s %u bytes at 0x%llx, where nothing is allocated", verb(insn, writes), bytes,
               (unsigned long long)at);
  text_free(text);
}

// "256 bytes into shared variable 'total::parts' of 256 bytes", or what else is known of an address of shared memory
// beyond its end.
static char *describe_shared(const Block *block, uint64_t at) {
  const Program *program = block->program;
  const SharedVar *below = NULL;
  for (uint32_t i = 0; i < program->shared_vars.n; i++) {
    const SharedVar *var = &program->shared_vars.at[i];
    if (var->offset <= at && (!below || var->offset >= below->offset)) below = var;
  }
  bool near = at < (uint64_t)1 << 20; // not a negative index, or an address of other memory
  if (near && program->uses_dynamic && at >= program->dynamic_shared)
    return text_make("%llu bytes into dynamic shared memory of %u bytes",
                     (unsigned long long)(at - program->dynamic_shared),
                     block->shared_bytes - program->dynamic_shared);
  if (near && below && !program->uses_dynamic)
    return text_make("%llu bytes into shared variable '%s' of %llu bytes",
                     (unsigned long long)(at - below->offset), below->name, (unsigned long long)below->bytes);
  return text_make("of %u bytes", block->shared_bytes);
}

// The host pointer for an access within the allocation.
static inline unsigned char *place_in(const Allocation *allocation, uint64_t address, uint64_t bytes,
                                      bool writes) {
  uint64_t offset = address - allocation->base;
  if (writes && allocation->written) allocation_mark(allocation, offset, bytes);
  return allocation->host + offset;
}

// Handles lanes that are all in one allocation, the common case, with one look-up. False: resolve lane by
// lane.
static bool resolve_together(Worker *worker, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                             bool writes, unsigned char **host) {
  uint64_t low = UINT64_MAX, high = 0;
  for (int l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    low = addresses[l] < low ? addresses[l] : low;
    high = addresses[l] > high ? addresses[l] : high;
  }
  if (high > UINT64_MAX - bytes) return false;
  const Allocation *allocation = memory_find(worker->launch->memory, &worker->cache, low, high - low + bytes);
  if (!allocation || (writes && allocation->read_only)) return false;
  for (int l = 0; l < LANES; l++)
    if (mask >> l & 1) host[l] = place_in(allocation, addresses[l], bytes, writes);
  return true;
}

static bool resolve_global(Warp *warp, const Insn *insn, const uint64_t *addresses, uint32_t mask,
                           uint32_t bytes, bool writes, unsigned char **host) {
  Worker *worker = warp->block->worker;
  if (resolve_together(worker, addresses, mask, bytes, writes, host)) return true;
  uint32_t bad = 0, constant = 0;
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    const Allocation *allocation = memory_find(worker->launch->memory, &worker->cache, addresses[l], bytes);
    if (!allocation)
      bad |= 1u << l;
    else if (writes && allocation->read_only)
      constant |= 1u << l;
    else
      host[l] = place_in(allocation, addresses[l], bytes, writes);
  }
  if (bad)
    fault_global(warp, insn, bad, addresses[lowest(bad)], bytes, writes);
  else if (constant)
    warp_fault(warp, insn, constant, TILEC_SIM_READ_ONLY, addresses[lowest(constant)],
               "a write to .const memory");
  return !(bad | constant);
}

// Resolves memory of `size` bytes at `base` (for lane l at base + l * stride).
static bool resolve_small(Warp *warp, const Insn *insn, const uint64_t *addresses, uint32_t mask,
                          uint32_t bytes, bool writes, unsigned char **host, unsigned char *base,
                          uint64_t size, uint64_t stride, const char *what) {
  uint32_t bad = 0;
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    if (addresses[l] > size || bytes > size - addresses[l])
      bad |= 1u << l;
    else
      host[l] = base + l * stride + addresses[l];
  }
  if (!bad) return true;
  uint64_t at = addresses[lowest(bad)];
  char *end = base == warp->block->shared ? describe_shared(warp->block, at)
                                          : text_make("of %llu bytes", (unsigned long long)size);
  warp_fault(warp, insn, bad, TILEC_SIM_OUT_OF_BOUNDS, at, "%s %u bytes at %s address %llu, %s",
             verb(insn, writes), bytes, what, (unsigned long long)at, end);
  text_free(end);
  return false;
}

// The CTA of a shared address of a cluster, and the address in its shared memory. `any`: it may be another
// CTA of the cluster. NULL: the fault is set.
static Block *resolve_cta(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address, bool any,
                          uint64_t *inside) {
  Block *block = warp->block;
  uint64_t rank = address >> CLUSTER_SHIFT;
  *inside = address;
  if (!block->peers) return block; // an address beyond its memory is out of bounds
  *inside = address & CLUSTER_OFFSET;
  if (rank == block->rank) return block;
  if (rank >= cluster_size(block))
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_OUT_OF_BOUNDS, address,
               "shared address 0x%llx belongs to CTA %llu of a cluster of %u", (unsigned long long)address,
               (unsigned long long)rank, cluster_size(block));
  else if (!any)
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_OUT_OF_BOUNDS, address,
               "shared address 0x%llx belongs to CTA %llu of the cluster, and this access of CTA %u is not "
               ".shared::cluster",
               (unsigned long long)address, (unsigned long long)rank, block->rank);
  else
    return block->peers[rank];
  return NULL;
}

// The lanes with addresses of one CTA of the cluster after another.
static bool resolve_cluster(Warp *warp, const Insn *insn, const uint64_t *addresses, uint32_t mask,
                            uint32_t bytes, bool writes, unsigned char **host) {
  const MemoryAccess *access = insn->u.access;
  bool any = access->cluster || access->space == SPACE_GENERIC;
  HookAccess kind = access->atomic ? HOOK_ATOMIC : writes ? HOOK_WRITE : HOOK_READ;
  for (uint32_t left = mask; left;) {
    uint64_t inside[LANES] = {0};
    uint32_t here = 0, first = lowest_lane(left);
    Block *owner = resolve_cta(warp, insn, first, addresses[first], any, &inside[first]);
    if (!owner) return false;
    for (uint32_t l = first; l < LANES; l++) {
      if (!(left >> l & 1) || addresses[l] >> CLUSTER_SHIFT != owner->rank) continue;
      inside[l] = addresses[l] & CLUSTER_OFFSET;
      here |= 1u << l;
    }
    left &= ~here;
    if (!resolve_small(warp, insn, inside, here, bytes, writes, host, owner->shared, owner->shared_bytes, 0,
                       "shared"))
      return false;
    counters_shared(&warp->block->worker->by_site[insn->site], inside, here, bytes, kind == HOOK_READ);
    sim_hook_shared(warp, insn, here, owner, kind, inside, bytes);
  }
  return true;
}

static bool resolve_space(Warp *warp, const Insn *insn, PtxSpace space, const uint64_t *addresses,
                          uint32_t mask, uint32_t bytes, bool writes, unsigned char **host) {
  Block *block = warp->block;
  const Program *program = block->program;
  tilec_sim_counters *counters = &block->worker->by_site[insn->site];
  HookAccess kind = insn->u.access->atomic ? HOOK_ATOMIC : writes ? HOOK_WRITE : HOOK_READ;
  switch (space) {
  case SPACE_SHARED:
    if (block->peers) return resolve_cluster(warp, insn, addresses, mask, bytes, writes, host);
    if (!resolve_small(warp, insn, addresses, mask, bytes, writes, host, block->shared, block->shared_bytes,
                       0, "shared"))
      return false;
    counters_shared(counters, addresses, mask, bytes, kind == HOOK_READ);
    sim_hook_access(warp, insn, mask, SPACE_SHARED, kind, addresses, bytes);
    return true;
  case SPACE_LOCAL:
    return resolve_small(warp, insn, addresses, mask, bytes, writes, host, warp->local, program->local_bytes,
                         program->local_bytes, "local");
  case SPACE_PARAM: // read-only: decoding rejects stores, and resolve() rejects those through generic
                    // addresses
    return resolve_small(warp, insn, addresses, mask, bytes, writes, host, block_params(block),
                         program->param_bytes, 0, "parameter");
  case SPACE_GENERIC:
  case SPACE_REG:
  case SPACE_GLOBAL:
  case SPACE_CONST: break;
  }
  if (!resolve_global(warp, insn, addresses, mask, bytes, writes, host)) return false;
  counters_global(counters, addresses, mask, bytes);
  sim_hook_access(warp, insn, mask, SPACE_GLOBAL, kind, addresses, bytes);
  return true;
}

static PtxSpace space_of(uint64_t address) {
  if (address >= SHARED_WINDOW && address - SHARED_WINDOW < WINDOW_BYTES) return SPACE_SHARED;
  if (address >= LOCAL_WINDOW && address - LOCAL_WINDOW < WINDOW_BYTES) return SPACE_LOCAL;
  if (address >= PARAM_WINDOW && address - PARAM_WINDOW < WINDOW_BYTES) return SPACE_PARAM;
  return SPACE_GLOBAL;
}

static bool resolve_generic(Warp *warp, const Insn *insn, const uint64_t *addresses, uint32_t mask,
                            uint32_t bytes, bool writes, unsigned char **host) {
  static const PtxSpace spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM};
  static const uint64_t windows[] = {0, SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW};
  for (int i = 0; i < 4; i++) {
    uint64_t inside[LANES];
    uint32_t here = 0;
    for (uint32_t l = 0; l < LANES; l++) {
      inside[l] = addresses[l] - windows[i];
      if ((mask >> l & 1) && space_of(addresses[l]) == spaces[i]) here |= 1u << l;
    }
    if (!here) continue;
    if (spaces[i] == SPACE_PARAM && writes)
      return warp_fault(warp, insn, here, TILEC_SIM_READ_ONLY, addresses[lowest(here)],
                        "a write to a kernel parameter");
    if (!resolve_space(warp, insn, spaces[i], inside, here, bytes, writes, host)) return false;
  }
  return true;
}

bool resolve(Warp *warp, const Insn *insn, uint32_t mask, bool writes, unsigned char **host) {
  const MemoryAccess *access = insn->u.access;
  uint32_t bytes = access->bytes * access->count;
  uint64_t addresses[LANES], low_bits = 0;
  addresses_of(warp, insn, addresses);
  for (int l = 0; l < LANES; l++) low_bits |= mask >> l & 1 ? addresses[l] : 0;
  if (low_bits & (bytes - 1)) {
    fault_misaligned(warp, insn, addresses, mask, bytes, writes);
    return false;
  }
  if (access->space == SPACE_GENERIC)
    return resolve_generic(warp, insn, addresses, mask, bytes, writes, host);
  return resolve_space(warp, insn, access->space, addresses, mask, bytes, writes, host);
}

bool resolve_lanes(Warp *warp, const Insn *insn, uint32_t *mask, bool writes, unsigned char **host) {
  Worker *worker = warp->block->worker;
  while (*mask && !resolve(warp, insn, *mask, writes, host)) {
    if (worker->fault.set || !(*mask & worker->survived)) return false;
    *mask &= ~worker->survived;
  }
  return *mask;
}

// ---- multimem ----

// Finds each lane's multicast. Bytes after its end are out of bounds of the first copy.
static bool find_multicasts(Warp *warp, const Insn *insn, uint32_t mask, MultimemLanes *lanes) {
  uint32_t bytes = insn->u.access->bytes * insn->u.access->count, none = 0, beyond = 0, misaligned = 0;
  uint64_t first_beyond = 0;
  lanes->copies = 0;
  for (uint32_t l = LANES; l-- > 0;) {
    if (!(mask >> l & 1)) continue;
    uint64_t at = lanes->addresses[l];
    const Multicast *found = memory_multicast_at(warp->block->worker->launch->memory, at);
    lanes->multicasts[l] = found;
    misaligned |= (uint32_t)(at % bytes != 0) << l;
    if (!found) {
      none |= 1u << l;
      continue;
    }
    uint64_t offset = at - found->base;
    if (found->count > lanes->copies) lanes->copies = found->count;
    if (offset <= found->size && bytes <= found->size - offset) continue;
    beyond |= 1u << l;
    first_beyond = found->copies[0] + offset;
  }
  if (misaligned)
    fault_misaligned(warp, insn, lanes->addresses, misaligned, bytes, false);
  else if (none)
    warp_fault(warp, insn, none, TILEC_SIM_MULTICAST, lanes->addresses[lowest(none)],
               "%s %u bytes at 0x%llx, which is no multicast address (PTX ISA 9.7.9.14)", verb(insn, false),
               bytes, (unsigned long long)lanes->addresses[lowest(none)]);
  else if (beyond)
    fault_global(warp, insn, beyond, first_beyond, bytes, false);
  return !(misaligned | none | beyond);
}

bool resolve_multimem(Warp *warp, const Insn *insn, uint32_t *mask, MultimemLanes *lanes) {
  Worker *worker = warp->block->worker;
  addresses_of(warp, insn, lanes->addresses);
  while (*mask && !find_multicasts(warp, insn, *mask, lanes)) {
    if (worker->fault.set || !(*mask & worker->survived)) return false;
    *mask &= ~worker->survived;
  }
  if (*mask)
    counters_global(&worker->by_site[insn->site], lanes->addresses, *mask,
                    insn->u.access->bytes * insn->u.access->count);
  return *mask;
}

uint32_t resolve_copy(Warp *warp, const Insn *insn, uint32_t mask, const MultimemLanes *lanes, uint32_t copy,
                      HookAccess kind, unsigned char **host) {
  uint64_t addresses[LANES] = {0};
  uint32_t here = 0, bytes = insn->u.access->bytes * insn->u.access->count;
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(mask >> l & 1) || copy >= lanes->multicasts[l]->count) continue;
    addresses[l] = lanes->multicasts[l]->copies[copy] + (lanes->addresses[l] - lanes->multicasts[l]->base);
    here |= 1u << l;
  }
  if (!here || !resolve_global(warp, insn, addresses, here, bytes, kind != HOOK_READ, host)) return 0;
  sim_hook_access(warp, insn, here, SPACE_GLOBAL, kind, addresses, bytes);
  return here;
}

// ---- one operand ----

uint64_t address_at(const Warp *warp, const AddressOperand *address, uint32_t lane) {
  if (address->wide) {
    uint64_t at = ((const uint64_t *)lanes_at(warp, address->slot))[lane] + (uint64_t)address->offset;
    return address->space == SPACE_SHARED ? at & SHARED_ADDRESS : at;
  }
  return ((const uint32_t *)lanes_at(warp, address->slot))[lane] + (uint32_t)address->offset;
}

// The memory of a small space, with *size bytes. NULL: a range cannot be in this space.
static unsigned char *small_space(const Warp *warp, PtxSpace space, bool writes, uint64_t *size) {
  const Block *block = warp->block;
  if (space == SPACE_SHARED) {
    *size = block->shared_bytes;
    return block->shared;
  }
  if (space != SPACE_PARAM || writes) return NULL;
  *size = block->program->param_bytes;
  return block_params(block);
}

static bool range_global(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address, uint64_t bytes,
                         bool writes, Place *place) {
  Worker *worker = warp->block->worker;
  const Allocation *found = memory_find(worker->launch->memory, &worker->cache, address, bytes);
  if (!found && memory_multicast_at(worker->launch->memory, address))
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_MULTICAST, address,
               "0x%llx is a multicast address: only multimem instructions may access it (PTX ISA 9.7.9.14)",
               (unsigned long long)address);
  else if (!found)
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_OUT_OF_BOUNDS, address,
               "%s %llu bytes at 0x%llx, which is not all in one allocation", writes ? "store of" : "load of",
               (unsigned long long)bytes, (unsigned long long)address);
  else if (writes && found->read_only)
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_READ_ONLY, address, "a write to .const memory");
  else {
    *place = (Place){place_in(found, address, bytes, writes), SPACE_GLOBAL, address, NULL};
    return true;
  }
  return false;
}

bool resolve_range(Warp *warp, const Insn *insn, uint32_t lane, PtxSpace space, uint64_t address,
                   uint64_t bytes, uint32_t alignment, bool writes, Place *place) {
  static const uint64_t windows[] = {[SPACE_SHARED] = SHARED_WINDOW, [SPACE_PARAM] = PARAM_WINDOW};
  const Block *block = warp->block;
  if (space == SPACE_SHARED && !(address & (alignment - 1)) && address <= block->shared_bytes &&
      bytes <= block->shared_bytes - address) { // the most common case
    *place = (Place){block->shared + address, space, address, warp->block};
    return true;
  }
  if (space == SPACE_GENERIC) {
    space = space_of(address);
    if (space == SPACE_SHARED || space == SPACE_PARAM) address -= windows[space];
  }
  if (address & (alignment - 1))
    return warp_fault(warp, insn, 1u << lane, TILEC_SIM_MISALIGNED, address, "0x%llx is not a multiple of %u",
                      (unsigned long long)address, alignment);
  if (space == SPACE_GLOBAL || space == SPACE_CONST)
    return range_global(warp, insn, lane, address, bytes, writes, place);
  uint64_t size = 0;
  unsigned char *base = small_space(warp, space, writes, &size);
  if (!base || address > size || bytes > size - address) {
    char *end = space == SPACE_SHARED ? describe_shared(block, address)
                                      : text_make("of %llu bytes", (unsigned long long)size);
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_OUT_OF_BOUNDS, address, "%llu bytes at %s address %llu, %s",
               (unsigned long long)bytes, space == SPACE_SHARED ? "shared" : "another space's",
               (unsigned long long)address, end);
    text_free(end);
    return false;
  }
  *place = (Place){base + address, space, address, space == SPACE_SHARED ? warp->block : NULL};
  return true;
}

// A shared address of another CTA.
static bool range_of_peer(Warp *warp, const Insn *insn, uint32_t lane, Block *owner, uint64_t address,
                          uint64_t bytes, uint32_t alignment, Place *place) {
  if (address & (alignment - 1))
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_MISALIGNED, address, "0x%llx is not a multiple of %u",
               (unsigned long long)address, alignment);
  else if (address > owner->shared_bytes || bytes > owner->shared_bytes - address)
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_OUT_OF_BOUNDS, address,
               "%llu bytes at shared address %llu of CTA %u of the cluster, of %u bytes",
               (unsigned long long)bytes, (unsigned long long)address, owner->rank, owner->shared_bytes);
  else {
    *place = (Place){owner->shared + address, SPACE_SHARED, address, owner};
    return true;
  }
  return false;
}

bool resolve_operand(Warp *warp, const Insn *insn, uint32_t lane, const AddressOperand *operand,
                     uint64_t bytes, uint32_t alignment, bool writes, Place *place) {
  uint64_t address = address_at(warp, operand, lane);
  PtxSpace space = operand->space;
  if (warp->block->peers &&
      (space == SPACE_SHARED || (space == SPACE_GENERIC && space_of(address) == SPACE_SHARED))) {
    if (space == SPACE_GENERIC) address -= SHARED_WINDOW;
    space = SPACE_SHARED;
    Block *owner = resolve_cta(warp, insn, lane, address, operand->cluster, &address);
    if (!owner) return false;
    if (owner != warp->block) return range_of_peer(warp, insn, lane, owner, address, bytes, alignment, place);
  }
  return resolve_range(warp, insn, lane, space, address, bytes, alignment, writes, place);
}
