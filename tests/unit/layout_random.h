// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random layouts small enough to enumerate every index of, for the layout tests.
#ifndef TESTS_UNIT_LAYOUT_RANDOM_H
#define TESTS_UNIT_LAYOUT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/layout/layout.h"

enum { TRIALS = 3000 };

static inline uint32_t random_below(uint64_t *state, uint32_t n) { // xorshift64* (Vigna, 2016)
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((*state * 0x2545f4914f6cdd1du) >> 33) % n;
}

static inline void add_basis(Layout *layout, uint32_t *n, LayoutDim dim, uint32_t basis) {
  layout->basis[(*n)++] = basis;
  layout->bits[dim]++;
}

// Bases of all kinds: unit vectors, zeros, sums.
static inline Layout random_layout(uint64_t *state, uint32_t out_bits, const uint32_t bits[3]) {
  Layout layout = {.out_bits = (uint8_t)out_bits};
  uint32_t n = 0;
  for (int d = 0; d < 3; d++)
    for (uint32_t i = 0; i < bits[d]; i++) {
      uint32_t kind = random_below(state, 4), basis = random_below(state, 1u << out_bits);
      if (kind < 2 && out_bits) basis = 1u << random_below(state, out_bits);
      add_basis(&layout, &n, (LayoutDim)d, kind == 3 && basis % 2 ? 0 : basis);
    }
  return layout;
}

static inline uint32_t apply_flat(const Layout *layout, uint32_t x) {
  uint32_t lane_at = layout->bits[DIM_REGISTER], warp_at = lane_at + layout->bits[DIM_LANE];
  return layout_apply(layout, x & ((1u << lane_at) - 1), x >> lane_at & ((1u << layout->bits[DIM_LANE]) - 1),
                      x >> warp_at, 0);
}

static inline Layout random_small(uint64_t *state) {
  uint32_t bits[3] = {random_below(state, 4), random_below(state, 4), random_below(state, 3)};
  return random_layout(state, random_below(state, 7), bits);
}

#endif
