// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers that read and write the lanes of a register.
#ifndef SIM_MACHINE_LANES_H
#define SIM_MACHINE_LANES_H

#include <string.h>
#include "sim/machine/state.h"

// Compiled twice and chosen at load time, to use wide vectors and fused multiply-add on CPUs that have them.
// Not with sanitizers: their code cannot run as early as the choice.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define SIM_LANES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SIM_LANES
#endif

static inline void *lanes_at(const Warp *warp, uint32_t slot) { return warp->regs + slot; }

static inline uint32_t predicate_at(const Warp *warp, uint32_t slot) {
  uint32_t mask;
  memcpy(&mask, warp->regs + slot, sizeof mask);
  return mask;
}

static inline void predicate_write(Warp *warp, uint32_t slot, uint32_t value, uint32_t mask) {
  uint32_t old = predicate_at(warp, slot);
  old = (old & ~mask) | (value & mask);
  memcpy(warp->regs + slot, &old, sizeof old);
}

// Bit l of the result is bytes[l], each 0 or 1.
static inline uint32_t predicate_pack(const uint8_t *bytes) {
  uint32_t mask = 0;
  for (int i = 0; i < 4; i++) {
    uint64_t eight = 0;
    for (int k = 0; k < 8; k++) eight |= (uint64_t)bytes[8 * i + k] << k;
    mask |= (uint32_t)eight << (8 * i);
  }
  return mask;
}

static inline void lanes_write16(Warp *warp, uint32_t slot, const uint16_t *from, uint32_t mask) {
  uint16_t *to = lanes_at(warp, slot);
  if (mask == ALL_LANES)
    memcpy(to, from, LANES * sizeof *to);
  else
    for (int l = 0; l < LANES; l++) to[l] = mask >> l & 1 ? from[l] : to[l];
}

static inline void lanes_write32(Warp *warp, uint32_t slot, const void *from, uint32_t mask) {
  uint32_t *to = lanes_at(warp, slot), values[LANES];
  if (mask == ALL_LANES)
    memcpy(to, from, LANES * sizeof *to);
  else {
    memcpy(values, from, sizeof values);
    for (int l = 0; l < LANES; l++) to[l] = mask >> l & 1 ? values[l] : to[l];
  }
}

static inline void lanes_write64(Warp *warp, uint32_t slot, const void *from, uint32_t mask) {
  uint64_t *to = lanes_at(warp, slot), values[LANES];
  if (mask == ALL_LANES)
    memcpy(to, from, LANES * sizeof *to);
  else {
    memcpy(values, from, sizeof values);
    for (int l = 0; l < LANES; l++) to[l] = mask >> l & 1 ? values[l] : to[l];
  }
}

// The destination of 32 results: the register itself if every lane runs, else `scratch`, which lanes_merge
// then blends in. Lane l of a source is read before lane l of the result is written. So both may be one
// register.
static inline void *lanes_result(Warp *warp, uint32_t slot, void *scratch, uint32_t mask) {
  return mask == ALL_LANES ? lanes_at(warp, slot) : scratch;
}

static inline void lanes_merge16(Warp *warp, uint32_t slot, const uint16_t *scratch, uint32_t mask) {
  if (mask != ALL_LANES) lanes_write16(warp, slot, scratch, mask);
}

static inline void lanes_merge32(Warp *warp, uint32_t slot, const void *scratch, uint32_t mask) {
  if (mask != ALL_LANES) lanes_write32(warp, slot, scratch, mask);
}

static inline void lanes_merge64(Warp *warp, uint32_t slot, const void *scratch, uint32_t mask) {
  if (mask != ALL_LANES) lanes_write64(warp, slot, scratch, mask);
}

// For a loop over lanes that reads registers and writes results. No lane depends on another.
#if defined(__GNUC__) && !defined(__clang__)
#define LANES_ARE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LANES_ARE_INDEPENDENT
#endif

// One function per instruction and type. DEFINE_LANES(function, T, bits, expression of a, b, c) computes 32
// results of T.
#define DEFINE_LANES(function, T, bits, expression)                                                          \
  SIM_LANES static void function(Warp *warp, const Insn *insn, uint32_t mask) {                              \
    const T *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);                          \
    const T *cs = lanes_at(warp, insn->src[2]);                                                              \
    uint##bits##_t scratch[LANES], *out = lanes_result(warp, insn->dst, scratch, mask);                      \
    LANES_ARE_INDEPENDENT                                                                                    \
    for (int l = 0; l < LANES; l++) {                                                                        \
      T a = as[l], b = bs[l], c = cs[l];                                                                     \
      (void)b, (void)c;                                                                                      \
      out[l] = (uint##bits##_t)(expression);                                                                 \
    }                                                                                                        \
    lanes_merge##bits(warp, insn->dst, scratch, mask);                                                       \
  }

#endif
