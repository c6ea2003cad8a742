// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets that wrap in 32 bits: each way into an address, and what is no way.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

// %s: 65536 as a parameter. %w: tile of 65536 * 65536 + i, which is i in 32 bits and within the buffer.
#define WRAPPED                                                                                              \
  "\n%i = arange {start = 0, end = 8} : tile<8xi32>\n%st = splat %s : tile<8xi32>\n"                         \
  "%big = mul %st, %st : tile<8xi32>\n%w = add %big, %i : tile<8xi32>\n%xs = splat %x : tile<8x*i32>\n"
// Loads by the tile %r of 8 offsets of a type.
#define LOAD_R                                                                                               \
  "%p = addptr %xs, %r : tile<8x*i32>\n%v = load %p : tile<8xi32>\n"                                         \
  "%os = splat %out : tile<8x*i32>\n%op = addptr %os, %i : tile<8x*i32>\nstore %op, %v\n"

static const char said[] = "wrapped in 32 bits (65536 * 65536 = 4294967296, which becomes 0)";

// Runs the body. Returns the number of warnings. The first one says `text`.
static uint32_t warnings(const char *body, uint64_t s, const char *text) {
  Kernel k;
  int32_t x[8] = {0};
  kernel_open(&k, "%x: *i32, %out: *i32, %s: i32", body);
  eval_memory_add(k.memory, X, x, sizeof x, true);
  eval_memory_add(k.memory, OUT, x, sizeof x, true);
  kernel_must_run(&k, RUN(&k, X, OUT, s));
  uint32_t n = k.diags.warnings;
  if (n && !strstr(kernel_said(&k, 0), text))
    fail_msg("\"%s\" does not say \"%s\"", kernel_said(&k, 0), text ? text : "");
  kernel_close(&k);
  return n;
}

TEST(test_ways_into_an_address) {
  static const char *const bodies[] = {
      WRAPPED "%r = reshape %w : tile<8xi32>\n" LOAD_R,
      WRAPPED "%r = cast %w : tile<8xi64>\n" LOAD_R,
      WRAPPED "%n = neg %w : tile<8xi32>\n%r = neg %n : tile<8xi32>\n" LOAD_R,
      WRAPPED "%m = min %w, %i : tile<8xi32>\n%r = max %w, %m : tile<8xi32>\n" LOAD_R,
      WRAPPED "%c = eq %i, %i : tile<8xi1>\n%r = select %c, %w, %i : tile<8xi32>\n" LOAD_R,
      WRAPPED "%zero = constant {value = 0} : tile<8xi32>\n%r = shl %w, %zero : tile<8xi32>\n" LOAD_R,
      WRAPPED "%r = flip %w {axis = 0} : tile<8xi32>\n" LOAD_R,
      WRAPPED "%q = reshape %w : tile<2x4xi32>\n%t = trans %q {order = [1, 0]} : tile<4x2xi32>\n"
              "%r = reshape %t : tile<8xi32>\n" LOAD_R,
      WRAPPED "%q = reshape %w : tile<4x2xi32>\n%a, %b = split %q : tile<4xi32>, tile<4xi32>\n"
              "%j = join %a, %b : tile<4x2xi32>\n%r = reshape %j : tile<8xi32>\n" LOAD_R,
      WRAPPED "%a = slice %w {starts = [4]} : tile<4xi32>\n%r = cat %a, %a {axis = 0} : tile<8xi32>\n" LOAD_R,
      WRAPPED "%a = slice %w {starts = [4]} : tile<1xi32>\n%r = broadcast %a : tile<8xi32>\n" LOAD_R,
      WRAPPED "%r = gather %w, %i {axis = 0} : tile<8xi32>\n" LOAD_R,
      WRAPPED
      "%c = eq %s, %s : i1\n%r = if %c : tile<8xi32> then {\nyield %w\n} else {\nyield %i\n}\n" LOAD_R,
      "\n%i = arange {start = 0, end = 8} : tile<8xi32>\n%xs = splat %x : tile<8x*i32>\n"
      "%o = mul %s, %s : i32\n%r = splat %o : tile<8xi32>\n" LOAD_R,
      "\n%i = arange {start = 0, end = 8} : tile<8xi32>\n%o = mul %s, %s : i32\n"
      "%b = addptr %x, %o : *i32\n%xs = splat %b : tile<8x*i32>\n%r = neg %i : tile<8xi32>\n"
      "%rr = neg %r : tile<8xi32>\n%p = addptr %xs, %rr : tile<8x*i32>\n%v = load %p : tile<8xi32>\n"
      "store %p, %v\n",
      WRAPPED "%p = addptr %xs, %w : tile<8x*i32>\nstore %p, %i\n",
      WRAPPED "%p = addptr %xs, %w : tile<8x*i32>\n"
              "%old = atomic_rmw %p, %i {rmw = \"add\", sem = \"relaxed\", scope = \"gpu\"} : tile<8xi32>\n",
  };
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    uint32_t n = warnings(bodies[i], 65536, said);
    if (n != 1) fail_msg("body %zu: %u warnings", i, n);
    assert_int_equal(warnings(bodies[i], 0, ""), 0);
  }
}

