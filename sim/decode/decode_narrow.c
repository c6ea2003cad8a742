// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt of floats with 8 bits and fewer, of tf32 and of packed integers. Only cvt and matrices have these
// types.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"

static const char *const names[NARROW_COUNT] = {"e4m3x2", "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2"};

// The index of `name` among the modifiers. mod_count: not present.
static uint32_t modifier_at(const Decoder *d, const char *name) {
  uint32_t at = 0;
  while (at < d->mod_count && !str_is(d->mods[at], name)) at++;
  return at;
}

// cvt.rn.satfinite{.relu}.e4m3x2.f32 d, a, b, and .f16x2 d, a. In the other direction:
// cvt.rn{.relu}.f16x2.e4m3x2 d, a. Floats of 4 and 6 bits have no form from .f16x2. A pair of 4-bit floats is
// a .b8.
static void convert_fp8(Decoder *d, NarrowFloat format) {
  d->insn.to = format;
  if (mod_round(d) != ROUND_RN)
    decode_error(d, "%.*s needs .rn, and is not known otherwise", STR_ARG(d->stmt->name));
  bool saturates = mod_take(d, "satfinite");
  if (mod_take(d, "relu")) d->insn.flags |= FLAG_RELU;
  uint32_t at = modifier_at(d, names[format]); // finds which comes first, the narrow type or the other
  PtxType other = mod_need_type(d), own = format == NARROW_E2M1 ? PTX_B8 : PTX_B16;
  bool from_fp8 = at > 0 && str_is(d->mods[at - 1], "f16x2");
  bool eight = format == NARROW_E4M3 || format == NARROW_E5M2,
       pair = other == PTX_F16X2 && (from_fp8 || eight);
  if ((!pair && other != PTX_F32) || (from_fp8 ? saturates : !saturates))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.extra = from_fp8 ? FP8_TO_F16X2 : other == PTX_F32 ? FP8_FROM_F32 : FP8_FROM_F16X2;
  d->insn.dst = operand_dest(d, from_fp8 ? PTX_B32 : own);
  d->insn.src[0] = operand_source(d, from_fp8 ? own : other);
  if (d->insn.extra == FP8_FROM_F32) d->insn.src[1] = operand_source(d, PTX_F32);
  decode_emit_exec(d, exec_convert_fp8, KIND_LANES);
}

// cvt.{rz,rp}{.satfinite}.ue8m0x2.f32 d, a, b, and .bf16x2 d, a. In the other direction:
// cvt.rn.bf16x2.ue8m0x2 d, a.
static void convert_ue8m0(Decoder *d) {
  Round round = mod_round(d);
  uint32_t at = modifier_at(d, "ue8m0x2");
  bool back = at > 0 && str_is(d->mods[at - 1], "bf16x2");
  if (mod_take(d, "satfinite")) d->insn.flags |= FLAG_FINITE;
  PtxType other = mod_need_type(d);
  bool known = back ? round == ROUND_RN && !d->insn.flags : round == ROUND_RZ || round == ROUND_RP;
  if (!known || (other != PTX_BF16X2 && (back || other != PTX_F32)))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.round = (uint8_t)round;
  d->insn.extra = back ? UE8M0_TO_BF16X2 : other == PTX_F32 ? UE8M0_FROM_F32 : UE8M0_FROM_BF16X2;
  d->insn.dst = operand_dest(d, back ? PTX_B32 : PTX_B16);
  d->insn.src[0] = operand_source(d, back ? PTX_B16 : other);
  if (d->insn.extra == UE8M0_FROM_F32) d->insn.src[1] = operand_source(d, PTX_F32);
  decode_emit_exec(d, exec_convert_ue8m0, KIND_LANES);
}

