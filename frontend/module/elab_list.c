// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds lists of configurations like Python, outside kernels. It has dictionaries (named tuples of their
// keys), growing lists, filters and itertools.product. A triton.Config is a named tuple of its arguments.
#include "frontend/module/elab_module.h"

#include <stdlib.h>

static Obj named(Elab *e, uint32_t n, const char **names) {
  Obj tuple = obj_tuple(e, n);
  tuple.items.names = names;
  return tuple;
}

// --- Dictionaries ---

typedef struct Dict {
  VEC(Obj) values;
  VEC(const char *) names;
} Dict;

static void dict_set(Elab *e, Dict *dict, const char *name, Obj value) {
  for (uint32_t i = 0; i < dict->names.n; i++)
    if (dict->names.at[i] == name) {
      dict->values.at[i] = value;
      return;
    }
  vec_push(e->arena, &dict->names, name);
  vec_push(e->arena, &dict->values, value);
}

static Obj dict_tuple(Elab *e, const Dict *dict) {
  const char **names = ARENA_ARRAY(e->arena, const char *, dict->names.n + 1); // not NULL even if empty
  Obj tuple = named(e, dict->names.n, names);
  tuple.items.dict = true;
  for (uint32_t i = 0; i < dict->names.n; i++) {
    names[i] = dict->names.at[i];
    tuple.items.at[i] = dict->values.at[i];
  }
  return tuple;
}

// The name of a dictionary key. A string is its own name. Others begin with a byte that no string of a file
// has. "\1" and the integer, "N" for None, or "(" and each element's name after its length.
enum { NOT_A_TEXT = 1 };

const char *elab_key_name(Elab *e, const Obj *key) {
  const char *name = NULL;
  bool whole = obj_is(key, CONST_FLOAT) && key->constant.f == (double)(int64_t)key->constant.f;
  if (obj_is(key, CONST_STR) && key->constant.str[0] != NOT_A_TEXT)
    name = key->constant.str;
  else if ((obj_is(key, CONST_INT) && !key->constant.is_u64) || obj_is(key, CONST_BOOL))
    name = arena_printf(e->arena, "%c%lld", NOT_A_TEXT, (long long)key->constant.i);
  else if (whole && key->constant.f < 0x1p62 && key->constant.f > -0x1p62)
    name = arena_printf(e->arena, "%c%lld", NOT_A_TEXT, (long long)key->constant.f);
  else if (obj_is(key, CONST_NONE))
    name = arena_printf(e->arena, "%cN", NOT_A_TEXT);
  else if (key->kind == OBJ_TUPLE && !key->items.names) {
    name = arena_printf(e->arena, "%c(", NOT_A_TEXT);
    for (uint32_t i = 0; i < key->items.n; i++) {
      const char *item = elab_key_name(e, &key->items.at[i]);
      if (!item) return NULL;
      name = arena_printf(e->arena, "%s%zu:%s", name, strlen(item), item);
    }
  }
  return name ? intern(&e->ir->names, str_from(name)) : NULL;
}

static Obj key_of(Elab *e, Str name) {
  if (!name.n || name.at[0] != NOT_A_TEXT) return obj_string(e, name);
  if (name.at[1] == 'N') return obj_none();
  if (name.at[1] != '(') return obj_int(strtoll(arena_copy(e->arena, name) + 1, NULL, 10));
  VEC(Obj) items = {0};
  for (const char *at = name.at + 2; at < name.at + name.n;) {
    char *text;
    size_t n = strtoull(at, &text, 10);
    vec_push(e->arena, &items, key_of(e, (Str){text + 1, n}));
    at = text + 1 + n;
  }
  Obj tuple = obj_tuple(e, items.n);
  for (uint32_t i = 0; i < items.n; i++) tuple.items.at[i] = items.at[i];
  return tuple;
}

Obj elab_dict_keys(Elab *e, const Obj *dict) {
  Obj keys = obj_tuple(e, dict->items.n);
  for (uint32_t i = 0; i < keys.items.n; i++) keys.items.at[i] = key_of(e, str_from(dict->items.names[i]));
  return keys;
}

// Returns false with an error for a key that is not known.
static bool dict_put(Elab *e, Loc loc, Dict *dict, const Obj *key, Obj value) {
  const char *name = key->kind == OBJ_ERROR || value.kind == OBJ_ERROR ? NULL : elab_key_name(e, key);
  if (name) return dict_set(e, dict, name, value), true;
  if (key->kind != OBJ_ERROR && value.kind != OBJ_ERROR)
    elab_error(
        e, loc,
        "[T0309] the keys of a dictionary must be known strings, integers or tuples of these here, not %s",
        obj_describe(e, key));
  return false;
}

