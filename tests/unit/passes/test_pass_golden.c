// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each file tests/golden/passes/FOLDER/NAME.tir is a test; the folders are those of passes/. Its first line names its
// passes ("// passes: simplify coalesce", or "all"). The file has their remarks and what they make of it too, as marks:
// tests/unit/pass_file.h says which, and BLESS=1 rewrites them. The result must verify, print, be left alone by a second
// simplify, and compute what the file does, launched as its line "// launch: GRID NAME=VALUE..." says. With a line
// "// launched" it is compiled as for libtilec's launches. With a line "// outline", for many passes, the result has only
// what has an effect: control flow, memory, barriers. The passes refuse each kernel of error_NAME.tir. A file that is like
// another one is NAME.diff: the lines that differ (tests/unit/pass_variant.h).
#include <glob.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "tests/unit/golden.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "tests/unit/pass_file.h"
#include "tests/unit/pass_launch.h"
#include "tests/unit/pass_variant.h"
#include "tests/unit/text_fixture.h"
#include "passes/passes.h"

enum { MAX_PASSES = 32 };

static void fail_with(TextFixture *s, const char *name) {
  Buf text = {0};
  diags_print_text(&s->diags, true, &text);
  print_error("%s:\n%s", name, text.at ? text.at : "(no diagnostics)");
  buf_free(&text);
  fail();
}

static IrModule *parse(TextFixture *s, const char *name, Str text) {
  uint16_t file = sources_add(&s->sources, name, text);
  IrModule *module = module_parse(&s->ir, file);
  if (!module) fail_with(s, name);
  return module;
}

// The names after "// passes:"; 0: all, in their order.
static uint32_t passes_of(TextFixture *s, Str text, const char *names[MAX_PASSES]) {
  assert_true(str_starts(text, "// passes:"));
  size_t at = strlen("// passes:");
  uint32_t count = 0;
  while (at < text.n && text.at[at] != '\n') {
    size_t start = at;
    while (at < text.n && text.at[at] != ' ' && text.at[at] != '\n') at++;
    if (at > start) names[count++] = arena_copy(&s->arena, (Str){text.at + start, at - start});
    if (at < text.n && text.at[at] == ' ') at++;
    assert_true(count < MAX_PASSES);
  }
  return count == 1 && strcmp(names[0], "all") == 0 ? 0 : count;
}

static void print_remarks(const Diags *diags, Buf *out) {
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *diag = diags->list.at[i];
    buf_printf(out, "// %u: %s: %s\n", diag->loc.line, diag->pass ? diag->pass : "?", diag->message);
    for (uint32_t k = 0; k < diag->notes.n; k++)
      buf_printf(out, "//   %u: %s\n", diag->notes.at[k]->loc.line, diag->notes.at[k]->message);
  }
}

static void check_stable(TextFixture *s, IrModule *module, const char *const *names, uint32_t count) {
  PassContext context = {&s->arena, &s->diags, NULL};
  bool simplified = count == 0 || strcmp(names[count - 1], "simplify") == 0;
  if (simplified) assert_false(pass_simplify(&context, module->funcs.at[0]));
}

// eval(pass(x)) == eval(x), where the file says how to launch it. TEST_WITHOUT_LAUNCHES leaves this out.
static void check_same_result(TextFixture *s, Func *after, Str text, const char *stem) {
  if (getenv("TEST_WITHOUT_LAUNCHES")) return;
  TextFixture before;
  text_fixture_open(&before);
  IrModule *module = parse(&before, "before.tir", text);
  if (!module_verify(module, &before.diags)) fail_with(&before, stem);
  PassLaunch x = launch_pass(&before.arena, module->funcs.at[0], text);
  if (x.given && !x.ran) fail_with(&before, stem);
  PassLaunch y = launch_pass(&s->arena, after, text);
  if (y.given && !y.ran) fail_with(s, stem);
  bool same = launch_same(&x, &y);
  arena_free(&before.arena);
  if (!same) fail_msg("%s: the passes changed what the kernel computes", stem);
}

static bool is_refused(const char *stem) { return strstr(stem, "/error_") != NULL; }

