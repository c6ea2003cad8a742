// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decorators: @autotune's first configuration, @heuristics.
#include "frontend/module/elab_module.h"

static const char *last_name(const Expr *expr) {
  return expr_last_name(expr->kind == EXPR_CALL ? expr->call.callee : expr);
}

bool elab_is_decorator(const Expr *decorator, const char *name) {
  return strcmp(last_name(decorator), name) == 0;
}

const Expr *elab_decorator(const Function *function, const char *name) {
  for (uint32_t i = 0; i < function->decorators.n; i++)
    if (elab_is_decorator(function->decorators.at[i], name)) return function->decorators.at[i];
  return NULL;
}

enum { NO_POSITION = 99 }; // by keyword only

const Expr *elab_argument(const Expr *call, const char *name, uint32_t position) {
  if (call->kind != EXPR_CALL) return NULL;
  uint32_t at = 0;
  for (uint32_t i = 0; i < call->call.args.n; i++) {
    const Arg *arg = &call->call.args.at[i];
    if (arg->name ? strcmp(arg->name, name) == 0 : !arg->stars && at++ == position) return arg->value;
  }
  return NULL;
}

static void remark_dropped(Elab *e, const Expr *expr, const char *what) {
  diag_remark(e->diags, expr->loc, "elaborate", "%s cannot be evaluated and is ignored", what);
}

// Reads a constexpr without giving an error. An unreadable value is dropped with a remark.
static bool quiet_const(Elab *e, const Expr *expr, ConstValue *value) {
  Said before = elab_said(e);
  Obj obj = elab_expr(e, expr);
  return !elab_take_back(e, &before) && obj_to_const(e, &obj, value);
}

static void read_option(Elab *e, const Expr *config, const char *name, uint32_t position, uint32_t limit,
                        uint32_t *out) {
  const Expr *expr = elab_argument(config, name, position);
  ConstValue value;
  if (!expr || expr->kind == EXPR_NONE) return;
  if (quiet_const(e, expr, &value) && value.kind == CONST_INT && value.i > 0 && (uint64_t)value.i <= limit)
    *out = (uint32_t)value.i;
  else
    remark_dropped(e, expr, name);
}

// Notes the CTAs of a cluster in a configuration or decorator. Only one is supported.
static void note_ctas(Elab *e, const Expr *call, uint32_t position) {
  const Expr *expr = elab_argument(call, "num_ctas", position);
  ConstValue value;
  if (!expr || !quiet_const(e, expr, &value) || value.kind != CONST_INT || value.i <= 1) return;
  diag_remark(e->diags, expr->loc, "elaborate", "num_ctas is %lld: one CTA computes the tile, as with 1",
              (long long)value.i);
}

static void read_config(Elab *e, const Expr *expr, Config *config) {
  const Expr *values = elab_argument(expr, "kwargs", 0);
  for (uint32_t i = 0; values && values->kind == EXPR_DICT && i < values->dict.n; i++) {
    const DictItem *item = &values->dict.at[i];
    ConstValue value;
    if (item->key && item->key->kind == EXPR_STRING && quiet_const(e, item->value, &value)) {
      Constexpr constexpr = {intern(&e->ir->names, item->key->string.text), value};
      vec_push(e->arena, &config->constexprs, constexpr);
    } else
      remark_dropped(e, item->value, "this value of the configuration");
  }
  read_option(e, expr, "num_warps", 1, NUM_WARPS_MAX, &config->num_warps);
  read_option(e, expr, "num_stages", 2, NUM_STAGES_MAX, &config->num_stages);
  note_ctas(e, expr, 3);
  read_option(e, expr, "maxnreg", NO_POSITION, MAXNREG_MAX, &config->maxnreg);
}

enum { MAX_LISTS = 16 }; // nested names of lists

static const Expr *first_config(Elab *e, const Expr *expr, int depth);

// The first element of clause `at` and later ones whose conditions hold. Leaves the names bound.
static const Expr *first_of_clause(Elab *e, const Expr *expr, uint32_t at, int depth) {
  if (at == expr->comprehension.clauses.n) return first_config(e, expr->comprehension.element, depth + 1);
  const CompClause *clause = &expr->comprehension.clauses.at[at];
  const Expr *first = NULL;
  bool good = true;
  Obj items;
  if (!elab_items(e, clause->iterated, &items)) return NULL;
  for (uint32_t i = 0; good && !first && i < items.items.n; i++) {
    elab_assign(e, clause->target, items.items.at[i]);
    if (elab_accepted(e, clause, &good)) first = first_of_clause(e, expr, at + 1, depth);
  }
  return first;
}

