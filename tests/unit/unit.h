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

// A test that needs no fixture.
#define TEST(name) static void name(void **unused __attribute__((unused)))

extern const char *unit_program; // argv[0]

#endif
