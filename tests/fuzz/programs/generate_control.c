// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and branches. They change a value from before them, of the same type and shape. Values
// defined within are not known after them.
#include "tests/fuzz/programs/generate.h"

#include <stdio.h>

enum { MAX_BLOCKS = 3 };

// Some statements, then new values for the variables; all indented.
static void block(Gen *g, const Value *changed, int count) {
  int known = g->value_count;
  g->indent++;
  g->blocks++;
  for (int i = 1 + (int)pick(g, 3); i > 0; i--) statement(g);
  for (int i = 0; i < count; i++) {
    Value v = value_fit(g, changed[i].type, changed[i].shape);
    bool same = v.name == changed[i].name;
    if (changed[i].type == T_I1)
      line(g, "v%d = v%d ^ v%d", changed[i].name, changed[i].name, v.name);
    else if (same || chance(g, 30) || elem_types[changed[i].type].kind == KIND_FP8)
      line(g, "v%d = v%d", changed[i].name, v.name);
    else
      line(g, "v%d = v%d %s v%d", changed[i].name, changed[i].name, chance(g, 70) ? "+" : "-", v.name);
  }
  if (chance(g, 25) && g->stores < 4) store_value(g, value_any(g));
  g->blocks--;
  g->indent--;
  g->value_count = known;
}

// One to three variables from before, mostly tiles; each once.
static int choose_changed(Gen *g, Value changed[3]) {
  int count = 1 + (int)pick(g, 3), n = 0;
  for (int i = 0; i < count; i++) {
    Value v = value_any(g);
    bool twice = false;
    for (int k = 0; k < n; k++) twice |= changed[k].name == v.name;
    if (!twice) changed[n++] = v;
  }
  return n;
}

// A counted loop, whose end is often within its last step; from 0 by 1 it may index memory.
void statement_loop(Gen *g) {
  if (g->blocks >= MAX_BLOCKS) return;
  Value changed[3];
  int count = choose_changed(g, changed), name = g->next++, trips = (int)pick(g, 4) + (g->blocks < 2);
  const char *outer = g->loop_name;
  int outer_trips = g->loop_trips;
  char counter[20], end[20], start[40] = "";
  snprintf(counter, sizeof counter, "k%d", name);
  bool plain = chance(g, 60) && trips > 0;
  int from = plain ? 0 : (int)pick(g, 5) - 2, step = plain ? 1 : chance(g, 40) ? -2 : 1 + (int)pick(g, 3);
  int to = from + trips * step;
  if (trips > 0) to -= step < 0 ? -(int)pick(g, 2) : (int)pick(g, (uint32_t)step);
  if (chance(g, 50))
    snprintf(end, sizeof end, "n%d", scalar_param(g, to));
  else
    snprintf(end, sizeof end, "%d", to);
  if (from || step != 1) snprintf(start, sizeof start, "%d, ", from);
  line(g, "for %s in %s(%s%s%s%s):", counter, chance(g, 15) && end[0] != 'n' ? "static_range" : "range",
       start, end,
       step == 1    ? ""
       : step == -2 ? ", -2"
       : step == 2  ? ", 2"
                    : ", 3",
       chance(g, 30) && end[0] == 'n' ? ", num_stages=2" : "");
  g->loop_name = plain && !outer ? counter : NULL;
  g->loop_trips = trips;
  block(g, changed, count);
  g->loop_name = outer;
  g->loop_trips = outer_trips;
}

void statement_while(Gen *g) {
  if (g->blocks >= MAX_BLOCKS) return;
  Value changed[3];
  int count = choose_changed(g, changed), name = g->next++, end = scalar_param(g, (int64_t)pick(g, 4));
  const char *outer = g->loop_name;
  line(g, "c%d = 0", name);
  line(g, "while c%d < n%d:", name, end);
  line(g, "    c%d += 1", name);
  g->loop_name = NULL;
  block(g, changed, count);
  g->loop_name = outer;
}

