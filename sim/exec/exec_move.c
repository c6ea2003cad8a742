// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mov, packing and unpacking of vectors, clocks, and generic addresses.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

DEFINE_LANES(mov16, uint16_t, 16, a)
DEFINE_LANES(mov32, uint32_t, 32, a)
DEFINE_LANES(mov64, uint64_t, 64, a)

ExecFn *exec_mov_find(uint32_t bytes) { return bytes == 2 ? mov16 : bytes == 4 ? mov32 : mov64; }

void exec_mov_predicate(Warp *warp, const Insn *insn, uint32_t mask) {
  predicate_write(warp, insn->dst, predicate_at(warp, insn->src[0]), mask);
}

// Elements of `extra` bytes (1 in a 16-bit slot, 2, 4) in slots u.slots[0 .. count). UINT32_MAX for `_`. In
// total count * extra bytes.
void exec_pack(Warp *warp, const Insn *insn, uint32_t mask) {
  uint64_t out[LANES] = {0};
  for (uint32_t i = 0; i < insn->count; i++)
    for (int l = 0; l < LANES; l++) {
      const void *from = lanes_at(warp, insn->u.slots[i]);
      uint64_t element = insn->extra == 4 ? ((const uint32_t *)from)[l] : ((const uint16_t *)from)[l];
      if (insn->extra == 1) element &= 255;
      out[l] |= element << (8 * insn->extra * i);
    }
  uint32_t bytes = insn->count * insn->extra;
  for (int l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    if (bytes == 2)
      ((uint16_t *)lanes_at(warp, insn->dst))[l] = (uint16_t)out[l];
    else if (bytes == 4)
      ((uint32_t *)lanes_at(warp, insn->dst))[l] = (uint32_t)out[l];
    else
      ((uint64_t *)lanes_at(warp, insn->dst))[l] = out[l];
  }
}

void exec_unpack(Warp *warp, const Insn *insn, uint32_t mask) {
  uint64_t in[LANES];
  uint32_t bytes = insn->count * insn->extra;
  const void *from = lanes_at(warp, insn->src[0]);
  for (int l = 0; l < LANES; l++)
    in[l] = bytes == 2   ? ((const uint16_t *)from)[l]
            : bytes == 4 ? ((const uint32_t *)from)[l]
                         : ((const uint64_t *)from)[l];
  for (uint32_t i = 0; i < insn->count; i++) {
    if (insn->u.slots[i] == UINT32_MAX) continue;
    void *to = lanes_at(warp, insn->u.slots[i]);
    for (int l = 0; l < LANES; l++) {
      if (!(mask >> l & 1)) continue;
      uint64_t element = in[l] >> (8 * insn->extra * i);
      if (insn->extra == 4)
        ((uint32_t *)to)[l] = (uint32_t)element;
      else
        ((uint16_t *)to)[l] = (uint16_t)(insn->extra == 1 ? element & 255 : element);
    }
  }
}

// Registers of 128 bits: 16 bytes per lane, low half first.
void exec_mov_wide(Warp *warp, const Insn *insn, uint32_t mask) {
  const unsigned char *from = lanes_at(warp, insn->src[0]);
  unsigned char *to = lanes_at(warp, insn->dst);
  for (size_t l = 0; l < LANES; l++)
    if (mask >> l & 1) memmove(to + 16 * l, from + 16 * l, 16);
}

void exec_pack_wide(Warp *warp, const Insn *insn, uint32_t mask) {
  uint64_t *to = lanes_at(warp, insn->dst);
  for (size_t i = 0; i < 2; i++)
    for (size_t l = 0; l < LANES; l++)
      if (mask >> l & 1) to[2 * l + i] = ((const uint64_t *)lanes_at(warp, insn->u.slots[i]))[l];
}

void exec_unpack_wide(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint64_t *from = lanes_at(warp, insn->src[0]);
  for (size_t i = 0; i < 2; i++)
    for (size_t l = 0; l < LANES && insn->u.slots[i] != UINT32_MAX; l++)
      if (mask >> l & 1) ((uint64_t *)lanes_at(warp, insn->u.slots[i]))[l] = from[2 * l + i];
}

// The clock counts this host thread's warp instructions. count: bytes per lane.
void exec_clock(Warp *warp, const Insn *insn, uint32_t mask) {
  const Worker *worker = warp->block->worker;
  uint64_t now = worker->clock + warp->executed - worker->slice_begin, wide[LANES];
  uint32_t narrow[LANES];
  for (int l = 0; l < LANES; l++) wide[l] = now, narrow[l] = (uint32_t)now;
  if (insn->count == 8)
    lanes_write64(warp, insn->dst, wide, mask);
  else
    lanes_write32(warp, insn->dst, narrow, mask);
}

static uint64_t window_of(uint32_t space) {
  switch ((PtxSpace)space) {
  case SPACE_SHARED: return SHARED_WINDOW;
  case SPACE_LOCAL: return LOCAL_WINDOW;
  case SPACE_PARAM: return PARAM_WINDOW;
  case SPACE_GENERIC:
  case SPACE_REG:
  case SPACE_GLOBAL:
  case SPACE_CONST: break;
  }
  return 0;
}

// cvta: extra is the space. FLAG_NOT: .to.
void exec_window(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint64_t *from = lanes_at(warp, insn->src[0]);
  uint64_t base = window_of(insn->extra), out[LANES];
  for (int l = 0; l < LANES; l++) out[l] = insn->flags & FLAG_NOT ? from[l] - base : from[l] + base;
  lanes_write64(warp, insn->dst, out, mask);
}

void exec_isspacep(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint64_t *from = lanes_at(warp, insn->src[0]);
  uint64_t base = window_of(insn->extra);
  uint32_t result = 0;
  for (int l = 0; l < LANES; l++) {
    bool is = base ? from[l] >= base && from[l] - base < WINDOW_BYTES : from[l] < PARAM_WINDOW;
    result |= (uint32_t)is << l;
  }
  predicate_write(warp, insn->dst, result, mask);
}

void exec_nothing(Warp *warp, const Insn *insn, uint32_t mask) { (void)warp, (void)insn, (void)mask; }
