// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator: each op on special values, memory and its shadow, control flow,
// errors, and what eval_check accepts.
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "ir/build.h"
#include "ir/eval.h"
#include "ir/number.h"

enum { IN = 0x10000, IN2 = 0x20000, OUT = 0x30000 };

// A kernel with up to four parameters, its memory and what it said.
typedef struct Fixture {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  Func *func;
  Builder b;
  EvalMemory *memory;
  uint32_t line;
} Fixture;

static void begin(Fixture *f, uint32_t params, const Type *(*type)(IrContext *, uint32_t)) {
  *f = (Fixture){0};
  f->sources.arena = f->diags.arena = &f->arena;
  f->diags.sources = &f->sources;
  ir_context_init(&f->ir, &f->arena, &f->sources, &f->diags);
  FuncParam list[4] = {0};
  for (uint32_t i = 0; i < params; i++)
    list[i] = (FuncParam){.name = ir_name(&f->ir, STR("p")), .type = type(&f->ir, i)};
  Target target = {0};
  f->func = func_new(module_new(&f->ir, &target), "kernel", LOC_NONE, list, params);
  f->b = builder_at_end(f->func, f->func->body);
  f->b.loc = (Loc){.line = 1, .col = 1};
  f->memory = eval_memory_new(&f->arena);
}

static void end(Fixture *f) { arena_free(&f->arena); }

static const Type *floats(IrContext *ir, uint32_t i) {
  (void)i;
  return type_ptr(ir, type_scalar(ir, ELEM_FP32));
}

static const Type *scalar_type(Fixture *f, Elem elem) { return type_scalar(&f->ir, elem); }

static const Type *tile_type(Fixture *f, const Type *element, uint32_t n) {
  return type_tile(&f->ir, element, 1, &n, NULL);
}

static Value *arg(Fixture *f, uint32_t i) { return f->func->body->args[i]; }

// base + 0 .. n - 1.
static Value *pointers(Fixture *f, Value *base, uint32_t n) {
  Value *splat = build_splat(&f->b, base, tile_type(f, base->type, n));
  return build(&f->b, OP_ADDPTR, splat->type, splat, build_arange(&f->b, 0, n), NULL);
}

// A pointer constant: any address as any type.
static Value *address(Fixture *f, Elem elem, uint64_t at) {
  Value *bits = build_int(&f->b, scalar_type(f, ELEM_I64), (int64_t)at);
  return build(&f->b, OP_BITCAST, type_ptr(&f->ir, scalar_type(f, elem)), bits, NULL, NULL);
}

static bool launch(Fixture *f, const uint64_t *args) {
  EvalArg list[4] = {{0}};
  for (uint32_t i = 0; i < f->func->param_count; i++) list[i].bits = args[i];
  build_op(&f->b, OP_RETURN, 0, NULL, 0, NULL);
  EvalOptions options = {.max_steps = 100000};
  return eval_launch(f->func, (const uint32_t[3]){1, 1, 1}, list, f->memory, &options);
}

// The element stored at OUT + index.
static uint64_t out_bits(Fixture *f, Elem elem, uint32_t index) {
  return number_load(elem, eval_memory_bytes(f->memory, OUT) + index * elem_bytes(elem));
}

static const char *said(Fixture *f) { return f->diags.list.n ? f->diags.list.at[0]->message : ""; }

static void assert_said(Fixture *f, const char *text) {
  if (!strstr(said(f), text)) fail_msg("\"%s\" does not say \"%s\"", said(f), text);
}

static const char *noted(Fixture *f) {
  return f->diags.list.n && f->diags.list.at[0]->notes.n ? f->diags.list.at[0]->notes.at[0]->message : "";
}

// The bits of `kind` applied to constants of one type, the result stored as `to`.
static uint64_t apply_bits(OpKind kind, Elem elem, uint64_t x, uint64_t y, Elem to, bool unary) {
  Fixture f;
  begin(&f, 0, floats);
  uint8_t operands[16] = {0};
  number_store(elem, x, operands);
  number_store(elem, y, operands + 8);
  eval_memory_add(f.memory, IN, operands, 16, true);
  eval_memory_add(f.memory, OUT, NULL, 8, false);
  Value *a = build_load(&f.b, address(&f, elem, IN), NULL, NULL);
  Value *b = unary ? NULL : build_load(&f.b, address(&f, elem, IN + 8), NULL, NULL);
  build_store(&f.b, address(&f, to, OUT), build(&f.b, kind, scalar_type(&f, to), a, b, NULL), NULL);
  if (!launch(&f, NULL)) fail_msg("%s: %s", op_info(kind)->name, said(&f));
  uint64_t bits = out_bits(&f, to, 0);
  end(&f);
  return bits;
}

