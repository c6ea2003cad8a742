// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA copies and mbarriers. Tests what the evaluator copies, inside the tensor and outside. Also
// tests what it and the verifier say about phases that are not started, waited for or counted
// correctly.
#include "tests/unit/unit.h"
#include "base/integer.h"
#include "eval/eval.h"
#include "ir/dot/layout_dot.h"
#include "ir/memory/tensor_box.h"
#include "tests/unit/eval_kernel.h"

enum { ROWS = 12, COLUMNS = 24, BOX_ROWS = 8, BOX_COLUMNS = 16, BOX = BOX_ROWS * BOX_COLUMNS };

#define HEAD(fill)                                                                                           \
  "(%x: *i16, %out: *i16, %row: i32, %column: i32, %n: i32) map %m: tensor_map<i16, box=[8, 16], "           \
  "swizzle=32, fill=" fill "> {\n%r = constant {value = 12} : i64\n%c = constant {value = 24} : i64\n"       \
  "yield %x, %r, %c, %c\n}"
#define TILE   "layout<lane = [1, 2, 4, 8, 16], warp = [32, 64]; 128>"
#define LAYOUT "layout<offset = [1, 2, 4, 8, 16, 32, 72]; 128>"
#define SLOTS  "layout<offset = [1, 2, 4, 8, 16, 32, 72, 128]; 256>"
#define BUFFERS                                                                                              \
  "%b = shared_alloc : shared<8x16xi16, " LAYOUT ">\n"                                                       \
  "%f = shared_alloc : shared<1xi64, layout<1>>\n%even = constant {value = 0} : i32\n"                       \
  "%odd = constant {value = 1} : i32\n"
#define INIT   "mbarrier_init %f\n"
#define INVAL  "mbarrier_inval %f\n"
#define EXPECT "mbarrier_expect %f {bytes = 256}\n"
#define COPY   "tma_copy %m, %b, %f, %row, %column\n"
#define WAIT   "mbarrier_wait %f, %even\n"
#define TAKE                                                                                                 \
  "%t = shared_load %b : tile<8x16xi16, " TILE ">\n%i = arange {start = 0, end = 128} : tile<128xi32, " TILE \
  ">\n%j = reshape %i : tile<8x16xi32, " TILE ">\n%o = splat %out : tile<8x16x*i16, " TILE                   \
  ">\n%p = addptr %o, %j : tile<8x16x*i16, " TILE ">\nstore %p, %t\n"

static void expect_box(const char *body, int row, int column, const char *error) {
  Kernel k;
  int16_t x[ROWS * COLUMNS], box[BOX];
  kernel_open_head(&k, HEAD("zero"), body);
  for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (int16_t)(i + 1);
  for (int i = 0; i < BOX; i++) {
    int64_t r = (int64_t)row + i / BOX_COLUMNS, c = (int64_t)column + i % BOX_COLUMNS;
    box[i] = r >= 0 && r < ROWS && c >= 0 && c < COLUMNS ? x[r * COLUMNS + c] : 0;
  }
  eval_memory_add(k.memory, X, x, sizeof x, true);
  kernel_output(&k, OUT, sizeof box);
  bool ok = RUN(&k, X, OUT, (uint64_t)(int64_t)row, (uint64_t)(int64_t)column, 5);
  kernel_gave(&k, ok, OUT, box, sizeof box, error);
  kernel_close(&k);
}

TEST(test_boxes_inside_and_out) {
  static const int rows[] = {0, 3, 4, 5, 11, 12, -3, -8, 100, INT32_MAX, INT32_MIN};
  static const int columns[] = {0, 8, 16, 24, -8, -16, 800, INT32_MAX - 255, INT32_MIN};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
      expect_box(BUFFERS INIT EXPECT COPY WAIT TAKE, rows[i], columns[j], NULL);
  expect_box(BUFFERS INIT EXPECT COPY WAIT TAKE, 0, 4, "is not a multiple of 16 bytes");
}