// Loop-carried values, and block pointers whose base or offsets are made from them.
TEST(test_loops_and_block_pointers) {
#define LOOP_INT                                                                                             \
  "\n%zero = constant {value = 0} : i32\n%one = constant {value = 1} : i32\n"                                \
  "%four = constant {value = 4} : i32\n%i = arange {start = 0, end = 8} : tile<8xi32>\n"                     \
  "%xs = splat %x : tile<8x*i32>\n"
  static const char *const bodies[] = {
      LOOP_INT "%o = for %zero, %four, %one, %zero : i32 do (%k: i32, %c: i32) {\n"
               "%d = add %c, %s : i32\nyield %d\n}\n%r = splat %o : tile<8xi32>\n" LOAD_R,
      LOOP_INT "%o, %n = while %zero, %zero : i32, i32 test (%a: i32, %b: i32) {\n%c = lt %b, %four : i1\n"
               "yield %c, %a, %b\n} do (%a: i32, %b: i32) {\n%d = add %a, %s : i32\n%e = add %b, %one : i32\n"
               "yield %d, %e\n}\n%r = splat %o : tile<8xi32>\n" LOAD_R,
      LOOP_INT
      "%m = mul %four, %s : i32\n%b = addptr %x, %m : *i32\n%n = cast %four : i64\n"
      "%u = cast %one : i64\n%z = cast %zero : i64\n%bp = make_block_ptr %b, %n, %u, %z {order = [0]} "
      ": block_ptr<4xi32>\n%v = block_load %bp : tile<4xi32>\n",
      LOOP_INT
      "%m = mul %four, %s : i32\n%n = cast %four : i64\n%u = cast %one : i64\n%z = cast %zero : i64\n"
      "%w = cast %m : i64\n%bp = make_block_ptr %x, %n, %u, %z {order = [0]} : block_ptr<4xi32>\n"
      "%bq = advance %bp, %w : block_ptr<4xi32>\n%v = block_load %bq : tile<4xi32>\n",
  };
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    uint32_t n = warnings(bodies[i], 1u << 30, "wrapped in 32 bits (");
    if (n != 1) fail_msg("body %zu: %u warnings", i, n);
    assert_int_equal(warnings(bodies[i], 0, ""), 0);
  }
}

