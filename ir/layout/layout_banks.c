// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory accesses: their width, and their bank conflicts.
#include <stddef.h>

#include "base/fault.h"
#include "base/integer.h"
#include "ir/layout/layout_parts.h"

enum { VECTOR_BYTES_BITS = 4, WORD_BYTES_BITS = 2, BANK_BITS = 5 };

Layout layout_offsets(const Layout *registers, const Layout *shared) {
  Layout inverse;
  if (registers->out_bits != shared->out_bits) BUG("a shared buffer of another tile's size");
  if (!layout_invert(shared, &inverse)) BUG("a shared layout that does not hold its tile");
  return layout_compose(registers, &inverse);
}

// The register bits that map to the lowest offset bits, one each, from the lowest up.
static uint32_t find_run(const Layout *offsets, uint32_t most, uint32_t *order) {
  for (uint32_t n = 0; n < most; n++) {
    uint32_t bit = 0;
    while (bit < offsets->bits[DIM_REGISTER] && offsets->basis[bit] != UINT32_C(1) << n) bit++;
    if (bit == offsets->bits[DIM_REGISTER]) return n;
    order[n] = bit;
  }
  return most;
}

// The number of lowest offset bits that only the run's registers affect.
static uint32_t aligned_run(const Layout *offsets, uint32_t run, const uint32_t *order) {
  uint32_t others = 0;
  for (uint32_t i = 0; i < layout_in_bits(offsets); i++) {
    bool in_run = false;
    for (uint32_t k = 0; k < run; k++) in_run = in_run || order[k] == i;
    if (!in_run) others |= offsets->basis[i];
  }
  uint32_t aligned = others ? lowest_bit(others) : 32;
  return min_u32(aligned, run);
}

// Completes an order whose first `n` entries are chosen.
static void append_others(const Layout *registers, uint32_t n, uint32_t *order) {
  uint32_t chosen = 0;
  for (uint32_t k = 0; k < n; k++) chosen |= UINT32_C(1) << order[k];
  for (uint32_t bit = 0; bit < registers->bits[DIM_REGISTER]; bit++)
    if (!(chosen >> bit & 1)) order[n++] = bit;
}

uint32_t layout_vector_bits(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                            uint32_t *register_order) {
  if (elem_bits > VECTOR_BYTES_BITS) BUG("shared elements of 2^%u bytes", elem_bits);
  const Layout offsets = layout_offsets(registers, shared);
  uint32_t run = find_run(&offsets, VECTOR_BYTES_BITS - elem_bits, register_order);
  run = aligned_run(&offsets, run, register_order);
  append_others(registers, run, register_order);
  return run;
}

uint32_t layout_phase_bits(uint32_t elem_bits, uint32_t vector_bits) {
  uint32_t bytes_bits = elem_bits + vector_bits;
  return bytes_bits > WORD_BYTES_BITS ? bytes_bits - WORD_BYTES_BITS : 0;
}

// The words that one phase touches form a subspace (shifted by a constant), and so do their banks. All
// touched banks hold the same number of words.
typedef struct Phase {
  Span words, banks;
} Phase;

static void phase_touch(Phase *phase, uint32_t offset, uint32_t elem_bits) {
  uint32_t word = (uint32_t)(((uint64_t)offset << elem_bits) >> WORD_BYTES_BITS);
  span_add(&phase->words, word, 0);
  span_add(&phase->banks, word & ((1u << BANK_BITS) - 1), 0);
}

static void touch_lanes(Phase *phase, const Layout *offsets, uint32_t from, uint32_t to, uint32_t elem_bits) {
  for (uint32_t i = from; i < to && i < offsets->bits[DIM_LANE]; i++)
    phase_touch(phase, layout_basis(offsets, DIM_LANE, i), elem_bits);
}

static uint32_t words_a_bank(const Phase *phase) {
  return UINT32_C(1) << (span_size(&phase->words) - span_size(&phase->banks));
}

uint32_t layout_wavefronts(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                           uint32_t vector_bits, const uint32_t *register_order, uint32_t *ideal) {
  const Layout offsets = layout_offsets(registers, shared);
  const uint32_t phase_bits = layout_phase_bits(elem_bits, vector_bits);
  Phase phase = {{{0}, {0}}, {{0}, {0}}};
  for (uint32_t i = 0; i < vector_bits; i++)
    phase_touch(&phase, layout_basis(&offsets, DIM_REGISTER, register_order[i]), elem_bits);
  touch_lanes(&phase, &offsets, 0, LANE_BITS - phase_bits, elem_bits);
  if (ideal) *ideal = UINT32_C(1) << phase_bits;
  return words_a_bank(&phase) << phase_bits;
}

// Returns true if lane bits from `lane` on map to `n` offset bits from `bit` on. Only these lanes and `run`
// registers may affect the offset bits below.
static bool makes_rows(const Layout *offsets, uint32_t run, const uint32_t *order, uint32_t lane,
                       uint32_t bit, uint32_t n) {
  Layout others = *offsets;
  if (offsets->bits[DIM_LANE] != LANE_BITS) return false;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = layout_first_bit(offsets, DIM_LANE) + lane + i;
    if (offsets->basis[at] != UINT32_C(1) << (bit + i)) return false;
    others.basis[at] = 0;
  }
  for (uint32_t i = 0; i < run; i++) others.basis[order[i]] = 0;
  for (uint32_t i = 0; i < layout_in_bits(&others); i++)
    if (others.basis[i] & ((UINT32_C(1) << (bit + n)) - 1)) return false;
  return true;
}

static uint32_t matrix_wavefronts(const Layout *offsets, LayoutMatrix kind, uint32_t row_register,
                                  uint32_t elem_bits) {
  Phase phase = {{{0}, {0}}, {{0}, {0}}};
  for (uint32_t bit = 0; bit < VECTOR_BYTES_BITS - elem_bits; bit++)
    phase_touch(&phase, UINT32_C(1) << bit, elem_bits);
  if (kind == MATRIX_PLAIN) {
    touch_lanes(&phase, offsets, 2, LANE_BITS, elem_bits);
  } else {
    touch_lanes(&phase, offsets, 0, 2, elem_bits);
    phase_touch(&phase, layout_basis(offsets, DIM_REGISTER, row_register), elem_bits);
  }
  return words_a_bank(&phase);
}

LayoutMatrix layout_matrix(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                           uint32_t *register_order, uint32_t *wavefronts) {
  if (elem_bits > WORD_BYTES_BITS) return MATRIX_NONE;
  const Layout offsets = layout_offsets(registers, shared);
  const uint32_t in_word = WORD_BYTES_BITS - elem_bits;
  if (find_run(&offsets, in_word, register_order) == in_word &&
      makes_rows(&offsets, in_word, register_order, 0, in_word, 2)) {
    *wavefronts = matrix_wavefronts(&offsets, MATRIX_PLAIN, 0, elem_bits);
    append_others(registers, in_word, register_order);
    return MATRIX_PLAIN;
  }
  if (elem_bits != 1 || registers->bits[DIM_REGISTER] == 0 || !makes_rows(&offsets, 0, NULL, 2, 0, 3))
    return MATRIX_NONE;
  *wavefronts = UINT32_MAX;
  for (uint32_t bit = 0; bit < registers->bits[DIM_REGISTER]; bit++) {
    uint32_t now = matrix_wavefronts(&offsets, MATRIX_TRANSPOSED, bit, elem_bits);
    if (now >= *wavefronts) continue;
    *wavefronts = now;
    register_order[0] = bit;
  }
  append_others(registers, 1, register_order);
  return MATRIX_TRANSPOSED;
}