static void condition(Gen *g, Buf *text) {
  static const char *const operators[] = {"<", ">", "==", "!=", ">="};
  switch (pick(g, 3)) {
  case 0: buf_printf(text, "pid %s %u", operators[pick(g, 5)], pick(g, 3)); break;
  case 1:
    buf_printf(text, "n%d %s %u", scalar_param(g, (int64_t)pick(g, 5)), operators[pick(g, 5)], pick(g, 5));
    break;
  default:
    buf_printf(text, "(pid + n%d) %% 2 == 0 %s pid > 0", scalar_param(g, (int64_t)pick(g, 5)),
               chance(g, 50) ? "and" : "or");
  }
}

void statement_branch(Gen *g) {
  if (g->blocks >= MAX_BLOCKS) return;
  Value changed[3];
  int count = choose_changed(g, changed);
  Buf text = {0};
  condition(g, &text);
  line(g, "if %s:", text.at);
  block(g, changed, count);
  if (chance(g, 60)) {
    line(g, "else:");
    block(g, changed, chance(g, 50) ? count : 1);
  }
  buf_free(&text);
}

// A pointer tile that a loop moves along.
void statement_pointer_loop(Gen *g) {
  if (g->blocks >= MAX_BLOCKS) return;
  Value like = value_tile(g);
  ElemType type = type_arithmetic(g, like.type);
  int n = shape_elements(&like.shape), trips = 1 + (int)pick(g, 4), name = g->next++;
  int step = chance(g, 70) ? n : 1 + (int)pick(g, (uint32_t)n);
  int buffer = buffer_new(g, type, (int64_t)n * g->programs + (int64_t)step * trips, false);
  Value sum = value_fit(g, type, like.shape);
  Buf text = {0};
  shape_text(&like.shape, &text);
  line(g, "p%d = x%d + pid * %d + reshape(arange(0, %d), %s)", name, buffer, n, n, text.at);
  line(g, "for k%d in range(n%d):", name, scalar_param(g, trips));
  line(g, "    v%d = v%d %s load(p%d)", sum.name, sum.name, chance(g, 70) ? "+" : "*", name);
  line(g, "    p%d += %d", name, step);
  buf_free(&text);
}

// A sum over an array, masked by the array's end. The step is a tile's length or any other. The
// ends are constants or arguments, and the last tile exceeds the end. Half of the tiles have
// elements for every thread.
void statement_ragged_loop(Gen *g) {
  if (g->blocks >= MAX_BLOCKS) return;
  Value like = value_tile(g);
  if (chance(g, 50)) {
    like.shape = (Shape){1, {32 * g->warps << pick(g, 3)}};
    if (like.shape.size[0] > MAX_ELEMENTS) return;
  }
  ElemType type = type_arithmetic(g, like.type);
  int n = shape_elements(&like.shape), most = MAX_ELEMENTS * 2 / n, name = g->next++;
  int trips = (int)pick(g, most < 9 ? (uint32_t)most + 2 : 11);
  int step = chance(g, 70) ? n : 1 + (int)pick(g, 2 * (uint32_t)n);
  int from = chance(g, 70) ? 0 : (int)pick(g, (uint32_t)step);
  int to = from + trips * step - (trips ? (int)pick(g, (uint32_t)step) : 0);
  int buffer = buffer_new(g, type, (int64_t)(to + 1) * g->programs, false);
  Value sum = value_fit(g, type, like.shape);
  Buf shape = {0}, start = {0}, end = {0};
  shape_text(&like.shape, &shape);
  bound(g, from, &start);
  bound(g, to, &end);
  const char *sign = chance(g, 70) ? "+" : "*";
  line(g, "for k%d in range(%s, %s, %d):", name, start.at, end.at, step);
  line(g, "    a%d = k%d + reshape(arange(0, %d), %s)", name, name, n, shape.at);
  line(g, "    l%d = load(x%d + pid * %d + a%d, mask=a%d < %s, other=%d)", name, buffer, to + 1, name, name,
       end.at, *sign == '*');
  if (chance(g, 50))
    line(g, "    v%d = where(a%d < %s, v%d %s l%d, v%d)", sum.name, name, end.at, sum.name, sign, name,
         sum.name);
  else
    line(g, "    v%d = v%d %s l%d", sum.name, sum.name, sign, name);
  buf_free(&shape);
  buf_free(&start);
  buf_free(&end);
}
