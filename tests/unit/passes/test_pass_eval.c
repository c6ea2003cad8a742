// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eval(pass(x)) == eval(x), to the bit: random kernels of integer and floating-point tiles, loops and
// branches, run by the reference evaluator as they are and after passes.
#include "tests/unit/unit.h"
#include "ir/build.h"
#include "eval/eval.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "passes/passes.h"

enum { N = 64, MAX_VALUES = 160, STORES = 24, PROGRAMS = 2, BYTES = STORES * PROGRAMS * N * 8 };

static const uint64_t INTS = 0x10000, FLOATS = 0x4000000;

typedef struct World {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  IrModule *module;
  Func *func;
  Builder b;
  uint64_t random;
  Value *values[MAX_VALUES];
  uint32_t count;
} World;

static uint32_t below(World *w, uint32_t n) {
  w->random = w->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(w->random >> 33) % n;
}

static const Type *scalar(World *w, Elem elem) { return type_scalar(&w->ir, elem); }
static const Type *tile_of(World *w, const Type *element) {
  return type_tile(&w->ir, element, 1, &(uint32_t){N}, NULL);
}

static void add(World *w, Value *value) {
  if (w->count < MAX_VALUES) w->values[w->count++] = value;
}

static void open_world(World *w, uint64_t seed) {
  *w = (World){.random = seed};
  w->sources.arena = w->diags.arena = &w->arena;
  w->diags.sources = &w->sources;
  ir_context_init(&w->ir, &w->arena, &w->sources, &w->diags);
  Target target = target_default();
  FuncParam params[] = {
      {.name = "ints", .type = type_ptr(&w->ir, scalar(w, ELEM_I64)), .facts = {.divisible16 = true}},
      {.name = "floats", .type = type_ptr(&w->ir, scalar(w, ELEM_FP32)), .facts = {.divisible16 = true}},
      {.name = "n", .type = scalar(w, ELEM_I32)},
      {.name = "m", .type = scalar(w, ELEM_I32), .facts = {.divisible16 = true}},
  };
  w->module = module_new(&w->ir, &target);
  w->func = func_new(w->module, "f", LOC_NONE, params, 4);
  w->b = builder_at_end(w->func, w->func->body);
}

static Value *global_offsets(World *w) {
  const Type *i32 = scalar(w, ELEM_I32);
  Value *base =
      build_binary(&w->b, OP_MUL, build_program_id(&w->b, OP_PROGRAM_ID, 0), build_int(&w->b, i32, N));
  return build_binary(&w->b, OP_ADD, build_splat(&w->b, base, tile_of(w, i32)), build_arange(&w->b, 0, N));
}

static void leaves(World *w) {
  const Type *i32 = tile_of(w, scalar(w, ELEM_I32)), *fp32 = tile_of(w, scalar(w, ELEM_FP32));
  add(w, global_offsets(w));
  add(w, build_splat(&w->b, w->func->body->args[2], i32));
  add(w, build_splat(&w->b, w->func->body->args[3], i32));
  for (uint32_t i = 0; i < 5; i++) add(w, build_int(&w->b, i32, (int64_t)below(w, 5) - 2));
  static const double numbers[] = {0, 1, -0.0, 2.5};
  for (uint32_t i = 0; i < 4; i++) add(w, build_float(&w->b, fp32, numbers[i]));
  add(w, build_cast(&w->b, w->values[0], scalar(w, ELEM_FP32)));
}

static Value *pick(World *w) { return w->values[below(w, w->count)]; }

static Value *pick_like(World *w, const Value *like) {
  for (;;) {
    Value *value = pick(w);
    if (value->type == like->type) return value;
  }
}

static void grow_ints(World *w, Builder *b, Value *x) {
  static const OpKind kinds[] = {OP_ADD, OP_SUB, OP_MUL, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_MIN,
                                 OP_MAX, OP_DIV, OP_REM, OP_LT,  OP_LE, OP_GT,  OP_GE,  OP_EQ,  OP_NE};
  OpKind kind = kinds[below(w, 18)];
  Value *y = pick_like(w, x);
  if (type_is_elem(x->type, ELEM_I1))
    kind = below(w, 2) ? OP_AND : OP_OR;
  else if (kind == OP_DIV || kind == OP_REM)
    y = build_binary(b, OP_OR, y, build_int(b, y->type, 1));
  add(w, build_binary(b, kind, x, y));
}

