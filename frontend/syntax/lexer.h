// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens, and the lexer that makes them. Token kinds are TOKEN_*, from the grammar
// (frontend/syntax/grammar.h). 0 ends a list.
#ifndef FRONTEND_SYNTAX_LEXER_H
#define FRONTEND_SYNTAX_LEXER_H

#include "base/diag.h"

// Deeper nesting of brackets is an error, as in Python.
enum { LEX_MAX_BRACKETS = 200 };

typedef struct Token {
  Loc loc;
  uint8_t kind;
  bool quiet; // errors at this token are not reported: its line may be skipped
  Str text;   // the bytes in the source; empty for INDENT, DEDENT, NEWLINE and the end
} Token;

typedef VEC(Token) TokenList;

// An error belongs to a token, because errors of skipped lines are not reported.
typedef struct LexError {
  uint32_t token; // index
  Loc loc;
  const char *message;
} LexError;

typedef struct Lexed {
  // Each logical line ends in NEWLINE. INDENT and DEDENT are paired. The last token has kind 0.
  TokenList tokens;
  VEC(LexError) errors;
} Lexed;

// Lexes a whole file. `text` is followed by a NUL and outlives the tokens. Invalid text becomes a
// TOKEN_INVALID and an error, and lexing continues.
void lex_file(Arena *arena, Str text, uint16_t file, Lexed *out);

// Lexes `text`, an expression of an f-string that starts at `start`. As in brackets, there is no NEWLINE and
// no INDENT.
void lex_expression(Arena *arena, Str text, Loc start, Lexed *out);

#endif
