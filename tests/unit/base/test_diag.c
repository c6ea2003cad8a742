// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <math.h>
#include "tests/unit/unit.h"
#include "base/diag.h"

typedef struct Fixture {
  Arena arena;
  Sources sources;
  Diags diags;
  Buf out;
} Fixture;

static const char source[] = "def k(x):\n\ty = lod(x)\n    z = long_name + 1\r\n";

static int setup(void **state) {
  Fixture *f = test_calloc(1, sizeof *f);
  f->sources.arena = f->diags.arena = &f->arena;
  f->diags.sources = &f->sources;
  sources_add(&f->sources, "k.tile", STR(source));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  Fixture *f = *state;
  buf_free(&f->out);
  arena_free(&f->arena);
  test_free(f);
  return 0;
}

static void test_caret_range_notes_and_fixits(void **state) {
  Fixture *f = *state;
  Loc name = {.line = 2, .col = 6, .len = 3};
  Diag *error = diag_error(&f->diags, name, "unknown name '%s'; did you mean 'load'?", "lod");
  diag_fixit(&f->diags, error, name, "load");
  diag_note(&f->diags, error, (Loc){.line = 1, .col = 7, .len = 1}, "parameter declared here");
  diags_print_text(&f->diags, false, &f->out);
  assert_string_equal(f->out.at, "k.tile:2:6: error: unknown name 'lod'; did you mean 'load'?\n"
                                 "\ty = lod(x)\n"
                                 "\t    ^~~\n"
                                 "\t    load\n"
                                 "k.tile:1:7: note: parameter declared here\n"
                                 "def k(x):\n"
                                 "      ^\n");
}

static void test_calls_become_notes(void **state) {
  Fixture *f = *state;
  Loc outer = {.line = 1, .col = 1};
  Loc inner = {.line = 3, .col = 5, .call = sources_call(&f->sources, outer)};
  assert_int_equal(inner.call, sources_call(&f->sources, outer));
  Loc at = {.line = 3, .col = 9, .len = 9, .call = sources_call(&f->sources, inner)};
  diag_error(&f->diags, at, "wrong");
  diags_print_text(&f->diags, false, &f->out);
  assert_string_equal(f->out.at, "k.tile:3:9: error: wrong\n"
                                 "    z = long_name + 1\n"
                                 "        ^~~~~~~~~\n"
                                 "k.tile:3:5: note: called from here\n"
                                 "    z = long_name + 1\n"
                                 "    ^\n"
                                 "k.tile:1:1: note: called from here\n"
                                 "def k(x):\n"
                                 "^\n");
}

static const char *printed(Fixture *f, const char *text, Loc loc, const char *message) {
  loc.file = sources_add(&f->sources, "t", str_from(text));
  f->diags.list.n = 0;
  buf_reset(&f->out);
  diag_error(&f->diags, loc, "%s", message);
  diags_print_text(&f->diags, false, &f->out);
  return f->out.at;
}

// Bytes that would change the terminal, hide text or reverse it, or are no UTF-8, are shown as
// escapes. The caret is below the right character.
static void test_controls_are_shown_as_escapes(void **state) {
  Fixture *f = *state;
  assert_string_equal(printed(f, "a\x1b[31m \xff\x9b \xc2\x9b \xe2\x80\xae z",
                              (Loc){.line = 1, .col = 18, .len = 1},
                              "'\x1b]0;x\x07' \xe2\x81\xa6\xc0\x80\r\nb"),
                      "t:1:18: error: '\\x1b]0;x\\x07' \\u2066\\xc0\\x80\\x0d\nb\n"
                      "a\\x1b[31m \\xff\\x9b \\u009b \\u202e z\n"
                      "                                 ^\n");
  assert_string_equal(
      printed(f, "\xc3\xa9\xe4\xb8\xad = \xe4\xb8\xad + 1", (Loc){.line = 1, .col = 9, .len = 3}, "m"),
      "t:1:9: error: m\n\xc3\xa9\xe4\xb8\xad = \xe4\xb8\xad + 1\n      ^~\n");
  assert_string_equal(printed(f, "x\x1by", (Loc){.line = 1, .col = 2, .len = 1}, "m"),
                      "t:1:2: error: m\nx\\x1by\n ^~~~\n");
  f->sources.files.at[0].name = "a\x1b[2J\nb";
  diag_error(&f->diags, (Loc){.line = 9, .col = 1}, "m");
  buf_reset(&f->out);
  diags_print_text(&f->diags, false, &f->out);
  assert_non_null(strstr(f->out.at, "\na\\x1b[2J\\x0ab:9:1: error: m\n"));
  for (size_t i = 0; i < f->out.n; i++)
    assert_true(f->out.at[i] == '\n' || (unsigned char)f->out.at[i] >= 0x20);
}

