// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hints in errors: what to write instead of names of other libraries and of Python, and of values known only
// at run time.
#include "frontend/elaborate/elab_refuse.h"

typedef struct Hint {
  const char *of, *name, *advice;
} Hint;

static const Hint hints[] = {
#define HINT(of, name, advice) {of, name, advice},
#include "frontend/elaborate/hints.def"
#undef HINT
};

static const char *find_hint(const char *of, const char *name) {
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strcmp(hints[i].of, of) == 0 && strcmp(hints[i].name, name) == 0) return hints[i].advice;
  return NULL;
}

static const char *own_or_host_hint(const char *of, const char *name) {
  const char *advice = find_hint(of, name);
  return advice ? advice : find_hint("", name);
}

const char *elab_method_hint(const char *name) { return own_or_host_hint(".", name); }
const char *elab_python_hint(const char *name) { return find_hint("python", name); }
const char *elab_word_hint(const char *name) { return find_hint("word", name); }

// --- Libraries of the host ---

static bool is_host_library(const char *path) {
  static const char *const roots[] = {"torch", "numpy", "math", "jax", "cupy", "scipy", "random", NULL};
  return path_begins_with(path, roots);
}

static const char *own_function(Elab *e, const char *name) {
  Elem elem;
  if (elem_parse(str_from(name), &elem) && triton_has_member("triton.language", name))
    return arena_printf(e->arena, "tl.%s", name);
  if (!triton_has_member("triton.language", name))
    return builtin_find(name, SCOPE_LIB)
               ? arena_printf(e->arena, "libdevice.%s, of tilec.language.extra", name)
               : NULL;
  return builtin_find(name, SCOPE_TL) ? arena_printf(e->arena, "tl.%s", name) : NULL;
}

const char *elab_tl_hint(Elab *e, const char *name) {
  const char *advice = own_or_host_hint("tl", name);
  return advice || !builtin_find(name, SCOPE_LIB) ? advice : own_function(e, name);
}

extern const char numpy_hints[];

// The advice of the table of docs/how-to/coming-from-numpy.md for a name such as "numpy.add.at". cmake/help.py makes a
// line of each row: "add.at ADVICE".
static const char *numpy_hint(Elab *e, const char *path) {
  if (!str_starts(str_from(path), "numpy.")) return NULL;
  const char *name = path + strlen("numpy.");
  size_t n = strlen(name);
  for (const char *line = numpy_hints; *line; line += strcspn(line, "\n") + 1)
    if (strncmp(line, name, n) == 0 && line[n] == ' ')
      return arena_copy(e->arena, (Str){line + n + 1, strcspn(line, "\n") - n - 1});
  return NULL;
}

const char *elab_host_hint(Elab *e, const char *path) {
  const char *dot = strrchr(path, '.'), *advice = NULL;
  if (!dot || !is_host_library(path)) return NULL;
  if (dot != strchr(path, '.')) advice = numpy_hint(e, path); // np.add.at is not an `at` of other libraries
  if (!advice) advice = find_hint("", dot + 1);
  if (!advice) advice = own_function(e, dot + 1);
  return advice ? advice : numpy_hint(e, path);
}

const char *elab_cast_hint(Elab *e, const char *path) {
  const char *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path, *advice = find_hint("", name);
  Elem elem;
  if (!advice) advice = own_function(e, name);
  bool known = advice && str_starts(str_from(advice), "tl.") && elem_spelt(str_from(advice + 3), &elem);
  return known ? arena_printf(e->arena, "x.to(%s)", advice) : NULL;
}

// --- Values ---

const char *elab_value_name(const Elab *e, const Value *value) {
  while (!value->name && value->def && value->def->operand_count == 1 &&
         type_is_tile(value->type) == type_is_tile(op_operand(value->def, 0)->type) &&
         (!type_is_tile(value->type) || value->def->kind == OP_CAST))
    value = op_operand(value->def, 0);
  if (value->name || value->def || value->region != e->func->body || value->index >= e->func->param_count)
    return value->name;
  return e->func->params[value->index].name;
}

// --- Values that are known at run time only ---

enum { MAX_TRACE = 200 }; // values visited

// A scalar parameter of the kernel that the value depends on; NULL: none found.
static const FuncParam *param_behind(const Elab *e, const Value *value, uint32_t *left) {
  if (!value->def) {
    if (value->region != e->func->body || value->index >= e->func->param_count) return NULL;
    return value->type->kind == TYPE_SCALAR ? &e->func->params[value->index] : NULL;
  }
  for (uint32_t i = 0; *left && i < value->def->operand_count; i++) {
    --*left;
    const FuncParam *param = param_behind(e, op_operand(value->def, i), left);
    if (param) return param;
  }
  return NULL;
}

Obj elab_explain_runtime(Elab *e, Diag *diag, const Obj *obj) {
  uint32_t left = MAX_TRACE;
  const FuncParam *param = obj->kind == OBJ_VALUE ? param_behind(e, obj->value, &left) : NULL;
  if (!param) return obj_error();
  diag_note(e->diags, diag, param->loc,
            "'%s' is a run-time parameter; declare it '%s: tl.constexpr' to compile with its value",
            param->name, param->name);
  return obj_error();
}
