// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, divisions and equations of layouts, against every input.
#include "tests/unit/unit.h"
#include "ir/layout/layout.h"
#include "tests/unit/layout_random.h"

// The input of the direct sum with inputs xa and xb: in each dimension a's bits below b's.
static uint32_t product_input(const Layout *a, const Layout *b, uint32_t xa, uint32_t xb) {
  uint32_t x = 0, at = 0;
  for (int d = 0; d < 3; d++) {
    x |= (xa & ((1u << a->bits[d]) - 1)) << at;
    at += a->bits[d];
    x |= (xb & ((1u << b->bits[d]) - 1)) << at;
    at += b->bits[d];
    xa >>= a->bits[d];
    xb >>= b->bits[d];
  }
  return x;
}

static Layout random_tiny(uint64_t *state) {
  uint32_t bits[3] = {random_below(state, 3), random_below(state, 3), random_below(state, 2)};
  return random_layout(state, random_below(state, 4), bits);
}

TEST(test_product_works_on_each_part) {
  uint64_t state = 21;
  for (int t = 0; t < TRIALS; t++) {
    Layout a = random_tiny(&state), b = random_tiny(&state), p = layout_product(&a, &b);
    for (uint32_t xa = 0; xa < 1u << layout_in_bits(&a); xa++)
      for (uint32_t xb = 0; xb < 1u << layout_in_bits(&b); xb++)
        assert_int_equal(apply_flat(&p, product_input(&a, &b, xa, xb)),
                         apply_flat(&a, xa) | apply_flat(&b, xb) << a.out_bits);
  }
}

// By definition, without looking at bases: the whole's low bits are
// left of the low inputs, and its high bits do not depend on those.
static bool divides(const Layout *whole, const Layout *left) {
  if (left->out_bits > whole->out_bits) return false;
  Layout rest = {.out_bits = (uint8_t)(whole->out_bits - left->out_bits)};
  for (int d = 0; d < DIM_COUNT; d++) {
    if (left->bits[d] > whole->bits[d]) return false;
    rest.bits[d] = (uint8_t)(whole->bits[d] - left->bits[d]);
  }
  for (uint32_t xl = 0; xl < 1u << layout_in_bits(left); xl++)
    for (uint32_t xr = 0; xr < 1u << layout_in_bits(&rest); xr++) {
      uint32_t out = apply_flat(whole, product_input(left, &rest, xl, xr));
      uint32_t alone = apply_flat(whole, product_input(left, &rest, 0, xr));
      if ((out & ((1u << left->out_bits) - 1)) != apply_flat(left, xl)) return false;
      if (out >> left->out_bits != alone >> left->out_bits) return false;
    }
  return true;
}

TEST(test_division_undoes_products) {
  uint64_t state = 22;
  int seen[2] = {0};
  for (int t = 0; t < 2 * TRIALS; t++) {
    Layout a = random_tiny(&state), b = random_tiny(&state), whole = layout_product(&a, &b), rest;
    uint32_t n = layout_in_bits(&whole);
    if (t % 2 && n && whole.out_bits)
      whole.basis[random_below(&state, n)] ^= 1u << random_below(&state, whole.out_bits);
    if (t % 8 == 6) whole = random_tiny(&state);
    bool can = divides(&whole, &a);
    assert_int_equal(layout_divide_left(&whole, &a, &rest), can);
    if (can) {
      Layout again = layout_product(&a, &rest);
      assert_true(layout_equal(&again, &whole));
    }
    seen[can]++;
  }
  assert_true(seen[0] > 500 && seen[1] > 500);
}

// The smallest input with the wanted result; UINT32_MAX: none.
static uint32_t smallest_input(const Layout *a, uint32_t want) {
  for (uint32_t x = 0; x < 1u << layout_in_bits(a); x++)
    if (apply_flat(a, x) == want) return x;
  return UINT32_MAX;
}

TEST(test_equations) {
  uint64_t state = 23;
  int seen[2] = {0};
  for (int t = 0; t < TRIALS; t++) {
    Layout a = random_small(&state);
    uint32_t bits[3] = {random_below(&state, 3), random_below(&state, 2), random_below(&state, 2)};
    Layout b = random_layout(&state, a.out_bits, bits);
    uint32_t solution[LAYOUT_MAX_BITS], nb = layout_in_bits(&b);
    bool can = true;
    for (uint32_t i = 0; i < nb; i++) can = can && smallest_input(&a, b.basis[i]) != UINT32_MAX;
    assert_int_equal(layout_solve(&a, &b, solution), can);
    seen[can]++;
    for (uint32_t x = 0; can && x < 1u << nb; x++) {
      uint32_t mapped = 0;
      for (uint32_t i = 0; i < nb; i++) mapped ^= x >> i & 1 ? solution[i] : 0;
      assert_int_equal(apply_flat(&a, mapped), apply_flat(&b, x));
      assert_int_equal(mapped, smallest_input(&a, apply_flat(&b, x)));
    }
  }
  assert_true(seen[0] > 200 && seen[1] > 200);
}

TEST(test_delta) {
  uint64_t state = 24;
  int seen[2] = {0};
  for (int t = 0; t < TRIALS; t++) {
    Layout l = random_small(&state);
    uint32_t delta = random_below(&state, 1u << l.out_bits), input, want = smallest_input(&l, delta);
    bool can = want != UINT32_MAX;
    assert_int_equal(layout_delta(&l, delta, &input), can);
    seen[can]++;
    if (!can) continue;
    assert_int_equal(input, want);
    for (uint32_t x = 0; x < 1u << layout_in_bits(&l); x++)
      assert_int_equal(apply_flat(&l, x ^ input), apply_flat(&l, x) ^ delta);
  }
  assert_true(seen[0] > 200 && seen[1] > 200);
}

WHOLE_SUITE(layout_solve)
