// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's ops that move elements, sort and count them, and block pointers, against plain C
// loops.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

// Rows of what the tests share: 4x8x2 i32 from %x, and a store of a tile of n elements, flattened, to %out.
#define LOAD64                                                                                               \
  "%i = arange {start = 0, end = 64} : tile<64xi32>\n"                                                       \
  "%xs = splat %x : tile<64x*i32>\n"                                                                         \
  "%xp = addptr %xs, %i : tile<64x*i32>\n"                                                                   \
  "%flat = load %xp : tile<64xi32>\n"                                                                        \
  "%a = reshape %flat : tile<4x8x2xi32>\n"
#define STORE(n)                                                                                             \
  "%oi = arange {start = 0, end = " #n "} : tile<" #n "xi32>\n"                                              \
  "%os = splat %out : tile<" #n "x*i32>\n"                                                                   \
  "%op = addptr %os, %oi : tile<" #n "x*i32>\n"                                                              \
  "%of = reshape %r : tile<" #n "xi32>\n"                                                                    \
  "store %op, %of\n"

typedef uint32_t (*Source)(const uint32_t at[3]); // which element of x the result at [a, b, c] is

static void check_shape(const char *ops, uint32_t a, uint32_t b, uint32_t c, Source source) {
  Kernel k;
  int32_t x[64];
  kernel_open(&k, "%x: *i32, %out: *i32", ops);
  for (int i = 0; i < 64; i++) x[i] = (int32_t)kernel_random(&k);
  eval_memory_add(k.memory, X, x, sizeof x, true);
  kernel_output(&k, OUT, 4 * a * b * c);
  kernel_must_run(&k, RUN(&k, X, OUT));
  for (uint32_t i = 0; i < a * b * c; i++) {
    const uint32_t at[3] = {i / c / b, i / c % b, i % c};
    assert_int_equal(kernel_int(&k, OUT, ELEM_I32, i), x[source(at)]);
  }
  kernel_close(&k);
}

static uint32_t at(uint32_t a, uint32_t b, uint32_t c) { return (a * 8 + b) * 2 + c; }
static uint32_t transposed(const uint32_t i[3]) { return at(i[1], i[2], i[0]); }
static uint32_t flipped(const uint32_t i[3]) { return at(i[0], 7 - i[1], i[2]); }
static uint32_t sliced(const uint32_t i[3]) { return at(2 + i[0], 4 + i[1], 1 + i[2]); }
static uint32_t last_dropped(const uint32_t i[3]) { return at(i[0], i[1], i[2]); }
static uint32_t second_halves(const uint32_t i[3]) { return at(i[1], i[2], i[0] == 0); }
static uint32_t repeated(const uint32_t i[3]) { return at(i[0], 3, i[2]); }
static uint32_t doubled(const uint32_t i[3]) { return at(i[0], (i[1] % 8 + (i[1] >= 8)) % 8, i[2]); }

TEST(test_views) {
  check_shape(LOAD64 "%r = trans %a {order = [2, 0, 1]} : tile<2x4x8xi32>\n" STORE(64), 2, 4, 8, transposed);
  check_shape(LOAD64 "%r = flip %a {axis = 1} : tile<4x8x2xi32>\n" STORE(64), 4, 8, 2, flipped);
  check_shape(LOAD64 "%r = slice %a {starts = [2, 4, 1]} : tile<2x4x1xi32>\n" STORE(8), 2, 4, 1, sliced);
  check_shape(LOAD64 "%s = slice %a {starts = [0, 3, 0]} : tile<4x1x2xi32>\n"
                     "%r = broadcast %s : tile<4x16x2xi32>\n" STORE(128),
              4, 16, 2, repeated);
}