TEST(test_phases_out_of_turn) {
  expect_box(BUFFERS EXPECT COPY WAIT TAKE, 0, 0, "operand 0 is not an mbarrier");
  expect_box(BUFFERS INIT COPY WAIT TAKE, 0, 0,
             "256 bytes are copied, the mbarrier's phase waits for 0 more");
  expect_box(BUFFERS INIT EXPECT WAIT TAKE, 0, 0, "bytes of the next one are missing");
  expect_box(BUFFERS INIT WAIT TAKE, 0, 0, "nothing has arrived since");
  expect_box(BUFFERS INIT EXPECT COPY TAKE, 0, 0, "undefined");
  expect_box(BUFFERS INIT EXPECT COPY "mbarrier_wait %f, %odd\n" TAKE, 0, 0, "does not end: 1 phases");
  expect_box(BUFFERS INIT EXPECT EXPECT COPY WAIT TAKE, 0, 0, "has had its arrival");
  expect_box(BUFFERS INIT "mbarrier_expect %f {bytes = 128}\n" COPY WAIT TAKE, 0, 0, "waits for 128 more");
  expect_box(BUFFERS INIT "mbarrier_expect %f {bytes = 512}\n" COPY WAIT TAKE, 0, 0, "bytes of the next one");
  expect_box(BUFFERS INIT EXPECT COPY WAIT WAIT TAKE, 0, 0, NULL);
  expect_box(BUFFERS INIT EXPECT COPY WAIT "mbarrier_wait %f, %odd\n" TAKE, 0, 0, "does not end: 1 phases");
  expect_box(BUFFERS INIT EXPECT COPY WAIT EXPECT COPY "mbarrier_wait %f, %odd\n" TAKE, 0, 0, NULL);
  expect_box(BUFFERS INIT EXPECT COPY WAIT EXPECT COPY WAIT TAKE, 0, 0, "does not end: 2 phases");
  expect_box(BUFFERS INIT INIT EXPECT COPY WAIT TAKE, 0, 0, "is an mbarrier already");
  expect_box(BUFFERS INVAL INIT EXPECT COPY WAIT TAKE, 0, 0, "is not an mbarrier");
  expect_box(BUFFERS INIT INVAL INIT EXPECT COPY WAIT TAKE, 0, 0, NULL);
  expect_box(BUFFERS INIT EXPECT COPY WAIT INVAL INIT EXPECT COPY WAIT TAKE, 0, 0, NULL);
  expect_box(BUFFERS INIT EXPECT COPY INVAL TAKE, 0, 0, "are in flight");
  expect_box(BUFFERS INIT EXPECT COPY WAIT "%two = constant {value = 2} : i32\nmbarrier_wait %f, %two\n" TAKE,
             0, 0, "a parity must be 0 or 1");
}

TEST(test_fill_of_nan) {
  Kernel k;
  uint16_t x[ROWS * COLUMNS] = {0};
  kernel_open_head(
      &k,
      "(%x: *fp16, %out: *fp16, %row: i32, %column: i32) map %m: tensor_map<fp16, box=[8, 16], swizzle=32, "
      "fill=nan> "
      "{\n%r = constant {value = 12} : i64\n%c = constant {value = 24} : i64\nyield %x, %r, %c, %c\n}",
      "%b = shared_alloc : shared<8x16xfp16, " LAYOUT ">\n%f = shared_alloc : shared<1xi64, layout<1>>\n"
      "%even = constant {value = 0} : i32\n" INIT EXPECT COPY WAIT
      "%t = shared_load %b : tile<8x16xfp16, " TILE
      ">\n%i = arange {start = 0, end = 128} : tile<128xi32, " TILE
      ">\n%j = reshape %i : tile<8x16xi32, " TILE ">\n%o = splat %out : tile<8x16x*fp16, " TILE
      ">\n%p = addptr %o, %j : tile<8x16x*fp16, " TILE ">\nstore %p, %t\n");
  eval_memory_add(k.memory, X, x, sizeof x, true);
  kernel_output(&k, OUT, 256);
  kernel_must_run(&k, RUN(&k, X, OUT, 8, 16));
  for (uint32_t i = 0; i < BOX; i++)
    assert_true(isnan(kernel_value(&k, OUT, ELEM_FP16, i)) == (i / BOX_COLUMNS >= 4 || i % BOX_COLUMNS >= 8));
  kernel_close(&k);
}

// --- rings that are completed by bytes

#define RING                                                                                                 \
  "%s = shared_alloc : shared<2x8x16xi16, " SLOTS ">\n"                                                      \
  "%f = shared_alloc : shared<2x1xi64, layout<offset = [1]; 2>>\n%r = ring_begin %f {slots = 2} : ring\n"
