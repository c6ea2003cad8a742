// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resolves names: a binding of a frame, a function or constant of a file, an import, a module of Triton or
// its member.
#include "frontend/elaborate/elab_refuse.h"

#include <math.h>

static const char *interned(Elab *e, const char *text) { return intern(&e->ir->names, str_from(text)); }

// Parts of Triton's module names; anything below one of them is a module too. Also types without a
// counterpart here: they can be compared with others.
static bool is_namespace_part(const char *name) {
  static const char *const parts[] = {
      "float8e4b8", "float8e4b15", "float8e5b16", "hip", // its libdevice has the same
                                                         // functions
      "language", "math", "extra", "cuda", "libdevice", "core", "standard", "runtime", "target_info",
      "random", "PropagateNan", "nvidia", "triton_helpers", "profiler", NULL};
  return str_is_one_of(name, parts);
}

// TorchInductor's helpers count as Triton's, because its kernels use them.
bool elab_is_triton(const char *path) {
  return strcmp(path, "triton") == 0 || str_starts(str_from(path), "triton.") ||
         str_starts(str_from(path), "torch._inductor.runtime") || strcmp(path, "libdevice") == 0;
}

uint32_t elab_namespace_scope(const char *path) {
  if (str_starts(str_from(path), "triton.profiler")) return SCOPE_PROFILER;
  if (str_ends(str_from(path), ".target_info")) return SCOPE_TARGET;
  if (str_ends(str_from(path), "libdevice")) return SCOPE_LIB;
  if (str_ends(str_from(path), "triton_helpers")) return SCOPE_HELPER;
  return str_ends(str_from(path), ".math") ? SCOPE_TL | SCOPE_LIB : SCOPE_TL;
}

// The numbers of Python's module math.
bool elab_math_number(const char *name, Obj *obj) {
  static const struct {
    const char *name;
    double value;
  } numbers[] = {{"pi", 0x1.921fb54442d18p+1},
                 {"e", 0x1.5bf0a8b145769p+1},
                 {"tau", 0x1.921fb54442d18p+2},
                 {"inf", INFINITY},
                 {"nan", NAN}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(name, numbers[i].name) == 0) {
      *obj = obj_float(numbers[i].value);
      return true;
    }
  return false;
}

// A member of a Triton module or of Python's math. False if there is no such name.
bool elab_namespace_member(Elab *e, const char *path, const char *name, Obj *obj) {
  if (strcmp(path, "math") == 0) return elab_math_number(name, obj);
  if (!elab_is_triton(path)) return false;
  if (str_ends(str_from(path), "PropagateNan") && (strcmp(name, "ALL") == 0 || strcmp(name, "NONE") == 0)) {
    *obj = obj_string(e, str_from(name));
    return true;
  }
  uint32_t scope = elab_namespace_scope(path);
  const Builtin *builtin = builtin_find(name, scope);
  if (builtin) {
    *obj = (Obj){.kind = OBJ_BUILTIN, .builtin = builtin};
    return true;
  }
  if ((strcmp(path, "triton") == 0 || strcmp(path, "triton.language") == 0) &&
      strcmp(name, "__version__") == 0) {
    *obj = obj_string(e, STR(TRITON_VERSION_TEXT));
    return true;
  }
  if (str_ends(str_from(path), ".core") && strcmp(name, "CONSTEXPR_0") == 0) {
    *obj = obj_int(0);
    return true;
  }
  Elem elem;
  if ((scope & SCOPE_TL) && elem_parse(str_from(name), &elem)) {
    *obj = obj_type(elab_scalar(e, elem));
    return true;
  }
  if ((scope & SCOPE_TL) && strcmp(name, "TRITON_MAX_TENSOR_NUMEL") == 0) {
    *obj = obj_int(TILE_MAX_ELEMENTS);
    return true;
  }
  if ((scope & SCOPE_TL) && strcmp(name, "pi32_t") == 0) {
    *obj = obj_type(type_ptr(e->ir, elab_scalar(e, ELEM_I32)));
    return true;
  }
  if (!is_namespace_part(name)) return false;
  *obj = (Obj){.kind = OBJ_NAMESPACE, .path = interned(e, arena_printf(e->arena, "%s.%s", path, name))};
  return true;
}

