// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as real files have them (tests/kernels/*.py). They are parsed, elaborated, and run by the
// reference evaluator on small ragged shapes. References in C check the results. Any race or
// undefined value fails.
#include "tests/unit/unit.h"
#include "runtime/compile/compile.h"
#include "tests/kernels/tests.h"

int suite_kernels(void) {
#define AS_TEST(name) cmocka_unit_test(test_##name),
  const struct CMUnitTest tests[] = {KERNEL_TESTS(AS_TEST)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
