// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shortens what the C++ runtime makes of a mangled name.
#include "base/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The Itanium C++ ABI's own. NULL: it is no mangled name.
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

// nvcc splits small arrays into variables: "_$_3" of s[3].
static const char split[] = "_$_";

static char *demangled_by_runtime(Str name) {
  Buf mangled = {0};
  int status;
  if (!str_starts(name, "_Z")) return NULL;
  buf_str(&mangled, name);
  char *index = strstr(mangled.at, split), *text;
  if (index) *index = '\0';
  text = __cxa_demangle(mangled.at, NULL, NULL, &status);
  buf_free(&mangled);
  return text;
}

// Adds the name to `out` without a return type, parameters and template arguments. *arguments: the last of these.
static void put_name(const char *text, Buf *out, Str *arguments) {
  static const char anonymous[] = "(anonymous namespace)::";
  size_t start = out->n;
  size_t depth = 0;
  const char *begin = text;
  for (const char *c = text; *c; c++) {
    const char *after_file = strncmp(c, "_INTERNAL_", 10) == 0 ? strstr(c, "::") : NULL;
    if (!depth && *c == '<') begin = c;
    if (after_file)
      c = after_file + 1;
    else if (str_starts(str_from(c), anonymous))
      c += sizeof anonymous - 2;
    else if (*c == '<' || *c == '(')
      depth++;
    else if ((*c == '>' || *c == ')') && depth) {
      if (!--depth && *c == '>') *arguments = (Str){begin, (size_t)(c - begin) + 1};
    } else if (str_starts(str_from(c), " const") && c > text && c[-1] == ')')
      c += strlen(" const") - 1;
    else if (*c == ' ' && !depth)
      out->n = start; // a return type was before it
    else if (!depth)
      buf_char(out, *c);
  }
}

void demangle(Str name, Buf *out) {
  char *text = demangled_by_runtime(name);
  Str arguments;
  if (!text || strstr(text, "operator")) {
    buf_str(out, name);
  } else {
    put_name(text, out, &arguments);
    for (size_t i = 0, n = strlen(split); i + n < name.n; i++) {
      if (memcmp(name.at + i, split, n) != 0) continue;
      buf_char(out, '[');
      for (i += n; i < name.n && isdigit((unsigned char)name.at[i]); i++) buf_char(out, name.at[i]);
      buf_char(out, ']'), i--;
    }
  }
  free(text);
}

const char *demangled(Arena *arena, Str name) {
  Buf shown = {0};
  demangle(name, &shown);
  const char *copy = arena_copy(arena, buf_view(&shown));
  buf_free(&shown);
  return copy;
}

bool demangle_arguments(Str name, Buf *out) {
  char *text = demangled_by_runtime(name);
  Buf rest = {0};
  Str arguments = {0};
  if (text) put_name(text, &rest, &arguments);
  for (size_t i = 0; i < arguments.n; i++) { // without the suffixes of 5u and 5ul
    buf_char(out, arguments.at[i]);
    bool number = i && strchr("<, -", arguments.at[i - 1]) && isdigit((unsigned char)arguments.at[i]);
    while (number && isdigit((unsigned char)arguments.at[i + 1])) buf_char(out, arguments.at[++i]);
    while (number && strchr("ul", arguments.at[i + 1])) i++;
  }
  buf_free(&rest);
  free(text);
  return arguments.n != 0;
}
