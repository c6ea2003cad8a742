// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods of Python's numbers: (48).bit_length(), (2.0).is_integer(), float.fromhex("0x1p-3"). In a kernel
// they work on constexprs.
#include "frontend/module/elab_module.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

// A bool as 0 or 1.
static Obj as_integer(const Obj *number) {
  return obj_is(number, CONST_BOOL) ? obj_int(number->constant.i) : *number;
}

static uint64_t magnitude(const Obj *number) {
  bool negative = number->constant.i < 0 && !number->constant.is_u64;
  return negative ? 0 - (uint64_t)number->constant.i : (uint64_t)number->constant.i;
}

static bool integer_call(const char *name, const Obj *number, Obj *obj) {
  uint64_t size = magnitude(number);
  int64_t bits = 0;
  bool length = strcmp(name, "bit_length") == 0;
  if (length || strcmp(name, "bit_count") == 0) {
    for (; size; size >>= 1) bits += length || (size & 1);
    *obj = obj_int(bits);
  } else if (strcmp(name, "conjugate") == 0)
    *obj = as_integer(number);
  else if (strcmp(name, "is_integer") == 0)
    *obj = obj_bool(true);
  else
    return false;
  return true;
}

// Python's format: "0x1.8000000000000p+1".
static Obj hex_text(Elab *e, double x) {
  if (!isfinite(x)) return obj_string(e, isnan(x) ? STR("nan") : x < 0 ? STR("-inf") : STR("inf"));
  if (x == 0) return obj_string(e, signbit(x) ? STR("-0x0.0p+0") : STR("0x0.0p+0"));
  int exponent;
  double fraction = frexp(fabs(x), &exponent);
  bool subnormal = exponent < -1021;
  int scale = subnormal ? -1022 : exponent - 1;
  double whole = ldexp(fraction, exponent - scale); // 1 to 2, below 1 for subnormals
  uint64_t bits = (uint64_t)ldexp(whole, 52);
  return obj_string(e,
                    str_from(arena_printf(e->arena, "%s0x%d.%013llxp%+d", x < 0 ? "-" : "", (int)(bits >> 52),
                                          (unsigned long long)(bits & (((uint64_t)1 << 52) - 1)), scale)));
}

// (numerator, denominator); false if one of them has more than 64 bits.
static bool ratio(Elab *e, double x, Obj *obj) {
  int exponent;
  double fraction = frexp(x, &exponent);
  if (!isfinite(x)) return false;
  for (; fraction != trunc(fraction); exponent--) fraction *= 2;
  if (exponent > 0) fraction = ldexp(fraction, exponent), exponent = 0;
  if (fabs(fraction) >= 0x1p63 || exponent < -62) return false;
  *obj = obj_tuple(e, 2);
  obj->items.at[0] = obj_int((int64_t)fraction);
  obj->items.at[1] = obj_int((int64_t)1 << -exponent);
  return true;
}

static bool float_call(Elab *e, const char *name, double x, Obj *obj) {
  if (strcmp(name, "is_integer") == 0)
    *obj = obj_bool(isfinite(x) && x == trunc(x));
  else if (strcmp(name, "conjugate") == 0)
    *obj = obj_float(x);
  else if (strcmp(name, "hex") == 0)
    *obj = hex_text(e, x);
  else
    return strcmp(name, "as_integer_ratio") == 0 && ratio(e, x, obj);
  return true;
}

// --- Functions of the classes ---

static Obj from_hex(Elab *e, Loc loc, const char *text) {
  const char *start = text, *last = text + strlen(text);
  while (isspace((unsigned char)*start)) start++;
  while (last > start && isspace((unsigned char)last[-1])) last--;
  const char *digits = start + (*start == '-' || *start == '+');
  bool prefix = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  bool named = tolower((unsigned char)*digits) == 'i' || tolower((unsigned char)*digits) == 'n';
  const char *number = prefix || named ? digits : arena_printf(e->arena, "0x%s", digits);
  last = prefix || named ? last : number + 2 + (last - digits);
  char *end;
  double value = strtod(number, &end);
  if (end == number || end != last || strpbrk(number, "("))
    return elab_error(e, loc, "[T0404] float.fromhex() cannot read '%s'", text);
  return obj_float(*start == '-' ? -value : value);
}

