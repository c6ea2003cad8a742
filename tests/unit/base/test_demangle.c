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
    {"_ZZ1bPiE1s_$_3", "b::s[3]"},
    {"_ZZ1bPiE1t_0_$_1_$_10", "b::t[1][10]"},
    {"_Z8reversedIfEvPKT_PS0_i", "reversed"},
    {"_ZN3app4normIfEEvPT_", "app::norm"},
    {"_ZZNK1A1fEvE1x", "A::f::x"},
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

TEST(test_names) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    Buf text = {0};
    buf_text(&text, "'");
    demangle(str_from(names[i][0]), &text);
    assert_string_equal(text.at + 1, names[i][1]);
    buf_free(&text);
  }
}

TEST(test_arguments) {
  static const char *const pairs[][2] = {
      {"_Z1kIfLi128ELb1EEvPT_", "<float, 128, true>"},
      {"_Z1kIhLin3ELb0EEvPT_", "<unsigned char, -3, false>"},
      {"_Z1kI6__halfLi3ELb0EEvPT_", "<__half, 3, false>"},
      {"_Z1kIN1q1PELi3ELb0EEvPT_", "<q::P, 3, false>"},
      {"_Z1kIPfLi3ELb0EEvPT_", "<float*, 3, false>"},
      {"_ZN3app1zIxEEvT_", "<long long>"},
      {"_Z1vIJfiEEvDpT_", "<float, int>"},
      {"_Z1kIN1q1VIfEELi3ELb0EEvPT_", "<q::V<float>, 3, false>"},
      {"_Z1mI1SS0_Lm5EEvPT_PT0_", "<S, S, 5>"},
      {"_ZN1A1bILj20EE1cI3f2uEEvT_", "<f2u>"},
      {"_Z4fillPf", NULL},
      {"fill", NULL},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    Buf text = {0};
    bool known = demangle_arguments(str_from(pairs[i][0]), &text);
    assert_true(known == (pairs[i][1] != NULL));
    assert_string_equal(known ? text.at : "", known ? pairs[i][1] : "");
    assert_true(known || text.n == 0);
    buf_free(&text);
  }
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (size_t n = 0; n < strlen(pairs[i][0]); n++) {
      char *cut = malloc(n ? n : 1);
      Buf text = {0};
      memcpy(cut, pairs[i][0], n);
      demangle_arguments((Str){cut, n}, &text);
      buf_free(&text);
      free(cut);
    }
}

// Each prefix is read without a byte beyond it.
TEST(test_cut_names) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t n = 0; n <= strlen(names[i][0]); n++) {
      char *cut = malloc(n ? n : 1);
      Buf text = {0};
      memcpy(cut, names[i][0], n);
      demangle((Str){cut, n}, &text);
      assert_true(strlen(text.at) <= 2 * n);
      free(cut);
      buf_free(&text);
    }
}

WHOLE_SUITE(demangle)
