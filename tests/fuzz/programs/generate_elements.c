// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise statements: operators, functions, casts, choices, calls of functions of the file.
#include "tests/fuzz/programs/generate.h"

#include <stdio.h>

static bool is_whole(ElemType type) {
  return elem_types[type].kind == KIND_SIGNED || elem_types[type].kind == KIND_UNSIGNED;
}

// An operand for `v`: a tile of its shape, one that is broadcast to it, a scalar or a number.
static void operand(Gen *g, ElemType type, const Shape *shape, Buf *out) {
  if (chance(g, 25)) {
    literal(g, type, out);
    return;
  }
  for (int tries = 0; tries < 4; tries++) {
    Value v = value_any(g);
    if (!shape_broadcasts(&v.shape, shape)) continue;
    buf_printf(out, "v%d%s%s%s", v.name, v.type == type ? "" : ".to(",
               v.type == type ? "" : elem_types[type].name, v.type == type ? "" : ")");
    return;
  }
  buf_printf(out, "v%d", value_fit(g, type, *shape).name);
}

static void compare(Gen *g, Value a, const char *b) {
  static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
  Value r = value_new(g, T_I1, a.shape);
  line(g, "v%d = v%d %s %s", r.name, a.name, operators[pick(g, 6)], b);
}

// Text of the operation on v<a> and b; `type` is what both are. The result is cast back to it.
static void binary_text(Gen *g, ElemType type, int a, const char *b, Buf *out) {
  static const char *const bits[] = {"&", "|", "^"};
  const char *name = elem_types[type].name;
  if (type == T_I1) {
    buf_printf(out, "v%d %s %s", a, bits[pick(g, 3)], b);
    return;
  }
  switch (pick(g, is_whole(type) ? 12 : 8)) {
  case 0: buf_printf(out, "v%d + %s", a, b); break;
  case 1: buf_printf(out, "v%d - %s", a, b); break;
  case 2: buf_printf(out, "v%d * %s", a, b); break;
  case 3: buf_printf(out, "maximum(v%d, %s).to(%s)", a, b, name); break;
  case 4: buf_printf(out, "minimum(v%d, %s).to(%s)", a, b, name); break;
  case 5: buf_printf(out, is_whole(type) ? "v%d // (%s | 1)" : "(v%d / %s).to(%s)", a, b, name); break;
  case 6: buf_printf(out, is_whole(type) ? "v%d %% (%s | 1)" : "(v%d %% %s).to(%s)", a, b, name); break;
  case 7: buf_printf(out, "clamp(v%d.to(fp32), -8.0, 20.0).to(%s) + (%s)", a, name, b); break;
  case 8: buf_printf(out, "v%d << (%s & 15)", a, b); break;
  case 9: buf_printf(out, "v%d >> %s", a, b); break;
  default: buf_printf(out, "v%d %s %s", a, bits[pick(g, 3)], b); break;
  }
}

void statement_binary(Gen *g) {
  Value a = value_any(g);
  if (a.type != T_I1 || chance(g, 40)) a = value_cast(g, a, type_arithmetic(g, a.type));
  Buf b = {0}, text = {0};
  operand(g, a.type, &a.shape, &b);
  if (a.type != T_I1 && chance(g, 15))
    compare(g, a, b.at);
  else {
    binary_text(g, a.type, a.name, b.at, &text);
    Value r = value_new(g, a.type, a.shape);
    line(g, "v%d = %s", r.name, text.at);
  }
  buf_free(&b);
  buf_free(&text);
}

static const char *const floats[] = {"exp",
                                     "exp2",
                                     "log",
                                     "log2",
                                     "sqrt",
                                     "rsqrt",
                                     "sin",
                                     "cos",
                                     "floor",
                                     "ceil",
                                     "abs",
                                     "tanh",
                                     "erf",
                                     "sigmoid",
                                     "libdevice.exp10",
                                     "libdevice.expm1",
                                     "libdevice.log10",
                                     "libdevice.log1p",
                                     "libdevice.cbrt",
                                     "libdevice.tan",
                                     "libdevice.asin",
                                     "libdevice.acos",
                                     "libdevice.atan",
                                     "libdevice.sinh",
                                     "libdevice.cosh",
                                     "libdevice.asinh",
                                     "libdevice.acosh",
                                     "libdevice.atanh",
                                     "libdevice.erfc",
                                     "libdevice.trunc",
                                     "libdevice.round",
                                     "libdevice.rint",
                                     "libdevice.logb",
                                     "libdevice.sinpi",
                                     "libdevice.cospi"};
static const char *const pairs[] = {"libdevice.atan2",
                                    "libdevice.copysign",
                                    "libdevice.fmod",
                                    "libdevice.hypot",
                                    "libdevice.nextafter",
                                    "libdevice.remainder",
                                    "pow",
                                    "fdiv"};
static const char *const tests[] = {"libdevice.isnan", "libdevice.isinf", "libdevice.isfinite",
                                    "libdevice.signbit"};

