// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widths and bank conflicts of accesses to shared memory, against addresses and the simulator's counters.
#include "tests/unit/unit.h"
#include "ir/layout/layout.h"
#include "sim/machine/counters.h"
#include "tests/unit/layout_random.h"

static Layout random_shared(uint64_t *state, uint32_t bits) {
  Layout shared = {.bits = {[DIM_OFFSET] = (uint8_t)bits}, .out_bits = (uint8_t)bits};
  for (uint32_t i = 0; i < bits; i++) shared.basis[i] = 1u << i;
  for (uint32_t step = bits ? random_below(state, 3) * bits : 0; step > 0; step--) {
    uint32_t i = random_below(state, bits), k = random_below(state, bits);
    if (i != k) shared.basis[i] ^= shared.basis[k];
  }
  return shared;
}

// Lanes and registers that often fit the buffer: offsets of one bit, pushed through it.
static Layout random_registers(uint64_t *state, const Layout *shared) {
  uint32_t bits[3] = {random_below(state, 5), LANE_BITS, random_below(state, 2)};
  Layout l = random_layout(state, shared->out_bits, bits);
  uint32_t first = random_below(state, 2) * random_below(state, 3);
  for (uint32_t i = 0; i < layout_in_bits(&l); i++)
    if (random_below(state, 16))
      l.basis[i] = layout_apply_offset(shared, (first + i) < l.out_bits ? 1u << (first + i) : 0);
  for (uint32_t i = 1; i < bits[0] && random_below(state, 2); i++) {
    uint32_t k = random_below(state, i), basis = l.basis[i];
    l.basis[i] = l.basis[k];
    l.basis[k] = basis;
  }
  return l;
}

static uint32_t offset_of(const Layout *shared, uint32_t index) {
  for (uint32_t offset = 0; offset < 1u << shared->bits[DIM_OFFSET]; offset++)
    if (layout_apply_offset(shared, offset) == index) return offset;
  fail();
  return 0;
}

static void list_offsets(const Layout *shared, uint32_t *offsets) {
  for (uint32_t offset = 0; offset < 1u << shared->bits[DIM_OFFSET]; offset++)
    offsets[layout_apply_offset(shared, offset)] = offset;
}

// The register of place x in the order.
static uint32_t ordered(const uint32_t *order, uint32_t x) {
  uint32_t r = 0;
  for (uint32_t i = 0; x >> i; i++)
    if (x >> i & 1) r |= 1u << order[i];
  return r;
}

// By definition: in every thread the access's registers lie one after another, at a multiple of its size.
static bool is_vector(const Layout *l, const uint32_t *offsets, const uint32_t *order, uint32_t v) {
  for (uint32_t thread = 0; thread < 1u << (LANE_BITS + l->bits[DIM_WARP]); thread++)
    for (uint32_t r = 0; r < layout_registers(l); r++) {
      uint32_t from = r;
      for (uint32_t i = 0; i < v; i++) from &= ~(1u << order[i]);
      uint32_t start = offsets[layout_apply(l, from, thread % 32, thread / 32, 0)];
      if (start % (1u << v)) return false;
      for (uint32_t e = 0; e < 1u << v; e++)
        if (offsets[layout_apply(l, from | ordered(order, e), thread % 32, thread / 32, 0)] != start + e)
          return false;
    }
  return true;
}

// True if some v of the registers' bits, in some order, make a vector.
static bool any_vector(const Layout *l, const uint32_t *offsets, uint32_t v, uint32_t *order, uint32_t n) {
  if (n == v) return is_vector(l, offsets, order, v);
  for (uint32_t bit = 0; bit < l->bits[DIM_REGISTER]; bit++) {
    bool used = false;
    for (uint32_t i = 0; i < n; i++) used = used || order[i] == bit;
    order[n] = bit;
    if (!used && any_vector(l, offsets, v, order, n + 1)) return true;
  }
  return false;
}

