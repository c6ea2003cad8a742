// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of the module level: `for i in range(4): TABLE += ...`. They are parsed and run when a name that they
// assign is used, like a Python function. A loop that cannot be run leaves its names undecided.
#include "frontend/module/elab_module.h"
#include "frontend/syntax/syntax.h"

// The outermost loop around a definition; NULL: none.
static const Guard *loop_around(const Guard *guard) {
  const Guard *loop = NULL;
  for (; guard && guard->kind != GUARD_SCOPE; guard = guard->outer)
    if (guard->kind == GUARD_OUTSIDE && guard->stmt->outside.tokens) loop = guard;
  return loop;
}

static bool has_name(const ModuleLoop *loop, const char *name) {
  for (uint32_t i = 0; i < loop->vars.n; i++)
    if (loop->vars.at[i].name == name) return true;
  return false;
}

// Binds the names that the loop changes to their values before it.
static void bind_names(Elab *e, const Module *module, const Guard *guard, ModuleLoop *loop) {
  for (uint32_t i = guard->visible; i < module->definitions.n; i++) {
    const Definition *definition = &module->definitions.at[i];
    if (loop_around(definition->guard) != guard || has_name(loop, definition->name)) continue;
    Said before = elab_said(e);
    Obj obj;
    bool bound = elab_own_name(e, definition->loc, definition->name, &obj);
    bound = !elab_take_back(e, &before) && bound && obj.kind != OBJ_ERROR;
    if (bound) elab_bind_quietly(e, definition->name, definition->loc, obj);
    vec_push(e->arena, &loop->vars,
             ((Binding){.name = definition->name, .loc = definition->loc, .obj = obj_error()}));
  }
}

static void run(Elab *e, const Module *module, const Guard *guard, ModuleLoop *loop) {
  Said before = elab_said(e);
  uint32_t steps = e->steps;
  Func *func = e->func;
  Builder b = e->b;
  elab_scratch(e, NULL, 0);
  Frame *frame = elab_push(e, NULL);
  frame->module = module;
  frame->visible = guard->visible;
  frame->python = true;
  Block block = syntax_left_out(e->arena, &e->ir->names, e->diags, module->file, guard->stmt);
  bind_names(e, module, guard, loop);
  elab_block(e, &block, NULL);
  for (uint32_t i = 0; i < loop->vars.n; i++) {
    const Binding *end = elab_find(frame, loop->vars.at[i].name);
    if (end) loop->vars.at[i].obj = end->obj;
  }
  elab_pop(e);
  e->func = func;
  e->b = b;
  loop->runs = !elab_take_back(e, &before) && block.n > 0;
  if (!loop->runs) e->steps = steps;
}

const Guard *elab_loop_around(Elab *e, const Module *module, const Guard *guard) {
  const Guard *around = loop_around(guard);
  if (!around || e->stopped) return NULL;
  for (uint32_t i = 0; i < e->loops.n; i++)
    if (e->loops.at[i]->guard == around) return e->loops.at[i]->runs ? around : NULL;
  ModuleLoop *loop = ARENA_NEW(e->arena, ModuleLoop);
  *loop = (ModuleLoop){.guard = around};
  vec_push(e->arena, &e->loops, loop);
  run(e, module, around, loop);
  return loop->runs ? around : NULL;
}

bool elab_loop_value(Elab *e, const Module *module, const Definition *definition, Obj *obj) {
  const Guard *around = elab_loop_around(e, module, definition->guard);
  for (uint32_t i = 0; around && i < e->loops.n; i++) {
    const ModuleLoop *loop = e->loops.at[i];
    for (uint32_t k = 0; loop->guard == around && k < loop->vars.n; k++)
      if (loop->vars.at[k].name == definition->name)
        return *obj = loop->vars.at[k].obj, obj->kind != OBJ_ERROR;
  }
  return false;
}
