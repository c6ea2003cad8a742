// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fp32 and narrower functions that no PTX library has. They use fp64's erf, erfc, exp and log. Their errors
// are far below one u of fp32, even where an inverse or a multiplication magnifies them.
#include "frontend/builtins/builtins.h"

#include <math.h>

static const double TWO_OVER_ROOT_PI = 1.1283791670955126, ROOT_TWO = 1.4142135623730951;

static Value *number(Elab *e, const Value *like, double x) { return build_float(&e->b, like->type, x); }
static Value *add(Elab *e, Value *x, Value *y) { return build_binary(&e->b, OP_ADD, x, y); }
static Value *sub(Elab *e, Value *x, Value *y) { return build_binary(&e->b, OP_SUB, x, y); }
static Value *mul(Elab *e, Value *x, Value *y) { return build_binary(&e->b, OP_MUL, x, y); }
static Value *divide(Elab *e, Value *x, Value *y) { return build_binary(&e->b, OP_DIV, x, y); }
static Value *scaled(Elab *e, Value *x, double by) { return mul(e, x, number(e, x, by)); }
static Value *less(Elab *e, Value *x, double than) {
  return build_binary(&e->b, OP_LT, x, number(e, x, than));
}
static Value *call1(Elab *e, const char *function, Value *x) {
  return builtin_math_value(e, function, x, NULL);
}
static Value *negated(Elab *e, Value *x) { return build(&e->b, OP_NEG, x->type, x, NULL, NULL); }

// exp(x x) erfc(x). From 25 on, where erfc is small, it uses the asymptotic series (Abramowitz and Stegun
// 7.1.23). The next term is below 1e-10.
static Value *erfcx(Elab *e, Value *x) {
  Value *near = mul(e, call1(e, "exp", mul(e, x, x)), call1(e, "erfc", x));
  Value *inverse = divide(e, number(e, x, 1), x), *square = mul(e, inverse, inverse),
        *sum = number(e, x, -1.875);
  static const double terms[] = {0.75, -0.5, 1};
  for (int i = 0; i < 3; i++) sum = add(e, mul(e, sum, square), number(e, x, terms[i]));
  Value *far = mul(e, scaled(e, inverse, TWO_OVER_ROOT_PI / 2), sum);
  return builtin_choose(e, less(e, x, 25), near, far);
}

// One Halley step from y toward the root of f, where f' is slope exp(-y y).
static Value *halley(Elab *e, Value *y, Value *f, double slope) {
  Value *d = divide(e, f, scaled(e, call1(e, "exp", negated(e, mul(e, y, y))), slope));
  return sub(e, y, divide(e, d, add(e, number(e, y, 1), mul(e, y, d))));
}

// y with erf(y) = x, for abs(x) below 1/2.
static Value *inverse_near(Elab *e, Value *x) {
  Value *y = scaled(e, x, 1 / TWO_OVER_ROOT_PI);
  for (int i = 0; i < 3; i++) y = halley(e, y, sub(e, call1(e, "erf", y), x), TWO_OVER_ROOT_PI);
  return y;
}

// y with erfc(y) = t, for t in 0 .. 1/2. Starts from Winitzki's approximation, whose error is within 1 in
// 500.
static Value *inverse_far(Elab *e, Value *t) {
  const double a = 0.147, pi = 3.141592653589793;
  Value *log = call1(e, "log", mul(e, t, sub(e, number(e, t, 2), t)));
  Value *p = add(e, scaled(e, log, 0.5), number(e, t, 2 / (pi * a)));
  Value *root = call1(e, "sqrt", sub(e, mul(e, p, p), scaled(e, log, 1 / a)));
  Value *y = call1(e, "sqrt", sub(e, root, p));
  for (int i = 0; i < 3; i++) y = halley(e, y, sub(e, call1(e, "erfc", y), t), -TWO_OVER_ROOT_PI);
  Value *zero = build_binary(&e->b, OP_EQ, t, number(e, t, 0));
  return builtin_choose(e, zero, number(e, t, (double)INFINITY), y);
}

// y with erf(y) = x, given t = 1 - abs(x), which the caller knows exactly.
static Value *inverse(Elab *e, Value *x, Value *t) {
  Value *far = builtin_math_value(e, "copysign", inverse_far(e, t), x);
  return builtin_choose(e, less(e, call1(e, "abs", x), 0.5), inverse_near(e, x), far);
}

static Value *erfinv(Elab *e, Value *x) { return inverse(e, x, sub(e, number(e, x, 1), call1(e, "abs", x))); }

static Value *erfcinv(Elab *e, Value *x) {
  Value *other = sub(e, number(e, x, 2), x);
  Value *t = builtin_choose(e, less(e, x, 1), x, other);
  return inverse(e, sub(e, number(e, x, 1), x), t);
}

static Value *apply(Elab *e, const char *function, Value *x) {
  if (strcmp(function, "erfcx") == 0) return erfcx(e, x);
  if (strcmp(function, "erfinv") == 0) return erfinv(e, x);
  if (strcmp(function, "erfcinv") == 0) return erfcinv(e, x);
  if (strcmp(function, "normcdf") == 0) return scaled(e, call1(e, "erfc", scaled(e, x, -1 / ROOT_TWO)), 0.5);
  return scaled(e, erfcinv(e, scaled(e, x, 2)), -ROOT_TWO); // normcdfinv
}

// detail: which function.
Obj builtin_special(Elab *e, Call *call) {
  Value *x = builtin_float_value(e, call, ARG_X);
  if (!x) return obj_error();
  const Type *element = type_element(x->type);
  if (element->elem == ELEM_FP64)
    return elab_error(e, call->locs[ARG_X], "[T0507] '%s' of fp64 is not supported yet; cast to fp32",
                      call->text);
  Value *result = apply(e, call->builtin->detail, builtin_as(e, x, ELEM_FP64));
  return obj_value(build_cast(&e->b, result, element));
}
