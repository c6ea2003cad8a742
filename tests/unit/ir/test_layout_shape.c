// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts under changes of shape, against the coordinates of every element of every thread.
#include "tests/unit/unit.h"
#include "ir/layout/layout.h"
#include "tests/unit/layout_random.h"

typedef struct Shape {
  uint32_t rank, size[4];
} Shape;

static uint32_t padded(uint32_t size) {
  uint32_t n = 1;
  while (n < size) n *= 2;
  return n;
}

static Shape random_shape(uint64_t *state) {
  static const uint32_t sizes[] = {1, 1, 2, 2, 3, 4, 4, 7, 8};
  Shape shape = {.rank = random_below(state, 5)};
  for (uint32_t d = 0; d < shape.rank; d++) shape.size[d] = sizes[random_below(state, d > 1 ? 6 : 9)];
  return shape;
}

static uint32_t elements(const Shape *shape) {
  uint32_t n = 1;
  for (uint32_t d = 0; d < shape->rank; d++) n *= padded(shape->size[d]);
  return n;
}

static void coordinates(const Shape *shape, uint32_t index, uint32_t *at) {
  for (uint32_t d = shape->rank; d-- > 0; index /= padded(shape->size[d]))
    at[d] = index % padded(shape->size[d]);
}

static uint32_t flatten(const Shape *shape, const uint32_t *at) {
  uint32_t index = 0;
  for (uint32_t d = 0; d < shape->rank; d++) index = index * padded(shape->size[d]) + at[d];
  return index;
}

static Layout random_of(uint64_t *state, const Shape *shape) {
  uint32_t bits[3] = {random_below(state, 5), random_below(state, 4), random_below(state, 3)};
  return random_layout(state, (uint32_t)__builtin_ctz(elements(shape)), bits);
}

// The elements that a thread holds, of at most 1024.
typedef struct Held {
  uint8_t has[1024];
} Held;

static Held held(const Layout *l, uint32_t thread) {
  Held result = {{0}};
  for (uint32_t r = 0; r < layout_registers(l); r++)
    result.has[apply_flat(l, r | thread << l->bits[DIM_REGISTER])] = 1;
  return result;
}

static uint32_t threads(const Layout *l) { return 1u << (l->bits[DIM_LANE] + l->bits[DIM_WARP]); }

static void expect_held(const Layout *l, uint32_t thread, const Held *want) {
  Held have = held(l, thread);
  assert_memory_equal(have.has, want->has, sizeof have.has);
}

static void expect_no_copies(const Layout *l) {
  uint32_t masks[DIM_COUNT];
  layout_free_bits(l, masks);
  assert_int_equal(masks[DIM_REGISTER], 0);
}

TEST(test_dim_bits) {
  uint64_t state = 11;
  for (int t = 0; t < TRIALS; t++) {
    Shape shape = random_shape(&state);
    for (uint32_t d = 0; d < shape.rank; d++) {
      uint32_t at[4] = {0}, first, bits = layout_dim_bits(shape.rank, shape.size, d, &first);
      assert_int_equal(1u << bits, padded(shape.size[d]));
      at[d] = 1;
      if (bits) assert_int_equal(flatten(&shape, at), 1u << first);
    }
  }
}

TEST(test_slice_drops_one_coordinate) {
  uint64_t state = 12;
  for (int t = 0; t < TRIALS; t++) {
    Shape shape = random_shape(&state);
    if (shape.rank == 0) continue;
    uint32_t dim = random_below(&state, shape.rank);
    Layout l = random_of(&state, &shape), s = layout_slice(&l, shape.rank, shape.size, dim);
    Layout kept = layout_keep_dims(&l, shape.rank, shape.size, dim);
    assert_true(layout_equal(&s, &kept));
    Shape left = shape;
    left.size[dim] = 1;
    assert_int_equal(1u << s.out_bits, elements(&left));
    for (uint32_t thread = 0; thread < threads(&l); thread++) {
      Held from = held(&l, thread), want = {{0}};
      for (uint32_t i = 0; i < elements(&shape); i++) {
        uint32_t at[4];
        coordinates(&shape, i, at);
        at[dim] = 0;
        want.has[flatten(&left, at)] |= from.has[i];
      }
      expect_held(&s, thread, &want);
    }
    expect_no_copies(&s);
  }
}

