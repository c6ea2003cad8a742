// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lexer (re2c). Strings and the starts of lines are scanned by hand, the rest by the rules in
// `next_token`. The text ends in a NUL, the sentinel. A NUL before the end is an error.
#include "frontend/syntax/lexer.h"

#include "frontend/syntax/ast.h"
#include "frontend/syntax/grammar.h"

typedef unsigned char Byte;

typedef struct Lexer {
  Arena *arena;
  Lexed *out;
  const Byte *cursor, *limit;
  const Byte *line_start; // column `base` of line `line`
  uint32_t line, base;
  uint16_t file;
  const Byte *bad;  // The next byte that is NUL or not UTF-8; limit if there is none.
  Loc last_end;     // Just after the last token.
  uint32_t depth;   // The number of open brackets.
  bool joined;      // The text is an expression: newlines never end it.
  bool resynced;    // A bracket was left open: blocks are unreliable until the next line without indentation.
  bool skipping;    // Nested too deeply: no tokens until the end of the logical line.
  uint32_t indents[AST_MAX_BLOCKS + 1], n_indents; // Columns from 0; indents[0] is 0.
  uint32_t narrow[AST_MAX_BLOCKS + 1]; // The same, with a tab counted as one column.
} Lexer;

static uint16_t saturate(size_t n) { return n > UINT16_MAX ? UINT16_MAX : (uint16_t)n; }

static Loc loc_at(const Lexer *lexer, const Byte *at, size_t len) {
  return (Loc){.line = lexer->line,
               .col = saturate((size_t)(at - lexer->line_start) + lexer->base),
               .len = saturate(len),
               .file = lexer->file};
}

static void lexer_error(Lexer *lexer, Loc loc, const char *message) {
  LexError error = {lexer->out->tokens.n, loc, message};
  vec_push(lexer->arena, &lexer->out->errors, error);
}

static void push(Lexer *lexer, int kind, Loc loc, Str text) {
  Token token = {.loc = loc, .kind = (uint8_t)kind, .text = text};
  if (!lexer->skipping) vec_push(lexer->arena, &lexer->out->tokens, token);
}

// Ends the current line. The next one starts at `at`.
static void new_line(Lexer *lexer, const Byte *at) {
  lexer->line++;
  lexer->line_start = at;
  lexer->base = 1;
}

// --- Invalid bytes: NUL, and bytes that are not UTF-8 ---

