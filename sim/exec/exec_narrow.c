// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt to and from pairs of 8-bit, 6-bit and 4-bit floats and of powers of two (ue8m0). Also cvt.rs, cvt to tf32
// and cvt.pack. PTX ISA 9.7.9.21 and 9.7.9.22.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"
#include "sim/exec/float_bits.h"

// Per format: fraction bits, exponent of the least normal number, largest finite number, conversion of NaN, and
// the sign bit. Also the bits of one number in a pair, and the random bits that cvt.rs takes. Formats e5m2, f16 and
// bf16 have infinities. e4m3 has one NaN per sign, and the others have neither.
static const struct {
  int fraction, least;
  uint32_t largest, nan, sign, bits;
  int random;
} formats[] = {[NARROW_E4M3] = {3, -6, 0x7e, 0x7f, 0x80, 8, 16},
               [NARROW_E5M2] = {2, -14, 0x7b, 0x7f, 0x80, 8, 16},
               [NARROW_E2M1] = {1, 0, 0x7, 0x7, 0x8, 4, 16},
               [NARROW_E2M3] = {3, 0, 0x1f, 0x1f, 0x20, 8, 16},
               [NARROW_E3M2] = {2, -2, 0x1f, 0x1f, 0x20, 8, 16},
               [NARROW_F16] = {10, -14, 0x7bff, 0x7fff, 0x8000, 16, 13},
               [NARROW_BF16] = {7, -126, 0x7f7f, 0x7fff, 0x8000, 16, 16}};

float float_of_narrow(uint32_t bits, NarrowFloat f) {
  uint32_t sign = formats[f].sign, fraction = bits & ((1u << formats[f].fraction) - 1);
  int exponent = (int)((bits & (sign - 1)) >> formats[f].fraction);
  if (f == NARROW_E5M2) return float_of_half((uint16_t)(bits << 8));
  float value = exponent ? ldexpf((float)((1u << formats[f].fraction) + fraction),
                                  exponent - 1 + formats[f].least - formats[f].fraction)
                         : ldexpf((float)fraction, formats[f].least - formats[f].fraction);
  if (f == NARROW_E4M3 && (bits & 127) == 127) value = NAN;
  return bits & sign ? -value : value;
}

// random NULL: to nearest even. Else away from zero if the discarded part plus *random, as a fraction, reaches 1.
// Too large values become `largest`: the largest finite number (.satfinite), or infinity.
static uint32_t narrow_of_float(float value, NarrowFloat f, bool relu, const uint32_t *random,
                                uint32_t largest) {
  int fraction = formats[f].fraction, least = formats[f].least;
  uint32_t sign = signbit(value) ? formats[f].sign : 0;
  if (isnan(value)) return formats[f].nan;
  if (relu && sign) return 0;
  double magnitude = fabs((double)value);
  if (magnitude == 0) return sign;
  if (isinf(value)) return sign | largest;
  int exponent;
  frexp(magnitude, &exponent); // magnitude in [2^(exponent - 1), 2^exponent)
  int e = exponent - 1 < least ? least : exponent - 1;
  double units = ldexp(magnitude, fraction - e);
  units = random ? floor(units + ldexp(*random, -formats[f].random)) : rint(units); // rint: to nearest even
  double bits = ldexp(e - least, fraction) + units;
  return sign | (bits > largest ? largest : (uint32_t)bits);
}

// extra: the Fp8Form (the first of two .f32 goes to the upper part). to: the NarrowFloat.
void exec_convert_fp8(Warp *warp, const Insn *insn, uint32_t mask) {
  NarrowFloat f = (NarrowFloat)insn->to;
  bool relu = insn->flags & FLAG_RELU;
  uint32_t bits = formats[f].bits;
  const uint32_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);
  const uint16_t *pairs = lanes_at(warp, insn->src[0]);
  uint16_t narrow[LANES];
  uint32_t wide[LANES];
  for (int l = 0; l < LANES; l++) {
    if (insn->extra == FP8_TO_F16X2) {
      wide[l] = 0;
      for (uint32_t i = 0; i < 2; i++) {
        float value = float_of_narrow(pairs[l] >> (bits * i) & ((1u << bits) - 1), f);
        uint32_t half = half_of_float(value);
        if (relu && (half & 0x8000) && (half & 0x7fff) <= 0x7c00) half = 0;
        wide[l] |= half << (16 * i);
      }
      continue;
    }
    bool single = insn->extra == FP8_FROM_F32;
    float high = single ? float_of(a[l]) : float_of_half((uint16_t)(a[l] >> 16));
    float low = single ? float_of(b[l]) : float_of_half((uint16_t)a[l]);
    uint32_t largest = formats[f].largest;
    narrow[l] = (uint16_t)(narrow_of_float(high, f, relu, NULL, largest) << bits |
                           narrow_of_float(low, f, relu, NULL, largest));
  }
  if (insn->extra == FP8_TO_F16X2)
    lanes_write32(warp, insn->dst, wide, mask);
  else
    lanes_write16(warp, insn->dst, narrow, mask);
}

