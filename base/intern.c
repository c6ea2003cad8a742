// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/intern.h"

#include "base/hash.h"

static bool name_is(const void *entry, const void *text) {
  return str_eq(str_from((const char *)entry), *(const Str *)text);
}

const char *intern(Interner *names, Str text) {
  void **place = table_place(&names->table, names->arena, hash_bytes(text.at, text.n), &text, name_is);
  if (!*place) *place = arena_copy(names->arena, text);
  return *place;
}
