// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the tokens of a file for --emit=tokens.
#include "frontend/syntax/grammar.h"
#include "frontend/syntax/lexer.h"
#include "frontend/syntax/syntax.h"

static const char *const kind_names[] = {
    [0] = "END",
    [TOKEN_INVALID] = "INVALID",
    [TOKEN_UNSUPPORTED] = "UNSUPPORTED",
    [TOKEN_WITH] = "WITH",
    [TOKEN_WALRUS] = "WALRUS",
    [TOKEN_BINDS] = "BINDS",
    [TOKEN_SEMICOLON] = "SEMICOLON",
    [TOKEN_OR] = "OR",
    [TOKEN_AND] = "AND",
    [TOKEN_NOT] = "NOT",
    [TOKEN_COMPARE] = "COMPARE",
    [TOKEN_IS] = "IS",
    [TOKEN_IN] = "IN",
    [TOKEN_BAR] = "BAR",
    [TOKEN_CARET] = "CARET",
    [TOKEN_AMPERSAND] = "AMPERSAND",
    [TOKEN_SHIFT] = "SHIFT",
    [TOKEN_PLUS] = "PLUS",
    [TOKEN_MINUS] = "MINUS",
    [TOKEN_STAR] = "STAR",
    [TOKEN_SLASH] = "SLASH",
    [TOKEN_FLOOR_DIV] = "FLOOR_DIV",
    [TOKEN_PERCENT] = "PERCENT",
    [TOKEN_AT] = "AT",
    [TOKEN_TILDE] = "TILDE",
    [TOKEN_POW] = "POW",
    [TOKEN_NEWLINE] = "NEWLINE",
    [TOKEN_INDENT] = "INDENT",
    [TOKEN_DEDENT] = "DEDENT",
    [TOKEN_COLON] = "COLON",
    [TOKEN_ELSE] = "ELSE",
    [TOKEN_EQUALS] = "EQUALS",
    [TOKEN_AUGMENT] = "AUGMENT",
    [TOKEN_RETURN] = "RETURN",
    [TOKEN_PASS] = "PASS",
    [TOKEN_BREAK] = "BREAK",
    [TOKEN_CONTINUE] = "CONTINUE",
    [TOKEN_RAISE] = "RAISE",
    [TOKEN_ASSERT] = "ASSERT",
    [TOKEN_COMMA] = "COMMA",
    [TOKEN_GLOBAL] = "GLOBAL",
    [TOKEN_NONLOCAL] = "NONLOCAL",
    [TOKEN_IMPORT] = "IMPORT",
    [TOKEN_FROM] = "FROM",
    [TOKEN_NAME] = "NAME",
    [TOKEN_DOT] = "DOT",
    [TOKEN_ELLIPSIS] = "ELLIPSIS",
    [TOKEN_AS] = "AS",
    [TOKEN_LPAREN] = "LPAREN",
    [TOKEN_RPAREN] = "RPAREN",
    [TOKEN_FOR] = "FOR",
    [TOKEN_WHILE] = "WHILE",
    [TOKEN_IF] = "IF",
    [TOKEN_ELIF] = "ELIF",
    [TOKEN_DEF] = "DEF",
    [TOKEN_ARROW] = "ARROW",
    [TOKEN_LAMBDA] = "LAMBDA",
    [TOKEN_LBRACKET] = "LBRACKET",
    [TOKEN_RBRACKET] = "RBRACKET",
    [TOKEN_INT] = "INT",
    [TOKEN_FLOAT] = "FLOAT",
    [TOKEN_TRUE] = "TRUE",
    [TOKEN_FALSE] = "FALSE",
    [TOKEN_NONE] = "NONE",
    [TOKEN_LBRACE] = "LBRACE",
    [TOKEN_RBRACE] = "RBRACE",
    [TOKEN_STRING] = "STRING",
    [TOKEN_FSTRING] = "FSTRING",
};

// "NAME", "INDENT" ...: for printing.
static const char *token_kind_name(int kind) {
  bool known = kind >= 0 && (size_t)kind < sizeof kind_names / sizeof *kind_names && kind_names[kind];
  return known ? kind_names[kind] : "?";
}

// Prints words as they are, strings quoted on one line.
static void print_token(const Token *token, Buf *out) {
  buf_printf(out, "%u:%u %s", token->loc.line, token->loc.col, token_kind_name(token->kind));
  if (token->text.n) buf_char(out, ' ');
  bool quoted = token->kind == TOKEN_STRING || token->kind == TOKEN_FSTRING || token->kind == TOKEN_INVALID;
  if (quoted)
    buf_quoted(out, token->text);
  else
    buf_str(out, token->text);
  buf_char(out, '\n');
}

void syntax_dump_tokens(Arena *arena, Diags *diags, Sources *sources, uint16_t file, Buf *out) {
  Str text = sources->files.at[file].text;
  if (!text.at) return;
  Lexed lexed = {0};
  lex_file(arena, text, file, &lexed);
  for (uint32_t i = 0; i < lexed.errors.n; i++)
    diag_error(diags, lexed.errors.at[i].loc, "%s", lexed.errors.at[i].message);
  for (uint32_t i = 0; i < lexed.tokens.n; i++) print_token(&lexed.tokens.at[i], out);
}
