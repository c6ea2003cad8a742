// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout algebra against brute force over random layouts, small enough to enumerate every index.
#include "tests/unit/unit.h"
#include "base/fault.h"
#include "base/integer.h"
#include "ir/ir.h"
#include "tests/unit/layout_random.h"

TEST(test_application_is_the_xor_of_bases) {
  uint64_t state = 1;
  for (int t = 0; t < TRIALS; t++) {
    Layout l = random_small(&state);
    uint32_t n = layout_in_bits(&l);
    for (uint32_t x = 0; x < 1u << n; x++) {
      uint32_t want = 0;
      for (uint32_t i = 0; i < n; i++) want ^= x >> i & 1 ? l.basis[i] : 0;
      assert_int_equal(apply_flat(&l, x), want);
    }
  }
}

TEST(test_composition_applies_one_after_the_other) {
  uint64_t state = 2;
  for (int t = 0; t < TRIALS; t++) {
    Layout a = random_small(&state);
    Layout b = {.bits = {[DIM_OFFSET] = a.out_bits}, .out_bits = a.out_bits};
    for (uint32_t i = 0; i < a.out_bits; i++) b.basis[i] = random_below(&state, 1u << a.out_bits);
    Layout c = layout_compose(&a, &b);
    for (uint32_t x = 0; x < 1u << layout_in_bits(&a); x++)
      assert_int_equal(apply_flat(&c, x), layout_apply_offset(&b, apply_flat(&a, x)));
  }
}

TEST(test_inverse_is_the_smallest_holder) {
  uint64_t state = 3;
  int onto = 0, not_onto = 0;
  for (int t = 0; t < TRIALS; t++) {
    Layout l = random_small(&state), inverse;
    uint32_t n = layout_in_bits(&l), smallest[64];
    for (uint32_t i = 0; i < 64; i++) smallest[i] = UINT32_MAX;
    for (uint32_t x = 1u << n; x-- > 0;) smallest[apply_flat(&l, x)] = x;
    bool covers = true;
    for (uint32_t i = 0; i < 1u << l.out_bits; i++) covers = covers && smallest[i] != UINT32_MAX;
    assert_int_equal(layout_invert(&l, &inverse), covers);
    for (uint32_t i = 0; covers && i < 1u << l.out_bits; i++)
      assert_int_equal(layout_apply_offset(&inverse, i), smallest[i]);
    onto += covers;
    not_onto += !covers;
  }
  assert_true(onto > 200 && not_onto > 200);
}

TEST(test_holders_without_free_bits_hold_every_element_once) {
  uint64_t state = 4;
  for (int t = 0; t < TRIALS; t++) {
    Layout l = random_small(&state);
    uint32_t masks[DIM_COUNT], n = layout_in_bits(&l);
    layout_free_bits(&l, masks);
    uint32_t lane_at = l.bits[DIM_REGISTER], warp_at = lane_at + l.bits[DIM_LANE];
    uint32_t mask = masks[DIM_REGISTER] | masks[DIM_LANE] << lane_at | masks[DIM_WARP] << warp_at;
    uint32_t all[64] = {0}, first[64] = {0};
    for (uint32_t x = 0; x < 1u << n; x++) {
      all[apply_flat(&l, x)]++;
      if (!(x & mask)) first[apply_flat(&l, x)]++;
    }
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(first[i], all[i] > 0);
  }
}

static uint32_t hold(const Layout *l, uint32_t r, uint32_t lane, uint32_t warp) {
  return layout_apply(l, r, lane, warp, 0);
}

// By definition: a register of src that has dst's register r for all lanes and warps.
static bool renames(const Layout *src, const Layout *dst) {
  for (uint32_t r = 0; r < layout_registers(dst); r++) {
    bool found = false;
    for (uint32_t s = 0; s < layout_registers(src) && !found; s++) {
      found = true;
      for (uint32_t x = 0; x < 1u << (dst->bits[DIM_LANE] + dst->bits[DIM_WARP]); x++) {
        uint32_t lane = x & ((1u << dst->bits[DIM_LANE]) - 1), warp = x >> dst->bits[DIM_LANE];
        found = found && hold(src, s, lane, warp) == hold(dst, r, lane, warp);
      }
    }
    if (!found) return false;
  }
  return true;
}

// By definition: whatever a warp holds in dst, one of its lanes holds in src.
static bool stays_in_warps(const Layout *src, const Layout *dst) {
  for (uint32_t warp = 0; warp < 1u << dst->bits[DIM_WARP]; warp++) {
    uint64_t has = 0, wants = 0;
    for (uint32_t lane = 0; lane < 1u << dst->bits[DIM_LANE]; lane++) {
      for (uint32_t r = 0; r < layout_registers(src); r++) has |= UINT64_C(1) << hold(src, r, lane, warp);
      for (uint32_t r = 0; r < layout_registers(dst); r++) wants |= UINT64_C(1) << hold(dst, r, lane, warp);
    }
    if (wants & ~has) return false;
  }
  return true;
}