TEST(test_vectors_are_the_widest) {
  uint64_t state = 41;
  uint32_t seen[5] = {0}, offsets[1024];
  for (int t = 0; t < TRIALS / 2; t++) {
    uint32_t elem_bits = random_below(&state, 4), order[LAYOUT_MAX_BITS], try[8], used = 0;
    Layout shared = random_shared(&state, 4 + random_below(&state, 6));
    Layout l = random_registers(&state, &shared);
    list_offsets(&shared, offsets);
    uint32_t v = layout_vector_bits(&l, &shared, elem_bits, order);
    seen[v]++;
    for (uint32_t i = 0; i < l.bits[DIM_REGISTER]; i++) used |= 1u << order[i];
    assert_int_equal(used, layout_registers(&l) - 1);
    assert_true(is_vector(&l, offsets, order, v));
    assert_true(elem_bits + v <= 4);
    if (elem_bits + v < 4 && v < l.bits[DIM_REGISTER]) assert_false(any_vector(&l, offsets, v + 1, try, 0));
  }
  for (uint32_t v = 0; v < 4; v++) assert_true(seen[v] > 50);
}

TEST(test_wavefronts_are_the_simulators) {
  uint64_t state = 42;
  uint32_t conflicts = 0, clean = 0, sizes[5] = {0}, offsets[1024];
  for (int t = 0; t < 2 * TRIALS; t++) {
    uint32_t elem_bits = random_below(&state, 4), order[LAYOUT_MAX_BITS], ideal;
    Layout shared = random_shared(&state, 4 + random_below(&state, 7));
    Layout l = random_registers(&state, &shared);
    list_offsets(&shared, offsets);
    uint32_t v = layout_vector_bits(&l, &shared, elem_bits, order);
    if (v) v -= random_below(&state, 2);
    uint32_t wavefronts = layout_wavefronts(&l, &shared, elem_bits, v, order, &ideal);
    for (uint32_t a = 0; a < layout_registers(&l); a += 1u << v) {
      uint64_t addresses[32];
      for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = (uint64_t)offsets[layout_apply(&l, ordered(order, a), lane, 0, 0)] << elem_bits;
      tilec_sim_counters counters = {0};
      counters_shared(&counters, addresses, UINT32_MAX, 1u << (elem_bits + v), false);
      assert_int_equal(wavefronts, counters.shared_wavefronts);
      assert_int_equal(ideal, counters.shared_wavefronts_ideal);
    }
    sizes[elem_bits + v]++;
    conflicts += wavefronts > ideal;
    clean += wavefronts == ideal;
  }
  assert_true(conflicts > 500 && clean > 500);
  for (int b = 0; b < 5; b++) assert_true(sizes[b] > 100);
}

// Registers that ldmatrix may move, plainly or transposing, or nearly so.
static Layout random_matrix(uint64_t *state, const Layout *shared, uint32_t elem_bits) {
  uint32_t bits[3] = {2 - elem_bits + random_below(state, 3), LANE_BITS, random_below(state, 2)};
  bool transposed = elem_bits == 1 && bits[0] && random_below(state, 2);
  uint32_t fixed = transposed ? 3 : 4 - elem_bits, high = shared->out_bits - fixed;
  Layout l = random_layout(state, shared->out_bits, bits);
  for (uint32_t i = 0; i < layout_in_bits(&l); i++) {
    uint32_t offset = (1u << fixed) << random_below(state, high);
    if (transposed && i >= bits[0] + 2 && i < bits[0] + 5) offset = 1u << (i - bits[0] - 2);
    if (!transposed && i < 2 - elem_bits) offset = 1u << i;
    if (!transposed && i >= bits[0] && i < bits[0] + 2) offset = 1u << (i - bits[0] + 2 - elem_bits);
    if (random_below(state, 40) == 0) offset ^= 1u << random_below(state, shared->out_bits);
    l.basis[i] = layout_apply_offset(shared, offset);
  }
  if (bits[0] > 1 && random_below(state, 2)) {
    uint32_t basis = l.basis[0];
    l.basis[0] = l.basis[bits[0] - 1];
    l.basis[bits[0] - 1] = basis;
  }
  return l;
}

