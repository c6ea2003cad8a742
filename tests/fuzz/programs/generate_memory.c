// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores with random orders, strides and masks; updates in place; block pointers;
// atomics. Each store has its own buffer, and no two elements of all programs share an address
// there.
#include "tests/fuzz/programs/generate.h"

#include <stdio.h>

int scalar_param(Gen *g, int64_t value) {
  int number = g->next++;
  buf_printf(&g->params, ", n%d: i32", number);
  buf_printf(&g->args, " n%d=%lld", number, (long long)value);
  return number;
}

static int new_buffer(Gen *g, ElemType type, int64_t elements, bool output, uint32_t shift) {
  static const char *const fills[] = {"randn", "rand", "arange"};
  int number = g->next++;
  bool whole = elem_types[type].kind == KIND_SIGNED || elem_types[type].kind == KIND_UNSIGNED;
  const char *fill = whole ? fills[pick(g, 3)] : chance(g, 85) ? "randn" : "rand";
  if (type == T_I1) fill = "rand";
  if (output && chance(g, 70)) fill = "zeros"; // masks leave gaps
  buf_printf(&g->params, ", x%d: *%s", number, elem_types[type].name);
  buf_printf(&g->args, " x%d=%s:%s[%lld]", number, fill, elem_types[type].name,
             (long long)(elements + shift));
  if (shift) buf_printf(&g->args, "+%u", shift * (uint32_t)elem_types[type].bytes);
  return number;
}

// Sometimes the argument points past the buffer's start: aligned only to the element.
int buffer_new(Gen *g, ElemType type, int64_t elements, bool output) {
  return new_buffer(g, type, elements, output, chance(g, 15) ? 1 + pick(g, 3) : 0);
}

int buffer_aligned(Gen *g, ElemType type, int64_t elements, bool output) {
  return new_buffer(g, type, elements, output, 0);
}

// The offsets of a tile: v<offset> of i32 or i64, below `span` within one program's part; `parts` parts.
typedef struct Offsets {
  int offset, index[MAX_RANK]; // names o<offset>; of each dimension's arange, of full rank: a<index>
  int64_t span, parts;
} Offsets;

static void index_text(const Shape *shape, int d, Buf *out) {
  buf_printf(out, "arange(0, %d)", shape->size[d]);
  if (shape->rank == 1) return;
  for (int e = 0; e < shape->rank; e++) buf_printf(out, "%s%s", e ? ", " : "[", e == d ? ":" : "None");
  buf_char(out, ']');
}

// Strides of a random order of the dimensions, with gaps now and then.
static int64_t choose_strides(Gen *g, const Shape *shape, int64_t strides[MAX_RANK]) {
  int order[MAX_RANK];
  for (int d = 0; d < shape->rank; d++) order[d] = shape->rank - 1 - d;
  if (has(g, CLASS_orders) && chance(g, 50))
    for (int d = shape->rank - 1; d > 0; d--) {
      int e = (int)pick(g, (uint32_t)d + 1), swap = order[d];
      order[d] = order[e];
      order[e] = swap;
    }
  int64_t stride = has(g, CLASS_orders) && chance(g, 8) ? 2 + pick(g, 2) : 1;
  for (int i = 0; i < shape->rank; i++) {
    strides[order[i]] = stride;
    stride *= shape->size[order[i]];
    if (has(g, CLASS_orders) && chance(g, 8)) stride += 1 + pick(g, 16);
  }
  return stride;
}

static Offsets offsets_new(Gen *g, const Shape *shape, bool looped) {
  Offsets at = {.offset = g->next++, .parts = g->programs};
  int64_t strides[MAX_RANK];
  Buf sum = {0}, text = {0};
  at.span = choose_strides(g, shape, strides);
  bool wide = chance(g, 15);
  for (int d = 0; d < shape->rank; d++) {
    buf_reset(&text);
    index_text(shape, d, &text);
    at.index[d] = g->next++;
    line(g, "a%d = %s%s", at.index[d], text.at, wide ? ".to(i64)" : "");
    if (chance(g, 4))
      buf_printf(&sum, "%s(%d - a%d) * %lld", d ? " + " : "", shape->size[d] - 1, at.index[d],
                 (long long)strides[d]);
    else
      buf_printf(&sum, "%sa%d * %lld", d ? " + " : "", at.index[d], (long long)strides[d]);
  }
  const char *part = "pid";
  char with_loop[60];
  if (looped && g->loop_name) {
    snprintf(with_loop, sizeof with_loop, "(pid * %d + %s)", g->loop_trips, g->loop_name);
    part = with_loop;
    at.parts *= g->loop_trips;
  }
  line(g, "o%d = %s * %lld%s%s", at.offset, part, (long long)at.span, sum.n ? " + " : "",
       sum.n ? sum.at : "");
  buf_free(&sum);
  buf_free(&text);
  return at;
}

void bound(Gen *g, int64_t value, Buf *text) {
  if (chance(g, 50))
    buf_printf(text, "%lld", (long long)value);
  else
    buf_printf(text, "n%d", scalar_param(g, value));
}

