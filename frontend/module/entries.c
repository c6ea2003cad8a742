// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file's entries and their signatures.
#include "base/hash.h"
#include "frontend/module/elab_module.h"

// True if a name, or a string with that text, is used anywhere in an expression or block.
typedef struct Sought {
  ExprKind kind;    // EXPR_NAME, EXPR_STRING
  const char *text; // interned
} Sought;

static bool is_sought(const Expr *expr, void *data) {
  const Sought *sought = data;
  if (expr->kind == EXPR_NAME) return sought->kind == EXPR_NAME && expr->name == sought->text;
  return expr->kind == EXPR_STRING && sought->kind == EXPR_STRING && str_is(expr->string.text, sought->text);
}

// A name that functions use: one function, or several.
typedef struct NameUse {
  const char *name;
  const Function *by;
  bool several;
} NameUse;

typedef struct NameUses {
  Elab *e;
  Table table;
  const Function *by; // the function whose body is searched
} NameUses;

static bool is_use(const void *entry, const void *name) { return ((const NameUse *)entry)->name == name; }

static bool note_use(const Expr *expr, void *data) {
  NameUses *uses = data;
  if (expr->kind != EXPR_NAME) return false;
  void **place = table_place(&uses->table, uses->e->arena, hash_pointer(expr->name), expr->name, is_use);
  if (!*place) {
    NameUse *use = ARENA_NEW(uses->e->arena, NameUse);
    *use = (NameUse){expr->name, uses->by, false};
    *place = use;
  } else if (((NameUse *)*place)->by != uses->by)
    ((NameUse *)*place)->several = true;
  return false;
}

// The names that the file's functions use. Each body is searched once.
static void find_uses(Elab *e, NameUses *uses) {
  AstWalk walk = {.expr = note_use, .data = uses};
  *uses = (NameUses){.e = e};
  for (uint32_t i = 0; i < e->module->functions.n; i++) {
    uses->by = e->module->functions.at[i];
    if (elab_guard_truth(e, e->module, uses->by->guard) != TRUTH_NO) block_walk(&uses->by->body, &walk);
  }
}

static bool is_called(const NameUses *uses, const Function *function) {
  const NameUse *use = table_find(&uses->table, hash_pointer(function->name), function->name, is_use);
  return use && (use->several || use->by != function);
}

// --- Signatures ---

static KernelParam signature_param(Elab *e, const Param *param) {
  KernelParam info = {.name = param->name, .loc = param->loc};
  ParamSpec *declared = ARENA_NEW(e->arena, ParamSpec);
  elab_param_annotation(e, param->annotation, declared, &info.is_constexpr);
  if (declared->form == PARAM_PLAIN)
    info.type = elab_without_const(e, declared->type);
  else
    info.wide = declared;
  if (!param->default_value) return info;
  Obj obj = elab_expr(e, param->default_value);
  info.has_default = obj_to_const(e, &obj, &info.default_value);
  return info;
}

static bool in_heuristics(const Function *function, const char *name) {
  Sought sought = {EXPR_STRING, name};
  AstWalk walk = {.expr = is_sought, .data = &sought};
  for (uint32_t i = 0; i < function->decorators.n; i++)
    if (elab_is_decorator(function->decorators.at[i], "heuristics") &&
        expr_walk(function->decorators.at[i], &walk))
      return true;
  return false;
}

// Searches only the text. A computed key names nothing.
static bool in_key(Elab *e, const Function *function, const char *name) {
  const Expr *decorator = elab_decorator(function, "autotune");
  const Expr *key = decorator ? elab_argument(decorator, "key", 1) : NULL;
  Sought sought = {EXPR_STRING, name};
  AstWalk walk = {.expr = is_sought, .data = &sought};
  if (key && key->kind == EXPR_NAME) key = elab_assigned_expr(e, key->name);
  return key && expr_walk(key, &walk);
}

