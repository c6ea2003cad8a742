// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements whose elements meet: reductions, scans, gathers, flips, sorts, histograms, dots.
#include "tests/fuzz/programs/generate.h"

#include <string.h>

static Shape without_axis(Shape shape, int axis, bool keep) {
  if (keep) {
    shape.size[axis] = 1;
    return shape;
  }
  for (int d = axis; d + 1 < shape.rank; d++) shape.size[d] = shape.size[d + 1];
  shape.rank--;
  return shape;
}

static const char *kept(bool keep) { return keep ? ", keep_dims=True" : ""; }

static void reduce_pair(Gen *g, Value a, int axis, bool keep, Shape shape) {
  Value b = value_fit(g, T_I32, a.shape), r = value_new(g, a.type, shape), s = value_new(g, T_I32, shape);
  line(g, "v%d, v%d = reduce((v%d, v%d), %d, %s%s)", r.name, s.name, a.name, b.name, axis,
       a.type == T_I32 && chance(g, 50) ? "combine_linear" : "combine_larger", kept(keep));
}

void statement_reduce(Gen *g) {
  static const char *const plain[] = {"sum", "max", "min", "argmax", "argmin", "xor_sum"};
  Value a = value_tile(g);
  a = value_cast(g, a, type_arithmetic(g, a.type));
  bool whole = elem_types[a.type].kind != KIND_FLOAT, keep = chance(g, 35), all = chance(g, 12);
  int axis = (int)pick(g, (uint32_t)a.shape.rank);
  Shape shape = all ? (Shape){0} : without_axis(a.shape, axis, keep);
  uint32_t way = pick(g, 9);
  if (way == 8 && !all && whole) {
    reduce_pair(g, a, axis, keep, shape);
    return;
  }
  if (way >= 6 && !all && whole) {
    static const char *const functions[] = {"combine_add", "combine_mul", "combine_max"};
    Value r = value_new(g, a.type, shape);
    line(g, "v%d = reduce(v%d, %d, %s%s).to(%s)", r.name, a.name, axis, functions[pick(g, 3)], kept(keep),
         elem_types[a.type].name);
    return;
  }
  const char *function = plain[pick(g, whole ? 6 : 5)];
  bool index = strncmp(function, "arg", 3) == 0;
  if (all && index) function = "max", index = false;
  ElemType type = index ? T_I32 : a.type;
  if (strcmp(function, "sum") == 0) a = value_summand(g, a, shape_elements(&a.shape));
  Value r = value_new(g, type, shape);
  if (all)
    line(g, "v%d = %s(v%d).to(%s)", r.name, function, a.name, elem_types[type].name);
  else
    line(g, "v%d = %s(v%d, axis=%d%s).to(%s)", r.name, function, a.name,
         chance(g, 20) ? axis - a.shape.rank : axis, kept(keep), elem_types[type].name);
}

// Only integers are multiplied: floats would leave every range.
void statement_scan(Gen *g) {
  static const char *const functions[] = {"combine_add", "combine_mul", "combine_max"};
  Value a = value_tile(g);
  a = value_cast(g, a, type_arithmetic(g, a.type));
  bool whole = elem_types[a.type].kind != KIND_FLOAT;
  int axis = (int)pick(g, (uint32_t)a.shape.rank);
  const char *reverse = chance(g, 30) ? ", reverse=True" : "", *name = elem_types[a.type].name;
  uint32_t way = pick(g, whole ? 4 : 1);
  if (way == 3) {
    a = value_cast(g, a, T_I32);
    Value b = value_fit(g, T_I32, a.shape), r = value_new(g, T_I32, a.shape),
          s = value_new(g, T_I32, a.shape);
    line(g, "v%d, v%d = associative_scan((v%d, v%d), %d, combine_linear%s)", r.name, s.name, a.name, b.name,
         axis, reverse);
    return;
  }
  if (way == 0) a = value_summand(g, a, a.shape.size[axis]);
  Value r = value_new(g, a.type, a.shape);
  if (way == 2)
    line(g, "v%d = associative_scan(v%d, %d, %s%s).to(%s)", r.name, a.name, axis, functions[pick(g, 3)],
         reverse, name);
  else
    line(g, "v%d = %s(v%d, axis=%d%s).to(%s)", r.name, way ? "cumprod" : "cumsum", a.name, axis, reverse,
         name);
}

// Along the axis the index may be longer or shorter than the source.
void statement_gather(Gen *g) {
  Value a = value_tile(g);
  Shape shape = a.shape;
  int axis = (int)pick(g, (uint32_t)shape.rank), size = shape.size[axis];
  if (chance(g, 30)) shape.size[axis] = size_near(g, 1 << pick(g, 5));
  if (shape_elements(&shape) > MAX_ELEMENTS) shape = a.shape;
  Value at = value_fit(g, T_I32, shape), r = value_new(g, a.type, shape);
  if (size & (size - 1))
    line(g, "v%d = gather(v%d, (v%d.to(u32) %% %d).to(i32), %d)", r.name, a.name, at.name, size, axis);
  else
    line(g, "v%d = gather(v%d, v%d & %d, %d)", r.name, a.name, at.name, size - 1, axis);
}

void statement_flip(Gen *g) {
  Value a = value_tile(g), r = value_new(g, a.type, a.shape);
  line(g, "v%d = flip(v%d, %u)", r.name, a.name, pick(g, (uint32_t)a.shape.rank));
}

