// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of Python's own that the module level calls and a kernel cannot: round, sum, any, all, pow, bit_length.
#include "frontend/elab_module.h"

#include <math.h>

bool host_has_function(const char *name) {
  static const char *const names[] = {"round", "sum", "any", "all", "pow"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

// Half goes to even, as Python's.
static Obj rounded(const Obj *x) {
  double value = rint(const_number(&x->constant));
  return x->constant.kind == CONST_FLOAT && fabs(value) < 0x1p62 ? obj_int((int64_t)value) : *x;
}

static Obj summed(Elab *e, Loc loc, const Obj *tuple, Obj sum) {
  for (uint32_t i = 0; i < tuple->items.n && sum.kind != OBJ_ERROR; i++)
    sum = const_binary(e, loc, BINARY_ADD, &sum, &tuple->items.at[i]);
  return sum;
}

// False: a truth is not known.
static bool quantified(Elab *e, const Obj *tuple, bool all, Obj *obj) {
  *obj = obj_bool(all);
  for (uint32_t i = 0; i < tuple->items.n; i++) {
    bool truth;
    if (!const_truth(e, &tuple->items.at[i], &truth)) return false;
    if (truth != all) *obj = obj_bool(!all);
  }
  return true;
}

Obj host_function(Elab *e, const Expr *call, const char *name) {
  GivenArgs args = {0};
  Obj obj;
  if (!elab_given_args(e, call, &args)) return obj_error();
  const Obj *x = args.n && !args.at[0].name ? &args.at[0].obj : NULL;
  const Obj *y = args.n == 2 && !args.at[1].name ? &args.at[1].obj : NULL;
  bool one = x && args.n == 1, tuple = x && x->kind == OBJ_TUPLE;
  if (one && strcmp(name, "round") == 0 && obj_is_number(x)) return rounded(x);
  if (y && strcmp(name, "pow") == 0) return const_binary(e, call->loc, BINARY_POW, x, y);
  if (tuple && (one || y) && strcmp(name, "sum") == 0) return summed(e, call->loc, x, y ? *y : obj_int(0));
  if (tuple && one && name[0] == 'a' && quantified(e, x, strcmp(name, "all") == 0, &obj)) return obj;
  return elab_error(e, call->loc, "'%s' is not known for these arguments at the module level", name);
}

bool host_number_call(const Expr *call, const Obj *number, Obj *obj) {
  const char *name = call->call.callee->attribute.name;
  if (!obj_is(number, CONST_INT) || strcmp(name, "bit_length") != 0 || call->call.args.n) return false;
  bool negative = number->constant.i < 0 && !number->constant.is_u64;
  uint64_t size = negative ? 0 - (uint64_t)number->constant.i : (uint64_t)number->constant.i;
  int64_t bits = 0;
  for (; size; size >>= 1) bits++;
  *obj = obj_int(bits);
  return true;
}