// The Python package has Triton's names under its own: `import tilec.language as tl`, `from tilec import
// jit`.
static const char *as_triton(Elab *e, const char *path) {
  static const char own[] = "tilec";
  const char *rest = path + sizeof own - 1;
  if (strncmp(path, own, sizeof own - 1) != 0 || (*rest && *rest != '.')) return path;
  return interned(e, arena_printf(e->arena, "triton%s", rest));
}

// The object that `import a.b` or `import a.b as c` binds.
static Obj imported_module(Elab *e, const ImportName *item) {
  Str head = str_from(item->name);
  const char *dot = item->alias ? NULL : strchr(head.at, '.');
  if (dot) head.n = (size_t)(dot - head.at);
  const char *path = intern(&e->ir->names, head);
  return (Obj){.kind = OBJ_NAMESPACE,
               .path = item->whole ? path : as_triton(e, path),
               .file = dot ? NULL : item->whole};
}

// The number of the file's definitions before this import, if the import is its own: a package's `from .
// import u`.
static uint32_t visible_to(const Module *file, const Import *import) {
  for (uint32_t i = 0; import && i < file->definitions.n; i++)
    if (file->definitions.at[i].kind == DEFINES_IMPORT && file->definitions.at[i].import == import) return i;
  return file->definitions.n;
}

// Files may import one another in a cycle. The evaluation depth limits it.
static bool file_member_before(Elab *e, Loc loc, const Module *file, const char *name, const Import *import,
                               Obj *obj) {
  if (!elab_enter(e, loc)) {
    *obj = obj_error();
    return true;
  }
  Frame *frame = elab_push(e, NULL);
  frame->module = file;
  frame->visible = visible_to(file, import);
  bool found = elab_own_name(e, loc, name, obj);
  elab_pop(e);
  elab_leave(e);
  return found;
}

bool elab_file_member(Elab *e, Loc loc, const Module *file, const char *name, Obj *obj) {
  return file_member_before(e, loc, file, name, NULL, obj);
}

// The object that `from m import a` binds: from m's file, the file m.a itself, or from Triton.
static Obj imported_from(Elab *e, Loc loc, const Import *import, const ImportName *item) {
  Obj obj;
  const char *module = import->dots ? import->module : as_triton(e, import->module);
  const char *path = interned(e, arena_printf(e->arena, "%s.%s", module, item->name));
  if (item->module && file_member_before(e, loc, item->module, item->name, import, &obj)) return obj;
  if (item->whole) return (Obj){.kind = OBJ_NAMESPACE, .path = item->name, .file = item->whole};
  if (!import->dots && python_member(e, loc, module, item->name, &obj)) return obj;
  if (!import->dots && elab_namespace_member(e, module, item->name, &obj)) return obj;
  return (Obj){.kind = OBJ_NAMESPACE, .path = path};
}

// The object that item `item` of an import binds.
Obj elab_imported(Elab *e, Loc loc, const Import *import, const ImportName *item) {
  return import->from ? imported_from(e, loc, import, item) : imported_module(e, item);
}

// True if `import *` of the file exports the name. `__all__` lists the names. Without it, names with a
// leading underscore are not exported.
static bool is_exported(Elab *e, const Module *file, const char *name) {
  Said before = elab_said(e);
  Obj all = obj_none();
  bool known = elab_file_member(e, LOC_NONE, file, interned(e, "__all__"), &all);
  known = !elab_take_back(e, &before) && known && all.kind == OBJ_TUPLE;
  for (uint32_t i = 0; known && i < all.items.n; i++)
    if (obj_is(&all.items.at[i], CONST_STR) && strcmp(all.items.at[i].constant.str, name) == 0) return true;
  return !known && (name[0] != '_' || all.kind == OBJ_ERROR);
}

// The same for Triton's modules and Python's math.
static bool library_star(Elab *e, Loc loc, const Import *import, const char *name, Obj *obj) {
  const char *module = as_triton(e, import->module);
  bool listed = triton_lists_members(module);
  if (import->dots || name[0] == '_' || (listed && !triton_has_member(module, name))) return false;
  if (strcmp(module, "math") == 0 && python_member(e, loc, module, name, obj)) return true;
  if (elab_namespace_member(e, module, name, obj)) return true;
  if (!listed) return false;
  *obj = (Obj){.kind = OBJ_NAMESPACE, .path = interned(e, arena_printf(e->arena, "%s.%s", module, name))};
  return true;
}

