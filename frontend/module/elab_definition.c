// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The object of one definition of a file: an assigned value, evaluated with the definitions before it, a
// function, or an import. elab_module.c selects the definition.
#include "frontend/module/elab_module.h"

static bool starred_element(Elab *e, Loc loc, const Expr *target, const Obj *value, const char *name,
                            Obj *obj);

static Obj element_of(Elab *e, Loc loc, const Expr *target, const Obj *value, const char *name, bool *found) {
  if (target->kind == EXPR_NAME) {
    *found = target->name == name;
    return *value;
  }
  if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return obj_error();
  Obj starred;
  if ((*found = starred_element(e, loc, target, value, name, &starred))) return starred;
  for (uint32_t i = 0; i < target->list.n && !*found; i++) {
    Obj item = obj_error();
    bool fits = value->kind == OBJ_TUPLE && value->items.n == target->list.n;
    if (fits) item = value->items.at[i];
    item = element_of(e, loc, target->list.at[i], &item, name, found);
    if (*found && !fits && value->kind != OBJ_ERROR)
      return elab_error(e, loc, "[T0309] cannot unpack %s into %u names", obj_describe(e, value),
                        target->list.n);
    if (*found) return item;
  }
  return obj_error();
}

// `a, *b = list`: the starred name gets what the names before and after it leave.
static bool starred_element(Elab *e, Loc loc, const Expr *target, const Obj *value, const char *name,
                            Obj *obj) {
  uint32_t n = target->list.n, star = 0;
  while (star < n && target->list.at[star]->kind != EXPR_STAR) star++;
  if (star == n || value->kind != OBJ_TUPLE || value->items.n + 1 < n) return false;
  uint32_t taken = value->items.n + 1 - n;
  for (uint32_t i = 0; i < n; i++) {
    Obj item = i == star ? obj_tuple(e, taken) : value->items.at[i < star ? i : i - 1 + taken];
    for (uint32_t k = 0; i == star && k < taken; k++) item.items.at[k] = value->items.at[star + k];
    bool found = false;
    *obj =
        element_of(e, loc, i == star ? target->list.at[i]->operand : target->list.at[i], &item, name, &found);
    if (found) return true;
  }
  return false;
}

static Obj assigned_value(Elab *e, Loc loc, const Definition *definition) {
  const Stmt *stmt = definition->stmt;
  Obj old = obj_error(), value;
  bool found = false;
  if (stmt->kind == STMT_ANNOTATED) return elab_expr(e, stmt->annotated.value);
  if (stmt->kind == STMT_AUGMENTED) {
    if (!elab_own_name(e, loc, definition->name, &old))
      return elab_error(e, stmt->loc, "[T0404] '%s' has no value yet", definition->name);
    value = elab_expr(e, stmt->augmented.value);
    if (old.kind == OBJ_ERROR || value.kind == OBJ_ERROR) return obj_error();
    return elab_binary(e, stmt->loc, stmt->augmented.op, &old, &value);
  }
  value = elab_expr(e, stmt->assign.value);
  for (uint32_t i = 0; i < stmt->assign.targets.n; i++) {
    Obj part = element_of(e, stmt->loc, stmt->assign.targets.at[i], &value, definition->name, &found);
    if (found) return part;
  }
  return obj_error();
}

// Evaluates the value with the definitions before it.
static Obj constant_value(Elab *e, Loc loc, const Module *module, uint32_t at) {
  const Definition *definition = &module->definitions.at[at];
  while (at > 0 && module->definitions.at[at - 1].kind == DEFINES_CONSTANT &&
         module->definitions.at[at - 1].stmt == definition->stmt)
    at--;
  Frame *frame = elab_push(e, NULL);
  frame->module = module;
  frame->visible = at;
  uint32_t said = e->diags->list.n, raised = e->diags->raised;
  Obj obj = assigned_value(e, loc, definition);
  elab_pop(e);
  if (e->diags->raised > raised && e->diags->list.n > said)
    diag_note(e->diags, vec_last(&e->diags->list), elab_loc(e, loc),
              "'%s' is used here; -D %s=VALUE gives it another value", definition->name, definition->name);
  return obj;
}

static Obj walrus_value(Elab *e, Loc loc, const Definition *definition) {
  Diag *diag =
      diag_error(e->diags, elab_loc(e, loc),
                 "[T0106] '%s' is assigned within an expression, which is not read: assign it in a separate "
                 "statement, '%s = ...', or give it with -D %s=VALUE",
                 definition->name, definition->name, definition->name);
  diag_note(e->diags, diag, definition->loc, "it is assigned here");
  return obj_error();
}

// A class of named tuples. Its defaults are the file's values.
static bool named_class(Elab *e, const Module *module, uint32_t at, Obj *obj) {
  Frame *frame = elab_push(e, NULL);
  frame->module = module;
  frame->visible = at;
  const Stmt *stmt = module->definitions.at[at].stmt;
  bool is_named = elab_aggregate_class(e, module, stmt, obj) || elab_data_class(e, module, stmt, obj) ||
                  elab_named_class(e, stmt, obj);
  elab_pop(e);
  return is_named;
}

static Obj outside_value(Elab *e, Loc loc, const Module *module, uint32_t at) {
  const Definition *definition = &module->definitions.at[at];
  const char *what = definition->stmt->outside.what;
  Obj obj;
  if (strcmp(what, WALRUS_TEXT) == 0) return walrus_value(e, loc, definition);
  bool function = strcmp(what, "def") == 0;
  if (!function && named_class(e, module, at, &obj)) return obj;
  if (!function && elab_plain_class(e, module, definition->stmt, &obj)) return obj;
  if (function && elab_plain_function(e, module, definition->stmt, &obj)) return obj;
  if (function) return elab_refuse_plain(e, loc, definition->name, definition->loc);
  Diag *diag = diag_error(e->diags, elab_loc(e, loc),
                          "[T0309] '%s' is a Python class; a kernel can use only NamedTuple classes",
                          definition->name);
  diag_note(e->diags, diag, definition->loc, "it is defined here");
  return obj_error();
}

static Obj changed_value(Elab *e, Loc loc, const Definition *definition) {
  Diag *diag =
      diag_error(e->diags, elab_loc(e, loc),
                 "[T0404] '%s' is changed after it was assigned, so its value is unknown at compile time; "
                 "assign it once, or give it with -D %s=VALUE",
                 definition->name, definition->name);
  diag_note(e->diags, diag, definition->loc, "it is changed here");
  return obj_error();
}

Obj elab_definition_value(Elab *e, Loc loc, const Module *module, uint32_t at, const char *name) {
  const Definition *definition = &module->definitions.at[at];
  Obj obj;
  bool assigned = definition->kind == DEFINES_CONSTANT || definition->kind == DEFINES_CHANGE;
  if (assigned && definition->guard && elab_loop_value(e, module, definition, &obj)) return obj;
  switch (definition->kind) {
  case DEFINES_CONSTANT: return constant_value(e, loc, module, at);
  case DEFINES_FUNCTION: return (Obj){.kind = OBJ_FUNCTION, .function = definition->function};
  case DEFINES_OUTSIDE: return outside_value(e, loc, module, at);
  case DEFINES_PATCH:
  case DEFINES_CHANGE: return changed_value(e, loc, definition);
  case DEFINES_IMPORT: break;
  }
  const ImportName *item = &definition->import->names.at[definition->item];
  if (strcmp(item->name, "*") == 0)
    return elab_star_member(e, loc, definition->import, item, name, &obj) ? obj : obj_error();
  return elab_imported(e, loc, definition->import, item);
}
