// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ir/number: every bit pattern of the 8- and 16-bit formats, and rounding
// against a search for the nearest value.
#include <math.h>
#include "tests/unit/unit.h"
#include "ir/number.h"

static const Elem NARROW[] = {ELEM_FP8E4NV, ELEM_FP8E5, ELEM_FP16, ELEM_BF16};
enum { NARROW_COUNT = 4 };

static uint64_t patterns(Elem elem) { return (uint64_t)1 << elem_info(elem)->bits; }

TEST(test_patterns_round_trip) {
  for (int k = 0; k < NARROW_COUNT; k++) {
    uint64_t nans = 0, infinities = 0;
    for (uint64_t bits = 0; bits < patterns(NARROW[k]); bits++) {
      double x = number_decode(NARROW[k], bits);
      nans += isnan(x) != 0;
      infinities += isinf(x) != 0;
      if (isnan(x))
        assert_true(isnan(number_round(NARROW[k], x)));
      else if (isfinite(x) || !number_saturates(NARROW[k]))
        assert_int_equal(number_encode(NARROW[k], x), bits);
    }
    static const uint64_t expected_nans[] = {2, 6, 2046, 254}, expected_infinities[] = {0, 2, 2, 2};
    assert_int_equal(nans, expected_nans[k]);
    assert_int_equal(infinities, expected_infinities[k]);
  }
}

// The value of a positive finite pattern by the definition of the formats, without any bit tricks.
static double definition(Elem elem, uint64_t bits) {
  int mantissa = elem == ELEM_FP8E4NV ? 3 : elem == ELEM_FP8E5 ? 2 : elem == ELEM_FP16 ? 10 : 7;
  int bias = elem == ELEM_FP8E4NV ? 7 : elem == ELEM_BF16 ? 127 : 15;
  int exponent = (int)(bits >> mantissa);
  double fraction = (double)(bits % (1u << mantissa)) / (1 << mantissa);
  return exponent ? (1 + fraction) * pow(2, exponent - bias) : fraction * pow(2, 1 - bias);
}

static uint64_t max_finite(Elem elem) {
  return elem == ELEM_FP8E4NV ? 0x7e : elem == ELEM_FP8E5 ? 0x7b : elem == ELEM_FP16 ? 0x7bff : 0x7f7f;
}

// Between each pair of neighbours: the midpoint goes to the even one,
// anything nearer to one goes to that one.
TEST(test_rounding_between_neighbours) {
  for (int k = 0; k < NARROW_COUNT; k++) {
    Elem elem = NARROW[k];
    uint64_t sign = patterns(elem) / 2;
    for (uint64_t bits = 0; bits < max_finite(elem); bits++) {
      double low = definition(elem, bits), high = definition(elem, bits + 1), middle = (low + high) / 2;
      assert_true(number_decode(elem, bits) == low);
      uint64_t even = bits % 2 ? bits + 1 : bits;
      assert_int_equal(number_encode(elem, middle), even);
      assert_int_equal(number_encode(elem, -middle), sign | even);
      assert_int_equal(number_encode(elem, nextafter(middle, 0)), bits);
      assert_int_equal(number_encode(elem, nextafter(middle, high)), bits + 1);
      assert_true(number_ulp(elem, low) == high - low || bits == 0);
    }
  }
}

TEST(test_limits) {
  for (int k = 0; k < NARROW_COUNT; k++) {
    Elem elem = NARROW[k];
    double max = definition(elem, max_finite(elem)), ulp = max - definition(elem, max_finite(elem) - 1);
    assert_true(number_max(elem) == max);
    assert_true(number_round(elem, max + ulp * 0.499) == max);
    if (number_saturates(elem)) {
      assert_true(number_round(elem, max * 100) == max && number_round(elem, -INFINITY) == -max);
      assert_true(isinf(number_overflow(elem)));
    } else {
      assert_true(number_overflow(elem) == max + ulp / 2);
      assert_true(number_round(elem, max + ulp / 2) == INFINITY);
      assert_true(number_round(elem, -max * 100) == -INFINITY && number_round(elem, INFINITY) == INFINITY);
    }
    assert_int_equal(number_encode(elem, -0.0), patterns(elem) / 2);
    assert_int_equal(number_encode(elem, 5e-324), 0);
    assert_true(number_round(elem, 1 + number_u(elem)) == 1);
    assert_true(number_round(elem, 1 + number_u(elem) * 1.01) == 1 + 2 * number_u(elem));
  }
  assert_true(number_max(ELEM_FP8E4NV) == 448 && number_max(ELEM_FP8E5) == 57344 &&
              number_max(ELEM_FP16) == 65504);
  assert_true(number_u(ELEM_FP32) == 0x1p-24 && number_u(ELEM_FP64) == 0x1p-53 &&
              number_u(ELEM_BF16) == 0x1p-8);
  assert_true(number_round(ELEM_FP32, 0x1.ffffffp127) == INFINITY &&
              number_overflow(ELEM_FP32) == 0x1.ffffffp127);
  assert_true(number_round(ELEM_FP32, 0x1p-149) == 0x1p-149 && number_round(ELEM_FP32, 0x1p-150) == 0);
  assert_true(number_ulp(ELEM_FP32, 0) == 0x1p-149 && number_ulp(ELEM_FP32, INFINITY) == 0x1p104);
  assert_true(isnan(number_round(ELEM_FP32, NAN)) && isnan(number_round(ELEM_FP64, NAN)));
}

