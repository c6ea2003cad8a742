// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error messages for unexpected tokens. Asks the parser which tokens it could continue with
// (grammar_accepts).
#include "frontend/syntax/parser.h"

#include <stdarg.h>
#include <stdio.h>

#include "frontend/syntax/grammar.h"
#include "frontend/syntax/indent.h"

enum { MAX_MESSAGE = 512, MAX_QUOTED = 32 };

Diag *parse_error(Parse *parse, Loc loc, const char *format, ...) {
  parse->failed = true;
  bool quiet =
      parse->quiet || (parse->tokens && parse->at < parse->tokens->n && parse->tokens->at[parse->at].quiet);
  if (quiet) return NULL;
  char message[MAX_MESSAGE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return diag_error(parse->diags, loc, "%s", message);
}

// The token in the user's terms.
static const char *token_found(Parse *parse, Token token) {
  switch (token.kind) {
  case 0: return parse->fstrings ? "the end of the field" : "the end of the file";
  case TOKEN_NEWLINE: return "the end of the line";
  case TOKEN_INDENT:
  case TOKEN_DEDENT: return "the end of the block";
  default: break;
  }
  if (token.text.n > MAX_QUOTED) return token.kind == TOKEN_NAME ? "a name" : "a literal";
  return arena_printf(parse->arena, "'%.*s'", STR_ARG(token.text));
}

// The innermost bracket that is open at the current token, among the tokens of its line; NULL: none.
static const Token *open_bracket(const Parse *parse, uint32_t first) {
  int depth = 0;
  for (uint32_t i = parse->at; i-- > first;) {
    const Token *token = &parse->tokens->at[i];
    if (closes_bracket(token->kind))
      depth++;
    else if (opens_bracket(token->kind) && depth-- == 0)
      return token;
  }
  return NULL;
}

static uint32_t line_start(const Parse *parse) {
  uint32_t i = parse->at;
  for (; i > 0; i--) {
    int kind = parse->tokens->at[i - 1].kind;
    if (kind == TOKEN_NEWLINE || kind == TOKEN_INDENT || kind == TOKEN_DEDENT) break;
  }
  return i;
}

static bool report_unsupported(Parse *parse, Token token) {
  const char *what = NULL;
  if (token.kind == TOKEN_WALRUS) what = "an assignment within an expression";
  if (token.kind == TOKEN_UNSUPPORTED) what = token_found(parse, token);
  const char *advice =
      token.kind == TOKEN_WALRUS ? ": write it as a separate statement" : unsupported_advice(token.text);
  if (what)
    parse_error(parse, token.loc, "%s%s is not part of the tile language%s",
                token.kind == TOKEN_WALRUS ? "[T0106] " : "[T0104] ", what, advice);
  return what != NULL;
}

static void report_bracket(Parse *parse, const void *parser, Token token, const Token *bracket) {
  static const struct {
    int open, close;
    const char *text;
  } pairs[] = {{TOKEN_LPAREN, TOKEN_RPAREN, ")"},
               {TOKEN_LBRACKET, TOKEN_RBRACKET, "]"},
               {TOKEN_LBRACE, TOKEN_RBRACE, "}"}};
  int i = bracket->kind == TOKEN_LPAREN ? 0 : bracket->kind == TOKEN_LBRACKET ? 1 : 2;
  const Token *before = &parse->tokens->at[parse->at - 1]; // the bracket, if nothing else
  bool comma = !closes_bracket(token.kind) && token.kind != TOKEN_NEWLINE && before->kind != TOKEN_COMMA;
  Diag *diag = NULL;
  if (before == bracket)
    parse_error(parse, token.loc, "[T0107] expected an expression, found %s", token_found(parse, token));
  else if (!grammar_accepts(parser, pairs[i].close) && grammar_accepts(parser, TOKEN_COLON))
    parse_error(parse, token.loc, "[T0107] expected ':', found %s", token_found(parse, token));
  else if (!grammar_accepts(parser, pairs[i].close))
    parse_error(parse, token.loc, "[T0107] unexpected %s", token_found(parse, token));
  else
    diag = parse_error(parse, token.loc, "[T0107] expected %s'%s', found %s", comma ? "',' or " : "",
                       pairs[i].text, token_found(parse, token));
  if (diag) diag_note(parse->diags, diag, bracket->loc, "to match this '%.*s'", STR_ARG(bracket->text));
}

// The single token that the parser expects in a statement of a fixed form; NULL: another case.
static const char *token_wanted(const void *parser) {
  static const struct {
    int kind;
    const char *text;
  } forms[] = {
      {TOKEN_IN, "'in' after the variable of the 'for'"},
      {TOKEN_IMPORT, "'import' after the module's name"},
      {TOKEN_DEF, "'def' after the decorators"},
      {TOKEN_LPAREN, "'(' after the function's name"},
      {TOKEN_ELSE, "'else' of this conditional expression"},
  };
  if (grammar_accepts(parser, TOKEN_NAME) || grammar_accepts(parser, TOKEN_NEWLINE)) return NULL;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (grammar_accepts(parser, forms[i].kind)) {
      // A `(` or `in` is also an operator, accepted where many other tokens are.
      bool strict = forms[i].kind == TOKEN_LPAREN || forms[i].kind == TOKEN_IN;
      if (strict && grammar_accepts(parser, TOKEN_PLUS)) continue;
      return forms[i].text;
    }
  return NULL;
}

static bool is_header(int kind) {
  return kind == TOKEN_IF || kind == TOKEN_ELIF || kind == TOKEN_ELSE || kind == TOKEN_FOR ||
         kind == TOKEN_WHILE || kind == TOKEN_DEF || kind == TOKEN_EXCEPT || kind == TOKEN_FINALLY;
}

// A header's colon is missing, or it has '=' instead of '=='.
static void report_header(Parse *parse, Token first, Token token) {
  Diag *diag;
  bool compares = first.kind == TOKEN_IF || first.kind == TOKEN_ELIF || first.kind == TOKEN_WHILE;
  if (token.kind == TOKEN_EQUALS && compares) {
    diag = parse_error(parse, token.loc, "[T0107] '=' assigns; '==' compares");
    if (diag) diag_fixit(parse->diags, diag, token.loc, "==");
    return;
  }
  if (first.kind == TOKEN_ELSE)
    diag = parse_error(parse, token.loc, "[T0107] expected ':' after 'else'");
  else
    diag = parse_error(parse, token.loc, "[T0107] expected ':' after the '%.*s' header", STR_ARG(first.text));
  if (!diag || token.kind != TOKEN_NEWLINE) return;
  token.loc.len = 0;
  diag_fixit(parse->diags, diag, token.loc, ":");
}

// Keeps the `:=` assignments of an unread line, from the current token on.
static void keep_walruses(Parse *parse) {
  const Token *at = parse->tokens->at;
  for (uint32_t i = parse->at; at[i].kind && at[i].kind != TOKEN_NEWLINE; i++) {
    if (i == 0 || at[i].kind != TOKEN_WALRUS || at[i - 1].kind != TOKEN_NAME) continue;
    Stmt *stmt = tree_stmt(parse, STMT_OUTSIDE, at[i - 1].loc);
    stmt->outside.what = WALRUS_TEXT;
    stmt->outside.name = intern(parse->names, at[i - 1].text);
    vec_push(parse->arena, &parse->walruses, stmt);
  }
}

static bool is_one_of(Str text, const char *const *words) {
  for (; *words; words++)
    if (str_is(text, *words)) return true;
  return false;
}

// `print x`, `int a = 3`, `type A = int`: two names at a line's start.
static bool report_two_words(Parse *parse, Token first, Token token) {
  static const char *const types[] = {"int",      "float",  "double", "bool",    "char",   "long",  "short",
                                      "unsigned", "signed", "half",   "void",    "auto",   "const", "let",
                                      "var",      "size_t", "uint",   "int32_t", "static", NULL};
  if (str_is(first.text, "print"))
    parse_error(parse, first.loc, "[T0107] 'print' is a function: write print(...)");
  else if (token.kind == TOKEN_NAME && str_is(first.text, "type"))
    parse_error(parse, first.loc, "[T0104] 'type' is not part of the tile language: write %.*s = ...",
                STR_ARG(token.text));
  else if (token.kind == TOKEN_NAME && is_one_of(first.text, types))
    parse_error(parse, first.loc,
                "[T0104] '%.*s' is not part of the tile language: a name gets its type from its "
                "value, as in %.*s = ...",
                STR_ARG(first.text), STR_ARG(token.text));
  else
    return false;
  return true;
}

// A C operator that is two Python operators. The parser stops at its second token.
static bool report_operator(Parse *parse, Token token) {
  static const struct {
    int first, second;
    const char *first_text, *second_text, *advice;
  } rows[] = {
      {TOKEN_AMPERSAND, TOKEN_AMPERSAND, "&", "&", "write '&' between conditions in brackets, or 'and'"},
      {TOKEN_BAR, TOKEN_BAR, "|", "|", "write '|' between conditions in brackets, or 'or'"},
      {TOKEN_COMPARE, TOKEN_COMPARE, "<", ">", "write '!='"},
      {TOKEN_COMPARE, TOKEN_EQUALS, "==", "=", "write '=='"},
      {TOKEN_COMPARE, TOKEN_EQUALS, "!=", "=", "write '!='"},
      {TOKEN_PLUS, TOKEN_PLUS, "+", "+", "write '+= 1'"},
      {TOKEN_MINUS, TOKEN_MINUS, "-", "-", "write '-= 1'"}};
  uint32_t at = parse->at - (token.kind == TOKEN_NEWLINE); // `n++` ends before the error
  if (at == 0 || parse->at < 2) return false;
  Token a = parse->tokens->at[at - 1], b = parse->tokens->at[at];
  if (a.loc.line != b.loc.line || a.loc.col + a.loc.len != b.loc.col) return false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool same = a.kind == rows[i].first && b.kind == rows[i].second && str_is(a.text, rows[i].first_text) &&
                str_is(b.text, rows[i].second_text);
    if (!same) continue;
    parse_error(parse, loc_join(a.loc, b.loc), "[T0103] '%s%s' is not an operator: %s", rows[i].first_text,
                rows[i].second_text, rows[i].advice);
    return true;
  }
  return false;
}

