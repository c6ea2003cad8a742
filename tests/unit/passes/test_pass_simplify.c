// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant folding against C's own arithmetic: every pair of 8-bit integers, random floats; and which casts
// are exact, on every 16-bit value.
#include <math.h>
#include "tests/unit/unit.h"
#include "ir/number.h"
#include "passes/simplify/simplify.h"

// The ops on 8-bit integers, spelled out in a wider type; false: undefined.
static bool reference(OpKind kind, bool is_signed, int a, int b, int *result) {
  unsigned amount = (unsigned)b & 0xff;
  switch ((int)kind) {
  case OP_ADD: *result = a + b; break;
  case OP_SUB: *result = a - b; break;
  case OP_MUL: *result = a * b; break;
  case OP_DIV:
    if (b == 0) return false;
    *result = a / b;
    break;
  case OP_REM:
    if (b == 0) return false;
    *result = a % b;
    break;
  case OP_NEG: *result = -a; break;
  case OP_AND: *result = a & b; break;
  case OP_OR: *result = a | b; break;
  case OP_XOR: *result = a ^ b; break;
  case OP_SHL: *result = amount > 7 ? 0 : (int)((unsigned)a << amount); break;
  case OP_SHR:
    *result = a;
    for (unsigned i = 0; i < amount; i++) *result = *result < 0 ? (*result - 1) / 2 : *result / 2;
    break;
  case OP_MIN: *result = a < b ? a : b; break;
  case OP_MAX: *result = a > b ? a : b; break;
  case OP_EQ: *result = a == b; return true;
  case OP_NE: *result = a != b; return true;
  case OP_LT: *result = a < b; return true;
  case OP_LE: *result = a <= b; return true;
  case OP_GT: *result = a > b; return true;
  default: *result = a >= b; return true;
  }
  *result = is_signed ? (int8_t)*result : (uint8_t)*result;
  return true;
}

TEST(test_integers) {
  static const OpKind kinds[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_REM, OP_NEG, OP_AND,
                                 OP_OR,  OP_XOR, OP_SHL, OP_SHR, OP_MIN, OP_MAX, OP_EQ,
                                 OP_NE,  OP_LT,  OP_LE,  OP_GT,  OP_GE};
  for (uint32_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    for (int bits = 0; bits < 2 * 65536; bits++) {
      bool is_signed = bits >= 65536;
      int a = is_signed ? (int8_t)(bits >> 8) : (uint8_t)(bits >> 8),
          b = is_signed ? (int8_t)bits : (uint8_t)bits;
      int expected = 0;
      int64_t got = 0;
      bool defined = reference(kinds[k], is_signed, a, b, &expected);
      assert_int_equal(fold_int(kinds[k], is_signed ? ELEM_I8 : ELEM_U8, a, b, &got), defined);
      if (defined && got != expected)
        fail_msg("%s %d %d: %lld", op_info(kinds[k])->name, a, b, (long long)got);
    }
}

TEST(test_wide_integers) {
  int64_t got;
  assert_true(fold_int(OP_DIV, ELEM_I64, INT64_MIN, -1, &got));
  assert_true(got == INT64_MIN);
  assert_true(fold_int(OP_REM, ELEM_I64, INT64_MIN, -1, &got));
  assert_true(got == 0);
  assert_true(fold_int(OP_SHL, ELEM_I64, 1, 64, &got));
  assert_true(got == 0);
  assert_true(fold_int(OP_SHR, ELEM_I64, -5, -1, &got));
  assert_true(got == -1);
  assert_true(fold_int(OP_LT, ELEM_U64, -1, 1, &got));
  assert_true(got == 0);
  assert_true(fold_int(OP_DIV, ELEM_U64, -1, 2, &got));
  assert_true(got == INT64_MAX);
}

static float float_of(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static void expect_float(OpKind kind, float a, float b, float expected) {
  double got = 0;
  bool folded = fold_float(kind, ELEM_FP32, a, b, &got);
  bool nan = isnan(a) || isnan(b) || isnan(expected);
  assert_int_equal(folded, !nan);
  if (nan) return;
  assert_true(got == (double)expected);
  assert_int_equal(signbit(got) != 0, signbit(expected) != 0);
}

TEST(test_floats) {
  uint64_t random = 1;
  for (uint32_t i = 0; i < 200000; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = (uint32_t)(random >> 32);
    random = random * 6364136223846793005u + 1442695040888963407u;
    uint32_t y = (uint32_t)(random >> 32);
    if (i % 3 == 0) y = (y & 0x807fffffu) | (x & 0x7f800000u); // near in size
    float a = float_of(x), b = float_of(y);
    expect_float(OP_ADD, a, b, a + b);
    expect_float(OP_SUB, a, b, a - b);
    expect_float(OP_MUL, a, b, a * b);
    expect_float(OP_DIV, a, b, a / b);
  }
  expect_float(OP_MIN, 0.0f, -0.0f, -0.0f);
  expect_float(OP_MAX, -0.0f, 0.0f, 0.0f);
  expect_float(OP_MAX, 0.0f, -0.0f, 0.0f);
  expect_float(OP_REM, -7.5f, 2.0f, -1.5f);
}

// Where a cast is called exact, every value must come through.
static void check_exact(Elem from, Elem to) {
  uint32_t bits = elem_info(from)->bits;
  for (uint64_t raw = 0; raw < (uint64_t)1 << bits; raw++) {
    if (elem_is_float(from)) {
      double value = number_decode(from, raw);
      if (!isnan(value)) assert_true(number_round(to, value) == value);
      continue;
    }
    uint64_t value = number_wrap(from, raw);
    if (elem_is_float(to)) {
      double got = number_decode(to, number_from_int(from, value, to));
      assert_true(got == (double)(int64_t)value);
    } else {
      assert_true(number_wrap(to, value) == value);
    }
  }
}

TEST(test_exact_casts) {
  uint32_t exact = 0;
  for (int from = 0; from < ELEM_COUNT; from++)
    for (int to = 0; to < ELEM_COUNT; to++) {
      if (from == to || elem_info((Elem)from)->bits > 16 || !cast_is_exact((Elem)from, (Elem)to)) continue;
      check_exact((Elem)from, (Elem)to);
      exact++;
    }
  assert_true(exact > 35);
  assert_false(cast_is_exact(ELEM_I32, ELEM_FP32));
  assert_false(cast_is_exact(ELEM_I32, ELEM_U64));
  assert_false(cast_is_exact(ELEM_FP32, ELEM_FP16));
  assert_true(cast_is_exact(ELEM_I32, ELEM_FP64));
}

WHOLE_SUITE(pass_simplify)
