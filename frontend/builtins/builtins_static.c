// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's own functions, and functions computed at compile time.
#include "base/integer.h"
#include "frontend/builtins/builtins.h"
#include "frontend/module/elab_module.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

// --- min, max ---

static Obj pick_of_two(Elab *e, const Call *call, bool larger, const Obj *a, const Obj *b) {
  if (a->kind == OBJ_ERROR || b->kind == OBJ_ERROR) return obj_error();
  if (a->kind != OBJ_VALUE && b->kind != OBJ_VALUE && !a->typed && !b->typed) {
    Obj test = const_compare(e, call->loc, larger ? COMPARE_GT : COMPARE_LT, b, a);
    return test.kind == OBJ_ERROR ? test : test.constant.i ? *b : *a;
  }
  Obj args[] = {*a, *b, {.kind = OBJ_ABSENT}};
  Loc locs[] = {call->loc, call->loc, call->loc};
  Call inner = {.loc = call->loc, .builtin = call->builtin, .text = call->text, .args = args, .locs = locs};
  return larger ? builtin_maximum(e, &inner) : builtin_minimum(e, &inner);
}

// max(x) of a tile and max(x, axis=...) are reductions.
static Obj reduce_tile(Elab *e, Call *call, bool larger) {
  enum { OPTIONS = PYTHON_MAX_AXIS - EXTREME_AXIS }; // how far the options are shifted
  Obj args[EXTREME_COUNT] = {call->args[PYTHON_MAX_X]};
  Loc locs[EXTREME_COUNT] = {call->locs[PYTHON_MAX_X]};
  for (uint32_t i = EXTREME_AXIS; i < EXTREME_COUNT; i++)
    args[i] = call->args[i + OPTIONS], locs[i] = call->locs[i + OPTIONS];
  const Builtin *builtin = builtin_find(larger ? "max" : "min", SCOPE_TL);
  Call inner = {.loc = call->loc, .builtin = builtin, .text = call->text, .args = args, .locs = locs};
  return builtin->run(e, &inner);
}

static Obj pick_all(Elab *e, Call *call, bool larger) {
  Obj best = call->args[PYTHON_MAX_X];
  bool options = false;
  for (uint32_t i = PYTHON_MAX_AXIS; i < PYTHON_MAX_COUNT; i++)
    options = options || call->args[i].kind != OBJ_ABSENT;
  if (options && call->rest_count)
    return elab_error(e, call->loc, "[T0207] '%s' of several values has no axis or other options",
                      call->text);
  if (best.kind == OBJ_TUPLE && call->rest_count == 0) {
    if (best.items.n == 0) return elab_error(e, call->loc, "[T0207] '%s' of an empty tuple", call->text);
    Obj tuple = best;
    best = tuple.items.at[0];
    for (uint32_t i = 1; i < tuple.items.n; i++)
      best = pick_of_two(e, call, larger, &best, &tuple.items.at[i]);
    return best;
  }
  if (call->rest_count == 0) return reduce_tile(e, call, larger);
  for (uint32_t i = 0; i < call->rest_count; i++) best = pick_of_two(e, call, larger, &best, &call->rest[i]);
  return best;
}

Obj builtin_python_max(Elab *e, Call *call) { return pick_all(e, call, true); }
Obj builtin_python_min(Elab *e, Call *call) { return pick_all(e, call, false); }

// --- Conversions ---

static Obj float_of_string(Elab *e, const Call *call, const char *text) {
  char *end;
  const char *start = text;
  while (*start == ' ') start++;
  double value = strtod(start, &end);
  bool hex = strpbrk(start, "xX(") != NULL; // C's strtod accepts more than Python's float
  while (*end == ' ') end++;
  if (end == start || *end || hex)
    return elab_error(e, call->locs[ARG_X], "[T0207] float() cannot read '%s'", text);
  return obj_float(value);
}

Obj builtin_float(Elab *e, Call *call) {
  const Obj *x = &call->args[ARG_X];
  if (obj_is(x, CONST_STR)) return float_of_string(e, call, x->constant.str);
  if (obj_is_number(x)) return obj_float(const_number(&x->constant));
  if (x->kind == OBJ_VALUE)
    return obj_value(
        elab_value(e, call->locs[ARG_X], "the argument of float()", x, elab_scalar(e, ELEM_FP32)));
  return elab_error(e, call->locs[ARG_X], "[T0207] float() needs a number or string, not %s",
                    obj_describe(e, x));
}

// Rejects digits with underscores between them.
static Obj int_of_string(Elab *e, const Call *call, const char *text, int64_t base) {
  char *end;
  const char *start = text;
  while (*start == ' ') start++;
  errno = 0;
  const char *digits = start + (*start == '-' || *start == '+');
  char letter = digits[0] == '0' ? (char)(digits[1] | 0x20) : 0;
  int own = letter == 'b' ? 2 : letter == 'o' ? 8 : 0; // C does not accept this prefix
  bool skips = own && (base == 0 || base == own);
  const char *number = skips ? digits + 2 : start;
  long long value = strtoll(number, &end, skips ? own : base == 0 && digits[0] != '0' ? 10 : (int)base);
  if (skips && *start == '-') value = -value;
  while (*end == ' ') end++;
  if (end == number || *end || errno)
    return elab_error(e, call->locs[ARG_X], "[T0207] int() cannot read '%s'", text);
  return obj_int(value);
}

