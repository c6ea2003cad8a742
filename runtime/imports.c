// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/imports.h"

#include <stdio.h>

enum { MAX_FILES = 256, MAX_BYTES = 1 << 24 };

bool import_read_file(void *data, Arena *arena, const char *path, Str *text) {
  (void)data;
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  Buf buf = {0};
  char part[4096];
  size_t n;
  while (buf.n <= MAX_BYTES && (n = fread(part, 1, sizeof part, file)) > 0) buf_str(&buf, (Str){part, n});
  bool good = !ferror(file) && buf.n <= MAX_BYTES;
  fclose(file);
  if (good) *text = (Str){arena_copy(arena, buf_view(&buf)), buf.n};
  buf_free(&buf);
  return good;
}

typedef struct Files {
  Compilation *c;
  VEC(Module *) list; // those read so far; the first is the main file
} Files;

static Module *find_file(const Files *files, const char *path) {
  for (uint32_t i = 0; i < files->list.n; i++)
    if (strcmp(sources_name(&files->c->sources, files->list.at[i]->file), path) == 0)
      return files->list.at[i];
  return NULL;
}

static Module *read_file(Files *files, const char *path) {
  Compilation *c = files->c;
  Str text;
  Module *module = find_file(files, path);
  if (module || files->list.n >= MAX_FILES || !c->reader.read(c->reader.data, &c->arena, path, &text))
    return module;
  uint16_t file = sources_add(&c->sources, path, text);
  module = syntax_parse(&c->arena, &c->ir.names, &c->diags, &c->sources, file, syntax_mode_of(path));
  vec_push(&c->arena, &files->list, module);
  return module;
}

// The file of module "a.b", `dots` leading dots, imported by the file `from`; NULL where there is none.
static Module *find_module(Files *files, const char *from, uint32_t dots, const char *name) {
  static const char *const suffixes[] = {".py", ".tile"};
  Arena *arena = &files->c->arena;
  const char *slash = strrchr(from, '/');
  Buf path = {0};
  if (slash) buf_str(&path, (Str){from, (size_t)(slash + 1 - from)});
  for (uint32_t i = 1; i < dots && i < 32; i++) buf_text(&path, "../");
  for (const char *at = name; *at; at++) buf_char(&path, *at == '.' ? '/' : *at);
  const char *stem = arena_copy(arena, buf_view(&path));
  buf_free(&path);
  Module *module = NULL;
  for (int i = 0; i < 2 && !module; i++)
    module = read_file(files, arena_printf(arena, "%s%s", stem, suffixes[i]));
  return module;
}

// Triton's own modules, and those of which its kernels use nothing.
static bool is_library(const char *name) {
  static const char *const libraries[] = {"triton", "torch", "numpy", "math", "typing", "os", "sys"};
  size_t n = strcspn(name, ".");
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (strlen(libraries[i]) == n && memcmp(libraries[i], name, n) == 0) return true;
  return false;
}

static void follow_import(Files *files, const char *from, Import *import) {
  if (!import->dots && import->from && is_library(import->module)) return;
  bool named = import->from && import->module[0];
  Module *module = named ? find_module(files, from, import->dots, import->module) : NULL;
  for (uint32_t i = 0; i < import->names.n; i++) {
    ImportName *item = &import->names.at[i];
    if (!named && !is_library(item->name)) module = find_module(files, from, import->dots, item->name);
    item->module = module;
  }
}

void imports_follow(Compilation *c) {
  Files files = {.c = c};
  if (!c->reader.read || !c->syntax) return;
  vec_push(&c->arena, &files.list, (Module *)(uintptr_t)c->syntax);
  for (uint32_t i = 0; i < files.list.n; i++) {
    const Module *module = files.list.at[i];
    const char *name = sources_name(&c->sources, module->file);
    for (uint32_t k = 0; k < module->imports.n; k++) follow_import(&files, name, module->imports.at[k]);
  }
}
