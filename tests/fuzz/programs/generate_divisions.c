// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many integers divided by one number, which is known at run time.
#include "tests/fuzz/programs/generate.h"

#include <stdio.h>

// Numbers that count from one of the program, which may be near the ends of 31, 32 and 64 bits.
static Value counted(Gen *g, ElemType type, const Shape *shape) {
  static const char *const firsts[] = {
      "0", "-70", "2147483500", "4294967200", "4294960000", "-9223372036854775807", "9223372036854775700"};
  static const int steps[] = {1, 64, 1000, -3, 65536};
  const char *name = elem_types[type].name;
  Value x = value_new(g, type, *shape);
  Buf text = {0};
  shape_text(shape, &text);
  line(g, "v%d = (pid.to(i64) * %d + (%s)).to(%s) + reshape(arange(0, %d), %s).to(%s)", x.name,
       steps[pick(g, 5)], firsts[pick(g, 7)], name, shape_elements(shape), text.at, name);
  buf_free(&text);
  return x;
}

// The name of a scalar d<name> that is not 0.
static int divisor(Gen *g, ElemType type) {
  static const int64_t numbers[] = {1,    -1,    2,     3,       7,         10,        -10,       97,
                                    641,  1000,  65535, -65536,  1 << 30,   INT32_MAX, INT32_MIN, -12345,
                                    4096, 32767, 99991, 1000003, 123456789, 5,         12,        24};
  int name = g->next++, number = scalar_param(g, numbers[pick(g, sizeof numbers / sizeof *numbers)]);
  bool wide = elem_types[type].bytes == 8 && chance(g, 30); // with an odd factor the result is not 0
  line(g, "d%d = n%d.to(%s)%s", name, number, elem_types[type].name, wide ? " * 4294967311" : "");
  return name;
}

void statement_division(Gen *g) {
  static const ElemType types[] = {T_I32, T_U32, T_I64, T_I64, T_U64};
  static const char *const forms[] = {"v%d // d%d", "v%d %% d%d", "v%d // d%d // 7", "v%d // d%d %% 1000"};
  Value like = value_tile(g);
  ElemType type = types[pick(g, 5)];
  Value x = chance(g, 60) ? counted(g, type, &like.shape) : value_fit(g, type, like.shape);
  int by = divisor(g, type);
  for (uint32_t i = 0; i < 2; i++) {
    Value r = value_new(g, type, like.shape);
    char text[64];
    snprintf(text, sizeof text, forms[pick(g, 4)], x.name, by);
    line(g, "v%d = %s", r.name, text);
  }
  if (!chance(g, 40)) return;
  Value last = g->values[g->value_count - 1];
  int again = divisor(g, type);
  Value r = value_new(g, type, like.shape);
  line(g, "v%d = v%d %s d%d", r.name, last.name, chance(g, 50) ? "//" : "%", again);
}
