// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/text/parse_lex.h"

static char char_at(const Lexer *lexer, size_t at) { return at < lexer->text.n ? lexer->text.at[at] : '\0'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (unsigned char)c >= 0x80;
}

static void skip_space(Lexer *lexer) {
  for (; lexer->at < lexer->text.n; lexer->at++) {
    char c = lexer->text.at[lexer->at];
    if (c == '/' && char_at(lexer, lexer->at + 1) == '/') {
      while (lexer->at < lexer->text.n && lexer->text.at[lexer->at] != '\n') lexer->at++;
      lexer->at--;
    } else if (c == '\n') {
      lexer->line++;
      lexer->line_start = lexer->at + 1;
    } else if (c != ' ' && c != '\t' && c != '\r')
      return;
  }
}

static size_t word_end(const Lexer *lexer, size_t at) {
  while (is_word(char_at(lexer, at))) at++;
  return at;
}

// A sign belongs to an exponent if it follows the e of a decimal number.
static size_t number_end(const Lexer *lexer, size_t at) {
  bool decimal = true;
  for (char c; (c = char_at(lexer, at)) != '\0'; at++) {
    bool exponent_sign = (c == '+' || c == '-') && decimal && (char_at(lexer, at - 1) | 0x20) == 'e';
    if (!is_word(c) && c != '.' && !exponent_sign) break;
    decimal = decimal && (is_digit(c) || c == '.' || (c | 0x20) == 'e' || exponent_sign);
  }
  return at;
}

// The end past the closing quote, or the line's end if there is none.
static size_t string_end(const Lexer *lexer, size_t at, bool *closed) {
  *closed = false;
  while (at < lexer->text.n && lexer->text.at[at] != '\n' && !*closed) {
    *closed = lexer->text.at[at] == '"';
    at += lexer->text.at[at] == '\\' && at + 1 < lexer->text.n && lexer->text.at[at + 1] != '\n' ? 2 : 1;
  }
  return at;
}

static TokenKind sigil_kind(char c) {
  return c == '%' ? TOKEN_VALUE : c == '@' ? TOKEN_SYMBOL : c == '#' ? TOKEN_ALIAS : TOKEN_BAD;
}

static size_t scan_token(const Lexer *lexer, TokenKind *kind) {
  size_t at = lexer->at;
  char c = lexer->text.at[at], next = char_at(lexer, at + 1);
  *kind = TOKEN_PUNCT;
  if (is_digit(c) || (c == '-' && is_word(next))) {
    *kind = TOKEN_NUMBER;
    return number_end(lexer, at + 1);
  }
  if (is_word(c)) {
    *kind = TOKEN_WORD;
    return word_end(lexer, at);
  }
  if (c == '"') {
    bool closed;
    size_t end = string_end(lexer, at + 1, &closed);
    *kind = closed ? TOKEN_STRING : TOKEN_BAD;
    return end;
  }
  if (c != '\0' && strchr("(){}[]<>,:;=*+", c)) return at + 1;
  *kind = is_word(next) ? sigil_kind(c) : TOKEN_BAD;
  return *kind == TOKEN_BAD ? at + 1 : word_end(lexer, at + 1);
}

IrToken lexer_next(Lexer *lexer) {
  skip_space(lexer);
  size_t col = lexer->at - lexer->line_start + 1;
  IrToken token = {.kind = TOKEN_END, .loc = {.line = lexer->line, .file = lexer->file}};
  token.loc.col = col > UINT16_MAX ? UINT16_MAX : (uint16_t)col;
  if (lexer->at >= lexer->text.n) return token;
  size_t end = scan_token(lexer, &token.kind), n = end - lexer->at;
  size_t sigil = token.kind == TOKEN_VALUE || token.kind == TOKEN_SYMBOL || token.kind == TOKEN_ALIAS;
  token.text = (Str){lexer->text.at + lexer->at + sigil, n - sigil};
  token.loc.len = n > UINT16_MAX ? UINT16_MAX : (uint16_t)n;
  lexer->at = end;
  return token;
}