// The bytes of a literal, a string, or a list of integers. False: something else.
static bool bytes_of(Elab *e, const Expr *expr, uint8_t bytes[8], size_t *n) {
  if (expr->kind == EXPR_STRING && expr->string.bytes && expr->string.text.n <= 8) {
    memcpy(bytes, expr->string.text.at, *n = expr->string.text.n);
    return true;
  }
  Obj list = expr->kind == EXPR_STRING ? obj_none() : elab_expr(e, expr);
  if (list.kind != OBJ_TUPLE || list.items.names || list.items.n > 8) return false;
  for (*n = 0; *n < list.items.n; ++*n) {
    const Obj *item = &list.items.at[*n];
    if (!obj_is(item, CONST_INT) || item->constant.i < 0 || item->constant.i > 255) return false;
    bytes[*n] = (uint8_t)item->constant.i;
  }
  return true;
}

// int.from_bytes(bytes, byteorder="big", *, signed=False), with at most eight bytes.
static Obj from_bytes(Elab *e, const Expr *call) {
  uint8_t bytes[8] = {0};
  size_t n = 0;
  bool is_signed = false, good = call->call.args.n > 0 && bytes_of(e, call->call.args.at[0].value, bytes, &n);
  const char *order = "big";
  for (uint32_t i = 1; i < call->call.args.n && good; i++) {
    const Arg *arg = &call->call.args.at[i];
    Obj obj = arg->stars ? obj_none() : elab_expr(e, arg->value);
    if (arg->name && strcmp(arg->name, "signed") == 0)
      good = const_truth(e, &obj, &is_signed);
    else if ((good = obj_is(&obj, CONST_STR) && (arg->name ? strcmp(arg->name, "byteorder") == 0 : i == 1)))
      order = obj.constant.str;
  }
  bool little = strcmp(order, "little") == 0;
  if (!good || (!little && strcmp(order, "big") != 0))
    return elab_error(
        e, call->loc,
        "[T0404] int.from_bytes() takes up to 8 bytes that are known, and \"little\" or \"big\"");
  uint64_t value = 0;
  for (size_t i = 0; i < n; i++) value = value << 8 | bytes[little ? n - 1 - i : i];
  uint64_t sign = n ? (uint64_t)1 << (8 * n - 1) : 0;
  if (is_signed) return obj_int((int64_t)((value ^ sign) - sign));
  return obj_const((ConstValue){.kind = CONST_INT, .is_u64 = value > INT64_MAX, .i = (int64_t)value});
}

static bool is_class(const Obj *class, const char *name) {
  return class->kind == OBJ_BUILTIN && !class->self && strcmp(class->builtin->name, name) == 0;
}

static bool class_call(Elab *e, const Expr *call, const Obj *class, const char *name, Obj *obj) {
  if (is_class(class, "int") && strcmp(name, "from_bytes") == 0 && elab_on_host(e))
    return *obj = from_bytes(e, call), true;
  if (!is_class(class, "float") || strcmp(name, "fromhex") != 0) return false;
  GivenArgs args = {0};
  if (!elab_given_args(e, call, &args)) return *obj = obj_error(), true;
  bool text = args.n == 1 && !args.at[0].name && obj_is(&args.at[0].obj, CONST_STR);
  *obj = text ? from_hex(e, args.at[0].loc, args.at[0].obj.constant.str)
              : elab_error(e, call->loc, "[T0404] float.fromhex() takes a string");
  return true;
}

bool elab_number_call(Elab *e, const Expr *call, const Obj *number, Obj *obj) {
  const char *name = call->call.callee->attribute.name;
  if (class_call(e, call, number, name, obj)) return true;
  if (number->typed || call->call.args.n) return false;
  if (obj_is(number, CONST_INT) || obj_is(number, CONST_BOOL)) return integer_call(name, number, obj);
  return obj_is(number, CONST_FLOAT) && float_call(e, name, number->constant.f, obj);
}

bool elab_number_member(const Obj *number, const char *name, Obj *obj) {
  bool integer = obj_is(number, CONST_INT) || obj_is(number, CONST_BOOL);
  if (number->typed || (!integer && !obj_is(number, CONST_FLOAT))) return false;
  if (strcmp(name, "real") == 0 || (integer && strcmp(name, "numerator") == 0))
    *obj = integer ? as_integer(number) : *number;
  else if (strcmp(name, "imag") == 0)
    *obj = integer ? obj_int(0) : obj_float(0);
  else if (integer && strcmp(name, "denominator") == 0)
    *obj = obj_int(1);
  else
    return false;
  return true;
}
