// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/imports.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/read.h"

enum { MAX_FILES = 256, MAX_BYTES = 1 << 24, MAX_UP = 8, MAX_WANTED = 4096 };

bool import_is_irregular(const char *path) {
  struct stat info;
  if (str_starts(str_from(path), "/dev/") || str_starts(str_from(path), "/proc/")) return false;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool import_read_file(void *data, Arena *arena, const char *path, Str *text, Shown *shown) {
  (void)data;
  (void)shown;
  FILE *file = import_is_irregular(path) ? NULL : fopen(path, "rb");
  if (!file) return false;
  Buf buf = {0};
  bool good = buf_read(&buf, file, MAX_BYTES) && buf.n <= MAX_BYTES;
  fclose(file);
  if (good) *text = (Str){arena_copy(arena, buf_view(&buf)), buf.n};
  buf_free(&buf);
  return good;
}

// A name that is used from a file. NULL means the file's own code.
typedef struct Wanted {
  const Module *module, *by; // by: the file whose code uses the name
  const char *name;          // interned
} Wanted;

typedef struct Files {
  Compilation *c;
  VEC(Wanted) wanted; // a work list, in order
  VEC(Module *) list; // files read so far; the first is the main file
  Loc loc;            // of the imported name
} Files;

static Module *find_file(const Files *files, const char *path) {
  for (uint32_t i = 0; i < files->list.n; i++)
    if (strcmp(sources_path(&files->c->sources, files->list.at[i]->file), path) == 0)
      return files->list.at[i];
  return NULL;
}

static Module *read_file(Files *files, const char *path) {
  Compilation *c = files->c;
  Str text;
  Shown shown = {0};
  Module *module = find_file(files, path);
  if (module || files->list.n >= MAX_FILES) return module;
  if (!c->reader.read(c->reader.data, &c->arena, path, &text, &shown)) {
    if (c->reader.disk && import_is_irregular(path))
      diag_error(&c->diags, files->loc, "[T1007] '%s' is not a regular file", path);
    return NULL;
  }
  uint16_t file = sources_add(&c->sources, path, text);
  if (shown.name) sources_show(&c->sources, file, shown.name, shown.text);
  module = syntax_parse(&c->arena, &c->ir.names, &c->diags, &c->sources, file, syntax_mode_of(path));
  vec_push(&c->arena, &files->list, module);
  return module;
}

static const char *folder_of(Arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_copy(arena, (Str){path, (size_t)(slash + 1 - path)}) : "";
}

// The parent of `folder` ("" or a text that ends with '/'). NULL above the root.
static const char *folder_above(Arena *arena, const char *folder) {
  size_t n = strlen(folder), last = n ? n - 1 : 0;
  if (n == 1) return NULL;
  while (last > 0 && folder[last - 1] != '/') last--;
  bool dots = n == 0 || strcmp(folder + last, "../") == 0 || strcmp(folder + last, "./") == 0;
  return dots ? arena_printf(arena, "%s../", folder) : arena_copy(arena, (Str){folder, last});
}

// The file of module "a.b" below `folder`: a package's or a plain one. For "" the package of the folder
// itself.
static Module *find_under(Files *files, const char *folder, const char *name, bool package) {
  static const char *const suffixes[] = {"/__init__.py", ".py", ".tile"};
  Arena *arena = &files->c->arena;
  Buf path = {0};
  buf_text(&path, folder);
  for (const char *at = name; *at; at++) buf_char(&path, *at == '.' ? '/' : *at);
  const char *stem = arena_copy(arena, buf_view(&path));
  buf_free(&path);
  if (!name[0]) return read_file(files, arena_printf(arena, "%s__init__.py", stem));
  Module *module = NULL;
  for (int i = 0; i < (package ? 1 : 3) && !module; i++)
    module = read_file(files, arena_printf(arena, "%s%s", stem, suffixes[i]));
  return module;
}

// The file of module "a.b" with `dots` leading dots, imported by the file `from`. NULL if there is none. A
// module without dots is next to that file. Or it is a package, or in a package, in one of the folders above.
static Module *find_module(Files *files, const char *from, uint32_t dots, const char *name) {
  Arena *arena = &files->c->arena;
  const char *folder = folder_of(arena, from);
  for (uint32_t i = 1; i < dots && i < 32 && folder; i++) folder = folder_above(arena, folder);
  Module *module = folder ? find_under(files, folder, name, false) : NULL;
  for (int up = 0; !module && !dots && up < MAX_UP; up++) {
    folder = folder_above(arena, folder);
    if (!folder) break;
    module = find_under(files, folder, name, !strchr(name, '.'));
  }
  return module;
}

// Triton's own modules, and modules that its kernels do not use.
static bool is_library(const char *name) {
  static const char *const libraries[] = {"triton", "torch", "numpy", "math", "typing", "os", "sys", NULL};
  return path_begins_with(name, libraries);
}

// `from m import a`: m's file, and the file of m.a if m is a package.
static void find_from(Files *files, const char *from, const Import *import, ImportName *item) {
  Arena *arena = &files->c->arena;
  item->module = find_module(files, from, import->dots, import->module);
  const char *file = item->module ? sources_path(&files->c->sources, item->module->file) : NULL;
  if (strcmp(item->name, "*") == 0) return;
  const char *dot = import->module[0] ? "." : "";
  if (!file)
    item->whole = find_module(files, from, import->dots,
                              arena_printf(arena, "%s%s%s", import->module, dot, item->name));
  else if (str_ends(str_from(file), "__init__.py"))
    item->whole = find_under(files, folder_of(arena, file), item->name, false);
}

static void follow(Files *files, const Module *module, Import *import, ImportName *item) {
  const char *from = sources_path(&files->c->sources, module->file);
  if (item->followed || (!import->dots && is_library(import->from ? import->module : item->name))) return;
  item->followed = true;
  files->loc = item->loc;
  if (import->from)
    find_from(files, from, import, item);
  else
    item->whole = find_module(files, from, 0, item->name);
}

// --- Use of names ---
// A file is read only if a name from it is used. So a package's __init__ does not bring in the whole package.

static bool mentions(const Module *module, const char *name) {
  uint32_t low = 0, high = module->mentioned.n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = strcmp(module->mentioned.at[middle], name);
    if (order == 0) return true;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

// True if only unconditional imports define the name in the file. Then the file's own code does not change
// it.
static bool only_imports(const Module *module, const char *name) {
  bool imports = false;
  for (uint32_t i = 0; i < module->definitions.n; i++) {
    const Definition *definition = &module->definitions.at[i];
    if (definition->name != name) continue;
    if (definition->kind != DEFINES_IMPORT || definition->guard) return false;
    imports = true;
  }
  return imports;
}

static void want_name(Files *files, Wanted wanted) {
  if (!wanted.module || files->wanted.n >= MAX_WANTED) return;
  if (wanted.name && mentions(wanted.module, wanted.name) && !only_imports(wanted.module, wanted.name))
    wanted.name = NULL;
  if (wanted.name && !wanted.module->imports.n) return;
  for (uint32_t i = 0; i < files->wanted.n; i++)
    if (files->wanted.at[i].module == wanted.module && files->wanted.at[i].name == wanted.name) return;
  vec_push(&files->c->arena, &files->wanted, wanted);
}

// Adds the members that the code of `by` uses from the file `of`. `object` is the file's name there. NULL:
// the name is not known.
static void want_members(Files *files, const Module *of, const Module *by, const char *object) {
  for (uint32_t i = 0; of && i < by->members.n; i++) {
    const Member *member = &by->members.at[i];
    if (!object || member->object == object) want_name(files, (Wanted){of, by, member->name});
  }
}

// The uses of what `import a.b` binds are uses of `b`.
static const char *used_name(const Files *files, const ImportName *item) {
  const char *dot = item->alias ? NULL : strrchr(item->name, '.');
  return dot ? ir_name(&files->c->ir, str_from(dot + 1)) : import_bound_name(&files->c->ir.names, item);
}

// True if one of the file's imports binds the name.
static bool is_bound(const Files *files, const Module *module, const char *name) {
  for (uint32_t i = 0; i < module->imports.n; i++)
    for (uint32_t k = 0; k < module->imports.at[i]->names.n; k++)
      if (import_bound_name(&files->c->ir.names, &module->imports.at[i]->names.at[k]) == name) return true;
  return false;
}

static void follow_wanted(Files *files, Wanted wanted, Import *import, ImportName *item) {
  const Module *module = wanted.module, *by = wanted.name ? wanted.by : module;
  bool all = import->from && strcmp(item->name, "*") == 0;
  if (all && wanted.name && is_bound(files, module, wanted.name)) return;
  const char *bound = import_bound_name(&files->c->ir.names, item);
  if (!all && !(wanted.name ? bound == wanted.name : mentions(module, bound))) return;
  follow(files, module, import, item);
  want_members(files, item->whole, by, wanted.name ? NULL : used_name(files, item));
  if (!all || wanted.name)
    want_name(files, (Wanted){item->module, by, all ? wanted.name : item->name});
  else
    for (uint32_t i = 0; item->module && i < module->mentioned.n; i++)
      if (!is_bound(files, module, module->mentioned.at[i]))
        want_name(files, (Wanted){item->module, by, module->mentioned.at[i]});
}

void imports_follow(Compilation *c) {
  Files files = {.c = c};
  if (!c->reader.read || !c->syntax) return;
  vec_push(&c->arena, &files.list, (Module *)(uintptr_t)c->syntax);
  want_name(&files, (Wanted){c->syntax, c->syntax, NULL});
  for (uint32_t i = 0; i < files.wanted.n; i++) {
    Wanted wanted = files.wanted.at[i];
    const ImportList *imports = &wanted.module->imports;
    for (uint32_t k = 0; k < imports->n; k++)
      for (uint32_t j = 0; j < imports->at[k]->names.n; j++)
        follow_wanted(&files, wanted, imports->at[k], &imports->at[k]->names.at[j]);
  }
}
