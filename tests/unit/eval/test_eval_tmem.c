// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor memory: its rules, and its states in the evaluator.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

#define L    "layout<reg = [1, 128, 8], lane = [2, 4, 16, 32, 64], warp = [256, 512]; 1024>"
#define TILE " : tile<64x16xfp32, " L ">\n"
#define TMEM " : tmem<64x16xfp32>\n"
#define DOT  " {instruction = \"tcgen05\", async}" TMEM
#define ALLOC                                                                                                \
  "%place = shared_alloc : shared<1xi64, layout<1>>\n"                                                       \
  "%done = shared_alloc : shared<2xi64, layout<offset = [1]; 2>>\nmbarrier_init %done\n"                     \
  "%t = tmem_alloc %place, %done" TMEM
#define BUFFERS                                                                                              \
  "%a = shared_alloc : shared<64x16xfp16, layout<offset = [1, 2, 4, 8, 16, 32, 72, 128, 256, 512]; 1024>>\n" \
  "%b = shared_alloc : shared<16x16xfp16, layout<offset = [1, 2, 4, 8, 16, 32, 72, 128]; 256>>\n"
#define OPERANDS                                                                                             \
  ALLOC "%one = constant {fvalue = 1} : tile<64x16xfp16, " L                                                 \
        ">\n%few = constant {fvalue = 1} : tile<16x16xfp16, "                                                \
        "layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [64, 128]; 256>>\n%seven = constant {fvalue = "  \
        "7}" TILE "%yes = constant {value = 1} : i1\n" BUFFERS                                               \
        "shared_store %one, %a\nshared_store %few, %b\n"
#define PLACE "%place = shared_alloc : shared<1xi64, layout<1>>\n%t = tmem_alloc %place, %place"
#define SLOTS(release, commit)                                                                               \
  "%place = shared_alloc : shared<1xi64, layout<1>>\n%t = tmem_alloc %place {slots = 2}" TMEM                \
  "%f, %q = channel {slots = 2} : ring, ring\nwarp_groups {group_warps = [4, 1], group_threads = [128, 1]} " \
  "do {\n%s, %r1 = ring_wait %q, %t : tmem<64x16xfp32>, ring\n%x = tmem_load %s" TILE STORE(                 \
      "%x") "%r2 = ring_" release                                                                            \
            " : ring\nyield\n} do {\n%s, %f1 = ring_fill %f, %t : tmem<64x16xfp32>, ring\n"                  \
            "%yes = constant {value = 1} : i1\n" BUFFERS "%d = dot %a, %b, %s, %yes" DOT                     \
            "%f2 = ring_" commit " : ring\nyield\n}\n" END
#define END "barrier\ntmem_dealloc %t\n"
#define STORE(value)                                                                                         \
  "%i = arange {start = 0, end = 1024} : tile<1024xi32, " L ">\n"                                            \
  "%os = splat %out : tile<1024x*fp32, " L ">\n%op = addptr %os, %i : tile<1024x*fp32, " L ">\n"             \
  "%r = reshape " value " : tile<1024xfp32, " L ">\nstore %op, %r\n"

// NULL: every sum is `sum`.
static void expect_sums(const char *body, float sum, const char *error) {
  Kernel k;
  kernel_open_on(&k, "sm_100a", "(%out: *fp32)", body);
  kernel_output(&k, OUT, 1024 * sizeof(float));
  bool ok = RUN(&k, OUT);
  if (error) {
    assert_false(ok);
    kernel_expect(&k, 0, error);
  } else {
    kernel_must_run(&k, ok);
    for (uint32_t i = 0; i < 1024; i++) assert_true(kernel_value(&k, OUT, ELEM_FP32, i) == (double)sum);
  }
  kernel_close(&k);
}

TEST(test_dots_add_to_what_was_stored) {
  expect_sums(OPERANDS "%s = tmem_store %seven, %t" TMEM "barrier\n%d = dot %a, %b, %s" DOT
                       "%e = dot %a, %b, %d" DOT "%f = dot_wait %e {pending = 0}" TMEM
                       "%x = tmem_load %f" TILE STORE("%x") END,
              39, NULL);
  expect_sums(OPERANDS "%d = dot %a, %b, %t, %yes" DOT "%f = dot_wait %d {pending = 0}" TMEM
                       "%x = tmem_load %f" TILE STORE("%x") END,
              16, NULL);
  // A loop without iterations leaves what was stored.
  expect_sums(OPERANDS "%0 = constant {value = 0} : i32\n%1 = constant {value = 1} : i32\n"
                       "%s = tmem_store %seven, %t" TMEM "barrier\n"
                       "%d = for %0, %0, %1, %s : tmem<64x16xfp32> do (%j: i32, %u: tmem<64x16xfp32>) {\n"
                       "%n = dot %a, %b, %u" DOT "yield %n\n}\n%e = dot_wait %d {pending = 0}" TMEM
                       "%x = tmem_load %e" TILE STORE("%x") END,
              7, NULL);
  // The branches of an if may both take a state.
  expect_sums(OPERANDS "%s = tmem_store %seven, %t" TMEM "barrier\n"
                       "%d = if %yes : tmem<64x16xfp32> then {\n%n = dot %a, %b, %s" DOT
                       "yield %n\n} else {\nyield %s\n}\n%e = dot_wait %d {pending = 0}" TMEM
                       "%x = tmem_load %e" TILE STORE("%x") END,
              23, NULL);
}

