// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Template arguments in mangled names:
//
//   name      = "_Z" ("N" [rVK]* part+ | part) arguments
//   arguments = "I" argument* "E"
//   argument  = letter of a type | "P" argument | part | "N" part+ "E" | "J" argument* "E" | "L" letter "n"? digits "E"
//
// A part is a length, followed by that number of characters.
#include <ctype.h>
#include <string.h>
#include "base/buf.h"
#include "base/demangle.h"

enum { MAX_DEEP = 8 };

typedef struct Reader {
  Str left;
  Buf *out;
} Reader;

static bool take_part(Reader *r, Str *part) {
  size_t n = 0, digits = 0;
  for (; digits < r->left.n && isdigit((unsigned char)r->left.at[digits]) && n <= r->left.n; digits++)
    n = 10 * n + (size_t)(r->left.at[digits] - '0');
  if (!n || digits + n > r->left.n) return false;
  *part = (Str){r->left.at + digits, n};
  r->left = (Str){part->at + n, r->left.n - digits - n};
  return true;
}

// As C++ writes it; NULL: not a type of one letter.
static const char *type_of(char letter) {
  static const char letters[] = "bcahstijlmxyfd";
  static const char *const names[] = {"bool",  "char",           "signed char", "unsigned char",
                                      "short", "unsigned short", "int",         "unsigned int",
                                      "long",  "unsigned long",  "long long",   "unsigned long long",
                                      "float", "double"};
  const char *at = letter ? strchr(letters, letter) : NULL;
  return at ? names[at - letters] : NULL;
}

static bool put_literal(Reader *r) {
  if (!r->left.n || !type_of(r->left.at[0])) return false;
  bool is_bool = str_take(&r->left, 'b');
  if (!is_bool) r->left = (Str){r->left.at + 1, r->left.n - 1};
  if (str_take(&r->left, 'n')) buf_char(r->out, '-');
  size_t digits = 0;
  while (digits < r->left.n && isdigit((unsigned char)r->left.at[digits])) digits++;
  if (is_bool)
    buf_text(r->out, digits == 1 && r->left.at[0] == '0' ? "false" : "true");
  else
    buf_printf(r->out, "%.*s", (int)digits, r->left.at);
  r->left = (Str){r->left.at + digits, r->left.n - digits};
  return digits && str_take(&r->left, 'E');
}

static bool put_arguments(Reader *r, unsigned deep);

static bool put_argument(Reader *r, unsigned deep) {
  Str part = {0};
  const char *name = r->left.n ? type_of(r->left.at[0]) : NULL;
  if (deep > MAX_DEEP) return false;
  if (str_take(&r->left, 'L')) return put_literal(r);
  if (str_take(&r->left, 'J')) return put_arguments(r, deep);
  if (str_take(&r->left, 'P')) {
    if (!put_argument(r, deep + 1)) return false;
    buf_char(r->out, '*');
    return true;
  }
  if (str_take(&r->left, 'N')) {
    for (bool any = false; !str_take(&r->left, 'E'); any = true) {
      if (!take_part(r, &part)) return false;
      buf_printf(r->out, "%s%.*s", any ? "::" : "", STR_ARG(part));
    }
    return true;
  }
  if (name) {
    buf_text(r->out, name);
    r->left = (Str){r->left.at + 1, r->left.n - 1};
  } else if (take_part(r, &part))
    buf_printf(r->out, "%.*s", STR_ARG(part));
  return name || part.n;
}

static bool put_arguments(Reader *r, unsigned deep) {
  for (bool any = false; !str_take(&r->left, 'E'); any = true) {
    if (any) buf_text(r->out, ", ");
    if (!put_argument(r, deep + 1)) return false;
  }
  return true;
}

// After "_Z".
static bool put_all(Reader *r) {
  Str part;
  bool nested = str_take(&r->left, 'N');
  while (nested && (str_take(&r->left, 'r') || str_take(&r->left, 'V') || str_take(&r->left, 'K'))) continue;
  str_take(&r->left, 'L');
  if (!take_part(r, &part)) return false;
  while (nested && take_part(r, &part)) continue;
  if (!str_take(&r->left, 'I')) return false;
  buf_char(r->out, '<');
  if (!put_arguments(r, 0) || (nested && !str_take(&r->left, 'E'))) return false;
  buf_char(r->out, '>');
  return true;
}

bool demangle_arguments(Str name, Buf *out) {
  Buf text = {0};
  Reader r = {.left = name, .out = &text};
  bool good = str_take(&r.left, '_') && str_take(&r.left, 'Z') && put_all(&r);
  if (good) buf_str(out, buf_view(&text));
  buf_free(&text);
  return good;
}