Obj builtin_int(Elab *e, Call *call) {
  const Obj *x = &call->args[ARG_X];
  const Obj *base = &call->args[ARG_X + 1];
  bool in_base =
      obj_is(base, CONST_INT) && (base->constant.i == 0 || (base->constant.i >= 2 && base->constant.i <= 36));
  if (base->kind != OBJ_ABSENT && (!in_base || !obj_is(x, CONST_STR)))
    return elab_error(e, call->loc, "[T0207] int() with a base takes a string, and a base of 0 or 2 to 36");
  if (obj_is(x, CONST_INT)) return *x;
  if (obj_is(x, CONST_STR)) return int_of_string(e, call, x->constant.str, in_base ? base->constant.i : 10);
  if (obj_is(x, CONST_BOOL)) return obj_int(x->constant.i);
  if (x->kind == OBJ_VALUE && !type_is_ptr(x->value->type))
    return obj_value(elab_value(e, call->locs[ARG_X], "the argument of int()", x, elab_scalar(e, ELEM_I32)));
  if (!obj_is(x, CONST_FLOAT))
    return elab_error(e, call->locs[ARG_X], "[T0207] int() needs a number, not %s", obj_describe(e, x));
  double f = trunc(x->constant.f);
  if (!(f >= -0x1p63 && f < 0x1p63))
    return elab_error(e, call->locs[ARG_X], "[T0406] int() of %s does not fit in 64 bits", obj_text(e, x));
  return obj_int((int64_t)f);
}

Obj builtin_bool(Elab *e, Call *call) {
  bool truth;
  if (const_truth(e, &call->args[ARG_X], &truth)) return obj_bool(truth);
  return obj_value(elab_condition(e, call->locs[ARG_X], "the argument of bool()", &call->args[ARG_X]));
}

Obj builtin_len(Elab *e, Call *call) {
  const Obj *x = &call->args[ARG_X];
  if (x->kind == OBJ_TUPLE) return obj_int(x->items.n);
  if (obj_is(x, CONST_STR)) return obj_int((int64_t)strlen(x->constant.str));
  return elab_error(e, call->locs[ARG_X], "[T0304] len() needs a tuple, not %s%s", obj_describe(e, x),
                    x->kind == OBJ_VALUE && type_is_tile(x->value->type)
                        ? "; a tile's sizes are x.shape[0] and so on"
                        : "");
}

// --- Decided at compile time ---

// The condition of a `while`. Its option is a hint that no pass needs.
Obj builtin_condition(Elab *e, Call *call) {
  bool good = true;
  builtin_flag(e, call, 1, "disable_licm", false, &good);
  return good ? call->args[0] : obj_error();
}

Obj builtin_replace_fields(Elab *e, Call *call) {
  return elab_error(e, call->loc, "[T0207] '%s' can only be called by its name", call->text);
}

Obj builtin_range(Elab *e, Call *call) {
  return elab_error(e, call->loc,
                    "[T0207] '%s' can only be used as the range of a for loop; tl.arange(0, n) makes a tile",
                    call->text);
}

Obj builtin_static_assert(Elab *e, Call *call) {
  bool truth;
  if (!const_truth(e, &call->args[STATIC_ASSERT_COND], &truth))
    return elab_explain_runtime(
        e,
        diag_error(e->diags, elab_loc(e, call->locs[STATIC_ASSERT_COND]),
                   "[T0401] static_assert needs a constexpr, not %s; device_assert checks at run time",
                   obj_describe(e, &call->args[STATIC_ASSERT_COND])),
        &call->args[STATIC_ASSERT_COND]);
  if (truth) return obj_none();
  const char *message =
      obj_given(&call->args[STATIC_ASSERT_MSG]) ? obj_text(e, &call->args[STATIC_ASSERT_MSG]) : "";
  return elab_error(e, call->loc, "[T0407] static assertion failed%s%s", message[0] ? ": " : "", message);
}

Obj builtin_static_print(Elab *e, Call *call) {
  bool good = true;
  const char *sep = builtin_option(e, call, STATIC_PRINT_SEP, CONST_STR, "sep", &good)
                        ? call->args[STATIC_PRINT_SEP].constant.str
                        : " ";
  Buf buf = {0};
  for (uint32_t i = 0; i < call->rest_count; i++) {
    if (i) buf_text(&buf, sep);
    buf_text(&buf, obj_text(e, &call->rest[i]));
  }
  const char *text = elab_text(e, &buf);
  if (e->prints++ < ELAB_MAX_PRINTS)
    diag_print(e->diags, elab_loc(e, call->loc), "[T0405] static_print: %s", text);
  return obj_none();
}