#define VIEWS                    "shared<8x16xi16, " LAYOUT ">, shared<1xi64, layout<1>>, ring\n"
#define RING_FILL(n, ring, from) "%b" n ", %g" n ", " ring " = ring_fill " from ", %s, %f : " VIEWS
#define RING_WAIT(n, ring, from) "%b" n ", %g" n ", " ring " = ring_wait " from ", %s, %f : " VIEWS
#define PUT(n)                   "mbarrier_expect %g" n " {bytes = 256}\ntma_copy %m, %b" n ", %g" n ", %row, %column\n"
#define READ(n)                  "%b = shared_trans %b" n " {order = [0, 1]} : shared<8x16xi16, " LAYOUT ">\n" TAKE

TEST(test_slots_completed_by_bytes) {
  expect_box(RING RING_FILL("1", "%r1", "%r") PUT("1") RING_WAIT("2", "%r2", "%r1") READ("2"), 2, 8, NULL);
  expect_box(RING RING_FILL("1", "%r1", "%r") RING_WAIT("2", "%r2", "%r1") READ("2"), 2, 8,
             "nothing has arrived since");
  expect_box(RING RING_FILL("1", "%r1", "%r") "mbarrier_expect %g1 {bytes = 256}\n" RING_WAIT(
                 "2", "%r2", "%r1") READ("2"),
             2, 8, "bytes of the next one are missing");
  expect_box(RING RING_FILL("1", "%r1", "%r") PUT("1"), 2, 8, "and no later op waits for them");
  expect_box(RING RING_FILL("1", "%r1", "%r") PUT("1") RING_WAIT("2", "%r2", "%r1") PUT("1") READ("2"), 2, 8,
             "slot 0 of a ring is written while it is readable");
}

// Five rounds of two slots: each phase of each slot's mbarrier is waited for, one after another.
TEST(test_rounds) {
  expect_box(RING "%one = constant {value = 1} : i32\n%zero = constant {value = 0} : i32\n"
                  "%l = for %zero, %n, %one, %r : ring do (%k: i32, %q: ring) {\n" RING_FILL("1", "%q1", "%q")
                      PUT("1") RING_WAIT("2", "%q2", "%q1")
                          READ("2") "%q3 = ring_release %q2 : ring\nyield %q3\n}\n",
             2, 8, NULL);
}

// --- verifier

TEST(test_rules) {
  kernel_expect_invalid(HEAD("zero"), BUFFERS INIT EXPECT "tma_copy %m, %b, %f, %row\n",
                        "a coordinate per dimension, 2, not 1");
  kernel_expect_invalid(HEAD("zero"), BUFFERS INIT EXPECT "tma_copy %row, %b, %f, %row, %column\n",
                        "is a tensor map, not i32");
  kernel_expect_invalid(
      HEAD("zero"),
      "%b = shared_alloc : shared<8x16xi16, layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>>\n"
      "%f = shared_alloc : shared<1xi64, layout<1>>\n" INIT EXPECT COPY,
      "do not fill shared<8x16xi16");
  kernel_expect_invalid(HEAD("zero"), BUFFERS INIT EXPECT "tma_copy %m, %b, %f, %row, %column {boxes = 2}\n",
                        "'boxes' is at least 1");
  kernel_expect_invalid(HEAD("zero"), BUFFERS "mbarrier_expect %f {bytes = 0}\n", "'bytes' is 1 to");
  kernel_expect_invalid(HEAD("zero"), BUFFERS "mbarrier_init %b\n",
                        "operand mbarriers is a shared buffer of i64");
  kernel_expect_invalid(HEAD("zero"), RING "mbarrier_expect %f {bytes = 16}\n",
                        "operand mbarrier is a shared buffer of i64 with one element");
  kernel_expect_invalid(HEAD("zero"),
                        RING RING_FILL("1", "%r1", "%r") "tma_copy %m, %b1, %f, %row, %column\n",
                        "is a shared buffer of i64 with one element, not");
  kernel_expect_invalid(HEAD("zero"),
                        RING RING_FILL("1", "%r1", "%r")
                            RING_FILL("2", "%r2", "%r1") "tma_copy %m, %b1, %g2, %row, %column\n",
                        "copies that count at its mbarrier");
  kernel_expect_invalid(HEAD("zero"),
                        RING "%b1, %r1 = ring_fill %r, %s : shared<8x16xi16, " LAYOUT ">, ring\n",
                        "the last of the ring's buffers is its mbarriers");
  kernel_expect_invalid(
      HEAD("zero"),
      "%f = shared_alloc : shared<4x1xi64, layout<offset = [1, 2]; 4>>\n%r = ring_begin %f {slots "
      "= 2} : ring\n",
      "the mbarriers are a buffer of shared_alloc, 2 of i64");
}

