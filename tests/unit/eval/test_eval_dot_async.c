// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's asynchronous dots: what one gives is not read before its wait, what it reads
// is not written.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

#define T     "layout<reg = [1, 128, 8], lane = [2, 4, 16, 32, 64], warp = [256, 512]; 1024>"
#define SUM   " : tile<64x16xfp32, " T ">\n"
#define WGMMA " {instruction = \"wgmma\", async}" SUM
#define B_BUFFER(name, offset)                                                                               \
  name " = shared_alloc {offset = " offset "} : shared<16x16xfp16, "                                         \
       "layout<offset = [1, 2, 4, 8, 16, 32, 72, 128]; 256>>\n"
#define OPERANDS                                                                                             \
  "%one = constant {fvalue = 1} : tile<64x16xfp16, " T                                                       \
  ">\n%few = constant {fvalue = 1} : tile<16x16xfp16, "                                                      \
  "layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [64, 128]; 256>>\n%zero = constant {fvalue = 0}" SUM   \
  "%a = shared_alloc {offset = 0} : shared<64x16xfp16, "                                                     \
  "layout<offset = [1, 2, 4, 8, 16, 32, 72, 128, 256, 512]; 1024>>\n" B_BUFFER("%b", "2048")                 \
  "shared_store %one, %a\nshared_store %few, %b\n"
#define STORE(value)                                                                                         \
  "%i = arange {start = 0, end = 1024} : tile<1024xi32, " T ">\n"                                              \
  "%os = splat %out : tile<1024x*fp32, " T ">\n%op = addptr %os, %i : tile<1024x*fp32, " T ">\n"               \
  "%r = reshape " value " : tile<1024xfp32, " T ">\nstore %op, %r\n"

// NULL: every sum is `sum`.
static void expect_sums(const char *body, float sum, const char *error) {
  Kernel k;
  kernel_open(&k, "%out: *fp32", body);
  kernel_output(&k, OUT, 1024 * sizeof(float));
  bool ok = RUN(&k, OUT);
  if (error) {
    assert_false(ok);
    kernel_expect(&k, 0, error);
  } else {
    kernel_must_run(&k, ok);
    for (int i = 0; i < 1024; i++) {
      float x;
      memcpy(&x, (const char *)kernel_bytes(&k, OUT) + (size_t)i * sizeof x, sizeof x);
      assert_true(x == sum);
    }
  }
  kernel_close(&k);
}

TEST(test_a_result_is_read_after_its_wait) {
  expect_sums(OPERANDS "%d = dot %a, %b, %zero" WGMMA "%e = dot_wait %d {pending = 0}" SUM STORE("%e"), 16,
              NULL);
  expect_sums(OPERANDS "%d = dot %a, %b, %zero" WGMMA STORE("%d"), 0,
              "operand 0 is read before the wait for its asynchronous dot");
  // The last dot begun is not waited for: its own sums are not there, those of the one before are.
  expect_sums(OPERANDS "%d = dot %a, %b, %zero" WGMMA "%e = dot %a, %b, %zero" WGMMA
                       "%f, %g = dot_wait %d, %e {pending = 1} : tile<64x16xfp32, " T ">, tile<64x16xfp32, " T
                       ">\n" STORE("%f"),
              16, NULL);
  expect_sums(OPERANDS "%d = dot %a, %b, %zero" WGMMA "%e = dot %a, %b, %zero" WGMMA
                       "%f, %g = dot_wait %d, %e {pending = 1} : tile<64x16xfp32, " T ">, tile<64x16xfp32, " T
                       ">\n" STORE("%g"),
              0, "operand 0 is read before the wait for its asynchronous dot");
  expect_sums(OPERANDS "%d = dot %a, %b, %zero" WGMMA "dot_wait %d {pending = 0}\n" STORE("%d"), 0,
              "operand 0 is read before the wait for its asynchronous dot");
}

