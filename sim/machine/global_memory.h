// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simulated global memory: allocations in a sparse 64-bit address space. Addresses are never reused. Unmapped
// space of at least 1 MiB separates allocations, so a stray access hits no other allocation. Constants lie
// below 4 GiB, so their addresses fit in 32 bits. No two simulators have a common address, except for
// constants.
#ifndef SIM_MACHINE_GLOBAL_MEMORY_H
#define SIM_MACHINE_GLOBAL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "sim/machine/spans.h"
#include "sim/sim.h"

typedef struct Allocation {
  uint64_t base, size;
  unsigned char *host;
  bool owned;             // host memory is freed with it
  bool read_only;         // .const
  Str name;               // of the module's variable that it holds; borrowed. Empty: none
  unsigned char *written; // one byte per byte: 1 if a kernel has written it; NULL: not watched
} Allocation;

// Addresses that stand for the memory of several devices. Only multimem instructions access them: each accesses
// all copies. No allocation has these addresses.
typedef struct Multicast {
  uint64_t base, size;
  uint32_t count;
  uint64_t copies[TILEC_SIM_MAX_DEVICES]; // where each begins
} Multicast;

typedef struct Memory {
  Allocation *at; // by base, ascending
  size_t n, cap;
  uint64_t next, next_constant; // addresses
  uint64_t end;                 // end of the current spans
  SpanSet spans;
  Multicast *multicasts;
  size_t multicast_n;
} Memory;

// Allocations that were hit recently, at an index computed from the address. memory_find looks there first.
// Valid until memory is mapped or unmapped.
enum { MEMORY_CACHE = 16 };
typedef struct MemoryCache {
  const Allocation *at[MEMORY_CACHE];
} MemoryCache;

void memory_free_all(Memory *memory);
// host NULL: allocates zeroed memory. False: the host has no memory. *address is a multiple of 256.
bool memory_map(Memory *memory, void *host, size_t bytes, bool read_only, uint64_t *address);
// The same for a multicast address. The copies begin at multiples of 16.
bool memory_multicast(Memory *memory, const uint64_t *copies, uint32_t count, size_t bytes,
                      uint64_t *address);
bool memory_unmap(Memory *memory,
                  uint64_t address); // false: neither an allocation nor a multicast begins there
// The multicast that has the address, or ends less than `gap` before it. NULL: none.
const Multicast *memory_multicast_at(const Memory *memory, uint64_t address);
// Names the allocation that begins there.
void memory_name(Memory *memory, uint64_t address, Str name);
// From now on, records the written bytes of the allocation that begins there. False: the host has no memory.
// *found false: no such allocation.
bool memory_watch(Memory *memory, uint64_t address, bool *found);

// Marks `bytes` bytes at `offset` as written. Host threads may do this at the same time, because all write
// the same value.
static inline void allocation_mark(const Allocation *allocation, uint64_t offset, uint64_t bytes) {
  unsigned char *at = allocation->written + offset, *end = at + bytes;
  for (; at < end && (uintptr_t)at % 8; at++) __atomic_store_n(at, 1, __ATOMIC_RELAXED);
  for (; end - at >= 8; at += 8)
    __atomic_store_n((uint64_t *)(void *)at, UINT64_C(0x0101010101010101), __ATOMIC_RELAXED);
  for (; at < end; at++) __atomic_store_n(at, 1, __ATOMIC_RELAXED);
}

// The allocation that contains all of [address, address + bytes), or NULL.
const Allocation *memory_find(const Memory *memory, MemoryCache *cache, uint64_t address, uint64_t bytes);
// The allocation with the highest base at or below the address. NULL: none.
const Allocation *memory_below(const Memory *memory, uint64_t address);
// The first allocation above the address. NULL: none.
const Allocation *memory_above(const Memory *memory, uint64_t address);

#endif
