// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of builtins.
#include "frontend/builtins/builtins.h"

enum {
  T = SCOPE_TL,
  L = SCOPE_LIB,
  P = SCOPE_PY,
  M = SCOPE_METHOD,
  H = SCOPE_HELPER,
  D = SCOPE_DESCRIPTOR,
  Y = SCOPE_TYPE,
  R = SCOPE_PROFILER,
  G = SCOPE_TARGET
};

const Builtin builtin_table[] = {
#define BUILTIN(name, scope, params, handler)            {#name, scope, params, handler, NULL},
#define BUILTIN_OF(name, scope, params, handler, detail) {#name, scope, params, handler, detail},
#define NOT_BUILT(name, scope)                           {#name, scope, NULL, NULL, NULL},
#define ARGS(...)
#include "frontend/builtins/builtins.def"
#undef BUILTIN
#undef BUILTIN_OF
#undef NOT_BUILT
#undef ARGS
};
const uint32_t builtin_count = sizeof builtin_table / sizeof *builtin_table;

const Builtin *builtin_find(const char *name, uint32_t scope) {
  for (uint32_t i = 0; i < builtin_count; i++)
    if ((builtin_table[i].scope & scope) && strcmp(builtin_table[i].name, name) == 0)
      return &builtin_table[i];
  return NULL;
}

const char *const *builtin_names(Elab *e, uint32_t scope, uint32_t *n) {
  const char **names = ARENA_ARRAY(e->arena, const char *, builtin_count);
  *n = 0;
  for (uint32_t i = 0; i < builtin_count; i++)
    if (builtin_table[i].scope & scope) names[(*n)++] = builtin_table[i].name;
  return names;
}
