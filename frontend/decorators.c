// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decorators: @autotune's first configuration, @heuristics.
#include "frontend/elaborate.h"

static const char *last_name(const Expr *expr) {
  if (expr->kind == EXPR_CALL) expr = expr->call.callee;
  if (expr->kind == EXPR_NAME) return expr->name;
  return expr->kind == EXPR_ATTRIBUTE ? expr->attribute.name : "";
}

const Expr *elab_decorator(const Function *function, const char *name) {
  for (uint32_t i = 0; i < function->decorators.n; i++)
    if (strcmp(last_name(function->decorators.at[i]), name) == 0) return function->decorators.at[i];
  return NULL;
}

// The argument of that name, or at that position.
static const Expr *argument(const Expr *call, const char *name, uint32_t position) {
  if (call->kind != EXPR_CALL) return NULL;
  uint32_t at = 0;
  for (uint32_t i = 0; i < call->call.args.n; i++) {
    const Arg *arg = &call->call.args.at[i];
    if (arg->name ? strcmp(arg->name, name) == 0 : !arg->stars && at++ == position) return arg->value;
  }
  return NULL;
}

static void dropped(Elab *e, const Expr *expr, const char *what) {
  diag_remark(e->diags, expr->loc, "elaborate", "%s cannot be evaluated and is ignored", what);
}

// A constexpr without an error for what is none: what cannot be read is dropped with a remark.
static bool literal(Elab *e, const Expr *expr, ConstValue *value) {
  bool simple = expr->kind == EXPR_INT || expr->kind == EXPR_FLOAT || expr->kind == EXPR_STRING ||
                expr->kind == EXPR_BOOL || expr->kind == EXPR_NONE || expr->kind == EXPR_UNARY ||
                expr->kind == EXPR_BINARY;
  if (!simple) return false;
  uint32_t errors = e->diags->errors;
  Obj obj = elab_expr(e, expr);
  return e->diags->errors == errors && obj_to_const(e, &obj, value);
}

static void option(Elab *e, const Expr *config, const char *name, uint32_t position, uint32_t limit,
                   uint32_t *out) {
  const Expr *expr = argument(config, name, position);
  ConstValue value;
  if (!expr || expr->kind == EXPR_NONE) return;
  if (literal(e, expr, &value) && value.kind == CONST_INT && value.i > 0 && (uint64_t)value.i <= limit)
    *out = (uint32_t)value.i;
  else
    dropped(e, expr, name);
}

static void read_config(Elab *e, const Expr *expr, Config *config) {
  const Expr *values = argument(expr, "kwargs", 0);
  for (uint32_t i = 0; values && values->kind == EXPR_DICT && i < values->dict.n; i++) {
    const DictItem *item = &values->dict.at[i];
    ConstValue value;
    if (item->key && item->key->kind == EXPR_STRING && literal(e, item->value, &value)) {
      Constexpr constexpr = {intern(&e->ir->names, item->key->string.text), value};
      vec_push(e->arena, &config->constexprs, constexpr);
    } else
      dropped(e, item->value, "this value of the configuration");
  }
  option(e, expr, "num_warps", 1, 32, &config->num_warps);
  option(e, expr, "num_stages", 2, 64, &config->num_stages);
  option(e, expr, "maxnreg", 99, 255, &config->maxnreg);
}

void elab_autotune(Elab *e, const Function *function, Config *config) {
  const Expr *decorator = elab_decorator(function, "autotune");
  if (!decorator) return;
  const Expr *configs = argument(decorator, "configs", 0);
  bool readable = configs && configs->kind == EXPR_LIST && configs->list.n &&
                  configs->list.at[0]->kind == EXPR_CALL &&
                  strcmp(last_name(configs->list.at[0]), "Config") == 0;
  if (!readable) {
    dropped(e, decorator, "@autotune");
    return;
  }
  read_config(e, configs->list.at[0], config);
  diag_remark(e->diags, configs->list.at[0]->loc, "elaborate",
              "not tuned: this first configuration of @autotune is taken");
}

const char elab_args_path[] = "args";

Obj elab_heuristic_arg(Elab *e, Loc loc, const char *name) {
  const char **names = ARENA_ARRAY(e->arena, const char *, e->known.n);
  for (uint32_t i = 0; i < e->known.n; i++) {
    const Binding *known = &e->known.at[i];
    names[i] = known->name;
    if (strcmp(known->name, name) != 0) continue;
    if (known->obj.kind != OBJ_ABSENT) return known->obj;
    return elab_error(
        e, loc,
        "the heuristic depends on '%s', which is known at run time only; give the constexpr's value with -D",
        name);
  }
  return elab_error(e, loc, "'%s' is no parameter before the heuristic's%s", name,
                    elab_did_you_mean(e, str_from(name), names, e->known.n));
}

static bool evaluate_heuristic(Elab *e, const Expr *lambda, const char *name, ConstValue *value) {
  if (lambda->kind != EXPR_LAMBDA || lambda->lambda.params.n != 1) {
    elab_error(e, lambda->loc, "the heuristic of '%s' must be a lambda of one parameter", name);
    return false;
  }
  uint32_t errors = e->diags->errors;
  elab_push(e, NULL);
  elab_bind(e, lambda->lambda.params.at[0].name, lambda->loc,
            (Obj){.kind = OBJ_NAMESPACE, .path = elab_args_path});
  Obj obj = elab_expr(e, lambda->lambda.body);
  elab_pop(e);
  if (obj_to_const(e, &obj, value)) return true;
  if (e->diags->errors == errors)
    elab_error(e, lambda->loc, "the heuristic of '%s' is not a constexpr", name);
  return false;
}

bool elab_heuristic(Elab *e, const Function *function, const char *name, ConstValue *value, bool *found) {
  const Expr *decorator = elab_decorator(function, "heuristics");
  const Expr *values = decorator ? argument(decorator, "values", 0) : NULL;
  for (uint32_t i = 0; values && values->kind == EXPR_DICT && i < values->dict.n; i++) {
    const DictItem *item = &values->dict.at[i];
    if (!item->key || item->key->kind != EXPR_STRING || !str_is(item->key->string.text, name)) continue;
    *found = true;
    return evaluate_heuristic(e, item->value, name, value);
  }
  return *found = false;
}
