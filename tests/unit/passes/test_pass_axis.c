// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axis analysis against brute force: random expressions are computed for random arguments, and every claim
// about every value is looked up.
#include "tests/unit/unit.h"
#include "ir/build.h"
#include "ir/number.h"
#include "passes/analysis/axis_info.h"
#include "passes/simplify/simplify.h"

enum { N = 64, MAX_VALUES = 256, PARAMS = 5 };

typedef struct Random {
  uint64_t state;
} Random;

static uint64_t next_random(Random *r) {
  r->state += 0x9e3779b97f4a7c15u;
  uint64_t z = r->state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint32_t below(Random *r, uint32_t n) { return (uint32_t)(next_random(r) % n); }

typedef struct World {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  Func *func;
  Builder b;
  Value *values[MAX_VALUES];
  uint32_t count;
} World;

static const Type *tile_of(World *w, const Type *element) {
  return type_tile(&w->ir, element, 1, &(uint32_t){N}, NULL);
}

static void add(World *w, Value *value) {
  if (w->count < MAX_VALUES) w->values[w->count++] = value;
}

static void open_world(World *w) {
  *w = (World){0};
  w->sources.arena = w->diags.arena = &w->arena;
  w->diags.sources = &w->sources;
  ir_context_init(&w->ir, &w->arena, &w->sources, &w->diags);
  Target target = target_default();
  const Type *i32 = type_scalar(&w->ir, ELEM_I32),
             *pointer = type_ptr(&w->ir, type_scalar(&w->ir, ELEM_FP32));
  FuncParam params[PARAMS] = {
      {.name = "n", .type = i32},
      {.name = "m", .type = i32, .facts = {.divisible16 = true}},
      {.name = "one", .type = i32, .facts = {.equal1 = true}},
      {.name = "p", .type = pointer},
      {.name = "q", .type = pointer, .facts = {.divisible16 = true}},
  };
  w->func = func_new(module_new(&w->ir, &target), "f", LOC_NONE, params, PARAMS);
  w->b = builder_at_end(w->func, w->func->body);
}

static void leaves(World *w, Random *r) {
  const Type *i32 = type_scalar(&w->ir, ELEM_I32);
  for (uint32_t i = 0; i < PARAMS; i++) add(w, w->func->body->args[i]);
  add(w, build_program_id(&w->b, OP_PROGRAM_ID, 0));
  for (uint32_t i = 0; i < PARAMS + 1; i++)
    add(w, build_splat(&w->b, w->values[i], tile_of(w, w->values[i]->type)));
  int64_t starts[] = {0, 16, 3, -64, 128};
  int64_t start = starts[below(r, 5)];
  add(w, build_arange(&w->b, 0, N));
  add(w, build_arange(&w->b, start, start + N));
  for (uint32_t i = 0; i < 6; i++) {
    int64_t number = (int64_t)(1u << below(r, 9)) - below(r, 2);
    if (below(r, 8) == 0) number = -number;
    add(w, build_int(&w->b, tile_of(w, i32), number));
  }
}

static bool is_int_tile(const Value *v) { return type_is_tile(v->type) && type_is_int(v->type); }

static Value *pick(World *w, Random *r, bool (*fits)(const Value *)) {
  for (;;) {
    Value *value = w->values[below(r, w->count)];
    if (fits(value)) return value;
  }
}

static bool is_ptr_tile(const Value *v) { return type_is_tile(v->type) && type_is_ptr(v->type); }

static Value *pick_like(World *w, Random *r, const Value *like) {
  for (;;) {
    Value *value = w->values[below(r, w->count)];
    if (value->type == like->type) return value;
  }
}

static void grow(World *w, Random *r) {
  static const OpKind kinds[] = {OP_ADD, OP_ADD, OP_SUB, OP_MUL, OP_MUL, OP_DIV, OP_REM,
                                 OP_AND, OP_OR,  OP_XOR, OP_SHL, OP_SHR, OP_MIN, OP_MAX,
                                 OP_LT,  OP_LE,  OP_GT,  OP_GE,  OP_EQ,  OP_NE};
  static const Elem elems[] = {ELEM_I8, ELEM_I16, ELEM_I32, ELEM_I64, ELEM_U8, ELEM_U32, ELEM_U64};
  uint32_t choice = below(r, 10);
  Value *x = pick(w, r, is_int_tile);
  if (choice == 0) {
    add(w, build_cast(&w->b, x, type_scalar(&w->ir, elems[below(r, 7)])));
  } else if (choice == 1 && !type_is_elem(x->type, ELEM_I1)) {
    Value *p = pick(w, r, is_ptr_tile);
    add(w, build(&w->b, OP_ADDPTR, p->type, p, x, NULL));
  } else if (choice == 2) {
    Value *c = pick(w, r, is_int_tile);
    if (type_is_elem(c->type, ELEM_I1)) add(w, build(&w->b, OP_SELECT, x->type, c, x, pick_like(w, r, x)));
  } else if (!type_is_elem(x->type, ELEM_I1)) {
    add(w, build_binary(&w->b, kinds[below(r, 20)], x, pick_like(w, r, x)));
  } else {
    add(w, build_binary(&w->b, OP_AND, x, pick_like(w, r, x)));
  }
}

typedef struct Concrete {
  int64_t at[N];
  bool undefined[N];
  bool wrapped[N]; // itself, or what it was made of
} Concrete;

static int64_t argument(Random *r, uint32_t param) {
  int64_t any = (int32_t)next_random(r);
  if (below(r, 2)) any = below(r, 1000);
  switch (param) {
  case 0: return any;
  case 1: return (int32_t)((uint32_t)any * 16);
  case 2: return 1;
  case 3: return (int64_t)(next_random(r) & ~(uint64_t)3);
  default: return (int64_t)(next_random(r) & ~(uint64_t)15);
  }
}

static int64_t element(const Op *op, const Concrete *const *in, uint32_t i, bool *undefined) {
  int64_t a = in[0]->at[i], b = op->operand_count > 1 ? in[1]->at[i] : 0, result = 0;
  const Type *to = type_element(op_result(op)->type), *from = type_element(op_operand(op, 0)->type);
  if (op->kind == OP_ADDPTR) return (int64_t)((uint64_t)a + (uint64_t)b * type_element_bytes(to->inner));
  if (op->kind == OP_SELECT) return in[a ? 1 : 2]->at[i];
  if (op->kind == OP_CAST) return to->elem == ELEM_I1 ? a != 0 : (int64_t)number_wrap(to->elem, (uint64_t)a);
  if (!fold_int(op->kind, from->elem, a, b, &result)) *undefined = true;
  if (op->kind == OP_REM && elem_is_signed(from->elem) && a < 0)
    *undefined = true; // axis_info.h leaves it out
  return result;
}

// True if the exact number does not fit the type.
static bool wraps(const Op *op, const Concrete *const *in, uint32_t i) {
  int64_t a = in[0]->at[i], b = op->operand_count > 1 ? in[1]->at[i] : 0, exact = 0;
  const Type *to = type_element(op_result(op)->type), *from = type_element(op_operand(op, 0)->type);
  if (to->kind == TYPE_PTR) return false;
  bool lost = a < 0 && !elem_is_signed(from->elem);
  switch ((int)op->kind) {
  case OP_ADD: lost |= __builtin_add_overflow(a, b, &exact); break;
  case OP_MUL: lost |= __builtin_mul_overflow(a, b, &exact); break;
  case OP_SHL: lost |= b < 0 || b > 31 || __builtin_mul_overflow(a, INT64_C(1) << b, &exact); break;
  case OP_CAST: exact = a; break;
  default: return false;
  }
  return lost || (int64_t)number_wrap(to->elem, (uint64_t)exact) != exact;
}

static Concrete compute(const World *w, const Concrete *all, const Value *value, const int64_t *args,
                        int64_t pid) {
  Concrete c = {{0}, {0}, {0}};
  const Op *op = value->def;
  const Concrete *in[3] = {NULL, NULL, NULL};
  for (uint32_t k = 0; op && k < op->operand_count; k++)
    for (uint32_t v = 0; v < w->count; v++)
      if (!in[k] && w->values[v] == op_operand(op, k)) in[k] = &all[v];
  for (uint32_t i = 0; i < N; i++) {
    for (uint32_t k = 0; op && k < op->operand_count; k++) {
      c.undefined[i] |= in[k]->undefined[i];
      c.wrapped[i] |= in[k]->wrapped[i];
    }
    if (!op)
      c.at[i] = args[value->index];
    else if (op->kind == OP_PROGRAM_ID)
      c.at[i] = pid;
    else if (op->kind == OP_ARANGE)
      c.at[i] = op_int(op, ATTR_START, 0) + i;
    else if (op->kind == OP_CONSTANT)
      c.at[i] = op_int(op, ATTR_VALUE, 0);
    else if (op->kind == OP_SPLAT)
      c.at[i] = in[0]->at[i];
    else {
      c.at[i] = element(op, in, i, &c.undefined[i]);
      c.wrapped[i] |= wraps(op, in, i);
      // axis_info.h leaves this out: natural numbers that wrapped.
      c.undefined[i] |= op->kind == OP_DIV && in[0]->wrapped[i] && in[0]->at[i] < 0;
    }
  }
  return c;
}

static int64_t plus(const Value *value, int64_t first, uint32_t steps) {
  const Type *e = type_element(value->type);
  if (e->kind == TYPE_PTR) return (int64_t)((uint64_t)first + (uint64_t)steps * type_element_bytes(e->inner));
  return (int64_t)number_wrap(e->elem, (uint64_t)first + steps);
}

// Names the op whose claim is wrong before the assertion fails.
static void expect(bool right, const Value *value, const AxisInfo *info, uint32_t i, int64_t got) {
  if (right) return;
  print_error("%s: element %u is %lld; contiguity %llu, divisibility %llu, constancy %llu\n",
              value->def ? op_info(value->def->kind)->name : "argument", i, (long long)got,
              (unsigned long long)info->contiguity[0], (unsigned long long)info->divisibility[0],
              (unsigned long long)info->constancy[0]);
  fail();
}

static void check_period(const AxisTable *table, const Value *value, const Concrete *c) {
  uint64_t period = axis_period(table, value, 0);
  for (uint32_t i = 0; i < N; i++) {
    uint32_t before = (uint32_t)(i % period);
    if (c->undefined[i] || c->undefined[before] || c->at[i] == c->at[before]) continue;
    print_error("period %llu, but element %u is %lld\n", (unsigned long long)period, i, (long long)c->at[i]);
    fail();
  }
}

static void check_claims(const AxisInfo *info, const Value *value, const Concrete *c) {
  for (uint32_t i = 0; i < N; i++) {
    uint32_t run = (uint32_t)(i / info->contiguity[0] * info->contiguity[0]);
    uint32_t same = (uint32_t)(i / info->constancy[0] * info->constancy[0]);
    if (c->undefined[i]) continue;
    if (!c->undefined[run]) expect(c->at[i] == plus(value, c->at[run], i - run), value, info, i, c->at[i]);
    if (!c->undefined[same]) expect(c->at[i] == c->at[same], value, info, i, c->at[i]);
    if (run == i) expect(((uint64_t)c->at[i] & (info->divisibility[0] - 1)) == 0, value, info, i, c->at[i]);
    if (info->known) expect(c->at[i] == info->constant, value, info, i, c->at[i]);
    if (info->nonnegative && elem_is_signed(type_element(value->type)->elem))
      expect(c->at[i] >= 0, value, info, i, c->at[i]);
    if (info->nonnegative && is_int_tile(value) && !type_is_elem(value->type, ELEM_I1))
      expect((uint64_t)c->at[i] <= info->most, value, info, i, c->at[i]);
    if (info->natural && !c->wrapped[i] && elem_is_signed(type_element(value->type)->elem))
      expect(c->at[i] >= 0, value, info, i, c->at[i]);
  }
}

TEST(test_random_expressions) {
  Random r = {20};
  uint64_t contiguous = 0, constant = 0, divisible = 0, periodic = 0;
  for (uint32_t round = 0; round < 400; round++) {
    World w;
    open_world(&w);
    leaves(&w, &r);
    for (uint32_t i = 0; i < 80; i++) grow(&w, &r);
    const AxisTable *table = axis_analyse(&w.arena, w.func);
    Concrete *all = ARENA_ARRAY(&w.arena, Concrete, w.count);
    for (uint32_t trial = 0; trial < 3; trial++) {
      int64_t args[PARAMS], pid = trial == 0 ? 0 : (int64_t)(next_random(&r) & 0x7fffffff);
      for (uint32_t p = 0; p < PARAMS; p++) args[p] = argument(&r, p);
      for (uint32_t v = 0; v < w.count; v++) {
        const AxisInfo *info = axis_info(table, w.values[v]);
        all[v] = compute(&w, all, w.values[v], args, pid);
        if (type_is_tile(w.values[v]->type)) check_claims(info, w.values[v], &all[v]);
        if (type_is_tile(w.values[v]->type)) check_period(table, w.values[v], &all[v]);
        if (trial || !w.values[v]->def || !op_has(w.values[v]->def, ELEMENTWISE)) continue;
        contiguous += info->contiguity[0] > 1;
        constant += info->constancy[0] > 1 && info->constancy[0] < N;
        divisible += info->divisibility[0] > 1 && !info->known;
        uint64_t period = axis_period(table, w.values[v], 0);
        periodic += period > 1 && period < N;
      }
    }
    arena_free(&w.arena);
  }
  // The claims are not empty.
  assert_true(contiguous > 1000);
  assert_true(constant > 100);
  assert_true(divisible > 1000);
  assert_true(periodic > 100);
}

// offs = pid * 64 + arange; x + offs; offs < m: what coalesce lives on.
TEST(test_usual_kernel) {
  World w;
  open_world(&w);
  const Type *i32 = type_scalar(&w.ir, ELEM_I32), *tile = tile_of(&w, i32);
  Value *pid = build_program_id(&w.b, OP_PROGRAM_ID, 0), *block = build_int(&w.b, i32, N);
  Value *base = build_splat(&w.b, build_binary(&w.b, OP_MUL, pid, block), tile);
  Value *offs = build_binary(&w.b, OP_ADD, base, build_arange(&w.b, 0, N));
  Value *args[PARAMS];
  for (uint32_t i = 0; i < PARAMS; i++)
    args[i] = build_splat(&w.b, w.func->body->args[i], tile_of(&w, w.func->body->args[i]->type));
  Value *aligned = build(&w.b, OP_ADDPTR, args[4]->type, args[4], offs, NULL);
  Value *natural = build(&w.b, OP_ADDPTR, args[3]->type, args[3], offs, NULL);
  Value *mask_m = build_binary(&w.b, OP_LT, offs, args[1]),
        *mask_n = build_binary(&w.b, OP_LT, offs, args[0]);
  Value *wide = build_cast(&w.b, offs, type_scalar(&w.ir, ELEM_I64)), *cut = build_cast(&w.b, wide, i32);
  const AxisTable *table = axis_analyse(&w.arena, w.func);
  assert_int_equal(axis_info(table, offs)->contiguity[0], N);
  assert_int_equal(axis_info(table, offs)->divisibility[0], N);
  assert_int_equal(axis_info(table, aligned)->contiguity[0], N);
  assert_int_equal(axis_info(table, aligned)->divisibility[0], 16);
  assert_int_equal(axis_info(table, natural)->divisibility[0], 4);
  assert_int_equal(axis_info(table, mask_m)->constancy[0], 16);
  assert_int_equal(axis_info(table, mask_n)->constancy[0], 1);
  assert_true(axis_info(table, wide)->natural && !axis_info(table, cut)->natural);
  arena_free(&w.arena);
}

// Remainders of what counts upwards repeat wherever it begins; of what does so in runs where all of them begin alike.
TEST(test_periods) {
  World w;
  open_world(&w);
  const Type *tile = tile_of(&w, type_scalar(&w.ir, ELEM_I32));
  Value *four = build_int(&w.b, tile, 4), *sixteen = build_int(&w.b, tile, 16);
  Value *line = build_arange(&w.b, 0, N), *n = build_splat(&w.b, w.func->body->args[0], tile);
  Value *from_n = build_binary(&w.b, OP_ADD, line, n);
  Value *row = build_binary(&w.b, OP_SHR, line, four), *column = build_binary(&w.b, OP_REM, line, sixteen);
  Value *apart = build_binary(&w.b, OP_MUL, row, build_int(&w.b, tile, 20));
  Value *aligned = build_binary(&w.b, OP_MUL, row, build_int(&w.b, tile, 48));
  Value *in_runs = build_binary(&w.b, OP_ADD, apart, column);
  Value *in_aligned = build_binary(&w.b, OP_ADD, aligned, column);
  Value *of_n = build_binary(&w.b, OP_REM, from_n, sixteen),
        *of_runs = build_binary(&w.b, OP_REM, in_runs, sixteen);
  Value *of_aligned = build_binary(&w.b, OP_AND, in_aligned, build_int(&w.b, tile, 15));
  Value *sum = build_binary(&w.b, OP_ADD, column, line), *scaled = build_binary(&w.b, OP_MUL, column, n);
  const AxisTable *table = axis_analyse(&w.arena, w.func);
  assert_int_equal(axis_period(table, of_n, 0), 16);
  assert_int_equal(axis_period(table, of_runs, 0), N);
  assert_int_equal(axis_period(table, of_aligned, 0), 16);
  assert_int_equal(axis_period(table, sum, 0), N);
  assert_int_equal(axis_period(table, scaled, 0), 16);
  assert_int_equal(axis_period(table, n, 0), 1);
  arena_free(&w.arena);
}

// for i: p += 32 elements: stays contiguous and divisible; p += n elements:
// keeps contiguity, loses divisibility.
TEST(test_loop) {
  World w;
  open_world(&w);
  const Type *i32 = type_scalar(&w.ir, ELEM_I32), *tile = tile_of(&w, i32);
  Value *range = build_arange(&w.b, 0, N), *n = w.func->body->args[0];
  Value *zero = build_int(&w.b, i32, 0), *one = build_int(&w.b, i32, 1);
  Value *inits[2] = {range, range};
  Op *loop = build_for(&w.b, zero, n, one, 2, inits);
  Region *body = loop->regions[0];
  Builder in = builder_at_end(w.func, body);
  Value *next[2] = {build_binary(&in, OP_ADD, body->args[1], build_int(&in, tile, 32)),
                    build_binary(&in, OP_ADD, body->args[2], build_splat(&in, n, tile))};
  build_op(&in, OP_YIELD, 2, next, 0, NULL);
  const AxisTable *table = axis_analyse(&w.arena, w.func);
  assert_int_equal(axis_info(table, &loop->results[0])->contiguity[0], N);
  assert_int_equal(axis_info(table, &loop->results[0])->divisibility[0], 32);
  assert_int_equal(axis_info(table, &loop->results[1])->contiguity[0], N);
  assert_int_equal(axis_info(table, &loop->results[1])->divisibility[0], 1);
  assert_true(axis_info(table, body->args[0])->nonnegative);
  arena_free(&w.arena);
}

WHOLE_SUITE(pass_axis)