static void grow(World *w, Builder *b) {
  static const Elem elems[] = {ELEM_I8,  ELEM_I16, ELEM_I32,  ELEM_I64,  ELEM_U8,  ELEM_U16,
                               ELEM_U32, ELEM_U64, ELEM_FP16, ELEM_BF16, ELEM_FP32};
  static const OpKind floats[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MIN, OP_MAX, OP_LT, OP_EQ};
  Value *x = pick(w);
  uint32_t choice = below(w, 8);
  if (choice == 0) {
    Elem to = elems[below(w, type_is_float(x->type) ? 3 : 11)];
    if (!type_is_float(x->type) || !elem_is_int(to))
      add(w, build_cast(b, x, scalar(w, to)));
    else
      add(w, build_cast(b, x, scalar(w, below(w, 2) ? ELEM_FP32 : ELEM_FP16)));
  } else if (choice == 1) {
    Value *c = pick(w);
    if (type_is_elem(c->type, ELEM_I1)) add(w, build(b, OP_SELECT, x->type, c, x, pick_like(w, x)));
  } else if (choice == 2 && !type_is_elem(x->type, ELEM_I1)) {
    add(w, build(b, OP_NEG, x->type, x, NULL, NULL));
  } else if (type_is_float(x->type)) {
    add(w, build_binary(b, floats[below(w, 8)], x, pick_like(w, x)));
  } else {
    grow_ints(w, b, x);
  }
}

// for i in [0, trips): two carried values go through a few ops; what the body made is not visible afterwards.
static void grow_loop(World *w) {
  Value *n = w->func->body->args[2], *zero = build_int(&w->b, n->type, 0),
        *one = build_int(&w->b, n->type, 1);
  Value *trips = below(w, 2) ? build_int(&w->b, n->type, below(w, 3))
                             : build_binary(&w->b, OP_AND, n, build_int(&w->b, n->type, 3));
  Value *inits[2] = {pick(w), pick(w)};
  Op *loop = build_for(&w->b, zero, trips, one, 2, inits);
  uint32_t mark = w->count;
  Builder in = builder_at_end(w->func, loop->regions[0]);
  add(w, loop->regions[0]->args[1]);
  add(w, loop->regions[0]->args[2]);
  for (uint32_t i = 0; i < 6; i++) grow(w, &in);
  Value *next[2] = {pick_like(w, inits[0]), pick_like(w, inits[1])};
  build_op(&in, OP_YIELD, 2, next, 0, NULL);
  w->count = mark;
  add(w, &loop->results[0]);
  add(w, &loop->results[1]);
}

static void grow_if(World *w) {
  Value *n = w->func->body->args[2], *x = pick(w);
  Value *bound = build_int(&w->b, n->type, below(w, 50));
  Value *condition =
      below(w, 2) ? build_binary(&w->b, OP_LT, n, bound) : build_binary(&w->b, OP_LE, bound, bound);
  Op *branch = build_if(&w->b, condition, 1, &x->type);
  for (uint32_t r = 0; r < 2; r++) {
    uint32_t mark = w->count;
    Builder in = builder_at_end(w->func, branch->regions[r]);
    for (uint32_t i = 0; i < 4; i++) grow(w, &in);
    Value *value = pick_like(w, x);
    build_op(&in, OP_YIELD, 1, &value, 0, NULL);
    w->count = mark;
  }
  add(w, &branch->results[0]);
}

// Store k writes a random value at elements (2 k + program) N ...
static void store_some(World *w) {
  const Type *i32 = tile_of(w, scalar(w, ELEM_I32));
  Value *offsets = w->values[0];
  for (uint32_t k = 0; k < STORES; k++) {
    Value *x = pick(w);
    bool is_float = type_is_float(x->type);
    Value *base = w->func->body->args[is_float ? 1 : 0];
    Value *at = build_binary(&w->b, OP_ADD, offsets, build_int(&w->b, i32, 2 * k * N));
    Value *pointers = build_splat(&w->b, base, tile_of(w, base->type));
    pointers = build(&w->b, OP_ADDPTR, pointers->type, pointers, at, NULL);
    build_store(&w->b, pointers, build_cast(&w->b, x, base->type->inner), NULL);
  }
  build_op(&w->b, OP_RETURN, 0, NULL, 0, NULL);
}

