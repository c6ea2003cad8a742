// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to indent.c and select.c: the walk over a file's lines.
#ifndef FRONTEND_SYNTAX_INDENT_H
#define FRONTEND_SYNTAX_INDENT_H

#include "frontend/syntax/parser.h"

typedef struct LineLayout {
  Parse *parse;
  const Lexed *lexed;
  const Token *in;
  uint32_t at, end; // in `in`
  TokenList *out;
  uint32_t error; // index of the next of lexed->errors
  bool quiet;
  bool plain;                        // within a removed function: `try` is kept too
  bool dropped[AST_MAX_BLOCKS + 1];  // for each open INDENT: it was not passed on.
  bool function[AST_MAX_BLOCKS + 1]; // It belongs to a function.
  uint32_t n_blocks, functions;      // The number of open blocks, and of those of functions.
  VEC(Str) jits;                     // Local names of `jit`, and of the module triton.
} LineLayout;

// --- layout.c ---

int layout_kind(const LineLayout *layout);
bool begins_with(const LineLayout *layout, const char *word);
bool opens_bracket(int token_kind);
bool closes_bracket(int token_kind);
void layout_emit(LineLayout *layout, int token_kind, Loc loc);
void layout_copy(LineLayout *layout);
void copy_simple(LineLayout *layout);              // Copies the rest of a simple line; each `;` ends a
                                                   // statement.
void copy_until(LineLayout *layout, uint32_t end); // Copies whole statements, as in a .tile file.
void copy_clause_header(LineLayout *layout, int token_kind); // Copies a clause of a `try`, up to the colon.
void skip_statement(LineLayout *layout);                     // Skips the current logical line and its block.

// --- select.c ---

void select_python(LineLayout *layout);

#endif