static int64_t ints(OpKind kind, Elem elem, int64_t x, int64_t y) {
  return (int64_t)apply_bits(kind, elem, (uint64_t)x, (uint64_t)y, elem, kind == OP_NEG);
}

static double reals(OpKind kind, Elem elem, double x, double y) {
  bool unary = kind == OP_NEG;
  return number_decode(elem,
                       apply_bits(kind, elem, number_encode(elem, x), number_encode(elem, y), elem, unary));
}

static bool compares(OpKind kind, Elem elem, double x, double y) {
  return apply_bits(kind, elem, number_encode(elem, x), number_encode(elem, y), ELEM_I1, false);
}

static void test_integers_wrap(void **unused) {
  (void)unused;
  assert_int_equal(ints(OP_ADD, ELEM_I8, 127, 1), -128);
  assert_int_equal(ints(OP_ADD, ELEM_U8, 255, 2), 1);
  assert_int_equal(ints(OP_SUB, ELEM_I32, INT32_MIN, 1), INT32_MAX);
  assert_int_equal(ints(OP_SUB, ELEM_U16, 0, 1), 65535);
  assert_int_equal(ints(OP_MUL, ELEM_I64, INT64_MAX, 2), -2);
  assert_int_equal(ints(OP_NEG, ELEM_I16, INT16_MIN, 0), INT16_MIN);
  assert_int_equal(ints(OP_AND, ELEM_I32, -1, 0xf0), 0xf0);
  assert_int_equal(ints(OP_OR, ELEM_I8, -128, 1), -127);
  assert_int_equal(ints(OP_XOR, ELEM_I1, 1, 1), 0);
  assert_int_equal(ints(OP_MIN, ELEM_I8, -1, 1), -1);
  assert_int_equal(ints(OP_MIN, ELEM_U8, 255, 1), 1);
  assert_int_equal(ints(OP_MAX, ELEM_U64, -1, 1), -1);
}

static void test_division_and_shifts(void **unused) {
  (void)unused;
  assert_int_equal(ints(OP_DIV, ELEM_I32, -7, 2), -3);
  assert_int_equal(ints(OP_REM, ELEM_I32, -7, 2), -1);
  assert_int_equal(ints(OP_REM, ELEM_I32, 7, -2), 1);
  assert_int_equal(ints(OP_DIV, ELEM_I32, INT32_MIN, -1), INT32_MIN);
  assert_int_equal(ints(OP_REM, ELEM_I64, INT64_MIN, -1), 0);
  assert_int_equal(ints(OP_DIV, ELEM_I64, INT64_MIN, -1), INT64_MIN);
  assert_int_equal(ints(OP_DIV, ELEM_U8, 254, 3), 84);
  assert_int_equal(ints(OP_SHL, ELEM_I8, 1, 7), -128);
  assert_int_equal(ints(OP_SHL, ELEM_I32, 1, 32), 0);
  assert_int_equal(ints(OP_SHL, ELEM_I32, 1, -1), 0);
  assert_int_equal(ints(OP_SHR, ELEM_I32, -8, 1), -4);
  assert_int_equal(ints(OP_SHR, ELEM_I32, -8, 99), -1);
  assert_int_equal(ints(OP_SHR, ELEM_U32, 0x80000000, 31), 1);
  assert_int_equal(ints(OP_SHR, ELEM_U32, 8, 32), 0);
  assert_int_equal(ints(OP_SHR, ELEM_I64, INT64_MIN, 63), -1);
}

