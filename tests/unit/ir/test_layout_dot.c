// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of dots against the PTX ISA's fragments and wgmma's canonical shared-memory layouts.
#include "tests/unit/unit.h"
#include "ir/dot/layout_dot.h"

static uint32_t at(const Layout *layout, uint32_t reg, uint32_t thread) {
  return layout_apply(layout, reg, thread % 32, thread / 32, 0);
}

// PTX ISA, mma.m16n8k16: c registers at row g + 8 (v / 2), column 2 q + v % 2, g = lane / 4, q = lane % 4.
TEST(result_of_mma) {
  DotShape shape = {.m = 4, .n = 3, .k = 4};
  Layout layout = layout_mma_result(&shape, &(DotWarps){0}, false);
  assert_int_equal(layout_registers(&layout), 4);
  for (uint32_t lane = 0; lane < 32; lane++)
    for (uint32_t v = 0; v < 4; v++)
      assert_int_equal(at(&layout, v, lane), (lane / 4 + 8 * (v >> 1)) * 8 + 2 * (lane % 4) + (v & 1));
}

// a with 16 bits: row g + 8 ((v / 2) % 2), k = 2 q + v % 2 + 8 (v / 4).
// With 8 bits: k = 4 q + v % 4 + 16 (v / 8), row by v / 4.
TEST(first_operand_of_mma) {
  for (uint32_t pack = 0; pack <= 2; pack++) {
    DotShape shape = {.m = 4, .n = 3, .k = 3 + pack};
    Layout result = layout_mma_result(&shape, &(DotWarps){0}, false);
    Layout layout = layout_mma_operand(&result, &shape, DOT_A, pack);
    uint32_t word = 1u << pack;
    assert_int_equal(layout_registers(&layout), 4 * word);
    for (uint32_t lane = 0; lane < 32; lane++)
      for (uint32_t v = 0; v < 4 * word; v++) {
        uint32_t row = lane / 4 + 8 * (v / word & 1),
                 k = word * (lane % 4) + v % word + 4 * word * (v / word >> 1);
        assert_int_equal(at(&layout, v, lane), row * (8 * word) + k);
      }
  }
}

// b: n = g, k = 2 q + v % 2 + 8 (v / 2).
TEST(second_operand_of_mma) {
  for (uint32_t pack = 0; pack <= 2; pack++) {
    DotShape shape = {.m = 4, .n = 3, .k = 3 + pack};
    Layout result = layout_mma_result(&shape, &(DotWarps){0}, false);
    Layout layout = layout_mma_operand(&result, &shape, DOT_B, pack);
    uint32_t word = 1u << pack;
    assert_int_equal(layout_registers(&layout), 2 * word);
    for (uint32_t lane = 0; lane < 32; lane++)
      for (uint32_t v = 0; v < 2 * word; v++) {
        uint32_t k = word * (lane % 4) + v % word + 4 * word * (v / word);
        assert_int_equal(at(&layout, v, lane), k * 8 + lane / 4);
      }
  }
}

// wgmma m64nN: row 16 warp + g + 8 ((v / 2) % 2), column 8 (v / 4) + 2 q + v % 2.
TEST(result_of_wgmma) {
  DotShape shape = {.m = 6, .n = 7, .k = 4};
  Layout layout = layout_mma_result(&shape, &(DotWarps){.m = 2}, true);
  assert_int_equal(layout_registers(&layout), 64);
  for (uint32_t thread = 0; thread < 128; thread++)
    for (uint32_t v = 0; v < 64; v++) {
      uint32_t g = thread % 32 / 4, q = thread % 4, row = 16 * (thread / 32) + g + 8 * (v >> 1 & 1);
      assert_int_equal(at(&layout, v, thread), row * 128 + 8 * (v >> 2) + 2 * q + (v & 1));
    }
}

// wgmma m64nNk8 whose first operand is in registers: row 16 warp + g + 8 (v % 2), k = q + 4 (v / 2). Rows g
// and g + 8 are neighbours; for b all of it is transposed.
TEST(operand_read_by_wgmma) {
  for (int operand = DOT_A; operand <= DOT_B; operand++) {
    bool b = operand == DOT_B;
    DotShape shape = {.m = b ? 5 : 6, .n = b ? 6 : 5, .k = 3};
    Layout words, result = layout_wgmma_result(&shape, &(DotWarps){.m = 2}, (DotOperand)operand, 0, &words);
    assert_int_equal(layout_registers(&result), 16);
    assert_int_equal(layout_registers(&words), 4);
    for (uint32_t thread = 0; thread < 128; thread++) {
      uint32_t g = thread % 32 / 4, q = thread % 4, first = 16 * (thread / 32) + 2 * g;
      for (uint32_t v = 0; v < 4; v++) {
        uint32_t row = first + (v & 1), k = q + 4 * (v >> 1);
        assert_int_equal(at(&words, v, thread), b ? k * 64 + row : row * 8 + k);
      }
      for (uint32_t v = 0; v < 16; v++) {
        uint32_t row = first + (v >> 1 & 1), column = 8 * (v >> 2) + 2 * q + (v & 1);
        assert_int_equal(at(&result, v, thread), b ? column * 64 + row : row * 32 + column);
      }
    }
  }
}