// A long line is shown around the caret. A long message is cut after its beginning.
static void test_excerpts_are_bounded(void **state) {
  Fixture *f = *state;
  enum { N = 1 << 20 };
  char *line = test_malloc(N + 1);
  for (size_t i = 0; i < N; i++) line[i] = (char)('a' + i % 26);
  line[N] = '\0';
  static const Loc places[] = {{.line = 1, .col = 1, .len = 9},
                               {.line = 1, .col = 121},
                               {.line = 1, .col = 5000, .len = 60000},
                               {.line = 1, .col = UINT16_MAX, .len = UINT16_MAX}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *text = printed(f, line, places[i], line), *row = strchr(text, '\n') + 1,
               *caret = strchr(row, '\n') + 1;
    assert_true(strlen(text) < 5000);
    assert_true(caret - row < 250 && strlen(caret) < 250);
    size_t column = strspn(caret, " ");
    assert_int_equal(caret[column], '^');
    assert_int_equal(row[column], line[places[i].col - 1]);
    assert_memory_equal(row, places[i].col > 121 ? "..." : "abc", 3);
    assert_memory_equal(caret - 4, "...\n", 4);
  }
  test_free(line);
  // A window never begins or ends within a character.
  char wide[1200];
  for (size_t i = 0; i + 4 <= sizeof wide; i += 3) memcpy(wide + i, "\xe4\xb8\xad", 4);
  for (uint16_t col = 1; col < 1000; col++)
    assert_null(strstr(printed(f, wide, (Loc){.line = 1, .col = (uint16_t)(col / 3 * 3 + 1)}, "m"), "\\x"));
}

static void test_places_outside_the_text_print_no_line(void **state) {
  Fixture *f = *state;
  diag_error(&f->diags, (Loc){.line = 99, .col = 1}, "a");
  diag_error(&f->diags, (Loc){.line = 1, .col = 60000, .len = 9}, "b");
  diag_error(&f->diags, (Loc){.line = 1, .col = 1, .file = 7}, "c");
  diag_error(&f->diags, LOC_NONE, "d");
  diags_print_text(&f->diags, false, &f->out);
  assert_string_equal(
      f->out.at,
      "k.tile:99:1: error: a\nk.tile:1:60000: error: b\n<unknown>:1:1: error: c\ntilec: error: d\n");
}

static void test_repeats_are_kept_once_and_errors_are_limited(void **state) {
  Fixture *f = *state;
  for (int i = 0; i < 3; i++) diag_error(&f->diags, (Loc){.line = 1, .col = 1}, "same");
  assert_int_equal(f->diags.errors, 1);
  for (uint16_t i = 2; i < 30; i++) diag_error(&f->diags, (Loc){.line = 1, .col = i}, "e");
  assert_int_equal(f->diags.errors, 29);
  assert_int_equal(f->diags.list.n, 20);
  diags_print_text(&f->diags, false, &f->out);
  assert_non_null(strstr(f->out.at, "too many errors: 9 more not shown"));
}