// The random bits of value i of `count`, where 0 is the lowest of the result. Each half of `word` serves two values
// of four, the upper one with its bits reversed. The halves of e2m1x4 are the even and the odd bytes.
static uint32_t random_bits(uint32_t word, uint32_t i, uint32_t count, NarrowFloat f) {
  if (f == NARROW_E2M1)
    word =
        (word & 0xff0000ff) | (word >> 8 & 0xff00) | (word << 8 & 0xff0000); // the middle bytes change places
  uint32_t half = word >> (count == 2 ? 16 * i : 16 * (i / 2)) & 0xffff, reversed = 0;
  if (count == 2) return half & ((1u << formats[f].random) - 1);
  for (uint32_t b = 0; b < 16; b++) reversed |= (half >> b & 1) << (15 - b);
  return i % 2 ? reversed : half;
}

// cvt.rs. u.slots: the values from the highest on, then the random bits; count: their number. to: the NarrowFloat.
void exec_convert_random(Warp *warp, const Insn *insn, uint32_t mask) {
  NarrowFloat f = (NarrowFloat)insn->to;
  uint32_t values = insn->count - 1, out[LANES] = {0};
  bool finite = f < NARROW_COUNT || (insn->flags & FLAG_FINITE);
  const uint32_t *words = lanes_at(warp, insn->u.slots[values]);
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t i = 0; i < values; i++) {
      float value = ((const float *)lanes_at(warp, insn->u.slots[values - 1 - i]))[l];
      uint32_t random = random_bits(words[l], i, values, f);
      out[l] |= narrow_of_float(value, f, insn->flags & FLAG_RELU, &random, formats[f].largest + !finite)
                << formats[f].bits * i;
    }
  uint16_t low[LANES];
  for (uint32_t l = 0; l < LANES; l++) low[l] = (uint16_t)out[l];
  if (f == NARROW_E2M1)
    lanes_write16(warp, insn->dst, low, mask);
  else
    lanes_write32(warp, insn->dst, out, mask);
}

// A power of two, 2^(bits - 127), without a sign. 255 is NaN. Rounds up, or towards zero.
static uint32_t ue8m0_of_float(float value, bool up, bool saturates) {
  if (isnan(value)) return 255;
  if (isinf(value)) return saturates ? 254 : 255;
  int exponent;
  double fraction = frexp(fabs((double)value), &exponent); // at least 0.5; 0.5 means that the value is a
                                                           // power of two
  int bits = value == 0 ? 0 : exponent - 1 + 127 + (up && fraction > 0.5);
  if (bits > 254) return saturates ? 254 : 255;
  return bits < 0 ? 0 : (uint32_t)bits;
}

float float_of_scale(uint32_t bits, bool e4m3) {
  if (e4m3) return float_of_narrow(bits & 0x7f, NARROW_E4M3);
  return bits == 255 ? NAN : ldexpf(1.0f, (int)bits - 127);
}

static uint32_t bf16_of_ue8m0(uint32_t bits) {
  return bits == 255 ? 0x7fff : bits == 0 ? 0x40 : bits << 7; // 2^-127 is denormal
}

// extra: the Ue8m0Form.
void exec_convert_ue8m0(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);
  const uint16_t *pairs = lanes_at(warp, insn->src[0]);
  bool up = insn->round == ROUND_RP, saturates = insn->flags & FLAG_FINITE;
  uint16_t narrow[LANES];
  uint32_t wide[LANES];
  for (int l = 0; l < LANES; l++) {
    if (insn->extra == UE8M0_TO_BF16X2) {
      wide[l] = bf16_of_ue8m0(pairs[l] >> 8) << 16 | bf16_of_ue8m0(pairs[l] & 255);
      continue;
    }
    bool single = insn->extra == UE8M0_FROM_F32;
    float high = single ? float_of(a[l]) : float_of_bf16((uint16_t)(a[l] >> 16));
    float low = single ? float_of(b[l]) : float_of_bf16((uint16_t)a[l]);
    narrow[l] = (uint16_t)(ue8m0_of_float(high, up, saturates) << 8 | ue8m0_of_float(low, up, saturates));
  }
  if (insn->extra == UE8M0_TO_BF16X2)
    lanes_write32(warp, insn->dst, wide, mask);
  else
    lanes_write16(warp, insn->dst, narrow, mask);
}

// tf32: binary32 with 10 fraction bits, the lower 13 bits zero. extra: MOD_RNA (ties away from zero), MOD_RN
// or MOD_RZ. FLAG_SAT: .satfinite.
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

// cvt.pack: b in the low part, a above it. For 8 bits and fewer, the low bits of c are above both. extra:
// bits of a part. FLAG_WIDE: the part is signed.
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
