// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Swizzles: bijections without bank conflicts. test_layout_banks.c tests that layout_wavefronts
// counts correctly.
#include "tests/unit/unit.h"
#include "ir/layout/layout.h"
#include "tests/unit/layout_random.h"

// The wavefronts of one side's accesses to the buffer, in one warp: by vectors, or matrices four at
// a time.
typedef struct Cost {
  uint32_t vector_bits, accesses, wavefronts, ideal;
  LayoutMatrix matrix;
  uint32_t pair; // the matrix's first register bit
} Cost;

static Cost vector_cost(const Layout *side, const Layout *shared, uint32_t elem_bits) {
  uint32_t order[LAYOUT_MAX_BITS], ideal;
  Cost cost = {.vector_bits = layout_vector_bits(side, shared, elem_bits, order)};
  cost.accesses = 1u << (side->bits[DIM_REGISTER] - cost.vector_bits);
  cost.wavefronts =
      cost.accesses * layout_wavefronts(side, shared, elem_bits, cost.vector_bits, order, &ideal);
  cost.ideal = cost.accesses * ideal;
  return cost;
}

static Cost cost_of(const Layout *side, const Layout *shared, uint32_t elem_bits, bool load) {
  uint32_t order[LAYOUT_MAX_BITS], each;
  const Layout used = layout_drop_registers(side);
  Cost cost = vector_cost(&used, shared, elem_bits);
  LayoutMatrix matrix = load ? layout_matrix(&used, shared, elem_bits, order, &each) : MATRIX_NONE;
  uint32_t matrices = (layout_registers(&used) << elem_bits) / 4;
  // Matrices with conflicts are as good as vectors without, if those need the same number of
  // wavefronts.
  if (matrix == MATRIX_NONE || matrices * each + (each > 1) > cost.wavefronts) return cost;
  cost.matrix = matrix;
  cost.pair = order[0];
  cost.accesses = (matrices + 3) / 4;
  cost.wavefronts = matrices * each;
  cost.ideal = matrices;
  return cost;
}

static void expect_bijection(const Layout *shared, uint32_t bits) {
  static uint8_t seen[1 << 16];
  assert_int_equal(shared->bits[DIM_OFFSET], bits);
  assert_int_equal(shared->out_bits, bits);
  assert_int_equal(layout_in_bits(shared), bits);
  memset(seen, 0, sizeof seen);
  for (uint32_t i = 0; i < 1u << bits; i++) {
    assert_int_equal(seen[layout_apply_offset(shared, i)], 0);
    seen[layout_apply_offset(shared, i)] = 1;
  }
}

// The swizzle, with both sides free of conflicts; *store and *load get what they cost.
static Layout expect_ideal(const Layout *src, const Layout *dst, uint32_t elem_bits, Cost *store,
                           Cost *load) {
  Layout shared = layout_swizzle(src, dst, elem_bits);
  expect_bijection(&shared, src->out_bits);
  *store = cost_of(src, &shared, elem_bits, false);
  *load = cost_of(dst, &shared, elem_bits, true);
  assert_int_equal(store->wavefronts, store->ideal);
  assert_int_equal(load->wavefronts, load->ideal);
  return shared;
}

static Layout shuffled(uint64_t *state, uint32_t registers, uint32_t warps) {
  Layout l = {.bits = {(uint8_t)registers, LANE_BITS, (uint8_t)warps}};
  l.out_bits = (uint8_t)(registers + LANE_BITS + warps);
  for (uint32_t i = 0; i < l.out_bits; i++) l.basis[i] = 1u << i;
  for (uint32_t i = l.out_bits; i-- > 1;) {
    uint32_t k = random_below(state, i + 1), basis = l.basis[i];
    l.basis[i] = l.basis[k];
    l.basis[k] = basis;
  }
  return l;
}

static uint32_t common_registers(const Layout *a, const Layout *b) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->bits[DIM_REGISTER]; i++)
    for (uint32_t k = 0; k < b->bits[DIM_REGISTER]; k++) n += a->basis[i] == b->basis[k];
  return n;
}

TEST(test_any_two_arrangements) {
  uint64_t state = 51;
  for (int t = 0; t < TRIALS; t++) {
    uint32_t registers = random_below(&state, 6), warps = random_below(&state, 4);
    uint32_t elem_bits = random_below(&state, 4);
    Layout src = shuffled(&state, registers, warps), dst = shuffled(&state, registers, warps);
    uint32_t common = common_registers(&src, &dst), most = 4 - elem_bits;
    Cost store, load;
    expect_ideal(&src, &dst, elem_bits, &store, &load);
    if (common > most) common = most;
    assert_true(store.accesses + load.accesses <= 2u << (registers - common)); // as by the common vector
    assert_true(load.matrix || (store.vector_bits >= common && load.vector_bits >= common));
  }
}

// Sums of bases, elements held several times: still a bijection, still no conflicts.
TEST(test_mixed_and_repeated_bases) {
  uint64_t state = 52;
  uint32_t ideal = 0;
  for (int t = 0; t < TRIALS; t++) {
    uint32_t elem_bits = random_below(&state, 4);
    Layout side[2];
    for (int s = 0; s < 2; s++) {
      side[s] = shuffled(&state, 4, 2);
      for (uint32_t steps = random_below(&state, 4); steps > 0; steps--) {
        uint32_t i = random_below(&state, 11), k = random_below(&state, 11);
        if (i != k) side[s].basis[i] ^= side[s].basis[k];
      }
      if (t % 3 == 0) { // two bits fewer of tile: lanes, warps or registers repeat
        for (uint32_t i = 0; i < 11; i++) side[s].basis[i] &= (1u << 9) - 1;
        side[s].out_bits = 9;
      }
    }
    Layout shared = layout_swizzle(&side[0], &side[1], elem_bits);
    expect_bijection(&shared, side[0].out_bits);
    for (int s = 0; s < 2; s++) {
      Cost cost = cost_of(&side[s], &shared, elem_bits, s == 1);
      ideal += cost.wavefronts == cost.ideal;
    }
  }
  assert_int_equal(ideal, 2 * TRIALS);
}