// The 8 rows of 16 bytes of the matrix that starts at register `g`. The kind defines which thread
// has which part (PTX ISA, ldmatrix). False if the threads do not have it so.
static bool matrix_rows(const Layout *l, const uint32_t *offsets, LayoutMatrix kind, uint32_t elem_bits,
                        const uint32_t *order, uint32_t g, uint32_t warp, uint64_t *rows) {
  const bool plain = kind == MATRIX_PLAIN;
  for (uint32_t row = 0; row < 8; row++) {
    uint32_t reg = plain ? g : g | (row & 1) << order[0], lane = plain ? 4 * row : row >> 1;
    rows[row] = (uint64_t)offsets[layout_apply(l, reg, lane, warp, 0)] << elem_bits;
    if (rows[row] % 16) return false;
  }
  for (uint32_t lane = 0; lane < 32; lane++)
    for (uint32_t e = 0; e < 4u >> elem_bits; e++) {
      uint64_t want = plain ? rows[lane / 4] + 4 * (lane % 4) + (e << elem_bits)
                            : rows[2 * (lane % 4) + e] + 2 * (lane / 4);
      if ((uint64_t)offsets[layout_apply(l, g | ordered(order, e), lane, warp, 0)] << elem_bits != want)
        return false;
    }
  return true;
}

static bool is_matrix(const Layout *l, const uint32_t *offsets, LayoutMatrix kind, uint32_t elem_bits,
                      const uint32_t *order) {
  uint64_t rows[8];
  for (uint32_t warp = 0; warp < 1u << l->bits[DIM_WARP]; warp++)
    for (uint32_t g = 0; g < layout_registers(l); g++)
      if (!(g & ordered(order, (4u >> elem_bits) - 1)) &&
          !matrix_rows(l, offsets, kind, elem_bits, order, g, warp, rows))
        return false;
  return true;
}

static bool any_matrix(const Layout *l, const uint32_t *offsets, uint32_t elem_bits) {
  const uint32_t n = l->bits[DIM_REGISTER];
  for (uint32_t a = 0; a < (elem_bits < 2 ? n : 1); a++)
    for (uint32_t b = 0; b < (elem_bits < 1 ? n : 1); b++) {
      const uint32_t order[2] = {a, b};
      if (elem_bits == 0 && a == b) continue;
      if (is_matrix(l, offsets, MATRIX_PLAIN, elem_bits, order)) return true;
      if (elem_bits == 1 && is_matrix(l, offsets, MATRIX_TRANSPOSED, elem_bits, order)) return true;
    }
  return false;
}

TEST(test_matrices) {
  uint64_t state = 44;
  uint32_t seen[3] = {0}, conflicts = 0, offsets[1024];
  for (int t = 0; t < TRIALS; t++) {
    uint32_t elem_bits = random_below(&state, 3), order[LAYOUT_MAX_BITS], wavefronts;
    Layout shared = random_shared(&state, 6 + random_below(&state, 5));
    Layout l = random_matrix(&state, &shared, elem_bits);
    list_offsets(&shared, offsets);
    LayoutMatrix kind = layout_matrix(&l, &shared, elem_bits, order, &wavefronts);
    seen[kind]++;
    if (kind == MATRIX_NONE) {
      assert_false(any_matrix(&l, offsets, elem_bits));
      continue;
    }
    assert_true(is_matrix(&l, offsets, kind, elem_bits, order));
    uint64_t rows[32];
    assert_true(matrix_rows(&l, offsets, kind, elem_bits, order, 0, 0, rows));
    tilec_sim_counters counters = {0};
    counters_shared(&counters, rows, 0xff, 16, false);
    assert_int_equal(wavefronts, counters.shared_wavefronts);
    conflicts += wavefronts > 1;
  }
  assert_true(seen[0] > 300 && seen[1] > 300 && seen[2] > 200 && conflicts > 300);
}

TEST(test_offsets) {
  uint64_t state = 43;
  for (int t = 0; t < 200; t++) {
    Layout shared = random_shared(&state, random_below(&state, 7));
    Layout l = random_registers(&state, &shared), offsets = layout_offsets(&l, &shared);
    for (uint32_t x = 0; x < 1u << layout_in_bits(&l); x++)
      assert_int_equal(apply_flat(&offsets, x), offset_of(&shared, apply_flat(&l, x)));
  }
}

WHOLE_SUITE(layout_banks)