// NaN have no place in an order: integers.
void statement_sort(Gen *g) {
  Value a = value_tile(g);
  if (elem_types[a.type].kind == KIND_FLOAT || elem_types[a.type].kind == KIND_FP8 || a.type == T_I1)
    a = value_fit(g, T_I32, a.shape);
  if (chance(g, 30)) {
    Shape shape = a.shape;
    int *size = &shape.size[shape.rank - 1], count = 1;
    while (2 * count <= *size && chance(g, 60)) count *= 2;
    a = value_cast(g, a, T_I32);
    *size = size_near(g, count);
    Value r = value_new(g, T_I32, shape);
    line(g, "v%d = topk(v%d, %d)", r.name, a.name, *size);
    return;
  }
  Value r = value_new(g, a.type, a.shape);
  line(g, "v%d = sort(v%d%s)", r.name, a.name, chance(g, 40) ? ", descending=True" : "");
}

void statement_histogram(Gen *g) {
  Value a = value_tile(g);
  int n = shape_elements(&a.shape), bins = size_near(g, 1 << (1 + pick(g, 8)));
  Value v = value_fit(g, T_I32, (Shape){1, {n}}), m = value_fit(g, T_I1, v.shape);
  Value r = value_new(g, T_I32, (Shape){1, {bins}});
  if (chance(g, 30))
    line(g, "v%d = histogram(v%d & %d, %d, mask=v%d)", r.name, v.name, bins - 1, bins, m.name);
  else
    line(g, "v%d = histogram(v%d & %d, %d)", r.name, v.name, bins - 1, bins);
}

// dot(a, b) + c: c becomes the accumulator. Beside terms of about 1 it is up to 10^6 times as large.
static void dot_onto(Gen *g, ElemType type, Shape shape, const char *dot) {
  static const char *const factors[] = {"1e3", "3e4", "1e5", "1e6"};
  Value addend = value_summand(g, value_fit(g, type, shape), 2), product = value_new(g, type, shape),
        sum = value_new(g, type, shape);
  line(g, "v%d = %s", product.name, dot);
  if (elem_types[type].kind == KIND_FLOAT)
    line(g, "v%d = v%d + clamp(v%d, -4.0, 4.0) * %s", sum.name, product.name, addend.name,
         factors[pick(g, 4)]);
  else
    line(g, "v%d = v%d + v%d", sum.name, addend.name, product.name);
}

// Operands small enough that sums stay in range; accumulated onto another tile at times.
void statement_dot(Gen *g) {
  static const struct {
    ElemType operand, result;
    Class class;
  } kinds[] = {{T_FP16, T_FP32, CLASS_dot}, {T_BF16, T_FP32, CLASS_dot},  {T_FP32, T_FP32, CLASS_dot},
               {T_I8, T_I32, CLASS_int},    {T_FP8E5, T_FP32, CLASS_fp8}, {T_FP64, T_FP64, CLASS_fp64}};
  uint32_t kind = pick(g, sizeof kinds / sizeof *kinds);
  if (!has(g, kinds[kind].class)) kind = 0;
  ElemType type = kinds[kind].operand, result = kinds[kind].result;
  int m = 16 << pick(g, 3), n = 8 << pick(g, 4), k = 16 << pick(g, 3);
  if (type == T_FP8E5 || type == T_I8) k = k < 32 ? 32 : k;
  m = size_near(g, m), n = size_near(g, n), k = size_near(g, k);
  Value a = value_factor(g, value_fit(g, type, (Shape){2, {m, k}}), 2 * k),
        b = value_factor(g, value_fit(g, type, (Shape){2, {k, n}}), 2 * k);
  Shape shape = {2, {m, n}};
  const char *precision =
      type == T_FP32 ? chance(g, 50) ? ", input_precision=\"tf32\"" : ", input_precision=\"ieee\"" : "";
  if (chance(g, 40)) {
    Value acc = value_summand(g, value_fit(g, result, shape), 2), r = value_new(g, result, shape);
    line(g, "v%d = dot(v%d, v%d, v%d%s)", r.name, a.name, b.name, acc.name, precision);
    return;
  }
  Buf dot = {0};
  buf_printf(&dot, "dot(v%d, v%d%s%s)", a.name, b.name, precision,
             result == T_FP64 ? ", out_dtype=fp64" : "");
  if (has(g, CLASS_addends) && chance(g, 50))
    dot_onto(g, result, shape, dot.at);
  else
    line(g, "v%d = %s", value_new(g, result, shape).name, dot.at);
  buf_free(&dot);
}

void statement_map(Gen *g) {
  static const char *const functions[] = {"combine_add", "combine_mul", "combine_max"};
  Value a = value_tile(g);
  a = value_cast(g, a, type_arithmetic(g, a.type));
  Value b = value_fit(g, a.type, a.shape), r = value_new(g, a.type, a.shape);
  line(g, "v%d = map_elementwise(%s, v%d, v%d).to(%s)", r.name, functions[pick(g, 3)], a.name, b.name,
       elem_types[a.type].name);
}

void statement_random(Gen *g) {
  Value like = value_tile(g), at = value_fit(g, T_I32, like.shape);
  bool whole = chance(g, 50);
  Value r = value_new(g, whole ? T_U32 : T_FP32, like.shape);
  line(g, whole ? "v%d = randint(%u, v%d).to(u32)" : "v%d = rand(%u, v%d)", r.name, pick(g, 1000), at.name);
}
