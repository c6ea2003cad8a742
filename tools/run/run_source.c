// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source of a PTX file, as .file and .loc name it: its lines for reports, and the names of the kernel's parameters,
// which nvcc does not write to PTX.
#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/demangle.h"
#include "runtime/compile/imports.h"
#include "tools/run/run.h"

// ---- files ----

static Str next_line(Str *text) {
  Str line = str_take_until(text, '\n');
  while (line.n && isspace((unsigned char)line.at[0])) line = (Str){line.at + 1, line.n - 1};
  return line;
}

// Reads a line `.file 1 "a.cu"`. False for another line.
static bool file_line(Str line, unsigned long *number, Str *name) {
  if (!str_starts(line, ".file")) return false;
  *number = strtoul(line.at + strlen(".file"), NULL, 10);
  const char *from = memchr(line.at, '"', line.n);
  const char *end = from ? memchr(from + 1, '"', line.n - (size_t)(from + 1 - line.at)) : NULL;
  if (!end) return false;
  *name = (Str){from + 1, (size_t)(end - from) - 1};
  return true;
}

static bool is_newer(const char *path, const char *than) {
  struct stat a, b;
  return stat(path, &a) == 0 && stat(than, &b) == 0 && a.st_mtime > b.st_mtime;
}

// A source that is not where the compiler read it may be next to the PTX.
static void add_source(Run *run, const char *name) {
  const char *ptx = run->options->file, *path = name;
  Str text;
  if (!import_read_file(NULL, run->arena, path, &text, NULL)) {
    path = arena_printf(run->arena, "%.*s%s", (int)(path_name(ptx) - ptx), ptx, path_name(name));
    if (!import_read_file(NULL, run->arena, path, &text, NULL)) return;
  }
  sources_add(&run->c->sources, name, text);
  if (!run->ptx_hint && is_newer(path, ptx))
    run->ptx_hint = arena_printf(run->arena, "%s is newer than the PTX: its lines may have moved", path);
}

// ---- names of parameters ----

// Without comments, in which there may be any characters.
static const char *without_comments(Arena *arena, Str text) {
  char *code = arena_alloc(arena, text.n + 1);
  char end = 0; // of the comment: '\n', or the '/' of "*/"
  for (size_t i = 0; i < text.n; i++) {
    bool two = i + 1 < text.n && text.at[i] == '/';
    if (!end && two && (text.at[i + 1] == '/' || text.at[i + 1] == '*'))
      end = text.at[i + 1] == '/' ? '\n' : '/';
    code[i] = end ? ' ' : text.at[i];
    if (end && text.at[i] == end && (end == '\n' || text.at[i - 1] == '*')) end = 0;
  }
  code[text.n] = 0;
  return code;
}

static const char *skip_blanks(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

// The parameter list of the function's first mention from `code` on that is followed by '('. NULL: none.
static const char *list_of(const char *code, const char *function) {
  size_t n = strlen(function);
  for (const char *at = code; (at = strstr(at, function)); at += n) {
    const char *list = skip_blanks(at + n);
    if ((at == code || !char_is_word(at[-1])) && *list == '(') return list + 1;
  }
  return NULL;
}

// The name that a declaration such as "const float *__restrict__ x" or "int n = 3" gives: its last word, or that after
// "(*". Empty: it has one word, so no name.
static Str declared(Str text) {
  size_t words = 0;
  Str last = {0};
  for (size_t i = 0; i < text.n && text.at[i] != '=';) {
    Str word = {text.at + i, 0};
    while (i < text.n && char_is_word(text.at[i])) i++, word.n++;
    if (word.n && !isdigit((unsigned char)word.at[0])) last = word, words++;
    if (word.n && i < text.n && text.at[i] == ')') break; // "(*f)(int)"
    if (!word.n) i++;
  }
  return words > 1 ? last : (Str){0};
}

// Reads the names up to the ')', after which a body has to begin. False if there are not `count` of them.
static bool names_of(Arena *arena, const char *list, uint32_t count, const char **names) {
  uint32_t n = 0;
  int depth = 0;
  const char *from = list;
  for (const char *at = list; *at; at++) {
    depth += (strchr("([{<", *at) != NULL) - (strchr(")]}>", *at) != NULL);
    if (depth > 0 || (depth == 0 && *at != ',')) continue;
    Str name = declared((Str){from, (size_t)(at - from)});
    if (n == count || !name.n) return false;
    names[n++] = arena_copy(arena, name);
    from = at + 1;
    if (depth < 0) return n == count && *skip_blanks(from) == '{';
  }
  return false;
}

// The first .loc of the entry's body: the line of its name.
static bool body_place(const Run *run, const char *entry, unsigned long *file, unsigned long *line) {
  Str body;
  run_entry_param(run, entry, 0, &body);
  while (body.n) {
    Str text = next_line(&body);
    if (!str_starts_word(text, ".loc")) continue;
    char *end;
    *file = strtoul(text.at + strlen(".loc"), &end, 10);
    *line = strtoul(end, NULL, 10);
    return *line != 0;
  }
  return false;
}

// False if nvcc or LLVM made the names: "add_param_0".
static bool take_ptx_names(Run *run, const char *entry) {
  const char **names = ARENA_ARRAY(run->arena, const char *, run->param_count);
  for (uint32_t i = 0; i < run->param_count; i++) {
    Str body, name = run_entry_param(run, entry, i, &body);
    names[i] = arena_copy(run->arena, name);
    if (!name.n || strstr(names[i], "_param_")) return false;
  }
  run->source_names = names;
  return true;
}

static void take_source_names(Run *run, const char *entry, const char *file, unsigned long line) {
  const char *function = demangled(run->arena, str_from(entry)), *colon = strrchr(function, ':');
  Sources *sources = &run->c->sources;
  Str first = sources_line(sources, sources_named(sources, file), (uint32_t)line);
  if (!first.at) return;
  const char *code = without_comments(run->arena, str_from(first.at)); // the source from this line on
  const char *list = list_of(code, colon ? colon + 1 : function);
  const char **names = ARENA_ARRAY(run->arena, const char *, run->param_count);
  if (list && names_of(run->arena, list, run->param_count, names)) run->source_names = names;
}

// nvcc's PTX begins with comments that name it.
static bool is_of_nvcc(Str ptx) {
  while (str_starts(ptx, "//"))
    if (str_starts(next_line(&ptx), "// Generated by NVIDIA NVVM")) return true;
  return false;
}

void run_read_source(Run *run, const char *entry) {
  unsigned long number, kernel_file = 0, line = 0;
  const char *kernel_name = NULL;
  Str text = run->text, name;
  bool has_place = body_place(run, entry, &kernel_file, &line);
  if (!has_place && is_of_nvcc(run->text))
    run->ptx_hint = "the PTX has no lines of its source: nvcc adds them with -lineinfo";
  while (text.n) {
    if (!file_line(next_line(&text), &number, &name)) continue;
    const char *copy = arena_copy(run->arena, name);
    add_source(run, copy);
    if (number == kernel_file) kernel_name = copy;
  }
  if (!take_ptx_names(run, entry) && kernel_name) take_source_names(run, entry, kernel_name, line);
}

const char *run_source_name(const Run *run, const char *name) {
  char *rest;
  unsigned long number = strtoul(name, &rest, 10);
  if (rest == name || !run->source_names || number >= run->param_count) return name;
  return arena_printf(run->arena, "%s%s", run->source_names[number], rest);
}