static void dict_add(Elab *e, Dict *dict, const Obj *other) {
  for (uint32_t i = 0; i < other->items.n; i++) dict_set(e, dict, other->items.names[i], other->items.at[i]);
}

Obj elab_dict(Elab *e, const Expr *expr) {
  Dict dict = {.names = {.n = 0}};
  for (uint32_t i = 0; i < expr->dict.n; i++) {
    const DictItem *item = &expr->dict.at[i];
    Obj key = item->key ? elab_expr(e, item->key) : obj_none(), value = elab_expr(e, item->value);
    if (item->key && !dict_put(e, expr->loc, &dict, &key, value)) return obj_error();
    if (item->key) continue;
    if (value.kind == OBJ_ERROR) return value;
    if (value.kind != OBJ_TUPLE || !value.items.names)
      return elab_error(e, expr->loc, "[T0309] '**' takes a dictionary, not %s", obj_describe(e, &value));
    dict_add(e, &dict, &value);
  }
  return dict_tuple(e, &dict);
}

Obj elab_dict_of(Elab *e, Loc loc, const Obj *pairs) {
  Dict dict = {.names = {.n = 0}};
  for (uint32_t i = 0; i < pairs->items.n; i++) {
    const Obj *pair = &pairs->items.at[i];
    if (pair->kind != OBJ_TUPLE || pair->items.n != 2)
      return elab_error(e, loc, "[T0404] dict(...) takes pairs of a key and a value here");
    if (!dict_put(e, loc, &dict, &pair->items.at[0], pair->items.at[1])) return obj_error();
  }
  return dict_tuple(e, &dict);
}

static Obj dict_call(Elab *e, Loc loc, const GivenArgs *args) {
  Dict dict = {.names = {.n = 0}};
  for (uint32_t i = 0; i < args->n; i++) {
    Obj more = args->at[i].obj;
    bool first = i == 0 && !args->at[i].name && more.kind == OBJ_TUPLE;
    if (!args->at[i].name && !first)
      return elab_error(e, loc, "[T0404] dict(...) takes names and values here");
    if (first && !more.items.names) more = elab_dict_of(e, loc, &more);
    if (more.kind == OBJ_ERROR) return more;
    if (first)
      dict_add(e, &dict, &more);
    else
      dict_set(e, &dict, args->at[i].name, more);
  }
  return dict_tuple(e, &dict);
}

// --- Configurations ---

static const char *const config_fields[] = {"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg"};
enum { CONFIG_FIELDS = sizeof config_fields / sizeof *config_fields };

// Missing arguments have Triton's defaults. A hook belongs to the host and is not evaluated.
static Obj config_call(Elab *e, const Expr *call) {
  const char **names = ARENA_ARRAY(e->arena, const char *, CONFIG_FIELDS);
  Obj config = named(e, CONFIG_FIELDS, names);
  const Dict none = {.names = {.n = 0}};
  const Obj by_default[CONFIG_FIELDS] = {dict_tuple(e, &none), obj_int(4), obj_int(3), obj_int(1),
                                         obj_none()};
  for (uint32_t i = 0; i < CONFIG_FIELDS; i++) {
    const Expr *given = elab_argument(call, config_fields[i], i);
    names[i] = intern(&e->ir->names, str_from(config_fields[i]));
    config.items.at[i] = given ? elab_expr(e, given) : by_default[i];
    if (config.items.at[i].kind == OBJ_ERROR) return obj_error();
  }
  return config;
}

// --- Lists ---

static Obj joined(Elab *e, const Obj *a, const Obj *b) {
  Obj both = obj_tuple(e, a->items.n + b->items.n);
  for (uint32_t i = 0; i < a->items.n; i++) both.items.at[i] = a->items.at[i];
  for (uint32_t i = 0; i < b->items.n; i++) both.items.at[a->items.n + i] = b->items.at[i];
  return both;
}

static Obj not_known(Elab *e, Loc loc, const char *function) {
  return elab_error(e, loc, "[T0404] '%s' is not known for these arguments at the module level", function);
}

