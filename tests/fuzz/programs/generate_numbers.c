// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Literals of another kind or size than the tile's elements, NaNs and infinities, operands of mixed
// signedness. The language decides the promoted type of each pair. The result is cast to a known
// type.
#include "tests/fuzz/programs/generate.h"

static bool is_whole(ElemType type) {
  return elem_types[type].kind == KIND_SIGNED || elem_types[type].kind == KIND_UNSIGNED;
}

// An integer that a value of the type can be: near its ends and near powers of two.
static void whole_literal(Gen *g, ElemType type, Buf *out) {
  int bits = 8 * elem_types[type].bytes - (elem_types[type].kind == KIND_SIGNED);
  uint64_t power = UINT64_C(1) << pick(g, (uint32_t)bits), most = UINT64_MAX >> (64 - bits);
  uint64_t number = chance(g, 20) ? most : chance(g, 50) ? power : power - 1;
  if (elem_types[type].kind == KIND_SIGNED && chance(g, 30))
    buf_printf(out, "(-%llu%s)", (unsigned long long)number, number == most && chance(g, 50) ? " - 1" : "");
  else
    buf_printf(out, "%llu", (unsigned long long)number);
}

static const char *float_literal(Gen *g) {
  static const char *const numbers[] = {"0.1",   "0.3",  "-2.7",     "3.14159", "1e-3", "1e10",
                                        "-1e-7", "0.75", "1.000001", "65504.0", "-0.0", "float(\"inf\")"};
  return chance(g, 4) ? "float(\"nan\")" : numbers[pick(g, sizeof numbers / sizeof *numbers)];
}

static void literal_of_any_kind(Gen *g, ElemType type, Buf *out) {
  if (is_whole(type) && chance(g, 60))
    whole_literal(g, type, out);
  else if (chance(g, 25))
    buf_printf(out, "%u", pick(g, 100));
  else
    buf_text(out, float_literal(g));
}

// A tile and a number, either first.
void statement_literal(Gen *g) {
  static const char *const operators[] = {"+", "-", "*", "/", "<", "<=", "==", "!=", ">"};
  Value a = value_any(g);
  a = value_cast(g, a, type_arithmetic(g, a.type));
  Buf number = {0};
  literal_of_any_kind(g, a.type, &number);
  ElemType type = type_random(g);
  Value r = value_new(g, type, a.shape);
  const char *name = elem_types[type].name;
  switch (pick(g, 6)) {
  case 0: line(g, "v%d = maximum(v%d, %s).to(%s)", r.name, a.name, number.at, name); break;
  case 1: line(g, "v%d = minimum(%s, v%d).to(%s)", r.name, number.at, a.name, name); break;
  case 2:
    line(g, "v%d = where(v%d == v%d, v%d, %s).to(%s)", r.name, a.name, a.name, a.name, number.at, name);
    break;
  case 3: line(g, "v%d = (%s %s v%d).to(%s)", r.name, number.at, operators[pick(g, 9)], a.name, name); break;
  default: line(g, "v%d = (v%d %s %s).to(%s)", r.name, a.name, operators[pick(g, 9)], number.at, name);
  }
  buf_free(&number);
}

// Some elements become NaN, infinite, the largest, or of the smallest.
void statement_special(Gen *g) {
  static const char *const specials[] = {"float(\"nan\")", "float(\"inf\")", "-float(\"inf\")", "-0.0",
                                         "65504.0",        "3e38",           "1e-40",           "6e-8"};
  Value a = value_any(g);
  if (elem_types[a.type].kind != KIND_FLOAT) a = value_fit(g, chance(g, 50) ? T_FP32 : T_FP16, a.shape);
  Value condition = value_fit(g, T_I1, a.shape), r = value_new(g, a.type, a.shape);
  line(g, "v%d = where(v%d, v%d, %s).to(%s)", r.name, condition.name, a.name, specials[pick(g, 8)],
       elem_types[a.type].name);
}

static ElemType type_of_kind(Gen *g, Kind kind) {
  for (;;) {
    ElemType type = (ElemType)pick(g, T_COUNT);
    if (elem_types[type].kind == kind) return type;
  }
}

// One operand has a sign and the other none, of any two widths.
void statement_signs(Gen *g) {
  static const char *const operators[] = {"+", "-",  "*",  "&",  "|", "^", ">>",
                                          "<", "<=", "==", "!=", ">", ">="};
  Value like = value_any(g);
  bool first = chance(g, 50);
  Value a = value_fit(g, type_of_kind(g, first ? KIND_SIGNED : KIND_UNSIGNED), like.shape),
        b = value_fit(g, type_of_kind(g, first ? KIND_UNSIGNED : KIND_SIGNED), like.shape);
  ElemType type = type_random(g);
  const char *name = elem_types[type].name;
  Value r = value_new(g, type, a.shape);
  switch (pick(g, 10)) {
  case 0: line(g, "v%d = maximum(v%d, v%d).to(%s)", r.name, a.name, b.name, name); break;
  case 1: line(g, "v%d = minimum(v%d, v%d).to(%s)", r.name, a.name, b.name, name); break;
  case 2:
    line(g, "v%d = where(v%d < v%d, v%d, v%d).to(%s)", r.name, a.name, b.name, a.name, b.name, name);
    break;
  case 3: line(g, "v%d = (v%d << (v%d & 15)).to(%s)", r.name, a.name, b.name, name); break;
  default: line(g, "v%d = (v%d %s v%d).to(%s)", r.name, a.name, operators[pick(g, 13)], b.name, name);
  }
}
