// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initial contents of a new buffer of `tilec run`: randn, randint(0,100), full(7), ...
#ifndef TOOLS_RUN_FILL_H
#define TOOLS_RUN_FILL_H

#include "base/arena.h"
#include "ir/spec.h"

typedef enum FillKind {
  FILL_RANDN,
  FILL_RAND,
  FILL_RANDINT, // integers from low to below high
  FILL_ZEROS,
  FILL_ONES,
  FILL_FULL, // low
  FILL_ARANGE,
  FILL_PERM,  // 0 to elements - 1, each once
  FILL_EMPTY, // poison
  FILL_COUNT
} FillKind;

typedef struct Fill {
  FillKind kind;
  ConstValue low, high;
} Fill;

// Returns true if the word names a way to fill a buffer: "randn".
bool fill_names(Str name);
// Parses the part of the spec before the colon. False, with the reason in *why (in the arena).
bool fill_parse(Arena *arena, Str text, Fill *fill, const char **why);
// Returns true if the type can hold the values of `elements` elements. False with the reason in *why.
bool fill_fits(Arena *arena, const Fill *fill, Elem elem, uint64_t elements, const char **why);
// Writes the elements. seed, number: for random data, as in argument_parse. `data` must be zero before.
void fill_write(const Fill *fill, Elem elem, uint64_t elements, uint64_t seed, uint32_t number,
                uint8_t *data);

#endif
