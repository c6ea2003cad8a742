// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors for Python features that kernels do not have. They say what to write instead, with the source's own
// text if it is short.
#include "frontend/elaborate/elab_refuse.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_QUOTED = 60, MESSAGE_BYTES = 512 };

// --- The source's own words ---

// A location is cut at the end of its line, which may leave a bracket open.
static bool is_whole(Str text) {
  int depth = 0;
  for (size_t i = 0; i < text.n; i++) {
    depth += strchr("([{", text.at[i]) != NULL;
    depth -= strchr(")]}", text.at[i]) != NULL;
    if (depth < 0 || text.at[i] == '\\') return false;
  }
  return text.n > 0 && depth == 0;
}

// True if an operator follows. The location of a multi-line expression covers only its first operand.
static bool goes_on(Str rest) {
  while (rest.n && rest.at[0] == ' ') rest = (Str){rest.at + 1, rest.n - 1};
  return rest.n && strchr("+-*/%&|^<>@\\", rest.at[0]);
}

const char *elab_source(Elab *e, Loc loc) {
  if (!loc.line || !loc.len || loc.len > MAX_QUOTED || !loc.col) return NULL;
  Str line = sources_line(e->diags->sources, loc.file, loc.line);
  if (line.n < loc.col - 1u + loc.len) return NULL;
  Str text = {line.at + loc.col - 1, loc.len};
  return is_whole(text) && !goes_on((Str){text.at + text.n, line.n - (loc.col - 1u) - loc.len})
             ? arena_copy(e->arena, text)
             : NULL;
}

static const char *source_or(Elab *e, const Expr *expr, const char *otherwise) {
  const char *text = expr ? elab_source(e, expr->loc) : NULL;
  return text ? text : otherwise;
}

// --- Pointers ---

bool obj_is_pointers(const Obj *obj) {
  return obj->kind == OBJ_VALUE && !type_is_block_ptr(obj->value->type) && type_is_ptr(obj->value->type);
}

// For `(x + i).to` that is called, the location of the object.
static Loc called_object(Elab *e, Loc loc) {
  Str line = loc.line && loc.col ? sources_line(e->diags->sources, loc.file, loc.line) : (Str){0};
  size_t end = loc.col - 1u + loc.len, n = 0;
  if (!loc.len || line.n <= end || line.at[end] != '(') return loc;
  while (n < loc.len && line.at[end - 1 - n] != '.') n++;
  if (n + 1 < loc.len) loc.len = (uint16_t)(loc.len - n - 1);
  return loc;
}

// True for "(x + i)", but not for "(x) + (i)".
static bool is_bracketed(const char *text) {
  int depth = 0;
  for (const char *at = text; *at; at++) {
    depth += (*at == '(') - (*at == ')');
    if (depth == 0 && at[1]) return false;
  }
  return text[0] == '(';
}

