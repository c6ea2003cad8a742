// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis analysis through expand_dims, broadcast, trans and reshape against brute force: random chains are
// computed element by element, and every claim about every dimension is looked up.
#include "tests/unit/unit.h"
#include "ir/build.h"
#include "passes/analysis/axis_info.h"

enum { MAX_ELEMENTS = 4096, CHAIN = 8 };

typedef struct Random {
  uint64_t state;
} Random;

static uint32_t below(Random *r, uint32_t n) {
  r->state += 0x9e3779b97f4a7c15u;
  uint64_t z = (r->state ^ (r->state >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)((z ^ (z >> 31)) % n);
}

// A tile's values in row-major order.
typedef struct Tile {
  Value *value;
  int32_t at[MAX_ELEMENTS];
} Tile;

typedef struct World {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  Func *func;
  Builder b;
  Random r;
} World;

static void open_world(World *w, uint64_t seed) {
  *w = (World){.r = {seed}};
  w->sources.arena = w->diags.arena = &w->arena;
  w->diags.sources = &w->sources;
  ir_context_init(&w->ir, &w->arena, &w->sources, &w->diags);
  Target target = target_default();
  w->func = func_new(module_new(&w->ir, &target), "f", LOC_NONE, NULL, 0);
  w->b = builder_at_end(w->func, w->func->body);
}

// arange(s, s + n) * factor + offset
static void make_range(World *w, Tile *t) {
  static const uint32_t sizes[] = {4, 8, 16};
  uint32_t n = sizes[below(&w->r, 3)], start = below(&w->r, 3) * n,
           factor = below(&w->r, 2) ? 1 : 1 + below(&w->r, 4), offset = below(&w->r, 4) * 8;
  Value *range = build_arange(&w->b, start, start + n);
  Value *scaled = build_binary(&w->b, OP_MUL, range, build_int(&w->b, range->type, factor));
  t->value = build_binary(&w->b, OP_ADD, scaled, build_int(&w->b, range->type, offset));
  for (uint32_t i = 0; i < n; i++) t->at[i] = (int32_t)((start + i) * factor + offset);
}

static void coordinates(const Type *tile, uint32_t index, uint32_t *at) {
  for (uint32_t d = tile->rank; d-- > 0; index /= tile->shape[d]) at[d] = index % tile->shape[d];
}

static uint32_t flatten(const Type *tile, const uint32_t *at) {
  uint32_t index = 0;
  for (uint32_t d = 0; d < tile->rank; d++) index = index * tile->shape[d] + at[d];
  return index;
}

static void expand(World *w, Tile *t) {
  if (t->value->type->rank < 4)
    t->value = build_expand_dims(&w->b, t->value, below(&w->r, t->value->type->rank + 1u));
}

static void broadcast(World *w, Tile *t) {
  const Type *from = t->value->type;
  uint32_t shape[TILE_MAX_RANK], at[TILE_MAX_RANK];
  for (uint32_t d = 0; d < from->rank; d++) {
    uint32_t size = 1u << below(&w->r, 3);
    shape[d] = from->shape[d] == 1 && type_elements(from) * size <= 512 ? size : from->shape[d];
  }
  static int32_t old[MAX_ELEMENTS];
  memcpy(old, t->at, sizeof old);
  t->value = build_broadcast(&w->b, t->value, shape);
  if (type_elements(t->value->type) > MAX_ELEMENTS) fail();
  for (uint32_t i = 0; i < type_elements(t->value->type); i++) {
    coordinates(t->value->type, i, at);
    for (uint32_t d = 0; d < from->rank; d++) at[d] = from->shape[d] == 1 ? 0 : at[d];
    t->at[i] = old[flatten(from, at)];
  }
}

static void transpose(World *w, Tile *t) {
  const Type *from = t->value->type;
  uint32_t order[TILE_MAX_RANK], at[TILE_MAX_RANK], source[TILE_MAX_RANK];
  for (uint32_t d = 0; d < from->rank; d++) {
    uint32_t swap = below(&w->r, d + 1);
    order[d] = d == swap ? d : order[swap];
    order[swap] = d;
  }
  static int32_t old[MAX_ELEMENTS];
  memcpy(old, t->at, sizeof old);
  t->value = build_trans(&w->b, t->value, order);
  for (uint32_t i = 0; i < type_elements(from); i++) {
    coordinates(t->value->type, i, at);
    for (uint32_t d = 0; d < from->rank; d++) source[order[d]] = at[d];
    t->at[i] = old[flatten(from, source)];
  }
}

static void reshape(World *w, Tile *t) {
  uint32_t left = (uint32_t)type_elements(t->value->type), shape[TILE_MAX_RANK], rank = 1 + below(&w->r, 4);
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t size = 1u << below(&w->r, 5);
    shape[d] = d + 1 == rank ? left : size < left ? size : left;
    left /= shape[d];
  }
  t->value = build_reshape(&w->b, t->value, rank, shape);
}