// Lanes that do not access; bits that are meant as such; what comes out right in the end.
TEST(test_no_ways) {
#define SEVEN "%seven = constant {value = 7} : tile<8xi32>\n"
  static const char *const bodies[] = {
      WRAPPED "%c = ne %i, %i : tile<8xi1>\n%p = addptr %xs, %w : tile<8x*i32>\n"
              "%v = load %p, %c, %i : tile<8xi32>\n",
      WRAPPED SEVEN "%r = and %w, %seven : tile<8xi32>\n" LOAD_R,
      WRAPPED SEVEN "%r = rem %w, %seven : tile<8xi32>\n" LOAD_R,
      WRAPPED SEVEN "%r = div %w, %seven : tile<8xi32>\n" LOAD_R,
      WRAPPED SEVEN "%r = shr %w, %seven : tile<8xi32>\n" LOAD_R,
      WRAPPED SEVEN "%h = xor %w, %w : tile<8xi32>\n%r = or %h, %i : tile<8xi32>\n" LOAD_R,
      WRAPPED "%n = cast %w : tile<8xi16>\n%r = cast %n : tile<8xi32>\n" LOAD_R,
      WRAPPED "%c = lt %w, %st : tile<8xi1>\n%r = select %c, %i, %i : tile<8xi32>\n" LOAD_R,
      WRAPPED "%r = sub %w, %big : tile<8xi32>\n" LOAD_R,
      WRAPPED "%p = addptr %xs, %w : tile<8x*i32>\n",
      // 46341 * 46341 is within 32 bits without a sign.
      "\n%i = arange {start = 0, end = 8} : tile<8xi32>\n%o = constant {value = 46341} : i32\n"
      "%m = mul %o, %o : i32\n%u = cast %m : u32\n%l = cast %u : i64\n"
      "%far = constant {value = 2147488281} : i64\n%d = sub %l, %far : i64\n%xs = splat %x : tile<8x*i32>\n"
      "%r = splat %d : tile<8xi64>\n" LOAD_R,
  };
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    uint32_t n = warnings(bodies[i], 65536, "");
    if (n) fail_msg("body %zu: %u warnings", i, n);
  }
}

// Widths, signs and operations in the words of the warning.
TEST(test_words) {
#define SCALAR(ops) "\n%i = arange {start = 0, end = 8} : tile<8xi32>\n" ops "%xs = splat %x : tile<8x*i32>\n"
  assert_int_equal(warnings(SCALAR("%a = constant {value = -2147483648} : i32\n%b = sub %a, %s : i32\n"
                                   "%l = cast %b : i64\n%c = constant {value = 2147483647} : i64\n"
                                   "%d = sub %l, %c : i64\n%r = splat %d : tile<8xi64>\n") LOAD_R,
                            1, "32 bits (-2147483648 - 1 = -2147483649, which becomes 2147483647)"),
                   1);
  assert_int_equal(warnings(SCALAR("%a = cast %s : u32\n%t = constant {value = 32} : u32\n"
                                   "%b = constant {value = 31} : u32\n%c = shl %t, %b : u32\n"
                                   "%r = splat %c : tile<8xu32>\n") LOAD_R,
                            1, "32 bits (32 << 31 = 68719476736, which becomes 0)"),
                   1);
  assert_int_equal(warnings(SCALAR("%a = cast %s : i16\n%b = add %a, %a : i16\n"
                                   "%r = splat %b : tile<8xi16>\n") LOAD_R,
                            0x8000, "16 bits (-32768 + -32768 = -65536, which becomes 0)"),
                   1);
}

// An access out of bounds has it as its note.
TEST(test_out_of_bounds) {
  Kernel k;
  int32_t x[8] = {0};
  kernel_open(&k, "%x: *i32, %out: *i32, %s: i32", WRAPPED "%r = add %w, %i : tile<8xi32>\n" LOAD_R);
  eval_memory_add(k.memory, X, x, sizeof x, true);
  eval_memory_add(k.memory, OUT, x, sizeof x, true);
  assert_false(RUN(&k, X, OUT, 65537)); // 131073 in 32 bits
  kernel_expect(&k, 0, "out of bounds");
  assert_int_equal(k.diags.warnings, 0);
  bool found = false;
  for (uint32_t i = 0; i < k.diags.list.at[0]->notes.n; i++)
    found |= strstr(k.diags.list.at[0]->notes.at[i]->message,
                    "(65537 * 65537 = 4295098369, which becomes 131073)") != NULL;
  assert_true(found);
  kernel_close(&k);
}

WHOLE_SUITE(eval_wrap)
