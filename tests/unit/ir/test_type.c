// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, constants, targets.
#include <math.h>
#include "tests/unit/unit.h"
#include "ir/build.h"
#include "tests/unit/ir_fixture.h"

TEST(test_types_are_interned) {
  IrFixture s;
  ir_fixture_open(&s);
  const Type *first[60];
  for (uint32_t i = 0; i < 60; i++)
    first[i] =
        type_tile(&s.ir, i % 2 ? s.i32 : type_ptr(&s.ir, s.i32), 2, (uint32_t[]){1u << i % 5, i}, NULL);
  for (uint32_t i = 0; i < 60; i++) {
    const Type *again =
        type_tile(&s.ir, i % 2 ? s.i32 : type_ptr(&s.ir, s.i32), 2, (uint32_t[]){1u << i % 5, i}, NULL);
    assert_ptr_equal(again, first[i]);
    for (uint32_t k = 0; k < i; k++) assert_ptr_not_equal(first[i], first[k]);
  }
  assert_ptr_equal(type_tile(&s.ir, s.i32, 0, NULL, NULL), s.i32);
  const Type *tile = type_tile(&s.ir, s.i32, 2, (uint32_t[]){4, 8}, NULL);
  assert_true(type_is_int(tile) && !type_is_float(tile) && !type_is_ptr(tile) && type_is_tile(tile));
  assert_int_equal(type_elements(tile), 32);
  const Type *huge =
      type_tile(&s.ir, s.i32, 5, (uint32_t[]){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 4}, NULL);
  assert_true(type_elements(huge) == UINT64_MAX);
  Layout layout = layout_default(2, tile->shape, (uint32_t[]){1, 0}, 0, 2);
  Buf out = {0};
  type_print(type_with_layout(&s.ir, type_with_element(&s.ir, tile, type_ptr(&s.ir, s.i32)),
                              layout_intern(&s.ir, &layout)),
             &out);
  assert_string_equal(out.at, "tile<4x8x*i32, layout<lane = [1, 2, 4, 8, 16], warp = [0, 0]; 32>>");
  buf_free(&out);
  ir_fixture_close(&s);
}

TEST(test_integers_wrap_to_their_type) {
  assert_int_equal(elem_wrap(ELEM_I8, 200), -56);
  assert_int_equal(elem_wrap(ELEM_U8, -1), 255);
  assert_int_equal(elem_wrap(ELEM_I1, 3), 1);
  assert_int_equal(elem_wrap(ELEM_I32, INT64_C(0x180000000)), INT32_MIN);
  assert_int_equal(elem_wrap(ELEM_U32, INT64_C(-1)), UINT32_MAX);
  assert_int_equal(elem_wrap(ELEM_U64, -1), -1);
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void expect_round(Elem elem, double value, double want) {
  assert_int_equal(bits_of(elem_round(elem, value)), bits_of(want));
}

TEST(test_floats_round_to_nearest_even) {
  expect_round(ELEM_FP16, 2049, 2048);
  expect_round(ELEM_FP16, 2051, 2052);
  expect_round(ELEM_FP16, 65519, 65504);
  expect_round(ELEM_FP16, 65520, (double)INFINITY);
  expect_round(ELEM_FP16, 0x1p-25, 0);
  expect_round(ELEM_FP16, 0x1.8p-25, 0x1p-24);
  expect_round(ELEM_FP16, -0x1p-26, -0.0);
  expect_round(ELEM_BF16, 257, 256);
  expect_round(ELEM_BF16, 259, 260);
  expect_round(ELEM_BF16, 1e39, (double)INFINITY);
  expect_round(ELEM_FP8E4NV, 1000, 448);
  expect_round(ELEM_FP8E4NV, -(double)INFINITY, -448);
  expect_round(ELEM_FP8E4NV, 17, 16);
  expect_round(ELEM_FP8E4NV, 19, 20);
  expect_round(ELEM_FP8E5, 1e9, 57344);
  expect_round(ELEM_FP8E5, 5, 5);
  expect_round(ELEM_FP8E5, 9, 8);
  expect_round(ELEM_FP64, 0.1, 0.1);
  for (int i = -1100; i < 1020; i++)
    for (int k = 0; k < 8; k++) {
      double value = ldexp(1 + k * 0.137, i);
      expect_round(ELEM_FP32, value, (double)(float)value);
      expect_round(ELEM_FP32, -value, (double)(float)-value);
    }
  assert_true(isnan(elem_round(ELEM_FP16, (double)NAN)));
}

static const char *const literals[] = {"128",
                                       "-5",
                                       "1.5",
                                       "1.0",
                                       "-0.0",
                                       "1e+300",
                                       "True",
                                       "False",
                                       "None",
                                       "\"relu\"",
                                       "fp16",
                                       "*fp32",
                                       "**i8",
                                       "(1, 2)",
                                       "(1,)",
                                       "()",
                                       "((1, \"a\"), None)",
                                       "18446744073709551615",
                                       "-9223372036854775808",
                                       "float(\"inf\")",
                                       "float(\"-inf\")",
                                       "float(\"nan\")",
                                       "float(\"nan(0xfff8000000000123)\")",
                                       "\"a\\\"b\\\\\\n\\u0001\""};

TEST(test_literals_print_as_they_are_read) {
  IrFixture s;
  ir_fixture_open(&s);
  for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
    ConstValue value, again;
    if (!const_parse(&s.ir, str_from(literals[i]), &value)) fail_msg("cannot read %s", literals[i]);
    Buf out = {0};
    const_print(&value, &out);
    assert_string_equal(out.at, literals[i]);
    assert_true(const_parse(&s.ir, buf_view(&out), &again) && const_equal(&value, &again));
    for (size_t k = 0; k < i; k++) {
      assert_true(const_parse(&s.ir, str_from(literals[k]), &again));
      assert_false(const_equal(&value, &again));
    }
    buf_free(&out);
  }
  ir_fixture_close(&s);
}

