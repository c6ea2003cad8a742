// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of Python's own modules, packaging and Triton's lists of names, for conditions of the module level.
//
// The environment is this process's, like that of a Python that imports the file. Each read of it gives a
// remark. sys.version_info is known only if a condition has the same value for all Pythons (elab_truth.c).
#include "frontend/module/elab_module.h"

#include <stdlib.h>

// --- Triton's names ---

bool triton_has_module(const char *path) {
#define TRITON_VERSION(text)
#define TRITON_MODULE(name)                                                                                  \
  if (strcmp(path, name) == 0) return true;
#define TRITON_MEMBER(module, name)
#include "frontend/module/triton_names.def"
#undef TRITON_MODULE
#undef TRITON_MEMBER
  return false;
}

typedef struct TritonMember {
  const char *module, *name;
} TritonMember;

static const TritonMember triton_members[] = {
#define TRITON_MODULE(name)
#define TRITON_MEMBER(module, name) {module, name},
#include "frontend/module/triton_names.def"
#undef TRITON_MODULE
#undef TRITON_MEMBER
#undef TRITON_VERSION
};

// A NULL name: any.
static bool has_member(const char *path, const char *name) {
  for (size_t i = 0; i < sizeof triton_members / sizeof *triton_members; i++)
    if (strcmp(triton_members[i].module, path) == 0 && (!name || strcmp(triton_members[i].name, name) == 0))
      return true;
  return false;
}

bool triton_has_member(const char *path, const char *name) { return has_member(path, name); }
bool triton_lists_members(const char *path) { return has_member(path, NULL); }

bool python_has_module(const char *path) {
  static const char *const names[] = {"abc",
                                      "collections",
                                      "contextlib",
                                      "copy",
                                      "dataclasses",
                                      "enum",
                                      "functools",
                                      "inspect",
                                      "itertools",
                                      "json",
                                      "logging",
                                      "math",
                                      "operator",
                                      "os",
                                      "pathlib",
                                      "random",
                                      "re",
                                      "sys",
                                      "time",
                                      "types",
                                      "typing",
                                      "warnings",
                                      "importlib",
                                      "os.path",
                                      "importlib.util",
                                      "importlib.metadata",
                                      "collections.abc",
                                      NULL};
  return str_is_one_of(path, names);
}

// --- Members ---

static Obj python_version(Elab *e, Loc loc) {
  if (!e->python_minor)
    return elab_error(
        e, loc, "[T0404] the version of Python is unknown here; give the name that depends on it with -D");
  e->python_read = true;
  Obj version = obj_tuple(e, 5);
  version.items.at[0] = obj_int(3);
  version.items.at[1] = obj_int(e->python_minor);
  version.items.at[2] = obj_int(e->python_micro);
  version.items.at[3] = obj_string(e, STR("final"));
  version.items.at[4] = obj_int(0);
  return version;
}

bool python_member(Elab *e, Loc loc, const char *path, const char *name, Obj *obj) {
  static const char *const os[] = {"environ", "getenv", NULL};
  static const char *const named[] = {"namedtuple", "NamedTuple", NULL};
  static const char *const version[] = {"parse", "Version", NULL};
  static const char *const importlib[] = {
      "util", "find_spec", "module_from_spec", "import_module", "metadata", "version", NULL};
  bool typing = strcmp(path, "typing") == 0 || strcmp(path, "typing_extensions") == 0;
  bool known = machine_spec_member(e, path, name, obj) || host_member(e, path, name, obj);
  if (known) return true;
  if (typing && strcmp(name, "TYPE_CHECKING") == 0)
    *obj = obj_bool(false), known = true;
  else if (strcmp(path, "sys") == 0 && strcmp(name, "version_info") == 0)
    *obj = python_version(e, loc), known = true;
  else if ((strcmp(path, "os") == 0 && str_is_one_of(name, os)) ||
           ((typing || strcmp(path, "collections") == 0) && str_is_one_of(name, named)) ||
           (strcmp(path, "os.environ") == 0 && strcmp(name, "get") == 0) ||
           (str_starts(str_from(path), "importlib") && str_is_one_of(name, importlib)) ||
           (strcmp(path, "packaging") == 0 && strcmp(name, "version") == 0) ||
           (strcmp(path, "packaging.version") == 0 && str_is_one_of(name, version))) {
    *obj = (Obj){.kind = OBJ_NAMESPACE,
                 .path = intern(&e->ir->names, str_from(arena_printf(e->arena, "%s.%s", path, name)))};
    known = true;
  }
  return known;
}

