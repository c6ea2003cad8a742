// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @autotune in full: evaluates its list as Python would, calls its pruning function, and reads its options
// for parameters.
#include "frontend/module/elab_module.h"

// --- Lists of parameters ---

static uint32_t read_names(Elab *e, const Expr *decorator, const char *argument, uint32_t position,
                           const char ***names) {
  const Expr *expr = elab_argument(decorator, argument, position);
  Said before = elab_said(e);
  Obj list = expr ? elab_expr(e, expr) : obj_none();
  uint32_t n = 0;
  if (elab_take_back(e, &before) || list.kind != OBJ_TUPLE) list = obj_tuple(e, 0);
  *names = ARENA_ARRAY(e->arena, const char *, list.items.n + 1);
  for (uint32_t i = 0; i < list.items.n; i++)
    if (obj_is(&list.items.at[i], CONST_STR))
      (*names)[n++] = intern(&e->ir->names, str_from(list.items.at[i].constant.str));
  return n;
}

// The first error since then; NULL: none.
static const Diag *first_error(const Elab *e, const Said *before) {
  for (uint32_t i = before->n; i < e->diags->list.n; i++)
    if (e->diags->list.at[i]->severity == DIAG_ERROR) return e->diags->list.at[i];
  return NULL;
}

// --- Configurations ---

// Absent and None are 0.
static bool read_count(Elab *e, const Obj *config, const char *name, uint32_t limit, uint32_t *count) {
  Obj obj;
  *count = 0;
  if (!elab_field(e, config, name, &obj) || obj_is(&obj, CONST_NONE)) return true;
  if (!obj_is(&obj, CONST_INT) || obj.constant.i < 1 || obj.constant.i > limit) return false;
  *count = (uint32_t)obj.constant.i;
  return true;
}

// False: not a configuration, or one with values that no kernel can have.
static bool read_one(Elab *e, const Obj *obj, AutotuneConfig *config) {
  Obj values;
  if (obj->kind != OBJ_TUPLE || !elab_field(e, obj, "kwargs", &values) || values.kind != OBJ_TUPLE)
    return false;
  *config = (AutotuneConfig){.constexprs = ARENA_ARRAY(e->arena, Constexpr, values.items.n + 1)};
  for (uint32_t i = 0; i < values.items.n; i++) {
    Constexpr *one = &config->constexprs[config->constexpr_count++];
    one->name = values.items.names[i];
    if (!obj_to_const(e, &values.items.at[i], &one->value)) return false;
  }
  return read_count(e, obj, "num_warps", NUM_WARPS_MAX, &config->num_warps) &&
         read_count(e, obj, "num_stages", NUM_STAGES_MAX, &config->num_stages) &&
         read_count(e, obj, "maxnreg", MAXNREG_MAX, &config->maxnreg);
}

static bool read_all(Elab *e, const Expr *expr, const Obj *list, Autotune *autotune) {
  uint32_t refused = 0;
  if (list->kind != OBJ_TUPLE || !list->items.n) return false;
  autotune->configs = ARENA_ARRAY(e->arena, AutotuneConfig, list->items.n);
  autotune->count = 0;
  for (uint32_t i = 0; i < list->items.n; i++)
    if (read_one(e, &list->items.at[i], &autotune->configs[autotune->count]))
      autotune->count++;
    else
      refused++;
  if (refused)
    diag_remark(e->diags, expr->loc, "elaborate",
                "%u of %u configurations are skipped: their values are not valid for a kernel", refused,
                list->items.n);
  return autotune->count > 0;
}

// --- Pruning ---

