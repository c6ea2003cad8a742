// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt: every source is widened exactly (to 64-bit integers or to double), then rounded once to the result.
#include <fenv.h>
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"
#include "sim/exec/float_bits.h"

// The type's low part, extended by the type's sign.
static uint64_t low_part(PtxType type, uint64_t bits) {
  switch ((int)type) {
  case PTX_S8: return (uint64_t)(int64_t)(int8_t)bits;
  case PTX_S16: return (uint64_t)(int64_t)(int16_t)bits;
  case PTX_S32: return (uint64_t)(int64_t)(int32_t)bits;
  case PTX_B8:
  case PTX_U8: return (uint8_t)bits;
  case PTX_B16:
  case PTX_U16: return (uint16_t)bits;
  case PTX_B32:
  case PTX_U32: return (uint32_t)bits;
  default: return bits;
  }
}

// insn->extra: bytes per lane of the source register.
static uint64_t int_lane(const Insn *insn, const void *lanes, int l) {
  uint64_t bits = insn->extra == 2   ? ((const uint16_t *)lanes)[l]
                  : insn->extra == 4 ? ((const uint32_t *)lanes)[l]
                                     : ((const uint64_t *)lanes)[l];
  return low_part((PtxType)insn->from, bits);
}

static double float_lane(const Insn *insn, const void *lanes, int l) {
  switch (insn->from) {
  case PTX_F16: return (double)float_of_half(((const uint16_t *)lanes)[l]);
  case PTX_BF16: return (double)float_of_bf16(((const uint16_t *)lanes)[l]);
  case PTX_F32: {
    float value = ((const float *)lanes)[l];
    return (double)(insn->flags & FLAG_FTZ ? float_flush(value) : value);
  }
  default: return ((const double *)lanes)[l];
  }
}

static void int_range(PtxType type, int64_t *least, uint64_t *most) {
  uint32_t bits = 8 * ptx_type_bytes(type);
  bool is_signed = ptx_type_class(type) == CLASS_SIGNED;
  uint64_t all = UINT64_MAX >> (64 - bits);
  *least = is_signed ? (int64_t) ~(all >> 1) : 0;
  *most = is_signed ? all >> 1 : all;
}

static uint64_t clamp_int(uint64_t value, bool from_signed, PtxType to) {
  int64_t least;
  uint64_t most;
  int_range(to, &least, &most);
  if (from_signed && (int64_t)value < least) return (uint64_t)least;
  if (from_signed && (int64_t)value < 0) return value;
  return value > most ? most : value;
}

static double round_integral(double value, uint32_t round) {
  switch (round) {
  case ROUND_RZ: return trunc(value);
  case ROUND_RM: return floor(value);
  case ROUND_RP: return ceil(value);
  default: return rint(value); // the host rounds to nearest even
  }
}