static void float_function(Gen *g, Value a) {
  const char *name = elem_types[a.type].name;
  if (chance(g, 10)) {
    Value r = value_new(g, T_I1, a.shape);
    line(g, "v%d = %s(v%d) != 0", r.name, tests[pick(g, 4)], a.name);
    return;
  }
  uint32_t way = pick(g, 10);
  if (!has(g, CLASS_math) || way < 2) {
    Value b = value_fit(g, a.type, a.shape), c = value_fit(g, a.type, a.shape),
          r = value_new(g, a.type, a.shape);
    line(g, "v%d = fma(v%d, v%d, v%d)", r.name, a.name, b.name, c.name);
    return;
  }
  if (way < 4) {
    Value b = value_fit(g, a.type, a.shape), r = value_new(g, a.type, a.shape);
    line(g, "v%d = %s(v%d, v%d).to(%s)", r.name, pairs[pick(g, sizeof pairs / sizeof *pairs)], a.name, b.name,
         name);
    return;
  }
  Value r = value_new(g, a.type, a.shape);
  const char *cast = a.type == T_FP64 ? "fp64" : "fp32"; // sigmoid takes no narrower one
  line(g, "v%d = %s(v%d.to(%s)).to(%s)", r.name, floats[pick(g, sizeof floats / sizeof *floats)], a.name,
       cast, name);
}

static void whole_function(Gen *g, Value a) {
  static const char *const names[] = {"libdevice.popc", "libdevice.clz", "libdevice.ffs", "libdevice.brev"};
  const char *name = elem_types[a.type].name;
  Value r = value_new(g, a.type, a.shape);
  switch (pick(g, 5)) {
  case 0: line(g, "v%d = -v%d", r.name, a.name); break;
  case 1: line(g, "v%d = ~v%d", r.name, a.name); break;
  case 2: line(g, "v%d = abs(v%d)", r.name, a.name); break;
  case 3: line(g, "v%d = umulhi(v%d.to(u32), v%d.to(u32) * 7).to(%s)", r.name, a.name, a.name, name); break;
  default:
    line(g, "v%d = %s(v%d.to(%s)).to(%s)", r.name, names[pick(g, 4)], a.name, chance(g, 50) ? "i32" : "i64",
         name);
  }
}

void statement_unary(Gen *g) {
  Value a = value_any(g);
  if (a.type == T_I1 && chance(g, 70)) {
    Value r = value_new(g, T_I1, a.shape);
    line(g, chance(g, 50) ? "v%d = ~v%d" : "v%d = not v%d", r.name, a.name);
    return;
  }
  a = value_cast(g, a, type_arithmetic(g, a.type));
  if (is_whole(a.type))
    whole_function(g, a);
  else
    float_function(g, a);
}

void statement_where(Gen *g) {
  Value a = value_any(g);
  if (elem_types[a.type].kind == KIND_FP8) a = value_cast(g, a, type_arithmetic(g, a.type));
  Buf b = {0};
  Value condition = value_fit(g, T_I1, a.shape);
  operand(g, a.type, &a.shape, &b);
  Value r = value_new(g, a.type, a.shape);
  line(g, "v%d = where(v%d, v%d, %s).to(%s)", r.name, condition.name, a.name, b.at, elem_types[a.type].name);
  buf_free(&b);
}

// To any type; by its bits to another of the same width.
void statement_cast(Gen *g) {
  Value a = value_any(g);
  ElemType type = type_random(g);
  bool same_bits = elem_types[type].bytes == elem_types[a.type].bytes && type != T_I1 && a.type != T_I1;
  bool bitcast = same_bits && chance(g, 30);
  if (bitcast) a = value_number(g, a);
  Value r = value_new(g, type, a.shape);
  line(g, "v%d = v%d.to(%s%s)", r.name, a.name, elem_types[type].name, bitcast ? ", bitcast=True" : "");
}

// Operands of two types: the result is what the language promotes them to, then of a known type again.
void statement_mixed(Gen *g) {
  static const char *const operators[] = {"+", "-", "*", "<", "=="};
  Value a = value_any(g), b = value_any(g);
  for (int tries = 0; tries < 8 && !shape_broadcasts(&b.shape, &a.shape); tries++) b = value_any(g);
  if (!shape_broadcasts(&b.shape, &a.shape)) return;
  a = value_cast(g, a, type_arithmetic(g, a.type));
  b = value_cast(g, b, type_arithmetic(g, b.type));
  ElemType type = type_random(g);
  Value r = value_new(g, type, a.shape);
  line(g, "v%d = (v%d %s v%d).to(%s)", r.name, a.name, operators[pick(g, 5)], b.name, elem_types[type].name);
}

// A function of the file, with an early return on a scalar at times.
void statement_call(Gen *g) {
  static const char *const operators[] = {"+", "-", "*"};
  Value a = value_any(g);
  a = value_cast(g, a, type_arithmetic(g, a.type));
  Value b = value_fit(g, a.type, a.shape);
  int name = g->next++;
  buf_printf(&g->functions, "@jit\ndef f%d(a, b, n):\n", name);
  if (chance(g, 40)) {
    buf_printf(&g->functions, "    if n > %u:\n        return a %s b\n", pick(g, 4), operators[pick(g, 3)]);
    if (chance(g, 50))
      buf_printf(&g->functions, "    for k in range(n):\n        a = a %s b\n", operators[pick(g, 3)]);
  }
  buf_printf(&g->functions, "    c = a %s b\n    return where(c > %s, a, c %s a)\n\n\n",
             operators[pick(g, 3)], chance(g, 50) ? "a" : "b", operators[pick(g, 3)]);
  Value r = value_new(g, a.type, a.shape);
  line(g, "v%d = f%d(v%d, v%d, %s)", r.name, name, a.name, b.name, chance(g, 50) ? "pid" : "3");
}
