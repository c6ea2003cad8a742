// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f-strings: splits the literal into texts and replacement fields. The expressions of fields are lexed and
// parsed separately.
#include "frontend/syntax/parser.h"

#include "frontend/syntax/grammar.h"

typedef struct FieldScan {
  Parse *parse;
  Str body;
  size_t at;
  Loc loc;   // the place of body.at[at]
  Loc whole; // the literal
  bool raw;
  bool failed;
} FieldScan;

static void scan_advance(FieldScan *scan, size_t n) {
  for (; n > 0; n--, scan->at++) {
    if (scan->body.at[scan->at] == '\n') {
      scan->loc.line++;
      scan->loc.col = 1;
    } else if (scan->loc.col < UINT16_MAX)
      scan->loc.col++;
  }
}

static char scan_peek(const FieldScan *scan, size_t offset) {
  return scan->at + offset < scan->body.n ? scan->body.at[scan->at + offset] : '\0';
}

static void scan_fail(FieldScan *scan, Loc loc, const char *message) {
  if (!scan->failed) parse_error(scan->parse, loc, "%s", message);
  scan->failed = true;
}

// The literal text up to the next field or the end.
static FStringPart scan_text(FieldScan *scan) {
  Loc loc = scan->loc;
  size_t start = scan->at, n = 0;
  for (; scan->at < scan->body.n; scan_advance(scan, 1)) {
    char c = scan_peek(scan, 0);
    if (c != '{' && c != '}') continue;
    if (scan_peek(scan, 1) == c)
      scan_advance(scan, 1);
    else if (c == '{')
      break;
    else
      scan_fail(scan, scan->loc, "[T0107] a single '}' in an f-string is written '}}'");
  }
  char *text = arena_alloc(scan->parse->arena, scan->at - start + 1);
  for (size_t i = start; i < scan->at; i++) {
    char c = scan->body.at[i];
    text[n++] = c;
    if ((c == '{' || c == '}') && i + 1 < scan->at && scan->body.at[i + 1] == c) i++;
  }
  size_t len = loc.line == scan->loc.line ? (size_t)(scan->loc.col - loc.col) : 1;
  loc.len = (uint16_t)len;
  return (FStringPart){.loc = loc,
                       .text = unescape(scan->parse, (Str){text, n}, scan->raw, false, scan->whole)};
}

// Skips a string within an expression.
static void skip_string(FieldScan *scan) {
  char quote = scan_peek(scan, 0);
  scan_advance(scan, 1);
  while (scan->at < scan->body.n && scan_peek(scan, 0) != quote) scan_advance(scan, 1);
  if (scan->at < scan->body.n) scan_advance(scan, 1);
}

// True at the end of a field's expression: `}`, `!r`, `:spec` or `=`.
static bool ends_expression(const FieldScan *scan) {
  char c = scan_peek(scan, 0), next = scan_peek(scan, 1);
  if (c == '!') return next != '=';
  return c == '}' || c == ':' || (c == '=' && (next == '}' || next == '!' || next == ':'));
}

