// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of named tuples: `class Point(NamedTuple)` in a file, and results of namedtuple(...).
#include "frontend/module/elab_module.h"
#include "frontend/syntax/syntax.h"

#include <ctype.h>

// Makes a class of `n` fields, to be filled in.
static NamedTuple *class_new(Elab *e, const void *origin, const char *name, uint32_t n) {
  NamedTuple *class = ARENA_NEW(e->arena, NamedTuple);
  *class = (NamedTuple){.origin = origin, .name = name, .n = n};
  class->fields = ARENA_ARRAY(e->arena, const char *, n);
  class->defaults = ARENA_ARRAY(e->arena, Obj, n);
  for (uint32_t i = 0; i < n; i++) class->defaults[i].kind = OBJ_ABSENT;
  return class;
}

static Obj class_obj(const NamedTuple *class) { return (Obj){.kind = OBJ_NAMED, .named = class}; }

bool elab_is_field(const Stmt *stmt) {
  return stmt->kind == STMT_ANNOTATED && stmt->annotated.target->kind == EXPR_NAME;
}

bool elab_named_class(Elab *e, const Stmt *stmt, Obj *obj) {
  const Block *body = &stmt->outside.body;
  uint32_t n = 0;
  for (uint32_t i = 0; i < body->n; i++) n += elab_is_field(body->at[i]);
  if (n == 0) return false;
  NamedTuple *class = class_new(e, stmt, stmt->outside.name, n);
  n = 0;
  for (uint32_t i = 0; i < body->n; i++) {
    const Stmt *field = body->at[i];
    if (!elab_is_field(field)) continue;
    class->fields[n] = field->annotated.target->name;
    if (field->annotated.value) class->defaults[n] = elab_expr(e, field->annotated.value);
    n++;
  }
  *obj = class_obj(class);
  return true;
}

// --- @dataclass ---

// The default of a field: `= 3`, `= field(default=3)`, `= field(default_factory=list)`.
static Obj field_default(Elab *e, const Expr *value) {
  bool is_field_call = value->kind == EXPR_CALL && elab_is_decorator(value, "field");
  if (!is_field_call) return elab_expr(e, value);
  for (uint32_t i = 0; i < value->call.args.n; i++) {
    const Arg *arg = &value->call.args.at[i];
    if (arg->name && strcmp(arg->name, "default") == 0) return elab_expr(e, arg->value);
    if (!arg->name || strcmp(arg->name, "default_factory") != 0) continue;
    if (arg->value->kind == EXPR_NAME &&
        (strcmp(arg->value->name, "list") == 0 || strcmp(arg->value->name, "tuple") == 0))
      return obj_tuple(e, 0);
    Obj factory = elab_expr(e, arg->value);
    return elab_apply(e, value->loc, &factory, 0, NULL);
  }
  return (Obj){.kind = OBJ_ABSENT};
}

static bool is_plain_field(const Stmt *stmt) {
  const Expr *type = elab_is_field(stmt) ? stmt->annotated.annotation : NULL;
  if (type && type->kind == EXPR_SUBSCRIPT) type = type->subscript.object;
  return type && strcmp(expr_last_name(type), "ClassVar") != 0;
}

bool elab_data_class(Elab *e, const Module *module, const Stmt *outside, Obj *obj) {
  bool is_enum, frozen;
  if (!elab_on_host(e) || !outside->outside.tokens || !syntax_is_dataclass(outside, &frozen)) return false;
  if (!frozen && module->patches) return false; // fields may be assigned later
  Block body = syntax_class_body(e->arena, &e->ir->names, e->diags, module->file, outside, &is_enum);
  uint32_t n = 0;
  for (uint32_t i = 0; i < body.n; i++) {
    n += is_plain_field(body.at[i]);
    if (body.at[i]->kind == STMT_DEF && (strcmp(body.at[i]->function->name, "__post_init__") == 0 ||
                                         strcmp(body.at[i]->function->name, "__init__") == 0))
      return false;
  }
  NamedTuple *class = class_new(e, outside, outside->outside.name, n);
  n = 0;
  for (uint32_t i = 0; i < body.n; i++) {
    const Stmt *field = body.at[i];
    if (!is_plain_field(field)) continue;
    class->fields[n] = field->annotated.target->name;
    if (field->annotated.value) class->defaults[n] = field_default(e, field->annotated.value);
    n++;
  }
  *obj = class_obj(class);
  return true;
}

// --- namedtuple("Point", "x y", defaults=(0,)), NamedTuple("Point", [("x", int)]) ---

typedef VEC(const char *) FieldNames;