TEST(test_join_split_cat) {
  check_shape(LOAD64 "%p, %q = split %a : tile<4x8xi32>, tile<4x8xi32>\n"
                     "%r = join %p, %q : tile<4x8x2xi32>\n" STORE(64),
              4, 8, 2, last_dropped);
  check_shape(LOAD64 "%p, %q = split %a : tile<4x8xi32>, tile<4x8xi32>\n"
                     "%e = expand_dims %q {axis = 0} : tile<1x4x8xi32>\n"
                     "%f = expand_dims %p {axis = 0} : tile<1x4x8xi32>\n"
                     "%r = cat %e, %f {axis = 0} : tile<2x4x8xi32>\n" STORE(64),
              2, 4, 8, second_halves);
  // b is a, rotated by one along the axis: slices joined again.
  check_shape(LOAD64 "%h = slice %a {starts = [0, 0, 0]} : tile<4x8x2xi32>\n"
                     "%index = constant {value = 0} : tile<4x8x2xi32>\n"
                     "%one = arange {start = 1, end = 9} : tile<8xi32>\n"
                     "%seven = constant {value = 7} : tile<8xi32>\n"
                     "%w = and %one, %seven : tile<8xi32>\n"
                     "%w1 = reshape %w : tile<1x8x1xi32>\n"
                     "%w2 = broadcast %w1 : tile<4x8x2xi32>\n"
                     "%g = gather %a, %w2 {axis = 1} : tile<4x8x2xi32>\n"
                     "%r = cat %h, %g {axis = 1} : tile<4x16x2xi32>\n" STORE(128),
              4, 16, 2, doubled);
}

// Out of range gives an undefined element, which may not be stored.
TEST(test_gather_out_of_range) {
  for (int bad = -1; bad <= 9; bad += 5) {
    Kernel k;
    int32_t x[64] = {0};
    kernel_open(&k, "%x: *i32, %out: *i32, %n: i32",
                LOAD64 "%index = splat %n : tile<4x8x2xi32>\n"
                       "%r = gather %a, %index {axis = 1} : tile<4x8x2xi32>\n" STORE(64));
    eval_memory_add(k.memory, X, x, sizeof x, true);
    kernel_output(&k, OUT, sizeof x);
    bool fine = bad >= 0 && bad < 8;
    assert_int_equal(RUN(&k, X, OUT, (uint64_t)bad), fine);
    if (!fine) kernel_expect(&k, 0, "the value to store in out[0] of 64 is undefined, in program (0, 0, 0), element 0");
    kernel_close(&k);
  }
}

