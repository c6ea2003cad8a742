// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt to and from pairs of 8-bit floats (e4m3, e5m2), cvt to tf32, and
// cvt.pack. PTX ISA 9.7.9.21 and 9.7.9.22.
#include "sim/exec.h"
#include "sim/float_bits.h"

// An 8-bit float: e5m2 is the upper half of a binary16, e4m3 has no infinities and one NaN a sign.
static float float_of_fp8(uint32_t bits, bool e5m2) {
  if (e5m2) return float_of_half((uint16_t)(bits << 8));
  uint32_t exponent = bits >> 3 & 15, fraction = bits & 7;
  float value = exponent ? ldexpf((float)(8 + fraction), (int)exponent - 10) : ldexpf((float)fraction, -9);
  if ((bits & 127) == 127) value = NAN;
  return bits & 128 ? -value : value;
}

// To nearest even; what is too large becomes the largest (.satfinite, which PTX requires).
static uint32_t fp8_of_float(float value, bool e5m2, bool relu) {
  int mantissa = e5m2 ? 2 : 3, least = e5m2 ? -14 : -6;
  uint32_t sign = signbit(value) ? 128 : 0, largest = e5m2 ? 0x7b : 0x7e;
  if (isnan(value)) return 0x7f;
  if (relu && sign) return 0;
  double magnitude = fabs((double)value);
  if (magnitude == 0) return sign;
  if (isinf(value)) return sign | largest;
  int exponent;
  frexp(magnitude, &exponent); // magnitude in [2^(exponent - 1), 2^exponent)
  int e = exponent - 1 < least ? least : exponent - 1;
  uint32_t units = (uint32_t)rint(ldexp(magnitude, mantissa - e)); // the host rounds to nearest even
  uint32_t bits = ((uint32_t)(e - least) << mantissa) + units;
  return sign | (bits > largest ? largest : bits);
}

// extra: the Fp8Form (of two .f32 the first goes to the upper half); to: whether e5m2.
void exec_convert_fp8(Warp *warp, const Insn *insn, uint32_t mask) {
  bool e5m2 = insn->to, relu = insn->flags & FLAG_RELU;
  const uint32_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);
  const uint16_t *pairs = lanes_at(warp, insn->src[0]);
  uint16_t narrow[LANES];
  uint32_t wide[LANES];
  for (int l = 0; l < LANES; l++) {
    if (insn->extra == FP8_TO_F16X2) {
      wide[l] = 0;
      for (int i = 0; i < 2; i++) {
        float value = float_of_fp8(pairs[l] >> (8 * i) & 255, e5m2);
        uint32_t half = half_of_float(value);
        if (relu && (half & 0x8000) && (half & 0x7fff) <= 0x7c00) half = 0;
        wide[l] |= half << (16 * i);
      }
      continue;
    }
    bool single = insn->extra == FP8_FROM_F32;
    float high = single ? float_of(a[l]) : float_of_half((uint16_t)(a[l] >> 16));
    float low = single ? float_of(b[l]) : float_of_half((uint16_t)a[l]);
    narrow[l] = (uint16_t)(fp8_of_float(high, e5m2, relu) << 8 | fp8_of_float(low, e5m2, relu));
  }
  if (insn->extra == FP8_TO_F16X2)
    lanes_write32(warp, insn->dst, wide, mask);
  else
    lanes_write16(warp, insn->dst, narrow, mask);
}

// tf32: binary32 with 10 bits of fraction, the lower 13 zero. extra: MOD_RNA, whose ties go away from zero,
// MOD_RN or MOD_RZ. FLAG_SAT: .satfinite.
static uint32_t tf32_of(uint32_t bits, const Insn *insn) {
  uint32_t magnitude = bits & 0x7fffffffu, sign = bits & 0x80000000u;
  if (magnitude > 0x7f800000u) return 0x7fffffffu;
  if ((insn->flags & FLAG_RELU) && sign) return 0;
  uint32_t to_even = 0xfff + (magnitude >> 13 & 1);
  uint32_t rounding = insn->extra == MOD_RNA ? 0x1000 : insn->extra == MOD_RN ? to_even : 0;
  uint32_t rounded = magnitude == 0x7f800000u ? magnitude : (magnitude + rounding) & ~0x1fffu;
  if ((insn->flags & FLAG_SAT) && rounded >= 0x7f800000u) rounded = 0x7f7fe000u;
  return sign | rounded;
}

void exec_convert_tf32(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *a = lanes_at(warp, insn->src[0]);
  uint32_t out[LANES];
  for (int l = 0; l < LANES; l++) out[l] = tf32_of(a[l], insn);
  lanes_write32(warp, insn->dst, out, mask);
}

static uint32_t saturate(int32_t value, uint32_t bits, bool is_signed) {
  int32_t most = (int32_t)((1u << (is_signed ? bits - 1 : bits)) - 1), least = is_signed ? -most - 1 : 0;
  return (uint32_t)(value < least ? least : value > most ? most : value) & ((1u << bits) - 1);
}

// cvt.pack: b to the low part, a above it, and of 8 bits and fewer the low bits of c above both. extra: a
// part's bits; FLAG_WIDE: it is signed.
void exec_convert_pack(Warp *warp, const Insn *insn, uint32_t mask) {
  const int32_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);
  const uint32_t *c = lanes_at(warp, insn->src[2]);
  uint32_t bits = insn->extra, out[LANES];
  bool is_signed = insn->flags & FLAG_WIDE;
  for (int l = 0; l < LANES; l++) {
    out[l] = saturate(a[l], bits, is_signed) << bits | saturate(b[l], bits, is_signed);
    if (bits <= 8) out[l] |= c[l] << (2 * bits);
  }
  lanes_write32(warp, insn->dst, out, mask);
}
