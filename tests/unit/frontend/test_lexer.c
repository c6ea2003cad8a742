// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens: golden files (tests/golden/syntax/X.tokens next to the sources), and cases that no golden
// file shows.
#include "tests/unit/unit.h"
#include "frontend/syntax/syntax.h"
#include "tests/unit/golden.h"

typedef struct Setup {
  Arena arena;
  Sources sources;
  Diags diags;
  Buf out;
} Setup;

static void dump(Setup *setup, const char *name, Str text) {
  *setup = (Setup){0};
  setup->sources.arena = setup->diags.arena = &setup->arena;
  setup->diags.sources = &setup->sources;
  setup->diags.error_limit = 1000;
  uint16_t file = sources_add(&setup->sources, name, text);
  syntax_dump_tokens(&setup->arena, &setup->diags, &setup->sources, file, &setup->out);
  diags_print_text(&setup->diags, true, &setup->out);
}

static void clean(Setup *setup) {
  buf_free(&setup->out);
  arena_free(&setup->arena);
}

// Golden files have the tokens of a line of source in one line: "1:1 NAME a | 2 NEWLINE".
static void join_lines(Str tokens, Buf *out) {
  size_t line_length = 0;
  const char *line = "";
  for (size_t at = 0, end; at < tokens.n; at = end + 1) {
    for (end = at; end < tokens.n && tokens.at[end] != '\n';) end++;
    size_t column = at;
    while (column < end && tokens.at[column++] != ':') {
    }
    bool same = at > 0 && column - at == line_length && memcmp(line, tokens.at + at, line_length) == 0;
    if (at > 0) buf_text(out, same ? " | " : "\n");
    size_t from = same ? column : at;
    buf_bytes(out, tokens.at + from, end - from);
    line = tokens.at + at, line_length = column - at;
  }
  buf_char(out, '\n');
}

TEST(test_golden) {
  static const char *const stems[] = {"expressions", "statements", "lines", "lex_errors"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
    Arena arena = {0};
    Setup setup;
    Str text = golden_read(&arena, arena_printf(&arena, "%s/golden/syntax/%s.tile", TESTS_DIR, stems[i]));
    assert_non_null(text.at);
    dump(&setup, arena_printf(&arena, "%s.tile", stems[i]), text);
    const char *golden = arena_printf(&arena, "%s/golden/syntax/%s.tokens", TESTS_DIR, stems[i]);
    Buf joined = {0};
    join_lines(buf_view(&setup.out), &joined);
    assert_true(golden_check(&arena, golden, buf_view(&joined)));
    buf_free(&joined);
    clean(&setup);
    arena_free(&arena);
  }
}

static void check_tokens(const char *text, const char *expected) {
  Setup setup;
  dump(&setup, "t", str_from(text));
  assert_string_equal(setup.out.at, expected);
  clean(&setup);
}

TEST(test_ends) {
  check_tokens("", "1:1 END\n");
  check_tokens("\n\n", "3:1 END\n");
  check_tokens("# comment", "1:10 END\n");
  check_tokens("a", "1:1 NAME a\n1:2 NEWLINE\n1:2 END\n");
  check_tokens("if a:\n b", "1:1 IF if\n1:4 NAME a\n1:5 COLON :\n1:6 NEWLINE\n2:2 INDENT\n2:2 NAME b\n"
                            "2:3 NEWLINE\n2:3 DEDENT\n2:3 END\n");
  check_tokens("(a\n", "1:1 LPAREN (\n1:2 NAME a\n1:3 NEWLINE\n2:1 END\n");
}

TEST(test_columns_saturate) {
  Arena arena = {0};
  size_t n = 70000;
  char *text = arena_alloc(&arena, n + 3);
  memset(text, ' ', n);
  memcpy(text, "a+", 2);
  text[n] = 'b';
  Setup setup;
  dump(&setup, "t", (Str){text, n + 1});
  assert_non_null(strstr(setup.out.at, "1:65535 NAME b\n"));
  clean(&setup);
  arena_free(&arena);
}

// A string's place is its first line; what follows it is on its last.
TEST(test_multiline_string) {
  check_tokens("a = '''x\ny''' + b",
               "1:1 NAME a\n1:3 EQUALS =\n1:5 STRING \"'''x\\ny'''\"\n2:6 PLUS +\n2:8 NAME b\n"
               "2:9 NEWLINE\n2:9 END\n");
}

WHOLE_SUITE(lexer)