Obj elab_refuse_pointers(Elab *e, Loc loc, const char *format, ...) {
  char message[MESSAGE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  loc = called_object(e, loc);
  const char *text = elab_source(e, loc);
  if (!text) return elab_error(e, loc, "%s; tl.load reads what pointers point to", message);
  const char *load = arena_printf(e->arena, is_bracketed(text) ? "tl.load%s" : "tl.load(%s)", text);
  uint32_t before = e->diags->list.n;
  elab_error(e, loc, "%s; did you mean %s?", message, load);
  if (e->diags->list.n > before) diag_fixit(e->diags, vec_last(&e->diags->list), elab_loc(e, loc), load);
  return obj_error();
}

const char *elab_operand_advice(Elab *e, const Obj *a, const Obj *b) {
  bool text = obj_is(a, CONST_STR) || obj_is(b, CONST_STR);
  const char *numpy = obj_numpy_name(e, obj_is(a, CONST_STR) ? a : b);
  if (numpy) return strcmp(numpy, "np.ndarray") == 0 ? "; pass the array as an argument" : "";
  bool value = a->kind == OBJ_VALUE || b->kind == OBJ_VALUE;
  if (text && value) return "; strings are made at compile time: tl.device_print(\"x\", x) prints a value";
  if (text) return "; f-strings make a string from constexprs";
  bool both = obj_is_pointers(a) && obj_is_pointers(b);
  if (!obj_is_pointers(a) && !obj_is_pointers(b)) return "";
  if (both && type_element(a->value->type) != type_element(b->value->type)) return ""; // of two types
  const Obj *pointer = obj_is_pointers(a) ? a : b;
  const char *name = elab_value_name(e, pointer->value);
  return name ? arena_printf(e->arena, "; tl.load(%s) reads what it points to", name)
              : "; tl.load reads what pointers point to";
}

// --- Conditions ---

void elab_refuse_condition(Elab *e, Loc loc, const char *what, const Obj *obj) {
  const Type *element = type_element(obj->value->type);
  bool holds = type_is_elem(element, ELEM_I1);
  const char *text = elab_source(e, loc);
  if (text && element->kind == TYPE_PTR) text = NULL;
  if (!text) text = "c";
  if (!holds && strcmp(text, "c") != 0) text = arena_printf(e->arena, "%s != 0", text);
  Diag *diag = diag_error(e->diags, elab_loc(e, loc),
                          "[T0304] %s must be a scalar: a tile has no single truth value, and this is %s",
                          what, obj_describe(e, obj));
  diag_note(
      e->diags, diag, elab_loc(e, loc),
      "use tl.where(%s, one, other) to choose by element, or mask=%s in tl.load and tl.store; "
      "tl.max((%s).to(tl.int32)) != 0 is true if any element is, tl.min((%s).to(tl.int32)) != 0 if all are",
      text, text, text, text);
}

// --- Targets ---

// "tl.arange(0, 64)[:, None]": the indices along a dimension.
static const char *indices_of(Elab *e, const Type *type, uint32_t axis) {
  Buf text = {0};
  buf_printf(&text, "tl.arange(0, %u)", type->shape[axis]);
  for (uint32_t i = 0; type->rank > 1 && i < type->rank; i++)
    buf_printf(&text, "%s%s", i ? ", " : "[", i == axis ? ":" : "None");
  if (type->rank > 1) buf_text(&text, "]");
  return elab_text(e, &text);
}

// The condition for an index of the dimension; NULL: always true. *good: there is text for it.
static const char *condition_of(Elab *e, const Expr *index, const Type *type, uint32_t axis, bool *good) {
  const char *indices = indices_of(e, type, axis);
  if (index->kind == EXPR_ELLIPSIS || index->kind == EXPR_NONE) return *good = false, NULL;
  if (index->kind != EXPR_SLICE) {
    const char *text = elab_source(e, index->loc);
    Obj obj = text ? elab_expr(e, index) : obj_error();
    *good = *good && text && obj.kind != OBJ_ERROR;
    if (obj.kind == OBJ_VALUE && type_is_elem(type_element(obj.value->type), ELEM_I1)) return text;
    return *good ? arena_printf(e->arena, "%s == %s", indices, text) : NULL;
  }
  const Expr *lower = index->slice.lower, *upper = index->slice.upper;
  const char *low = source_or(e, lower, NULL), *high = source_or(e, upper, NULL);
  if (index->slice.step || (lower && !low) || (upper && !high)) *good = false;
  if (low && high) return arena_printf(e->arena, "(%s >= %s) & (%s < %s)", indices, low, indices, high);
  if (low || high) return arena_printf(e->arena, "%s %s %s", indices, low ? ">=" : "<", low ? low : high);
  return NULL;
}

static const char *joined_condition(Elab *e, const Expr *target, const Type *type, bool *good) {
  const ExprList *list = &target->subscript.indices;
  const char *all = NULL;
  *good = list->n <= type->rank;
  for (uint32_t i = 0; *good && i < list->n; i++) {
    const char *one = condition_of(e, list->at[i], type, i, good);
    bool both = one && all;
    if (one) all = both ? arena_printf(e->arena, "(%s) & (%s)", all, one) : one;
  }
  return all;
}

static void refuse_element(Elab *e, const Expr *target, const Type *type, const Expr *value, const char *op) {
  const char *tile = source_or(e, target->subscript.object, "x"), *given = source_or(e, value, "value");
  const char *what = op[0] ? arena_printf(e->arena, "%s %s %s", tile, op, given) : given;
  bool good;
  const char *where = joined_condition(e, target, type, &good);
  if (!good) where = "condition";
  if (where)
    elab_error(
        e, target->loc,
        "[T0305] a tile is immutable: its elements cannot be assigned; write %s = tl.where(%s, %s, %s)", tile,
        where, what, tile);
  else
    elab_error(e, target->loc,
               "[T0305] a tile is immutable: its elements cannot be assigned; write %s = "
               "tl.zeros_like(%s) + (%s)",
               tile, tile, what);
}

// The suffix of tl.atomic_ for `p[i] += x`. NULL: there is none.
static const char *atomic_of(const char *op) {
  static const char *const names[][2] = {{"+", "add"}, {"-", "add"}, {"&", "and"}, {"|", "or"}, {"^", "xor"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(op, names[i][0]) == 0) return names[i][1];
  return NULL;
}

static void refuse_store(Elab *e, const Expr *target, const Expr *value, const char *op) {
  const char *pointer = source_or(e, target->subscript.object, "pointer"),
             *given = source_or(e, value, "value");
  const Expr *index = target->subscript.indices.n == 1 ? target->subscript.indices.at[0] : NULL;
  const char *offsets = index && index->kind != EXPR_SLICE ? source_or(e, index, "offsets") : "offsets";
  if (index && index->kind == EXPR_SLICE && !index->slice.step && index->slice.upper)
    offsets = arena_printf(e->arena, "tl.arange(%s, %s)", source_or(e, index->slice.lower, "0"),
                           source_or(e, index->slice.upper, "n"));
  const char *at = arena_printf(e->arena, "%s + %s", pointer, offsets);
  const char *atomic = atomic_of(op);
  if (atomic)
    elab_error(
        e, target->loc,
        "[T0501] a pointer cannot be indexed; write tl.atomic_%s(%s, %s), or if no other element or program "
        "has this address, tl.store(%s, tl.load(%s) %s %s)",
        atomic, at, op[0] == '-' ? arena_printf(e->arena, "-(%s)", given) : given, at, at, op, given);
  else if (op[0])
    elab_error(e, target->loc, "[T0501] a pointer cannot be indexed; write tl.store(%s, tl.load(%s) %s %s)",
               at, at, op, given);
  else
    elab_error(e, target->loc, "[T0501] a pointer cannot be indexed; write tl.store(%s, %s)", at, given);
}

static void refuse_subscript(Elab *e, const Expr *target, const Expr *value, const char *op) {
  Obj object = elab_expr(e, target->subscript.object);
  const char *text = source_or(e, target->subscript.object, "items");
  if (object.kind == OBJ_ERROR) return;
  if (obj_is_pointers(&object))
    refuse_store(e, target, value, op);
  else if (object.kind == OBJ_VALUE && type_is_tile(object.value->type))
    refuse_element(e, target, object.value->type, value, op);
  else if (object.kind == OBJ_TUPLE)
    elab_error(e, target->loc,
               "[T0305] an element of a tuple or list cannot be assigned: make a new one, as in %s "
               "= %s[:i] + (x,) + "
               "%s[i + 1:]",
               text, text, text);
  else
    elab_error(e, target->loc,
               "[T0305] an element of %s cannot be assigned: only names and tuples of names are",
               obj_describe(e, &object));
}

void elab_refuse_target(Elab *e, const Expr *target, const Expr *value, const char *op) {
  if (target->kind == EXPR_SUBSCRIPT)
    refuse_subscript(e, target, value, op);
  else if (target->kind == EXPR_ATTRIBUTE) // the parser has reported others
    elab_error(e, target->loc,
               "[T0305] an attribute cannot be assigned: assign the value to a new name, as in %s = ...",
               target->attribute.name);
}

// --- Statements ---

static const char *advice_for_module(Elab *e, const char *path, bool read) {
  if (strcmp(path, "math") == 0)
    return ", and a kernel can use only its pi, e, tau, inf and nan; for functions use tl.exp, tl.sqrt and "
           "so on";
  bool known = read || elab_is_triton(path) || strcmp(path, "tilec") == 0;
  return known ? "" : arena_printf(e->arena, ", but a kernel can use nothing from '%s'", path);
}

void elab_refuse_import(Elab *e, const Stmt *stmt) {
  const Import *import = stmt->import;
  const ImportName *first = &import->names.at[0];
  const char *path = import->from ? import->module : first->name;
  bool read = import->dots || first->module || first->whole;
  elab_error(e, stmt->loc, "[T0104] 'import' is not part of a kernel: put it at the top of the file%s",
             advice_for_module(e, path, read));
  for (uint32_t i = 0; i < import->names.n; i++) {
    const ImportName *item = &import->names.at[i];
    const char *name = item->alias ? item->alias : item->name;
    size_t n = item->alias || import->from ? strlen(name) : strcspn(name, ".");
    elab_bind(e, intern(&e->ir->names, (Str){name, n}), item->loc, obj_error());
  }
}

void elab_refuse_with(Elab *e, const Stmt *stmt, const Expr *item) {
  const Expr *callee = item->kind == EXPR_CALL ? item->call.callee : item;
  bool file = callee->kind == EXPR_NAME && strcmp(callee->name, "open") == 0;
  elab_error(e, stmt->loc, "[T0104] 'with' is supported only for a profiler's scopes: %s",
             file ? "a kernel cannot read files; pass the data as an argument, and print with tl.device_print"
                  : "leave it out");
}

// --- Names ---

static bool is_module_of_others(const char *name) {
  static const char *const names[] = {"np",       "numpy",     "torch",      "jax",    "jnp",    "cupy",
                                      "scipy",    "threading", "subprocess", "socket", "pickle", "shutil",
                                      "datetime", "traceback", "pdb",        NULL};
  return str_is_one_of(name, names) || python_has_module(name);
}

const char *elab_foreign_name(Elab *e, const char *name) {
  if (strcmp(name, "math") == 0) return "; write 'import math' at the top of the file";
  if (is_module_of_others(name))
    return ": if it is a module, a kernel can use only Triton's libraries; pass what it computes as an "
           "argument";
  const char *hint = elab_word_hint(name);
  return hint ? arena_printf(e->arena, "; write %s", hint) : NULL;
}