// A bound in every dimension, or in some; from one side or both.
static void mask_dimensions(Gen *g, const Shape *shape, const Offsets *at, Buf *text) {
  for (int d = 0; d < shape->rank; d++) {
    if (text->n && chance(g, 50)) continue;
    uint32_t size = (uint32_t)shape->size[d];
    buf_printf(text, "%s(a%d < ", text->n ? " & " : "", at->index[d]);
    bound(g, chance(g, 20) ? size : chance(g, 15) ? pick(g, size + 1) : size - pick(g, (size + 3) / 4), text);
    buf_char(text, ')');
    if (!chance(g, 20)) continue;
    buf_printf(text, " & (a%d >= ", at->index[d]);
    bound(g, pick(g, (size + 3) / 4), text);
    buf_char(text, ')');
  }
}

// The mask's text, "" for none, and how many elements the buffer needs.
static int64_t choose_mask(Gen *g, const Shape *shape, const Offsets *at, Buf *text) {
  int64_t all = at->span * at->parts;
  uint32_t way = pick(g, 10);
  if (way < 4 || all > 1 << 24) return all;
  if (way < 7) { // nothing beyond the buffer's end
    int64_t n = 1 + (int64_t)pick(g, (uint32_t)all);
    if (chance(g, 65)) n = all - n / 8; // most of it
    buf_printf(text, "o%d < ", at->offset);
    bound(g, n, text);
    return n;
  }
  if (way < 9 && shape->rank) {
    mask_dimensions(g, shape, at, text);
    return all;
  }
  for (int i = g->value_count - 1; i >= 0; i--) { // by what a tile holds
    const Value *v = &g->values[i];
    if (elem_types[v->type].kind != KIND_SIGNED || !shape_broadcasts(&v->shape, shape)) continue;
    buf_printf(text, "((v%d & 3) != %u)", v->name, pick(g, 4));
    if (!shape_same(&v->shape, shape)) {
      buf_printf(text, " | (o%d < 0)", at->offset);
    }
    break;
  }
  return all;
}

static const char *cache_hint(Gen *g, bool store) {
  static const char *const hints[] = {", cache_modifier=\".ca\"", ", cache_modifier=\".cg\"",
                                      ", eviction_policy=\"evict_first\"",
                                      ", eviction_policy=\"evict_last\""};
  return chance(g, 10) ? hints[store ? 1 + pick(g, 3) : pick(g, 4)] : "";
}

Value load_new(Gen *g, ElemType type, Shape shape) {
  Offsets at = offsets_new(g, &shape, true);
  Buf mask = {0}, other = {0};
  int64_t need = choose_mask(g, &shape, &at, &mask);
  int buffer = buffer_new(g, type, need, false);
  Value v = value_new(g, type, shape);
  literal(g, type, &other);
  if (!mask.n)
    line(g, "v%d = load(x%d + o%d%s)", v.name, buffer, at.offset, cache_hint(g, false));
  else if (chance(g, 80) || elem_types[type].kind == KIND_FP8)
    line(g, "v%d = load(x%d + o%d, mask=%s, other=%s%s)", v.name, buffer, at.offset, mask.at, other.at,
         cache_hint(g, false));
  else {
    line(g, "m%d = %s", v.name, mask.at);
    line(g, "v%d = load(x%d + o%d, mask=m%d)", v.name, buffer, at.offset, v.name);
    line(g, "v%d = where(m%d, v%d, %s).to(%s)", v.name, v.name, v.name, other.at, elem_types[type].name);
  }
  buf_free(&mask);
  buf_free(&other);
  return v;
}

void store_value(Gen *g, Value v) {
  Offsets at = offsets_new(g, &v.shape, true);
  Buf mask = {0};
  int64_t need = choose_mask(g, &v.shape, &at, &mask);
  ElemType type = chance(g, 85) || elem_types[v.type].kind == KIND_FP8 ? v.type : type_random(g);
  int buffer = buffer_new(g, type, need, true);
  int stored = v.name;
  if (type != v.type) {
    stored = g->next++;
    line(g, "v%d = v%d.to(%s)", stored, v.name, elem_types[type].name);
  }
  line(g, "store(x%d + o%d, v%d%s%s%s)", buffer, at.offset, stored, mask.n ? ", mask=" : "",
       mask.n ? mask.at : "", cache_hint(g, true));
  g->stores++;
  buf_free(&mask);
}

// Load, change, store to where it came from, load again: one thread an element, so nothing races.
void statement_in_place(Gen *g) {
  Value like = value_tile(g);
  ElemType type = type_arithmetic(g, like.type);
  Offsets at = offsets_new(g, &like.shape, true);
  Buf mask = {0}, number = {0};
  int64_t need = choose_mask(g, &like.shape, &at, &mask);
  int buffer = buffer_new(g, type, need, false);
  literal(g, type, &number);
  int name = g->next++;
  line(g, "m%d = %s%s%s(o%d >= 0)", name, mask.n ? "(" : "", mask.n ? mask.at : "", mask.n ? ") & " : "",
       at.offset);
  Value other = value_fit(g, type, like.shape);
  Value first = value_new(g, type, like.shape), again;
  line(g, "v%d = load(x%d + o%d, mask=m%d, other=%s) - v%d", first.name, buffer, at.offset, name, number.at,
       other.name);
  line(g, "store(x%d + o%d, v%d, mask=m%d)", buffer, at.offset, first.name, name);
  again = value_new(g, type, like.shape);
  line(g, "v%d = load(x%d + o%d, mask=m%d, other=%s)", again.name, buffer, at.offset, name, number.at);
  g->stores++;
  buf_free(&mask);
  buf_free(&number);
}
