// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block pointers with boundary checks, tensor descriptors, and atomics whose result depends on no
// order.
#include "tests/fuzz/programs/generate.h"

#include <string.h>

static void list(const int *numbers, int n, Buf *out) {
  buf_char(out, '[');
  for (int i = 0; i < n; i++) buf_printf(out, "%s%d", i ? ", " : "", numbers[i]);
  buf_char(out, ']');
}

static void block_pointer(Gen *g, int name, int buffer, const Shape *block, const int *whole,
                          const int *strides, const int *at) {
  int order[MAX_RANK];
  for (int d = 0; d < block->rank; d++) order[d] = block->rank - 1 - d;
  Buf text = {0};
  list(whole, block->rank, &text);
  buf_text(&text, ", ");
  list(strides, block->rank, &text);
  buf_text(&text, ", ");
  list(at, block->rank, &text);
  buf_text(&text, ", ");
  shape_text(block, &text);
  buf_text(&text, ", ");
  list(order, block->rank, &text);
  line(g, "p%d = make_block_ptr(x%d, %s)", name, buffer, text.at);
  buf_free(&text);
}

// A block that exceeds the edges of an array; loaded, or stored only by the first program.
void statement_block_pointer(Gen *g) {
  Value like = value_tile(g);
  int whole[MAX_RANK], strides[MAX_RANK], at[MAX_RANK], total = 1;
  bool column = has(g, CLASS_orders) && chance(g, 30);
  for (int i = 0; i < like.shape.rank; i++) {
    int d = column ? i : like.shape.rank - 1 - i;
    whole[d] = 1 + (int)pick(g, 2 * (uint32_t)like.shape.size[d]);
    strides[d] = total;
    total *= whole[d];
    at[d] = (int)pick(g, (uint32_t)like.shape.size[d]) - (chance(g, 30) ? 3 : 0);
  }
  bool store = g->blocks == 0 && chance(g, 40);
  int buffer = buffer_new(g, like.type, total, store), name = g->next++;
  Buf checks = {0};
  for (int d = 0; d < like.shape.rank; d++) buf_printf(&checks, "%d,", d);
  block_pointer(g, name, buffer, &like.shape, whole, strides, at);
  if (store) {
    line(g, "if pid == 0:");
    line(g, "    store(p%d, v%d, boundary_check=(%s))", name, like.name, checks.at);
    g->stores++;
  } else {
    if (chance(g, 40)) {
      int by[MAX_RANK];
      for (int d = 0; d < like.shape.rank; d++) by[d] = (int)pick(g, (uint32_t)like.shape.size[d]) - 1;
      Buf text = {0};
      list(by, like.shape.rank, &text);
      line(g, "p%d = advance(p%d, %s)", name, name, text.at);
      buf_free(&text);
    }
    Value v = value_new(g, like.type, like.shape);
    line(g, "v%d = load(p%d, boundary_check=(%s), padding_option=\"zero\")%s", v.name, name, checks.at,
         like.type == T_I1 ? ".to(i1)" : ""); // through a block pointer booleans are bytes
  }
  buf_free(&checks);
}

// A tensor descriptor's block over the edges of a part of the program's own, loaded or stored. The last
// stride is 1; the others and the base are multiples of 16 bytes, and a block's row is 16 bytes or more.
void statement_descriptor(Gen *g) {
  Value like = value_tile(g);
  int rank = like.shape.rank, last = rank - 1, at[MAX_RANK], whole[MAX_RANK], strides[MAX_RANK], total = 1;
  if (like.type == T_I1) like = value_cast(g, like, T_I8);
  int unit = 16 / elem_types[like.type].bytes;
  if (like.shape.size[last] < unit) return;
  for (int d = last; d >= 0; d--) {
    whole[d] = 1 + (int)pick(g, 2 * (uint32_t)like.shape.size[d]);
    strides[d] = d == last ? 1 : total;
    total = d == last ? whole[d] + (int)pick(g, 20) : total * whole[d];
    if (d == last) total = (total + unit - 1) / unit * unit;
    at[d] = (int)pick(g, (uint32_t)like.shape.size[d]) - (chance(g, 30) ? 3 : 0);
  }
  bool store = chance(g, 40), nan = elem_types[like.type].kind == KIND_FLOAT && chance(g, 30);
  int buffer = buffer_aligned(g, like.type, (int64_t)total * g->programs, store), name = g->next++;
  Buf text = {0}, where = {0};
  if (chance(g, 30)) whole[0] = -scalar_param(g, whole[0]);
  list(whole, rank, &text);
  if (whole[0] < 0) *strchr(text.at, '-') = 'n';
  buf_text(&text, ", ");
  list(strides, rank, &text);
  buf_text(&text, ", ");
  shape_text(&like.shape, &text);
  line(g, "d%d = make_tensor_descriptor(x%d + pid * %d, %s%s)", name, buffer, total, text.at,
       nan ? ", padding_option=\"nan\"" : "");
  list(at, rank, &where);
  if (store) {
    line(g, "d%d.store(%s, v%d)", name, where.at, like.name);
    g->stores++;
  } else {
    Value v = value_new(g, like.type, like.shape);
    line(g, "v%d = d%d.load(%s)", v.name, name, where.at);
  }
  buf_free(&text);
  buf_free(&where);
}