static Obj filtered(Elab *e, Loc loc, const Obj *function, const Obj *list) {
  Obj kept = obj_tuple(e, list->items.n);
  kept.items.n = 0;
  for (uint32_t i = 0; i < list->items.n; i++) {
    Obj answer = elab_apply(e, loc, function, 1, &list->items.at[i]);
    bool truth;
    if (answer.kind == OBJ_ERROR) return answer;
    if (!const_truth(e, &answer, &truth)) return not_known(e, loc, "filter");
    if (truth) kept.items.at[kept.items.n++] = list->items.at[i];
  }
  return kept;
}

// The last list varies fastest.
static Obj product_of(Elab *e, Loc loc, const GivenArgs *args) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < args->n; i++) {
    if (args->at[i].obj.kind != OBJ_TUPLE || args->at[i].name)
      return elab_error(e, loc, "[T0404] itertools.product takes lists here");
    count *= args->at[i].obj.items.n;
    if (count > ELAB_MAX_UNROLL)
      return elab_error(e, loc, "[T0506] the product has more than %d elements", ELAB_MAX_UNROLL);
  }
  Obj all = obj_tuple(e, (uint32_t)count);
  for (uint32_t i = 0; i < count; i++) {
    Obj one = obj_tuple(e, args->n);
    uint32_t left = i;
    for (uint32_t k = args->n; k-- > 0;) {
      const Obj *list = &args->at[k].obj;
      one.items.at[k] = list->items.at[left % list->items.n];
      left /= list->items.n;
    }
    all.items.at[i] = one;
  }
  return all;
}

// list(), tuple(), filter(), dict() of Python. False: another call.
static bool list_function(Elab *e, const Expr *call, Obj *obj) {
  static const char *const names[] = {"list", "tuple", "filter", "dict"};
  const Expr *callee = call->call.callee;
  uint32_t at = 0, count = sizeof names / sizeof *names;
  if (callee->kind != EXPR_NAME || !e->frame->module->python || elab_find(e->frame, callee->name))
    return false;
  while (at < count && strcmp(names[at], callee->name) != 0) at++;
  if (at == count) return false;
  GivenArgs args = {0};
  if (!elab_given_args(e, call, &args)) return *obj = obj_error(), true;
  for (uint32_t i = 0; i < args.n && at != 3; i++)
    if (args.at[i].obj.kind == OBJ_TUPLE && args.at[i].obj.items.dict)
      args.at[i].obj = elab_dict_keys(e, &args.at[i].obj);
  const Obj *last = args.n ? &args.at[args.n - 1].obj : NULL;
  bool filters = at == 2, is_list = last && last->kind == OBJ_TUPLE && !last->items.names;
  if (at == 3)
    *obj = dict_call(e, call->loc, &args);
  else if (filters && is_list && args.n == 2)
    *obj = filtered(e, call->loc, &args.at[0].obj, last);
  else if (!filters && args.n == 0)
    *obj = obj_tuple(e, 0);
  else if (!filters && is_list && args.n == 1)
    *obj = *last;
  else
    *obj = not_known(e, call->loc, names[at]);
  return true;
}

bool host_product(Elab *e, const Expr *call, const char *path, Obj *obj) {
  GivenArgs args = {0};
  if (strcmp(path, ITERTOOLS_PRODUCT) != 0) return false;
  *obj = elab_given_args(e, call, &args) ? product_of(e, call->loc, &args) : obj_error();
  return true;
}

// L.append(x) and L.extend(xs), for a name that this function has bound. Other names of the same list are not
// updated.
static bool grow_list(Elab *e, const Expr *call, const char *method) {
  const Expr *list = call->call.callee->attribute.object;
  const Binding *bound = list->kind == EXPR_NAME ? elab_find(e->frame, list->name) : NULL;
  bool extends = strcmp(method, "extend") == 0;
  if (!bound || bound->obj.kind != OBJ_TUPLE || bound->obj.items.names || call->call.args.n != 1)
    return false;
  if (!extends && strcmp(method, "append") != 0) return false;
  Obj more = elab_expr(e, call->call.args.at[0].value), one = obj_tuple(e, 1);
  one.items.at[0] = more;
  if (extends && more.kind != OBJ_TUPLE && more.kind != OBJ_ERROR)
    more = elab_error(e, call->loc, "[T0309] a list can be extended only by a list, not by %s",
                      obj_describe(e, &more));
  Obj grown = joined(e, &bound->obj, extends ? &more : &one);
  if (more.kind == OBJ_ERROR) grown = more;
  elab_bind_quietly(e, list->name, list->loc, grown);
  return true;
}

