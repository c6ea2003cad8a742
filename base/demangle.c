// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the simple part of the Itanium C++ ABI's mangled names.
//
//   name    = "_Z" entity
//   entity  = "Z" entity parameters "E" "L"? part discriminator? | "N" [rVK]* (part | arguments)+ "E" | "L"? part
//   part    = length, and so many characters
#include "base/demangle.h"

#include <ctype.h>
#include <string.h>

typedef struct Reader {
  Str left;
  Buf *to;
  size_t start; // of the name in `to`
} Reader;

static bool at_digit(const Reader *r) { return r->left.n && isdigit((unsigned char)r->left.at[0]); }

// A length and so many characters.
static bool take_part(Reader *r, Str *part) {
  size_t length = 0;
  if (!at_digit(r)) return false;
  for (; at_digit(r); r->left.at++, r->left.n--) {
    length = 10 * length + (size_t)(r->left.at[0] - '0');
    if (length > r->left.n) return false;
  }
  if (!length || length > r->left.n) return false;
  *part = (Str){r->left.at, length};
  r->left = (Str){r->left.at + length, r->left.n - length};
  return true;
}

// Parts of files and of anonymous namespaces are not written.
static void put_part(Reader *r, Str part) {
  if (str_starts(part, "_INTERNAL_") || str_starts(part, "_GLOBAL__N_")) return;
  if (r->to->n > r->start) buf_text(r->to, "::");
  buf_str(r->to, part);
}

// Skips template arguments after their "I". A literal is "L", its type, its value and "E".
static bool skip_arguments(Reader *r) {
  Str part;
  for (size_t depth = 1; depth;) {
    if (at_digit(r)) {
      if (!take_part(r, &part)) return false;
    } else if (str_take(&r->left, 'L')) {
      if (at_digit(r) ? !take_part(r, &part) : !r->left.n || !islower((unsigned char)r->left.at[0]))
        return false;
      while (r->left.n && r->left.at[0] != 'E') r->left.at++, r->left.n--;
      if (!str_take(&r->left, 'E')) return false;
    } else if (str_take(&r->left, 'I') || str_take(&r->left, 'N') || str_take(&r->left, 'F') ||
               str_take(&r->left, 'J')) {
      depth++;
    } else if (str_take(&r->left, 'E')) {
      depth--;
    } else if (str_take(&r->left, 'X') || !r->left.n) {
      return false;
    } else {
      r->left.at++, r->left.n--;
    }
  }
  return true;
}

static bool take_nested(Reader *r) {
  Str part;
  while (str_take(&r->left, 'r') || str_take(&r->left, 'V') || str_take(&r->left, 'K')) continue;
  for (bool any = false; !str_take(&r->left, 'E'); any = true) {
    if (any && str_take(&r->left, 'I')) {
      if (!skip_arguments(r)) return false;
      continue;
    }
    str_take(&r->left, 'L');
    if (!take_part(r, &part)) return false;
    put_part(r, part);
  }
  return r->to->n > r->start;
}

// nvcc splits small arrays into variables: "_$_3" of s[3]. The numbers of variables of one name are not written.
static void put_indices(Reader *r, Str text) {
  for (size_t i = 0; i < text.n; i++) {
    bool begins = i && text.at[i - 1] == '_' && i > 1 && text.at[i - 2] == '$';
    size_t n = 0;
    while (begins && i + n < text.n && isdigit((unsigned char)text.at[i + n])) n++;
    if (n) buf_printf(r->to, "[%.*s]", (int)n, text.at + i);
  }
}

// The name after a function's parameters: the rest must be it.
static bool take_last(Reader *r) {
  Str part;
  while (r->left.n) {
    if (!str_take(&r->left, 'E')) {
      r->left.at++, r->left.n--;
      continue;
    }
    Reader last = *r;
    str_take(&last.left, 'L');
    if (!take_part(&last, &part)) continue;
    Str indices = last.left;
    while (last.left.n && (strchr("_$", last.left.at[0]) || at_digit(&last))) last.left.at++, last.left.n--;
    if (last.left.n) continue;
    put_part(r, part);
    put_indices(r, indices);
    return true;
  }
  return false;
}

static bool take_entity(Reader *r) {
  Str part;
  bool is_local = str_take(&r->left, 'Z');
  if (str_take(&r->left, 'N')) {
    if (!take_nested(r)) return false;
  } else {
    str_take(&r->left, 'L');
    if (!take_part(r, &part)) return false;
    put_part(r, part);
  }
  return !is_local || take_last(r);
}

void demangle(Str name, Buf *out) {
  Reader r = {.left = name, .to = out, .start = out->n};
  if (str_take(&r.left, '_') && str_take(&r.left, 'Z') && take_entity(&r) && out->n > r.start) return;
  out->n = r.start;
  buf_str(out, name);
}

const char *demangled(Arena *arena, Str name) {
  Buf shown = {0};
  demangle(name, &shown);
  const char *copy = arena_copy(arena, buf_view(&shown));
  buf_free(&shown);
  return copy;
}