// cvt.rs{.relu}{.satfinite}.f16x2.f32 d, a, b, random, and .bf16x2. With four values, which need .satfinite:
// cvt.rs{.relu}.satfinite.e4m3x4.f32 d, {a, b, e, f}, random.
static void convert_random(Decoder *d) {
  static const char *const fours[NARROW_COUNT] = {"e4m3x4", "e5m2x4", "e2m1x4", "e2m3x4", "e3m2x4"};
  uint32_t f = 0, n = 0, *slots = ARENA_ARRAY(d->arena, uint32_t, 5);
  while (f < NARROW_COUNT && !mod_take(d, fours[f])) f++;
  PtxType pair = f == NARROW_COUNT ? mod_need_type(d) : PTX_NONE;
  if (pair == PTX_BF16X2) f = NARROW_BF16;
  if (mod_take(d, "relu")) d->insn.flags |= FLAG_RELU;
  if (mod_take(d, "satfinite")) d->insn.flags |= FLAG_FINITE;
  bool known = pair ? pair == PTX_F16X2 || pair == PTX_BF16X2 : d->insn.flags & FLAG_FINITE;
  if (mod_need_type(d) != PTX_F32 || !known) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.to = (uint16_t)f;
  d->insn.dst = operand_dest(d, f == NARROW_E2M1 ? PTX_B16 : PTX_B32);
  if (pair) {
    while (n < 2) slots[n++] = operand_source(d, PTX_F32);
  } else {
    const PtxOperand *values = operand_next(d);
    for (const PtxOperand *v = values->kind == OPERAND_VECTOR ? values->items : NULL; v && n < 4; v = v->next)
      slots[n++] = source_of(d, v, PTX_F32);
    if (n != 4) decode_error(d, "four values in braces are needed");
  }
  slots[n++] = operand_source(d, PTX_B32);
  d->insn.u.slots = slots;
  d->insn.count = n;
  decode_emit_exec(d, exec_convert_random, KIND_LANES);
}

static void convert_tf32(Decoder *d) {
  static const Modifier roundings[] = {MOD_RNA, MOD_RN, MOD_RZ};
  d->insn.extra = (uint8_t)mod_one_of(d, roundings, 3);
  if (mod_take(d, "satfinite")) d->insn.flags |= FLAG_SAT;
  if (mod_take(d, "relu")) d->insn.flags |= FLAG_RELU;
  if (!d->insn.extra || mod_need_type(d) != PTX_F32)
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.dst = operand_dest(d, PTX_B32);
  d->insn.src[0] = operand_source(d, PTX_F32);
  decode_emit_exec(d, exec_convert_tf32, KIND_LANES);
}

// cvt.pack.sat.s16.s32 d, a, b. With 8 bits and fewer cvt.pack.sat.u8.s32.b32 d, a, b, c.
static void convert_pack(Decoder *d) {
  if (!mod_take(d, "sat")) decode_error(d, "cvt.pack needs .sat");
  static const char *const parts[] = {"u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16"};
  uint32_t part = 0;
  while (part < 8 && !mod_take(d, parts[part])) part++;
  bool narrow = part < 6; // has a third operand
  if (part == 8 || mod_need_type(d) != PTX_S32 || (narrow && mod_need_type(d) != PTX_B32))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.extra = (uint8_t)(2u << part / 2);
  if (part & 1) d->insn.flags |= FLAG_WIDE;
  d->insn.dst = operand_dest(d, PTX_B32);
  d->insn.src[0] = operand_source(d, PTX_S32);
  d->insn.src[1] = operand_source(d, PTX_S32);
  if (narrow) d->insn.src[2] = operand_source(d, PTX_B32);
  decode_emit_exec(d, exec_convert_pack, KIND_LANES);
}

bool decode_convert_narrow(Decoder *d) {
  for (uint32_t f = 0; f < NARROW_COUNT; f++)
    if (mod_take(d, names[f])) return convert_fp8(d, (NarrowFloat)f), true;
  if (mod_take(d, "rs"))
    convert_random(d);
  else if (mod_take(d, "ue8m0x2"))
    convert_ue8m0(d);
  else if (mod_take(d, "tf32"))
    convert_tf32(d);
  else if (mod_take(d, "pack"))
    convert_pack(d);
  else
    return false;
  return true;
}
