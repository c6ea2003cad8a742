// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/intern.h"

#include "base/hash.h"

static uint32_t slot_of(const Interner *names, Str text) {
  uint32_t i = (uint32_t)hash_bytes(text.at, text.n) & (names->cap - 1);
  while (names->slots[i] && !str_eq(str_from(names->slots[i]), text)) i = (i + 1) & (names->cap - 1);
  return i;
}

static void interner_grow(Interner *names) {
  Interner grown = {.arena = names->arena, .n = names->n, .cap = names->cap ? names->cap * 2 : 256};
  grown.slots = ARENA_ARRAY(names->arena, const char *, grown.cap);
  for (uint32_t i = 0; i < names->cap; i++)
    if (names->slots[i]) grown.slots[slot_of(&grown, str_from(names->slots[i]))] = names->slots[i];
  *names = grown;
}

const char *intern(Interner *names, Str text) {
  if (names->n * 2 >= names->cap) interner_grow(names);
  uint32_t i = slot_of(names, text);
  if (!names->slots[i]) {
    names->slots[i] = arena_copy(names->arena, text);
    names->n++;
  }
  return names->slots[i];
}
