// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -MD: the files that an output was made from, as a rule for make.
#include "tools/tool.h"

// Escapes a file name for make.
static void print_file_name(const char *name, Buf *out) {
  for (; *name; name++) {
    if (*name == '$') buf_char(out, '$');
    if (*name == ' ' || *name == '#') buf_char(out, '\\');
    buf_char(out, *name);
  }
}

const char *tool_dependencies_path(const Options *o, const char *output, Arena *arena) {
  if (!o->dependencies || strcmp(o->file, "-") == 0) return NULL;
  const char *base = strcmp(output, "-") == 0 ? o->file : output, *slash = strrchr(base, '/');
  const char *dot = strrchr(slash ? slash + 1 : base, '.');
  size_t stem = dot ? (size_t)(dot - base) : strlen(base);
  return arena_printf(arena, "%.*s.d", (int)stem, base);
}

bool tool_write_dependencies(const Compilation *c, const char *const *outputs, uint32_t count,
                             const char *path) {
  Buf rule = {0};
  for (uint32_t i = 0; i < count; i++) {
    if (i) buf_char(&rule, ' ');
    print_file_name(outputs[i], &rule);
  }
  buf_char(&rule, ':');
  for (uint32_t i = 0; i < c->sources.files.n; i++) {
    if (c->sources.files.at[i].name[0] == '<') continue; // not a file: <signature>, <stdin>
    buf_char(&rule, ' ');
    print_file_name(c->sources.files.at[i].name, &rule);
  }
  buf_char(&rule, '\n');
  bool good = tool_write(path, buf_view(&rule));
  buf_free(&rule);
  return good;
}