// A dot of 16 rows, computed transposed by wgmma m64n16.
// Column 16 warp + g + 8 (v / 2 % 2), row 8 (v / 4) + 2 q + v % 2.
TEST(result_of_swapped_wgmma) {
  DotShape shape = {.m = 4, .n = 7, .k = 4};
  Layout layout = layout_wgmma_swapped(&shape, &(DotWarps){.m = 3});
  assert_int_equal(layout_registers(&layout), 8);
  for (uint32_t thread = 0; thread < 256; thread++)
    for (uint32_t v = 0; v < 8; v++) {
      uint32_t g = thread % 32 / 4, q = thread % 4, column = 16 * (thread / 32) + g + 8 * (v >> 1 & 1);
      assert_int_equal(at(&layout, v, thread), (8 * (v >> 2) + 2 * q + (v & 1)) * 128 + column);
    }
}

// Every element is held, whatever the warps; those with work of their own hold it once.
TEST(warps_divide_the_result) {
  DotShape shape = {.m = 7, .n = 7, .k = 4};
  for (uint32_t m = 0; m <= 3; m++)
    for (uint32_t n = 0; n <= 3; n++) {
      Layout layout = layout_mma_result(&shape, &(DotWarps){.m = m, .n = n}, false), inverse;
      assert_true(layout_invert(&layout, &inverse));
      assert_int_equal(layout_in_bits(&layout), 14);
    }
  DotShape small = {.m = 4, .n = 3, .k = 4};
  Layout layout = layout_mma_result(&small, &(DotWarps){.m = 1, .n = 1}, false);
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(&layout, free_bits);
  assert_int_equal(free_bits[DIM_WARP], 3);
}

// Every thread has all of k for every element of its result.
TEST(operands_of_fma) {
  DotShape shape = {.m = 6, .n = 5, .k = 3};
  Layout result = layout_fma_result(&shape, 2), inverse;
  assert_true(layout_invert(&result, &inverse));
  for (int operand = DOT_A; operand <= DOT_B; operand++) {
    Layout layout = layout_fma_operand(&result, &shape, (DotOperand)operand);
    for (uint32_t thread = 0; thread < 128; thread++)
      for (uint32_t r = 0; r < layout_registers(&result); r++) {
        uint32_t index = at(&result, r, thread), outer = operand == DOT_A ? index >> 5 : index & 31;
        for (uint32_t k = 0; k < 8; k++) {
          uint32_t wanted = operand == DOT_A ? outer * 8 + k : k * 32 + outer;
          bool held = false;
          for (uint32_t i = 0; i < layout_registers(&layout); i++) held |= at(&layout, i, thread) == wanted;
          assert_true(held);
        }
      }
  }
}

// PTX ISA, swizzling modes: within 8 lines of 128 bytes the 16-byte chunk's number within its row
// is XORed with the line's number.
TEST(shared_of_wgmma) {
  for (uint32_t elem_bits = 0; elem_bits <= 2; elem_bits++)
    for (uint32_t inner_bits = 5 - elem_bits; inner_bits <= 8; inner_bits++)
      for (uint32_t contiguous = 0; contiguous <= 1; contiguous++) {
        uint32_t outer_bits = 4, rows = contiguous ? outer_bits : inner_bits,
                 columns = contiguous ? inner_bits : outer_bits;
        Layout layout;
        uint32_t row_bytes;
        assert_true(layout_wgmma_shared(rows, columns, elem_bits, contiguous, &layout, &row_bytes));
        uint32_t chunks = row_bytes / 16, outer = 1u << outer_bits;
        for (uint32_t offset = 0; offset < 1u << (inner_bits + outer_bits); offset++) {
          uint32_t byte = offset << elem_bits, line = byte / 128 % 8, mask = chunks - 1;
          uint32_t logical = byte ^ (line & mask) << 4; // the address without the exchange
          uint32_t row = logical / row_bytes % outer, block = logical / (row_bytes * outer);
          uint32_t column = ((block * row_bytes + logical % row_bytes) >> elem_bits);
          uint32_t index = contiguous ? row << inner_bits | column : column << outer_bits | row;
          assert_int_equal(layout_apply_offset(&layout, offset), index);
        }
      }
}

TEST(too_narrow_for_wgmma) {
  Layout layout;
  uint32_t row_bytes;
  assert_false(layout_wgmma_shared(4, 3, 1, 1, &layout, &row_bytes)); // rows of 16 bytes
  assert_false(layout_wgmma_shared(2, 6, 1, 1, &layout, &row_bytes)); // 4 rows
}

