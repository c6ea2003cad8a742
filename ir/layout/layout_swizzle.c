// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared-memory layout of a conversion. Its offset bits are, from the lowest:
// * the vector: registers that one access moves;
// * the rest of a 32-bit word;
// * the banks;
// * the segment, which chooses among rows of 128 bytes.
//
// An access has no bank conflicts iff the segment is independent of the span of the word, the vector and the
// lanes of one phase. Two subspaces of at most the banks' size have a common complement. So a vector of
// registers of both sides is conflict-free. So is a vector of only one side's registers up to a word. A
// longer one is too if the other side's lanes run through it.
#include "ir/layout/layout_parts.h"

enum { ROW_BYTES_BITS = 7, WORD_BYTES_BITS = 2, VECTOR_BYTES_BITS = 4, SIDES = 2 };

typedef struct List {
  uint32_t at[32], n;
} List;

typedef struct Candidate {
  Layout shared;
  uint32_t wavefronts, accesses; // of a warp's stores and loads of the tile
  uint32_t vector;               // its bits in the tile's index
} Candidate;

static bool list_has(const List *list, uint32_t word) {
  for (uint32_t i = 0; i < list->n; i++)
    if (list->at[i] == word) return true;
  return false;
}

// Returns true if the word is a basis of registers only, not of lanes or warps.
static bool is_register(const Layout *side, uint32_t word) {
  bool found = false;
  for (uint32_t i = 0; i < layout_in_bits(side); i++) {
    if (side->basis[i] != word) continue;
    if (i >= side->bits[DIM_REGISTER]) return false;
    found = true;
  }
  return found;
}

// Finds everything except the vector: a basis whose span contains all other bases of both sides. So no
// thread's address has bits within a vector. Returns false if those bits cannot be separated from the vector.
static bool find_rest(const Layout *const side[SIDES], const List *vector, List *rest) {
  Span span = {0};
  rest->n = 0;
  for (uint32_t s = 0; s < SIDES; s++)
    for (uint32_t i = 0; i < layout_in_bits(side[s]); i++)
      if (!list_has(vector, side[s]->basis[i]) && span_add(&span, side[s]->basis[i], 0))
        rest->at[rest->n++] = side[s]->basis[i];
  for (uint32_t i = 0; i < vector->n; i++)
    if (!span_add(&span, vector->at[i], 0)) return false;
  for (uint32_t i = 0; i < side[0]->out_bits; i++)
    if (span_add(&span, UINT32_C(1) << i, 0)) rest->at[rest->n++] = UINT32_C(1) << i;
  for (uint32_t i = 1; i < rest->n; i++) // insertion sort, ascending
    for (uint32_t k = i; k > 0 && rest->at[k - 1] > rest->at[k]; k--) {
      uint32_t swap = rest->at[k];
      rest->at[k] = rest->at[k - 1];
      rest->at[k - 1] = swap;
    }
  return true;
}

// Adds registers of `by` to the vector, up to `most` bits in total. They must also be registers of `also`, if
// it is not NULL.
static void grow_vector(const Layout *const side[SIDES], const Layout *by, const Layout *also, uint32_t most,
                        List *vector) {
  for (uint32_t i = 0; i < by->bits[DIM_REGISTER] && vector->n < most; i++) {
    uint32_t basis = by->basis[i];
    if (!basis || list_has(vector, basis) || !is_register(by, basis)) continue;
    if (also && !is_register(also, basis)) continue;
    List rest;
    vector->at[vector->n++] = basis;
    if (!find_rest(side, vector, &rest)) vector->n--;
  }
}

// The subspace that a phase of the side's accesses touches besides the vector: word and lanes. The vector is
// not needed: segments come from the rest, and no lane mixes the two.
static Span phase_span(const Layout *side, const List *vector, const List *word, uint32_t elem_bits) {
  Span span = {0};
  uint32_t own = 0;
  while (own < vector->n && is_register(side, vector->at[own])) own++;
  for (uint32_t i = 0; i < word->n; i++) span_add(&span, word->at[i], 0);
  uint32_t lanes = LANE_BITS - layout_phase_bits(elem_bits, own);
  for (uint32_t i = 0; i < lanes && i < side->bits[DIM_LANE]; i++)
    span_add(&span, layout_basis(side, DIM_LANE, i), 0);
  return span;
}