static void test_floats(void **unused) {
  (void)unused;
  assert_true(reals(OP_ADD, ELEM_FP16, 2048, 1) == 2048);
  assert_true(reals(OP_ADD, ELEM_FP16, 65504, 16) == INFINITY);
  assert_true(reals(OP_SUB, ELEM_BF16, 1, 0x1p-10) == 1);
  assert_true(reals(OP_MUL, ELEM_FP32, 0x1p-100, 0x1p-49) == 0x1p-149);
  assert_true(reals(OP_MUL, ELEM_FP8E4NV, 448, 2) == 448);
  assert_true(reals(OP_DIV, ELEM_FP32, 1, 3) == (double)(1.0f / 3.0f));
  assert_true(reals(OP_DIV, ELEM_FP64, 1, 0) == INFINITY);
  assert_true(isnan(reals(OP_DIV, ELEM_FP32, 0, 0)));
  assert_true(reals(OP_REM, ELEM_FP32, -5.5, 2) == -1.5);
  assert_true(isnan(reals(OP_REM, ELEM_FP32, 1, 0)));
  assert_true(signbit(reals(OP_NEG, ELEM_FP16, 0, 0)));
  assert_true(reals(OP_MIN, ELEM_FP32, NAN, 2) == 2 && reals(OP_MAX, ELEM_FP32, 2, NAN) == 2);
  assert_true(isnan(reals(OP_MIN, ELEM_FP32, NAN, NAN)));
  assert_true(reals(OP_MAX, ELEM_FP32, -INFINITY, -3) == -3);
  assert_true(signbit(reals(OP_MIN, ELEM_FP32, 0, -0.0)) && signbit(reals(OP_MIN, ELEM_FP16, -0.0, 0)));
  assert_false(signbit(reals(OP_MAX, ELEM_FP32, 0, -0.0)) || signbit(reals(OP_MAX, ELEM_BF16, -0.0, 0)));
}

static void test_comparisons(void **unused) {
  (void)unused;
  assert_true(compares(OP_NE, ELEM_FP32, NAN, NAN) && !compares(OP_EQ, ELEM_FP32, NAN, NAN));
  assert_false(compares(OP_LT, ELEM_FP32, NAN, 1) || compares(OP_GE, ELEM_FP32, NAN, 1));
  assert_true(compares(OP_EQ, ELEM_FP16, 0, -0.0) && compares(OP_LE, ELEM_FP16, 1, 1));
  assert_true(compares(OP_GT, ELEM_BF16, INFINITY, 1) && compares(OP_LT, ELEM_FP64, -1, 1));
  assert_true(apply_bits(OP_LT, ELEM_I8, (uint64_t)-1, 1, ELEM_I1, false));
  assert_false(apply_bits(OP_LT, ELEM_U8, 255, 1, ELEM_I1, false));
  assert_true(apply_bits(OP_GE, ELEM_U64, UINT64_MAX, 1, ELEM_I1, false));
}

static void test_conversions(void **unused) {
  (void)unused;
  assert_int_equal((int64_t)apply_bits(OP_CAST, ELEM_I8, (uint64_t)-1, 0, ELEM_I64, true), -1);
  assert_int_equal((int64_t)apply_bits(OP_CAST, ELEM_U8, 255, 0, ELEM_I64, true), 255);
  assert_int_equal((int64_t)apply_bits(OP_CAST, ELEM_I32, 0x1ff, 0, ELEM_I8, true), -1);
  assert_int_equal((int64_t)apply_bits(OP_CAST, ELEM_I32, 256, 0, ELEM_I1, true), 1);
  assert_int_equal((int64_t)apply_bits(OP_CAST, ELEM_I1, 1, 0, ELEM_I32, true), 1);
  uint64_t minus_two = number_encode(ELEM_FP32, -2.75), big = number_encode(ELEM_FP32, 1e20);
  assert_int_equal((int64_t)apply_bits(OP_CAST, ELEM_FP32, minus_two, 0, ELEM_I32, true), -2);
  assert_int_equal((int64_t)apply_bits(OP_CAST, ELEM_FP32, minus_two, 0, ELEM_U32, true), 0);
  assert_int_equal((int64_t)apply_bits(OP_CAST, ELEM_FP32, big, 0, ELEM_I32, true), INT32_MAX);
  assert_int_equal(apply_bits(OP_CAST, ELEM_FP32, big, 0, ELEM_FP16, true), 0x7c00);
  assert_int_equal(apply_bits(OP_CAST, ELEM_FP32, big, 0, ELEM_FP8E5, true), 0x7b);
  assert_int_equal(apply_bits(OP_CAST, ELEM_I32, 3, 0, ELEM_BF16, true), 0x4040);
  assert_int_equal(apply_bits(OP_BITCAST, ELEM_FP32, number_encode(ELEM_FP32, 1), 0, ELEM_I32, true),
                   0x3f800000);
  assert_true(number_decode(ELEM_FP16, apply_bits(OP_BITCAST, ELEM_U16, 0x3c00, 0, ELEM_FP16, true)) == 1);
  assert_int_equal((int64_t)apply_bits(OP_BITCAST, ELEM_U8, 0x80, 0, ELEM_I8, true), -128);
}