static int utf8_length(const Byte *at, const Byte *limit) {
  size_t left = (size_t)(limit - at);
  if (at[0] < 0x80) return 1;
  if (left >= 2 && at[0] >= 0xc2 && at[0] <= 0xdf) return (at[1] & 0xc0) == 0x80 ? 2 : 0;
  if (left >= 3 && (at[0] & 0xf0) == 0xe0) {
    if (at[0] == 0xe0 && at[1] < 0xa0) return 0; // overlong
    if (at[0] == 0xed && at[1] > 0x9f) return 0; // surrogate
    return (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80 ? 3 : 0;
  }
  if (left >= 4 && at[0] >= 0xf0 && at[0] <= 0xf4) {
    if (at[0] == 0xf0 && at[1] < 0x90) return 0;
    if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
    return (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80 && (at[3] & 0xc0) == 0x80 ? 4 : 0;
  }
  return 0;
}

static const Byte *find_bad(const Byte *at, const Byte *limit) {
  while (at < limit) {
    int n = *at ? utf8_length(at, limit) : 0;
    if (n == 0) return at;
    at += n;
  }
  return limit;
}

// Reports the bad bytes before `end`, which is on the current line.
static void report_bad(Lexer *lexer, const Byte *end) {
  while (lexer->bad < end) {
    const char *message = *lexer->bad ? "[T0108] this byte is not UTF-8" : "[T0108] a NUL byte is not allowed in source text";
    lexer_error(lexer, loc_at(lexer, lexer->bad, 1), message);
    lexer->bad = find_bad(lexer->bad + 1, lexer->limit);
  }
}

// --- Strings ---

// Scans from after the opening quote at `quote` to after the closing one. Loc covers the first line.
static void string_token(Lexer *lexer, const Byte *start, const Byte *quote, bool format) {
  Byte q = *quote;
  bool triple = quote[1] == q && quote[2] == q;
  const Byte *at = quote + (triple ? 3 : 1);
  Loc loc = loc_at(lexer, start, 0);
  size_t first_line = 0;
  bool closed = false;
  while (at < lexer->limit && !closed) {
    if (*at == '\\' && at + 1 < lexer->limit) at += at[1] == '\r' && at[2] == '\n' ? 2 : 1;
    else if (*at == q && (!triple || (at[1] == q && at[2] == q))) {
      at += triple ? 2 : 0;
      closed = true;
    } else if (*at == '\n' && !triple && !lexer->joined) break;
    if (*at == '\n') {
      if (!first_line) first_line = (size_t)(at - start);
      report_bad(lexer, at);
      new_line(lexer, at + 1);
    }
    at++;
  }
  if (!closed && at > quote + 1 && at[-1] == '\r') at--;
  loc.len = saturate(first_line ? first_line : (size_t)(at - start));
  if (!closed) lexer_error(lexer, loc, triple ? "[T0108] this triple-quoted string is not closed" : "[T0108] this string is not closed");
  int kind = !closed ? TOKEN_INVALID : format ? TOKEN_FSTRING : TOKEN_STRING;
  push(lexer, kind, loc, (Str){(const char *)start, (size_t)(at - start)});
  lexer->cursor = at;
}

// The message for a name with non-ASCII characters. Characters that editors and web pages insert have a hint.
static const char *what_character(const Byte *at, const Byte *end) {
  while (at < end && *at < 0x80) at++;
  static const struct {
    const char *bytes, *message;
  } rows[] = {{"\xc2\xa0", "[T0102] this is a no-break space: write a plain one"},
              {"\xe2\x80\x8b", "[T0102] this is a space of no width: delete it"},
              {"\xef\xbb\xbf", "[T0102] this is a byte order mark: delete it"},
              {"\xe2\x80\x9c", "[T0102] this is a typographic quote: write \" or '"},
              {"\xe2\x80\x9d", "[T0102] this is a typographic quote: write \" or '"},
              {"\xe2\x80\x98", "[T0102] this is a typographic quote: write \" or '"},
              {"\xe2\x80\x99", "[T0102] this is a typographic quote: write \" or '"},
              {"\xe2\x88\x92", "[T0102] this is not a minus sign: write -"},
              {"\xe2\x80\x93", "[T0102] this is not a minus sign: write -"},
              {"\xc3\x97", "[T0102] this is not an operator: write *"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t n = strlen(rows[i].bytes);
    if ((size_t)(end - at) >= n && memcmp(at, rows[i].bytes, n) == 0) return rows[i].message;
  }
  return "[T0102] non-ASCII characters are allowed in strings and comments only";
}

// --- Lines ---

static void end_line(Lexer *lexer) {
  uint32_t n = lexer->out->tokens.n;
  lexer->skipping = false;
  lexer->depth = 0;
  if (n && vec_last(&lexer->out->tokens).kind != TOKEN_NEWLINE && vec_last(&lexer->out->tokens).kind != TOKEN_DEDENT)
    push(lexer, TOKEN_NEWLINE, lexer->last_end, (Str){0});
}

// True if the line's block depends on the width of a tab. Reports this, and assigns the line to the current
// block.
static bool mixes_tabs(Lexer *lexer, uint32_t column, uint32_t narrow, const Byte *at) {
  uint32_t i = lexer->n_indents - 1;
  while (i > 0 && lexer->indents[i] > column) i--;
  bool same = lexer->indents[i] == column ? lexer->narrow[i] == narrow : lexer->narrow[i] < narrow;
  if (same || lexer->resynced) return false;
  bool tabs = memchr(lexer->line_start, '\t', (size_t)(at - lexer->line_start)) != NULL;
  lexer_error(lexer, loc_at(lexer, lexer->line_start, (size_t)(at - lexer->line_start)),
            tabs ? "[T0101] this line is indented with tabs and the block with spaces: indent all of it with spaces"
                 : "[T0101] this line is indented with spaces and the block with tabs: indent all of it with spaces");
  return true;
}

static void indent_to(Lexer *lexer, uint32_t column, uint32_t narrow, const Byte *at) {
  Loc loc = loc_at(lexer, at, 0);
  if (column == 0) lexer->resynced = false;
  if (mixes_tabs(lexer, column, narrow, at)) return;
  if (column > lexer->indents[lexer->n_indents - 1]) {
    if (lexer->n_indents > AST_MAX_BLOCKS) {
      lexer_error(lexer, loc, "[T0506] blocks are nested too deeply");
      lexer->cursor = lexer->limit;
      return;
    }
    lexer->narrow[lexer->n_indents] = narrow;
    lexer->indents[lexer->n_indents++] = column;
    push(lexer, TOKEN_INDENT, loc, (Str){0});
    return;
  }
  while (column < lexer->indents[lexer->n_indents - 1]) {
    if (column > lexer->indents[lexer->n_indents - 2]) { // between two blocks: treated as the inner one
      if (!lexer->resynced) lexer_error(lexer, loc, "[T0101] this line's indentation matches no outer block");
      return;
    }
    lexer->n_indents--;
    push(lexer, TOKEN_DEDENT, loc, (Str){0});
  }
}

// At the start of a logical line: measures the indentation, skips blank lines and comments.
static void start_line(Lexer *lexer) {
  const Byte *at = lexer->cursor;
  uint32_t column = 0, narrow = 0; // narrow: a tab counts as one
  for (;; at++) {
    if (*at == ' ') column++, narrow++;
    else if (*at == '\t') column = column / 8 * 8 + 8, narrow++;
    else if (*at == '\f') column = narrow = 0;
    else if (*at == '\r' && at[1] == '\n') continue;
    else if (*at == '\n') {
      new_line(lexer, at + 1);
      column = narrow = 0;
    } else if (*at == '#') {
      while (at < lexer->limit && *at != '\n') at++;
      report_bad(lexer, at);
      at--;
    } else break;
  }
  lexer->cursor = at;
  if (at < lexer->limit) indent_to(lexer, column, narrow, at);
}

// True if a line in open brackets begins with a word that expressions do not contain: a closing bracket is
// missing.
static bool begins_statement(const Byte *at) {
  static const char *const words[] = {"def",   "class", "return", "while", "import", "pass",
                                      "break", "raise", "assert", "continue"};
  while (*at == ' ' || *at == '\t') at++;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i]);
    if (strncmp((const char *)at, words[i], n) == 0 && (at[n] == ' ' || at[n] == '\n' || at[n] == '\r')) return true;
  }
  return false;
}

