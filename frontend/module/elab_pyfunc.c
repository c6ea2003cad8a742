// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python functions that the module level calls and a kernel cannot: round, sum, sorted, enumerate and
// similar.
#include "frontend/module/elab_module.h"

#include <math.h>
#include <stdlib.h>

// Rounds half to even, as Python does.
static Obj rounded(const Obj *x) {
  double value = rint(const_number(&x->constant));
  return x->constant.kind == CONST_FLOAT && fabs(value) < 0x1p62 ? obj_int((int64_t)value) : *x;
}

static Obj summed(Elab *e, Loc loc, const Obj *tuple, Obj sum) {
  for (uint32_t i = 0; i < tuple->items.n && sum.kind != OBJ_ERROR; i++)
    sum = const_binary(e, loc, BINARY_ADD, &sum, &tuple->items.at[i]);
  return sum;
}

// False: one of the truth values is not known.
static bool quantified(Elab *e, const Obj *tuple, bool all, Obj *obj) {
  *obj = obj_bool(all);
  for (uint32_t i = 0; i < tuple->items.n; i++) {
    bool truth;
    if (!const_truth(e, &tuple->items.at[i], &truth)) return false;
    if (truth != all) *obj = obj_bool(!all);
  }
  return true;
}

static Obj set_attribute(Elab *e, Loc loc, const GivenArgs *args) {
  bool good = args->n == 3 && !args->at[2].name && obj_is(&args->at[1].obj, CONST_STR);
  if (good && elab_set_member(e, &args->at[0].obj, args->at[1].obj.constant.str, args->at[2].obj))
    return obj_none();
  return elab_error(e, loc, "[T0404] setattr() sets members of modules here");
}

// --- Lists ---

static Obj sequence(Elab *e, const Obj *tuple) {
  Obj copy = obj_tuple(e, tuple->items.n);
  for (uint32_t i = 0; i < tuple->items.n; i++) copy.items.at[i] = tuple->items.at[i];
  return copy;
}

static Obj reversed(Elab *e, const Obj *tuple) {
  Obj copy = sequence(e, tuple);
  for (uint32_t i = 0; i < copy.items.n; i++) copy.items.at[i] = tuple->items.at[copy.items.n - 1 - i];
  return copy;
}

static Obj pair(Elab *e, Obj a, Obj b) {
  Obj two = obj_tuple(e, 2);
  two.items.at[0] = a;
  two.items.at[1] = b;
  return two;
}

static Obj enumerated(Elab *e, const Obj *tuple, int64_t from) {
  Obj pairs = obj_tuple(e, tuple->items.n);
  for (uint32_t i = 0; i < pairs.items.n; i++)
    pairs.items.at[i] = pair(e, obj_int(from + i), tuple->items.at[i]);
  return pairs;
}

// Pairs the lists' elements, up to the shortest list's end. `function`, if any, is called with each pair.
static Obj zipped(Elab *e, Loc loc, const Given *lists, uint32_t n, const Obj *function) {
  uint32_t count = n ? UINT32_MAX : 0;
  for (uint32_t i = 0; i < n; i++) {
    const Obj *list = &lists[i].obj;
    if (list->kind != OBJ_TUPLE || lists[i].name)
      return elab_error(e, lists[i].loc, "[T0404] zip() and map() take lists here");
    count = list->items.n < count ? list->items.n : count;
  }
  Obj all = obj_tuple(e, count);
  for (uint32_t i = 0; i < count; i++) {
    Obj one = obj_tuple(e, n);
    for (uint32_t k = 0; k < n; k++) one.items.at[k] = lists[k].obj.items.at[i];
    all.items.at[i] = function ? elab_apply(e, loc, function, n, one.items.at) : one;
    if (all.items.at[i].kind == OBJ_ERROR) return obj_error();
  }
  return all;
}

