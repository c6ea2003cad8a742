// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens of tile IR's text form. Only for ir/text/parse*.c.
#ifndef IR_TEXT_PARSE_LEX_H
#define IR_TEXT_PARSE_LEX_H

#include "ir/ir.h"

typedef enum TokenKind {
  TOKEN_END,
  TOKEN_WORD,   // `add`, `fp32`, `loc`.
  TOKEN_NUMBER, // 12, -1.5e+3, 0x7f, -inf; also a shape with its element type: 16x64xfp32.
  TOKEN_STRING, // The text includes its quotes.
  TOKEN_VALUE,  // %name, text: name.
  TOKEN_SYMBOL, // @name.
  TOKEN_ALIAS,  // #name.
  TOKEN_PUNCT,  // One of ( ) { } [ ] < > , : ; = * +.
  TOKEN_BAD,
} TokenKind;

typedef struct IrToken {
  TokenKind kind;
  Str text;
  Loc loc;
} IrToken;

typedef struct Lexer {
  Str text;
  uint16_t file;
  size_t at, line_start;
  uint32_t line; // from 1
} Lexer;

// The next token; at the end always TOKEN_END. Skips white space and // comments.
IrToken lexer_next(Lexer *lexer);

#endif