static void make_kernel(World *w, uint64_t seed) {
  open_world(w, seed);
  leaves(w);
  for (uint32_t i = 0; i < 60; i++) {
    uint32_t choice = below(w, 20);
    if (choice == 0)
      grow_loop(w);
    else if (choice == 1)
      grow_if(w);
    else
      grow(w, &w->b);
  }
  store_some(w);
}

static void print_module(World *w) {
  Buf text = {0};
  diags_print_text(&w->diags, true, &text);
  PrintOptions options = {.no_locs = true};
  module_print(w->module, &options, &text);
  fwrite(text.at, 1, text.n, stderr);
  buf_free(&text);
}

static void fail_with(World *w, const char *what) {
  print_module(w);
  fail_msg("%s failed", what);
}

static void run(World *w, uint8_t *ints, uint8_t *floats) {
  uint8_t *start = arena_alloc(&w->arena, BYTES);
  EvalMemory *memory = eval_memory_new(&w->arena);
  eval_memory_add(memory, INTS, start, BYTES, true);
  eval_memory_add(memory, FLOATS, start, BYTES, true);
  EvalArg args[4] = {{INTS}, {FLOATS}, {37}, {48}};
  EvalOptions options = {0};
  if (!eval_launch(w->func, (uint32_t[3]){PROGRAMS, 1, 1}, args, memory, &options))
    fail_with(w, "evaluating");
  memcpy(ints, eval_memory_bytes(memory, INTS), BYTES);
  memcpy(floats, eval_memory_bytes(memory, FLOATS), BYTES);
}

// NaN equals NaN: which bits it has is not the language's.
static bool same_float(const uint8_t *a, const uint8_t *b) {
  float x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return memcmp(a, b, sizeof x) == 0 || (x != x && y != y);
}

// The first store whose bytes differ; STORES where none does.
static uint32_t first_difference(const uint8_t *a, const uint8_t *b, uint32_t size) {
  for (uint32_t i = 0; i < STORES * PROGRAMS * N; i++) {
    const uint8_t *x = a + (size_t)i * size, *y = b + (size_t)i * size;
    if (size == 4 ? !same_float(x, y) : memcmp(x, y, size) != 0) return i / (PROGRAMS * N);
  }
  return STORES;
}

static void check_seed(uint64_t seed, const char *const *only, uint32_t only_count) {
  World before, after;
  Arena results = {0};
  uint8_t *ints[2], *floats[2];
  for (int i = 0; i < 2; i++)
    ints[i] = arena_alloc(&results, BYTES), floats[i] = arena_alloc(&results, BYTES);
  make_kernel(&before, seed);
  make_kernel(&after, seed);
  if (!module_verify(before.module, &before.diags)) fail_with(&before, "the kernel");
  run(&before, ints[0], floats[0]);
  PassRunOptions options = {.only = only, .only_count = only_count, .verify_each = true};
  if (!passes_run(after.module, &after.diags, &options)) fail_with(&after, "passes");
  run(&after, ints[1], floats[1]);
  uint32_t in_ints = first_difference(ints[0], ints[1], 8),
           in_floats = first_difference(floats[0], floats[1], 4);
  if (in_ints < STORES || in_floats < STORES) {
    print_module(&before);
    print_module(&after);
    fail_msg("seed %u: integers differ from store %u, floats from %u", (unsigned)seed, in_ints, in_floats);
  }
  arena_free(&results);
  arena_free(&before.arena);
  arena_free(&after.arena);
}

TEST(test_simplify) {
  const char *const only[] = {"simplify"};
  for (uint64_t seed = 1; seed <= 150; seed++) check_seed(seed, only, 1);
}

TEST(test_pipeline) {
  for (uint64_t seed = 1001; seed <= 1100; seed++) check_seed(seed, NULL, 0);
}

WHOLE_SUITE(pass_eval)
