// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/host_memory.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/error.h"

// GAP: unused bytes after each memory block. A stray access there hits no other block. The gap is never
// touched.
enum { ALIGNMENT = 256, GAP = 1 << 20, POISON = 0xA5 };

static void *pointer_to(uint64_t address) { return (void *)(uintptr_t)address; }

void host_memory_init(HostMemory *memory) { pthread_mutex_init(&memory->lock, NULL); }

static void block_free(HostBlock *block) {
  if (block->owned) free(pointer_to(block->address));
  free(block->watched);
}

void host_memory_free(HostMemory *memory) {
  for (size_t i = 0; i < memory->count; i++) block_free(&memory->blocks[i]);
  free(memory->blocks);
  pthread_mutex_destroy(&memory->lock);
}

// The index of the first memory block that ends after `address`. count if there is none.
static size_t find_block(const HostMemory *memory, uint64_t address) {
  size_t low = 0, high = memory->count;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (memory->blocks[mid].address + memory->blocks[mid].bytes > address)
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

static tilec_status insert(HostMemory *memory, HostBlock block) {
  size_t at = find_block(memory, block.address);
  if (at < memory->count && memory->blocks[at].address < block.address + block.bytes)
    return error_set(
        TILEC_ERROR_INVALID_ARGUMENT,
        "the %zu bytes at 0x%llx overlap a buffer in part: pass memory that is within it, or apart "
        "from it",
        block.bytes, (unsigned long long)block.address);
  if (memory->count == memory->cap) {
    size_t cap = memory->cap ? 2 * memory->cap : 16;
    HostBlock *grown = realloc(memory->blocks, cap * sizeof *grown);
    if (!grown) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a buffer)");
    memory->blocks = grown;
    memory->cap = cap;
  }
  memmove(memory->blocks + at + 1, memory->blocks + at, (memory->count - at) * sizeof block);
  memory->blocks[at] = block;
  memory->count++;
  return TILEC_OK;
}

tilec_status host_alloc(HostMemory *memory, size_t bytes, uint64_t *address) {
  void *block = NULL;
  if (bytes > SIZE_MAX - ALIGNMENT - GAP || posix_memalign(&block, ALIGNMENT, bytes + GAP))
    return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a buffer of %zu bytes)", bytes);
  memset(block, POISON, bytes);
  pthread_mutex_lock(&memory->lock);
  tilec_status status =
      insert(memory, (HostBlock){.address = (uintptr_t)block, .bytes = bytes, .owned = true});
  pthread_mutex_unlock(&memory->lock);
  if (status)
    free(block);
  else
    *address = (uintptr_t)block;
  return status;
}

static bool contains(const HostMemory *memory, uint64_t address, size_t bytes) {
  size_t at = find_block(memory, address);
  const HostBlock *block = memory->blocks + at;
  return at < memory->count && block->address <= address &&
         bytes <= block->bytes - (address - block->address);
}

tilec_status host_map(HostMemory *memory, uint64_t address, size_t bytes, bool *mapped) {
  *mapped = false;
  if (address > UINTPTR_MAX || bytes > UINTPTR_MAX - address || !address)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "no memory at 0x%llx", (unsigned long long)address);
  tilec_status status = TILEC_OK;
  pthread_mutex_lock(&memory->lock);
  if (!contains(memory, address, bytes)) {
    status = insert(memory, (HostBlock){.address = address, .bytes = bytes, .written = true});
    *mapped = status == TILEC_OK;
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}

void host_release(HostMemory *memory, uint64_t address) {
  pthread_mutex_lock(&memory->lock);
  for (size_t i = 0; i < memory->count; i++)
    if (memory->blocks[i].address == address) {
      block_free(&memory->blocks[i]);
      memmove(memory->blocks + i, memory->blocks + i + 1, (memory->count - i - 1) * sizeof *memory->blocks);
      memory->count--;
      break;
    }
  pthread_mutex_unlock(&memory->lock);
}

// The memory block that contains all the bytes. NULL, with the error set, if none does.
static HostBlock *check_range(HostMemory *memory, uint64_t address, size_t bytes, tilec_status *status) {
  if (contains(memory, address, bytes)) return memory->blocks + find_block(memory, address);
  *status = error_set(TILEC_ERROR_INVALID_ARGUMENT, "no buffer has the %zu bytes at 0x%llx", bytes,
                      (unsigned long long)address);
  return NULL;
}

tilec_status host_write(HostMemory *memory, uint64_t address, const void *from, size_t bytes) {
  tilec_status status = TILEC_OK;
  pthread_mutex_lock(&memory->lock);
  HostBlock *block = check_range(memory, address, bytes, &status);
  if (block) {
    memcpy(pointer_to(address), from, bytes);
    block->written = true;
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}

tilec_status host_read(HostMemory *memory, uint64_t address, void *to, size_t bytes) {
  tilec_status status = TILEC_OK;
  pthread_mutex_lock(&memory->lock);
  if (check_range(memory, address, bytes, &status)) memcpy(to, pointer_to(address), bytes);
  pthread_mutex_unlock(&memory->lock);
  return status;
}

tilec_status host_watch(HostMemory *memory, uint64_t address) {
  tilec_status status = TILEC_OK;
  pthread_mutex_lock(&memory->lock);
  HostBlock *block = check_range(memory, address, 1, &status);
  if (block) {
    uint8_t *fresh = calloc(block->bytes ? block->bytes : 1, 1);
    if (fresh) {
      free(block->watched);
      block->watched = fresh;
      block->written = false;
    } else {
      status = error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (what is written of a buffer)");
    }
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}

tilec_status host_fill(HostMemory *memory, uint64_t address, uint8_t byte, size_t bytes) {
  tilec_status status = TILEC_OK;
  pthread_mutex_lock(&memory->lock);
  HostBlock *block = check_range(memory, address, bytes, &status);
  if (block) {
    memset(pointer_to(address), byte, bytes);
    block->written = true;
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}
