// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the devices that run on this CPU: host memory, its addresses the host's own.
#ifndef RUNTIME_DEVICE_HOST_MEMORY_H
#define RUNTIME_DEVICE_HOST_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include "runtime/tilec.h"

typedef struct HostBlock {
  uint64_t address;
  size_t bytes;
  bool owned;   // else the caller's memory, in place
  bool written; // by the host or a launch: its bytes count as initialised
  uint8_t *watched; // a byte a byte: 1 where a launch has written; NULL: nobody asked
} HostBlock;

// Blocks by ascending address. Ready when zeroed, with its lock initialised; the lock is the
// caller's to take around `blocks`.
typedef struct HostMemory {
  pthread_mutex_t lock;
  HostBlock *blocks;
  size_t count, cap;
} HostMemory;

void host_memory_init(HostMemory *memory);
void host_memory_free(HostMemory *memory); // and the blocks that it owns

// These take the lock. New memory is filled with 0xA5, aligned to 256 bytes, and a mebibyte from the next.
tilec_status host_alloc(HostMemory *memory, size_t bytes, uint64_t *address);
// The caller's memory. A view of memory within one block adds none (*mapped false);
// other overlap is an invalid argument.
tilec_status host_map(HostMemory *memory, uint64_t address, size_t bytes, bool *mapped);
void host_release(HostMemory *memory, uint64_t address);
tilec_status host_write(HostMemory *memory, uint64_t address, const void *from, size_t bytes);
tilec_status host_read(HostMemory *memory, uint64_t address, void *to, size_t bytes);
// Of a block of at least a byte: from now on `watched` is kept, and its bytes count as never written.
tilec_status host_watch(HostMemory *memory, uint64_t address);
tilec_status host_fill(HostMemory *memory, uint64_t address, uint8_t byte, size_t bytes);

#endif
