// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a file offers: its entries and their signatures.
#include "frontend/elab_module.h"

// Whether a name, or a string of that text, is used anywhere in an expression or block.
typedef struct Sought {
  ExprKind kind;    // EXPR_NAME, EXPR_STRING
  const char *text; // interned
} Sought;

static bool in_expr(const Expr *expr, const Sought *name);

static bool in_list(const ExprList *list, const Sought *name) {
  for (uint32_t i = 0; i < list->n; i++)
    if (in_expr(list->at[i], name)) return true;
  return false;
}

static bool in_call(const Expr *expr, const Sought *name) {
  if (in_expr(expr->call.callee, name)) return true;
  for (uint32_t i = 0; i < expr->call.args.n; i++)
    if (in_expr(expr->call.args.at[i].value, name)) return true;
  return false;
}

static bool in_compare(const Expr *expr, const Sought *name) {
  if (in_expr(expr->compare.first, name)) return true;
  for (uint32_t i = 0; i < expr->compare.links.n; i++)
    if (in_expr(expr->compare.links.at[i].right, name)) return true;
  return false;
}

static bool in_expr(const Expr *expr, const Sought *name) {
  if (!expr) return false;
  switch (expr->kind) {
  case EXPR_NAME: return name->kind == EXPR_NAME && expr->name == name->text;
  case EXPR_STRING: return name->kind == EXPR_STRING && str_is(expr->string.text, name->text);
  case EXPR_TUPLE:
  case EXPR_LIST:
  case EXPR_SET: return in_list(&expr->list, name);
  case EXPR_CALL: return in_call(expr, name);
  case EXPR_ATTRIBUTE: return in_expr(expr->attribute.object, name);
  case EXPR_SUBSCRIPT:
    return in_expr(expr->subscript.object, name) || in_list(&expr->subscript.indices, name);
  case EXPR_SLICE:
    return in_expr(expr->slice.lower, name) || in_expr(expr->slice.upper, name) ||
           in_expr(expr->slice.step, name);
  case EXPR_UNARY: return in_expr(expr->unary.operand, name);
  case EXPR_BINARY: return in_expr(expr->binary.left, name) || in_expr(expr->binary.right, name);
  case EXPR_LOGICAL: return in_expr(expr->logical.left, name) || in_expr(expr->logical.right, name);
  case EXPR_COMPARE: return in_compare(expr, name);
  case EXPR_CONDITIONAL:
    return in_expr(expr->conditional.then, name) || in_expr(expr->conditional.condition, name) ||
           in_expr(expr->conditional.otherwise, name);
  case EXPR_LAMBDA: return in_expr(expr->lambda.body, name);
  case EXPR_STAR: return in_expr(expr->operand, name);
  case EXPR_DICT:
    for (uint32_t i = 0; i < expr->dict.n; i++)
      if (in_expr(expr->dict.at[i].value, name)) return true;
    return false;
  case EXPR_ERROR:
  case EXPR_INT:
  case EXPR_FLOAT:
  case EXPR_FSTRING:
  case EXPR_BOOL:
  case EXPR_NONE:
  case EXPR_ELLIPSIS:
  case EXPR_COMPREHENSION:
  case EXPR_POINTER_TYPE: break;
  }
  return false;
}

static bool in_block(const Block *block, const Sought *name);

static bool in_branch(const Stmt *stmt, const Sought *name) {
  for (uint32_t i = 0; i < stmt->branch.arms.n; i++)
    if (in_expr(stmt->branch.arms.at[i].condition, name) || in_block(&stmt->branch.arms.at[i].body, name))
      return true;
  return in_block(&stmt->branch.orelse, name);
}

static bool in_stmt(const Stmt *stmt, const Sought *name) {
  switch (stmt->kind) {
  case STMT_EXPR:
  case STMT_RETURN: return in_expr(stmt->expr, name);
  case STMT_ASSIGN: return in_expr(stmt->assign.value, name);
  case STMT_ANNOTATED: return in_expr(stmt->annotated.value, name);
  case STMT_AUGMENTED: return in_expr(stmt->augmented.value, name);
  case STMT_FOR:
  case STMT_WHILE:
    return in_expr(stmt->loop.condition, name) || in_block(&stmt->loop.body, name) ||
           in_block(&stmt->loop.orelse, name);
  case STMT_IF: return in_branch(stmt, name);
  case STMT_ASSERT: return in_expr(stmt->assertion.condition, name);
  case STMT_DEF: return in_block(&stmt->function->body, name);
  case STMT_PASS:
  case STMT_BREAK:
  case STMT_CONTINUE:
  case STMT_RAISE:
  case STMT_GLOBAL:
  case STMT_NONLOCAL:
  case STMT_IMPORT:
  case STMT_TRY:
  case STMT_OUTSIDE: break;
  }
  return false;
}

static bool in_block(const Block *block, const Sought *name) {
  for (uint32_t i = 0; i < block->n; i++)
    if (in_stmt(block->at[i], name)) return true;
  return false;
}

