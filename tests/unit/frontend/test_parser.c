// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The syntax tree: golden files (tests/golden/syntax/X.ast: tree, then
// diagnostics), the acceptance kernels, limits.
#include "tests/unit/unit.h"
#include "frontend/syntax/syntax.h"
#include "tests/unit/golden.h"
#include "tests/unit/golden_diags.h"

typedef struct Setup {
  Arena arena;
  Interner names;
  Sources sources;
  Diags diags;
  Module *module;
} Setup;

static void parse(Setup *setup, const char *name, Str text) {
  *setup = (Setup){0};
  setup->names.arena = setup->sources.arena = setup->diags.arena = &setup->arena;
  setup->diags.sources = &setup->sources;
  setup->diags.error_limit = 1000;
  uint16_t file = sources_add(&setup->sources, name, text);
  setup->module =
      syntax_parse(&setup->arena, &setup->names, &setup->diags, &setup->sources, file, syntax_mode_of(name));
  assert_non_null(setup->module);
}

TEST(test_golden) {
  static const char *const names[] = {"expressions.tile", "statements.tile", "lines.tile", "lex_errors.tile",
                                      "errors.tile",      "unclosed.tile",   "kernels.py",
                                      "utf16.tile",       "carriage_returns.tile"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    Setup setup;
    Buf out = {0};
    Arena arena = {0};
    Str text = golden_read(&arena, arena_printf(&arena, "%s/golden/syntax/%s", TESTS_DIR, names[i]));
    assert_non_null(text.at);
    parse(&setup, names[i], text);
    syntax_dump_ast(setup.module, &out);
    for (uint32_t k = 0; k < setup.module->functions.n; k++)
      syntax_tell_errors(&setup.diags, setup.module->functions.at[k]);
    golden_diags(&setup.diags, &out);
    int stem = (int)(strchr(names[i], '.') - names[i]);
    const char *golden = arena_printf(&arena, "%s/golden/syntax/%.*s.ast", TESTS_DIR, stem, names[i]);
    assert_true(golden_check(&arena, golden, buf_view(&out)));
    buf_free(&out);
    arena_free(&setup.arena);
    arena_free(&arena);
  }
}

TEST(test_acceptance_kernels) {
  static const struct {
    const char *name;
    uint32_t functions;
  } files[] = {{"add", 2}, {"elu", 1}, {"matmul", 4}, {"reduce", 5}, {"weighted_sum", 3}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    Setup setup;
    Arena arena = {0};
    Str text = golden_read(&arena, arena_printf(&arena, "%s/acceptance/%s.tile", TESTS_DIR, files[i].name));
    assert_non_null(text.at);
    parse(&setup, "kernel.tile", text);
    assert_int_equal(setup.diags.errors, 0);
    assert_int_equal(setup.module->functions.n, files[i].functions);
    // As Python the same functions are found: all are decorated.
    Setup python;
    parse(&python, "kernel.py", text);
    assert_int_equal(python.diags.errors, 0);
    assert_int_equal(python.module->functions.n, files[i].functions);
    arena_free(&python.arena);
    arena_free(&setup.arena);
    arena_free(&arena);
  }
}

// One error of that text at that place, for `head`, `count` times `unit`, and `tail`.
static void check_deep(const char *head, const char *unit, int count, const char *tail, const char *message) {
  Setup setup;
  Buf text = {0}, out = {0};
  buf_text(&text, head);
  for (int i = 0; i < count; i++) buf_text(&text, unit);
  buf_text(&text, tail);
  parse(&setup, "deep.tile", buf_view(&text));
  syntax_dump_ast(setup.module, &out);
  assert_int_equal(setup.diags.errors, 1);
  assert_string_equal(setup.diags.list.at[0]->message, message);
  assert_true(setup.diags.list.at[0]->loc.line > 0);
  buf_free(&text);
  buf_free(&out);
  arena_free(&setup.arena);
}

TEST(test_depth) {
  const char *brackets = "brackets are nested too deeply", *statement = "this statement is nested too deeply";
  const char *expression = "this expression is nested too deeply";
  check_deep("x = ", "(", 10000, "1", brackets);
  check_deep("x = ", "[", 10000, "1", brackets);
  check_deep("x = ", "f(", 10000, "1", brackets);
  check_deep("x = ", "{1:", 10000, "1", brackets);
  check_deep("x = ", "-", 10000, "1", statement);
  check_deep("x = ", "not ", 10000, "1", statement);
  check_deep("x = ", "lambda:", 10000, "1", statement);
  check_deep("x = ", "1 if 2 else ", 10000, "1", statement);
  check_deep("x = ", "2 ** ", 10000, "1", statement);
  check_deep("x = ", "1 + ", 10000, "1", expression);
  check_deep("x = a", ".b", 10000, "", expression);
  check_deep("x = a", "[0]", 10000, "", expression);
  check_deep("x = a", "()", 10000, "", expression);
}

