// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the devices that run on this CPU. It is host memory, with host addresses.
#ifndef RUNTIME_DEVICE_HOST_MEMORY_H
#define RUNTIME_DEVICE_HOST_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include "runtime/tilec.h"

typedef struct HostBlock {
  uint64_t address;
  size_t bytes;
  bool owned;       // else the caller's memory, in place
  bool written;     // by the host or a launch: its bytes count as initialised
  uint8_t *watched; // one byte per byte: 1 if a launch has written it; NULL: not watched
} HostBlock;

// Memory blocks by ascending address. A zeroed struct is ready once its lock is initialised. The caller must
// hold the lock while it reads `blocks`.
typedef struct HostMemory {
  pthread_mutex_t lock;
  HostBlock *blocks;
  size_t count, cap;
} HostMemory;

void host_memory_init(HostMemory *memory);
void host_memory_free(HostMemory *memory); // frees the blocks that it owns too

// These take the lock. New memory is filled with 0xA5, aligned to 256 bytes, and 1 MiB away from the next
// block.
tilec_status host_alloc(HostMemory *memory, size_t bytes, uint64_t *address);
// Adds the caller's memory. If it lies within one existing block, nothing is added (*mapped false). Any other
// overlap is an invalid argument.
tilec_status host_map(HostMemory *memory, uint64_t address, size_t bytes, bool *mapped);
void host_release(HostMemory *memory, uint64_t address);
tilec_status host_write(HostMemory *memory, uint64_t address, const void *from, size_t bytes);
tilec_status host_read(HostMemory *memory, uint64_t address, void *to, size_t bytes);
// For a block of at least one byte. From now on `watched` is kept. The bytes count as never written.
tilec_status host_watch(HostMemory *memory, uint64_t address);
tilec_status host_fill(HostMemory *memory, uint64_t address, uint8_t byte, size_t bytes);

#endif
