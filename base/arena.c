// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/integer.h"

struct ArenaChunk {
  ArenaChunk *older;
  size_t size; // of the payload, bytes
  max_align_t payload[];
};

enum { CHUNK_MIN = 64 * 1024 };

static _Thread_local unsigned long allocations_until_failure; // 0: never (arena_fail_after)

void arena_fail_after(unsigned long n) { allocations_until_failure = n; }

void arena_free(Arena *arena) {
  for (ArenaChunk *chunk = arena->chunks; chunk;) {
    ArenaChunk *older = chunk->older;
    free(chunk);
    chunk = older;
  }
  *arena = (Arena){0};
}

// A request of at least a chunk's size gets its own chunk, so that the current one keeps its free part.
static void *arena_add_chunk(Arena *arena, size_t size) {
  size_t payload = size > CHUNK_MIN ? size : CHUNK_MIN;
  ArenaChunk *chunk = payload > SIZE_MAX - sizeof *chunk ? NULL : calloc(1, sizeof *chunk + payload);
  if (!chunk) fault_raise(FAULT_MEMORY, "out of memory (%zu bytes)", size);
  chunk->size = payload;
  chunk->older = arena->chunks;
  arena->chunks = chunk;
  char *at = (char *)chunk->payload;
  if (size < CHUNK_MIN) {
    arena->next = at + size;
    arena->end = at + payload;
  }
  return at;
}

void *arena_alloc(Arena *arena, size_t size) {
  if (allocations_until_failure && --allocations_until_failure == 0)
    fault_raise(FAULT_MEMORY, "out of memory (%zu bytes, planned by a test)", size);
  const size_t align = _Alignof(max_align_t);
  if (size > SIZE_MAX - align) fault_raise(FAULT_MEMORY, "out of memory (%zu bytes)", size);
  size = size ? round_up(size, align) : align;
  if ((size_t)(arena->end - arena->next) < size) return arena_add_chunk(arena, size);
  void *at = arena->next;
  arena->next += size;
  return at;
}

void *arena_array(Arena *arena, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size)
    fault_raise(FAULT_MEMORY, "out of memory (%zu x %zu bytes)", count, size);
  return arena_alloc(arena, count * size);
}

char *arena_copy(Arena *arena, Str text) {
  char *copy = arena_alloc(arena, text.n + 1);
  if (text.n) memcpy(copy, text.at, text.n);
  return copy;
}

char *arena_printf(Arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n < 0) BUG("vsnprintf failed on \"%s\"", format);
  char *text = arena_alloc(arena, (size_t)n + 1);
  va_start(args, format);
  vsnprintf(text, (size_t)n + 1, format, args);
  va_end(args);
  return text;
}

size_t arena_bytes(const Arena *arena) {
  size_t total = 0;
  for (const ArenaChunk *chunk = arena->chunks; chunk; chunk = chunk->older)
    total += sizeof *chunk + chunk->size;
  return total;
}
