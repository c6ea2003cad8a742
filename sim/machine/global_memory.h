// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simulated global memory: allocations in a sparse 64-bit address space. Addresses are never given twice, and
// unmapped space (at least a mebibyte) separates neighbours, so that a stray access meets no other
// allocation. Constants lie below 4 GiB: their addresses may be held in 32 bits. No other simulator has an address
// of an allocation but of constants.
#ifndef SIM_MACHINE_GLOBAL_MEMORY_H
#define SIM_MACHINE_GLOBAL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/machine/spans.h"

typedef struct Allocation {
  uint64_t base, size;
  unsigned char *host;
  bool owned;     // host is ours to free
  bool read_only; // .const
  unsigned char *written; // a byte a byte: 1 where a kernel has written; NULL: nobody asked
} Allocation;

typedef struct Memory {
  Allocation *at; // by base, ascending
  size_t n, cap;
  uint64_t next, next_constant; // addresses
  uint64_t end;                 // of the spans that `next` is in
  SpanSet spans;
} Memory;

// Allocations that were hit lately, each in the place that its addresses give: memory_find looks there first.
// Valid while nothing is mapped or unmapped.
enum { MEMORY_CACHE = 16 };
typedef struct MemoryCache {
  const Allocation *at[MEMORY_CACHE];
} MemoryCache;

void memory_free_all(Memory *memory);
// host NULL: zeroed memory of our own. False: no memory on the host. *address is a multiple of 256.
bool memory_map(Memory *memory, void *host, size_t bytes, bool read_only, uint64_t *address);
bool memory_unmap(Memory *memory, uint64_t address); // false: no such allocation
// From now on the allocation that begins there knows which of its bytes are written. False: no memory on the
// host; *found false: no such allocation.
bool memory_watch(Memory *memory, uint64_t address, bool *found);

// Kernels write `bytes` bytes at `offset`. Host threads may do so at once: all write the same.
static inline void allocation_mark(const Allocation *allocation, uint64_t offset, uint64_t bytes) {
  unsigned char *at = allocation->written + offset, *end = at + bytes;
  for (; at < end && (uintptr_t)at % 8; at++) __atomic_store_n(at, 1, __ATOMIC_RELAXED);
  for (; end - at >= 8; at += 8)
    __atomic_store_n((uint64_t *)(void *)at, UINT64_C(0x0101010101010101), __ATOMIC_RELAXED);
  for (; at < end; at++) __atomic_store_n(at, 1, __ATOMIC_RELAXED);
}

// The allocation that holds all of [address, address + bytes), or NULL.
const Allocation *memory_find(const Memory *memory, MemoryCache *cache, uint64_t address, uint64_t bytes);
// The allocation with the highest base at or below the address; NULL where there is none.
const Allocation *memory_below(const Memory *memory, uint64_t address);
// The first one above the address; NULL where there is none.
const Allocation *memory_above(const Memory *memory, uint64_t address);

#endif
