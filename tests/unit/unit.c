// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *unit_program;

static const struct {
  const char *name;
  int (*run)(void);
} suites[] = {
#define SUITE(name) {"test_" #name, suite_##name},
#include "suites.def"
#undef SUITE
};

int main(int argc, char **argv) {
  enum { COUNT = sizeof suites / sizeof suites[0] };
  unit_program = argv[0];
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (size_t i = 0; i < COUNT; i++) puts(suites[i].name);
    return 0;
  }
  bool asked = argc == 2 || argc == 3;
  if (argc == 3) cmocka_set_test_filter(argv[2]);
  for (size_t i = 0; asked && i < COUNT; i++)
    if (strcmp(argv[1], suites[i].name) == 0) return suites[i].run();
  if (asked)
    fprintf(stderr, "unit: there is no suite '%s'; unit --list names them\n", argv[1]);
  else
    fprintf(stderr, "usage: unit SUITE [TESTS, as a pattern with * and ?] | unit --list\n");
  return 2;
}