// Brackets and blocks as deep as they may be.
TEST(test_depth_allowed) {
  Setup setup;
  Buf text = {0}, out = {0};
  buf_text(&text, "def f(x):\n");
  for (int i = 1; i < AST_MAX_BLOCKS; i++) {
    buf_spaces(&text, i);
    buf_text(&text, "if x:\n");
  }
  buf_spaces(&text, AST_MAX_BLOCKS);
  for (int i = 0; i < 200; i++) buf_char(&text, '(');
  buf_char(&text, 'x');
  for (int i = 0; i < 200; i++) buf_char(&text, ')');
  parse(&setup, "deep.tile", buf_view(&text));
  assert_int_equal(setup.diags.errors, 0);
  syntax_dump_ast(setup.module, &out);
  arena_free(&setup.arena);
  buf_reset(&text);
  buf_text(&text, "def f(x):\n");
  for (int i = 1; i <= AST_MAX_BLOCKS + 1; i++) {
    buf_spaces(&text, i);
    buf_text(&text, "if x:\n");
  }
  parse(&setup, "deep.tile", buf_view(&text));
  bool told = false;
  for (uint32_t i = 0; i < setup.diags.list.n; i++)
    told |= strcmp(setup.diags.list.at[i]->message, "blocks are nested too deeply") == 0;
  assert_true(told);
  arena_free(&setup.arena);
  buf_free(&text);
  buf_free(&out);
}

TEST(test_counts) {
  Setup setup;
  Buf text = {0};
  buf_text(&text, "def f(");
  for (int i = 0; i < 300; i++) buf_printf(&text, "p%d, ", i);
  buf_text(&text, "): pass\n");
  parse(&setup, "t.tile", buf_view(&text));
  assert_int_equal(setup.diags.errors, 1);
  assert_string_equal(setup.diags.list.at[0]->message, "more than 256 parameters");
  arena_free(&setup.arena);
  buf_reset(&text);
  buf_text(&text, "x = f(");
  for (int i = 0; i < 1100; i++) buf_text(&text, "1, ");
  buf_text(&text, ")\n");
  parse(&setup, "t.tile", buf_view(&text));
  assert_int_equal(setup.diags.errors, 1);
  assert_string_equal(setup.diags.list.at[0]->message, "more than 1000 arguments");
  arena_free(&setup.arena);
  buf_free(&text);
}

// Sources without text, or with more than a Loc can name places in.
TEST(test_no_text) {
  static const char *const messages[] = {"this file has no text", "this file is larger than 256 MiB"};
  for (size_t i = 0; i < 2; i++) {
    Setup setup = {0};
    setup.names.arena = setup.sources.arena = setup.diags.arena = &setup.arena;
    setup.diags.sources = &setup.sources;
    uint16_t file = sources_named(&setup.sources, "a.tile");
    if (i == 1) setup.sources.files.at[file].text = (Str){"", ((size_t)256 << 20) + 1}; // never read
    assert_null(syntax_parse_expression(&setup.arena, &setup.names, &setup.diags, &setup.sources, file));
    assert_int_equal(setup.diags.errors, 1);
    assert_string_equal(setup.diags.list.at[0]->message, messages[i]);
    arena_free(&setup.arena);
  }
}

TEST(test_expression) {
  static const struct {
    const char *text, *dump;
  } cases[] = {
      {"cdiv(n, 4)", "1:1 call (1:1 name cdiv, 1:6 arg (1:6 name n), 1:9 arg (1:9 int 4))\n"},
      {"a, 1\n", "1:1 tuple (1:1 name a, 1:4 int 1)\n"},
      {"[1, a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000]",
       "1:1 list\n  1:2 int 1\n"
       "  1:5 name a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\n"},
      {"1 +", NULL},
      {"", NULL},
      {"a = 1", NULL},
      {"a\nb", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Arena arena = {0};
    Interner names = {.arena = &arena};
    Sources sources = {.arena = &arena};
    Diags diags = {.arena = &arena, .sources = &sources};
    Buf out = {0};
    uint16_t file = sources_add(&sources, "--grid", str_from(cases[i].text));
    Expr *expr = syntax_parse_expression(&arena, &names, &diags, &sources, file);
    assert_int_equal(expr != NULL, cases[i].dump != NULL);
    assert_int_equal(diags.errors > 0, cases[i].dump == NULL);
    if (expr) {
      syntax_dump_expr(expr, &out);
      assert_string_equal(out.at, cases[i].dump);
    }
    buf_free(&out);
    arena_free(&arena);
  }
}

WHOLE_SUITE(parser)
