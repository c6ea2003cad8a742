// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that change shapes, and those that put tiles together and take them apart.
#include "tests/fuzz/programs/generate.h"

static Value transposed(Gen *g, Value v) {
  int order[MAX_RANK];
  Shape shape = {.rank = v.shape.rank};
  for (int d = 0; d < shape.rank; d++) order[d] = d;
  for (int d = shape.rank - 1; d > 0; d--) {
    int e = (int)pick(g, (uint32_t)d + 1), swap = order[d];
    order[d] = order[e];
    order[e] = swap;
  }
  Buf text = {0};
  for (int d = 0; d < shape.rank; d++) {
    shape.size[d] = v.shape.size[order[d]];
    buf_printf(&text, ", %d", order[d]);
  }
  Value r = value_new(g, v.type, shape);
  line(g, "v%d = permute(v%d%s)", r.name, v.name, text.at);
  buf_free(&text);
  return r;
}

// Another shape with the same number of elements.
static Value regrouped(Gen *g, Value v) {
  Shape shape = {.rank = 1 + (int)pick(g, MAX_RANK)};
  for (int d = 0; d < shape.rank; d++) shape.size[d] = 1;
  for (int n = shape_elements(&v.shape), factor = 2; n > 1; n /= factor) {
    while (n % factor) factor++;
    shape.size[pick(g, (uint32_t)shape.rank)] *= factor;
  }
  Buf text = {0};
  shape_text(&shape, &text);
  Value r = value_new(g, v.type, shape);
  line(g, "v%d = %s(v%d, %s)", r.name, chance(g, 70) ? "reshape" : "view", v.name, text.at);
  buf_free(&text);
  return r;
}

static void expanded(Gen *g, Value v) {
  if (v.shape.rank == MAX_RANK) return;
  int axis = (int)pick(g, (uint32_t)v.shape.rank + 1);
  Shape shape = {.rank = v.shape.rank + 1};
  for (int d = 0, from = 0; d < shape.rank; d++) shape.size[d] = d == axis ? 1 : v.shape.size[from++];
  Value r = value_new(g, v.type, shape);
  line(g, "v%d = expand_dims(v%d, %d)", r.name, v.name, axis);
  if (chance(g, 30) || shape_elements(&shape) > MAX_ELEMENTS / 4) return;
  for (int d = 0; d < shape.rank; d++)
    if (shape.size[d] == 1) shape.size[d] = size_near(g, 1 << pick(g, 3));
  Buf text = {0};
  shape_text(&shape, &text);
  Value b = value_new(g, v.type, shape);
  line(g, "v%d = broadcast_to(v%d, %s)", b.name, r.name, text.at);
  buf_free(&text);
}

void statement_shape(Gen *g) {
  Value v = value_tile(g);
  switch (pick(g, 4)) {
  case 0:
    if (v.shape.rank > 1) {
      transposed(g, v);
      break;
    }
    regrouped(g, v);
    break;
  case 1: regrouped(g, v); break;
  case 2: expanded(g, v); break;
  default: transposed(g, regrouped(g, v)); break;
  }
}

static void join(Gen *g, Value a) {
  if (a.shape.rank == MAX_RANK) return;
  if (elem_types[a.type].kind == KIND_FP8) a = value_cast(g, a, type_arithmetic(g, a.type));
  Value b = value_fit(g, a.type, a.shape);
  Shape shape = a.shape;
  shape.size[shape.rank++] = 2;
  Value r = value_new(g, a.type, shape);
  line(g, "v%d = join(v%d, v%d)", r.name, a.name, b.name);
}

static void split(Gen *g, Value v) {
  Shape shape = v.shape;
  int n = shape_elements(&shape);
  if (n < 4) return;
  if (shape.size[shape.rank - 1] != 2) {
    if (n % 2) return;
    Value r = value_new(g, v.type, (Shape){2, {n / 2, 2}});
    line(g, "v%d = reshape(v%d, [%d, 2])", r.name, v.name, n / 2);
    v = r;
    shape = v.shape;
  }
  if (--shape.rank == 0) return;
  Value a = value_new(g, v.type, shape), b = value_new(g, v.type, shape);
  line(g, "v%d, v%d = split(v%d)", a.name, b.name, v.name);
}

void statement_join(Gen *g) {
  Value a = value_tile(g);
  if (shape_elements(&a.shape) > MAX_ELEMENTS / 2) {
    split(g, a);
    return;
  }
  switch (pick(g, 4)) {
  case 0: join(g, a); break;
  case 1: split(g, a); break;
  default: {
    bool cat = chance(g, 60) || a.shape.rank == MAX_RANK; // interleave joins, one dimension more
    if (!cat && elem_types[a.type].kind == KIND_FP8) a = value_cast(g, a, type_arithmetic(g, a.type));
    int dim = cat ? (int)pick(g, (uint32_t)a.shape.rank) : a.shape.rank - 1;
    Shape shape = a.shape, second = a.shape;
    if (cat) second.size[dim] = size_near(g, a.shape.size[dim]);
    Value b = value_fit(g, a.type, second);
    shape.size[dim] += second.size[dim];
    Value r = value_new(g, a.type, shape);
    if (cat)
      line(g, "v%d = cat(v%d, v%d, dim=%d)", r.name, a.name, b.name, dim);
    else
      line(g, "v%d = interleave(v%d, v%d)", r.name, a.name, b.name);
  }
  }
}
