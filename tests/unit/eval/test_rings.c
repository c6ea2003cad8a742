// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings. The verifier reports values that are used twice, and slots out of order. The evaluator
// reports slots that are read or written too early or too late.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

#define T "layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [64, 0]; 128>"
#define S "layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>"
#define SLOTS(n, more)                                                                                       \
  "shared_alloc : shared<" #n "x128xi32, layout<offset = [1, 2, 4, 8, 16, 32, 64, 128" more ">>\n"
#define BEGIN                                                                                                \
  "%i = arange {start = 0, end = 128} : tile<128xi32, " T ">\n"                                              \
  "%xs = splat %x : tile<128x*i32, " T ">\n%xp = addptr %xs, %i : tile<128x*i32, " T ">\n"                   \
  "%os = splat %out : tile<128x*i32, " T ">\n%op = addptr %os, %i : tile<128x*i32, " T ">\n"                 \
  "%v = load %xp : tile<128xi32, " T ">\n"                                                                   \
  "%b = " SLOTS(2, "]; 256") "%r = ring_begin {slots = 2} : ring\n"
#define FILL(view, ring, from) view ", " ring " = ring_fill " from ", %b : shared<128xi32, " S ">, ring\n"
#define WAIT(view, ring, from) view ", " ring " = ring_wait " from ", %b : shared<128xi32, " S ">, ring\n"
#define RELEASE(ring, from)    ring " = ring_release " from " : ring\n"
#define PUT(view)              "shared_store %v, " view "\n"
#define COPY(view)             "copy_async %xp, " view " {vector = 2, align = 8}\n"
#define TAKE(view)             "%t = shared_load " view " : tile<128xi32, " T ">\nstore %op, %t\n"

// --- verifier

#define HEAD "(%x: *i32, %out: *i32, %n: i32, %c: i1)"

static void expect_invalid(const char *body, const char *error) { kernel_expect_invalid(HEAD, body, error); }

TEST(test_each_value_is_used_once) {
  expect_invalid(BEGIN FILL("%a", "%r1", "%r") FILL("%a2", "%r2", "%r"), "the ring is used twice");
  expect_invalid(BEGIN "%one = constant {value = 1} : i32\nfor %one, %n, %one do (%k: i32) {\n"
                       "%a, %r1 = ring_fill %r, %b : shared<128xi32, " S ">, ring\nyield\n}\n",
                 "the ring is used twice");
  expect_invalid(
      BEGIN "if %c then {\n" FILL("%a", "%r1", "%r") "yield\n} else {\nyield\n}\n" FILL("%a2", "%r2", "%r"),
      "the ring is used twice");
}

TEST(test_slots_go_round_in_turn) {
  expect_invalid(BEGIN FILL("%a1", "%r1", "%r") FILL("%a2", "%r2", "%r1") FILL("%a3", "%r3", "%r2"),
                 "no slot is free");
  expect_invalid(BEGIN WAIT("%a1", "%r1", "%r"), "no slot is being filled");
  expect_invalid(BEGIN FILL("%a1", "%r1", "%r") RELEASE("%r2", "%r1"), "no slot is readable");
  expect_invalid(
      BEGIN
      "%one = constant {value = 1} : i32\n%l = for %one, %n, %one, %r : ring do (%k: i32, %q: ring) {\n" FILL(
          "%a1", "%r1", "%q") "yield %r1\n}\n",
      "0 slots of the ring are being filled and 0 readable, or 1 and 0");
  expect_invalid(BEGIN
                 "%l = if %c : ring then {\n" FILL("%a1", "%r1", "%r") "yield %r1\n} else {\nyield %r\n}\n",
                 "by its two branches: 1 slots of the ring are being filled");
  expect_invalid("%r = ring_begin {slots = 0} : ring\n", "'slots' is 1 to 64");
  expect_invalid("%r = ring_begin {slots = 2, filled = 2} : ring\n", "'filled' is fewer than the slots");
}