// out[i] = exp(a[i]) / b[i] + a[i], i < n of 16 under a mask; the pattern of most kernels.
static void build_elementwise(Fixture *f, uint32_t n) {
  Value *i = build_arange(&f->b, 0, 16),
        *bound = build_splat(&f->b, build_int(&f->b, scalar_type(f, ELEM_I32), n), i->type);
  Value *mask = build_binary(&f->b, OP_LT, i, bound);
  Value *a = build_load(&f->b, pointers(f, arg(f, 0), 16), mask, NULL);
  Value *b = build_load(&f->b, pointers(f, arg(f, 1), 16), mask, NULL);
  Value *quotient = build_binary(&f->b, OP_DIV, build_math(&f->b, "exp", a, NULL, NULL), b);
  build_store(&f->b, pointers(f, arg(f, 2), 16), build_binary(&f->b, OP_ADD, quotient, a), mask);
}

static const uint64_t THREE[] = {IN, IN2, OUT};

static void add_inputs(Fixture *f, float a[16], float b[16]) {
  for (int i = 0; i < 16; i++) a[i] = (float)sin(i * 3.7) * 4, b[i] = (float)cos(i * 1.3) + 1.5f;
  eval_memory_add(f->memory, IN, a, 64, true);
  eval_memory_add(f->memory, IN2, b, 64, true);
}

static void test_check_bounds(void **unused) {
  (void)unused;
  Fixture f;
  begin(&f, 3, floats);
  float a[16], b[16], got[16], poison[16];
  memset(poison, 0xa5, sizeof poison);
  memcpy(got, poison, sizeof got);
  add_inputs(&f, a, b);
  eval_memory_add(f.memory, OUT, poison, 64, false);
  build_elementwise(&f, 12);
  assert_true(launch(&f, THREE));
  for (int i = 0; i < 12; i++) got[i] = expf(a[i]) / b[i] + a[i];
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.elements, 16);
  assert_int_equal(check.compared, 16);
  assert_true(check.worst <= 1 && check.uncertain == 0);
  got[5] = nextafterf(got[5], 100);
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  float right = got[7];
  got[7] = right * 1.001f;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.wrong, 1);
  assert_int_equal(check.first_wrong, 7);
  assert_non_null(strstr(check.first_message, "element 7: got "));
  got[7] = NAN;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[7] = INFINITY;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[7] = right;
  got[13] = 0;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.first_wrong, 13);
  assert_non_null(strstr(check.first_message, "no program wrote it"));
  end(&f);
}

// The bound is of use: not so wide that fp16 rounding of fp32 data would pass.
static void test_bounds_are_tight(void **unused) {
  (void)unused;
  Fixture f;
  begin(&f, 3, floats);
  float a[16], b[16], got[16];
  add_inputs(&f, a, b);
  eval_memory_add(f.memory, OUT, NULL, 64, false);
  build_elementwise(&f, 16);
  assert_true(launch(&f, THREE));
  int caught = 0;
  for (int i = 0; i < 16; i++) {
    for (int k = 0; k < 16; k++) got[k] = expf(a[k]) / b[k] + a[k];
    got[i] = (float)number_round(ELEM_FP16, (double)got[i]);
    EvalCheck check;
    caught += !eval_check(f.memory, OUT, got, ELEM_FP32, &check);
  }
  assert_int_equal(caught, 16);
  end(&f);
}

// Copies, once as they are and once through arithmetic.
static void test_moved_and_computed_zero(void **unused) {
  (void)unused;
  for (int computed = 0; computed < 2; computed++) {
    Fixture f;
    begin(&f, 3, floats);
    float in[2] = {-0.0f, NAN}, got[2] = {0.0f, -NAN};
    eval_memory_add(f.memory, IN, in, 8, true);
    eval_memory_add(f.memory, OUT, NULL, 8, false);
    Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 2), NULL, NULL);
    if (computed) x = build_binary(&f.b, OP_ADD, x, x);
    build_store(&f.b, pointers(&f, arg(&f, 2), 2), x, NULL);
    assert_true(launch(&f, THREE));
    EvalCheck check;
    assert_int_equal(eval_check(f.memory, OUT, got, ELEM_FP32, &check), computed);
    assert_int_equal(check.wrong, !computed);
    end(&f);
  }
}