typedef struct NamedParam {
  const Param *param;
  uint32_t index;
} NamedParam;

static bool is_named_param(const Expr *expr, void *data) {
  const NamedParam *named = data;
  if (expr->kind == EXPR_INT) return !expr->integer.overflow && expr->integer.value == named->index;
  return expr->kind == EXPR_STRING && str_is(expr->string.text, named->param->name);
}

// True if the jit decorator's option, a list of names and indices, names the parameter.
static bool in_option(Elab *e, const Function *function, const char *option, uint32_t index) {
  enum { BY_NAME_ONLY = 99 };
  const Expr *decorator = elab_decorator(function, "jit");
  const Expr *list = decorator ? elab_argument(decorator, option, BY_NAME_ONLY) : NULL;
  NamedParam named = {&function->params.at[index], index};
  AstWalk walk = {.expr = is_named_param, .data = &named};
  if (list && list->kind == EXPR_NAME) list = elab_assigned_expr(e, list->name);
  return list && expr_walk(list, &walk);
}

static KernelInfo signature(Elab *e, const Function *function) {
  KernelInfo info = {.name = function->name,
                     .path = function->name,
                     .loc = function->loc,
                     .param_count = function->params.n};
  info.has_grid = elab_decorator(function, "grid") != NULL;
  info.params = ARENA_ARRAY(e->arena, KernelParam, info.param_count);
  elab_push(e, NULL);
  for (uint32_t i = 0; i < info.param_count; i++) {
    KernelParam *param = &info.params[i];
    *param = signature_param(e, &function->params.at[i]);
    param->in_heuristic = !param->is_constexpr && in_heuristics(function, param->name);
    param->in_key = !param->is_constexpr && in_key(e, function, param->name);
    param->any_value = in_option(e, function, "do_not_specialize", i);
    param->any_alignment = in_option(e, function, "do_not_specialize_on_alignment", i);
  }
  elab_pop(e);
  return info;
}

static Elab reader(IrContext *ir, const Module *module, const Spec *spec) {
  Elab e = {.ir = ir, .arena = ir->arena, .diags = ir->diags, .module = module, .spec = spec};
  elab_scratch(&e, NULL, 0);
  return e;
}

// Qualifies names that several functions have.
static void qualify(Elab *e, const FunctionList *functions, KernelInfo *infos) {
  NameUses names = {.e = e};
  for (uint32_t i = 0; i < functions->n; i++) {
    Expr name = {.kind = EXPR_NAME, .name = functions->at[i]->name};
    names.by = functions->at[i];
    note_use(&name, &names);
  }
  for (uint32_t i = 0; i < functions->n; i++)
    if (is_called(&names, functions->at[i])) infos[i].path = elab_qualified_name(e, functions->at[i]);
}

uint32_t frontend_entries(IrContext *ir, const Module *module, const Spec *spec, KernelInfo **kernels) {
  Elab e = reader(ir, module, spec);
  FunctionList found = {0};
  NameUses uses;
  find_uses(&e, &uses);
  for (int jit = 0; jit < 2 && found.n == 0; jit++)
    for (uint32_t i = 0; i < module->functions.n; i++) {
      Function *function = module->functions.at[i];
      if (elab_decorator(function, jit ? "jit" : "kernel") && elab_is_current(&e, module, function) &&
          !(jit && is_called(&uses, function)))
        vec_push(e.arena, &found, function);
    }
  *kernels = ARENA_ARRAY(e.arena, KernelInfo, found.n);
  for (uint32_t i = 0; i < found.n; i++) (*kernels)[i] = signature(&e, found.at[i]);
  qualify(&e, &found, *kernels);
  return found.n;
}

const KernelInfo *frontend_kernel(IrContext *ir, const Module *module, const Spec *spec, const char *name) {
  Elab e = reader(ir, module, spec);
  const Function *function = elab_function(&e, module, name);
  if (!function) return NULL;
  KernelInfo *info = ARENA_NEW(e.arena, KernelInfo);
  *info = signature(&e, function);
  if (e.kernel_closure || !strstr(name, function->name)) info->path = intern(&ir->names, str_from(name));
  return info;
}