// --- Calls ---

static bool string_arg(Elab *e, const Expr *call, uint32_t at, const char **text) {
  if (at >= call->call.args.n || call->call.args.at[at].name || call->call.args.at[at].stars) return false;
  Obj obj = elab_expr(e, call->call.args.at[at].value);
  if (!obj_is(&obj, CONST_STR)) return false;
  *text = obj.constant.str;
  return true;
}

static Obj spec(Elab *e, const Expr *call) {
  const char *module;
  if (!string_arg(e, call, 0, &module))
    return elab_error(e, call->loc, "[T0404] the module's name must be a string");
  return machine_find_spec(e, call, module);
}

static Obj imported(Elab *e, const Expr *call) {
  const char *module;
  if (!string_arg(e, call, 0, &module))
    return elab_error(e, call->loc, "[T0404] the module's name must be a string");
  return machine_import(e, call, module);
}

static Obj module_from_spec(Elab *e, const Expr *call) {
  Obj spec = call->call.args.n == 1 ? elab_expr(e, call->call.args.at[0].value) : obj_none();
  return spec.kind == OBJ_ERROR ? spec : machine_module_from_spec(e, call, &spec);
}

// importlib.metadata.version("triton"). Other packages depend on the machine.
static Obj package_version(Elab *e, const Expr *call) {
  const char *package;
  if (string_arg(e, call, 0, &package) && strcmp(package, "triton") == 0)
    return obj_string(e, STR(TRITON_VERSION_TEXT));
  return elab_error(e, call->loc, "[T0404] the installed version of a package is unknown, except triton's");
}

static Obj environment(Elab *e, const Expr *call) {
  const char *name;
  if (!string_arg(e, call, 0, &name))
    return elab_error(e, call->loc, "[T0404] the variable's name must be a string");
  const char *value = getenv(name);
  diag_remark(e->diags, call->loc, "elaborate",
              value ? "the environment's '%s' is '%s'" : "the environment has no '%s'", name,
              value ? value : "");
  if (value) return obj_string(e, str_from(value));
  return call->call.args.n > 1 ? elab_expr(e, call->call.args.at[1].value) : obj_none();
}

// "3.6.0" as (3, 6, 0, 0). Trailing zeros make no difference. Text after the numbers ("rc1") is ignored.
static Obj version(Elab *e, const Expr *call) {
  enum { PARTS = 4 };
  const char *text;
  if (!string_arg(e, call, 0, &text)) return elab_error(e, call->loc, "[T0404] a version needs a string");
  Obj parts = obj_tuple(e, PARTS);
  for (uint32_t i = 0; i < PARTS; i++) {
    char *end;
    long value = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
    if (*text >= '0' && *text <= '9') text = end;
    parts.items.at[i] = obj_int(value);
    if (*text == '.' && text[1] >= '0' && text[1] <= '9') text++;
  }
  if (*text) return elab_error(e, call->loc, "[T0404] this version has parts that are not numbers");
  return parts;
}

bool python_call(Elab *e, const Expr *call, const char *path, Obj *obj) {
  if (host_call(e, call, path, obj)) return true;
  if (strcmp(path, "os.getenv") == 0 || strcmp(path, "os.environ.get") == 0)
    *obj = environment(e, call);
  else if (strcmp(path, "importlib.util.find_spec") == 0)
    *obj = spec(e, call);
  else if (strcmp(path, "importlib.util.module_from_spec") == 0)
    *obj = module_from_spec(e, call);
  else if (strcmp(path, "importlib.import_module") == 0)
    *obj = imported(e, call);
  else if (strcmp(path, "importlib.metadata.version") == 0)
    *obj = package_version(e, call);
  else if (strcmp(path, "loader exec_module") == 0)
    *obj = obj_none();
  else if (strcmp(path, "packaging.version.parse") == 0 || strcmp(path, "packaging.version.Version") == 0)
    *obj = version(e, call);
  else if (strcmp(path, "collections.namedtuple") == 0 || strcmp(path, "typing.NamedTuple") == 0)
    *obj = elab_named_call(e, call);
  else
    return false;
  return true;
}
