// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types' numbers: formats, rounding, conversions.
#include "ir/number.h"

#include <math.h>
#include <string.h>
#include "base/fault.h"
#include "base/integer.h"
#include "ir/arithmetic.h"

// A binary format narrower than double. From the highest bit: sign, exponent, mantissa.
typedef struct Format {
  uint8_t mantissa, exponent; // bits
  int16_t bias;
  bool saturates;
  // All-ones exponents are infinity and NaNs. Otherwise only all-ones exponent and mantissa is NaN.
  bool has_infinity;
  uint32_t max_finite; // the largest finite value's bits
  uint32_t nan;        // the NaN that encode returns
} Format;

static const Format FP8E4NV = {3, 4, 7, true, false, 0x7e, 0x7f};
static const Format FP8E5 = {2, 5, 15, true, true, 0x7b, 0x7f};
static const Format FP16 = {10, 5, 15, false, true, 0x7bff, 0x7fff};
static const Format BF16 = {7, 8, 127, false, true, 0x7f7f, 0x7fff};
static const Format FP32 = {23, 8, 127, false, true, 0x7f7fffff, 0x7fffffff};

static const Format *format_of(Elem elem) {
  if (elem == ELEM_FP8E4NV) return &FP8E4NV;
  if (elem == ELEM_FP8E5) return &FP8E5;
  if (elem == ELEM_FP16) return &FP16;
  if (elem == ELEM_BF16) return &BF16;
  if (elem == ELEM_FP32) return &FP32;
  BUG("%s is not a narrow float", elem_info(elem)->name);
}

