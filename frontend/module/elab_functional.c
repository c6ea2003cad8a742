// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions outside kernels that take functions: functools.reduce, those of operator, max and min with a key.
#include "frontend/module/elab_module.h"

// --- operator ---

static const struct {
  const char *name;
  BinaryOp op;
} binaries[] = {{"add", BINARY_ADD},
                {"sub", BINARY_SUB},
                {"mul", BINARY_MUL},
                {"truediv", BINARY_DIV},
                {"floordiv", BINARY_FLOOR_DIV},
                {"mod", BINARY_MOD},
                {"pow", BINARY_POW},
                {"and_", BINARY_AND},
                {"or_", BINARY_OR},
                {"xor", BINARY_XOR},
                {"lshift", BINARY_SHL},
                {"rshift", BINARY_SHR}};

static const struct {
  const char *name;
  CompareOp op;
} compares[] = {{"eq", COMPARE_EQ}, {"ne", COMPARE_NE}, {"lt", COMPARE_LT},
                {"le", COMPARE_LE}, {"gt", COMPARE_GT}, {"ge", COMPARE_GE}};

enum { BINARIES = sizeof binaries / sizeof *binaries, COMPARES = sizeof compares / sizeof *compares };

static const char reduce_path[] = "functools.reduce";

// The name after "operator."; NULL: another module's.
static const char *operator_name(const char *path) {
  return str_starts(str_from(path), "operator.") ? path + strlen("operator.") : NULL;
}

static bool apply_operator(Elab *e, Loc loc, const char *name, const Obj *a, const Obj *b, Obj *obj) {
  for (size_t i = 0; i < BINARIES; i++)
    if (strcmp(binaries[i].name, name) == 0) return *obj = const_binary(e, loc, binaries[i].op, a, b), true;
  for (size_t i = 0; i < COMPARES; i++)
    if (strcmp(compares[i].name, name) == 0) return *obj = const_compare(e, loc, compares[i].op, a, b), true;
  return false;
}

bool functional_has(const char *path) {
  const char *name = operator_name(path);
  if (!name) return strcmp(path, reduce_path) == 0;
  for (size_t i = 0; i < BINARIES; i++)
    if (strcmp(binaries[i].name, name) == 0) return true;
  for (size_t i = 0; i < COMPARES; i++)
    if (strcmp(compares[i].name, name) == 0) return true;
  return false;
}

// --- reduce ---

static Obj apply_pair(Elab *e, Loc loc, const Obj *function, const Obj *a, const Obj *b) {
  const Obj pair[] = {*a, *b};
  const char *name = function->kind == OBJ_NAMESPACE ? operator_name(function->path) : NULL;
  Obj obj;
  return name && apply_operator(e, loc, name, a, b, &obj) ? obj : elab_apply(e, loc, function, 2, pair);
}

static Obj reduced(Elab *e, Loc loc, const GivenArgs *args) {
  bool good = args->n == 2 || args->n == 3;
  for (uint32_t i = 0; i < args->n; i++) good = good && !args->at[i].name;
  if (!good || args->at[1].obj.kind != OBJ_TUPLE)
    return elab_error(e, loc, "[T0404] reduce() takes a function, a list and a first value here");
  const Obj *function = &args->at[0].obj;
  Obj list = args->at[1].obj;
  if (list.items.dict) list = elab_dict_keys(e, &list);
  if (args->n == 2 && list.items.n == 0)
    return elab_error(e, loc, "[T0404] reduce() of an empty list needs a first value");
  uint32_t first = args->n == 2;
  Obj all = first ? list.items.at[0] : args->at[2].obj;
  for (uint32_t i = first; i < list.items.n && all.kind != OBJ_ERROR; i++)
    all = apply_pair(e, loc, function, &all, &list.items.at[i]);
  return all;
}

bool functional_call(Elab *e, const Expr *call, const char *path, Obj *obj) {
  GivenArgs args = {0};
  const char *name = operator_name(path);
  if (!functional_has(path)) return false;
  if (!elab_given_args(e, call, &args)) return *obj = obj_error(), true;
  if (!name)
    *obj = reduced(e, call->loc, &args);
  else if (args.n != 2 || args.at[0].name || args.at[1].name ||
           !apply_operator(e, call->loc, name, &args.at[0].obj, &args.at[1].obj, obj))
    *obj = elab_error(e, call->loc, "[T0404] '%s' takes two values", path);
  return true;
}

// --- max, min ---

static bool has_key(const Expr *call) {
  for (uint32_t i = 0; i < call->call.args.n; i++)
    if (call->call.args.at[i].name && strcmp(call->call.args.at[i].name, "key") == 0) return true;
  return false;
}

// The first element with the largest or smallest key.
static Obj extreme(Elab *e, Loc loc, bool greatest, const Obj *key, const Obj *items) {
  Obj best = obj_none(), best_key = obj_none();
  for (uint32_t i = 0; i < items->items.n; i++) {
    const Obj *item = &items->items.at[i];
    Obj own = obj_is(key, CONST_NONE) ? *item : elab_apply(e, loc, key, 1, item);
    if (own.kind == OBJ_ERROR) return own;
    Obj better =
        i == 0 ? obj_bool(true) : const_compare(e, loc, greatest ? COMPARE_GT : COMPARE_LT, &own, &best_key);
    if (better.kind == OBJ_ERROR) return better;
    if (better.constant.i) best = *item, best_key = own;
  }
  return best;
}

bool host_extreme(Elab *e, const Expr *call, Obj *obj) {
  const Expr *callee = call->call.callee;
  bool greatest = callee->kind == EXPR_NAME && strcmp(callee->name, "max") == 0;
  if (callee->kind != EXPR_NAME || (!greatest && strcmp(callee->name, "min") != 0) || !has_key(call))
    return false;
  if (!e->frame->module->python || elab_find(e->frame, callee->name) ||
      module_last(e->frame->module, callee->name))
    return false;
  GivenArgs args = {0};
  if (!elab_given_args(e, call, &args)) return *obj = obj_error(), true;
  Obj key = obj_none(), otherwise = {.kind = OBJ_ABSENT}, items = obj_tuple(e, args.n);
  items.items.n = 0;
  for (uint32_t i = 0; i < args.n; i++) {
    const char *name = args.at[i].name;
    if (!name)
      items.items.at[items.items.n++] = args.at[i].obj;
    else if (strcmp(name, "key") == 0)
      key = args.at[i].obj;
    else if (strcmp(name, "default") == 0)
      otherwise = args.at[i].obj;
    else
      return *obj = elab_error(e, args.at[i].name_loc, "[T0204] unexpected keyword argument '%s' of '%s'",
                               name, callee->name),
             true;
  }
  bool list = items.items.n == 1 && items.items.at[0].kind == OBJ_TUPLE;
  if (list) items = items.items.at[0];
  if (list && items.items.dict) items = elab_dict_keys(e, &items);
  if (list ? items.items.n > 0 : items.items.n > 1)
    *obj = extreme(e, call->loc, greatest, &key, &items);
  else if (list && otherwise.kind != OBJ_ABSENT)
    *obj = otherwise;
  else
    *obj = elab_error(e, call->loc, "[T0404] '%s' is not known for these arguments at the module level",
                      callee->name);
  return true;
}