// The first triton.Config of a list, a comprehension, a named list or a sum of them.
static const Expr *first_config(Elab *e, const Expr *expr, int depth) {
  if (!expr || depth > MAX_LISTS) return NULL;
  if (expr->kind == EXPR_CALL) return strcmp(last_name(expr), "Config") == 0 ? expr : NULL;
  if (expr->kind == EXPR_STAR) return first_config(e, expr->operand, depth + 1);
  if (expr->kind == EXPR_LIST || expr->kind == EXPR_TUPLE)
    return expr->list.n ? first_config(e, expr->list.at[0], depth + 1) : NULL;
  if (expr->kind == EXPR_NAME) return first_config(e, elab_assigned_expr(e, expr->name), depth + 1);
  if (expr->kind == EXPR_COMPREHENSION) return first_of_clause(e, expr, 0, depth);
  if (expr->kind != EXPR_BINARY || expr->binary.op != BINARY_ADD) return NULL;
  const Expr *first = first_config(e, expr->binary.left, depth + 1);
  return first ? first : first_config(e, expr->binary.right, depth + 1);
}

// The first configuration of a list that functions build.
static bool first_of_all(Elab *e, const Function *function, Config *config) {
  Autotune all = {0};
  uint32_t said = e->diags->list.n;
  bool good = elab_tunables(e, function, false, &all);
  e->diags->list.n = said; // the caller's remark reports it
  if (!good) return false;
  const AutotuneConfig *first = &all.configs[0];
  for (uint32_t i = 0; i < first->constexpr_count; i++)
    vec_push(e->arena, &config->constexprs, first->constexprs[i]);
  config->num_warps = first->num_warps;
  config->num_stages = first->num_stages;
  config->maxnreg = first->maxnreg;
  return true;
}

static void say_option(const char *name, uint32_t value, bool given, Buf *out) {
  if (value && !given) buf_printf(out, "%s%s=%u", out->n ? ", " : "", name, value);
}

// "BLOCK=64, num_warps=8": what `spec` leaves open. Empty: nothing.
static void say_config(const Elab *e, const Config *config, Buf *out) {
  const Spec *spec = e->spec;
  for (uint32_t i = 0; i < config->constexprs.n; i++) {
    const Constexpr *one = &config->constexprs.at[i];
    bool given = false;
    for (uint32_t j = 0; j < spec->constexpr_count; j++) given |= spec->constexprs[j].name == one->name;
    if (given) continue;
    buf_printf(out, "%s%s=", out->n ? ", " : "", one->name);
    const_print(&one->value, out);
  }
  say_option("num_warps", config->num_warps, spec->num_warps_given, out);
  say_option("num_stages", config->num_stages, spec->num_stages_given, out);
  say_option("maxnreg", config->maxnreg, spec->maxnreg_given, out);
}

void elab_autotune(Elab *e, const Function *function, Config *config) {
  const Expr *decorator = elab_decorator(function, "autotune");
  for (uint32_t i = 0; i < function->decorators.n; i++)
    if (function->decorators.at[i] != decorator) note_ctas(e, function->decorators.at[i], NO_POSITION);
  if (!decorator) return;
  Said before = elab_said(e);
  const Expr *first = first_config(e, elab_argument(decorator, "configs", 0), 0);
  if (elab_take_back(e, &before)) first = NULL; // parts of the list cannot be evaluated
  if (first)
    read_config(e, first, config);
  else if (!first_of_all(e, function, config)) {
    remark_dropped(e, decorator, "@autotune");
    return;
  }
  if (e->spec->tuned) return; // reported already
  Buf values = {0};
  say_config(e, config, &values);
  if (values.n)
    diag_remark(e->diags, first ? first->loc : decorator->loc, CONFIGURATION_REMARK,
                "not tuned: the first configuration of @autotune is taken: %s", values.at);
  buf_free(&values);
}

const char elab_args_path[] = "args";

static const FuncParam *scratch_param(const Elab *e, const Obj *obj) {
  bool is_param = obj->kind == OBJ_VALUE && !obj->value->def && obj->value->region == e->func->body;
  return is_param ? &e->func->params[obj->value->index] : NULL;
}

bool elab_fact(const Elab *e, BinaryOp op, const Obj *a, const Obj *b, Obj *result) {
  const FuncParam *param = scratch_param(e, a);
  bool divides = op == BINARY_MOD && obj_is(b, CONST_INT) && b->constant.i > 0 && 16 % b->constant.i == 0;
  if (!param || !param->facts.divisible16 || !divides || param->type->kind != TYPE_SCALAR) return false;
  *result = obj_int(0);
  return true;
}