// True if an outline has the printed line: pure ops but dots, and the ends of regions, are not in it.
static bool is_in_outline(Str line) {
  Str text = str_trimmed(line);
  if (text.n == 0 || str_starts(text, "}") || str_starts(text, "yield")) return false;
  size_t at = str_starts(text, "%") ? pass_text_at(text, " = ") + 3 : 0, end = at;
  while (end < text.n && text.at[end] != ' ') end++;
  OpKind kind;
  return !op_parse_kind((Str){text.at + at, end - at}, &kind) || kind == OP_DOT || !(op_traits[kind] & PURE);
}

// Appends the module, as its file wants it. The text form holds all of it: read and printed again, it is the same.
static void print_result(TextFixture *s, IrModule *module, bool outline, Buf *out) {
  PrintOptions print = {.no_locs = true};
  Buf text = {0}, again = {0};
  module_print(module, &print, &text);
  if (outline) {
    module_print(parse(s, "result.tir", buf_view(&text)), &print, &again);
    assert_true(str_eq(buf_view(&text), buf_view(&again)));
  }
  PassLines lines = pass_lines(&s->arena, buf_view(&text));
  for (uint32_t i = 0; i < lines.n; i++)
    if (!outline || is_in_outline(lines.at[i])) pass_put_line(out, "", lines.at[i], "");
  buf_free(&text), buf_free(&again);
}

// Runs the passes of a file's first line. Appends their remarks and, where they are to succeed, the module that they
// leave, which this returns.
static IrModule *run_passes_of(TextFixture *s, const char *stem, Str text, Buf *out) {
  const char *names[MAX_PASSES];
  IrModule *module = parse(s, arena_printf(&s->arena, "%s.tir", stem), text);
  module->launched = strstr(text.at, "\n// launched\n") != NULL;
  PassRunOptions options = {.only = names, .only_count = passes_of(s, text, names), .verify_each = true};
  if (passes_run(module, &s->diags, &options) == is_refused(stem)) fail_with(s, stem);
  print_remarks(&s->diags, out);
  if (is_refused(stem)) return NULL;
  print_result(s, module, pass_file_is_outline(text), out);
  check_stable(s, module, names, options.only_count);
  return module;
}

static void write_file(const char *path, Str text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text.at, 1, text.n, file), text.n);
  assert_int_equal(fclose(file), 0);
}

// The input of a golden file. A variant has one even if the other file's marks have changed.
static void read_input(Arena *arena, const char *path, Str text, Buf *input) {
  if (!pass_is_variant(text)) {
    pass_file_input(arena, text, input);
  } else if (!pass_variant_apply(arena, pass_variant_base(arena, text), text, true, input)) {
    fail_msg("%s: it takes the place of lines that the other file does not have", path);
  }
}

// Writes the marks of what the passes make now. Remarks name lines of the file, which the marks move: it runs until the
// file stays as it is.
static void bless(const char *path, const char *stem) {
  Arena arena = {0};
  Str text = golden_read(&arena, path);
  Buf input = {0}, whole = {0}, written = {0};
  read_input(&arena, path, text, &input);
  buf_str(&whole, buf_view(&input));
  for (int round = 0;; round++) {
    assert_true(round < 4);
    TextFixture s;
    Buf result = {0}, joined = {0};
    text_fixture_open(&s);
    run_passes_of(&s, stem, buf_view(&whole), &result);
    pass_file_join(&s.arena, buf_view(&input), buf_view(&result), &joined);
    bool moves = !str_eq(buf_view(&joined), buf_view(&whole));
    buf_reset(&whole);
    buf_str(&whole, buf_view(&joined));
    buf_free(&result), buf_free(&joined);
    arena_free(&s.arena);
    if (!moves) break;
  }
  if (pass_is_variant(text))
    pass_variant_make(&arena, pass_lines(&arena, text).at[0], pass_variant_base(&arena, text),
                      buf_view(&whole), &written);
  else
    buf_str(&written, buf_view(&whole));
  if (!str_eq(buf_view(&written), text)) write_file(path, buf_view(&written));
  buf_free(&input), buf_free(&whole), buf_free(&written);
  arena_free(&arena);
}