// Adds an arange along one dimension: x + arange(0, n)[None, :, None].
static void add_range(World *w, Tile *t) {
  const Type *type = t->value->type;
  uint32_t d = below(&w->r, type->rank), at[TILE_MAX_RANK], shape[TILE_MAX_RANK] = {1, 1, 1, 1, 1};
  Value *range = build_arange(&w->b, 0, type->shape[d]);
  shape[d] = type->shape[d];
  range = build_broadcast(&w->b, build_reshape(&w->b, range, type->rank, shape), type->shape);
  t->value = build_binary(&w->b, OP_ADD, t->value, range);
  for (uint32_t i = 0; i < type_elements(type); i++) {
    coordinates(type, i, at);
    t->at[i] += (int32_t)at[d];
  }
}

static void check_claims(const AxisInfo *info, const Tile *t) {
  const Type *type = t->value->type;
  uint32_t at[TILE_MAX_RANK], first[TILE_MAX_RANK];
  for (uint32_t i = 0; i < type_elements(type); i++)
    for (uint32_t d = 0; d < type->rank; d++) {
      coordinates(type, i, at);
      memcpy(first, at, sizeof first);
      first[d] = (uint32_t)(at[d] / info->contiguity[d] * info->contiguity[d]);
      int32_t start = t->at[flatten(type, first)];
      assert_int_equal(t->at[i], start + (int32_t)(at[d] - first[d]));
      assert_int_equal((uint64_t)start & (info->divisibility[d] - 1), 0);
      first[d] = (uint32_t)(at[d] / info->constancy[d] * info->constancy[d]);
      assert_int_equal(t->at[i], t->at[flatten(type, first)]);
      if (info->nonnegative) assert_true(t->at[i] >= 0);
    }
}

TEST(test_random_chains) {
  typedef void StepFn(World * w, Tile * t);
  static StepFn *const steps[] = {expand, broadcast, transpose, reshape, add_range};
  static Tile chain[CHAIN];
  uint32_t contiguous = 0, constant = 0, divisible = 0;
  for (uint32_t round = 0; round < 1500; round++) {
    World w;
    open_world(&w, round);
    make_range(&w, &chain[0]);
    for (uint32_t i = 1; i < CHAIN; i++) {
      chain[i] = chain[i - 1];
      steps[below(&w.r, 5)](&w, &chain[i]);
    }
    const AxisTable *table = axis_analyse(&w.arena, w.func);
    for (uint32_t i = 0; i < CHAIN; i++) {
      const AxisInfo *info = axis_info(table, chain[i].value);
      check_claims(info, &chain[i]);
      for (uint32_t d = 0; d < chain[i].value->type->rank && i > 0; d++) {
        contiguous += info->contiguity[d] > 1;
        constant += info->constancy[d] > 1;
        divisible += info->divisibility[d] > 1;
      }
    }
    arena_free(&w.arena);
  }
  assert_true(contiguous > 1000); // the claims are not empty
  assert_true(constant > 2000);
  assert_true(divisible > 5000);
}

// rows[:, None] * 64 + cols[None, :]: what two-dimensional accesses live on.
TEST(test_usual_tile) {
  World w;
  open_world(&w, 0);
  const uint32_t shape[] = {16, 64}, order[] = {1, 0};
  Value *rows = build_expand_dims(&w.b, build_arange(&w.b, 0, 16), 1);
  Value *cols = build_expand_dims(&w.b, build_arange(&w.b, 0, 64), 0);
  Value *starts = build_binary(&w.b, OP_MUL, rows, build_int(&w.b, rows->type, 64));
  Value *offsets =
      build_binary(&w.b, OP_ADD, build_broadcast(&w.b, starts, shape), build_broadcast(&w.b, cols, shape));
  Value *across = build_trans(&w.b, offsets, order);
  const AxisTable *table = axis_analyse(&w.arena, w.func);
  const AxisInfo *info = axis_info(table, offsets);
  assert_int_equal(info->contiguity[1], 64);
  assert_int_equal(info->divisibility[1], 64);
  assert_int_equal(info->contiguity[0], 1);
  assert_int_equal(axis_info(table, across)->contiguity[0], 64);
  arena_free(&w.arena);
}

WHOLE_SUITE(pass_axis_shape)
