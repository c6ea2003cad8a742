// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator: each op on special values, control flow, programs and grids.
#include <math.h>
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_fixture.h"

// The bits of `kind` applied to constants of one type, the result stored as `to`.
static uint64_t apply_bits(OpKind kind, Elem elem, uint64_t x, uint64_t y, Elem to, bool unary) {
  Fixture f;
  fixture_open(&f, 0, floats);
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
  fixture_close(&f);
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

TEST(test_integers_wrap) {
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

TEST(test_division_and_shifts) {
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

TEST(test_floats) {
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

TEST(test_comparisons) {
  assert_true(compares(OP_NE, ELEM_FP32, NAN, NAN) && !compares(OP_EQ, ELEM_FP32, NAN, NAN));
  assert_false(compares(OP_LT, ELEM_FP32, NAN, 1) || compares(OP_GE, ELEM_FP32, NAN, 1));
  assert_true(compares(OP_EQ, ELEM_FP16, 0, -0.0) && compares(OP_LE, ELEM_FP16, 1, 1));
  assert_true(compares(OP_GT, ELEM_BF16, INFINITY, 1) && compares(OP_LT, ELEM_FP64, -1, 1));
  assert_true(apply_bits(OP_LT, ELEM_I8, (uint64_t)-1, 1, ELEM_I1, false));
  assert_false(apply_bits(OP_LT, ELEM_U8, 255, 1, ELEM_I1, false));
  assert_true(apply_bits(OP_GE, ELEM_U64, UINT64_MAX, 1, ELEM_I1, false));
}

TEST(test_conversions) {
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

// sum over i in range(lower, upper, step) of i, and a pair that each iteration swaps.
static void check_loop(int64_t lower, int64_t upper, int64_t step, Elem elem, int64_t sum, bool swapped) {
  Fixture f;
  fixture_open(&f, 0, floats);
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
  fixture_close(&f);
}

TEST(test_loops) {
  check_loop(0, 10, 3, ELEM_I32, 18, false);
  check_loop(0, 9, 3, ELEM_I32, 9, true);
  check_loop(5, 5, 1, ELEM_I32, 0, false);
  check_loop(6, 5, 1, ELEM_I64, 0, false);
  check_loop(5, 0, -2, ELEM_I32, 9, true);
  check_loop(INT32_MAX - 1, INT32_MAX, 2, ELEM_I32, INT32_MAX - 1, true);
  check_loop(100, 127, 20, ELEM_I8, -36, false);
  check_loop(250, 255, 4, ELEM_U8, 248, false);
  check_loop(INT64_MAX, INT64_MIN + 2, 1, ELEM_U64, INT64_MIN, true); // 2^63 - 1 to 2^63 + 2
}

TEST(test_loop_errors) {
  for (int endless = 0; endless < 2; endless++) {
    Fixture f;
    fixture_open(&f, 0, floats);
    const Type *type = scalar_type(&f, ELEM_I64);
    Value *lower = build_int(&f.b, type, 0), *upper = build_int(&f.b, type, INT64_MAX);
    Op *loop = build_for(&f.b, lower, upper, build_int(&f.b, type, endless), 0, NULL);
    Builder in = builder_at_end(f.func, loop->regions[0]);
    build_op(&in, OP_YIELD, 0, NULL, 0, NULL);
    assert_false(launch(&f, NULL));
    assert_said(&f, endless ? "the limit of 100000 steps is reached" : "the loop's step is 0");
    fixture_close(&f);
  }
}

static const Type *flag_and_pointer(IrContext *ir, uint32_t i) {
  return i == 0 ? type_scalar(ir, ELEM_I1) : type_ptr(ir, type_scalar(ir, ELEM_I32));
}

TEST(test_if) {
  for (uint64_t taken = 0; taken < 2; taken++) {
    Fixture f;
    fixture_open(&f, 2, flag_and_pointer);
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
    fixture_close(&f);
  }
}

static const Type *pointer_and_int(IrContext *ir, uint32_t i) {
  return i == 0 ? type_ptr(ir, type_scalar(ir, ELEM_I32)) : type_scalar(ir, ELEM_I64);
}

// Each program writes what it knows of the grid.
TEST(test_programs) {
  Fixture f;
  fixture_open(&f, 2, pointer_and_int);
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
  fixture_close(&f);
}

TEST(test_grid) {
  Fixture f;
  fixture_open(&f, 2, pointer_and_int);
  EvalArg args[2] = {{0}, {1000}};
  uint32_t grid[3];
  assert_false(eval_grid(f.func, args, grid));
  assert_said(&f, "no @grid");
  Region *region = func_new_host(f.func, HOST_GRID, NULL)->region;
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
                      "the grid's size 1 is 65536; at most 65535 is allowed, in the grid expression");
  fixture_close(&f);
}

WHOLE_SUITE(eval)
