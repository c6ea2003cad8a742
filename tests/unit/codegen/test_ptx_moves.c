// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copies of a wgmma's sums: text, and random ones run as all at once.
#include "tests/unit/unit.h"
#include "codegen/llvm/ptx_moves.h"

enum { REGISTERS = 24, RUNS = 4000 };

static Arena arena;

static int tear_down(void **state) {
  (void)state;
  arena_free(&arena);
  return 0;
}

static char *expanded(const char *text, size_t first) {
  Buf ptx = {0};
  buf_text(&ptx, text);
  ptx_expand_moves(&arena, &ptx, first);
  char *copy = arena_printf(&arena, "%s", ptx.at);
  assert_int_equal(ptx.n, strlen(ptx.at));
  buf_free(&ptx);
  return copy;
}

TEST(copies_are_instructions) {
  assert_string_equal(expanded("\ta;\n\ttilec.copy {%r1,%r2}, {%r3,%r2};\n\tb;\n", 0),
                      "\ta;\n\tprmt.b32 %r1, %r3, %r3, 0x3210;\n\tb;\n");
  assert_string_equal(expanded("\ttilec.copy {%r1}, {%r1};\n\tb;\n", 0), "\n\tb;\n");
  assert_string_equal(expanded("\ttilec.copy {%r1}, {%r2};\n", 5), "\ttilec.copy {%r1}, {%r2};\n");
}

TEST(holds_are_nothing) {
  assert_string_equal(expanded("\ta;\n\t// begin inline asm\n\ttilec.hold;\n\t// end inline asm\n\tb;\n", 0),
                      "\ta;\n\tb;\n");
}

// Runs "prmt.b32 %rA, %rB, %rB, 0x3210;" lines. Register REGISTERS is the one that a cycle goes through.
static void run(const char *text, uint32_t *values) {
  for (const char *at = text; (at = strstr(at, "prmt.b32 ")); at++) {
    const char *from = strchr(at, ',') + 2;
    uint32_t to = strncmp(at + 9, "%held", 5) == 0 ? REGISTERS : (uint32_t)atoi(at + 11);
    values[to] = values[strncmp(from, "%held", 5) == 0 ? REGISTERS : (uint32_t)atoi(from + 2)];
  }
}

// Results are different registers; operands any, several times too.
TEST(all_at_once) {
  uint32_t random = 1;
  for (uint32_t n = 0; n < RUNS; n++) {
    uint32_t to[REGISTERS], from[REGISTERS], values[REGISTERS + 1];
    Buf first = {0}, second = {0};
    for (uint32_t i = 0; i < REGISTERS; i++) values[i] = to[i] = i;
    uint32_t count = 1 + n % REGISTERS;
    for (uint32_t i = 0; i < count; i++) {
      random = random * 1664525u + 1013904223u;
      uint32_t other = i + (random >> 8) % (REGISTERS - i), kept = to[i];
      to[i] = to[other];
      to[other] = kept;
      random = random * 1664525u + 1013904223u;
      from[i] = n % 2 ? to[(i + 1) % count] : (random >> 8) % REGISTERS; // one cycle where all are known
    }
    for (uint32_t i = 0; i < count; i++) {
      if (n % 2) from[i] = to[(i + 1) % count];
      buf_printf(&first, "%s%%r%u", i ? "," : "", to[i]);
      buf_printf(&second, "%s%%r%u", i ? "," : "", from[i]);
    }
    char *text = arena_printf(&arena, "\ttilec.copy {%s}, {%s};\n", first.at, second.at);
    run(expanded(text, 0), values);
    for (uint32_t i = 0; i < count; i++) assert_int_equal(values[to[i]], from[i]);
    for (uint32_t i = count; i < REGISTERS; i++) assert_int_equal(values[to[i]], to[i]);
    buf_free(&first);
    buf_free(&second);
  }
}

int suite_ptx_moves(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(copies_are_instructions, NULL, tear_down),
      cmocka_unit_test_setup_teardown(holds_are_nothing, NULL, tear_down),
      cmocka_unit_test_setup_teardown(all_at_once, NULL, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