// Handles files whose star imports form a cycle. A name that is being looked up through a star is not looked
// up through it again.
bool elab_star_member(Elab *e, Loc loc, const Import *import, const ImportName *item, const char *name,
                      Obj *obj) {
  if (!item->module) return library_star(e, loc, import, name, obj);
  if (strcmp(name, "__all__") == 0) return false;
  for (uint32_t i = 0; i < e->stars.n; i++)
    if (e->stars.at[i].item == item && e->stars.at[i].name == name) return false;
  vec_push(e->arena, &e->stars, ((Star){item, name}));
  bool gives = is_exported(e, item->module, name) && elab_file_member(e, loc, item->module, name, obj);
  e->stars.n--;
  return gives;
}

// `import a.b` binds `a`, and the module is its member `b`. A package also has the modules that it imports
// from.
bool elab_module_below(Elab *e, const Obj *object, const char *name, Obj *obj) {
  const Module *by = object->file ? object->file : e->frame->module;
  const char *full = arena_printf(e->arena, "%s.%s", object->path, name);
  size_t n = strlen(full);
  for (uint32_t i = 0; i < by->imports.n; i++) {
    const Import *import = by->imports.at[i];
    for (uint32_t k = 0; k < import->names.n; k++) {
      const ImportName *item = &import->names.at[k];
      bool here = !object->file && !import->from && !item->alias && strncmp(item->name, full, n) == 0;
      bool whole = here && !item->name[n] && item->whole;
      if (whole || (object->file && import->from && import->dots == 1 && item->module &&
                    strcmp(import->module, name) == 0))
        return *obj = (Obj){.kind = OBJ_NAMESPACE,
                            .path = interned(e, full),
                            .file = whole ? item->whole : item->module},
               true;
      if (here && item->name[n] == '.')
        return *obj = (Obj){.kind = OBJ_NAMESPACE, .path = interned(e, full)}, true;
    }
  }
  return false;
}

// A name that a `.tile` file has without import, while a `.py` file must import it.
static bool language_name(Elab *e, const char *name, Obj *obj) {
  const Builtin *builtin = builtin_find(name, SCOPE_TL);
  if (!builtin) builtin = builtin_find(name, SCOPE_LIB);
  Elem elem;
  if (builtin)
    *obj = (Obj){.kind = OBJ_BUILTIN, .builtin = builtin};
  else if (elem_parse(str_from(name), &elem))
    *obj = obj_type(elab_scalar(e, elem));
  else
    return false;
  return true;
}

// True if the name must be imported: in a `.py` file, but not in -D or in the text of --grid.
static bool needs_import(const Elab *e, Loc loc) {
  const Module *module = e->frame->module;
  return module->python && !e->only_written && loc.file == module->file;
}

static bool global_name(Elab *e, Loc loc, const char *name, Obj *obj) {
  if (elab_own_name(e, loc, name, obj)) return true;
  const Builtin *builtin = builtin_find(name, SCOPE_PY);
  if (elab_on_host(e) && e->frame->module->python && host_has_function(name)) {
    *obj = (Obj){.kind = OBJ_NAMESPACE, .path = interned(e, arena_printf(e->arena, "builtins.%s", name))};
    return true;
  }
  const char *hint = builtin || !e->frame->module->python ? NULL : elab_python_hint(name);
  if (hint) { // a .py file would call Python's, even if the language has that name
    *obj = elab_error(e, loc, "[T0202] '%s' is Python's own function, which a kernel cannot call; write %s",
                      name, hint);
    return true;
  }
  if (builtin) return *obj = (Obj){.kind = OBJ_BUILTIN, .builtin = builtin}, true;
  if (!needs_import(e, loc) && language_name(e, name, obj)) return true;
  const char *path = strcmp(name, "tl") == 0       ? "triton.language"
                     : strcmp(name, "triton") == 0 ? "triton"
                                                   : NULL;
  if (strcmp(name, "libdevice") == 0) path = "triton.language.extra.libdevice";
  if (path) *obj = (Obj){.kind = OBJ_NAMESPACE, .path = interned(e, path)};
  return path != NULL;
}

static const char *suggest_name(Elab *e, const char *name) {
  uint32_t n, m = 0, frames = e->frame->vars.n;
  const Module *module = e->frame->module;
  const char *const *builtins = builtin_names(e, SCOPE_TL | SCOPE_PY, &n);
  const char **names = ARENA_ARRAY(e->arena, const char *, n + frames + module->definitions.n);
  for (uint32_t i = 0; i < frames; i++) names[m++] = e->frame->vars.at[i].name;
  for (uint32_t i = 0; i < module->definitions.n; i++) names[m++] = module->definitions.at[i].name;
  for (uint32_t i = 0; i < n; i++) names[m++] = builtins[i];
  return elab_did_you_mean(e, str_from(name), names, m);
}