TEST(test_only_the_current_state_is_read) {
  expect_sums(OPERANDS "%s = tmem_store %seven, %t" TMEM "%u = tmem_store %seven, %t" TMEM
                       "%x = tmem_load %s" TILE STORE("%x") END,
              0, "operand 0 is a former state of tensor memory");
  expect_sums(OPERANDS "%s = tmem_store %seven, %t" TMEM "%u = tmem_store %seven, %t" TMEM "barrier\n"
                       "%d = dot %a, %b, %s" DOT "%f = dot_wait %d {pending = 0}" TMEM
                       "%x = tmem_load %f" TILE STORE("%x") END,
              0, "operand 2 is a former state of tensor memory");
  expect_sums(OPERANDS "%x = tmem_load %t" TILE STORE("%x") END, 0, "undefined");
}

TEST(test_dots_are_waited_for) {
  expect_sums(OPERANDS "%d = dot %a, %b, %t, %yes" DOT "%x = tmem_load %d" TILE STORE("%x") END, 0,
              "operand 0 is read before the wait for its asynchronous dot");
  expect_sums(OPERANDS "%d = dot %a, %b, %t, %yes" DOT "%s = tmem_store %seven, %t" TMEM END, 0,
              "a dot that has not been waited for uses tensor memory");
  expect_sums(OPERANDS "%d = dot %a, %b, %t, %yes" DOT END, 0,
              "a dot that has not been waited for uses tensor memory");
  expect_sums(SLOTS("release %r1", "commit %f1"), 0, "dots of accumulator 0 may be in flight");
  expect_sums(SLOTS("release %r1", "commit %f1, %d"), 0, "undefined");
  expect_sums(OPERANDS "%d = dot %a, %b, %t, %yes" DOT "shared_store %few, %b\n" END, 0,
              "written while an asynchronous dot reads it");
}

TEST(test_what_breaks_a_rule_is_said) {
  static const struct {
    const char *body, *error;
  } cases[] = {
      {ALLOC, "a kernel allocates tensor memory once, and frees it once after that"},
      {ALLOC "%u = tmem_alloc %place, %done" TMEM END, "a kernel allocates tensor memory once"},
      {OPERANDS "if %yes then {\n%u = tmem_alloc %place, %done" TMEM "yield\n} else {\nyield\n}\n" END,
       "it is in the kernel's body, outside loops and branches"},
      {PLACE " : tmem<32x16xfp32>\n" END, "not tmem<32x16xfp32>"},
      {PLACE " : tmem<256x512xfp32>\n" END, "and 512 columns at most, not tmem<256x512xfp32>"},
      {PLACE " {scale_columns = 8} : tmem<128x512xfp32>\n" END,
       "'scale_columns' is what the scales of its dots need, with the accumulators at most 512"},
      {PLACE " {slots = 65} : tmem<64x16xfp32>\n" END, "'slots' is 1 to 64"},
      {OPERANDS "%s = tmem_store %seven, %t" TMEM
                "%n = constant {value = 0} : i32\n%u = tmem_slot %s, %n" TMEM END,
       "it is one of the accumulators of tmem_alloc"},
      {SLOTS("release %r1, %s", "commit %f1, %d"),
       "operand 1 is a sum in tensor memory, and a group of one thread"},
      {SLOTS("release %r1", "commit %f1, %d : ring\n%e = dot_wait %d {pending = 0} : tmem<64x16xfp32>\n%g = "
                            "constant {value = 0}"),
       "a group of one thread waits for no dots"},
      {OPERANDS "%s = tmem_store %one, %t" TMEM END, "does not hold tile<64x16xfp16"},
      {OPERANDS
       "%x = tmem_load %t : tile<64x16xfp32, layout<reg = [1, 2, 4], lane = [8, 16, 32, 64, 128], warp = "
       "[256, 512]; 1024>>\n" END,
       "threads do not reach tensor memory in the layout of"},
      {OPERANDS "%s = tmem_store %seven, %t" TMEM "%x = tmem_load %s" TILE "%y = tmem_load %s" TILE END,
       "operand 0, a state of tensor memory, is used more than once"},
      {OPERANDS "%s = tmem_store %seven, %t" TMEM "barrier\ntmem_dealloc %s\n",
       "it frees the result of tmem_alloc"},
      {OPERANDS "%d = dot %one, %b, %t, %yes" DOT "%f = dot_wait %d {pending = 0}" TMEM END,
       "tcgen05 takes both operands from shared memory"},
      {OPERANDS "%d = dot %a, %b, %t, %yes {instruction = \"mma\"}" TMEM END,
       "mma takes operands from registers"},
      {OPERANDS "%d = dot %a, %b, %seven {instruction = \"tcgen05\", async, anchor = layout<reg = [1, 2, 4], "
                "lane = [8, "
                "16, 32, 64, 128], warp = [256, 512]; 1024>}" TILE END,
       "does not have the layout of 'anchor'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    kernel_expect_invalid_on("sm_100a", "(%out: *fp32)", cases[i].body, cases[i].error);
  kernel_expect_invalid_on("sm_90a", "(%out: *fp32)", ALLOC END, "sm_90a has no tensor memory");
  kernel_expect_invalid_on("sm_100", "(%out: *fp32)", OPERANDS "%d = dot %a, %b, %t, %yes" DOT END,
                           "the architecture has no tcgen05");
}

WHOLE_SUITE(eval_tmem)
