// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of a file that @triton.aggregate makes. Their objects are named tuples: the annotated fields, then the
// methods as elements with the names ".method".
#include "frontend/module/elab_module.h"
#include "frontend/syntax/syntax.h"

static const NamedTuple *known(const Elab *e, const Stmt *outside) {
  for (uint32_t i = 0; i < e->aggregates.n; i++)
    if (e->aggregates.at[i]->origin == outside) return e->aggregates.at[i];
  return NULL;
}

static void put_field(Elab *e, NamedTuple *class, const Stmt *stmt) {
  class->fields[class->n] = stmt->annotated.target->name;
  class->defaults[class->n] =
      stmt->annotated.value ? elab_expr(e, stmt->annotated.value) : (Obj){.kind = OBJ_ABSENT};
  class->n++;
}

static void put_method(Elab *e, const Module *module, NamedTuple *class, Function *function) {
  function->module = module;
  function->plain = false;
  class->fields[class->n] = intern(&e->ir->names, str_from(arena_printf(e->arena, ".%s", function->name)));
  class->defaults[class->n] = (Obj){.kind = OBJ_FUNCTION, .function = function};
  class->n++;
}

// False after an error: what a kernel cannot call, or what would make objects in another way.
static bool check_method(Elab *e, const Stmt *outside, const Function *function) {
  if (str_starts(str_from(function->name), "__") && strcmp(function->name, "__getitem__") != 0)
    return elab_fail(
        e, function->loc,
        "[T0404] '%s' of the aggregate '%s' cannot be called in a file: give its fields defaults "
        "instead, or the "
        "method another name",
        function->name, outside->outside.name);
  return true;
}

static bool fill(Elab *e, const Module *module, NamedTuple *class, const Stmt *outside, const Block *body) {
  for (uint32_t i = 0; i < body->n; i++)
    if (elab_is_field(body->at[i])) put_field(e, class, body->at[i]);
  for (uint32_t i = 0; i < body->n; i++) {
    if (body->at[i]->kind != STMT_DEF) continue;
    if (!check_method(e, outside, body->at[i]->function)) return false;
    put_method(e, module, class, body->at[i]->function);
  }
  return true;
}

bool elab_aggregate_class(Elab *e, const Module *module, const Stmt *outside, Obj *obj) {
  if (!outside->outside.tokens || !syntax_is_aggregate(outside)) return false;
  const NamedTuple *found = known(e, outside);
  bool is_enum;
  if (!found) {
    Block body = syntax_class_body(e->arena, &e->ir->names, e->diags, module->file, outside, &is_enum);
    NamedTuple *class = ARENA_NEW(e->arena, NamedTuple);
    *class = (NamedTuple){.origin = outside, .name = outside->outside.name};
    class->fields = ARENA_ARRAY(e->arena, const char *, body.n);
    class->defaults = ARENA_ARRAY(e->arena, Obj, body.n);
    vec_push(e->arena, &e->aggregates, class);
    if (body.n == 0 || !fill(e, module, class, outside, &body)) {
      *obj = obj_error();
      return body.n != 0;
    }
    found = class;
  }
  *obj = (Obj){.kind = OBJ_NAMED, .named = found};
  return true;
}

// The tuple with other values in some of its fields.
Obj elab_replace_fields(Elab *e, Loc loc, const char *text, const GivenArgs *given) {
  const Obj *tuple = given->n ? &given->at[0].obj : NULL;
  if (!tuple || given->at[0].name || tuple->kind != OBJ_TUPLE || !tuple->items.names)
    return tuple && tuple->kind == OBJ_ERROR
               ? obj_error()
               : elab_error(e, loc, "[T0309] '%s' needs an object with named fields", text);
  Obj copy = obj_tuple(e, tuple->items.n);
  copy.items.names = tuple->items.names;
  memcpy(copy.items.at, tuple->items.at, tuple->items.n * sizeof *copy.items.at);
  for (uint32_t i = 1; i < given->n; i++) {
    const Given *change = &given->at[i];
    uint32_t at = 0;
    while (change->name && at < copy.items.n && strcmp(copy.items.names[at], change->name) != 0) at++;
    if (!change->name)
      return elab_error(e, change->loc, "[T0309] '%s' takes new values by the fields' names", text);
    if (at == copy.items.n)
      return elab_error(e, change->loc, "[T0204] the object that '%s' copies has no field '%s'", text,
                        change->name);
    copy.items.at[at] = change->obj;
  }
  return obj_sized(e, loc, copy);
}
