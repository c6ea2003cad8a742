// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside layout.c and select.c only: the walk over a file's lines.
#ifndef FRONTEND_SYNTAX_INDENT_H
#define FRONTEND_SYNTAX_INDENT_H

#include "frontend/syntax/parser.h"

typedef struct LineLayout {
  Parse *parse;
  const Lexed *lexed;
  const Token *in;
  uint32_t at, end; // in `in`
  TokenList *out;
  uint32_t error; // the next of lexed->errors
  bool quiet;
  bool plain; // within a function that was left out: `try` stays too
  bool dropped[AST_MAX_BLOCKS + 1];  // of each open INDENT: it was not passed on
  bool function[AST_MAX_BLOCKS + 1]; // it is a function's
  uint32_t n_blocks, functions;      // how many are open, and are a function's
  VEC(Str) jits;                     // what `jit` is called here, and the names of the module triton
} LineLayout;

// --- layout.c ---

int layout_kind(const LineLayout *layout);
bool begins_with(const LineLayout *layout, const char *word);
bool opens_bracket(int token_kind);
bool closes_bracket(int token_kind);
void layout_emit(LineLayout *layout, int token_kind, Loc loc);
void layout_copy(LineLayout *layout);
void copy_simple(LineLayout *layout);              // the rest of a simple line; each `;` ends a statement
void copy_until(LineLayout *layout, uint32_t end); // whole statements, as in a .tile file
void copy_clause_header(LineLayout *layout, int token_kind); // of a `try`, up to the colon
void skip_statement(LineLayout *layout);                     // past the logical line at hand and its block

// --- select.c ---

void select_python(LineLayout *layout);

#endif
