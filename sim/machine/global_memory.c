// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/global_memory.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t first_constant = (uint64_t)1 << 20, first_address = (uint64_t)1 << 32,
                      gap = (uint64_t)1 << 20, alignment = 256,
                      host_alignment = 16; // of the host's memory, which the device's addresses keep
static const uint64_t max_bytes = (uint64_t)1 << 40;

static void allocation_free(Allocation *allocation) {
  if (allocation->owned) free(allocation->host);
  free(allocation->written);
}

void memory_free_all(Memory *memory) {
  for (size_t i = 0; i < memory->n; i++) allocation_free(&memory->at[i]);
  free(memory->at);
  free(memory->multicasts);
  spans_give_back(&memory->spans);
  *memory = (Memory){0};
}

// Finds addresses for `bytes` bytes and for the gap after them.
static bool find_addresses(Memory *memory, size_t bytes, bool constant) {
  if (memory->next_constant == 0) memory->next_constant = first_constant;
  if (constant) return memory->next_constant + bytes <= first_address;
  if (memory->next && bytes + gap <= memory->end - memory->next) return true;
  uint64_t needed = bytes + gap + first_address; // span 0 has less by this amount
  uint32_t first, count = (uint32_t)((needed + (UINT64_C(1) << SPAN_BITS) - 1) >> SPAN_BITS);
  if (!spans_take(&memory->spans, count, &first)) return false;
  memory->next = (uint64_t)first << SPAN_BITS;
  memory->end = memory->next + ((uint64_t)count << SPAN_BITS);
  if (first == 0) memory->next = first_address;
  return true;
}

// The next free address after an allocation.
static uint64_t after(uint64_t base, size_t bytes) {
  return (base + bytes + gap + alignment - 1) / alignment * alignment;
}

bool memory_map(Memory *memory, void *host, size_t bytes, bool read_only, uint64_t *address) {
  if (bytes > max_bytes || !find_addresses(memory, bytes + host_alignment, read_only)) return false;
  uint64_t *next = read_only ? &memory->next_constant : &memory->next;
  if (memory->n == memory->cap) {
    size_t cap = memory->cap ? 2 * memory->cap : 64;
    Allocation *grown = realloc(memory->at, cap * sizeof *grown);
    if (!grown) return false;
    memory->at = grown;
    memory->cap = cap;
  }
  unsigned char *own = host ? NULL : calloc(bytes ? bytes : 1, 1);
  if (!host && !own) return false;
  uint64_t base = *next + (uint64_t)(uintptr_t)host % host_alignment;
  size_t i = memory->n++;
  for (; i > 0 && memory->at[i - 1].base > base; i--) memory->at[i] = memory->at[i - 1];
  memory->at[i] = (Allocation){
      .base = base, .size = bytes, .host = host ? host : own, .owned = !host, .read_only = read_only};
  *address = base;
  *next = after(base, bytes);
  return true;
}

bool memory_multicast(Memory *memory, const uint64_t *copies, uint32_t count, size_t bytes,
                      uint64_t *address) {
  if (bytes > max_bytes || !find_addresses(memory, bytes + host_alignment, false)) return false;
  Multicast *grown = realloc(memory->multicasts, (memory->multicast_n + 1) * sizeof *grown);
  if (!grown) return false;
  memory->multicasts = grown;
  Multicast *made = &grown[memory->multicast_n++];
  *made = (Multicast){.base = memory->next, .size = bytes, .count = count};
  memcpy(made->copies, copies, count * sizeof *copies);
  *address = made->base;
  memory->next = after(made->base, bytes);
  return true;
}

const Multicast *memory_multicast_at(const Memory *memory, uint64_t address) {
  for (size_t i = 0; i < memory->multicast_n; i++) {
    const Multicast *multicast = &memory->multicasts[i];
    if (address >= multicast->base && address - multicast->base < multicast->size + gap) return multicast;
  }
  return NULL;
}

static size_t index_below(const Memory *memory, uint64_t address) { // n: none
  size_t low = 0, high = memory->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (memory->at[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? low - 1 : memory->n;
}

static bool unmap_multicast(Memory *memory, uint64_t address) {
  for (size_t i = 0; i < memory->multicast_n; i++)
    if (memory->multicasts[i].base == address) {
      memory->multicasts[i] = memory->multicasts[--memory->multicast_n];
      return true;
    }
  return false;
}

bool memory_unmap(Memory *memory, uint64_t address) {
  size_t i = index_below(memory, address);
  if (i == memory->n || memory->at[i].base != address) return unmap_multicast(memory, address);
  allocation_free(&memory->at[i]);
  memmove(&memory->at[i], &memory->at[i + 1], (memory->n - i - 1) * sizeof *memory->at);
  memory->n--;
  return true;
}

void memory_name(Memory *memory, uint64_t address, Str name) {
  size_t i = index_below(memory, address);
  if (i < memory->n && memory->at[i].base == address) memory->at[i].name = name;
}

bool memory_watch(Memory *memory, uint64_t address, bool *found) {
  size_t i = index_below(memory, address);
  *found = i < memory->n && memory->at[i].base == address;
  if (!*found) return true;
  Allocation *allocation = &memory->at[i];
  unsigned char *fresh = calloc(allocation->size ? allocation->size : 1, 1);
  if (!fresh) return false;
  free(allocation->written);
  allocation->written = fresh;
  return true;
}

static bool holds(const Allocation *allocation, uint64_t address, uint64_t bytes) {
  uint64_t offset = address - allocation->base;
  return address >= allocation->base && offset <= allocation->size && bytes <= allocation->size - offset;
}

const Allocation *memory_find(const Memory *memory, MemoryCache *cache, uint64_t address, uint64_t bytes) {
  const Allocation **last =
      &cache->at[(address >> 20 ^ address >> 24) % MEMORY_CACHE]; // `gap` separates them
  if (*last && holds(*last, address, bytes)) return *last;
  size_t i = index_below(memory, address);
  if (i == memory->n || !holds(&memory->at[i], address, bytes)) return NULL;
  return *last = &memory->at[i];
}

const Allocation *memory_below(const Memory *memory, uint64_t address) {
  size_t i = index_below(memory, address);
  return i == memory->n ? NULL : &memory->at[i];
}

const Allocation *memory_above(const Memory *memory, uint64_t address) {
  size_t i = index_below(memory, address), above = i == memory->n ? 0 : i + 1;
  return above < memory->n ? &memory->at[above] : NULL;
}