TEST(test_buffers_belong_to_the_ring) {
  expect_invalid(BEGIN "%two = constant {value = 1} : i32\n%s = shared_index %b, %two : shared<128xi32, " S
                       ">\n" FILL("%a1", "%r1", "%r"),
                 "shared_index uses one");
  expect_invalid(
      BEGIN FILL("%a1", "%r1", "%r") "%q = ring_begin {slots = 2} : ring\n" FILL("%a2", "%q1", "%q"),
      "the ring's buffers may be used only by its ops; ring_fill uses one");
  expect_invalid(BEGIN "%d = " SLOTS(2, "]; 256")
                     FILL("%a1", "%r1", "%r") "%a2, %r2 = ring_fill %r1, %d : shared<128xi32, " S ">, ring\n",
                 "all ops of a ring name the same buffers");
  expect_invalid(BEGIN "%q = ring_begin {slots = 3} : ring\n" FILL("%a1", "%q1", "%q"),
                 "has 2 slots, the ring 3");
  expect_invalid(BEGIN FILL("%a1", "%r1", "%r") TAKE("%a1"), "which is being filled: it can only be written");
  expect_invalid(BEGIN FILL("%a1", "%r1", "%r") PUT("%a1") WAIT("%a2", "%r2", "%r1") PUT("%a2"),
                 "which is readable: it can only be read");
}

// --- evaluator

static void expect_run(const char *body, const char *error) {
  Kernel k;
  int32_t x[128];
  kernel_open(&k, "%x: *i32, %out: *i32, %n: i32", body);
  for (int i = 0; i < 128; i++) x[i] = i * 3 - 100;
  eval_memory_add(k.memory, X, x, 128 * sizeof *x, true);
  kernel_output(&k, OUT, 512);
  bool ok = RUN(&k, X, OUT, 5);
  kernel_gave(&k, ok, OUT, x, sizeof x, error);
  kernel_close(&k);
}

#define FILLED FILL("%a1", "%r1", "%r") COPY("%a1") "%g = async_commit : token\n"

TEST(test_slots_that_are_waited_for) {
  expect_run(BEGIN FILL("%a1", "%r1", "%r") PUT("%a1") WAIT("%a2", "%r2", "%r1") TAKE("%a2"), NULL);
  expect_run(BEGIN FILLED "async_wait %g {pending = 0}\n" WAIT("%a2", "%r2", "%r1") TAKE("%a2"), NULL);
  expect_run(BEGIN FILLED WAIT("%a2", "%r2", "%r1") TAKE("%a2"), "copies into slot 0 are in flight");
  expect_run(BEGIN FILLED "%h = async_commit : token\nasync_wait %h {pending = 0}\n" WAIT("%a2", "%r2", "%r1")
                 TAKE("%a2"),
             NULL);
  expect_run(BEGIN FILLED, "copies into slots of a ring are in flight, and no later op waits for them");
}

TEST(test_slots_out_of_turn) {
  // Its turn is the next one.
  expect_run(BEGIN FILL("%a1", "%r1", "%r") PUT("%a1") WAIT("%a2", "%r2", "%r1") RELEASE("%r3", "%r2")
                 FILL("%a3", "%r4", "%r3") PUT("%a3") WAIT("%a4", "%r5", "%r4") RELEASE("%r6", "%r5")
                     TAKE("%a2"),
             "slot 0 of a ring is read while it is free");
  expect_run(BEGIN FILL("%a1", "%r1", "%r") PUT("%a1") WAIT("%a2", "%r2", "%r1") PUT("%a1") TAKE("%a2"),
             "slot 0 of a ring is written while it is readable");
  expect_run(BEGIN FILL("%a1", "%r1", "%r") PUT("%a1") WAIT("%a2", "%r2", "%r1") RELEASE("%r3", "%r2")
                 TAKE("%a2"),
             "slot 0 of a ring is read while it is free");
  expect_run(BEGIN FILL("%a1", "%r1", "%r") PUT("%a1") WAIT("%a2", "%r2", "%r1") RELEASE("%r3", "%r2")
                 FILL("%a3", "%r4", "%r3") PUT("%a3") FILL("%a5", "%r5", "%r4") PUT("%a5") TAKE("%a2"),
             "slot 0 of a ring is read while it is being filled");
}