static void add_names(Elab *e, const char *text, FieldNames *names) {
  while (*text) {
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    if (n) vec_push(e->arena, names, intern(&e->ir->names, (Str){text, n}));
    text += n ? n : 1;
  }
}

// Reads "x y", ["x", "y"] or [("x", int), ("y", int)]. False: something else.
static bool read_names(Elab *e, const Expr *expr, FieldNames *names) {
  if (expr->kind == EXPR_STRING) {
    add_names(e, arena_copy(e->arena, expr->string.text), names);
    return true;
  }
  if (expr->kind != EXPR_LIST && expr->kind != EXPR_TUPLE) return false;
  for (uint32_t i = 0; i < expr->list.n; i++) {
    const Expr *item = expr->list.at[i];
    if ((item->kind == EXPR_TUPLE || item->kind == EXPR_LIST) && item->list.n) item = item->list.at[0];
    if (item->kind != EXPR_STRING) return false;
    vec_push(e->arena, names, intern(&e->ir->names, item->string.text));
  }
  return true;
}

// Reads the defaults of the last fields.
static bool read_defaults(Elab *e, const Expr *expr, NamedTuple *class) {
  Obj values = elab_expr(e, expr);
  if (values.kind != OBJ_TUPLE || values.items.n > class->n) return false;
  for (uint32_t i = 0; i < values.items.n; i++)
    class->defaults[class->n - values.items.n + i] = values.items.at[i];
  return true;
}

Obj elab_named_call(Elab *e, const Expr *call) {
  const Expr *parts[3] = {NULL, NULL, NULL}; // the name, the fields, the defaults
  static const char *const words[] = {"typename", "field_names", "defaults"};
  for (uint32_t i = 0; i < call->call.args.n; i++) {
    const Arg *arg = &call->call.args.at[i];
    if (!arg->name && !arg->stars && i < 2) parts[i] = arg->value;
    for (uint32_t k = 0; arg->name && k < 3; k++)
      if (strcmp(arg->name, words[k]) == 0) parts[k] = arg->value;
  }
  FieldNames names = {0};
  if (!parts[0] || parts[0]->kind != EXPR_STRING || !parts[1] || !read_names(e, parts[1], &names))
    return elab_error(e, call->loc,
                      "[T0404] a named tuple's class is made as namedtuple(\"Point\", \"x y\")");
  NamedTuple *class = class_new(e, call, arena_copy(e->arena, parts[0]->string.text), names.n);
  for (uint32_t i = 0; i < names.n; i++) class->fields[i] = names.at[i];
  if (parts[2] && !read_defaults(e, parts[2], class))
    return elab_error(e, parts[2]->loc, "[T0404] the defaults of '%s' are a tuple of at most %u values",
                      class->name, class->n);
  return class_obj(class);
}

// --- Creation ---

static uint32_t field_of(const NamedTuple *class, const char *name) {
  uint32_t at = 0;
  while (at < class->n && strcmp(class->fields[at], name) != 0) at++;
  return at;
}

static bool place_field(Elab *e, const NamedTuple *class, const Given *given, uint32_t *next, Obj *tuple) {
  uint32_t at = given->name ? field_of(class, given->name) : (*next)++;
  if (at >= class->n && given->name)
    elab_error(e, given->name_loc, "[T0204] '%s' has no field '%s'%s", class->name, given->name,
               elab_did_you_mean(e, str_from(given->name), class->fields, class->n));
  else if (at >= class->n)
    elab_error(e, given->loc, "[T0204] too many values for '%s': it has %u fields", class->name, class->n);
  else if (tuple->items.at[at].kind != OBJ_ABSENT)
    elab_error(e, given->loc, "[T0204] field '%s' of '%s' is given twice", class->fields[at], class->name);
  else
    return tuple->items.at[at] = given->obj, true;
  return false;
}

Obj elab_make_named(Elab *e, Loc loc, const NamedTuple *class, const GivenArgs *given) {
  Obj tuple = obj_tuple(e, class->n);
  uint32_t next = 0;
  tuple.items.names = class->fields;
  for (uint32_t i = 0; i < class->n; i++) tuple.items.at[i].kind = OBJ_ABSENT;
  for (uint32_t i = 0; i < given->n; i++)
    if (!place_field(e, class, &given->at[i], &next, &tuple)) return obj_error();
  for (uint32_t i = 0; i < class->n; i++) {
    Obj *item = &tuple.items.at[i];
    if (item->kind == OBJ_ABSENT) *item = class->defaults[i];
    if (item->kind == OBJ_ABSENT)
      return elab_error(e, loc, "[T0204] field '%s' of '%s' is not given", class->fields[i], class->name);
  }
  return obj_sized(e, loc, tuple);
}