// Called after a newline. True if it ended the logical line.
static bool newline(Lexer *lexer) {
  bool ends = !lexer->joined && (lexer->depth == 0 || begins_statement(lexer->cursor));
  if (ends && lexer->depth) lexer->resynced = true;
  if (ends) end_line(lexer);
  new_line(lexer, lexer->cursor);
  if (ends) start_line(lexer);
  return ends;
}

// --- Tokens ---

static void token(Lexer *lexer, int kind, const Byte *start) {
  size_t n = (size_t)(lexer->cursor - start);
  push(lexer, kind, loc_at(lexer, start, n), (Str){(const char *)start, n});
}

static void invalid(Lexer *lexer, const Byte *start, const char *message) {
  Loc loc = loc_at(lexer, start, (size_t)(lexer->cursor - start));
  if (!lexer->skipping) lexer_error(lexer, loc, message);
  token(lexer, TOKEN_INVALID, start);
}

static void open_bracket(Lexer *lexer, int kind, const Byte *start) {
  if (lexer->depth++ < LEX_MAX_BRACKETS) token(lexer, kind, start);
  else if (!lexer->skipping) {
    invalid(lexer, start, "[T0506] brackets are nested too deeply");
    lexer->skipping = true;
  }
}

static void close_bracket(Lexer *lexer, int kind, const Byte *start) {
  if (lexer->depth) lexer->depth--;
  token(lexer, kind, start);
}