// The known arguments. early_config_prune takes them as named_args and as **kwargs.
static Obj known_args(Elab *e, GivenArgs *given) {
  const char **names = ARENA_ARRAY(e->arena, const char *, e->known.n + 1);
  Obj args = obj_tuple(e, e->known.n);
  args.items.n = 0;
  args.items.names = names;
  for (uint32_t i = 0; i < e->known.n; i++) {
    const Binding *known = &e->known.at[i];
    if (known->obj.kind == OBJ_ABSENT || known->obj.kind == OBJ_ERROR) continue;
    names[args.items.n] = known->name;
    args.items.at[args.items.n++] = known->obj;
    vec_push(e->arena, given, ((Given){known->obj, known->loc, known->name, known->loc}));
  }
  return args;
}

static bool call_prune(Elab *e, const Expr *expr, const Obj *list, Obj *left) {
  Said before = elab_said(e);
  GivenArgs given = {0}, named = {0};
  Obj function = elab_expr(e, expr), args = known_args(e, &named);
  vec_push(e->arena, &given, ((Given){*list, expr->loc, NULL, LOC_NONE}));
  vec_push(e->arena, &given, ((Given){args, expr->loc, NULL, LOC_NONE}));
  bool is_function = function.kind == OBJ_FUNCTION, takes_any = false;
  for (uint32_t i = 0; is_function && i < function.function->params.n; i++)
    takes_any |= function.function->params.at[i].stars == 2;
  for (uint32_t i = 0; takes_any && i < named.n; i++) vec_push(e->arena, &given, named.at[i]);
  *left = is_function ? elab_apply_given(e, expr->loc, &function, &given) : obj_error();
  return !elab_take_back(e, &before) && left->kind == OBJ_TUPLE && left->items.n > 0;
}

static void not_applied(Elab *e, Loc loc, const char *what) {
  diag_remark(e->diags, loc, "elaborate", "prune_configs_by: %s was not applied: it cannot be evaluated",
              what);
}

static void prune(Elab *e, const Expr *decorator, Obj *list, Autotune *autotune) {
  const Expr *by = elab_argument(decorator, "prune_configs_by", 2);
  if (!by || by->kind == EXPR_NONE) return;
  if (by->kind == EXPR_NAME) by = elab_assigned_expr(e, by->name);
  for (uint32_t i = 0; by && by->kind == EXPR_DICT && i < by->dict.n; i++) {
    const DictItem *item = &by->dict.at[i];
    Obj left;
    if (!item->key || item->key->kind != EXPR_STRING || item->value->kind == EXPR_NONE) continue;
    if (str_is(item->key->string.text, "perf_model"))
      diag_remark(e->diags, item->value->loc, "elaborate",
                  "prune_configs_by: perf_model was not applied: tilec's own model ranks");
    if (!str_is(item->key->string.text, "early_config_prune")) continue;
    if (!call_prune(e, item->value, list, &left)) {
      not_applied(e, item->value->loc, "early_config_prune");
      continue;
    }
    *list = left;
    autotune->pruned = true;
  }
  if (!by || by->kind != EXPR_DICT) not_applied(e, decorator->loc, "it");
}

bool elab_tunables(Elab *e, const Function *function, bool prunes, Autotune *autotune) {
  const Expr *decorator = elab_decorator(function, "autotune");
  const Expr *expr = decorator ? elab_argument(decorator, "configs", 0) : NULL;
  if (!expr) return false;
  Said before = elab_said(e);
  Obj list = elab_expr(e, expr);
  autotune->loc = decorator->loc;
  const Diag *why = first_error(e, &before);
  if (elab_take_back(e, &before) || list.kind != OBJ_TUPLE) {
    diag_remark(e->diags, expr->loc, "elaborate", "@autotune's configurations cannot be evaluated%s%s",
                why ? ": " : "", why ? why->message : "");
    return false;
  }
  autotune->listed = list.items.n;
  if (prunes) prune(e, decorator, &list, autotune);
  autotune->key_count = read_names(e, decorator, "key", 1, &autotune->key);
  autotune->reset_count = read_names(e, decorator, "reset_to_zero", 3, &autotune->reset);
  autotune->restore_count = read_names(e, decorator, "restore_value", 4, &autotune->restore);
  return read_all(e, expr, &list, autotune);
}