// PTX ISA, tcgen05: D's row is the lane; of 64 rows, those of a warp are its first 16 lanes. `16x256b` is as mma's c, of 16
// lanes and 8 columns; a warp has 32 lanes, by its number modulo 4.
TEST(result_of_tcgen05) {
  static const struct {
    DotShape shape;
    DotWarps warps;
  } cases[] = {{{.m = 6, .n = 4}, {.m = 2}}, {{.m = 6, .n = 5}, {.m = 2, .n = 1}},
               {{.m = 7, .n = 4}, {.m = 2}}, {{.m = 7, .n = 6}, {.m = 2, .n = 1}},
               {{.m = 8, .n = 5}, {.m = 3}}, {{.m = 9, .n = 4}, {.m = 3, .n = 1}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DotShape shape = cases[i].shape;
    Layout layout = layout_tcgen05_result(&shape, &cases[i].warps);
    uint32_t sizes[] = {1u << shape.m, 1u << shape.n}, threads = 32u << (cases[i].warps.m + cases[i].warps.n);
    Type tmem = {.kind = TYPE_TMEM, .elem = ELEM_FP32, .rank = 2, .shape = {sizes[0], sizes[1]}};
    uint8_t *held = calloc(sizes[0] * sizes[1], 1);
    for (uint32_t thread = 0; thread < threads; thread++)
      for (uint32_t v = 0; v < layout_registers(&layout); v++) {
        uint32_t index = at(&layout, v, thread), row = index >> shape.n, column = index % sizes[1],
                 lane = thread % 32;
        TmemPlace place = tmem_place(&tmem, index);
        held[index]++;
        assert_int_equal(place.lane, shape.m == 6 ? row / 16 * 32 + row % 16 : row % 128);
        assert_int_equal(place.column, row / 128 * sizes[1] + column);
        assert_int_equal(place.lane / 32, thread / 32 % 4);
        assert_int_equal(place.lane % 16, lane / 4 + 8 * (v >> 1 & 1));
        assert_int_equal(column % 8, 2 * (lane % 4) + (v & 1));
      }
    for (uint32_t index = 0; index < sizes[0] * sizes[1]; index++) assert_int_equal(held[index], 1);
    free(held);
    assert_int_equal(tmem_columns(&tmem), shape.m == 9    ? 64
                                          : shape.m == 8  ? 64
                                          : sizes[1] < 32 ? 32
                                                          : sizes[1]);
  }
}

// Row r and scale j of a block of 128 x 4: byte r % 32 * 16 + r / 32 * 4 + j. Blocks along the rows follow one another, and
// have neighbouring columns of tensor memory.
static void scales_of_tcgen05(void **unused) {
  (void)unused;
  Layout layout = layout_dot_scales(8, 3), inverse;
  DotShape shape = {.m = 7, .n = 8, .k = 8};
  assert_true(layout_invert(&layout, &inverse));
  for (uint32_t row = 0; row < 256; row++)
    for (uint32_t j = 0; j < 8; j++) {
      uint32_t block = j / 4 * 2 + row / 128, offset = row % 32 * 16 + row % 128 / 32 * 4 + j % 4;
      assert_int_equal(layout_apply_offset(&inverse, row * 8 + j), block * 512 + offset);
      assert_int_equal(dot_scale_column(&shape, 32, DOT_B, row, 32 * j), 8 + (block * 128 + row % 128) / 32);
    }
  assert_int_equal(dot_scale_column(&shape, 32, DOT_A, 32, 128), 5);
  assert_int_equal(dot_scale_columns(&shape, 32), 24);
  assert_int_equal(dot_scale_columns(&shape, 16), 48);
}

// Quad g has the scales of rows g (even lanes) and g + 8 of a, and of column g of b.
static void scales_of_mma(void **unused) {
  (void)unused;
  DotShape shape = {.m = 6, .n = 5, .k = 7};
  Layout result = layout_mma_result(&shape, &(DotWarps){.m = 1, .n = 1}, false);
  Layout a = layout_mma_scales(&result, &shape, DOT_A, 2), b = layout_mma_scales(&result, &shape, DOT_B, 2);
  assert_int_equal(layout_registers(&a), 8);
  assert_int_equal(layout_registers(&b), 8);
  for (uint32_t thread = 0; thread < 128; thread++)
    for (uint32_t v = 0; v < 8; v++) {
      uint32_t lane = thread % 32, warp = thread / 32;
      assert_int_equal(at(&a, v, thread), (warp % 2 * 32 + v / 4 * 16 + lane % 2 * 8 + lane / 4) * 4 + v % 4);
      assert_int_equal(at(&b, v, thread), (warp / 2 * 16 + v / 4 * 8 + lane / 4) * 4 + v % 4);
    }
}

int suite_layout_dot(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(result_of_mma),           cmocka_unit_test(first_operand_of_mma),
      cmocka_unit_test(second_operand_of_mma),   cmocka_unit_test(result_of_wgmma),
      cmocka_unit_test(warps_divide_the_result), cmocka_unit_test(operands_of_fma),
      cmocka_unit_test(shared_of_wgmma),         cmocka_unit_test(too_narrow_for_wgmma),
      cmocka_unit_test(operand_read_by_wgmma),   cmocka_unit_test(result_of_swapped_wgmma),
      cmocka_unit_test(result_of_tcgen05),       cmocka_unit_test(scales_of_tcgen05),
      cmocka_unit_test(scales_of_mma),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
