// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warp-level instructions across lanes. They run once all lanes of their member mask (src[3]) have arrived.
// PTX ISA 9.7.9.
#include "sim/machine/hooks.h"
#include "sim/exec/exec.h"
#include "sim/exec/float_bits.h"
#include "sim/machine/lanes.h"

// extra: MOD_IDX, UP, DOWN or BFLY. src: value, lane, clamp. dst UINT32_MAX: none. dst2: true if the source
// lane was in range.
void exec_shfl(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]),
                 *c = lanes_at(warp, insn->src[2]);
  uint32_t out[LANES], in_range = 0, sources = 0;
  for (int l = 0; l < LANES; l++) {
    int delta = (int)(b[l] & 31), clamp = (int)(c[l] & 31), segment = (int)(c[l] >> 8 & 31);
    int highest = (l & segment) | (clamp & ~segment), from;
    bool ok;
    switch (insn->extra) {
    case MOD_UP: from = l - delta, ok = from >= highest; break;
    case MOD_DOWN: from = l + delta, ok = from <= highest; break;
    case MOD_BFLY: from = l ^ delta, ok = from <= highest; break;
    default: /* MOD_IDX */ from = (l & segment) | (delta & ~segment), ok = from <= highest; break;
    }
    out[l] = a[ok ? from & 31 : l];
    in_range |= (uint32_t)ok << l;
    if (ok && (mask >> l & 1)) sources |= 1u << (from & 31);
  }
  sim_hook_shuffle(warp, insn, mask, sources);
  if (insn->dst != UINT32_MAX) lanes_write32(warp, insn->dst, out, mask);
  if (insn->dst2 != UINT32_MAX) predicate_write(warp, insn->dst2, in_range, mask);
}

// extra: MOD_ALL, ANY, UNI or BALLOT.
void exec_vote(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t votes = predicate_at(warp, insn->src[0]);
  if (insn->flags & FLAG_NOT) votes = ~votes;
  votes &= mask;
  if (insn->extra == MOD_BALLOT) {
    uint32_t out[LANES];
    for (int l = 0; l < LANES; l++) out[l] = votes;
    lanes_write32(warp, insn->dst, out, mask);
    return;
  }
  bool result = insn->extra == MOD_ALL   ? votes == mask
                : insn->extra == MOD_ANY ? votes != 0
                                         : votes == 0 || votes == mask;
  predicate_write(warp, insn->dst, result ? ALL_LANES : 0, mask);
}

void exec_activemask(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t out[LANES];
  for (int l = 0; l < LANES; l++) out[l] = mask;
  lanes_write32(warp, insn->dst, out, mask);
}

static uint32_t reduce_pair(Operation op, bool is_signed, uint32_t a, uint32_t b) {
  bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
  if (op == OP_ADD) return a + b;
  if (op == OP_MIN) return less ? a : b;
  if (op == OP_MAX) return less ? b : a;
  return op == OP_AND ? a & b : op == OP_OR ? a | b : a ^ b;
}

// redux of f32. FLAG_XORSIGN: .abs, of magnitudes.
static void redux_floats(Warp *warp, const Insn *insn, uint32_t mask) {
  const float *a = lanes_at(warp, insn->src[0]);
  bool magnitudes = insn->flags & FLAG_XORSIGN, first = true;
  float result = 0, out[LANES];
  for (int l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    float value = magnitudes ? fabsf(a[l]) : a[l];
    result = f32_pick(first ? value : result, value, insn->extra == OP_MIN, insn->flags & FLAG_NAN);
    first = false;
  }
  for (int l = 0; l < LANES; l++) out[l] = result;
  lanes_write32(warp, insn->dst, out, mask);
}

// extra: the Operation; from: the type.
void exec_redux(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *a = lanes_at(warp, insn->src[0]);
  if (insn->from == PTX_F32) {
    redux_floats(warp, insn, mask);
    return;
  }
  uint32_t result = 0, out[LANES];
  bool first = true, is_signed = insn->from == PTX_S32;
  for (int l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    result = first ? a[l] : reduce_pair((Operation)insn->extra, is_signed, result, a[l]);
    first = false;
  }
  for (int l = 0; l < LANES; l++) out[l] = result;
  lanes_write32(warp, insn->dst, out, mask);
}

// Elects the lowest lane.
void exec_elect(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t leader = lowest_lane(mask), out[LANES];
  for (int l = 0; l < LANES; l++) out[l] = leader;
  if (insn->dst != UINT32_MAX) lanes_write32(warp, insn->dst, out, mask);
  if (insn->dst2 != UINT32_MAX) predicate_write(warp, insn->dst2, 1u << leader, mask);
}

// match: dst is the mask of lanes with the lane's value. For .all (extra MOD_ALL) it is the member mask if
// all have one value, else 0. dst2 (.all) is true in that case. count: bytes of the value.
void exec_match(Warp *warp, const Insn *insn, uint32_t mask) {
  const void *values = lanes_at(warp, insn->src[0]);
  uint32_t same[LANES] = {0}, all = 0;
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t k = 0; k < LANES && (mask >> l & 1); k++) {
      bool equal = insn->count == 4 ? ((const uint32_t *)values)[l] == ((const uint32_t *)values)[k]
                                    : ((const uint64_t *)values)[l] == ((const uint64_t *)values)[k];
      same[l] |= (uint32_t)(equal && (mask >> k & 1)) << k;
    }
  if (insn->extra == MOD_ALL)
    for (uint32_t l = 0; l < LANES; l++) {
      bool every = same[l] == mask;
      all |= (uint32_t)every << l;
      same[l] = every ? mask : 0;
    }
  if (insn->dst != UINT32_MAX) lanes_write32(warp, insn->dst, same, mask);
  if (insn->dst2 != UINT32_MAX) predicate_write(warp, insn->dst2, all, mask);
}
