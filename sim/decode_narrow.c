// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt of 8-bit floats, tf32 and packed integers: types that only cvt and matrices know.
#include "sim/decode.h"
#include "sim/exec.h"

// cvt.rn.satfinite{.relu}.e4m3x2.f32 d, a, b; .f16x2 d, a; and back: cvt.rn{.relu}.f16x2.e4m3x2 d, a.
static void convert_fp8(Decoder *d, bool e5m2) {
  d->insn.to = e5m2;
  if (mod_round(d) != ROUND_RN) decode_error(d, "cvt of 8-bit floats needs .rn");
  bool saturates = mod_take(d, "satfinite");
  if (mod_take(d, "relu")) d->insn.flags |= FLAG_RELU;
  uint32_t at = 0; // which comes first, the 8-bit type or the other
  while (at < d->mod_count && !str_starts(d->mods[at], e5m2 ? "e5m2" : "e4m3")) at++;
  PtxType other = mod_need_type(d);
  bool from_fp8 = at > 0 && str_is(d->mods[at - 1], "f16x2");
  if ((other != PTX_F16X2 && other != PTX_F32) || (from_fp8 ? saturates : !saturates))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.extra = from_fp8 ? FP8_TO_F16X2 : other == PTX_F32 ? FP8_FROM_F32 : FP8_FROM_F16X2;
  d->insn.dst = operand_dest(d, from_fp8 ? PTX_B32 : PTX_B16);
  d->insn.src[0] = operand_source(d, from_fp8 ? PTX_B16 : other);
  if (d->insn.extra == FP8_FROM_F32) d->insn.src[1] = operand_source(d, PTX_F32);
  decode_emit_exec(d, exec_convert_fp8, KIND_LANES);
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

// cvt.pack.sat.s16.s32 d, a, b and, of 8 bits and fewer, cvt.pack.sat.u8.s32.b32 d, a, b, c.
static void convert_pack(Decoder *d) {
  if (!mod_take(d, "sat")) decode_error(d, "cvt.pack needs .sat");
  static const char *const parts[] = {"u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16"};
  uint32_t part = 0;
  while (part < 8 && !mod_take(d, parts[part])) part++;
  bool narrow = part < 6; // there is a third operand
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
  if (mod_take(d, "e4m3x2"))
    convert_fp8(d, false);
  else if (mod_take(d, "e5m2x2"))
    convert_fp8(d, true);
  else if (mod_take(d, "tf32"))
    convert_tf32(d);
  else if (mod_take(d, "pack"))
    convert_pack(d);
  else
    return false;
  return true;
}