// A vector in the list's span outside `span`, from the highest; 0: none.
static uint32_t vector_outside(const List *list, const Span *span) {
  for (uint32_t i = list->n; i-- > 0;)
    if (!span_has(span, list->at[i])) return list->at[i];
  return 0;
}

// A vector in the rest's span outside both; if there is none, outside one. Never one in `taken`.
static uint32_t choose_segment(const List *rest, const Span touched[SIDES], const Span *taken) {
  for (uint32_t i = rest->n; i-- > 0;)
    if (!span_has(&touched[0], rest->at[i]) && !span_has(&touched[1], rest->at[i])) return rest->at[i];
  uint32_t first = vector_outside(rest, &touched[0]), second = vector_outside(rest, &touched[1]);
  if (first && second) return first ^ second; // each is in the other's span, so the sum is in neither
  return first || second ? first ^ second : vector_outside(rest, taken);
}

// Returns true if lanes 2 .. 4 of the side run along a vector of 8 elements of 2 bytes: rows of a transposing
// ldmatrix.
static bool can_transpose(const Layout *side, const List *vector, uint32_t elem_bits) {
  if (elem_bits != 1 || vector->n != 3 || side->bits[DIM_LANE] != LANE_BITS || !side->bits[DIM_REGISTER])
    return false;
  for (uint32_t i = 0; i < 3; i++)
    if (layout_basis(side, DIM_LANE, 2 + i) != vector->at[i]) return false;
  return true;
}

// The rows of a transposing ldmatrix.
static Span matrix_span(const Layout *side) {
  Span span = {0};
  span_add(&span, side->basis[0], 0);
  for (uint32_t i = 0; i < 2; i++) span_add(&span, layout_basis(side, DIM_LANE, i), 0);
  return span;
}

static Layout layout_of_parts(const Layout *const side[SIDES], const List *vector, const List *rest,
                              uint32_t elem_bits) {
  const uint32_t bits = side[0]->out_bits, row = ROW_BYTES_BITS - elem_bits;
  List word = {.n = 0}, segment = {.n = 0};
  while (vector->n + word.n + elem_bits < WORD_BYTES_BITS && word.n < rest->n) {
    word.at[word.n] = rest->at[word.n];
    word.n++;
  }
  Span taken = {0};
  for (uint32_t i = 0; i < vector->n; i++) span_add(&taken, vector->at[i], 0);
  for (uint32_t i = 0; i < word.n; i++) span_add(&taken, word.at[i], 0);
  Span touched[SIDES];
  for (uint32_t s = 0; s < SIDES; s++) touched[s] = phase_span(side[s], vector, &word, elem_bits);
  if (can_transpose(side[1], vector, elem_bits)) touched[1] = matrix_span(side[1]);
  while (segment.n + row < bits) {
    uint32_t chosen = choose_segment(rest, touched, &taken);
    segment.at[segment.n++] = chosen;
    span_add(&taken, chosen, 0);
    for (uint32_t s = 0; s < SIDES; s++) span_add(&touched[s], chosen, 0);
  }
  Layout shared = {.out_bits = (uint8_t)bits};
  for (uint32_t i = 0; i < vector->n; i++) layout_add(&shared, DIM_OFFSET, vector->at[i]);
  for (uint32_t i = 0; i < word.n; i++) layout_add(&shared, DIM_OFFSET, word.at[i]);
  for (uint32_t i = 0; i < rest->n; i++)
    if (span_add(&taken, rest->at[i], 0)) layout_add(&shared, DIM_OFFSET, rest->at[i]);
  for (uint32_t i = 0; i < segment.n; i++) layout_add(&shared, DIM_OFFSET, segment.at[i]);
  return shared;
}

static bool costs_less(uint32_t wavefronts, uint32_t accesses, uint32_t other_wavefronts,
                       uint32_t other_accesses) {
  return wavefronts != other_wavefronts ? wavefronts < other_wavefronts : accesses < other_accesses;
}

typedef struct Cost {
  uint32_t wavefronts, accesses;
} Cost;

