// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arenas: memory of one lifetime, freed as a whole. Addresses are stable. Running out of memory is a fault
// (base/fault.h), so allocation never returns NULL.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include "base/str.h"

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
  ArenaChunk *chunks; // newest first
  char *next, *end;   // the free part of the newest chunk
} Arena;

// An arena is ready when zeroed: Arena a = {0}. arena_free leaves it zeroed.
void arena_free(Arena *arena);

// `size` zeroed bytes, aligned for any type. size 0 gives a valid, unique-enough pointer.
void *arena_alloc(Arena *arena, size_t size);

// `count` zeroed elements of `size` bytes. Faults if count * size overflows.
void *arena_array(Arena *arena, size_t count, size_t size);

#define ARENA_NEW(arena, T)          ((T *)arena_alloc((arena), sizeof(T)))
#define ARENA_ARRAY(arena, T, count) ((T *)arena_array((arena), (count), sizeof(T)))

// A NUL-terminated copy.
char *arena_copy(Arena *arena, Str text);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Bytes taken from the system so far.
size_t arena_bytes(const Arena *arena);

// Tests only: the n-th allocation from now on by any arena of this thread fails; 0 switches it off.
void arena_fail_after(unsigned long n);

#endif
