// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers, types, shapes, and values that fit them.
#include "tests/fuzz/programs/generate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const ElemTypeInfo elem_types[T_COUNT] = {
    [T_I1] = {"i1", 1, KIND_BOOL},       [T_I8] = {"i8", 1, KIND_SIGNED},
    [T_I16] = {"i16", 2, KIND_SIGNED},   [T_I32] = {"i32", 4, KIND_SIGNED},
    [T_I64] = {"i64", 8, KIND_SIGNED},   [T_U8] = {"u8", 1, KIND_UNSIGNED},
    [T_U16] = {"u16", 2, KIND_UNSIGNED}, [T_U32] = {"u32", 4, KIND_UNSIGNED},
    [T_U64] = {"u64", 8, KIND_UNSIGNED}, [T_FP8E4NV] = {"fp8e4nv", 1, KIND_FP8},
    [T_FP8E5] = {"fp8e5", 1, KIND_FP8},  [T_FP16] = {"fp16", 2, KIND_FLOAT},
    [T_BF16] = {"bf16", 2, KIND_FLOAT},  [T_FP32] = {"fp32", 4, KIND_FLOAT},
    [T_FP64] = {"fp64", 8, KIND_FLOAT},
};

uint32_t pick(Gen *g, uint32_t n) {
  g->state += UINT64_C(0x9e3779b97f4a7c15); // splitmix64 (Steele, Lea, Flood, 2014)
  uint64_t z = g->state;
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((z ^ z >> 31) >> 32) % n;
}

bool chance(Gen *g, uint32_t percent) { return pick(g, 100) < percent; }

bool has(const Gen *g, Class class) { return g->classes >> class & 1; }

void line(Gen *g, const char *format, ...) {
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  buf_spaces(&g->body, 4 * g->indent);
  buf_printf(&g->body, "%s\n", text);
}

// ---- shapes and types ----

int shape_elements(const Shape *shape) {
  int n = 1;
  for (int d = 0; d < shape->rank; d++) n *= shape->size[d];
  return n;
}

bool shape_same(const Shape *a, const Shape *b) {
  bool same = a->rank == b->rank;
  for (int d = 0; same && d < a->rank; d++) same = a->size[d] == b->size[d];
  return same;
}

bool shape_broadcasts(const Shape *from, const Shape *to) {
  if (from->rank > to->rank) return false;
  for (int d = 0; d < from->rank; d++) {
    int size = from->size[from->rank - 1 - d];
    if (size != 1 && size != to->size[to->rank - 1 - d]) return false;
  }
  return true;
}

int size_near(Gen *g, int power) {
  return g->any_size && power > 1 && chance(g, 70) ? power - (int)pick(g, (uint32_t)power / 2) : power;
}

Shape shape_random(Gen *g) {
  static const int ranks[] = {1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5};
  Shape shape = {.rank = has(g, CLASS_ranks) ? ranks[pick(g, sizeof ranks / sizeof *ranks)] : 1};
  for (int d = 0; d < shape.rank; d++) shape.size[d] = 1;
  int doublings = chance(g, 30) ? 9 + (int)pick(g, 4) : 2 + (int)pick(g, 8);
  for (int i = 0; i < doublings; i++) shape.size[pick(g, (uint32_t)shape.rank)] *= 2;
  for (int d = 0; d < shape.rank; d++) shape.size[d] = size_near(g, shape.size[d]);
  return shape;
}

void shape_text(const Shape *shape, Buf *out) {
  buf_char(out, '[');
  for (int d = 0; d < shape->rank; d++) buf_printf(out, "%s%d", d ? ", " : "", shape->size[d]);
  buf_char(out, ']');
}

static bool allowed(const Gen *g, ElemType type) {
  if (type == T_FP64) return has(g, CLASS_fp64);
  if (elem_types[type].kind == KIND_FP8) return has(g, CLASS_fp8);
  bool whole = elem_types[type].kind == KIND_SIGNED || elem_types[type].kind == KIND_UNSIGNED;
  return !whole || type == T_I32 || has(g, CLASS_int);
}

ElemType type_random(Gen *g) {
  for (;;) {
    ElemType type = chance(g, 30) ? T_FP32 : chance(g, 20) ? T_I32 : (ElemType)pick(g, T_COUNT);
    if (allowed(g, type)) return type;
  }
}

ElemType type_arithmetic(Gen *g, ElemType near) {
  if (elem_types[near].kind == KIND_FP8) return chance(g, 50) ? T_FP32 : T_FP16;
  return near == T_I1 ? T_I32 : near;
}

// ---- values ----

Value value_new(Gen *g, ElemType type, Shape shape) {
  Value v = {.name = g->next++, .type = type, .shape = shape};
  if (g->value_count < MAX_VALUES) g->values[g->value_count++] = v;
  return v;
}

static Value use(Gen *g, int index) {
  g->values[index].used = true;
  return g->values[index];
}

Value value_any(Gen *g) {
  int near = g->value_count > 6 && chance(g, 60) ? g->value_count - 6 : 0; // the latest, rather
  return use(g, near + (int)pick(g, (uint32_t)(g->value_count - near)));
}

Value value_tile(Gen *g) {
  for (int tries = 0; tries < 12; tries++) {
    Value v = value_any(g);
    if (v.shape.rank) return v;
  }
  return load_new(g, type_random(g), g->base);
}