// A stable sort. For elements without an order, the comparison gives an error.
static Obj sorted(Elab *e, Loc loc, const Obj *tuple, const Obj *key, bool down) {
  Obj items = sequence(e, tuple), keys = sequence(e, tuple);
  uint32_t n = items.items.n;
  for (uint32_t i = 0; key && i < n; i++) {
    keys.items.at[i] = elab_apply(e, loc, key, 1, &items.items.at[i]);
    if (keys.items.at[i].kind == OBJ_ERROR) return obj_error();
  }
  for (uint32_t i = 1; i < n; i++) {
    Obj item = items.items.at[i], own = keys.items.at[i];
    uint32_t at = i;
    for (; at > 0; at--) {
      const Obj *before = &keys.items.at[at - 1];
      Obj less = down ? const_compare(e, loc, COMPARE_LT, before, &own)
                      : const_compare(e, loc, COMPARE_LT, &own, before);
      if (less.kind == OBJ_ERROR) return less;
      if (!less.constant.i) break;
      items.items.at[at] = items.items.at[at - 1];
      keys.items.at[at] = *before;
    }
    items.items.at[at] = item;
    keys.items.at[at] = own;
  }
  elab_work(e, n / ITEMS_A_STEP);
  return items;
}

static Obj sorted_call(Elab *e, Loc loc, const GivenArgs *args) {
  const Obj *key = NULL;
  bool down = false, good = args->n > 0 && args->at[0].obj.kind == OBJ_TUPLE;
  for (uint32_t i = 1; i < args->n && good; i++) {
    const Given *arg = &args->at[i];
    bool is_key = arg->name && strcmp(arg->name, "key") == 0,
         is_reverse = arg->name && strcmp(arg->name, "reverse") == 0;
    if (is_key && !obj_is(&arg->obj, CONST_NONE)) key = &arg->obj;
    good = is_key || (is_reverse && const_truth(e, &arg->obj, &down));
  }
  if (good) return sorted(e, loc, &args->at[0].obj, key, down);
  return elab_error(e, loc, "[T0404] '%s' is not known for these arguments at the module level", "sorted");
}

// Each element once, in the order of first occurrences.
static Obj distinct(Elab *e, const Obj *tuple) {
  Obj some = obj_tuple(e, tuple->items.n);
  some.items.n = 0;
  for (uint32_t i = 0; i < tuple->items.n; i++) {
    bool seen = false;
    for (uint32_t k = 0; k < some.items.n && !seen; k++) {
      Obj same = const_compare(e, LOC_NONE, COMPARE_EQ, &some.items.at[k], &tuple->items.at[i]);
      seen = same.kind != OBJ_ERROR && same.constant.i;
    }
    if (!seen) some.items.at[some.items.n++] = tuple->items.at[i];
  }
  return some;
}

// --- Numbers and strings ---

static Obj in_base(Elab *e, const Obj *x, int bits, char letter) {
  bool negative = x->constant.i < 0 && !x->constant.is_u64;
  uint64_t size = negative ? 0 - (uint64_t)x->constant.i : (uint64_t)x->constant.i;
  char text[68];
  size_t at = sizeof text;
  do text[--at] = "0123456789abcdef"[size & ((1u << bits) - 1)];
  while (size >>= bits);
  text[--at] = letter;
  text[--at] = '0';
  if (negative) text[--at] = '-';
  return obj_string(e, (Str){text + at, sizeof text - at});
}

// round(x, n): through decimal text with n digits, as in Python.
static bool round_to(Elab *e, const Obj *x, const Obj *digits, Obj *obj) {
  if (!obj_is(digits, CONST_INT) || !obj_is(x, CONST_FLOAT) || digits->constant.i < 0 ||
      digits->constant.i > 22)
    return false;
  *obj = obj_float(strtod(arena_printf(e->arena, "%.*f", (int)digits->constant.i, x->constant.f), NULL));
  return true;
}

// pow(x, y, m) with 32-bit integers.
static bool power_modulo(const GivenArgs *args, Obj *obj) {
  for (uint32_t i = 0; i < 3; i++)
    if (args->n != 3 || args->at[i].name || !obj_is(&args->at[i].obj, CONST_INT)) return false;
  int64_t x = args->at[0].obj.constant.i, y = args->at[1].obj.constant.i, m = args->at[2].obj.constant.i,
          power = 1;
  if (y < 0 || m <= 0 || m > INT32_MAX) return false;
  for (x = (x % m + m) % m; y; y >>= 1, x = x * x % m)
    if (y & 1) power = power * x % m;
  *obj = obj_int(power % m);
  return true;
}