static bool is_called(Elab *e, const Function *function) {
  Sought name = {EXPR_NAME, function->name};
  for (uint32_t i = 0; i < e->module->functions.n; i++) {
    const Function *by = e->module->functions.at[i];
    if (by != function && in_block(&by->body, &name) && elab_guard_truth(e, e->module, by->guard) != TRUTH_NO)
      return true;
  }
  return false;
}

// --- Signatures ---

static KernelParam signature_param(Elab *e, const Param *param) {
  KernelParam info = {.name = param->name, .loc = param->loc};
  elab_annotation(e, param->annotation, &info.type, &info.is_constexpr);
  info.type = elab_without_const(e, info.type);
  if (!param->default_value) return info;
  Obj obj = elab_expr(e, param->default_value);
  info.has_default = obj_to_const(e, &obj, &info.default_value);
  return info;
}

static bool in_heuristics(const Function *function, const char *name) {
  Sought sought = {EXPR_STRING, name};
  for (uint32_t i = 0; i < function->decorators.n; i++)
    if (elab_is_decorator(function->decorators.at[i], "heuristics") &&
        in_expr(function->decorators.at[i], &sought))
      return true;
  return false;
}

static KernelInfo signature(Elab *e, const Function *function) {
  KernelInfo info = {.name = function->name, .path = function->name, .loc = function->loc, .param_count = function->params.n};
  info.has_grid = elab_decorator(function, "grid") != NULL;
  info.params = ARENA_ARRAY(e->arena, KernelParam, info.param_count);
  elab_push(e, NULL);
  for (uint32_t i = 0; i < info.param_count; i++) {
    KernelParam *param = &info.params[i];
    *param = signature_param(e, &function->params.at[i]);
    param->in_heuristic = !param->is_constexpr && in_heuristics(function, param->name);
  }
  elab_pop(e);
  return info;
}

static Elab reader(IrContext *ir, const Module *module, const Spec *spec) {
  Elab e = {.ir = ir, .arena = ir->arena, .diags = ir->diags, .module = module, .spec = spec};
  elab_scratch(&e, NULL, 0);
  return e;
}

// Names that several of the functions have are told with what is around them.
static void qualify(Elab *e, const FunctionList *functions, KernelInfo *infos) {
  for (uint32_t i = 0; i < functions->n; i++)
    for (uint32_t k = 0; k < functions->n; k++)
      if (i != k && functions->at[i]->name == functions->at[k]->name)
        infos[i].path = elab_qualified_name(e, functions->at[i]);
}

uint32_t frontend_entries(IrContext *ir, const Module *module, const Spec *spec, KernelInfo **kernels) {
  Elab e = reader(ir, module, spec);
  FunctionList found = {0};
  for (int jit = 0; jit < 2 && found.n == 0; jit++)
    for (uint32_t i = 0; i < module->functions.n; i++) {
      Function *function = module->functions.at[i];
      if (elab_decorator(function, jit ? "jit" : "kernel") && elab_is_current(&e, module, function) &&
          !(jit && is_called(&e, function)))
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
  return info;
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

bool frontend_has_name(IrContext *ir, const Module *module, const char *name) {
  Elab e = {.ir = ir, .arena = ir->arena, .diags = ir->diags, .module = module};
  return elab_is_module_name(&e, name);
}

// A function without a decorator: of the name, or (NULL) the first.
static const Definition *plain_function(const Module *module, const char *name) {
  for (uint32_t i = 0; i < module->definitions.n; i++) {
    const Definition *at = &module->definitions.at[i];
    bool plain = at->kind == DEFINES_OUTSIDE   ? strcmp(at->stmt->outside.what, "def") == 0
                 : at->kind == DEFINES_FUNCTION ? at->function->decorators.n == 0
                                                : false;
    if (plain && (!name || strcmp(at->name, name) == 0)) return at;
  }
  return NULL;
}

void frontend_no_kernel(IrContext *ir, const Module *module, const char *name) {
  const Definition *plain = plain_function(module, name);
  const char **names = ARENA_ARRAY(ir->arena, const char *, module->functions.n);
  for (uint32_t i = 0; i < module->functions.n; i++) names[i] = module->functions.at[i]->name;
  const char *nearest = name ? diag_nearest(str_from(name), names, module->functions.n) : NULL;
  if (plain)
    diag_error(ir->diags, plain->loc, "'%s' is a plain function; decorate it with @triton.jit to make it a kernel",
               plain->name);
  else if (nearest)
    diag_error(ir->diags, LOC_NONE, "there is no kernel '%s'; did you mean '%s'?", name, nearest);
  else if (name)
    diag_error(ir->diags, LOC_NONE, "there is no kernel '%s'", name);
  else
    diag_error(ir->diags, LOC_NONE, "the file has no kernel: mark one with @triton.jit (in .tile files also @kernel)");
}