// (a / b) * b > a hangs on rounding where data are real, never where it compares data as they were read.
static void test_uncertain(void **unused) {
  (void)unused;
  for (int exact = 0; exact < 2; exact++) {
    Fixture f;
    begin(&f, 3, floats);
    float a[16], b[16], got[16] = {0};
    add_inputs(&f, a, b);
    eval_memory_add(f.memory, OUT, NULL, 64, false);
    Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 16), NULL, NULL);
    Value *y = build_load(&f.b, pointers(&f, arg(&f, 1), 16), NULL, NULL);
    Value *z = exact ? x : build_binary(&f.b, OP_MUL, build_binary(&f.b, OP_DIV, x, y), y);
    Value *chosen = build(&f.b, OP_SELECT, x->type, build_binary(&f.b, OP_GT, z, x), y, x);
    build_store(&f.b, pointers(&f, arg(&f, 2), 16), chosen, NULL);
    assert_true(launch(&f, THREE));
    memcpy(got, eval_memory_bytes(f.memory, OUT), 64);
    EvalCheck check;
    assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
    assert_int_equal(check.uncertain, exact ? 0 : 15); // 0 / b * b is 0 exactly
    assert_int_equal(check.compared, exact ? 16 : 1);
    end(&f);
  }
}

// x divided by, or its remainder of, what is as large as x or a little larger: no remainder, or all of it; of
// (x + 1) - 1 - x, which is 0 but for rounding, so that it may be 0.
static void test_uncertain_divisor(void **unused) {
  (void)unused;
  static const struct {
    OpKind kind;
    bool near_zero;
    uint32_t least; // uncertain elements; 0 % 0 is NaN
  } cases[] = {{OP_REM, false, 15}, {OP_REM, true, 16}, {OP_DIV, true, 16}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Fixture f;
    begin(&f, 3, floats);
    float a[16], b[16];
    add_inputs(&f, a, b);
    eval_memory_add(f.memory, OUT, NULL, 64, false);
    Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 16), NULL, NULL);
    Value *one = build_float(&f.b, x->type, 1);
    Value *little = build_binary(&f.b, OP_MUL, x, build_float(&f.b, x->type, 0x1p-26));
    Value *back = build_binary(&f.b, OP_SUB, build_binary(&f.b, OP_ADD, x, one), one);
    Value *divisor =
        cases[i].near_zero ? build_binary(&f.b, OP_SUB, back, x) : build_binary(&f.b, OP_ADD, x, little);
    build_store(&f.b, pointers(&f, arg(&f, 2), 16), build_binary(&f.b, cases[i].kind, x, divisor), NULL);
    assert_true(launch(&f, THREE));
    EvalCheck check;
    assert_true(eval_check(f.memory, OUT, eval_memory_bytes(f.memory, OUT), ELEM_FP32, &check));
    assert_true(check.uncertain >= cases[i].least);
    end(&f);
  }
}

// What a program stored, another reads back with its reference and bound; as other types, by its bytes.
static void test_shadow_survives(void **unused) {
  (void)unused;
  Fixture f;
  begin(&f, 3, floats);
  float third = 3, got[2];
  eval_memory_add(f.memory, IN, &third, 4, true);
  eval_memory_add(f.memory, OUT, NULL, 8, false);
  Value *x = build_load(&f.b, address(&f, ELEM_FP32, IN), NULL, NULL);
  Value *one = build_float(&f.b, x->type, 1);
  build_store(&f.b, address(&f, ELEM_FP32, OUT), build_binary(&f.b, OP_DIV, one, x), NULL);
  Value *back = build_load(&f.b, address(&f, ELEM_FP32, OUT), NULL, NULL);
  build_store(&f.b, address(&f, ELEM_FP32, OUT + 4),
              build_binary(&f.b, OP_SUB, build_binary(&f.b, OP_MUL, back, x), one), NULL);
  assert_true(launch(&f, THREE));
  // In float64 the result is 0 or an ulp of double; in fp32 an implementation may be off by some 2^-22.
  got[0] = 1.0f / 3.0f;
  got[1] = 0x1p-24f;
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[1] = 0x1p-18f;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.first_wrong, 1);
  end(&f);
}

static void test_type_punning(void **unused) {
  (void)unused;
  Fixture f;
  begin(&f, 0, floats);
  uint32_t zero[4] = {0};
  eval_memory_add(f.memory, OUT, zero, 16, false);
  Value *value = build_float(&f.b, scalar_type(&f, ELEM_FP32), 1.5);
  build_store(&f.b, address(&f, ELEM_FP32, OUT), value, NULL);
  build_store(&f.b, address(&f, ELEM_U8, OUT), build_int(&f.b, scalar_type(&f, ELEM_U8), 7), NULL);
  build_store(&f.b, address(&f, ELEM_FP32, OUT + 4),
              build_load(&f.b, address(&f, ELEM_FP32, OUT), NULL, NULL), NULL);
  build_store(&f.b, address(&f, ELEM_I32, OUT + 8), build_load(&f.b, address(&f, ELEM_I32, OUT), NULL, NULL),
              NULL);
  assert_true(launch(&f, NULL));
  uint32_t got[4] = {0x3fc00007, 0x3fc00007, 0x3fc00007, 0};
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[0]++; // the byte stored last
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[0] = 0x3fc10007; // a byte left of the float
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[0] = 0x3fc00007, got[2]++; // an integer is compared to the bit
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.first_wrong, 2);
  end(&f);
}