const KernelInfo *frontend_chosen(IrContext *ir, const Module *module, const Spec *spec) {
  KernelInfo *kernels;
  if (spec->kernel) return frontend_kernel(ir, module, spec, spec->kernel);
  return frontend_entries(ir, module, spec, &kernels) == 1 ? kernels : NULL;
}

const uint32_t *frontend_param_uses(IrContext *ir, const Module *module, const KernelInfo *kernel) {
  Elab e = reader(ir, module, NULL);
  const Function *function = elab_function(&e, module, kernel->path);
  if (!function) return ARENA_ARRAY(ir->arena, uint32_t, kernel->param_count);
  uint32_t *uses = elab_param_uses(&e, function, 0);
  bool decided = elab_decorator(function, "autotune") || elab_decorator(function, "heuristics");
  for (uint32_t i = 0; decided && i < function->params.n; i++) uses[i] |= PARAM_DECIDED;
  return uses;
}

GridUse frontend_grid_use(IrContext *ir, const Module *module, const KernelInfo *kernel) {
  Elab e = reader(ir, module, NULL);
  GridUse grid = {0};
  const Function *function = elab_function(&e, module, kernel->path);
  if (function) elab_grid_use(&e, function, elab_param_uses(&e, function, 0), &grid);
  return grid;
}

bool frontend_has_name(IrContext *ir, const Module *module, const char *name) {
  Elab e = {.ir = ir, .arena = ir->arena, .diags = ir->diags, .module = module};
  return elab_is_module_name(&e, name);
}

// A function without a decorator: the one with the name, or the first (NULL).
static const Definition *plain_function(const Module *module, const char *name) {
  for (uint32_t i = 0; i < module->definitions.n; i++) {
    const Definition *at = &module->definitions.at[i];
    bool plain = at->kind == DEFINES_OUTSIDE    ? strcmp(at->stmt->outside.what, "def") == 0
                 : at->kind == DEFINES_FUNCTION ? at->function->decorators.n == 0
                                                : false;
    if (plain && (!name || strcmp(at->name, name) == 0)) return at;
  }
  return NULL;
}

void frontend_no_kernel(IrContext *ir, const Module *module, const char *name) {
  const Definition *plain = plain_function(module, name);
  const char **names = ARENA_ARRAY(ir->arena, const char *, module->functions.n);
  uint32_t count = 0;
  for (uint32_t i = 0; i < module->functions.n; i++)
    if (elab_decorator(module->functions.at[i], "kernel") || elab_decorator(module->functions.at[i], "jit"))
      names[count++] = module->functions.at[i]->name;
  const char *nearest = name ? diag_nearest(str_from(name), names, count) : NULL;
  Buf list = {0};
  if (name && count > 1) {
    buf_printf(&list, "%s the file has ", nearest ? " In all," : ";");
    diag_list_names(str_from(name), names, count, &list);
  } else if (name && count && !nearest)
    buf_printf(&list, "; the file's only one is '%s'", names[0]);
  if (plain)
    diag_error(ir->diags, plain->loc,
               "[T0203] '%s' is a plain function; decorate it with @triton.jit to make it a kernel",
               plain->name);
  else if (nearest)
    diag_error(ir->diags, LOC_NONE, "[T1004] there is no kernel '%s'; did you mean '%s'?%s", name, nearest,
               list.n ? list.at : "");
  else if (name)
    diag_error(ir->diags, LOC_NONE, "[T1004] there is no kernel '%s'%s", name, list.n ? list.at : "");
  else
    diag_error(ir->diags, LOC_NONE,
               "[T0203] the file has no kernel: decorate one with @triton.jit (in .tile files also @kernel)");
  buf_free(&list);
}