// A grid of the command line is computed from the kernel's parameters.
static Obj unknown_in_grid(Elab *e, Loc loc, const char *name) {
  Buf params = {0};
  for (uint32_t i = 0; i < e->frame->vars.n; i++)
    buf_printf(&params, "%s%s", i ? ", " : "", e->frame->vars.at[i].name);
  elab_error(e, loc, "[T0201] unknown name '%s' in the grid; the kernel's parameters are %s", name,
             buf_view(&params).at);
  buf_free(&params);
  return obj_error();
}

// True if the function assigns the name only later.
static bool assigned_later(Elab *e, Loc loc, const char *name) {
  AssignedNames names = {0};
  if (!e->frame->function) return false;
  elab_assigned(e, &e->frame->function->body, &names);
  for (uint32_t i = 0; i < names.n; i++) {
    if (names.at[i].name != name) continue;
    Diag *diag = diag_error(e->diags, elab_loc(e, loc), "[T0206] '%s' is used before it is assigned", name);
    diag_note(e->diags, diag, elab_loc(e, names.at[i].loc), "it is assigned here; give it a value before");
    return true;
  }
  return false;
}

// Ranks how a file names the language; the smallest is used.
typedef enum Naming { NAMED_MODULE, NAMED_WHOLE, NAMED_BARE, NAMED_PARENT, NAMED_NOT } Naming;

static Naming naming_of(Elab *e, const Import *import, const ImportName *item, const char **prefix) {
  static const char language[] = "triton.language", parent[] = "triton";
  const char *path = as_triton(e, import->from ? import->module : item->name);
  bool is_language = strcmp(path, language) == 0, is_parent = strcmp(path, parent) == 0;
  *prefix = "";
  if (import->from && is_language) return NAMED_BARE;
  if (import->from) {
    *prefix = item->alias ? item->alias : item->name;
    return is_parent && strcmp(item->name, "language") == 0 ? NAMED_MODULE : NAMED_NOT;
  }
  *prefix = item->alias ? item->alias : item->name;
  if (is_language) return item->alias ? NAMED_MODULE : NAMED_WHOLE;
  *prefix = item->alias ? arena_printf(e->arena, "%s.language", item->alias)
                        : arena_printf(e->arena, "%s.language", item->name);
  return is_parent ? NAMED_PARENT : NAMED_NOT;
}

// True if the file has `from triton.language import NAME`, or *.
static bool imports_bare(Elab *e, const Module *file, Str name) {
  const char *prefix;
  for (uint32_t i = 0; i < file->imports.n; i++)
    for (uint32_t k = 0; k < file->imports.at[i]->names.n; k++) {
      const ImportName *item = &file->imports.at[i]->names.at[k];
      if (naming_of(e, file->imports.at[i], item, &prefix) != NAMED_BARE || item->alias) continue;
      if (str_is(name, item->name) || strcmp(item->name, "*") == 0) return true;
    }
  return false;
}

const char *elab_language_prefix(Elab *e, Str name) {
  const Module *file = e->frame ? e->frame->module : e->module;
  const char *best = "tl", *prefix;
  Naming rank = NAMED_NOT;
  if (!file || !file->python) return "tl.";
  for (uint32_t i = 0; i < file->imports.n; i++) {
    const Import *import = file->imports.at[i];
    for (uint32_t k = 0; k < import->names.n; k++) {
      Naming naming = naming_of(e, import, &import->names.at[k], &prefix);
      bool own = str_starts(str_from(prefix), "_tilec"); // The Python package's name, which no user wrote.
      if (naming < rank && !own) rank = naming, best = prefix;
    }
  }
  if (*best) return arena_printf(e->arena, "%s.", best);
  return imports_bare(e, file, name) ? "" : "tl.";
}