TEST(test_other_spellings_of_literals) {
  static const char *const pairs[][2] = {{" 0x_FF ", "255"},
                                         {"1_000", "1000"},
                                         {"0b101", "5"},
                                         {"0o17", "15"},
                                         {".5", "0.5"},
                                         {"1e-3", "0.001"},
                                         {"+3", "3"},
                                         {"[1, 2]", "(1, 2)"},
                                         {"(7)", "7"},
                                         {"[7]", "(7,)"},
                                         {"'a\"'", "\"a\\\"\""},
                                         {"tl.float16", "fp16"},
                                         {"triton.language.int8", "i8"},
                                         {"1.", "1.0"},
                                         {"( 1 , )", "(1,)"}};
  static const char *const bad[] = {"",
                                    "1x",
                                    "foo",
                                    "(1",
                                    "1 2",
                                    "\"a",
                                    "18446744073709551616",
                                    "-9223372036854775809",
                                    "1..2",
                                    "010",
                                    "1__0",
                                    "1_",
                                    "0x_",
                                    "1_.5",
                                    "1e400",
                                    "-1e400",
                                    "0x",
                                    "(1 2)",
                                    "tl.foo",
                                    "*foo",
                                    "*****i8",
                                    "float(\"x\")",
                                    "float(1)",
                                    "\"\\u0000\"",
                                    "-"};
  IrFixture s;
  ir_fixture_open(&s);
  ConstValue value;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    Buf out = {0};
    if (!const_parse(&s.ir, str_from(pairs[i][0]), &value)) fail_msg("cannot read %s", pairs[i][0]);
    const_print(&value, &out);
    assert_string_equal(out.at, pairs[i][1]);
    buf_free(&out);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (const_parse(&s.ir, str_from(bad[i]), &value)) fail_msg("read %s", bad[i]);
  ir_fixture_close(&s);
}

TEST(test_architectures) {
  static const char *const good[] = {"sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120"};
  static const char *const bad[] = {"",       "sm_",    "sm_70",      "sm_80a", "90a",
                                    "sm_90b", "sm_090", "sm_9000000", "sm_a",   "sm_90aa"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    Target target = target_default();
    Buf out = {0};
    assert_true(target_parse_arch(str_from(good[i]), &target));
    target_print_arch(&target, &out);
    assert_string_equal(out.at, good[i]);
    buf_free(&out);
  }
  Target target = target_default();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(target_parse_arch(str_from(bad[i]), &target));
}

WHOLE_SUITE(type)