TEST(test_trans_permutes_coordinates) {
  uint64_t state = 13;
  for (int t = 0; t < TRIALS; t++) {
    Shape shape = random_shape(&state), to = shape;
    uint32_t order[4] = {0, 1, 2, 3};
    for (uint32_t d = shape.rank; d-- > 1;) {
      uint32_t k = random_below(&state, d + 1), swap = order[d];
      order[d] = order[k];
      order[k] = swap;
    }
    for (uint32_t d = 0; d < shape.rank; d++) to.size[d] = shape.size[order[d]];
    Layout l = random_of(&state, &shape), p = layout_trans(&l, shape.rank, shape.size, order);
    for (uint32_t x = 0; x < 1u << layout_in_bits(&l); x++) {
      uint32_t from[4], at[4];
      coordinates(&shape, apply_flat(&l, x), from);
      for (uint32_t d = 0; d < shape.rank; d++) at[d] = from[order[d]];
      assert_int_equal(apply_flat(&p, x), flatten(&to, at));
    }
  }
}

TEST(test_broadcast_both_ways) {
  uint64_t state = 14;
  for (int t = 0; t < TRIALS; t++) {
    Shape out = random_shape(&state), in = out;
    for (uint32_t d = 0; d < in.rank; d++)
      if (random_below(&state, 2)) in.size[d] = 1;
    Layout l = random_of(&state, &out), small = layout_broadcast_operand(&l, in.rank, in.size, out.size);
    Layout m = random_of(&state, &in), large = layout_broadcast_result(&m, in.rank, in.size, out.size);
    uint32_t source[1024];
    for (uint32_t i = 0; i < elements(&out); i++) {
      uint32_t at[4];
      coordinates(&out, i, at);
      for (uint32_t d = 0; d < in.rank; d++)
        if (in.size[d] == 1) at[d] = 0;
      source[i] = flatten(&in, at);
    }
    for (uint32_t thread = 0; thread < threads(&l); thread++) {
      Held from = held(&l, thread), want = {{0}};
      for (uint32_t i = 0; i < elements(&out); i++) want.has[source[i]] |= from.has[i];
      expect_held(&small, thread, &want);
    }
    expect_no_copies(&small);
    for (uint32_t thread = 0; thread < threads(&m); thread++) {
      Held from = held(&m, thread), want = {{0}};
      for (uint32_t i = 0; i < elements(&out); i++) want.has[i] = from.has[source[i]];
      expect_held(&large, thread, &want);
    }
    for (uint32_t r = 0; r < layout_registers(&large); r++) // low registers are the operand's own
      assert_int_equal(source[layout_apply(&large, r, 0, 0, 0)],
                       layout_apply(&m, r % layout_registers(&m), 0, 0, 0));
  }
}

// The first 2^bits-th of the dimension lies as before, and the new inputs choose among the parts.
TEST(test_stretch_repeats_a_dimension) {
  uint64_t state = 7;
  for (int round = 0; round < 2000; round++) {
    Shape shape = random_shape(&state);
    if (shape.rank == 0 || elements(&shape) > 128) continue;
    Layout l = random_of(&state, &shape);
    uint32_t dim = random_below(&state, shape.rank), bits = random_below(&state, 4);
    LayoutDim in = random_below(&state, 2) ? DIM_REGISTER : DIM_WARP;
    Layout all = layout_stretch(&l, shape.rank, shape.size, dim, bits, in);
    Shape longer = shape;
    longer.size[dim] = padded(shape.size[dim]) << bits;
    assert_int_equal(all.bits[in], l.bits[in] + bits);
    assert_int_equal(1u << all.out_bits, elements(&longer));
    uint32_t first = layout_first_bit(&l, in) + l.bits[in], total = layout_in_bits(&l); // of the new inputs
    for (uint32_t x = 0; x < 1u << total; x++)
      for (uint32_t part = 0; part < 1u << bits; part++) {
        uint32_t low = x & ((1u << first) - 1), at[4];
        coordinates(&shape, apply_flat(&l, x), at);
        at[dim] += part * padded(shape.size[dim]);
        uint32_t input = (x ^ low) << bits | part << first | low;
        assert_int_equal(apply_flat(&all, input), flatten(&longer, at));
      }
  }
}

