// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fp32 functions made of approximate instructions: libdevice's fast variants and, with --fast-math, all
// functions with the same names.
#include "frontend/builtins/builtins.h"

static const double LOG2_E = 1.4426950408889634, LOG2_10 = 3.3219280948873624;
static const double LN_2 = 0.6931471805599453, LOG10_2 = 0.3010299956639812;

bool builtin_is_fast(const Elab *e) { return e->spec && e->spec->target.fast_math; }

static Value *times(Elab *e, Value *x, double factor) {
  return build_binary(&e->b, OP_MUL, x, build_float(&e->b, x->type, factor));
}

static Value *of(Elab *e, const char *name, Value *x) { return build_math(&e->b, name, x, NULL, NULL); }

Value *builtin_fast_value(Elab *e, const char *name, Value *a, Value *b) {
  static const char *const approximate[][2] = {
      {"log2", "log2_approx"}, {"sin", "sin_approx"}, {"cos", "cos_approx"}};
  Str function = str_from(name);
  if (!type_is_elem(a->type, ELEM_FP32)) return NULL;
  if (str_is(function, "exp") || str_is(function, "exp_approx")) return of(e, "exp2", times(e, a, LOG2_E));
  if (str_is(function, "exp10")) return of(e, "exp2", times(e, a, LOG2_10));
  if (str_is(function, "log")) return times(e, of(e, "log2_approx", a), LN_2);
  if (str_is(function, "log10")) return times(e, of(e, "log2_approx", a), LOG10_2);
  if (str_is(function, "pow")) return of(e, "exp2", build_binary(&e->b, OP_MUL, b, of(e, "log2_approx", a)));
  if (str_is(function, "tan")) {
    Value *cosine = of(e, "cos_approx", a);
    return build_math(&e->b, "div_approx", of(e, "sin_approx", a), cosine, NULL);
  }
  for (size_t i = 0; i < sizeof approximate / sizeof *approximate; i++)
    if (str_is(function, approximate[i][0])) return of(e, approximate[i][1], a);
  return NULL;
}

// detail: the function with this fast variant.
Obj builtin_fast(Elab *e, Call *call) {
  const char *name = call->builtin->detail;
  Pair p = {0};
  if (strcmp(name, "pow") == 0) {
    if (!builtin_float_pair(e, call, &p)) return obj_error();
  } else if (!(p.a = builtin_float_value(e, call, ARG_X)))
    return obj_error();
  const Type *element = type_element(p.a->type);
  if (type_is_elem(p.a->type, ELEM_FP64)) return obj_value(builtin_math_value(e, name, p.a, p.b));
  p.a = builtin_as(e, p.a, ELEM_FP32);
  if (p.b) p.b = builtin_as(e, p.b, ELEM_FP32);
  return obj_value(build_cast(&e->b, builtin_fast_value(e, name, p.a, p.b), element));
}

Value *elab_quotient(Elab *e, Value *a, Value *b) {
  if (builtin_is_fast(e) && type_is_elem(a->type, ELEM_FP32))
    return build_math(&e->b, "div_approx", a, b, NULL);
  return build_binary(&e->b, OP_DIV, a, b);
}