TEST(test_a_dot_adds_to_what_is_under_way) {
  expect_sums(OPERANDS "%d = dot %a, %b, %zero" WGMMA "%e = dot %a, %b, %d" WGMMA
                       "%f = dot_wait %e {pending = 0}" SUM STORE("%f"),
              32, NULL);
  expect_sums(OPERANDS "%0 = constant {value = 0} : i32\n%1 = constant {value = 1} : i32\n"
                       "%3 = constant {value = 3} : i32\n"
                       "%d = for %0, %3, %1, %zero : tile<64x16xfp32, " T
                       "> do (%j: i32, %sum: tile<64x16xfp32, " T ">) {\n%n = dot %a, %b, %sum" WGMMA
                       "yield %n\n}\n"
                       "%e = dot_wait %d {pending = 0}" SUM STORE("%e"),
              48, NULL);
}

TEST(test_what_a_dot_reads_is_not_written) {
  expect_sums(OPERANDS "%d = dot %a, %b, %zero" WGMMA "%e = dot_wait %d {pending = 0}" SUM
                       "shared_store %few, %b\n" STORE("%e"),
              16, NULL);
  expect_sums(OPERANDS "%d = dot %a, %b, %zero" WGMMA "shared_store %few, %b\n"
                       "%e = dot_wait %d {pending = 0}" SUM STORE("%e"),
              0, "written while an asynchronous dot reads it");
  expect_sums(OPERANDS B_BUFFER("%c", "2304") "%d = dot %a, %b, %zero" WGMMA "shared_store %few, %c\n"
                                           "%e = dot_wait %d {pending = 0}" SUM STORE("%e"),
              0, "written while an asynchronous dot reads it");
}

#define LOOP(wait)                                                                                           \
  OPERANDS "%0 = constant {value = 0} : i32\n%1 = constant {value = 1} : i32\n"                              \
           "%3 = constant {value = 3} : i32\n"                                                               \
           "%d = for %0, %3, %1, %zero : tile<64x16xfp32, " T "> do (%j: i32, %sum: tile<64x16xfp32, " T     \
           ">) {\n" wait "%x = shared_load %a : tile<64x16xfp16, " T ">\n%n = dot %x, %b, %sum" WGMMA        \
           "yield %n\n}\n%e = dot_wait %d {pending = 0}" SUM STORE("%e")

TEST(test_registers_are_written_after_the_dot_that_reads_them) {
  expect_sums(LOOP("dot_wait {pending = 0}\n"), 48, NULL);
  expect_sums(LOOP("dot_wait {pending = 1}\n"), 0,
              "registers are written while an asynchronous dot reads them");
  expect_sums(LOOP(""), 0, "registers are written while an asynchronous dot reads them");
}

#define LONG_OPERANDS                                                                                        \
  "%one = constant {fvalue = 1} : tile<64x32xfp16, "                                                         \
  "layout<reg = [1, 2, 4, 8], lane = [16, 32, 64, 128, 256], warp = [512, 1024]; 2048>>\n"                   \
  "%tall = constant {fvalue = 1} : tile<32x16xfp16, "                                                        \
  "layout<reg = [1, 2, 4], lane = [8, 16, 32, 64, 128], warp = [256, 0]; 512>>\n"                            \
  "%a = shared_alloc {offset = 0} : shared<64x32xfp16, "                                                     \
  "layout<offset = [1, 2, 4, 8, 16, 32, 72, 144, 256, 512, 1024]; 2048>>\n"                                  \
  "%b = shared_alloc {offset = 4096} : shared<32x16xfp16, "                                                  \
  "layout<offset = [1, 2, 4, 8, 16, 32, 72, 128, 256]; 512>>\n"                                              \
  "shared_store %one, %a\nshared_store %tall, %b\n"

TEST(test_parts_of_k_and_fresh_sums) {
  expect_sums(LONG_OPERANDS
              "%seven = constant {fvalue = 7}" SUM "%yes = constant {value = 1} : i1\n"
              "%d = dot %a, %b, %seven, %yes {instruction = \"wgmma\", async, part = [16, 16]}" SUM
              "%e = dot_wait %d, %one {pending = 0}" SUM STORE("%e"),
              16, NULL);
  expect_sums(LONG_OPERANDS
              "%seven = constant {fvalue = 7}" SUM "%no = constant {value = 0} : i1\n"
              "%d = dot %a, %b, %seven, %no {instruction = \"wgmma\", async, part = [0, 16]}" SUM
              "%e = dot_wait %d {pending = 0}" SUM STORE("%e"),
              23, NULL);
}

WHOLE_SUITE(eval_dot_async)
