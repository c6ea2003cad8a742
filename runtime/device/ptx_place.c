// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/ptx_place.h"

#include <string.h>

enum { MAX_SHOWN = 100 }; // bytes of an instruction

// The number after `at` and blanks. *at moves past it.
static uint32_t number_at(Str text, size_t *at) {
  uint32_t number = 0;
  while (*at < text.n && (text.at[*at] == ' ' || text.at[*at] == '\t')) ++*at;
  for (; *at < text.n && text.at[*at] >= '0' && text.at[*at] <= '9'; ++*at)
    number = 10 * number + (uint32_t)(text.at[*at] - '0');
  return number;
}

// The line from `at` on, without leading blanks.
static Str line_from(Str ptx, size_t from) {
  while (from < ptx.n && (ptx.at[from] == ' ' || ptx.at[from] == '\t')) from++;
  size_t to = from;
  while (to < ptx.n && ptx.at[to] != '\n') to++;
  return (Str){ptx.at + from, to - from};
}

// Where line `line` begins.
static size_t line_start(Str ptx, uint32_t line) {
  size_t from = 0;
  for (; line > 1 && from < ptx.n; from++) line -= ptx.at[from] == '\n';
  return from;
}

// The name in `.file NUMBER "NAME"`; NULL: there is none.
static const char *file_name(Arena *arena, Str ptx, uint32_t number) {
  for (size_t from = 0; from < ptx.n;) {
    Str text = line_from(ptx, from);
    from = (size_t)(text.at + text.n - ptx.at) + 1;
    size_t at = strlen(".file");
    if (!str_starts(text, ".file") || number_at(text, &at) != number) continue;
    const char *open = memchr(text.at, '"', text.n);
    size_t left = open ? text.n - (size_t)(open + 1 - text.at) : 0;
    const char *close = open ? memchr(open + 1, '"', left) : NULL;
    return close ? arena_copy(arena, (Str){open + 1, (size_t)(close - open - 1)}) : NULL;
  }
  return NULL;
}

// The source location of a PTX line: the last .loc before it, as codegen writes it. Line 0: not known.
static Loc ptx_source(Sources *sources, Str ptx, uint32_t line) {
  Loc loc = LOC_NONE;
  for (; line > 0 && !loc.line; line--) {
    Str text = line_from(ptx, line_start(ptx, line));
    size_t at = strlen(".loc");
    if (!str_starts_word(text, ".loc")) continue;
    const char *name = file_name(sources->arena, ptx, number_at(text, &at));
    loc.line = number_at(text, &at);
    loc.col = (uint16_t)number_at(text, &at);
    const char *length = memchr(text.at, '+', text.n);
    if (length) at = (size_t)(length + 1 - text.at), loc.len = (uint16_t)number_at(text, &at);
    if (!name) return LOC_NONE;
    loc.file = sources_with_line(sources, name, loc.line);
  }
  return loc;
}

bool ptx_refuse(Diags *diags, Str ptx, const char *message, uint32_t line, uint32_t column) {
  const char *why = strstr(message, ": ");
  Loc loc = ptx_source(diags->sources, ptx, line);
  if (!loc.line || !why) return false;
  size_t from = line_start(ptx, line) + (column ? column - 1 : 0);
  int n = 0;
  while (from + (size_t)n < ptx.n && ptx.at[from + (size_t)n] != ';' && ptx.at[from + (size_t)n] != '\n' &&
         n < MAX_SHOWN)
    n++;
  diag_error(diags, loc, "[T1403] the simulator does not run the instruction '%.*s': %s", n, ptx.at + from,
             why + strlen(": "));
  return true;
}
