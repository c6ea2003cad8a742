// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elaboration by golden files. tests/golden/FOLDER/NAME.tile begins with a line
//   # spec: [file=PATH] [kernel=NAME] [-D NAME=VALUE]... [PARAM=TYPE, as --signature has it]...
// and has NAME.tir (the module, without locations) or NAME.err (golden_diags.h, remarks too) beside it;
// BLESS=1 rewrites them. file=PATH, relative to tests/, elaborates that file instead.
#ifndef TESTS_UNIT_ELABORATE_GOLDEN_H
#define TESTS_UNIT_ELABORATE_GOLDEN_H


#include <dirent.h>
#include "tests/unit/unit.h"
#include "frontend/frontend.h"
#include "eval/eval.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "tests/unit/golden_diags.h"

typedef struct World {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
} World;

static inline World *world_new(void) {
  World *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->sources.arena = w->diags.arena = &w->arena;
  w->diags.sources = &w->sources;
  ir_context_init(&w->ir, &w->arena, &w->sources, &w->diags);
  return w;
}

static inline void world_free(World *w) {
  arena_free(&w->arena);
  free(w);
}

static inline Str read_file(Arena *arena, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return (Str){0};
  char *text = arena_alloc(arena, 1 << 18);
  size_t n = fread(text, 1, (1 << 18) - 1, file);
  fclose(file);
  return (Str){text, n};
}

static inline const char *name_of(World *w, const char *text, size_t n) {
  return ir_name(&w->ir, (Str){text, n});
}

static inline void add_param(World *w, Spec *spec, const char *word, const char *equals) {
  ParamSpec param = {.name = name_of(w, word, (size_t)(equals - word))};
  ParamTextError error;
  if (!param_parse(&w->ir, str_from(equals + 1), param.name, &param, &error)) fail_msg("%s: %s", word, error.message);
  spec->params[spec->param_count++] = param;
}

static inline void add_constexpr(World *w, Spec *spec, const char *word) {
  const char *equals = strchr(word, '=');
  assert_non_null(equals);
  Constexpr constexpr = {.name = name_of(w, word, (size_t)(equals - word))};
  assert_true(const_parse(&w->ir, str_from(equals + 1), &constexpr.value));
  spec->constexprs[spec->constexpr_count++] = constexpr;
}

// The first line's specification; returns the file to elaborate where it names one.
static inline const char *read_spec(World *w, Str text, Spec *spec) {
  const char *newline = memchr(text.at, '\n', text.n), *file = NULL;
  assert_true(newline && str_starts(text, "# spec:"));
  char *line = arena_copy(&w->arena, (Str){text.at + 7, (size_t)(newline - text.at) - 7});
  *spec = (Spec){.target = target_default()};
  spec->params = ARENA_ARRAY(&w->arena, ParamSpec, 64);
  spec->constexprs = ARENA_ARRAY(&w->arena, Constexpr, 64);
  bool define = false;
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
    const char *equals = strchr(word, '=');
    if (define)
      add_constexpr(w, spec, word);
    else if (str_starts(str_from(word), "kernel="))
      spec->kernel = name_of(w, equals + 1, strlen(equals + 1));
    else if (str_starts(str_from(word), "file="))
      file = equals + 1;
    else if (strcmp(word, "-D") != 0)
      add_param(w, spec, word, equals);
    define = strcmp(word, "-D") == 0;
  }
  return file;
}

static inline Func *elaborate(World *w, const char *name, Str text, const Spec *spec, IrModule **out) {
  uint16_t file = sources_add(&w->sources, name, text);
  Module *module = syntax_parse(&w->arena, &w->ir.names, &w->diags, &w->sources, file, syntax_mode_of(name));
  *out = module_new(&w->ir, &spec->target);
  return w->diags.errors ? NULL : frontend_elaborate(*out, module, spec);
}

static inline void compare(const char *path, Str got) {
  Arena arena = {0};
  if (getenv("BLESS")) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(got.at, 1, got.n, file);
    fclose(file);
  }
  Str expected = read_file(&arena, path);
  if (!expected.at || !str_eq(expected, got)) {
    print_error("%s differs (BLESS=1 rewrites it); got:\n%.*s\n", path, STR_ARG(got));
    arena_free(&arena);
    fail();
  }
  arena_free(&arena);
}

// One kernel of `dir`, by its file's name without ".tile".
static inline void golden(const char *dir, const char *stem) {
  World *w = world_new();
  const char *base = arena_printf(&w->arena, "%s/%s", dir, stem);
  Str text = read_file(&w->arena, arena_printf(&w->arena, "%s.tile", base));
  Spec spec;
  const char *other = read_spec(w, text, &spec), *name = arena_printf(&w->arena, "%s.tile", stem);
  if (other) {
    text = read_file(&w->arena, arena_printf(&w->arena, "%s/%s", TESTS_DIR, other));
    name = other;
  }
  assert_non_null(text.at);
  IrModule *module;
  Buf out = {0};
  Func *func = elaborate(w, name, text, &spec, &module);
  const char *suffix = func ? "tir" : "err";
  if (func) {
    if (!module_verify(module, &w->diags)) {
      diags_print_text(&w->diags, false, &out);
      print_error("%s does not verify:\n%s", stem, out.at);
      fail();
    }
    golden_diags(&w->diags, &out);
    PrintOptions options = {.no_locs = true};
    module_print(module, &options, &out);
  } else {
    assert_true(w->diags.errors > 0);
    golden_diags(&w->diags, &out);
  }
  compare(arena_printf(&w->arena, "%s.%s", base, suffix), buf_view(&out));
  buf_free(&out);
  world_free(w);
}

static inline int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Every NAME.tile of the folder tests/golden/FOLDER, in the order of their names.
static inline void golden_folder(const char *folder) {
  World *w = world_new();
  const char *path = arena_printf(&w->arena, "%s/golden/%s", TESTS_DIR, folder);
  char *stems[512];
  size_t n = 0;
  DIR *dir = opendir(path);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir)) && n < 512;) {
    char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".tile") != 0) continue;
    stems[n] = calloc(1, strlen(entry->d_name) + 1);
    memcpy(stems[n++], entry->d_name, (size_t)(dot - entry->d_name));
  }
  closedir(dir);
  qsort(stems, n, sizeof *stems, by_name);
  assert_true(n > 5);
  for (size_t i = 0; i < n; i++) {
    golden(path, stems[i]);
    free(stems[i]);
  }
  world_free(w);
}

#endif