// Sums of floats at neighbouring addresses, in vectors where alignment and mask let them.
static void sums_of_neighbours(Gen *g, Value like) {
  static const ElemType types[] = {T_FP16, T_BF16, T_FP32, T_FP32, T_FP64};
  ElemType type = types[pick(g, 5)];
  uint32_t elements = shape_elements(&like.shape), first = chance(g, 30) ? 1 + pick(g, 15) : 0;
  Value v = value_fit(g, type, like.shape), flat = value_new(g, T_I32, like.shape);
  int buffer = buffer_aligned(g, type, (int64_t)elements * g->programs + 16, false);
  Buf shape = {0}, mask = {0};
  shape_text(&like.shape, &shape);
  uint32_t step = elements >= 8 && chance(g, 60) ? 8 : 1; // that vectors go under, or do not
  if (chance(g, 50)) buf_printf(&mask, ", mask=v%d < %u", flat.name, step * pick(g, elements / step + 1));
  line(g, "v%d = reshape(arange(0, %u), %s)", flat.name, elements, shape.at);
  line(g, "atomic_add(x%d + pid * %u + v%d + %u, v%d%s%s)", buffer, elements, flat.name, first, v.name,
       chance(g, 20) ? ", sem=\"relaxed\"" : "", mask.n ? mask.at : "");
  g->stores++;
  buf_free(&shape);
  buf_free(&mask);
}

// Several elements to one address: of integers any order gives the same. The old value of an address that one
// element has for itself may be used.
void statement_atomic(Gen *g) {
  static const char *const shared[] = {"add", "max", "min", "and", "or", "xor"};
  static const ElemType types[] = {T_I32, T_U32, T_I64, T_U64};
  Value like = value_tile(g);
  if (chance(g, 30)) {
    sums_of_neighbours(g, like);
    return;
  }
  ElemType type = types[pick(g, 4)];
  Value v = value_fit(g, type, like.shape), where = value_fit(g, T_I32, like.shape);
  uint32_t which = pick(g, 6), cells = 1u << pick(g, 7);
  if (type == T_I32 && chance(g, 10)) type = T_FP32, which = 0, v = value_cast(g, v, T_FP32);
  if (chance(g, 60) || type == T_FP32) {
    int buffer = buffer_new(g, type, cells, false);
    line(g, "atomic_%s(x%d + (v%d & %u), v%d%s)", shared[which], buffer, where.name, cells - 1, v.name,
         chance(g, 40) ? ", mask=(pid + 1) > 0" : "");
    g->stores++;
    return;
  }
  int buffer = buffer_new(g, type, (int64_t)shape_elements(&v.shape) * g->programs, false);
  Value flat = value_new(g, T_I32, v.shape), old = value_new(g, type, v.shape);
  Buf text = {0};
  shape_text(&v.shape, &text);
  line(g, "v%d = reshape(arange(0, %d), %s)", flat.name, shape_elements(&v.shape), text.at);
  line(g, "v%d = atomic_%s(x%d + pid * %d + v%d, v%d)", old.name, chance(g, 20) ? "xchg" : shared[which],
       buffer, shape_elements(&v.shape), flat.name, v.name);
  g->stores++;
  buf_free(&text);
}