static void test_uninitialised(void **unused) {
  (void)unused;
  Fixture f;
  begin(&f, 3, floats);
  eval_memory_add(f.memory, IN, NULL, 64, false);
  eval_memory_add(f.memory, OUT, NULL, 64, false);
  Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 16), NULL, NULL);
  f.b.loc.line = 7;
  build_store(&f.b, pointers(&f, arg(&f, 2), 16), build_binary(&f.b, OP_ADD, x, x), NULL);
  assert_false(launch(&f, THREE));
  assert_string_equal(said(&f), "the value to store is undefined, in program (0, 0, 0), element 0");
  assert_int_equal(f.diags.list.at[0]->loc.line, 7);
  assert_string_equal(noted(&f), "the load reads memory that was never written");
  end(&f);
}

// A store of what a masked-off load gave, of x // 0, and a branch on it.
static void test_undefined(void **unused) {
  (void)unused;
  for (int kind = 0; kind < 4; kind++) {
    Fixture f;
    begin(&f, 3, floats);
    eval_memory_add(f.memory, OUT, NULL, 64, false);
    const Type *i32 = scalar_type(&f, ELEM_I32);
    Value *zero = build_int(&f.b, i32, 0), *quotient = build_binary(&f.b, OP_DIV, zero, zero);
    Value *off = build_int(&f.b, scalar_type(&f, ELEM_I1), 0);
    Value *chosen = build(&f.b, OP_SELECT, i32, off, quotient, zero);
    build_store(&f.b, address(&f, ELEM_I32, OUT), chosen, NULL); // the side not chosen does no harm
    Value *cleared = build_binary(&f.b, OP_AND, quotient, zero), *ones = build_int(&f.b, i32, -1);
    build_store(&f.b, address(&f, ELEM_I32, OUT), cleared, NULL); // nor does what the other operand decides
    build_store(&f.b, address(&f, ELEM_I32, OUT), build_binary(&f.b, OP_OR, ones, quotient), NULL);
    if (kind == 0)
      build_store(&f.b, address(&f, ELEM_I32, OUT), build_binary(&f.b, OP_MUL, quotient, zero), NULL);
    if (kind == 1)
      build_store(&f.b, address(&f, ELEM_I32, OUT), build_load(&f.b, address(&f, ELEM_I32, 0), off, NULL),
                  NULL);
    if (kind == 2) build_if(&f.b, build_binary(&f.b, OP_EQ, quotient, zero), 0, NULL);
    if (kind == 3)
      build_load(&f.b, build(&f.b, OP_ADDPTR, arg(&f, 0)->type, arg(&f, 0), quotient, NULL), NULL, NULL);
    assert_false(launch(&f, THREE));
    static const char *const WHAT[] = {"the value to store", "the value to store", "the condition",
                                       "the address"};
    assert_said(&f, WHAT[kind]);
    assert_said(&f, "is undefined, in program (0, 0, 0)");
    assert_string_equal(noted(&f), kind == 1 ? "the load is masked off here, and gives no `other` value"
                                             : "an integer is divided by zero here");
    end(&f);
  }
}

static void test_out_of_bounds(void **unused) {
  (void)unused;
  static const struct {
    uint64_t at;
    uint32_t bytes;
    const char *says;
  } CASES[] = {
      {IN + 8, 64,
       "load of 4 bytes at 0x10040 is out of bounds: 0 bytes past the end of the 64-byte buffer at 0x10000, "
       "in program (0, 0, 0), element 14"},
      {IN - 4, 64, "0xfffc is out of bounds: 4 bytes before the start of the 64-byte buffer"},
      {IN, 62, "0x1003c is out of bounds: its last 2 bytes past the end of the 62-byte buffer"},
      {IN + 2, 128, "load of 4 bytes at 0x10002 is misaligned"},
      {IN, 0, "0x10000 is out of bounds: 0 bytes past the end of the 0-byte buffer"},
      {UINT64_MAX - 3, 64, "0xfffffffffffffffc is out of bounds"},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
    Fixture f;
    begin(&f, 3, floats);
    eval_memory_add(f.memory, IN, NULL, CASES[k].bytes, true);
    build_load(&f.b, pointers(&f, arg(&f, 0), 16), NULL, NULL);
    assert_false(launch(&f, (const uint64_t[]){CASES[k].at, 0, 0}));
    assert_said(&f, CASES[k].says);
    end(&f);
  }
}