// Returns true if the passes made what the file says, and reports the first difference.
static bool is_as_marked(TextFixture *s, const char *path, Str text, Str made) {
  Buf marked = {0};
  pass_file_result(&s->arena, text, is_refused(path), &marked);
  PassLines expected = pass_lines(&s->arena, buf_view(&marked)), now = pass_lines(&s->arena, made);
  Str none = STR("(the end)");
  uint32_t i = 0;
  while (i < expected.n && i < now.n && str_eq(expected.at[i], now.at[i])) i++;
  bool same = i == expected.n && i == now.n;
  Str was = i < expected.n ? expected.at[i] : none, is = i < now.n ? now.at[i] : none;
  if (!same) {
    fprintf(stderr, "%s: what the passes make differs (BLESS=1 rewrites); expected, then now:\n%.*s\n%.*s\n",
            path, (int)was.n, was.at, (int)is.n, is.at);
  }
  buf_free(&marked);
  return same;
}

static void check_file(const char *stem) {
  TextFixture s;
  text_fixture_open(&s);
  const char *path = arena_printf(&s.arena, "%s/golden/passes/%s.tir", TESTS_DIR, stem);
  if (access(path, F_OK) != 0) path = arena_printf(&s.arena, "%s/golden/passes/%s.diff", TESTS_DIR, stem);
  if (getenv("BLESS")) bless(path, stem);
  Str text = pass_golden_read(&s.arena, path);
  if (!text.at) fail_msg("%s: it takes the place of lines that the other file does not have", path);
  Buf made = {0};
  IrModule *module = run_passes_of(&s, stem, text, &made);
  bool same = is_as_marked(&s, path, text, buf_view(&made));
  buf_free(&made);
  assert_true(same);
  if (module) check_same_result(&s, module->funcs.at[0], text, stem);
  arena_free(&s.arena);
}

static void count_calls(const char *pass, IrModule *module, bool changed, double seconds, void *data) {
  (void)module, (void)changed;
  assert_true(seconds >= 0);
  Buf *calls = data;
  buf_printf(calls, "%s ", pass ? pass : "-");
}

static void expect_calls(PassRunOptions options, const char *expected) {
  TextFixture s;
  text_fixture_open(&s);
  Str text = golden_read(&s.arena, TESTS_DIR "/golden/passes/all/add.tir");
  IrModule *module = parse(&s, "add.tir", text);
  Buf calls = {0};
  options.verify_each = true;
  options.after = count_calls;
  options.data = &calls;
  bool right = passes_run(module, &s.diags, &options);
  assert_int_equal(right, expected != NULL);
  if (expected)
    assert_string_equal(calls.at, expected);
  else
    assert_int_equal(s.diags.errors, 1);
  buf_free(&calls);
  arena_free(&s.arena);
}

// The passes that run are those whose conditions hold: the kernel has masked accesses, and neither loops nor dots.
TEST(test_order) {
  const char *coalesce = "coalesce", *simplify = "simplify", *needed = "propagate_layouts",
             *unknown = "coalesc", *old = "sink_sums", *steps = "attention";
  static const char *const list[] = {"simplify", "swap_dots", "hoist", "fold_bounds", "coalesce"};
  static const char *const twice[] = {"swap_dots", "simplify", "swap_dots"};
  static const char *const again[] = {"fold_bounds", "coalesce", "fold_bounds", "hoist", "fold_bounds"};
  enum { COUNT = sizeof list / sizeof *list };
  Arena scratch = {0};
  expect_calls((PassRunOptions){.stop_after = "elaborate"}, "- ");
  expect_calls((PassRunOptions){.scratch = &scratch, .stop_after = "simplify"}, "- simplify ");
  expect_calls((PassRunOptions){.disabled = &simplify, .disabled_count = 1, .stop_after = "merge_branches"},
               "- ");
  expect_calls((PassRunOptions){.only = list, .only_count = COUNT}, "- simplify fold_bounds coalesce ");
  expect_calls((PassRunOptions){.only = list, .only_count = COUNT, .most = 2}, "- simplify fold_bounds ");
  expect_calls((PassRunOptions){.only = list, .only_count = COUNT, .stop_after = "fold_bounds"},
               "- simplify fold_bounds ");
  expect_calls((PassRunOptions){.only = twice, .only_count = 3, .stop_after = "swap_dots"}, "- simplify ");
  expect_calls((PassRunOptions){.only = again, .only_count = 5, .stop_after = "fold_bounds", .stop_run = 2},
               "- fold_bounds coalesce fold_bounds ");
  expect_calls(
      (PassRunOptions){.only = list, .only_count = COUNT, .disabled = &simplify, .disabled_count = 1},
      "- fold_bounds coalesce ");
  expect_calls((PassRunOptions){.disabled = &steps, .disabled_count = 1, .stop_after = "simplify"},
               "- simplify ");
  expect_calls((PassRunOptions){.disabled = &old, .disabled_count = 1, .stop_after = "simplify"},
               "- simplify ");
  expect_calls((PassRunOptions){.only = &coalesce, .only_count = 1}, "- coalesce ");
  expect_calls((PassRunOptions){.disabled = &needed, .disabled_count = 1}, NULL);
  expect_calls((PassRunOptions){.only = &unknown, .only_count = 1}, NULL);
  arena_free(&scratch);
}

