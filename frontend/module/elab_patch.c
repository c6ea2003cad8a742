// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module members that the module level sets: `setattr(libdevice, "acos", f)`, `tl.acos = f`, and functions of
// the file that do this.
#include "frontend/module/elab_module.h"

static bool is_module(const Patch *patch, const Obj *object) {
  return patch->file || object->file ? patch->file == object->file : strcmp(patch->path, object->path) == 0;
}

bool elab_set_member(Elab *e, const Obj *object, const char *name, Obj value) {
  if (object->kind != OBJ_NAMESPACE) return false;
  Patch patch = {object->file, object->path, intern(&e->ir->names, str_from(name)), value};
  vec_push(e->arena, &e->patches, patch);
  return true;
}

static void set_attributes(Elab *e, const Stmt *stmt) {
  Obj value = elab_expr(e, stmt->assign.value);
  for (uint32_t i = 0; i < stmt->assign.targets.n; i++) {
    const Expr *target = stmt->assign.targets.at[i];
    if (target->kind != EXPR_ATTRIBUTE) continue;
    Obj object = elab_expr(e, target->attribute.object);
    elab_set_member(e, &object, target->attribute.name, value);
  }
}

// Runs one statement that may set members. Its messages are dropped: a kernel need not use them.
static void run(Elab *e, const Module *module, uint32_t at) {
  const Definition *definition = &module->definitions.at[at];
  if (elab_guard_truth(e, module, definition->guard) != TRUTH_YES) return;
  if (elab_loop_around(e, module, definition->guard)) return; // the loop has set them
  Said before = elab_said(e);
  uint32_t steps = e->steps;
  Func *func = e->func;
  Builder b = e->b;
  elab_scratch(e, NULL, 0);
  Frame *frame = elab_push(e, NULL);
  frame->module = module;
  frame->visible = at;
  frame->python = true;
  if (definition->stmt->kind == STMT_ASSIGN)
    set_attributes(e, definition->stmt);
  else
    elab_expr(e, definition->stmt->expr);
  elab_pop(e);
  e->func = func;
  e->b = b;
  if (elab_take_back(e, &before)) e->steps = steps;
}

static void run_all(Elab *e, const Module *module) {
  if (!module->patches || e->stopped) return;
  for (uint32_t i = 0; i < e->patched.n; i++)
    if (e->patched.at[i] == module) return;
  vec_push(e->arena, &e->patched, module);
  for (uint32_t i = 0; i < module->definitions.n; i++)
    if (module->definitions.at[i].kind == DEFINES_PATCH) run(e, module, i);
}

bool elab_set_already(Elab *e, Loc loc, const Obj *object, const char *name, Obj *obj) {
  run_all(e, e->module);
  if (e->frame) run_all(e, e->frame->module);
  for (uint32_t i = e->patches.n; i-- > 0;) {
    const Patch *patch = &e->patches.at[i];
    if (strcmp(patch->name, name) != 0 || !is_module(patch, object)) continue;
    *obj = patch->value;
    if (obj->kind == OBJ_ERROR)
      elab_error(e, loc, "[T0401] '%s' was set to a value that is unknown at compile time", name);
    return true;
  }
  return false;
}
