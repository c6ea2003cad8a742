// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens, and the lexer which makes them. Token kinds are TOKEN_*,
// from the grammar (frontend/syntax/grammar.h); 0 ends a list.
#ifndef FRONTEND_SYNTAX_LEXER_H
#define FRONTEND_SYNTAX_LEXER_H

#include "base/diag.h"

// Deeper brackets are an error, as they are in Python.
enum { LEX_MAX_BRACKETS = 200 };

typedef struct Token {
  Loc loc;
  uint8_t kind;
  bool quiet; // errors at this token are not the user's concern: a line that may be skipped
  Str text;   // the bytes in the source; empty for INDENT, DEDENT, NEWLINE and the end
} Token;

typedef VEC(Token) TokenList;

// Errors belong to a token, since those of skipped lines are not told.
typedef struct LexError {
  uint32_t token; // index
  Loc loc;
  const char *message;
} LexError;

typedef struct Lexed {
  // Each logical line ends in NEWLINE; INDENT and DEDENT pair up; the last token is of kind 0.
  TokenList tokens;
  VEC(LexError) errors;
} Lexed;

// Lexes a whole file; `text` is followed by a NUL and outlives the tokens. What cannot be a token becomes a
// TOKEN_INVALID and an error, and lexing goes on.
void lex_file(Arena *arena, Str text, uint16_t file, Lexed *out);

// Lexes `text`, an expression of an f-string that starts
// at `start`, as if in brackets: no NEWLINE, no INDENT.
void lex_expression(Arena *arena, Str text, Loc start, Lexed *out);

// "NAME", "INDENT" ...: for printing.
const char *token_kind_name(int kind);

#endif