static Layout varied(uint64_t *state, const Layout *src) {
  Layout dst = *src;
  uint32_t from = random_below(state, 4) == 0 ? 0 : src->bits[DIM_REGISTER], n = layout_in_bits(src);
  if (random_below(state, 3) == 0) n = src->bits[DIM_REGISTER];
  for (int swaps = (int)random_below(state, 4); swaps > 0 && n > 1; swaps--) {
    uint32_t i = random_below(state, n),
             k = random_below(state, 2) ? random_below(state, n) : i % (from ? from : n);
    uint32_t basis = dst.basis[i];
    dst.basis[i] = dst.basis[k];
    dst.basis[k] = random_below(state, 2) ? basis : basis ^ dst.basis[i];
  }
  return dst;
}

TEST(test_conversion_kinds) {
  uint64_t state = 5;
  int seen[4] = {0};
  for (int t = 0; t < 2 * TRIALS; t++) {
    Layout src = random_small(&state), dst = varied(&state, &src);
    Conversion want = layout_equal(&src, &dst)     ? CONVERT_NOTHING
                      : renames(&src, &dst)        ? CONVERT_REGISTERS
                      : stays_in_warps(&src, &dst) ? CONVERT_LANES
                                                   : CONVERT_SHARED;
    assert_int_equal(layout_conversion(&src, &dst), want);
    seen[want]++;
  }
  for (int k = 0; k < 4; k++) assert_true(seen[k] > 100);
}

typedef struct BlockedCase {
  uint32_t rank, shape[4], order[4], elems[4], lanes[4], warps[4];
} BlockedCase;

static void split_bits(uint64_t *state, uint32_t rank, uint32_t total, uint32_t *bits) {
  for (uint32_t i = 0; i < total; i++) bits[random_below(state, rank)]++;
}

static BlockedCase random_case(uint64_t *state, uint32_t warp_bits) {
  BlockedCase c = {.rank = 1 + random_below(state, 4)};
  for (uint32_t d = 0; d < c.rank; d++) {
    c.shape[d] = 1u << random_below(state, 5);
    c.order[d] = d;
  }
  for (uint32_t d = c.rank; d-- > 1;) {
    uint32_t k = random_below(state, d + 1), swap = c.order[d];
    c.order[d] = c.order[k];
    c.order[k] = swap;
  }
  split_bits(state, c.rank, random_below(state, 4), c.elems);
  split_bits(state, c.rank, LANE_BITS, c.lanes);
  split_bits(state, c.rank, warp_bits, c.warps);
  return c;
}

// The coordinates of number `x` in a box of 2^bits a dimension, order[0] fastest; returns what is left of x.
static uint32_t unflatten(const BlockedCase *c, uint32_t x, const uint32_t *bits, uint32_t *at) {
  for (uint32_t i = 0; i < c->rank; i++) {
    uint32_t d = c->order[i];
    at[d] = x % (1u << bits[d]);
    x /= 1u << bits[d];
  }
  return x;
}

// Where a thread's register is, by coordinates: elements within lanes within warps, and what remains repeats.
static uint32_t blocked_index(const BlockedCase *c, uint32_t r, uint32_t lane, uint32_t warp) {
  uint32_t e[4], l[4], w[4], again[4], elems[4], rest[4], index = 0;
  for (uint32_t d = 0; d < c->rank; d++) {
    uint32_t size = log2_of(c->shape[d]);
    elems[d] = c->elems[d] < size ? c->elems[d] : size;
    uint32_t covered = elems[d] + c->lanes[d] + c->warps[d];
    rest[d] = covered < size ? size - covered : 0;
  }
  unflatten(c, unflatten(c, r, elems, e), rest, again);
  unflatten(c, lane, c->lanes, l);
  unflatten(c, warp, c->warps, w);
  for (uint32_t d = 0; d < c->rank; d++) {
    uint32_t at = again[d];
    at = (at << c->warps[d]) + w[d];
    at = (at << c->lanes[d]) + l[d];
    at = (at << elems[d]) + e[d];
    index = index * c->shape[d] + at % c->shape[d];
  }
  return index;
}

static void expect_onto(const Layout *layout, uint32_t warp_bits) {
  Layout inverse;
  assert_true(layout_invert(layout, &inverse));
  assert_int_equal(layout->bits[DIM_LANE], LANE_BITS);
  assert_int_equal(layout->bits[DIM_WARP], warp_bits);
  uint32_t masks[DIM_COUNT];
  layout_free_bits(layout, masks);
  assert_int_equal(masks[DIM_REGISTER], 0);
  if (layout_in_bits(layout) == layout->out_bits) assert_int_equal(masks[DIM_LANE] | masks[DIM_WARP], 0);
}

