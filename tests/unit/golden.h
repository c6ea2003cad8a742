// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Golden files: a text is compared with a file, or written to it where the environment has BLESS.
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"

// The bytes of a file, in the arena and followed by a NUL; .at is NULL where it cannot be read.
static inline Str golden_read(Arena *arena, const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file) return (Str){0};
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *at = arena_alloc(arena, (size_t)size + 1);
  size_t n = fread(at, 1, (size_t)size, file);
  fclose(file);
  return (Str){at, n};
}

// Returns true if the file `name` holds `text`, and reports the first difference on stderr. With
// BLESS set it writes the file.
static inline bool golden_check(Arena *arena, const char *name, Str text) {
  if (getenv("BLESS")) {
    FILE *file = fopen(name, "wb");
    bool written = file && fwrite(text.at, 1, text.n, file) == text.n;
    return file && fclose(file) == 0 && written;
  }
  Str expected = golden_read(arena, name);
  if (expected.at && str_eq(expected, text)) return true;
  size_t i = 0, line = 1;
  for (; i < text.n && i < expected.n && text.at[i] == expected.at[i]; i++) line += text.at[i] == '\n';
  while (i > 0 && text.at[i - 1] != '\n') i--;
  size_t n = text.n - i < 200 ? text.n - i : 200;
  fprintf(stderr, "%s:%zu: differs (BLESS=1 rewrites); now:\n%.*s\n", name, line, (int)n, text.at + i);
  return false;
}

#endif
