// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of the public headers begin with their size, so that they can grow. The caller may be compiled with
// an older or a newer header.
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SIZED_MAX = 4096 }; // no struct of ours is larger: a larger size means an uninitialised struct

// Copies the caller's struct over `out`, which has `bytes` bytes and holds the defaults. Sets out's size.
// Fields that an older caller lacks keep their defaults. Returns false if:
// * the size is not valid;
// * a newer caller sets a field that is unknown here: a nonzero byte past our end.
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

// Fills the caller's struct from ours, up to its size. A newer caller's additional fields become zero.
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