void literal(Gen *g, ElemType type, Buf *out) {
  Kind kind = elem_types[type].kind;
  if (kind == KIND_BOOL)
    buf_text(out, chance(g, 50) ? "True" : "False");
  else if (kind == KIND_FLOAT || kind == KIND_FP8)
    buf_printf(out, "%s%u.%s", chance(g, 40) ? "-" : "", pick(g, 4), chance(g, 50) ? "5" : "25");
  else if (kind == KIND_SIGNED && chance(g, 30))
    buf_printf(out, "-%u", 1 + pick(g, 100));
  else
    buf_printf(out, "%u", pick(g, chance(g, 50) ? 8 : 120));
}

Value value_cast(Gen *g, Value v, ElemType type) {
  if (v.type == type) return v;
  Value r = value_new(g, type, v.shape);
  line(g, "v%d = v%d.to(%s)", r.name, v.name, elem_types[type].name);
  return r;
}

// Floats: finite ones of `limit` or more become 1.
static Value limited(Gen *g, Value v, double limit) {
  Value r = value_new(g, v.type, v.shape);
  line(g, "v%d = where((abs(v%d) >= %.6g) & (abs(v%d) < float(\"inf\")), 1.0, v%d).to(%s)", r.name, v.name,
       limit, v.name, v.name, elem_types[v.type].name);
  return r;
}

static double largest(ElemType type) { return type == T_FP16 ? 6e4 : type == T_FP64 ? 1e308 : 3e38; }

Value value_summand(Gen *g, Value v, int terms) {
  return elem_types[v.type].kind == KIND_FLOAT ? limited(g, v, largest(v.type) / terms) : v;
}

Value value_factor(Gen *g, Value v, int terms) {
  bool ranges_alike = v.type == T_FP32 || v.type == T_BF16 || v.type == T_FP64; // as the sum's
  return ranges_alike ? limited(g, v, sqrt(largest(v.type) / terms)) : v;
}

Value value_number(Gen *g, Value v) {
  if (elem_types[v.type].kind != KIND_FLOAT) return v;
  Value r = value_new(g, v.type, v.shape);
  line(g, "v%d = where(v%d == v%d, v%d, 0.0).to(%s)", r.name, v.name, v.name, v.name,
       elem_types[v.type].name);
  return r;
}

// The value as a tile of another shape: broadcast, permuted or reshaped. False where none of these does it.
static bool reshaped(Gen *g, Value v, Shape shape, Value *result) {
  Buf text = {0};
  bool ok = true;
  if (shape_same(&v.shape, &shape)) {
    *result = v;
    return true;
  }
  shape_text(&shape, &text);
  if (v.shape.rank && shape_broadcasts(&v.shape, &shape)) {
    *result = value_new(g, v.type, shape);
    line(g, "v%d = broadcast_to(v%d, %s)", result->name, v.name, text.at);
  } else if (v.shape.rank && shape.rank && has(g, CLASS_shapes) &&
             shape_elements(&v.shape) == shape_elements(&shape)) {
    *result = value_new(g, v.type, shape);
    line(g, "v%d = reshape(v%d, %s)", result->name, v.name, text.at);
  } else {
    ok = false;
  }
  buf_free(&text);
  return ok;
}

// A tile made of its indices or of a number.
static Value made(Gen *g, ElemType type, Shape shape) {
  Buf text = {0};
  Value v = value_new(g, type, shape);
  if (shape.rank && type != T_I1 && chance(g, 50)) {
    int d = (int)pick(g, (uint32_t)shape.rank);
    buf_printf(&text, "arange(0, %d)", shape.size[d]);
    if (shape.rank > 1) buf_char(&text, '[');
    for (int e = 0; shape.rank > 1 && e < shape.rank; e++)
      buf_printf(&text, "%s%s", e ? ", " : "", e == d ? ":" : "None");
    if (shape.rank > 1) buf_char(&text, ']');
    line(g, "v%d = %s.to(%s)", v.name, text.at, elem_types[type].name);
    buf_reset(&text);
    shape_text(&shape, &text);
    line(g, "v%d = broadcast_to(v%d, %s)", v.name, v.name, text.at);
  } else {
    buf_text(&text, "full(");
    shape_text(&shape, &text);
    buf_text(&text, ", ");
    literal(g, type, &text);
    if (shape.rank)
      line(g, "v%d = %s, %s)", v.name, text.at, elem_types[type].name);
    else {
      buf_reset(&text);
      literal(g, type, &text);
      line(g, "v%d = to_tensor(%s).to(%s)", v.name, text.at, elem_types[type].name);
    }
  }
  buf_free(&text);
  return v;
}

// Several looks at what there is, first for the same type; then it is loaded or made.
Value value_fit(Gen *g, ElemType type, Shape shape) {
  Value fit;
  for (int tries = 0; tries < 16; tries++) {
    int at = (int)pick(g, (uint32_t)g->value_count);
    const Value *v = &g->values[at];
    if (tries < 10 && v->type != type) continue;
    if (shape_elements(&v->shape) > shape_elements(&shape) || !reshaped(g, *v, shape, &fit)) continue;
    g->values[at].used = true;
    return value_cast(g, fit, type);
  }
  return chance(g, 75) ? load_new(g, type, shape) : made(g, type, shape);
}