static uint64_t int_of_float(double value, const Insn *insn) {
  int64_t least;
  uint64_t most;
  int_range((PtxType)insn->to, &least, &most);
  if (isnan(value)) { // PTX ISA, cvt: 0; from .f64 or to 64 bits only the highest bit is set
    if (insn->from != PTX_F64 && ptx_type_bytes((PtxType)insn->to) < 8) return 0;
    return least < 0 ? (uint64_t)least : most - (most >> 1);
  }
  value = round_integral(value, insn->round);
  if (value <= (double)least) return (uint64_t)least;
  if (value >= (double)most) return most;
  return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

// Limits a 16-bit float to finite values. `infinity`: the type's infinity.
static uint64_t finite(uint64_t bits, uint64_t infinity, const Insn *insn) {
  return (insn->flags & FLAG_FINITE) && (bits & 0x7fff) == infinity ? bits - 1 : bits;
}

// The result's bits. FLAG_WIDE: .rni, .rzi ... between floats.
static uint64_t float_result(double value, const Insn *insn) {
  if (insn->flags & FLAG_WIDE) value = round_integral(value, insn->round);
  if (insn->flags & FLAG_SAT) value = double_saturate(value);
  if ((insn->flags & FLAG_RELU) && value <= 0) value = 0;
  Round round = insn->flags & FLAG_WIDE ? ROUND_RN : (Round)insn->round;
  switch (insn->to) {
  case PTX_F16: return finite(float_round(value, 10, 15, round), 0x7c00, insn);
  case PTX_BF16: return finite(float_round(value, 7, 127, round), 0x7f80, insn);
  case PTX_F32: {
    uint32_t bits = float_round(value, 23, 127, round);
    return insn->flags & FLAG_FTZ ? float_bits(float_flush(float_of(bits))) : bits;
  }
  default: return double_bits(value);
  }
}

// An exact integer as a float. The host rounds to binary64 in the right mode. Narrower floats come from a
// value rounded to odd.
static uint64_t float_of_int(uint64_t value, const Insn *insn) {
  bool negative = ptx_type_class((PtxType)insn->from) == CLASS_SIGNED && (int64_t)value < 0;
  uint64_t magnitude = negative ? 0 - value : value;
  double odd = odd_of_int(magnitude, negative);
  if (insn->to != PTX_F64) return float_result(odd, insn);
  int kept = 64;
  while (kept > 53 && !(magnitude >> (kept - 1))) kept--;
  int shift = kept > 53 ? kept - 53 : 0;
  uint64_t high = magnitude >> shift, rest = magnitude - (high << shift),
           half = shift ? (uint64_t)1 << (shift - 1) : 0;
  bool up = insn->round == ROUND_RM   ? negative && rest
            : insn->round == ROUND_RP ? !negative && rest
            : insn->round == ROUND_RZ ? false
                                      : rest > half || (rest && rest == half && (high & 1));
  double result = ldexp((double)(high + up), shift);
  return double_bits(insn->flags & FLAG_SAT ? double_saturate(negative ? -result : result)
                     : negative             ? -result
                                            : result);
}

static uint64_t convert_lane(const Insn *insn, const void *lanes, int l) {
  bool from_float = ptx_type_class((PtxType)insn->from) == CLASS_FLOAT;
  bool to_float = ptx_type_class((PtxType)insn->to) == CLASS_FLOAT;
  if (from_float && to_float) return float_result(float_lane(insn, lanes, l), insn);
  if (from_float) return int_of_float(float_lane(insn, lanes, l), insn);
  uint64_t value = int_lane(insn, lanes, l);
  if (to_float) return float_of_int(value, insn);
  if (insn->flags & FLAG_SAT)
    value = clamp_int(value, ptx_type_class((PtxType)insn->from) == CLASS_SIGNED, (PtxType)insn->to);
  return low_part((PtxType)insn->to, value); // a register may be wider than the type
}

// insn->count: bytes per lane of the destination register.
static void write_lanes(Warp *warp, const Insn *insn, const uint64_t *out, uint32_t mask) {
  for (int l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    if (insn->count == 2)
      ((uint16_t *)lanes_at(warp, insn->dst))[l] = (uint16_t)out[l];
    else if (insn->count == 4)
      ((uint32_t *)lanes_at(warp, insn->dst))[l] = (uint32_t)out[l];
    else
      ((uint64_t *)lanes_at(warp, insn->dst))[l] = out[l];
  }
}

void exec_convert(Warp *warp, const Insn *insn, uint32_t mask) {
  uint64_t out[LANES];
  const void *lanes = lanes_at(warp, insn->src[0]);
  for (int l = 0; l < LANES; l++) out[l] = convert_lane(insn, lanes, l);
  write_lanes(warp, insn, out, mask);
}

// cvt.rn.f16x2.f32 d, a, b: a goes to the high half. `to` is the element type.
void exec_convert_pair(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t out[LANES];
  const void *high = lanes_at(warp, insn->src[0]), *low = lanes_at(warp, insn->src[1]);
  for (int l = 0; l < LANES; l++)
    out[l] = (uint32_t)(convert_lane(insn, high, l) << 16 | convert_lane(insn, low, l));
  lanes_write32(warp, insn->dst, out, mask);
}

// The most common conversions: no flags, and registers of the types' widths.
#define DEFINE_CONVERT(function, S, T, bits, expression)                                                     \
  SIM_LANES static void function(Warp *warp, const Insn *insn, uint32_t mask) {                              \
    const S *as = lanes_at(warp, insn->src[0]);                                                              \
    T out[LANES];                                                                                            \
    for (int l = 0; l < LANES; l++) {                                                                        \
      S a = as[l];                                                                                           \
      out[l] = (T)(expression);                                                                              \
    }                                                                                                        \
    lanes_write##bits(warp, insn->dst, out, mask);                                                           \
  }

DEFINE_CONVERT(f32_of_f16, uint16_t, float, 32, float_of_half(a))
DEFINE_CONVERT(f32_of_bf16, uint16_t, float, 32, float_of_bf16(a))
DEFINE_CONVERT(f16_of_f32, float, uint16_t, 16, half_of_float(a))
DEFINE_CONVERT(bf16_of_f32, float, uint16_t, 16, bf16_of_float(a))
DEFINE_CONVERT(f32_of_s32, int32_t, float, 32, a)
DEFINE_CONVERT(f32_of_u32, uint32_t, float, 32, a)
DEFINE_CONVERT(f64_of_f32, float, double, 64, a)
DEFINE_CONVERT(s64_of_s32, int32_t, int64_t, 64, a)
DEFINE_CONVERT(u64_of_u32, uint32_t, uint64_t, 64, a)
DEFINE_CONVERT(u32_of_u64, uint64_t, uint32_t, 32, a)
DEFINE_CONVERT(u32_of_u16, uint16_t, uint32_t, 32, a)

typedef struct ConvertRow {
  PtxType to, from;
  ExecFn *exec;
} ConvertRow;

static const ConvertRow rows[] = {
    {PTX_F32, PTX_F16, f32_of_f16},   {PTX_F32, PTX_BF16, f32_of_bf16}, {PTX_F16, PTX_F32, f16_of_f32},
    {PTX_BF16, PTX_F32, bf16_of_f32}, {PTX_F32, PTX_S32, f32_of_s32},   {PTX_F32, PTX_U32, f32_of_u32},
    {PTX_F64, PTX_F32, f64_of_f32},   {PTX_S64, PTX_S32, s64_of_s32},   {PTX_U64, PTX_U32, u64_of_u32},
    {PTX_U32, PTX_U64, u32_of_u64},   {PTX_U32, PTX_U16, u32_of_u16},
};

static uint32_t own_bytes(PtxType type) { return ptx_type_bytes(type) == 1 ? 2 : ptx_type_bytes(type); }

ExecFn *exec_convert_find(const Insn *insn) {
  PtxType to = (PtxType)insn->to, from = (PtxType)insn->from;
  bool plain = insn->flags == 0 && insn->round == ROUND_RN && insn->extra == own_bytes(from) &&
               insn->count == own_bytes(to);
  for (size_t i = 0; plain && i < sizeof rows / sizeof *rows; i++)
    if (rows[i].to == to && rows[i].from == from) return rows[i].exec;
  return exec_convert;
}
