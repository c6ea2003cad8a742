// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzzes lexer and parser: the input is a source file, parsed in both modes
// and as an expression, and printed.
#include <stdint.h>

#include "frontend/syntax/syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_once(Str text, SyntaxMode mode) {
  Arena arena = {0};
  Interner names = {.arena = &arena};
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources};
  Buf out = {0};
  uint16_t file = sources_add(&sources, "fuzz", text);
  syntax_dump_ast(syntax_parse(&arena, &names, &diags, &sources, file, mode), &out);
  syntax_dump_tokens(&arena, &diags, &sources, file, &out);
  if (mode == SYNTAX_TILE) {
    Expr *expr = syntax_parse_expression(&arena, &names, &diags, &sources, file);
    if (expr) syntax_dump_expr(expr, &out);
  }
  diags_print_text(&diags, true, &out);
  buf_free(&out);
  arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Str text = {(const char *)data, size};
  parse_once(text, SYNTAX_TILE);
  parse_once(text, SYNTAX_PY);
  return 0;
}