static Layout blocked(const uint32_t *shape, uint32_t fastest, uint32_t elem_bits, uint32_t warp_bits) {
  const uint32_t order[2] = {fastest, 1 - fastest};
  return layout_default(2, shape, order, elem_bits, warp_bits);
}

TEST(test_transpositions) {
  static const uint32_t shapes[][2] = {{16, 16}, {32, 32}, {64, 64}, {128, 32}, {32, 128}, {64, 256}};
  for (uint32_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (uint32_t elem_bits = 0; elem_bits < 4; elem_bits++)
      for (uint32_t warp_bits = 0; warp_bits < 4; warp_bits++)
        for (uint32_t wide = 0; wide <= 4 - elem_bits; wide++) {
          Layout rows = blocked(shapes[s], 1, wide, warp_bits), cols = blocked(shapes[s], 0, wide, warp_bits);
          Cost store, load;
          expect_ideal(&rows, &cols, elem_bits, &store, &load);
          expect_ideal(&cols, &rows, elem_bits, &store, &load);
          expect_ideal(&rows, &rows, elem_bits, &store, &load);
          uint32_t row = layout_run_bits(&rows);
          if (row > wide) row = wide;
          assert_true(store.vector_bits >= row && load.vector_bits >= row);
        }
}

// The 16-bit operand of mma.m16n8k16 in a 64 x 64 tile, with 4 warps along the outer dimension.
// `k_at` and `outer_at` are the places of k's and the other dimension's bits in the index.
static Layout operand(uint32_t k_at, uint32_t outer_at) {
  const uint32_t k = 1u << k_at, m = 1u << outer_at;
  Layout l = {.bits = {5, 5, 2}, .out_bits = 12};
  const uint32_t basis[12] = {k,      8 * k, 8 * m, 16 * k, 32 * k, // registers
                              2 * k,  4 * k, m,     2 * m,  4 * m,  // lanes
                              16 * m, 32 * m};
  memcpy(l.basis, basis, sizeof basis);
  return l;
}

TEST(test_blocked_to_dot_operands) {
  const uint32_t shape[2] = {64, 64};
  Layout from = blocked(shape, 1, 3, 2), a = operand(0, 6), b = operand(6, 0);
  Cost store, load;
  // Rows of 16 bytes are written as they come from global memory, and read by ldmatrix.
  Layout shared = expect_ideal(&from, &a, 1, &store, &load);
  assert_int_equal(store.vector_bits, 3);
  assert_int_equal(load.matrix, MATRIX_PLAIN);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(layout_apply_offset(&shared, i), i);
  shared = expect_ideal(&from, &b, 1, &store, &load);
  assert_int_equal(store.vector_bits, 3);
  assert_int_equal(load.matrix, MATRIX_TRANSPOSED);
  assert_int_equal(load.pair, 0); // the registers that mma wants in one word
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(layout_apply_offset(&shared, i), i);
}

TEST(test_accumulators_to_blocked) {
  // m16n8 tiles of a 64 x 64 result, 4 warps along m.
  // Registers: n0, m3, n3... Lanes: n1, n2, m0..m2.
  const Layout sum = {
      .bits = {5, 5, 2}, .out_bits = 12, .basis = {1, 512, 8, 16, 32, 2, 4, 64, 128, 256, 1024, 2048}};
  const uint32_t shape[2] = {64, 64};
  for (uint32_t elem_bits = 1; elem_bits < 4; elem_bits++) {
    Layout to = blocked(shape, 1, 4 - elem_bits, 2), down = blocked(shape, 0, 4 - elem_bits, 2);
    Cost store, load;
    expect_ideal(&sum, &to, elem_bits, &store, &load);
    assert_true(store.vector_bits >= 1);
    assert_int_equal(load.vector_bits, 4 - elem_bits);
    expect_ideal(&sum, &down, elem_bits, &store, &load);
  }
}

// docs/layouts.md shows these.
TEST(test_the_examples_of_the_documentation) {
  const uint32_t shape[2] = {64, 64};
  Layout from = blocked(shape, 1, 3, 2), a = operand(0, 6);
  Cost store, load;
  Layout shared = expect_ideal(&from, &a, 1, &store, &load);
  Buf out = {0};
  layout_print(&from, &out);
  buf_char(&out, '\n');
  layout_print(&a, &out);
  buf_char(&out, '\n');
  layout_print(&shared, &out);
  assert_int_equal(store.accesses, 4);
  assert_int_equal(load.accesses, 4);
  assert_string_equal(
      out.at, "layout<reg = [1, 2, 4, 1024, 2048], lane = [8, 16, 32, 64, 128], warp = [256, 512]; 4096>\n"
              "layout<reg = [1, 8, 512, 16, 32], lane = [2, 4, 64, 128, 256], warp = [1024, 2048]; 4096>\n"
              "layout<offset = [1, 2, 4, 8, 16, 32, 2048, 1024, 512, 288, 144, 72]; 4096>");
  buf_free(&out);
}

WHOLE_SUITE(layout_swizzle)