static void test_buffers_touch(void **unused) {
  (void)unused;
  Arena arena = {0};
  EvalMemory *memory = eval_memory_new(&arena);
  eval_memory_add(memory, 0x2000, "bbbb", 4, true);
  eval_memory_add(memory, 0x1ffc, "aaaa", 4, true);
  eval_memory_add(memory, 0x2004, "cccc", 4, true);
  eval_memory_add(memory, 0x2000, NULL, 0, true);
  assert_memory_equal(eval_memory_bytes(memory, 0x1ffc), "aaaa", 4);
  assert_memory_equal(eval_memory_bytes(memory, 0x2000), "bbbb", 4);
  assert_memory_equal(eval_memory_bytes(memory, 0x2004), "cccc", 4);
  assert_null(eval_memory_bytes(memory, 0x2002));
  arena_free(&arena);
}

// sum over i in range(lower, upper, step) of i, and a pair that each iteration swaps.
static void check_loop(int64_t lower, int64_t upper, int64_t step, Elem elem, int64_t sum, bool swapped) {
  Fixture f;
  begin(&f, 0, floats);
  eval_memory_add(f.memory, OUT, NULL, 24, false);
  const Type *type = scalar_type(&f, elem);
  Value *init[3] = {build_int(&f.b, type, 0), build_int(&f.b, type, 1), build_int(&f.b, type, 2)};
  Op *loop = build_for(&f.b, build_int(&f.b, type, lower), build_int(&f.b, type, upper),
                       build_int(&f.b, type, step), 3, init);
  Builder in = builder_at_end(f.func, loop->regions[0]);
  Value **args = loop->regions[0]->args;
  build_op(&in, OP_YIELD, 3, (Value *[]){build_binary(&in, OP_ADD, args[1], args[0]), args[3], args[2]}, 0,
           NULL);
  for (uint32_t k = 0; k < 3; k++)
    build_store(&f.b, address(&f, elem, OUT + k * elem_bytes(elem)), &loop->results[k], NULL);
  assert_true(launch(&f, NULL));
  assert_int_equal(out_bits(&f, elem, 0), sum);
  assert_int_equal(out_bits(&f, elem, 1), swapped ? 2 : 1);
  assert_int_equal(out_bits(&f, elem, 2), swapped ? 1 : 2);
  end(&f);
}

static void test_loops(void **unused) {
  (void)unused;
  check_loop(0, 10, 3, ELEM_I32, 18, false);
  check_loop(0, 9, 3, ELEM_I32, 9, true);
  check_loop(5, 5, 1, ELEM_I32, 0, false);
  check_loop(6, 5, 1, ELEM_I64, 0, false);
  check_loop(5, 0, -2, ELEM_I32, 9, true);
  check_loop(INT32_MAX - 1, INT32_MAX, 2, ELEM_I32, INT32_MAX - 1, true);
  check_loop(100, 127, 20, ELEM_I8, -36, false);
  check_loop(250, 255, 4, ELEM_U8, 248, false);
}

static void test_loop_errors(void **unused) {
  (void)unused;
  for (int endless = 0; endless < 2; endless++) {
    Fixture f;
    begin(&f, 0, floats);
    const Type *type = scalar_type(&f, ELEM_I64);
    Value *lower = build_int(&f.b, type, 0), *upper = build_int(&f.b, type, INT64_MAX);
    Op *loop = build_for(&f.b, lower, upper, build_int(&f.b, type, endless), 0, NULL);
    Builder in = builder_at_end(f.func, loop->regions[0]);
    build_op(&in, OP_YIELD, 0, NULL, 0, NULL);
    assert_false(launch(&f, NULL));
    assert_said(&f, endless ? "the limit of 100000 steps is reached" : "the loop's step is 0");
    end(&f);
  }
}

static const Type *flag_and_pointer(IrContext *ir, uint32_t i) {
  return i == 0 ? type_scalar(ir, ELEM_I1) : type_ptr(ir, type_scalar(ir, ELEM_I32));
}

