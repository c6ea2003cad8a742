// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The builtins: the golden files of tests/golden/builtins, and what kernels of them compute.
#include "frontend/frontend.h"
#include "ir/eval.h"
#include "tests/unit/elaborate_golden.h"

static void test_golden(void **state) {
  (void)state;
  golden_folder("builtins");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
