// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vadd, vsub, vavrg, vabsdiff, vmin, vmax on pairs and quads. PTX ISA 9.7.18.2.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

static inline int32_t part_of(uint32_t word, uint32_t at, uint32_t bits, bool is_signed) {
  uint32_t part = word >> at & ((1u << bits) - 1);
  return is_signed && part >> (bits - 1) ? (int32_t)part - (1 << bits) : (int32_t)part;
}

static int32_t of_parts(uint32_t op, int32_t a, int32_t b) {
  switch (op) {
  case OP_VADD2:
  case OP_VADD4: return a + b;
  case OP_VSUB2:
  case OP_VSUB4: return a - b;
  case OP_VAVRG2:
  case OP_VAVRG4: return (a + b + (a + b >= 0)) >> 1;
  case OP_VABSDIFF2:
  case OP_VABSDIFF4: return a < b ? b - a : a - b;
  case OP_VMIN2:
  case OP_VMIN4: return a < b ? a : b;
  default: return a > b ? a : b;
  }
}

static int32_t clamp(int32_t value, uint32_t bits, bool is_signed) {
  int32_t most = (1 << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
  return value < least ? least : value > most ? most : value;
}

// extra: the operation. count: bits of a part. from, to: nonzero if a's and b's parts are signed. FLAG_NOT:
// the result's are. FLAG_WIDE: .add, the sum of all parts and c.
void exec_video(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);
  const uint32_t *cs = lanes_at(warp, insn->src[2]);
  uint32_t out[LANES], bits = insn->count;
  for (int l = 0; l < LANES; l++) {
    bool sum = insn->flags & FLAG_WIDE;
    out[l] = sum ? cs[l] : 0;
    for (uint32_t at = 0; at < 32; at += bits) {
      int32_t value =
          of_parts(insn->extra, part_of(as[l], at, bits, insn->from), part_of(bs[l], at, bits, insn->to));
      if (insn->flags & FLAG_SAT) value = clamp(value, bits, insn->flags & FLAG_NOT);
      out[l] += sum ? (uint32_t)value : ((uint32_t)value & ((1u << bits) - 1)) << at;
    }
  }
  lanes_write32(warp, insn->dst, out, mask);
}