static void evaluate_heuristic(Elab *e, const Function *function, const Expr *lambda, Binding *known) {
  Said before = elab_said(e);
  const Function *outer = e->heuristic;
  bool outer_reads = e->heuristic_reads, outer_failed = e->heuristic_failed;
  known->maybe = true; // during its evaluation
  elab_push(e, NULL);
  elab_bind(e, lambda->lambda.params.at[0].name, lambda->loc,
            (Obj){.kind = OBJ_NAMESPACE, .path = elab_args_path});
  e->heuristic = function;
  e->heuristic_reads = e->heuristic_failed = false;
  Obj obj = elab_expr(e, lambda->lambda.body);
  // A function that reads an unknown value may fail in many ways. One message gives the reason.
  bool unknown =
      obj.kind == OBJ_VALUE || (e->heuristic_reads && !e->heuristic_failed && elab_take_back(e, &before));
  e->heuristic = outer;
  e->heuristic_reads = outer_reads;
  e->heuristic_failed = outer_failed;
  elab_pop(e);
  ConstValue value;
  known->obj = obj_to_const(e, &obj, &value) ? obj : (Obj){.kind = OBJ_ERROR};
  if (unknown || (known->obj.kind == OBJ_ERROR && e->diags->raised == before.raised && obj.kind != OBJ_ERROR))
    elab_error(e, lambda->loc,
               "[T0402] the heuristic of '%s' depends on values that are known only at run time; give the "
               "constexpr's value with -D %s=...",
               known->name, known->name);
}

static const Expr *heuristic_values(const Expr *decorator) {
  const Expr *values =
      strcmp(last_name(decorator), "heuristics") == 0 ? elab_argument(decorator, "values", 0) : NULL;
  return values && values->kind == EXPR_DICT ? values : NULL;
}

static bool is_heuristic(const DictItem *item) {
  return item->key && item->key->kind == EXPR_STRING && item->value->kind == EXPR_LAMBDA &&
         item->value->lambda.params.n == 1;
}

bool elab_has_heuristic(Elab *e, const Function *function, const char *name) {
  for (uint32_t i = 0; i < function->decorators.n; i++) {
    const Expr *values = heuristic_values(function->decorators.at[i]);
    for (uint32_t k = 0; values && k < values->dict.n; k++) {
      const DictItem *item = &values->dict.at[k];
      if (!item->key || item->key->kind != EXPR_STRING || !str_is(item->key->string.text, name)) continue;
      if (is_heuristic(item)) return true;
      remark_dropped(e, item->value, "a heuristic that is not a lambda with one parameter");
    }
  }
  return false;
}

static void run_heuristic(Elab *e, const Function *function, const DictItem *item) {
  for (uint32_t i = 0; i < e->known.n; i++) {
    Binding *known = &e->known.at[i];
    if (known->obj.kind == OBJ_ABSENT && !known->maybe && str_is(item->key->string.text, known->name))
      evaluate_heuristic(e, function, item->value, known);
  }
}

// Runs the heuristics of one name; NULL: all.
static void run_heuristics(Elab *e, const Function *function, const char *name) {
  for (uint32_t i = 0; i < function->decorators.n; i++) {
    const Expr *values = heuristic_values(function->decorators.at[i]);
    for (uint32_t k = 0; values && k < values->dict.n; k++) {
      const DictItem *item = &values->dict.at[k];
      if (is_heuristic(item) && (!name || str_is(item->key->string.text, name)))
        run_heuristic(e, function, item);
    }
  }
}

void elab_heuristics(Elab *e, const Function *function) { run_heuristics(e, function, NULL); }

Obj elab_heuristic_arg(Elab *e, Loc loc, const char *name) {
  const char **names = ARENA_ARRAY(e->arena, const char *, e->known.n);
  for (uint32_t i = 0; i < e->known.n; i++) {
    const Binding *known = &e->known.at[i];
    names[i] = known->name;
    if (strcmp(known->name, name) != 0) continue;
    if (known->obj.kind == OBJ_ABSENT && !known->maybe) run_heuristics(e, e->heuristic, name);
    e->heuristic_reads |= known->obj.kind == OBJ_VALUE;
    e->heuristic_failed |= known->obj.kind == OBJ_ERROR;
    if (known->obj.kind != OBJ_ABSENT) return known->obj;
    return elab_error(e, loc, "[T0402] '%s' has no value for the heuristic", name);
  }
  return elab_error(e, loc, "[T0204] the kernel has no parameter '%s'%s", name,
                    elab_did_you_mean(e, str_from(name), names, e->known.n));
}