static int ascending(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

static void sort_plain(float *x, uint32_t n, bool descending) {
  for (uint32_t i = 1; i < n; i++)
    for (uint32_t j = i; j > 0; j--) {
      bool swap = isnan(x[j])       ? false
                  : isnan(x[j - 1]) ? true
                  : descending      ? ascending(&x[j], &x[j - 1]) > 0
                                    : ascending(&x[j], &x[j - 1]) < 0;
      float t = x[j];
      if (swap) x[j] = x[j - 1], x[j - 1] = t;
    }
}

TEST(test_sort) {
  for (int descending = 0; descending < 2; descending++) {
    Kernel k;
    float x[64], want[64];
    char body[800];
    snprintf(body, sizeof body,
             "%%i = arange {start = 0, end = 64} : tile<64xi32>\n%%xs = splat %%x : tile<64x*fp32>\n"
             "%%xp = addptr %%xs, %%i : tile<64x*fp32>\n%%f = load %%xp : tile<64xfp32>\n"
             "%%a = reshape %%f : tile<8x8xfp32>\n%%s = sort %%a {axis = 1%s} : tile<8x8xfp32>\n"
             "%%t = sort %%s {axis = 0} : tile<8x8xfp32>\n"
             "%%r = reshape %%t : tile<64xfp32>\n%%os = splat %%out : tile<64x*fp32>\n"
             "%%op = addptr %%os, %%i : tile<64x*fp32>\nstore %%op, %%r\n",
             descending ? ", descending" : "");
    kernel_open(&k, "%x: *fp32, %out: *fp32", body);
    for (int i = 0; i < 64; i++) want[i] = x[i] = i % 9 == 8 ? NAN : kernel_real(&k);
    eval_memory_add(k.memory, X, x, sizeof x, true);
    kernel_output(&k, OUT, sizeof x);
    kernel_must_run(&k, RUN(&k, X, OUT));
    for (int row = 0; row < 8; row++) sort_plain(want + row * 8, 8, descending);
    for (int column = 0; column < 8; column++) {
      float line[8];
      for (int i = 0; i < 8; i++) line[i] = want[i * 8 + column];
      sort_plain(line, 8, false);
      for (int i = 0; i < 8; i++) want[i * 8 + column] = line[i];
    }
    EvalCheck check = kernel_check(&k, OUT, want, ELEM_FP32);
    if (check.wrong) fail_msg("%s", check.first_message);
    want[3] += 1; // data that only moved are compared to the bit
    assert_int_equal(kernel_check(&k, OUT, want, ELEM_FP32).wrong, 1);
    kernel_close(&k);
  }
}

// A merge's steps, on lines that are bitonic and on one that is not.
TEST(test_merge) {
  static const float x[16] = {1, 3, 7, 9, 8, 6, 2, 0, 5, 1, 4, 8, 2, 7, 3, 6};
  static const float up[16] = {0, 1, 2, 3, 6, 7, 8, 9, 1, 2, 3, 6, 4, 7, 5, 8};
  Kernel k;
  kernel_open(&k, "%x: *fp32, %out: *fp32",
              "%i = arange {start = 0, end = 16} : tile<16xi32>\n%xs = splat %x : tile<16x*fp32>\n"
              "%xp = addptr %xs, %i : tile<16x*fp32>\n%f = load %xp : tile<16xfp32>\n"
              "%a = reshape %f : tile<2x8xfp32>\n%s = sort %a {axis = 1, merge} : tile<2x8xfp32>\n"
              "%r = reshape %s : tile<16xfp32>\n%os = splat %out : tile<16x*fp32>\n"
              "%op = addptr %os, %i : tile<16x*fp32>\nstore %op, %r\n");
  eval_memory_add(k.memory, X, x, sizeof x, true);
  kernel_output(&k, OUT, sizeof x);
  kernel_must_run(&k, RUN(&k, X, OUT));
  EvalCheck check = kernel_check(&k, OUT, up, ELEM_FP32);
  if (check.wrong) fail_msg("%s", check.first_message);
  kernel_close(&k);
}

TEST(test_histogram) {
  Kernel k;
  int32_t x[64], want[16] = {0};
  kernel_open(&k, "%x: *i32, %out: *i32",
              LOAD64 "%ten = constant {value = 10} : tile<64xi32>\n%m = lt %flat, %ten : tile<64xi1>\n"
                     "%r = histogram %flat, %m : tile<16xi32>\n" STORE(16));
  for (int i = 0; i < 64; i++) {
    x[i] = (int32_t)(kernel_random(&k) % 24) - 4;
    if (x[i] >= 0 && x[i] < 10) want[x[i]]++;
  }
  eval_memory_add(k.memory, X, x, sizeof x, true);
  kernel_output(&k, OUT, sizeof want);
  kernel_must_run(&k, RUN(&k, X, OUT));
  assert_memory_equal(kernel_bytes(&k, OUT), want, sizeof want);
  kernel_close(&k);
}

// A 6 x 5 tensor, read and written through 4 x 4 blocks at (row, column) that may hang over each edge.
#define BLOCK(name, base)                                                                                    \
  "%" name " = make_block_ptr %" base                                                                        \
  ", %rows, %columns, %stride0, %stride1, %row, %column {order = [1, 0]} : "                                 \
  "block_ptr<4x4xfp32>\n"
#define BLOCK_PARAMS "%x: *fp32, %out: *fp32, %row: i64, %column: i64, %stride0: i64, %stride1: i64"
#define SIZES        "%rows = constant {value = 6} : i64\n%columns = constant {value = 5} : i64\n"

static void check_block(int64_t row, int64_t column, int64_t stride0, int64_t stride1, const char *padding) {
  Kernel k;
  char body[1600];
  snprintf(body, sizeof body, "%s%s",
           SIZES "%zero = constant {value = 0} : i64\n%minus = constant {value = -1} : i64\n"
                 "%four = constant {value = 4} : i64\n",
           BLOCK("b", "x"));
  size_t n = strlen(body);
  snprintf(body + n, sizeof body - n,
           "%%b2 = advance %%b, %%minus, %%zero : block_ptr<4x4xfp32>\n"
           "%%one = constant {value = 1} : i64\n"
           "%%b3 = advance %%b2, %%one, %%zero : block_ptr<4x4xfp32>\n"
           "%%v = block_load %%b3 {boundary = [0, 1], padding = \"%s\"} : tile<4x4xfp32>\n"
           "%%i = arange {start = 0, end = 16} : tile<16xi32>\n%%s = splat %%out : tile<16x*fp32>\n"
           "%%p = addptr %%s, %%i : tile<16x*fp32>\n%%f = reshape %%v : tile<16xfp32>\nstore %%p, %%f\n",
           padding);
  kernel_open(&k, BLOCK_PARAMS, body);
  float x[30], want[16];
  for (int i = 0; i < 30; i++) x[i] = kernel_real(&k);
  for (int i = 0; i < 16; i++) {
    int64_t r = (int64_t)((uint64_t)row + (uint64_t)i / 4), c = column + i % 4;
    bool inside = r >= 0 && r < 6 && c >= 0 && c < 5;
    want[i] = inside ? x[(stride0 < 0 ? 25 : 0) + r * stride0 + c * stride1] : padding[0] == 'z' ? 0 : NAN;
  }
  eval_memory_add(k.memory, X, x, sizeof x, true);
  kernel_output(&k, OUT, sizeof want);
  kernel_must_run(&k, RUN(&k, X + (stride0 < 0 ? 100 : 0), OUT, (uint64_t)row, (uint64_t)column,
                          (uint64_t)stride0, (uint64_t)stride1));
  EvalCheck check = kernel_check(&k, OUT, want, ELEM_FP32);
  if (check.wrong) fail_msg("at (%d, %d): %s", (int)row, (int)column, check.first_message);
  assert_int_equal(check.compared, 16);
  kernel_close(&k);
}

TEST(test_block_load) {
  for (int64_t row = -5; row <= 7; row++)
    for (int64_t column = -5; column <= 6; column++) {
      check_block(row, column, 5, 1, "zero");
      check_block(row, column, 1, 6, "nan"); // column-major
      check_block(row, column, -5, 1, "zero");
    }
  check_block(INT64_MAX - 1, 0, 5, 1, "zero");
}

TEST(test_block_store) {
  for (int64_t row = -5; row <= 7; row++)
    for (int64_t column = -5; column <= 6; column++) {
      Kernel k;
      float before[30], want[30];
      kernel_open(&k, BLOCK_PARAMS,
                  SIZES BLOCK("b", "x") "%v = constant {fvalue = 7.0} : tile<4x4xfp32>\n"
                                        "block_store %b, %v {boundary = [0, 1]}\n");
      for (int i = 0; i < 30; i++) {
        before[i] = want[i] = (float)i;
        bool covered = i / 5 >= row && i / 5 < row + 4 && i % 5 >= column && i % 5 < column + 4;
        if (covered) want[i] = 7;
      }
      eval_memory_add(k.memory, X, before, sizeof before, true);
      kernel_must_run(&k, RUN(&k, X, OUT, (uint64_t)row, (uint64_t)column, 5, 1));
      assert_memory_equal(kernel_bytes(&k, X), want, sizeof want);
      kernel_close(&k);
    }
}

// The sum of all blocks of 4 rows, by a block pointer that a loop carries; the last hangs over the edge.
TEST(test_block_carried) {
  Kernel k;
  float x[30], want = 0;
  kernel_open(
      &k, BLOCK_PARAMS,
      SIZES BLOCK("b",
                  "x") "%z = constant {fvalue = 0.0} : tile<4x4xfp32>\n%zero = constant {value = 0} : i64\n"
                       "%four = constant {value = 4} : i64\n%rows4 = constant {value = 8} : i64\n"
                       "%last, %sum = for %zero, %rows4, %four, %b, %z : block_ptr<4x4xfp32>, tile<4x4xfp32> "
                       "do (%i: i64, %p: block_ptr<4x4xfp32>, %acc: tile<4x4xfp32>) {\n"
                       "%v = block_load %p {boundary = [0], padding = \"zero\"} : tile<4x4xfp32>\n"
                       "%next = add %acc, %v : tile<4x4xfp32>\n"
                       "%q = advance %p, %four, %zero : block_ptr<4x4xfp32>\nyield %q, %next\n}\n"
                       "%f = reshape %sum : tile<16xfp32>\n"
                       "%r = reduce %f {axis = 0} : fp32 do (%c: fp32, %d: fp32) {\n"
                       "%e = add %c, %d : fp32\nyield %e\n}\nstore %out, %r\n");
  for (int i = 0; i < 30; i++) {
    x[i] = kernel_whole(&k);
    if (i % 5 < 4) want += x[i];
  }
  eval_memory_add(k.memory, X, x, sizeof x, true);
  kernel_output(&k, OUT, 4);
  kernel_must_run(&k, RUN(&k, X, OUT, 0, 0, 5, 1));
  assert_true(kernel_value(&k, OUT, ELEM_FP32, 0) == (double)want);
  kernel_close(&k);
}

TEST(test_block_errors) {
  static const struct {
    const char *attributes, *says;
    int64_t row, column;
    bool goes_on; // what no load read may be stored, with a warning
  } CASES[] = {
      {"{boundary = [0], padding = \"zero\"}",
       "load out of bounds: 5 of 5 in dimension 1 of x", 0, 2, false},
      {"{boundary = [0], padding = \"zero\"}", "", 0, 1, false},
      {"{boundary = [1], padding = \"zero\"}",
       "load out of bounds: -1 of 6 in dimension 0 of x", -1, 0, false},
      {"{boundary = [0, 1]}", "is undefined", 3, 0, true},
      {"{boundary = [0, 1]}", "", 2, 0, false},
  };
  for (size_t n = 0; n < sizeof CASES / sizeof CASES[0]; n++) {
    Kernel k;
    char body[1200];
    snprintf(body, sizeof body,
             "%s%%v = block_load %%b %s : tile<4x4xfp32>\n"
             "%%i = arange {start = 0, end = 16} : tile<16xi32>\n%%s = splat %%out : tile<16x*fp32>\n"
             "%%p = addptr %%s, %%i : tile<16x*fp32>\n%%f = reshape %%v : tile<16xfp32>\nstore %%p, %%f\n",
             SIZES BLOCK("b", "x"), CASES[n].attributes);
    kernel_open(&k, BLOCK_PARAMS, body);
    float x[30] = {0};
    eval_memory_add(k.memory, X, x, sizeof x, true);
    kernel_output(&k, OUT, 64);
    bool ok = RUN(&k, X, OUT, (uint64_t)CASES[n].row, (uint64_t)CASES[n].column, 5, 1);
    assert_int_equal(ok, CASES[n].says[0] == 0 || CASES[n].goes_on);
    assert_int_equal(k.diags.warnings, CASES[n].goes_on);
    if (CASES[n].says[0]) kernel_expect(&k, 0, CASES[n].says);
    kernel_close(&k);
  }
}

WHOLE_SUITE(eval_shape)
