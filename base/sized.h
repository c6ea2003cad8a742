// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of the public headers that begin with their size, so that they can grow: the caller's was compiled by an
// older header, or by a newer one.
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SIZED_MAX = 4096 }; // no struct of ours is larger: what says so was never initialised

// Copies the caller's struct over `out` of `bytes` bytes, which has the defaults, and sets out's size. What an older
// caller's lacks keeps its default. False where the size is none, or a newer caller's struct says something that is
// not known here: a byte beyond our end that is not zero.
static inline bool sized_take(void *out, size_t bytes, const void *given) {
  const char *at = given;
  size_t size;
  memcpy(&size, at, sizeof size);
  if (size < sizeof size || size > SIZED_MAX) return false;
  for (size_t i = bytes; i < size; i++)
    if (at[i]) return false;
  memcpy(out, at, size < bytes ? size : bytes);
  memcpy(out, &bytes, sizeof bytes);
  return true;
}

// The other way: fills the caller's struct from ours, as far as it goes; what a newer caller has beyond becomes zero.
static inline bool sized_give(void *given, const void *ours, size_t bytes) {
  char *at = given;
  size_t size;
  memcpy(&size, at, sizeof size);
  if (size < sizeof size || size > SIZED_MAX) return false;
  memset(at, 0, size);
  memcpy(at, ours, size < bytes ? size : bytes);
  memcpy(at, &size, sizeof size);
  return true;
}

#endif
