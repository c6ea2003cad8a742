// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that threads or programs hand to one another: tiles changed in place with barriers between, locks.
#include "tests/fuzz/programs/generate.h"

// The element of number i of a tile: a<name>.
static int flat_index(Gen *g, const Shape *shape) {
  int name = g->next++;
  Buf text = {0};
  shape_text(shape, &text);
  line(g, "a%d = reshape(arange(0, %d), %s)", name, shape_elements(shape), text.at);
  buf_free(&text);
  return name;
}

// Each iteration reads what other threads wrote in the one before.
void statement_in_place_loop(Gen *g) {
  static const char *const operators[] = {"+", "-", "^", "|"};
  Value like = value_tile(g);
  ElemType type = type_arithmetic(g, like.type);
  bool whole = elem_types[type].kind != KIND_FLOAT;
  int n = shape_elements(&like.shape), trips = 1 + (int)pick(g, 4), buffer, index, name = g->next++;
  Value other = value_fit(g, type, like.shape), last = value_new(g, type, like.shape);
  buffer = buffer_new(g, type, (int64_t)n * g->programs, false);
  index = flat_index(g, &like.shape);
  line(g, "p%d = x%d + pid * %d", name, buffer, n);
  if (chance(g, 50))
    line(g, "for k%d in range(%d):", name, trips);
  else
    line(g, "for k%d in range(n%d):", name, scalar_param(g, trips));
  int from = n > 1 ? 1 + (int)pick(g, (uint32_t)n - 1) : 0;
  if (chance(g, 40))
    line(g, "    v%d = load(p%d + (a%d ^ %d))", last.name, name, index, from & ((n & -n) - 1));
  else
    line(g, n & (n - 1) ? "    v%d = load(p%d + (a%d + k%d + %d) %% %d)" : "    v%d = load(p%d + ((a%d + k%d + %d) & %d))",
         last.name, name, index, name, from, n & (n - 1) ? n : n - 1);
  line(g, "    debug_barrier()");
  const char *change = operators[pick(g, whole ? 4 : 2)];
  if (chance(g, 30))
    line(g, "    store(p%d + a%d, v%d %s v%d, mask=a%d < %d)", name, index, last.name, change, other.name,
         index, n - (int)pick(g, (uint32_t)n / 2 + 1));
  else
    line(g, "    store(p%d + a%d, v%d %s v%d)", name, index, last.name, change, other.name);
  line(g, "    debug_barrier()");
  line(g, "v%d = load(p%d + %d - a%d)", last.name, name, n - 1, index);
  if (g->blocks || chance(g, 30)) line(g, "debug_barrier()"); // round an outer loop it is written again
  g->stores++;
}

// Takes the lock l<buffer>: one that is free or not, a ticket, or the program's turn.
static void take_lock(Gen *g, uint32_t way, int lock, int name) {
  switch (way) {
  case 0:
    line(g, "while atomic_cas(x%d + h%d, 0, 1) == 1:", lock, name);
    line(g, "    pass");
    break;
  case 1:
    line(g, "while atomic_xchg(x%d + h%d, 1) != 0:", lock, name);
    line(g, "    pass");
    break;
  case 2:
    line(g, "t%d = atomic_add(x%d + h%d, 1)", name, lock, name);
    line(g, "while atomic_add(x%d + 2 + h%d, 0) != t%d:", lock, name, name);
    line(g, "    pass");
    break;
  default: line(g, "while atomic_or(x%d, 0) != pid:", lock); line(g, "    pass");
  }
}

static void release_lock(Gen *g, uint32_t way, int lock, int name) {
  line(g, "debug_barrier()");
  if (way == 2)
    line(g, "atomic_add(x%d + 2 + h%d, 1)", lock, name);
  else if (way == 3)
    line(g, "atomic_add(x%d, 1)", lock);
  else if (chance(g, 70))
    line(g, "atomic_xchg(x%d + h%d, 0)", lock, name);
  else
    line(g, "atomic_cas(x%d + h%d, 1, 0)", lock, name);
}

// All programs, or those of one parity, change one tile under a lock, in any order. Or each waits
// for its turn in the order of program numbers. Then the change need not commute. A turn does not
// come again.
void statement_lock(Gen *g) {
  static const char *const commuting[] = {"v%d + v%d", "v%d ^ v%d", "maximum(v%d, v%d)", "v%d & v%d",
                                          "v%d | v%d"};
  static const ElemType types[] = {T_I32, T_U32, T_I64, T_I32};
  if (g->blocks) return;
  Value like = value_tile(g), value = value_fit(g, types[pick(g, 4)], like.shape);
  int n = shape_elements(&like.shape), name = g->next++, lock = g->next++, index, buffer;
  uint32_t way = pick(g, 4);
  bool halves = way != 3 && chance(g, 50);
  Value held = value_new(g, value.type, like.shape);
  buf_printf(&g->params, ", x%d: *i32", lock);
  buf_printf(&g->args, " x%d=zeros:i32[4]", lock);
  buffer = buffer_new(g, value.type, (int64_t)n * 2, false);
  index = flat_index(g, &like.shape);
  line(g, "h%d = %s", name, halves ? "pid & 1" : "pid * 0");
  line(g, "p%d = x%d + h%d * %d + a%d", name, buffer, name, n, index);
  take_lock(g, way, lock, name);
  line(g, "v%d = load(p%d)", held.name, name);
  Buf change = {0};
  buf_printf(&change, way == 3 ? "v%d * 3 + v%d" : commuting[pick(g, 5)], held.name, value.name);
  line(g, "store(p%d, (%s).to(%s))", name, change.at, elem_types[value.type].name);
  release_lock(g, way, lock, name);
  buf_free(&change);
  if (way == 3) return; // what it held is the same under every schedule
  line(g, "v%d = v%d * 0", held.name, held.name);
  g->stores++;
}