static void test_remarks_only_where_asked_for(void **state) {
  Fixture *f = *state;
  diag_remark(&f->diags, (Loc){.line = 1, .col = 1}, "coalesce", "4 bytes per lane");
  diag_warning(&f->diags, LOC_NONE, "careful");
  diags_print_text(&f->diags, false, &f->out);
  assert_string_equal(f->out.at, "tilec: warning: careful\n");
  buf_reset(&f->out);
  diags_print_text(&f->diags, true, &f->out);
  assert_non_null(strstr(f->out.at, "k.tile:1:1: remark: 4 bytes per lane [coalesce]\n"));
}

static void test_json(void **state) {
  Fixture *f = *state;
  Diag *error = diag_error(&f->diags, (Loc){.line = 2, .col = 6, .len = 3}, "a \"quoted\"\nname");
  diag_fixit(&f->diags, error, (Loc){.line = 2, .col = 6, .len = 3}, "load");
  diags_print_json(&f->diags, false, &f->out);
  assert_string_equal(f->out.at, "[\n  {\"severity\": \"error\", \"message\": \"a \\\"quoted\\\"\\nname\", "
                                 "\"file\": \"k.tile\", \"line\": 2, "
                                 "\"column\": 6, \"length\": 3, \"fixits\": [{\"text\": \"load\", \"file\": "
                                 "\"k.tile\", \"line\": 2, \"column\": 6, "
                                 "\"length\": 3}], \"notes\": []}\n]\n");
}

TEST(test_nearest_name) {
  static const char *const names[] = {"load", "store", "program_id"};
  assert_string_equal(diag_nearest(STR("lod"), names, 3), "load");
  assert_string_equal(diag_nearest(STR("program_ids"), names, 3), "program_id");
  assert_null(diag_nearest(STR("xyzzy"), names, 3));
  assert_null(diag_nearest(STR("y"), (const char *[]){"n", "x"}, 2)); // all of it is another
  const char *types[] = {"fp64", "bf16", "fp16", "fp32", "store"};
  assert_string_equal(diag_nearest(STR("fp23"), types, 5), "fp32");
  assert_string_equal(diag_nearest(STR("bf61"), types, 5), "bf16");
  assert_string_equal(diag_nearest(STR("sotre"), types, 5), "store");
  assert_null(diag_nearest(STR("load"), names, 1));
}

static void test_doubles_read_back_to_the_bit(void **state) {
  Fixture *f = *state;
  const double values[] = {0.0, -0.0, 0.1, 1e-5, 1.0 / 3, 5e-324, 1.7976931348623157e308, 3e22, -1234567.0};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    buf_reset(&f->out);
    buf_double(&f->out, values[i]);
    double back = strtod(f->out.at, NULL);
    assert_memory_equal(&back, &values[i], sizeof back);
  }
  buf_reset(&f->out);
  buf_double(&f->out, 0.1);
  buf_char(&f->out, ' ');
  buf_double(&f->out, INFINITY);
  buf_char(&f->out, ' ');
  buf_double(&f->out, NAN);
  assert_string_equal(f->out.at, "0.1 inf nan");
}

TEST(test_ranges_join_on_one_line) {
  Loc a = {.line = 3, .col = 5, .len = 2}, b = {.line = 3, .col = 9, .len = 4},
      c = {.line = 4, .col = 1, .len = 1};
  assert_int_equal(loc_join(a, b).len, 8);
  assert_int_equal(loc_join(a, c).len, 2);
}

int suite_diag(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_caret_range_notes_and_fixits, setup, teardown),
      cmocka_unit_test_setup_teardown(test_calls_become_notes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_controls_are_shown_as_escapes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_excerpts_are_bounded, setup, teardown),
      cmocka_unit_test_setup_teardown(test_places_outside_the_text_print_no_line, setup, teardown),
      cmocka_unit_test_setup_teardown(test_repeats_are_kept_once_and_errors_are_limited, setup, teardown),
      cmocka_unit_test_setup_teardown(test_remarks_only_where_asked_for, setup, teardown),
      cmocka_unit_test_setup_teardown(test_json, setup, teardown),
      cmocka_unit_test(test_nearest_name),
      cmocka_unit_test_setup_teardown(test_doubles_read_back_to_the_bit, setup, teardown),
      cmocka_unit_test(test_ranges_join_on_one_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