// The data of an earlier iteration is gone after its slot is filled again.
TEST(test_a_round_begins_without_values) {
  expect_run(
      BEGIN
      "%one = constant {value = 1} : i32\n%three = constant {value = 3} : i32\n"
      "%l = for %one, %n, %one, %r : ring do (%k: i32, %q: ring) {\n" FILL(
          "%a1", "%q1",
          "%q") "%first = lt %k, %three : i1\nif %first then {\n" PUT("%a1") "yield\n} else "
                                                                             "{\nyield\n}\n" WAIT(
                                                                                 "%a2", "%q2", "%q1")
                                                                                 TAKE("%a2") RELEASE(
                                                                                     "%q3",
                                                                                     "%q2") "yield %q3\n}\n",
      "undefined");
}

#define ACC                                                                                                  \
  "tile<64x64xfp32, layout<reg = [1, 512, 8, 16, 32], lane = [2, 4, 64, 128, 256], warp = [1024, 2048]; "    \
  "4096>>"
#define IN(shape)                                                                                            \
  "tile<" shape "xfp16, layout<reg = [1, 2, 4], lane = [8, 16, 32, 64, 128], warp = [256, 512]; 1024>>"
#define BASES_A "1, 2, 4, 8, 16, 32, 72, 128, 256, 512"
#define BASES_B "1, 2, 4, 8, 16, 32, 72, 144, 288, 512"
#define ONE_A   "shared<64x16xfp16, layout<offset = [" BASES_A "]; 1024>>"
#define ONE_B   "shared<16x64xfp16, layout<offset = [" BASES_B "]; 1024>>"
#define DOT                                                                                                  \
  "%h = constant {fvalue = 1} : " IN("64x16") "\n%w = constant {fvalue = 1} : " IN(                          \
      "16x64") "\n"                                                                                          \
               "%s = constant {fvalue = 0} : " ACC "\n"                                                      \
               "%m = shared_alloc : shared<2x64x16xfp16, layout<offset = [" BASES_A ", 1024]; 2048>>\n"      \
               "%n = shared_alloc : shared<2x16x64xfp16, layout<offset = [" BASES_B ", 1024]; 2048>>\n"      \
               "%r = ring_begin {slots = 2} : ring\n"                                                        \
               "%a, %b, %r1 = ring_fill %r, %m, %n : " ONE_A ", " ONE_B ", ring\n"                           \
               "shared_store %h, %a\nshared_store %w, %b\n"                                                  \
               "%u, %v, %r2 = ring_wait %r1, %m, %n : " ONE_A ", " ONE_B ", ring\n"                          \
               "%d = dot %u, %v, %s {instruction = \"wgmma\", shared_a, shared_b, async} : " ACC "\n"

static void expect_dot(const char *body, const char *error) {
  Kernel k;
  kernel_open(&k, "%x: *i32, %out: *i32", body);
  bool ok = RUN(&k, X, OUT);
  if (error) kernel_expect(&k, 0, error);
  if (!error) kernel_must_run(&k, ok);
  assert_int_equal(ok, error == NULL);
  kernel_close(&k);
}

TEST(test_dots_under_way) {
  expect_dot(DOT "%e = dot_wait %d {pending = 0} : " ACC "\n" RELEASE("%r3", "%r2"), NULL);
  expect_dot(DOT "%e = dot_wait %d {pending = 1} : " ACC "\n" RELEASE("%r3", "%r2"),
             "an asynchronous dot that reads slot 0 may be in flight");
}

WHOLE_SUITE(rings)