// Each row of passes.def is found by its name, each earlier name leads to one, and an entry's steps name it.
TEST(test_names) {
  for (uint32_t i = 0; pass_at(i); i++) {
    const PassInfo *pass = pass_at(i);
    assert_ptr_equal(pass_find(str_from(pass->name)), pass);
    if (pass->entry) assert_non_null(pass_entry(str_from(pass->entry)));
    if (pass->entry) assert_true(pass->flags & OPTIONAL);
  }
  assert_string_equal(pass_find(str_from("take_turns"))->name, "pingpong_warpgroups");
  assert_string_equal(pass_find(str_from("plan_ways"))->name, "plan_kernel");
  assert_null(pass_find(str_from("attention")));
}

// A pass without a state that it needs is an error. The error names the pass that gives it.
TEST(test_needs) {
  TextFixture s;
  text_fixture_open(&s);
  Str text = golden_read(&s.arena, TESTS_DIR "/golden/passes/all/add.tir");
  const char *early = "choose_occupancy";
  assert_false(
      passes_run(parse(&s, "add.tir", text), &s.diags, &(PassRunOptions){.only = &early, .only_count = 1}));
  assert_int_equal(s.diags.errors, 1);
  assert_string_equal(
      s.diags.list.at[0]->message,
      "pass 'choose_occupancy' needs that every tile has a layout: 'propagate_layouts' gives that");
  arena_free(&s.arena);
}

// --- The files of the folders, each a test by its name

typedef VEC(struct CMUnitTest) Tests;

static void test_file(void **state) { check_file(*state); }

static int by_name(const void *a, const void *b) {
  const struct CMUnitTest *x = a, *y = b;
  return strcmp(x->name, y->name);
}

// Variants come after all others, which they are like: BLESS writes these first.
static void add_files(Arena *arena, Tests *tests, const char *suffix) {
  glob_t files;
  uint32_t first = tests->n;
  assert_int_equal(glob(arena_printf(arena, "%s/golden/passes/*/*%s", TESTS_DIR, suffix), 0, NULL, &files),
                   0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    Str name = str_from(files.gl_pathv[i] + strlen(TESTS_DIR "/golden/passes/"));
    if (str_ends(name, ".out.tir"))
      fail_msg("%s: the result belongs in the file itself, as marks (BLESS=1)", name.at);
    char *stem = arena_copy(arena, (Str){name.at, name.n - strlen(suffix)});
    struct CMUnitTest test = {.name = stem, .test_func = test_file, .initial_state = stem};
    vec_push(arena, tests, test);
  }
  globfree(&files);
  qsort(tests->at + first, tests->n - first, sizeof *tests->at, by_name);
}

int suite_pass_golden(void) {
  Arena arena = {0};
  Tests tests = {0};
  const struct CMUnitTest more[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_names),
                                    cmocka_unit_test(test_needs)};
  add_files(&arena, &tests, ".tir");
  add_files(&arena, &tests, ".diff");
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) vec_push(&arena, &tests, more[i]);
  int failed = _cmocka_run_group_tests("passes", tests.at, tests.n, NULL, NULL);
  arena_free(&arena);
  return failed;
}
