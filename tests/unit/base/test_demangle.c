// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mangled names of nvcc as the source writes them; others stay as they are.
#include "tests/unit/unit.h"
#include "base/demangle.h"

static const char *const names[][2] = {
    {"counter", "counter"},
    {"_ZL3lut", "lut"},
    {"_ZN3app5tableE", "app::table"},
    {"_ZN29_INTERNAL_ccf771a6_4_v_cu_lut3app6hiddenE", "app::hidden"},
    {"_ZN12_GLOBAL__N_14seedE", "seed"},
    {"_ZN3app3BoxIfE4sizeE", "app::Box::size"},
    {"_ZN3app3BoxILj128ENS_4ModeEE4sizeE", "app::Box::size"},
    {"_ZZ5totalE5parts", "total::parts"},
    {"_ZZ3totIfEvPT_E5parts", "tot::parts"},
    {"_ZZN3app4normEPKfiE4tile", "app::norm::tile"},
    {"_ZZ3sumPfiE4tile_0", "sum::tile"},
    {"_Z8reversedIfEvPKT_PS0_i", "reversed"},
    {"_ZN3app4normIfEEvPT_", "app::norm"},
    // of another form, or cut short
    {"_Z", "_Z"},
    {"_ZN3app", "_ZN3app"},
    {"_ZN99appE", "_ZN99appE"},
    {"_Z99999999999999999999x", "_Z99999999999999999999x"},
    {"_ZplRK1AS1_", "_ZplRK1AS1_"},
    {"_ZZ5total", "_ZZ5total"},
    {"_ZN3BoxIXgt1E4sizeE", "_ZN3BoxIXgt1E4sizeE"},
    {"", ""},
};

static void test_names(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[64];
    demangle(str_from(names[i][0]), text, sizeof text);
    assert_string_equal(text, names[i][1]);
  }
}

// Each prefix is read without a byte beyond it, in exactly the room that it has.
static void test_cut_names_and_small_rooms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t n = 0; n <= strlen(names[i][0]); n++)
      for (size_t room = 1; room < 12; room++) {
        char *cut = malloc(n ? n : 1), *text = malloc(room);
        memcpy(cut, names[i][0], n);
        demangle((Str){cut, n}, text, room);
        assert_true(strlen(text) < room);
        free(cut);
        free(text);
      }
}

int suite_demangle(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_cut_names_and_small_rooms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