TEST(test_blocked_by_coordinates) {
  uint64_t state = 7;
  int exact = 0, broadcasting = 0;
  for (int t = 0; t < 400; t++) {
    uint32_t warp_bits = random_below(&state, 4);
    BlockedCase c = random_case(&state, warp_bits);
    Layout l = layout_blocked(c.rank, c.shape, c.order, c.elems, c.lanes, c.warps);
    expect_onto(&l, warp_bits);
    for (uint32_t r = 0; r < layout_registers(&l); r++)
      for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t warp = 0; warp < 1u << warp_bits; warp++)
          assert_int_equal(layout_apply(&l, r, lane, warp, 0), blocked_index(&c, r, lane, warp));
    exact += layout_in_bits(&l) == l.out_bits;
    broadcasting += layout_in_bits(&l) > l.out_bits;
  }
  assert_true(exact > 20 && broadcasting > 20);
}

TEST(test_default_covers_every_tile) {
  uint64_t state = 8;
  for (int t = 0; t < TRIALS; t++) {
    uint32_t warp_bits = random_below(&state, 6), elem_bits = random_below(&state, 5);
    BlockedCase c = random_case(&state, 0);
    Layout l = layout_default(c.rank, c.shape, c.order, elem_bits, warp_bits);
    expect_onto(&l, warp_bits);
    uint32_t total = 0, fastest = log2_of(c.shape[c.order[0]]);
    for (uint32_t d = 0; d < c.rank; d++) total += log2_of(c.shape[d]);
    // No element is held twice unless there are more holders than elements.
    uint32_t elems = elem_bits < fastest ? elem_bits : fastest, threads = LANE_BITS + warp_bits;
    assert_int_equal(layout_in_bits(&l), total > elems + threads ? total : elems + threads);
    if (c.order[0] == c.rank - 1) assert_true(layout_run_bits(&l) >= elems);
  }
}

TEST(test_default_of_a_vector_is_coalesced) {
  Layout l = layout_default(1, (uint32_t[]){1024}, (uint32_t[]){0}, 2, 2);
  Buf out = {0};
  layout_print(&l, &out);
  assert_string_equal(out.at,
                      "layout<reg = [1, 2, 512], lane = [4, 8, 16, 32, 64], warp = [128, 256]; 1024>");
  buf_reset(&out);
  l = layout_default(2, (uint32_t[]){4, 4}, (uint32_t[]){1, 0}, 1, 1);
  layout_print(&l, &out);
  assert_string_equal(out.at, "layout<reg = [1], lane = [2, 4, 8, 0, 0], warp = [0]; 16>");
  buf_reset(&out);
  l = (Layout){0};
  layout_print(&l, &out);
  assert_string_equal(out.at, "layout<1>");
  buf_free(&out);
}

TEST(test_interning) {
  Arena arena = {0};
  IrContext ir;
  ir_context_init(&ir, &arena, NULL, NULL);
  uint64_t state = 9;
  const Layout *first[500];
  for (int t = 0; t < 500; t++) {
    Layout l = random_small(&state);
    first[t] = layout_intern(&ir, &l);
    assert_true(layout_equal(first[t], &l));
    l.basis[LAYOUT_MAX_BITS - 1] = 77; // beyond its bits: no part of it
    assert_ptr_equal(layout_intern(&ir, &l), first[t]);
  }
  for (int t = 0; t < 500; t++)
    for (int k = 0; k < t; k++) assert_int_equal(first[t] == first[k], layout_equal(first[t], first[k]));
  arena_free(&arena);
}

TEST(test_bad_layouts_are_faults) {
  Arena arena = {0};
  IrContext ir;
  ir_context_init(&ir, &arena, NULL, NULL);
  const Layout bad[] = {{.bits = {1}, .out_bits = 1, .basis = {2}}, {.bits = {30, 30}}, {.out_bits = 32}};
  volatile int faults = 0;
  for (volatile int i = 0; i < 3; i++) {
    FaultFrame frame;
    fault_enter(&frame);
    if (setjmp(frame.env) == 0)
      layout_intern(&ir, &bad[i]);
    else
      faults++;
    fault_leave(&frame);
  }
  assert_int_equal(faults, 3);
  arena_free(&arena);
}

// The smallest input with the wanted result; UINT32_MAX: none.
static uint32_t smallest_input(const Layout *a, uint32_t want) {
  for (uint32_t x = 0; x < 1u << layout_in_bits(a); x++)
    if (apply_flat(a, x) == want) return x;
  return UINT32_MAX;
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

WHOLE_SUITE(layout)
