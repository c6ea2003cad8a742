// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA stores. Tests that the evaluator stores inside the tensor, and not outside. Also tests what
// it and the verifier say about buffers that lack a fence or a barrier, are written too early, or
// are not waited for.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

enum { ROWS = 12, COLUMNS = 24, BOX_ROWS = 8, BOX_COLUMNS = 16, BOX = BOX_ROWS * BOX_COLUMNS };

#define HEAD                                                                                                 \
  "(%x: *i16, %out: *i16, %row: i32, %column: i32, %n: i32) map %m: tensor_map<i16, box=[8, 16], "           \
  "swizzle=32, fill=zero> {\n%r = constant {value = 12} : i64\n%c = constant {value = 24} : i64\n"           \
  "yield %out, %r, %c, %c\n}"
#define TILE  "layout<lane = [1, 2, 4, 8, 16], warp = [32, 64]; 128>"
#define ALLOC "%b = shared_alloc : shared<8x16xi16, layout<offset = [1, 2, 4, 8, 16, 32, 72]; 128>>\n"
#define TAKE                                                                                                 \
  ALLOC "%i = arange {start = 0, end = 128} : tile<128xi32, " TILE ">\n%s = cast %i : tile<128xi16, " TILE   \
        ">\n%v = reshape %s : tile<8x16xi16, " TILE ">\n"
#define PUT     "shared_store %v, %b\n"
#define FENCE   "fence_async\n"
#define BARRIER "barrier\n"
#define STORE   "tma_store %m, %b, %row, %column\n"
#define COMMIT  "tma_store_commit\n"
#define READ    "tma_store_wait {pending = 0, read}\n"

static void expect_box(const char *body, int row, int column, const char *error) {
  Kernel k;
  int16_t out[ROWS * COLUMNS] = {0};
  kernel_open_head(&k, HEAD, body);
  for (int i = 0; i < BOX; i++) {
    int64_t r = (int64_t)row + i / BOX_COLUMNS, c = (int64_t)column + i % BOX_COLUMNS;
    if (r >= 0 && r < ROWS && c >= 0 && c < COLUMNS) out[r * COLUMNS + c] = (int16_t)i;
  }
  eval_memory_add(k.memory, OUT, (int16_t[ROWS * COLUMNS]){0}, sizeof out, true);
  bool ok = RUN(&k, X, OUT, (uint64_t)(int64_t)row, (uint64_t)(int64_t)column, 3);
  kernel_gave(&k, ok, OUT, out, sizeof out, error);
  kernel_close(&k);
}

TEST(test_boxes_inside_and_out) {
  static const int rows[] = {0, 3, 4, 5, 11, 12, -3, -8, 100, INT32_MAX, INT32_MIN};
  static const int columns[] = {0, 8, 16, 24, -8, -16, 800, INT32_MAX - 255, INT32_MIN};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
      expect_box(TAKE PUT FENCE BARRIER STORE COMMIT READ, rows[i], columns[j], NULL);
  expect_box(TAKE PUT FENCE BARRIER STORE COMMIT READ, 0, 4, "is not a multiple of 16 bytes");
}

TEST(test_order) {
  expect_box(TAKE PUT BARRIER STORE COMMIT READ, 0, 0, "no fence_async came after it");
  expect_box(TAKE STORE COMMIT READ, 0, 0, "the value to store is undefined");
  expect_box(TAKE PUT FENCE STORE COMMIT READ, 0, 0, "but no barrier came after it");
  expect_box(TAKE PUT BARRIER FENCE STORE COMMIT READ, 0, 0, "but no barrier came after it");
  expect_box(TAKE PUT FENCE PUT BARRIER STORE COMMIT READ, 0, 0, "no fence_async came after it");
  expect_box(TAKE PUT FENCE BARRIER STORE READ, 0, 0, "may still read shared memory");
  expect_box(TAKE PUT FENCE BARRIER STORE COMMIT, 0, 0, "may still read shared memory");
  expect_box(TAKE PUT FENCE BARRIER STORE COMMIT "tma_store_wait {pending = 1, read}\n", 0, 0,
             "may still read shared memory");
  expect_box(TAKE PUT FENCE BARRIER STORE COMMIT "tma_store_wait {pending = 0}\n", 0, 0, NULL);
  expect_box(TAKE PUT FENCE BARRIER STORE COMMIT PUT READ, 0, 0, "written while a TMA store reads it");
  expect_box(TAKE PUT FENCE BARRIER STORE COMMIT READ PUT, 0, 0, NULL);
  expect_box(TAKE "barrier {id = 1, warps = 2}\n" PUT FENCE "barrier {id = 1, warps = 2}\n" STORE COMMIT READ,
             0, 0, "but no barrier came after it");
}

// Buffers with places: one that shares bytes with what a store reads is not written either.
TEST(test_shared_bytes) {
#define PLACED(offset)                                                                                       \
  "%b = shared_alloc {offset = 0} : shared<8x16xi16, layout<offset = [1, 2, 4, 8, 16, 32, 72]; 128>>\n"      \
  "%d = shared_alloc {offset = " offset                                                                      \
  "} : shared<128xi32, layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>>\n"                                    \
  "%i = arange {start = 0, end = 128} : tile<128xi32, " TILE ">\n%s = cast %i : tile<128xi16, " TILE         \
  ">\n%v = reshape %s : tile<8x16xi16, " TILE ">\n" PUT FENCE BARRIER STORE COMMIT
  expect_box(PLACED("256") "shared_store %i, %d\n" READ, 2, 8, NULL);
  expect_box(PLACED("240") "shared_store %i, %d\n" READ, 2, 8, "written while a TMA store reads it");
  expect_box(PLACED("240") READ "shared_store %i, %d\n", 2, 8, NULL);
}

// The store reads the data from its start, again in each round.
TEST(test_rounds) {
#define LOOP(body)                                                                                           \
  TAKE "%one = constant {value = 1} : i32\n%zero = constant {value = 0} : i32\n%l = for %zero, %n, %one, "   \
       "%zero "                                                                                              \
       ": i32 do (%k: i32, %q: i32) {\n" body "yield %q\n}\n"
  expect_box(LOOP(READ BARRIER PUT FENCE BARRIER STORE COMMIT) READ, 2, 8, NULL);
  expect_box(LOOP(READ BARRIER PUT FENCE BARRIER STORE COMMIT), 2, 8, "may still read shared memory");
  expect_box(LOOP(BARRIER PUT FENCE BARRIER STORE COMMIT) READ, 2, 8, "written while a TMA store reads it");
}

// --- verifier

static void expect_invalid(const char *body, const char *error) { kernel_expect_invalid(HEAD, body, error); }

TEST(test_rules) {
  expect_invalid(ALLOC "tma_store %m, %b, %row\n", "a coordinate per dimension, 2, not 1");
  expect_invalid(ALLOC "tma_store %row, %b, %row, %column\n", "is a tensor map, not i32");
  expect_invalid(
      "%b = shared_alloc : shared<8x16xi16, layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>>\n" STORE,
      "do not fill shared<8x16xi16");
  expect_invalid("tma_store_wait {pending = 64}\n", "'pending' is 0 to 63");
}

WHOLE_SUITE(tensor_stores)
