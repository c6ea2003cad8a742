// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interned strings: equal text has one address, so names compare with ==.
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdint.h>
#include "base/arena.h"
#include "base/str.h"
#include "base/table.h"

typedef struct Interner {
  Arena *arena; // owns the text and the table; set before first use
  Table table;
} Interner;

// The NUL-terminated, interned copy of `text`; lives as long as the arena.
const char *intern(Interner *names, Str text);

#endif