// The cost of the side's accesses. `*matrices`: true if they are by matrices, four at a time, and not by vectors.
static Cost cost_of(const Layout *side, const Layout *shared, bool load, uint32_t elem_bits, bool *matrices) {
  const Layout used = layout_drop_registers(side);
  const uint32_t registers = used.bits[DIM_REGISTER];
  uint32_t order[LAYOUT_MAX_BITS], each = 0;
  uint32_t wide = layout_vector_bits(&used, shared, elem_bits, order);
  Cost vectors = {.accesses = UINT32_C(1) << (registers - wide)};
  vectors.wavefronts = vectors.accesses * layout_wavefronts(&used, shared, elem_bits, wide, order, NULL);
  *matrices = false;
  if (!load || layout_matrix(&used, shared, elem_bits, order, &each) == MATRIX_NONE) return vectors;
  uint32_t count = UINT32_C(1) << (registers + elem_bits - WORD_BYTES_BITS);
  Cost whole = {.wavefronts = count * each, .accesses = (count + 3) / 4};
  *matrices = costs_less(whole.wavefronts, whole.accesses, vectors.wavefronts, vectors.accesses);
  return *matrices ? whole : vectors;
}

bool layout_prefers_matrices(const Layout *registers, const Layout *shared, uint32_t elem_bits) {
  bool matrices;
  cost_of(registers, shared, true, elem_bits, &matrices);
  return matrices;
}

static Candidate candidate_of(const Layout *const side[SIDES], const List *vector, uint32_t elem_bits) {
  List rest;
  find_rest(side, vector, &rest);
  Candidate candidate = {.shared = layout_of_parts(side, vector, &rest, elem_bits)};
  for (uint32_t i = 0; i < vector->n; i++) candidate.vector |= vector->at[i];
  for (uint32_t s = 0; s < SIDES; s++) {
    bool matrices;
    Cost cost = cost_of(side[s], &candidate.shared, s == 1, elem_bits, &matrices);
    candidate.wavefronts += cost.wavefronts;
    candidate.accesses += cost.accesses;
  }
  return candidate;
}

static bool is_better(const Candidate *a, const Candidate *b) {
  if (a->wavefronts == b->wavefronts && a->accesses == b->accesses)
    return a->vector < b->vector; // along the tile's fastest dimension, like copies from global memory
  return costs_less(a->wavefronts, a->accesses, b->wavefronts, b->accesses);
}

// Tries the vector `from`, grown by each side's registers to every size.
static void try_from(const Layout *const side[SIDES], const List *from, uint32_t most, uint32_t elem_bits,
                     Candidate *best) {
  for (uint32_t s = 0; s < SIDES; s++)
    for (uint32_t bits = from->n + 1; bits <= most; bits++) {
      List vector = *from;
      grow_vector(side, side[s], NULL, bits, &vector);
      if (vector.n < bits) break;
      Candidate candidate = candidate_of(side, &vector, elem_bits);
      if (is_better(&candidate, best)) *best = candidate;
    }
}

Layout layout_swizzle(const Layout *src, const Layout *dst, uint32_t elem_bits) {
  const Layout *const side[SIDES] = {src, dst};
  const uint32_t most = elem_bits < VECTOR_BYTES_BITS ? VECTOR_BYTES_BITS - elem_bits : 0;
  List common = {.n = 0};
  grow_vector(side, src, dst, most, &common);
  Candidate best = candidate_of(side, &common, elem_bits);
  try_from(side, &common, most, elem_bits, &best);
  if (common.n) try_from(side, &(List){.n = 0}, most, elem_bits, &best);
  return best.shared;
}

bool layout_swizzle_along(const Layout *src, const Layout *dst, uint32_t elem_bits, uint32_t bits,
                          Layout *shared) {
  const Layout *const side[SIDES] = {src, dst};
  List vector = {.n = 0}, rest;
  while (vector.n < bits && vector.n < src->bits[DIM_REGISTER] && is_register(src, src->basis[vector.n])) {
    vector.at[vector.n] = src->basis[vector.n];
    vector.n++;
  }
  if (vector.n < bits || elem_bits + bits > VECTOR_BYTES_BITS || !find_rest(side, &vector, &rest))
    return false;
  *shared = candidate_of(side, &vector, elem_bits).shared;
  return true;
}