// Uses the name that the file has for the module. A name that only libdevice has is imported from there.
static const char *how_to_import(Elab *e, const char *name) {
  Elem elem;
  bool language = elem_parse(str_from(name), &elem) || builtin_find(name, SCOPE_TL);
  const char *module = language ? "triton.language" : "triton.language.extra.libdevice";
  const char *known = language ? "tl" : "libdevice";
  const Module *file = e->frame->module;
  for (uint32_t i = 0; i < file->imports.n; i++) {
    const Import *import = file->imports.at[i];
    for (uint32_t k = 0; k < import->names.n; k++) {
      const ImportName *item = &import->names.at[k];
      if (!import->from && item->alias && strcmp(as_triton(e, item->name), module) == 0) known = item->alias;
    }
  }
  return arena_printf(e->arena, "%s.%s, or 'from %s import %s'", known, name, module, name);
}

// A global of Python's with a plain value, which @triton.jit hides. Python's package defines NAME as _tilec_plain_NAME.
static bool hidden_global(Elab *e, Loc loc, const char *name) {
  const char *plain = intern(&e->ir->names, str_from(arena_printf(e->arena, "_tilec_plain_%s", name)));
  Obj obj;
  if (!elab_in_py(e) || !global_name(e, loc, plain, &obj)) return false;
  elab_error(e, loc,
             "[T0201] '%s' is a global that is not a constexpr: write `%s = %sconstexpr(%s)`, or set "
             "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1",
             name, name, elab_language_prefix(e, str_from("constexpr")), obj_text(e, &obj));
  return true;
}

static Obj unknown_name(Elab *e, Loc loc, const char *name) {
  if (hidden_global(e, loc, name)) return obj_error();
  for (uint32_t i = e->frame->pruned.n; i-- > 0;) {
    const Name *pruned = &e->frame->pruned.at[i];
    if (pruned->name != name) continue;
    Diag *diag = diag_error(e->diags, elab_loc(e, loc), "[T0206] '%s' has no value here", name);
    diag_note(e->diags, diag, elab_loc(e, pruned->loc),
              "its only assignment is here, in a branch that this specialisation does not take");
    return obj_error();
  }
  const char *hint = elab_python_hint(name);
  if (hint) return elab_error(e, loc, "[T0201] unknown name '%s'; write %s", name, hint);
  if (assigned_later(e, loc, name)) return obj_error();
  Obj obj;
  if (needs_import(e, loc) && language_name(e, name, &obj))
    return elab_error(e, loc, "[T0201] '%s' is not imported: write %s", name, how_to_import(e, name));
  const char *advice = elab_foreign_name(e, name);
  if (advice) return elab_error(e, loc, "[T0201] unknown name '%s'%s", name, advice);
  if (e->spec && e->spec->grid && loc.file == e->spec->grid->loc.file) return unknown_in_grid(e, loc, name);
  return elab_error(e, loc, "[T0201] unknown name '%s'%s", name, suggest_name(e, name));
}

static Obj local_name(Elab *e, Loc loc, const Binding *binding) {
  if (binding->maybe) {
    Diag *diag = diag_error(e->diags, elab_loc(e, loc),
                            "[T0206] '%s' may have no value here; give it one before", binding->name);
    diag_note(e->diags, diag, elab_loc(e, binding->loc),
              "it is assigned here, which is only on some of the paths that lead there");
    return obj_error();
  }
  const Obj *obj = &binding->obj;
  if (!e->frame->grid || obj->kind != OBJ_VALUE || obj->value->type->kind != TYPE_SCALAR) return *obj;
  if (type_is_float(obj->value->type)) {
    Diag *diag = diag_error(e->diags, elab_loc(e, loc), "[T1001] a grid cannot depend on the float '%s'",
                            binding->name);
    diag_note(e->diags, diag, binding->loc, "parameter declared here");
    return obj_error();
  }
  e->b.loc = elab_loc(e, loc);
  return obj_value(build_cast(&e->b, obj->value, elab_scalar(e, ELEM_I64)));
}

Obj elab_global_name(Elab *e, const char *name) {
  Obj obj;
  bool before = e->only_written;
  e->only_written = true;
  bool found = global_name(e, e->b.loc, name, &obj);
  e->only_written = before;
  return found ? obj : unknown_name(e, e->b.loc, name);
}

Obj elab_name(Elab *e, Loc loc, const char *name) {
  for (const Frame *frame = e->frame; frame; frame = frame->closure) {
    const Binding *binding = elab_find(frame, name);
    if (binding) return local_name(e, loc, binding);
  }
  Obj obj;
  return global_name(e, loc, name, &obj) ? obj : unknown_name(e, loc, name);
}