// Skips a field's expression and returns its text.
static Str scan_expression(FieldScan *scan) {
  size_t start = scan->at;
  int depth = 0;
  while (scan->at < scan->body.n && (depth > 0 || !ends_expression(scan))) {
    char c = scan_peek(scan, 0);
    if (c == '"' || c == '\'') {
      skip_string(scan);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') depth++;
    if (c == ')' || c == ']' || c == '}') depth--;
    scan_advance(scan, 1);
  }
  return (Str){scan->body.at + start, scan->at - start};
}

// Parses the expression `text`, which starts at `start`. NULL after an error.
static Expr *parse_field(FieldScan *scan, Str text, Loc start) {
  Parse *parse = scan->parse;
  if (!str_trimmed(text).n) {
    scan_fail(scan, start, "[T0107] a field of an f-string needs an expression");
    return NULL;
  }
  if (parse->fstrings == PARSE_MAX_FSTRINGS) {
    scan_fail(scan, start, "[T0506] f-strings are nested too deeply");
    return NULL;
  }
  Lexed lexed = {0};
  lex_expression(parse->arena, (Str){arena_copy(parse->arena, text), text.n}, start, &lexed);
  for (uint32_t i = 0; i < lexed.errors.n; i++)
    parse_error(parse, lexed.errors.at[i].loc, "%s", lexed.errors.at[i].message);
  bool outer_quiet = parse->quiet;
  Expr *outer = parse->expression;
  parse->quiet |= parse->tokens->at[parse->at].quiet;
  parse->expression = NULL;
  parse->fstrings++;
  grammar_parse(parse, &lexed.tokens, TOKEN_START_EXPRESSION);
  parse->fstrings--;
  Expr *value = parse->expression;
  parse->quiet = outer_quiet;
  parse->expression = outer;
  return value;
}

// The format spec up to the closing brace.
static Str scan_format(FieldScan *scan) {
  size_t start = scan->at;
  int depth = 0;
  for (; scan->at < scan->body.n; scan_advance(scan, 1)) {
    char c = scan_peek(scan, 0);
    if (c == '}' && depth-- == 0) break;
    depth += c == '{';
  }
  Str text = {scan->body.at + start, scan->at - start};
  return (Str){arena_copy(scan->parse->arena, text), text.n};
}

// Reads a field from its `{`. `{x=}` also gives the text "x=" before it.
static FStringPart scan_field(FieldScan *scan, Str *echo) {
  Loc open = scan->loc;
  scan_advance(scan, 1);
  Loc start = scan->loc;
  Str text = scan_expression(scan);
  FStringPart part = {.loc = start};
  if (scan_peek(scan, 0) == '=') {
    scan_advance(scan, 1);
    *echo = (Str){text.at, text.n + 1};
  }
  if (scan_peek(scan, 0) == '!') {
    part.conversion = scan_peek(scan, 1);
    if (!part.conversion || !strchr("rsa", part.conversion))
      scan_fail(scan, scan->loc, "[T0107] an f-string's conversion is one of '!r', '!s' and '!a'");
    scan_advance(scan, scan->at + 1 < scan->body.n ? 2 : 1);
  }
  if (scan_peek(scan, 0) == ':') {
    scan_advance(scan, 1);
    part.format = scan_format(scan);
  }
  if (scan_peek(scan, 0) == '}')
    scan_advance(scan, 1);
  else {
    open.len = 1;
    scan_fail(scan, open, "[T0107] expected '}' to close this field of the f-string");
    scan_advance(scan, scan->body.n - scan->at);
  }
  if (!scan->failed) part.value = parse_field(scan, text, start);
  if (part.value) part.loc = part.value->loc;
  return part;
}

Expr *tree_fstring(Parse *parse, Token token) {
  Expr *expr = tree_expr(parse, EXPR_FSTRING, token.loc);
  bool bytes;
  FieldScan scan = {.parse = parse, .loc = token.loc, .whole = token.loc};
  scan.body = string_body(token.text, &scan.raw, &bytes);
  size_t before = (size_t)(scan.body.at - token.text.at);
  scan.loc.len = 1;
  scan.loc.col = token.loc.col + before > UINT16_MAX ? UINT16_MAX : (uint16_t)(token.loc.col + before);
  while (scan.at < scan.body.n && !scan.failed) {
    FStringPart part = scan_text(&scan);
    if (part.text.n) vec_push(parse->arena, &expr->fstring, part);
    if (scan.at == scan.body.n || scan.failed) break;
    Str echo = {0};
    FStringPart field = scan_field(&scan, &echo);
    FStringPart echoed = {.loc = field.loc, .text = {arena_copy(parse->arena, echo), echo.n}};
    if (echo.n) vec_push(parse->arena, &expr->fstring, echoed);
    if (!field.value) continue;
    vec_push(parse->arena, &expr->fstring, field);
    if (field.value->depth >= expr->depth && expr->depth < AST_MAX_DEPTH)
      expr->depth = field.value->depth + 1;
  }
  return expr;
}