static void test_if(void **unused) {
  (void)unused;
  for (uint64_t taken = 0; taken < 2; taken++) {
    Fixture f;
    begin(&f, 2, flag_and_pointer);
    eval_memory_add(f.memory, OUT, NULL, 4, false);
    const Type *type = scalar_type(&f, ELEM_I32);
    Op *branch = build_if(&f.b, arg(&f, 0), 1, &type);
    for (uint32_t k = 0; k < 2; k++) {
      Builder in = builder_at_end(f.func, branch->regions[k]);
      build_op(&in, OP_YIELD, 1, (Value *[]){build_int(&in, type, k ? -5 : 5)}, 0, NULL);
    }
    build_store(&f.b, arg(&f, 1), op_result(branch), NULL);
    assert_true(launch(&f, (const uint64_t[]){taken, OUT}));
    assert_int_equal((int64_t)out_bits(&f, ELEM_I32, 0), taken ? 5 : -5);
    end(&f);
  }
}

static const Type *pointer_and_int(IrContext *ir, uint32_t i) {
  return i == 0 ? type_ptr(ir, type_scalar(ir, ELEM_I32)) : type_scalar(ir, ELEM_I64);
}

// Each program writes what it knows of the grid.
static void test_programs(void **unused) {
  (void)unused;
  Fixture f;
  begin(&f, 2, pointer_and_int);
  eval_memory_add(f.memory, OUT, NULL, 4 * 12, false);
  Value *x = build_program_id(&f.b, OP_PROGRAM_ID, 0), *y = build_program_id(&f.b, OP_PROGRAM_ID, 1);
  Value *width = build_program_id(&f.b, OP_NUM_PROGRAMS, 0);
  Value *at = build_binary(&f.b, OP_ADD, build_binary(&f.b, OP_MUL, y, width), x);
  build_store(&f.b, build(&f.b, OP_ADDPTR, arg(&f, 0)->type, arg(&f, 0), at, NULL), at, NULL);
  build_op(&f.b, OP_RETURN, 0, NULL, 0, NULL);
  EvalArg args[2] = {{OUT}, {0}};
  assert_true(eval_launch(f.func, (const uint32_t[3]){4, 3, 1}, args, f.memory, NULL));
  for (uint32_t i = 0; i < 12; i++) assert_int_equal(out_bits(&f, ELEM_I32, i), i);
  assert_true(eval_launch(f.func, (const uint32_t[3]){4, 0, 1}, args, f.memory, NULL));
  assert_false(eval_launch(f.func, (const uint32_t[3]){5, 3, 1}, args, f.memory, NULL));
  assert_said(&f, "in program (2, 2, 0)");
  end(&f);
}

static void test_grid(void **unused) {
  (void)unused;
  Fixture f;
  begin(&f, 2, pointer_and_int);
  EvalArg args[2] = {{0}, {1000}};
  uint32_t grid[3];
  assert_false(eval_grid(f.func, args, grid));
  assert_said(&f, "no @grid");
  Region *region = func_new_host(f.func, HOST_GRID)->region;
  Builder in = builder_at_end(f.func, region);
  Value *n = region->args[1], *size = build_int(&in, n->type, 128);
  build_op(&in, OP_YIELD, 2, (Value *[]){build_binary(&in, OP_DIV, n, size), n}, 0, NULL);
  assert_true(eval_grid(f.func, args, grid));
  assert_int_equal(grid[0], 7);
  assert_int_equal(grid[1], 1000);
  assert_int_equal(grid[2], 1);
  args[1].bits = (uint64_t)-1000;
  assert_false(eval_grid(f.func, args, grid));
  args[1].bits = 65536;
  assert_false(eval_grid(f.func, args, grid));
  assert_string_equal(f.diags.list.at[1]->message,
                      "the grid's size 0 is negative: -7, in the grid expression");
  assert_string_equal(f.diags.list.at[2]->message,
                      "the grid's size 1 is 65536, the most is 65535, in the grid expression");
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers_wrap),
      cmocka_unit_test(test_division_and_shifts),
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_comparisons),
      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_check_bounds),
      cmocka_unit_test(test_bounds_are_tight),
      cmocka_unit_test(test_moved_and_computed_zero),
      cmocka_unit_test(test_uncertain),
      cmocka_unit_test(test_uncertain_divisor),
      cmocka_unit_test(test_shadow_survives),
      cmocka_unit_test(test_type_punning),
      cmocka_unit_test(test_uninitialised),
      cmocka_unit_test(test_undefined),
      cmocka_unit_test(test_out_of_bounds),
      cmocka_unit_test(test_buffers_touch),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_loop_errors),
      cmocka_unit_test(test_if),
      cmocka_unit_test(test_programs),
      cmocka_unit_test(test_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
