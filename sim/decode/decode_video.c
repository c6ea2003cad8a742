// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Video instructions on pairs of 16-bit halves and on quads of bytes: PTX ISA 9.7.18.2, without selectors and
// masks.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"

static bool take_signed(Decoder *d) {
  PtxType type = mod_need_type(d);
  if (type != PTX_U32 && type != PTX_S32) decode_error(d, "%.*s works on .u32 and .s32", STR_ARG(d->base));
  return type == PTX_S32;
}

void decode_video(Decoder *d) {
  bool sum = mod_take(d, "add");
  if (sum) d->insn.flags |= FLAG_WIDE;
  if (mod_take(d, "sat")) d->insn.flags |= FLAG_SAT;
  if (sum && (d->insn.flags & FLAG_SAT)) decode_error(d, "%.*s has .sat or .add", STR_ARG(d->base));
  if (take_signed(d)) d->insn.flags |= FLAG_NOT;
  d->insn.from = take_signed(d);
  d->insn.to = take_signed(d);
  d->insn.extra = (uint8_t)d->op;
  d->insn.count = d->base.at[d->base.n - 1] == '4' ? 8 : 16;
  d->insn.dst = operand_dest(d, PTX_B32);
  for (int i = 0; i < 3; i++) d->insn.src[i] = operand_source(d, PTX_B32);
  d->insn.exec = exec_video;
  d->insn.kind = KIND_LANES;
  decode_emit(d);
}
