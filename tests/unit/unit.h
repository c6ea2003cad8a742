// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program holds all suites. Each test_X.c of this folder defines suite_X, which runs its tests
// and returns the number of failures. `unit test_X` runs one suite in a separate process; `unit
// --list` names them. CMake writes suites.def. This header has what
// CMocka and most suites need of the standard library: include it first.
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SUITE(name) int suite_##name(void);
#include "suites.def"
#undef SUITE

// The file's tests of TEST, in order.
enum { MAX_UNIT_TESTS = 100 };
static struct CMUnitTest unit_tests[MAX_UNIT_TESTS] __attribute__((unused));
static size_t unit_test_count __attribute__((unused));

// A test that needs no fixture.
#define TEST(name)                                                                                           \
  static void name(void **unused);                                                                           \
  __attribute__((constructor)) static void add_##name(void) {                                                \
    unit_tests[unit_test_count++] = (struct CMUnitTest)cmocka_unit_test(name);                               \
  }                                                                                                          \
  static void name(void **unused __attribute__((unused)))

// The suite of a file whose tests are all of TEST.
#define WHOLE_SUITE(name)                                                                                    \
  int suite_##name(void) { return _cmocka_run_group_tests("tests", unit_tests, unit_test_count, NULL, NULL); }

extern const char *unit_program; // argv[0]

#endif
