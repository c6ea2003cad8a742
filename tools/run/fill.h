// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a new buffer of `tilec run` holds: randn, randint(0,100), full(7), ...
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

// Whether the word is what a buffer may be filled with: "randn".
bool fill_names(Str name);
// The spec's part before the colon. False with the reason in *why, its memory the arena's.
bool fill_parse(Arena *arena, Str text, Fill *fill, const char **why);
// Whether the type holds the values, of which there are `elements`; false with the reason.
bool fill_fits(Arena *arena, const Fill *fill, Elem elem, uint64_t elements, const char **why);
// Writes the elements. seed, number: of random data, as in argument_parse. `data` is zero before.
void fill_write(const Fill *fill, Elem elem, uint64_t elements, uint64_t seed, uint32_t number, uint8_t *data);

#endif