static void unexpected_byte(Lexer *lexer, const Byte *start) {
  if (lexer->bad < lexer->cursor) { // reported there
    report_bad(lexer, lexer->cursor);
    token(lexer, TOKEN_INVALID, start);
  } else if (*start >= 0x20 && *start < 0x7f)
    invalid(lexer, start,
            arena_printf(lexer->arena, "[T0107] unexpected character '%c'%s", *start,
                         *start == '!'   ? "; 'not' negates, and '~' a tile"
                         : *start == '?' ? "; write 'a if condition else b'"
                                         : ""));
  else invalid(lexer, start, arena_printf(lexer->arena, "[T0108] unexpected control character 0x%02x", *start));
}

static void comment(Lexer *lexer, const Byte *at) {
  while (at < lexer->limit && *at != '\n') at++;
  lexer->cursor = at[-1] == '\r' ? at - 1 : at;
}

// Lexes one token, or skips blanks, a comment or a newline.
static void next_token(Lexer *lexer) {
  const Byte *start = lexer->cursor, *at = start, *marker = start;
  %{
  re2c:define:YYCTYPE = Byte;
  re2c:define:YYCURSOR = at;
  re2c:define:YYMARKER = marker;
  re2c:yyfill:enable = 0;

  digits   = [0-9] ("_"? [0-9])*;
  hex      = "0" [xX] ("_"? [0-9a-fA-F])+;
  octal    = "0" [oO] ("_"? [0-7])+;
  binary   = "0" [bB] ("_"? [01])+;
  exponent = [eE] [-+]? digits;
  float    = digits "." digits? exponent? | "." digits exponent? | digits exponent;
  name     = [A-Za-z_] [A-Za-z0-9_]*;
  any_name = [A-Za-z_\x80-\xff] [A-Za-z0-9_\x80-\xff]*;
  prefix   = [rRuUbB] | [bB] [rR] | [rR] [bB];
  fprefix  = [fF] | [fF] [rR] | [rR] [fF];

  [ \t\f]+         { lexer->cursor = at; return; }
  "#"              { comment(lexer, at); return; }
  "\r"? "\n"       { lexer->cursor = at; newline(lexer); return; }
  "\\" "\r"? "\n"  { lexer->cursor = at; new_line(lexer, at); return; }

  "and"      { lexer->cursor = at; token(lexer, TOKEN_AND, start); return; }
  "as"       { lexer->cursor = at; token(lexer, TOKEN_AS, start); return; }
  "assert"   { lexer->cursor = at; token(lexer, TOKEN_ASSERT, start); return; }
  "break"    { lexer->cursor = at; token(lexer, TOKEN_BREAK, start); return; }
  "continue" { lexer->cursor = at; token(lexer, TOKEN_CONTINUE, start); return; }
  "raise"    { lexer->cursor = at; token(lexer, TOKEN_RAISE, start); return; }
  "def"      { lexer->cursor = at; token(lexer, TOKEN_DEF, start); return; }
  "elif"     { lexer->cursor = at; token(lexer, TOKEN_ELIF, start); return; }
  "else"     { lexer->cursor = at; token(lexer, TOKEN_ELSE, start); return; }
  "False"    { lexer->cursor = at; token(lexer, TOKEN_FALSE, start); return; }
  "for"      { lexer->cursor = at; token(lexer, TOKEN_FOR, start); return; }
  "from"     { lexer->cursor = at; token(lexer, TOKEN_FROM, start); return; }
  "global"   { lexer->cursor = at; token(lexer, TOKEN_GLOBAL, start); return; }
  "if"       { lexer->cursor = at; token(lexer, TOKEN_IF, start); return; }
  "import"   { lexer->cursor = at; token(lexer, TOKEN_IMPORT, start); return; }
  "in"       { lexer->cursor = at; token(lexer, TOKEN_IN, start); return; }
  "is"       { lexer->cursor = at; token(lexer, TOKEN_IS, start); return; }
  "lambda"   { lexer->cursor = at; token(lexer, TOKEN_LAMBDA, start); return; }
  "None"     { lexer->cursor = at; token(lexer, TOKEN_NONE, start); return; }
  "nonlocal" { lexer->cursor = at; token(lexer, TOKEN_NONLOCAL, start); return; }
  "not"      { lexer->cursor = at; token(lexer, TOKEN_NOT, start); return; }
  "or"       { lexer->cursor = at; token(lexer, TOKEN_OR, start); return; }
  "pass"     { lexer->cursor = at; token(lexer, TOKEN_PASS, start); return; }
  "return"   { lexer->cursor = at; token(lexer, TOKEN_RETURN, start); return; }
  "True"     { lexer->cursor = at; token(lexer, TOKEN_TRUE, start); return; }
  "while"    { lexer->cursor = at; token(lexer, TOKEN_WHILE, start); return; }
  "async" | "await" | "class" | "del" | "except" | "finally" | "try" | "with" | "yield" {
    lexer->cursor = at; token(lexer, TOKEN_UNSUPPORTED, start); return;
  }
  name       { lexer->cursor = at; token(lexer, TOKEN_NAME, start); return; }
  any_name   {
    lexer->cursor = at;
    if (lexer->bad < at) unexpected_byte(lexer, start);
    else invalid(lexer, start, what_character(start, at));
    return;
  }

  digits | hex | octal | binary { lexer->cursor = at; token(lexer, TOKEN_INT, start); return; }
  float                         { lexer->cursor = at; token(lexer, TOKEN_FLOAT, start); return; }
  (digits | float) [jJ] { lexer->cursor = at; invalid(lexer, start, "[T0108] complex numbers are not part of the tile language: the real and the imaginary parts are two tiles"); return; }
  ([0-9] | float) [A-Za-z0-9_]+ { lexer->cursor = at; invalid(lexer, start, "[T0108] invalid number"); return; }

  prefix? ["']  { string_token(lexer, start, at - 1, false); return; }
  fprefix ["']  { string_token(lexer, start, at - 1, true); return; }

  "("   { lexer->cursor = at; open_bracket(lexer, TOKEN_LPAREN, start); return; }
  "["   { lexer->cursor = at; open_bracket(lexer, TOKEN_LBRACKET, start); return; }
  "{"   { lexer->cursor = at; open_bracket(lexer, TOKEN_LBRACE, start); return; }
  ")"   { lexer->cursor = at; close_bracket(lexer, TOKEN_RPAREN, start); return; }
  "]"   { lexer->cursor = at; close_bracket(lexer, TOKEN_RBRACKET, start); return; }
  "}"   { lexer->cursor = at; close_bracket(lexer, TOKEN_RBRACE, start); return; }
  "+"   { lexer->cursor = at; token(lexer, TOKEN_PLUS, start); return; }
  "-"   { lexer->cursor = at; token(lexer, TOKEN_MINUS, start); return; }
  "*"   { lexer->cursor = at; token(lexer, TOKEN_STAR, start); return; }
  "**"  { lexer->cursor = at; token(lexer, TOKEN_POW, start); return; }
  "/"   { lexer->cursor = at; token(lexer, TOKEN_SLASH, start); return; }
  "//"  { lexer->cursor = at; token(lexer, TOKEN_FLOOR_DIV, start); return; }
  "%"   { lexer->cursor = at; token(lexer, TOKEN_PERCENT, start); return; }
  "@"   { lexer->cursor = at; token(lexer, TOKEN_AT, start); return; }
  "&"   { lexer->cursor = at; token(lexer, TOKEN_AMPERSAND, start); return; }
  "|"   { lexer->cursor = at; token(lexer, TOKEN_BAR, start); return; }
  "^"   { lexer->cursor = at; token(lexer, TOKEN_CARET, start); return; }
  "~"   { lexer->cursor = at; token(lexer, TOKEN_TILDE, start); return; }
  "<<" | ">>" { lexer->cursor = at; token(lexer, TOKEN_SHIFT, start); return; }
  "<" | "<=" | ">" | ">=" | "==" | "!=" { lexer->cursor = at; token(lexer, TOKEN_COMPARE, start); return; }
  "+=" | "-=" | "*=" | "/=" | "//=" | "%=" | "**=" | "@=" | "&=" | "|=" | "^=" | "<<=" | ">>=" {
    lexer->cursor = at; token(lexer, TOKEN_AUGMENT, start); return;
  }
  "="   { lexer->cursor = at; token(lexer, TOKEN_EQUALS, start); return; }
  ":="  { lexer->cursor = at; token(lexer, TOKEN_WALRUS, start); return; }
  ":"   { lexer->cursor = at; token(lexer, TOKEN_COLON, start); return; }
  ";"   { lexer->cursor = at; token(lexer, TOKEN_SEMICOLON, start); return; }
  ","   { lexer->cursor = at; token(lexer, TOKEN_COMMA, start); return; }
  "."   { lexer->cursor = at; token(lexer, TOKEN_DOT, start); return; }
  "..." { lexer->cursor = at; token(lexer, TOKEN_ELLIPSIS, start); return; }
  "->"  { lexer->cursor = at; token(lexer, TOKEN_ARROW, start); return; }
  *     { lexer->cursor = at; unexpected_byte(lexer, start); return; }
  %}
}

static void lex_all(Lexer *lexer) {
  while (lexer->cursor < lexer->limit) {
    uint32_t line = lexer->line, n = lexer->out->tokens.n;
    next_token(lexer);
    if (lexer->line == line) report_bad(lexer, lexer->cursor);
    if (lexer->out->tokens.n > n && vec_last(&lexer->out->tokens).text.n) lexer->last_end = loc_at(lexer, lexer->cursor, 0);
  }
}

void lex_file(Arena *arena, Str text, uint16_t file, Lexed *out) {
  const Byte *at = (const Byte *)text.at, *limit = at + text.n;
  if (str_starts(text, "\xef\xbb\xbf")) at += 3;
  // After a vertical tab a decorator's line is line 0: the Python package puts it before a text's first line.
  bool before = limit - at > 1 && at[0] == '\v' && at[1] == '@';
  at += before;
  Lexer lexer = {.arena = arena, .out = out, .cursor = at, .limit = limit, .line_start = at, .line = !before};
  lexer.base = (uint32_t)(at - (const Byte *)text.at) + 1;
  lexer.file = file;
  lexer.n_indents = 1;
  lexer.bad = find_bad(at, limit);
  out->tokens.cap = (uint32_t)(text.n / 4) + 8; // kernels have a token for 4 bytes or more
  out->tokens.at = ARENA_ARRAY(arena, Token, out->tokens.cap);
  start_line(&lexer);
  lex_all(&lexer);
  end_line(&lexer);
  Loc end = loc_at(&lexer, limit, 0);
  for (; lexer.n_indents > 1; lexer.n_indents--) push(&lexer, TOKEN_DEDENT, end, (Str){0});
  push(&lexer, 0, end, (Str){0});
}

void lex_expression(Arena *arena, Str text, Loc start, Lexed *out) {
  const Byte *at = (const Byte *)text.at;
  Lexer lexer = {.arena = arena, .out = out, .cursor = at, .limit = at + text.n, .line_start = at};
  lexer.line = start.line;
  lexer.base = start.col;
  lexer.file = start.file;
  lexer.joined = true;
  lexer.bad = lexer.limit; // the string as a whole was checked
  lex_all(&lexer);
  lexer.skipping = false;
  push(&lexer, 0, loc_at(&lexer, lexer.limit, 0), (Str){0});
}