Obj builtin_next_power_of_2(Elab *e, Call *call) {
  const Obj *n = &call->args[ARG_X];
  if (obj_is(n, CONST_BOOL)) return obj_int(1);
  if (!obj_is(n, CONST_INT))
    return elab_explain_runtime(e,
                                diag_error(e->diags, elab_loc(e, call->locs[ARG_X]),
                                           "[T0401] '%s' needs a constexpr integer, not %s", call->text,
                                           obj_describe(e, n)),
                                n);
  if (n->constant.is_u64 || n->constant.i > (int64_t)1 << 62)
    return elab_error(e, call->locs[ARG_X], "[T0406] the next power of two does not fit in 64 bits");
  int64_t power = 1;
  while (power < n->constant.i) power *= 2;
  return obj_int(power);
}

Obj builtin_constexpr(Elab *e, Call *call) {
  const Obj *x = &call->args[ARG_X];
  ConstValue ignored;
  bool module = x->kind == OBJ_NAMESPACE && !x->file && elab_is_triton(x->path);
  if (obj_to_const(e, x, &ignored) || x->kind == OBJ_FUNCTION || module) return *x;
  return elab_explain_runtime(e,
                              diag_error(e->diags, elab_loc(e, call->locs[ARG_X]),
                                         "[T0401] a constexpr must be known at compile time, not %s",
                                         obj_describe(e, &call->args[ARG_X])),
                              &call->args[ARG_X]);
}

// --- Types ---

Obj builtin_pointer_type(Elab *e, Call *call) {
  const Type *pointee = builtin_dtype(e, call, POINTER_ELEMENT), *type = pointee;
  bool good = true, is_const = builtin_flag(e, call, POINTER_CONST, "const", false, &good);
  uint32_t stars = 0;
  for (; type && type->kind == TYPE_PTR; type = type->inner) stars++;
  if (stars >= TYPE_MAX_STARS)
    return elab_error(e, call->loc, "[T0207] a pointer type has at most %d stars", TYPE_MAX_STARS);
  if (!pointee || !good) return obj_error();
  return obj_type(is_const ? type_const_ptr(e->ir, pointee) : type_ptr(e->ir, pointee));
}

Obj builtin_int_type(Elab *e, Call *call) {
  static const Elem elems[][2] = {
      {ELEM_U8, ELEM_I8}, {ELEM_U16, ELEM_I16}, {ELEM_U32, ELEM_I32}, {ELEM_U64, ELEM_I64}};
  bool good = true, is_signed = builtin_flag(e, call, INT_TYPE_SIGNED, "signed", true, &good);
  if (!builtin_option(e, call, INT_TYPE_BITWIDTH, CONST_INT, "bitwidth", &good))
    return good ? obj_none() : obj_error();
  int64_t bits = call->args[INT_TYPE_BITWIDTH].constant.i;
  if (bits == 1) return obj_type(elab_scalar(e, ELEM_I1));
  for (uint32_t i = 0; good && i < 4; i++)
    if (bits == 8 << i) return obj_type(elab_scalar(e, elems[i][is_signed]));
  return elab_error(e, call->locs[INT_TYPE_BITWIDTH], "[T0207] there are no integers of %lld bits",
                    (long long)bits);
}

Obj builtin_to_tensor(Elab *e, Call *call) {
  return obj_value(elab_value(e, call->locs[ARG_X], "the argument", &call->args[ARG_X], NULL));
}

// A constexpr is its value here.
Obj builtin_unwrap(Elab *e, Call *call) {
  (void)e;
  return call->args[ARG_X];
}

Obj builtin_static_log2(Elab *e, Call *call) {
  const Obj *i = &call->args[ARG_X];
  if (obj_is(i, CONST_BOOL)) return obj_int(0);
  if (!obj_is(i, CONST_INT) || i->constant.is_u64 || i->constant.i < 1)
    return elab_error(e, call->locs[ARG_X], "[T0401] '%s' needs a positive constexpr integer, not %s",
                      call->text, obj_describe(e, i));
  return obj_int(log2_floor((uint64_t)i->constant.i));
}

// --- Queries about the target machine: triton.language.target_info ---

// detail: the backend to test for.
Obj builtin_target_is(Elab *e, Call *call) {
  (void)e;
  return obj_bool(strcmp(call->builtin->detail, "cuda") == 0);
}

Obj builtin_capability(Elab *e, Call *call) {
  bool good = true;
  uint32_t has[2];
  int64_t wanted[2] = {0};
  for (uint32_t i = 0; i < 2; i++)
    if (builtin_option(e, call, i, CONST_INT, i ? "minor" : "major", &good))
      wanted[i] = call->args[i].constant.i;
  if (!good) return obj_error();
  target_capability(elab_target(e), &has[0], &has[1]);
  return obj_bool(has[0] == wanted[0] ? has[1] >= wanted[1] : has[0] > wanted[0]);
}