// Habits from other languages, each with a replacement.
static bool report_habit(Parse *parse, uint32_t start, Token token) {
  Token first = parse->tokens->at[start];
  if (first.kind == TOKEN_WITH) {
    parse_error(parse, first.loc, "[T0104] 'with' is supported only for a profiler's scopes: leave it out");
    return true;
  }
  if (first.kind == TOKEN_ELSE && token.kind == TOKEN_IF && parse->at == start + 1) {
    Diag *diag =
        parse_error(parse, loc_join(first.loc, token.loc), "[T0107] 'else if' is one word: write 'elif'");
    if (diag) diag_fixit(parse->diags, diag, loc_join(first.loc, token.loc), "elif");
    return true;
  }
  if (is_header(first.kind) && token.kind == TOKEN_LBRACE && start < parse->at) {
    parse_error(parse, token.loc, "[T0101] a block begins with ':' and is indented, without braces");
    return true;
  }
  if (first.kind == TOKEN_NAME && parse->at == start + 1 && report_two_words(parse, first, token))
    return true;
  return report_operator(parse, token);
}

static void report_at(Parse *parse, const void *parser, Token token, uint32_t start, const Token *bracket) {
  Token first = parse->tokens->at[start];
  if (report_unsupported(parse, token) || report_habit(parse, start, token)) return;
  const char *text = token_wanted(parser);
  if (is_header(first.kind) && !bracket && start < parse->at && grammar_accepts(parser, TOKEN_COLON))
    report_header(parse, first, token);
  else if (text)
    parse_error(parse, token.loc, "[T0107] expected %s, found %s", text, token_found(parse, token));
  else if (grammar_accepts(parser, TOKEN_INT) && (start < parse->at || !is_header(token.kind)))
    parse_error(parse, token.loc, "[T0107] expected an expression, found %s", token_found(parse, token));
  else if (start == parse->at)
    parse_error(parse, token.loc, "[T0107] %s without %s before it", token_found(parse, token),
                token.kind == TOKEN_EXCEPT || token.kind == TOKEN_FINALLY ? "a 'try'" : "an 'if' or loop");
  else if (grammar_accepts(parser, TOKEN_NAME))
    parse_error(parse, token.loc, "[T0107] expected a name, found %s", token_found(parse, token));
  else if (bracket)
    report_bracket(parse, parser, token, bracket);
  else if (parse->fstrings)
    parse_error(parse, token.loc, "[T0107] expected the end of the field, found %s",
                token_found(parse, token));
  else if (grammar_accepts(parser, TOKEN_NEWLINE))
    parse_error(parse, token.loc, "[T0107] expected the end of the statement, found %s",
                token_found(parse, token));
  else if (grammar_accepts(parser, TOKEN_COLON))
    parse_error(parse, token.loc, "[T0107] expected ':', found %s", token_found(parse, token));
  else
    parse_error(parse, token.loc, "[T0107] unexpected %s", token_found(parse, token));
}

// An error on a later line than a bracket that is still open: the bracket is the likely cause.
static void note_open_bracket(Parse *parse, uint32_t errors, const Token *bracket, Token token) {
  Diags *diags = parse->diags;
  if (!bracket || bracket->loc.line >= token.loc.line || diags->list.n == errors) return;
  Diag *diag = vec_last(&diags->list);
  if (!diag->notes.n)
    diag_note(diags, diag, bracket->loc, "this '%.*s' is not closed before it", STR_ARG(bracket->text));
}

void report_unexpected(Parse *parse, const void *parser, Token token) {
  parse->failed = true;
  if (token.quiet) keep_walruses(parse);
  if (token.kind == TOKEN_INVALID) return; // already reported
  uint32_t start = line_start(parse);
  const Token *bracket = open_bracket(parse, start);
  uint32_t errors = parse->diags->list.n;
  report_at(parse, parser, token, start, bracket);
  note_open_bracket(parse, errors, bracket, token);
}