static bool of_integer(Elab *e, const char *name, const Obj *x, Obj *obj) {
  if (!obj_is(x, CONST_INT)) return false;
  if (strcmp(name, "chr") == 0 && x->constant.i > 0 && x->constant.i < 128)
    *obj = obj_string(e, (Str){(char[]){(char)x->constant.i}, 1});
  else if (strcmp(name, "hex") == 0)
    *obj = in_base(e, x, 4, 'x');
  else if (strcmp(name, "oct") == 0)
    *obj = in_base(e, x, 3, 'o');
  else if (strcmp(name, "bin") == 0)
    *obj = in_base(e, x, 1, 'b');
  else
    return false;
  return true;
}

static bool of_one(Elab *e, const char *name, const Obj *x, Obj *obj) {
  bool text = obj_is(x, CONST_STR) && x->constant.str[0] && !x->constant.str[1];
  if (strcmp(name, "ord") == 0 && text) return *obj = obj_int((unsigned char)x->constant.str[0]), true;
  return of_integer(e, name, x, obj);
}

static bool of_list(Elab *e, Loc loc, const char *name, const GivenArgs *args, Obj *obj) {
  const Obj *x = args->n && !args->at[0].name ? &args->at[0].obj : NULL;
  bool tuple = x && x->kind == OBJ_TUPLE, one = args->n == 1;
  if (strcmp(name, "zip") == 0)
    *obj = zipped(e, loc, args->at, args->n, NULL);
  else if (strcmp(name, "map") == 0 && args->n > 1)
    *obj = zipped(e, loc, args->at + 1, args->n - 1, x);
  else if (strcmp(name, "sorted") == 0)
    *obj = sorted_call(e, loc, args);
  else if (tuple && one && strcmp(name, "reversed") == 0)
    *obj = reversed(e, x);
  else if (tuple && one && (strcmp(name, "set") == 0 || strcmp(name, "frozenset") == 0))
    *obj = distinct(e, x);
  else if (tuple && strcmp(name, "enumerate") == 0 &&
           (one || (args->n == 2 && obj_is(&args->at[1].obj, CONST_INT))))
    *obj = enumerated(e, x, one ? 0 : args->at[1].obj.constant.i);
  else
    return false;
  return true;
}

bool host_has_function(const char *name) {
  static const char *const names[] = {
      "round",    "sum",       "any", "all",       "pow", "setattr", "divmod", "zip", "map", "sorted",
      "reversed", "enumerate", "set", "frozenset", "ord", "chr",     "hex",    "oct", "bin", NULL};
  return str_is_one_of(name, names);
}

Obj host_function(Elab *e, const Expr *call, const char *name) {
  GivenArgs args = {0};
  Obj obj;
  if (!elab_given_args(e, call, &args)) return obj_error();
  for (uint32_t i = 0; i < args.n; i++)
    if (args.at[i].obj.kind == OBJ_TUPLE && args.at[i].obj.items.dict)
      args.at[i].obj = elab_dict_keys(e, &args.at[i].obj);
  const Obj *x = args.n && !args.at[0].name ? &args.at[0].obj : NULL;
  const Obj *y = args.n == 2 && !args.at[1].name ? &args.at[1].obj : NULL;
  if (strcmp(name, "setattr") == 0) return set_attribute(e, call->loc, &args);
  bool one = x && args.n == 1, tuple = x && x->kind == OBJ_TUPLE;
  if (of_list(e, call->loc, name, &args, &obj) || (one && of_one(e, name, x, &obj))) return obj;
  if (y && strcmp(name, "round") == 0 && round_to(e, x, y, &obj)) return obj;
  if (strcmp(name, "pow") == 0 && power_modulo(&args, &obj)) return obj;
  if (y && strcmp(name, "divmod") == 0)
    return pair(e, const_binary(e, call->loc, BINARY_FLOOR_DIV, x, y),
                const_binary(e, call->loc, BINARY_MOD, x, y));
  if (one && strcmp(name, "round") == 0 && obj_is_number(x)) return rounded(x);
  if (y && strcmp(name, "pow") == 0) return const_binary(e, call->loc, BINARY_POW, x, y);
  if (tuple && (one || y) && strcmp(name, "sum") == 0) return summed(e, call->loc, x, y ? *y : obj_int(0));
  if (tuple && one && name[0] == 'a' && quantified(e, x, strcmp(name, "all") == 0, &obj)) return obj;
  return elab_error(e, call->loc, "[T0404] '%s' is not known for these arguments at the module level", name);
}