TEST(test_join_interleaves) {
  uint64_t state = 15;
  for (int t = 0; t < TRIALS; t++) {
    Layout l = random_small(&state), j = layout_join(&l), back;
    for (uint32_t x = 0; x < 1u << layout_in_bits(&l); x++) {
      assert_int_equal(apply_flat(&j, 2 * x), 2 * apply_flat(&l, x));
      assert_int_equal(apply_flat(&j, 2 * x + 1), 2 * apply_flat(&l, x) + 1);
    }
    assert_true(layout_split(&j, &back));
    Layout once = layout_drop_registers(&l);
    assert_true(layout_equal(&back, &once));
  }
}

// By definition: every thread holds both halves of each of its pairs,
// and which half a register has is the same in all threads.
static bool splits(const Layout *l) {
  for (uint32_t thread = 0; thread < threads(l); thread++) {
    Held have = held(l, thread);
    for (uint32_t r = 0; r < layout_registers(l); r++) {
      uint32_t i = apply_flat(l, r | thread << l->bits[DIM_REGISTER]);
      if (!have.has[i ^ 1] || (i & 1) != (apply_flat(l, r) & 1)) return false;
    }
  }
  return true;
}

TEST(test_split) {
  uint64_t state = 16;
  int seen[2] = {0};
  for (int t = 0; t < 2 * TRIALS; t++) {
    Layout l = random_small(&state), half;
    if (t % 2)
      for (uint32_t i = l.bits[DIM_REGISTER]; i < layout_in_bits(&l); i++) l.basis[i] &= ~1u;
    bool can = l.out_bits > 0 && splits(&l);
    assert_int_equal(layout_split(&l, &half), can);
    seen[can]++;
    for (uint32_t thread = 0; can && thread < threads(&l); thread++) {
      Held from = held(&l, thread), want = {{0}};
      for (uint32_t i = 0; i < 1u << l.out_bits; i++) want.has[i / 2] |= from.has[i];
      expect_held(&half, thread, &want);
    }
    if (can) expect_no_copies(&half);
  }
  assert_true(seen[0] > 500 && seen[1] > 500);
}

static void expect_text(Layout layout, const char *want) {
  Buf out = {0};
  layout_print(&layout, &out);
  assert_string_equal(out.at, want);
  buf_free(&out);
}

static void test_the_examples_of_the_documentation(void **unused) { // docs/layouts.md
  (void)unused;
  const uint32_t shape[2] = {32, 64}, column[2] = {32, 1};
  Layout l = layout_default(2, shape, (uint32_t[]){1, 0}, 2, 2), half;
  Layout rows = layout_slice(&l, 2, shape, 1), pairs = layout_join(&rows);
  expect_text(l, "layout<reg = [1, 2, 512, 1024], lane = [4, 8, 16, 32, 64], warp = [128, 256]; 2048>");
  expect_text(rows, "layout<reg = [8, 16], lane = [0, 0, 0, 0, 1], warp = [2, 4]; 32>");
  expect_text(layout_broadcast_operand(&l, 2, column, shape),
              "layout<reg = [8, 16], lane = [0, 0, 0, 0, 1], warp = [2, 4]; 32>");
  expect_text(layout_slice(&l, 2, shape, 0),
              "layout<reg = [1, 2], lane = [4, 8, 16, 32, 0], warp = [0, 0]; 64>");
  expect_text(layout_trans(&l, 2, shape, (uint32_t[]){1, 0}),
              "layout<reg = [32, 64, 8, 16], lane = [128, 256, 512, 1024, 1], warp = [2, 4]; 2048>");
  expect_text(pairs, "layout<reg = [1, 16, 32], lane = [0, 0, 0, 0, 2], warp = [4, 8]; 64>");
  assert_true(layout_split(&l, &half));
  expect_text(half, "layout<reg = [1, 256, 512], lane = [2, 4, 8, 16, 32], warp = [64, 128]; 1024>");
}

int suite_layout_shape(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dim_bits),
      cmocka_unit_test(test_slice_drops_one_coordinate),
      cmocka_unit_test(test_trans_permutes_coordinates),
      cmocka_unit_test(test_broadcast_both_ways),
      cmocka_unit_test(test_stretch_repeats_a_dimension),
      cmocka_unit_test(test_join_interleaves),
      cmocka_unit_test(test_split),
      cmocka_unit_test(test_the_examples_of_the_documentation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