bool host_set_item(Elab *e, const Expr *target, const Obj *value) {
  const Expr *object = target->subscript.object;
  const Binding *bound = object->kind == EXPR_NAME ? elab_find(e->frame, object->name) : NULL;
  if (!bound || bound->obj.kind != OBJ_TUPLE || target->subscript.indices.n != 1) return false;
  Obj tuple = bound->obj, key = elab_expr(e, target->subscript.indices.at[0]);
  if (tuple.items.names || (tuple.items.n == 0 && obj_is(&key, CONST_STR))) {
    Dict dict = {.names = {.n = 0}};
    if (tuple.items.names) dict_add(e, &dict, &tuple);
    if (key.kind == OBJ_ERROR || !dict_put(e, target->loc, &dict, &key, *value)) return true;
    elab_bind_quietly(e, object->name, object->loc, dict_tuple(e, &dict));
    return true;
  }
  int64_t n = tuple.items.n, at = obj_is(&key, CONST_INT) ? key.constant.i : n;
  if (at < -n || at >= n) return key.kind == OBJ_ERROR;
  Obj none = obj_tuple(e, 0), copy = joined(e, &tuple, &none);
  copy.items.at[at < 0 ? at + n : at] = *value;
  elab_bind_quietly(e, object->name, object->loc, copy);
  return true;
}

// d.get("key", otherwise)
static bool get_item(Elab *e, const Expr *call, const char *method, Obj *obj) {
  const ArgList *args = &call->call.args;
  if (strcmp(method, "get") != 0 || args->n < 1 || args->n > 2) return false;
  Obj dict = elab_expr(e, call->call.callee->attribute.object), key;
  if (dict.kind != OBJ_TUPLE || !dict.items.names) return false;
  key = elab_expr(e, args->at[0].value);
  const char *name = elab_key_name(e, &key);
  if (!name) return false;
  if (!elab_field(e, &dict, name, obj)) *obj = args->n == 2 ? elab_expr(e, args->at[1].value) : obj_none();
  return true;
}

// The element's first place, or the number of its occurrences.
static Obj sought(Elab *e, const Expr *call, const Obj *list, bool place) {
  Obj wanted = elab_expr(e, call->call.args.at[0].value);
  int64_t n = 0;
  if (wanted.kind == OBJ_ERROR) return wanted;
  for (uint32_t i = 0; i < list->items.n; i++) {
    Obj same = const_compare(e, call->loc, COMPARE_EQ, &list->items.at[i], &wanted);
    bool is = same.kind != OBJ_ERROR && same.constant.i;
    if (is && place) return obj_int(i);
    n += is;
  }
  if (!place) return obj_int(n);
  e->raises = e->raises || e->frame->python;
  return elab_error(e, call->loc, "[T0309] %s is not in the list", obj_describe(e, &wanted));
}

// d.items(), d.keys(), d.values(); t.index(x), t.count(x)
static bool list_method(Elab *e, const Expr *call, const char *method, Obj *obj) {
  static const char *const methods[] = {"items", "keys", "values", "index", "count", "copy"};
  uint32_t at = 0, count = sizeof methods / sizeof *methods;
  while (at < count && strcmp(methods[at], method) != 0) at++;
  bool seeks = at == 3 || at == 4;
  if (at == count || call->call.args.n != (seeks ? 1 : 0)) return false;
  Obj list = elab_expr(e, call->call.callee->attribute.object), field;
  if (list.kind != OBJ_TUPLE || elab_field(e, &list, method, &field) ||
      (at < 3 && !list.items.names && list.items.n))
    return false;
  if (seeks) return *obj = sought(e, call, &list, at == 3), true;
  if (at == 5) return *obj = list, true;
  *obj = obj_tuple(e, list.items.n);
  for (uint32_t i = 0; i < list.items.n; i++) {
    Obj name = key_of(e, str_from(list.items.names[i])), two = obj_tuple(e, 2);
    two.items.at[0] = name;
    two.items.at[1] = list.items.at[i];
    obj->items.at[i] = at == 0 ? two : at == 1 ? name : list.items.at[i];
  }
  return true;
}

bool host_makes_list(Elab *e, const Expr *call, Obj *obj) {
  const Expr *callee = call->call.callee;
  *obj = obj_none();
  if (elab_is_decorator(call, "Config")) return *obj = config_call(e, call), true;
  if (list_function(e, call, obj) || host_extreme(e, call, obj)) return true;
  if (callee->kind != EXPR_ATTRIBUTE || callee->attribute.object->kind == EXPR_STRING) return false;
  const char *method = callee->attribute.name;
  return grow_list(e, call, method) || get_item(e, call, method, obj) || list_method(e, call, method, obj);
}