// --- more dimensions than the buffer

#define RANK3(box)                                                                                           \
  "(%x: *i16, %out: *i16, %row: i32, %column: i32, %n: i32) map %m: tensor_map<i16, box=" box ", "           \
  "swizzle=32, fill=zero> {\n%s = constant {value = 48} : i64\n%r = constant {value = 3} : i64\n"            \
  "%c = constant {value = 24} : i64\nyield %x, %r, %r, %c, %s, %c\n}"
#define COPY3 "tma_copy %m, %b, %f, %row, %column, %even\n"
#define BOXED(dims)                                                                                          \
  "%z = constant {value = 0} : i64\n%q = splat %x : tile<8x16x*i16, " TILE                                   \
  ">\n%v = load %q : tile<8x16xi16, " TILE                                                                   \
  ">\n%w = tma_mark %v, %x, %z, %z, %z, %z, %z, %z, %z, %z, %z {dims = " dims "} : tile<8x16xi16, " TILE     \
  ">\n"

TEST(test_rules_of_more_dimensions) {
  kernel_expect_invalid(RANK3("[2, 4, 16]"), BUFFERS INIT EXPECT COPY3, "do not fill shared<8x16xi16");
  kernel_expect_invalid(RANK3("[16, 1, 16]"), BUFFERS INIT EXPECT COPY3, "do not fill shared<8x16xi16");
  kernel_expect_invalid(RANK3("[1, 8, 16]"), BUFFERS INIT EXPECT COPY,
                        "a coordinate per dimension, 3, not 2");
  kernel_expect_invalid(HEAD("zero"), BOXED("[2, 1]"),
                        "'dims' are dimensions of the tensor's 3 in their order");
  kernel_expect_invalid(HEAD("zero"), BOXED("[1, 3]"),
                        "'dims' are dimensions of the tensor's 3 in their order");
  kernel_expect_invalid(HEAD("zero"), BOXED("[2]"), "sizes, strides and offsets, 6, not 9");
}

// --- boxes of layouts

TEST(test_boxes_of_layouts) {
  static const struct {
    uint32_t rows, columns, bytes, swizzle, count;
  } cases[] = {{64, 64, 2, 128, 1}, {64, 256, 2, 128, 4}, {128, 32, 2, 64, 1}, {256, 16, 2, 32, 1},
               {8, 128, 1, 128, 1}, {16, 256, 1, 128, 2}, {32, 64, 4, 128, 2}, {512, 64, 2, 0, 0},
               {64, 8, 2, 0, 0},    {4, 64, 2, 0, 0}};
  static const Elem elems[] = {0, ELEM_I8, ELEM_FP16, 0, ELEM_FP32};
  Arena arena = {0};
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources};
  IrContext ir;
  ir_context_init(&ir, &arena, &sources, &diags);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t shape[2] = {cases[i].rows, cases[i].columns}, bytes = cases[i].bytes, row_bytes;
    Layout layout;
    TensorBox box;
    if (!layout_wgmma_shared(log2_of(shape[0]), log2_of(shape[1]), log2_of(bytes), 1, &layout, &row_bytes)) {
      assert_int_equal(cases[i].count, 0);
      continue;
    }
    const Type *type = type_shared(&ir, elems[bytes], 2, shape, layout_intern(&ir, &layout));
    bool fits = layout_tma_box(type, &box);
    assert_int_equal(fits, cases[i].count > 0);
    if (!fits) continue;
    assert_int_equal(box.swizzle, cases[i].swizzle);
    assert_int_equal(box.count, cases[i].count);
    assert_int_equal(box.bytes * box.count, shape[0] * shape[1] * bytes);
    // Each box is whole where the one before ends, its first element at the next columns.
    for (uint32_t n = 0; n < box.count; n++)
      assert_int_equal(layout_apply_offset(&layout, n * box.bytes / bytes), n * box.shape[1]);
  }
  arena_free(&arena);
}

WHOLE_SUITE(tensor_copies)