static double bits_double(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double power_of_two(int exponent) {
  bool normal = exponent >= -1022 && exponent <= 1023;
  return normal ? bits_double((uint64_t)(exponent + 1023) << 52) : ldexp(1.0, exponent);
}

static double decode_narrow(const Format *f, uint64_t bits) {
  uint64_t mantissa = bits & ((1u << f->mantissa) - 1);
  uint64_t exponent = bits >> f->mantissa & ((1u << f->exponent) - 1);
  uint64_t sign = bits >> (f->mantissa + f->exponent) & 1;
  if ((bits & ((1u << (f->mantissa + f->exponent)) - 1)) > f->max_finite) {
    if (f->has_infinity && mantissa == 0) return sign ? -INFINITY : INFINITY;
    return NAN;
  }
  if (exponent == 0) {
    double x = (double)mantissa * power_of_two(1 - f->bias - f->mantissa);
    return sign ? -x : x;
  }
  return bits_double(sign << 63 | (exponent + (uint64_t)(1023 - f->bias)) << 52 |
                     mantissa << (52 - f->mantissa));
}

double number_decode(Elem elem, uint64_t bits) {
  if (elem == ELEM_FP64) return bits_double(bits);
  if (elem == ELEM_FP32) {
    uint32_t narrow = (uint32_t)bits;
    float x;
    memcpy(&x, &narrow, sizeof x);
    return (double)x;
  }
  return decode_narrow(format_of(elem), bits);
}

// `value` / 2^shift, rounded to nearest even. 0 < shift < 64, and value < 2^62.
static uint64_t shift_rounded(uint64_t value, int shift) {
  uint64_t half = (uint64_t)1 << (shift - 1);
  return (value + half - 1 + (value >> shift & 1)) >> shift;
}

static uint64_t encode_narrow(const Format *f, double x) {
  uint64_t bits = double_bits(x), magnitude = bits & INT64_MAX, result;
  uint64_t sign = bits >> 63 << (f->mantissa + f->exponent);
  if (isnan(x)) return sign | f->nan;
  int exponent = (int)(magnitude >> 52) - 1023, lowest = 1 - f->bias;
  if (exponent >=
      lowest) { // exponent and mantissa as one number: a carry out of the mantissa raises the exponent
    result = shift_rounded(magnitude - ((uint64_t)(1023 - f->bias) << 52), 52 - f->mantissa);
  } else {
    int shift = 52 - f->mantissa + (lowest - exponent);
    uint64_t significand = (magnitude & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    result = shift > 60 ? 0 : shift_rounded(significand, shift); // double's own subnormals are far smaller: 0
  }
  if (result > f->max_finite) result = f->saturates ? f->max_finite : (uint64_t)f->max_finite + 1;
  return sign | result;
}

uint64_t number_encode(Elem elem, double x) {
  if (elem == ELEM_FP64) return double_bits(x);
  if (elem == ELEM_FP32 && !isnan(x)) {
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  return encode_narrow(format_of(elem), x);
}

double number_round(Elem elem, double x) {
  if (elem == ELEM_FP64) return x;
  return number_decode(elem, number_encode(elem, x));
}

double number_u(Elem elem) {
  return elem == ELEM_FP64 ? 0x1p-53 : power_of_two(-1 - format_of(elem)->mantissa);
}

double number_min_normal(Elem elem) {
  return elem == ELEM_FP64 ? 0x1p-1022 : power_of_two(1 - format_of(elem)->bias);
}

double number_max(Elem elem) {
  return elem == ELEM_FP64 ? 0x1.fffffffffffffp1023
                           : decode_narrow(format_of(elem), format_of(elem)->max_finite);
}

bool number_saturates(Elem elem) { return elem != ELEM_FP64 && format_of(elem)->saturates; }

double number_overflow(Elem elem) {
  if (elem == ELEM_FP64 || number_saturates(elem)) return INFINITY;
  double max = number_max(elem);
  return max + number_ulp(elem, max) / 2;
}

double number_ulp(Elem elem, double x) {
  double size = fabs(x), least = number_min_normal(elem), most = number_max(elem);
  if (!(size > least)) size = least;
  if (size > most) size = most;
  int mantissa = elem == ELEM_FP64 ? 52 : format_of(elem)->mantissa;
  return power_of_two(ilogb(size) - mantissa);
}

uint64_t number_wrap(Elem elem, uint64_t bits) {
  const ElemInfo *info = elem_info(elem);
  if (info->bits == 64) return bits;
  uint64_t low = bits & (((uint64_t)1 << info->bits) - 1);
  if (info->cls != CLASS_SINT) return low;
  uint64_t sign = (uint64_t)1 << (info->bits - 1);
  return (low ^ sign) - sign;
}

// The magnitude with all bits below double's precision folded into its last bit ("round to odd"). Rounding
// that to a format of at most 51 bits equals one rounding of the magnitude.
static double magnitude_to_odd(uint64_t magnitude) {
  int drop = 0;
  while (magnitude >> drop >> 53) drop++;
  uint64_t lost = magnitude & (((uint64_t)1 << drop) - 1);
  return ldexp((double)(magnitude >> drop | (lost != 0)), drop);
}

uint64_t number_from_int(Elem from, uint64_t value, Elem to) {
  bool negative = elem_is_signed(from) && value >> 63;
  uint64_t magnitude = negative ? 0 - value : value;
  double x = to == ELEM_FP64 ? (double)magnitude : magnitude_to_odd(magnitude);
  return number_encode(to, negative ? -x : x);
}

Elem number_saturated_type(Elem to) { return to == ELEM_I8 ? ELEM_I16 : to == ELEM_U8 ? ELEM_U16 : to; }

uint64_t number_to_int(Elem to, double x) {
  if (to == ELEM_I1) return x != 0;
  uint32_t bits = elem_info(number_saturated_type(to))->bits;
  return number_wrap(to, (uint64_t)tilec_to_int(x, bits, elem_is_signed(to)));
}

uint64_t number_load(Elem elem, const uint8_t *bytes) {
  uint64_t bits = 0;
  for (uint32_t i = elem_bytes(elem); i-- > 0;) bits = bits << 8 | bytes[i];
  if (elem == ELEM_I1) return bits != 0;
  return elem_is_float(elem) ? bits : number_wrap(elem, bits);
}

double number_element(Elem elem, const uint8_t *bytes, uint64_t i) {
  uint64_t bits = number_load(elem, bytes + i * elem_bytes(elem));
  if (elem_is_float(elem)) return number_decode(elem, bits);
  return elem_is_signed(elem) ? (double)(int64_t)bits : (double)bits;
}

void number_store(Elem elem, uint64_t bits, uint8_t *bytes) {
  for (uint32_t i = 0; i < elem_bytes(elem); i++) bytes[i] = (uint8_t)(bits >> 8 * i);
}