TEST(test_wrap) {
  assert_int_equal(number_wrap(ELEM_I8, 0x1ff), UINT64_MAX);
  assert_int_equal(number_wrap(ELEM_U8, 0x1ff), 0xff);
  assert_int_equal(number_wrap(ELEM_I1, 3), 1);
  assert_int_equal(number_wrap(ELEM_I32, 0x80000000), 0xffffffff80000000);
  assert_int_equal(number_wrap(ELEM_U32, 0xffffffff80000000), 0x80000000);
  assert_int_equal(number_wrap(ELEM_I64, UINT64_MAX), UINT64_MAX);
}

// One rounding only: via double, 2^24 + 1 plus a bit beyond 53 would round to even and lose the bit.
TEST(test_integers_to_floats) {
  uint64_t sticky = ((uint64_t)1 << 62) + ((uint64_t)1 << 38) + 1;
  assert_true(number_decode(ELEM_FP32, number_from_int(ELEM_I64, sticky, ELEM_FP32)) == 0x1p62 + 0x1p39);
  assert_true(number_decode(ELEM_FP32, number_from_int(ELEM_I64, sticky - 1, ELEM_FP32)) == 0x1p62);
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    uint64_t value = x >> i % 60;
    float s = (float)(int64_t)value, u = (float)value;
    double d = (double)(int64_t)value;
    assert_true(number_decode(ELEM_FP32, number_from_int(ELEM_I64, value, ELEM_FP32)) == (double)s);
    assert_true(number_decode(ELEM_FP32, number_from_int(ELEM_U64, value, ELEM_FP32)) == (double)u);
    assert_true(number_decode(ELEM_FP64, number_from_int(ELEM_I64, value, ELEM_FP64)) == d);
  }
  assert_true(number_decode(ELEM_FP16, number_from_int(ELEM_I32, 70000, ELEM_FP16)) == INFINITY);
  assert_true(number_decode(ELEM_FP8E4NV, number_from_int(ELEM_I32, (uint64_t)-1000, ELEM_FP8E4NV)) == -448);
}

TEST(test_floats_to_integers) {
  assert_int_equal(number_to_int(ELEM_I32, -1.9), (uint64_t)-1);
  assert_int_equal(number_to_int(ELEM_I8, 127.9), 127);
  assert_int_equal(number_to_int(ELEM_I8, 300.7), 44); // the low byte of 16 bits
  assert_int_equal(number_to_int(ELEM_I8, 1e30), (uint64_t)-1);
  assert_int_equal(number_to_int(ELEM_I8, -128.9), (uint64_t)-128);
  assert_int_equal(number_to_int(ELEM_I8, -INFINITY), 0);
  assert_int_equal(number_to_int(ELEM_U8, -300.0), 0);
  assert_int_equal(number_to_int(ELEM_U8, 65535.0), 255);
  assert_int_equal(number_to_int(ELEM_U8, 40000.0), 64);
  assert_int_equal(number_to_int(ELEM_I16, 40000.0), INT16_MAX);
  assert_int_equal(number_to_int(ELEM_I16, -40000.0), (uint64_t)INT16_MIN);
  assert_int_equal(number_to_int(ELEM_U16, 70000.0), UINT16_MAX);
  assert_int_equal(number_to_int(ELEM_I64, 0x1p63), INT64_MAX);
  assert_int_equal(number_to_int(ELEM_I64, -0x1p63), (uint64_t)INT64_MIN);
  assert_int_equal(number_to_int(ELEM_U64, 0x1p64), UINT64_MAX);
  assert_int_equal(number_to_int(ELEM_U64, 0x1p63), (uint64_t)1 << 63);
  assert_int_equal(number_to_int(ELEM_U8, -3), 0);
  assert_int_equal(number_to_int(ELEM_U8, 255.5), 255);
  assert_int_equal(number_to_int(ELEM_I1, 0.25), 1);
  assert_int_equal(number_to_int(ELEM_I1, -0.0), 0);
}

TEST(test_memory_is_little_endian) {
  uint8_t bytes[8] = {0};
  number_store(ELEM_FP32, 0x3f800000, bytes);
  assert_int_equal(bytes[3], 0x3f);
  assert_int_equal(number_load(ELEM_FP32, bytes), 0x3f800000);
  number_store(ELEM_I16, (uint64_t)-2, bytes);
  assert_int_equal(number_load(ELEM_I16, bytes), (uint64_t)-2);
  assert_int_equal(number_load(ELEM_U16, bytes), 0xfffe);
  assert_int_equal(number_load(ELEM_I1, bytes), 1);
}

WHOLE_SUITE(eval_number)
