// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libdevice's functions with directed rounding: div_rz, add_ru, double2float_rd and similar.
#include "frontend/builtins/builtins.h"

#include <math.h>

static bool narrow(const Value *x) {
  return type_is_float(x->type) && elem_info(type_element(x->type)->elem)->bits < 32;
}

// Functions in math.def: fma, div and sqrt with the direction as a suffix.
static Value *function(Elab *e, const char *name, const char *direction, Value *a, Value *b, Value *c) {
  return build_math(&e->b, arena_printf(e->arena, "%s_%s", name, direction), a, b, c);
}

// Computes sums and multiplications by an fma whose other step is exact. For a multiplication, the zero that
// is added has the sign that keeps the sign of a zero result.
static Value *directed(Elab *e, const char *name, const char *direction, Value *v[3]) {
  Str op = str_from(name);
  const Type *type = v[0]->type;
  bool down = strcmp(direction, "rd") == 0;
  Value *one = build_float(&e->b, type, str_is(op, "sub") ? -1 : 1);
  if (str_is(op, "add") || str_is(op, "sub")) return function(e, "fma", direction, v[1], one, v[0]);
  if (str_is(op, "mul"))
    return function(e, "fma", direction, v[0], v[1], build_float(&e->b, type, down ? 0.0 : -0.0));
  if (str_is(op, "rcp")) return function(e, "div", direction, one, v[0], NULL);
  return function(e, name, direction, v[0], v[1], v[2]);
}

static bool operands(Elab *e, const Call *call, const char *name, Value *v[3]) {
  static const uint32_t order[] = {ARG_Z, ARG_X, ARG_Y};
  Pair p = {0};
  if (strcmp(name, "fma") == 0)
    return builtin_float_triple(e, call, (Obj[]){call->args[ARG_X], call->args[ARG_Y], call->args[ARG_Z]},
                                order, v);
  bool one = strcmp(name, "rcp") == 0 || strcmp(name, "sqrt") == 0;
  if (one) return (v[0] = builtin_float_value(e, call, ARG_X)) != NULL;
  if (!builtin_float_pair(e, call, &p)) return false;
  v[0] = p.a, v[1] = p.b;
  return true;
}

// detail: the direction, then the operation. 16-bit types are computed in fp32 and then rounded to nearest.
Obj builtin_directed(Elab *e, Call *call) {
  const char *detail = call->builtin->detail, *direction = arena_printf(e->arena, "%.2s", detail);
  Value *v[3] = {0};
  if (!operands(e, call, detail + 3, v)) return obj_error();
  const Type *element = type_element(v[0]->type);
  for (uint32_t i = 0; i < 3; i++)
    if (v[i] && narrow(v[i])) v[i] = builtin_as(e, v[i], ELEM_FP32);
  return obj_value(build_cast(&e->b, directed(e, detail + 3, direction, v), element));
}

// True if y, which is x rounded, is above or below x. y converts back to x's type exactly, with one
// exception: one more than an integer type's maximum.
static Value *is_beyond(Elab *e, Value *x, Value *y, bool above) {
  const Type *element = type_element(x->type);
  Value *back = build_cast(&e->b, y, element), *beyond = build_binary(&e->b, above ? OP_GT : OP_LT, back, x);
  if (!above || !elem_is_int(element->elem)) return beyond;
  uint32_t bits = elem_info(element->elem)->bits - elem_is_signed(element->elem);
  Value *end = build_float(&e->b, y->type, ldexp(1, (int)bits));
  return build_binary(&e->b, OP_OR, beyond, build_binary(&e->b, OP_GE, y, end));
}

static Value *stepped(Elab *e, Value *beyond, Value *y, double toward) {
  Value *next = build_math(&e->b, "nextafter", y, build_float(&e->b, y->type, toward), NULL);
  return builtin_choose(e, beyond, next, y);
}

// Rounding toward zero is down for positive numbers and up for negative ones.
static Value *toward_zero(Elab *e, Value *x, Value *y) {
  Value *zero = build_float(&e->b, y->type, 0), *positive = build_binary(&e->b, OP_GT, y, zero);
  Value *down = stepped(e, is_beyond(e, x, y, true), y, 0), *up = stepped(e, is_beyond(e, x, y, false), y, 0);
  return builtin_choose(e, positive, down, up);
}

// detail: the direction, then the type to convert to. Rounds to nearest, then steps back if that went too
// far.
Obj builtin_convert_directed(Elab *e, Call *call) {
  const char *detail = call->builtin->detail;
  Elem from = call->builtin->name[0] == 'd'   ? ELEM_FP64
              : call->builtin->name[0] == 'i' ? ELEM_I32
              : call->builtin->name[0] == 'l' ? ELEM_I64
              : call->builtin->name[1] == 'i' ? ELEM_U32
                                              : ELEM_U64;
  Value *x =
      elab_value(e, call->locs[ARG_X], "the converted value", &call->args[ARG_X], elab_scalar(e, from));
  if (!x) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  x = builtin_as(e, x, from);
  Value *y = builtin_as(e, x, strcmp(detail + 3, "fp64") == 0 ? ELEM_FP64 : ELEM_FP32);
  if (detail[1] == 'd') return obj_value(stepped(e, is_beyond(e, x, y, true), y, -INFINITY));
  if (detail[1] == 'u') return obj_value(stepped(e, is_beyond(e, x, y, false), y, INFINITY));
  return obj_value(toward_zero(e, x, y));
}
