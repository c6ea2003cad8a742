// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to shared memory: how wide, and how often they meet in a bank.
#include "base/fault.h"
#include "ir/layout_parts.h"

enum { VECTOR_BYTES_BITS = 4, WORD_BYTES_BITS = 2, BANK_BITS = 5 };

Layout layout_offsets(const Layout *registers, const Layout *shared) {
  Layout inverse;
  if (registers->out_bits != shared->out_bits) BUG("a shared buffer of another tile's size");
  if (!layout_invert(shared, &inverse)) BUG("a shared layout that does not hold its tile");
  return layout_compose(registers, &inverse);
}

// The register bits that stand for the lowest offset bits, each for one, from the lowest up.
static uint32_t find_run(const Layout *offsets, uint32_t most, uint32_t *order) {
  for (uint32_t n = 0; n < most; n++) {
    uint32_t bit = 0;
    while (bit < offsets->bits[DIM_REGISTER] && offsets->basis[bit] != UINT32_C(1) << n) bit++;
    if (bit == offsets->bits[DIM_REGISTER]) return n;
    order[n] = bit;
  }
  return most;
}

// How many of the lowest offset bits nothing but the run's registers touches.
static uint32_t aligned_run(const Layout *offsets, uint32_t run, const uint32_t *order) {
  uint32_t others = 0;
  for (uint32_t i = 0; i < layout_in_bits(offsets); i++) {
    bool in_run = false;
    for (uint32_t k = 0; k < run; k++) in_run = in_run || order[k] == i;
    if (!in_run) others |= offsets->basis[i];
  }
  uint32_t aligned = others ? (uint32_t)__builtin_ctz(others) : 32;
  return aligned < run ? aligned : run;
}

uint32_t layout_vector_bits(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                            uint32_t *register_order) {
  if (elem_bits > VECTOR_BYTES_BITS) BUG("shared elements of 2^%u bytes", elem_bits);
  const Layout offsets = layout_offsets(registers, shared);
  uint32_t run = find_run(&offsets, VECTOR_BYTES_BITS - elem_bits, register_order);
  run = aligned_run(&offsets, run, register_order);
  uint32_t n = run;
  for (uint32_t bit = 0; bit < registers->bits[DIM_REGISTER]; bit++) {
    bool in_run = false;
    for (uint32_t k = 0; k < run; k++) in_run = in_run || register_order[k] == bit;
    if (!in_run) register_order[n++] = bit;
  }
  return run;
}

uint32_t layout_phase_bits(uint32_t elem_bits, uint32_t vector_bits) {
  uint32_t bytes_bits = elem_bits + vector_bits;
  return bytes_bits > WORD_BYTES_BITS ? bytes_bits - WORD_BYTES_BITS : 0;
}

uint32_t layout_wavefronts(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                           uint32_t vector_bits, const uint32_t *register_order, uint32_t *ideal) {
  const Layout offsets = layout_offsets(registers, shared);
  const uint32_t phase_bits = layout_phase_bits(elem_bits, vector_bits);
  Span words = {0}, banks = {0};
  // The words of one phase are a subspace (moved by a constant); so are the banks, and equally many words are
  // in each of them.
  for (uint32_t i = 0; i < vector_bits + LANE_BITS - phase_bits; i++) {
    uint32_t lane = i - vector_bits;
    if (i >= vector_bits && lane >= offsets.bits[DIM_LANE]) break;
    uint32_t offset = i < vector_bits ? layout_basis(&offsets, DIM_REGISTER, register_order[i])
                                      : layout_basis(&offsets, DIM_LANE, lane);
    uint32_t word = (uint32_t)(((uint64_t)offset << elem_bits) >> WORD_BYTES_BITS);
    span_add(&words, word, 0);
    span_add(&banks, word & ((1u << BANK_BITS) - 1), 0);
  }
  if (ideal) *ideal = UINT32_C(1) << phase_bits;
  return UINT32_C(1) << (phase_bits + span_size(&words) - span_size(&banks));
}
