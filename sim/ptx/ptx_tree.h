// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses PTX text into a tree: the lexer (ptx_lex.re), the grammar (ptx_parse.y) and its actions.
#ifndef SIM_PTX_PTX_TREE_H
#define SIM_PTX_PTX_TREE_H

#include "sim/ptx/ptx_ast.h"

typedef struct PtxError {
  PtxPos pos; // line 0: no error
  char text[256];
} PtxError;

// Only the first error is kept. Later ones are dropped.
void ptx_error(PtxError *error, PtxPos pos, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Parses `text`. A NUL byte must follow it, and it must outlive the tree. False: *error is set.
bool ptx_parse(Arena *arena, Str text, PtxModule *module, PtxError *error);

// ---- shared by lexer, grammar and actions ----

typedef struct PtxToken {
  PtxPos pos;
  Str text;
} PtxToken;

typedef struct PtxLexer {
  const char *at, *end, *line_start;
  uint32_t line;
} PtxLexer;

// The next token's kind, from ptx_parse.h. 0 at the end. -1: a byte or a comment that is invalid PTX.
// Lines with .loc and .file are one token.
int ptx_lex(PtxLexer *lexer, PtxToken *token);

enum { LOC_BUCKETS = 256 };

typedef struct PtxParser {
  Arena *arena;
  PtxModule *module;
  PtxError *error;
  PtxFunc *func;                   // the current function
  PtxStmt *last;                   // its last statement
  const PtxLoc *loc;               // the current one
  const PtxLoc *locs[LOC_BUCKETS]; // the function's, by a hash of file, line and column; the last one first
  // The declaration being parsed.
  PtxSpace space;
  PtxType type;
  uint32_t align, vector;
  bool is_extern;
} PtxParser;

PtxOperand *parse_name(PtxParser *parser, PtxToken token);
PtxOperand *parse_number(PtxParser *parser, PtxToken token, bool negative);
PtxOperand *parse_group(PtxParser *parser, PtxOperandKind kind, PtxToken token, PtxOperands items);
PtxOperand *parse_offset(PtxParser *parser, PtxOperand *base, PtxToken number, bool negative);
PtxOperands parse_append(PtxOperands list, PtxOperand *item);

void parse_open_func(PtxParser *parser, bool is_entry, PtxToken name, PtxVars results, PtxVars params);
void parse_close_func(PtxParser *parser, bool has_body);
void parse_threads(PtxParser *parser, PtxToken directive, PtxOperands numbers);

void parse_begin_vars(PtxParser *parser, PtxSpace space);
void parse_var_word(PtxParser *parser, PtxToken word); // .u32, .v4, .ptr
void parse_var_align(PtxParser *parser, PtxToken number);
PtxVar *parse_var(PtxParser *parser, PtxToken name, PtxOperands dims,
                  PtxOperand *init); // a dim [] is not OPERAND_INT
PtxVar *parse_range(PtxParser *parser, PtxToken name, PtxToken count);
PtxVars parse_append_var(PtxVars list, PtxVar *var);
void parse_module_vars(PtxParser *parser, PtxVars vars);

PtxStmt *parse_stmt(PtxParser *parser, PtxStmtKind kind, PtxToken token);
void parse_vars_stmt(PtxParser *parser, PtxVars vars);
void parse_targets(PtxParser *parser, PtxToken token, PtxOperands labels);
void parse_insn(PtxParser *parser, PtxToken guard, bool guard_not, PtxToken opcode, PtxOperands operands);
void ptx_parse_loc(PtxParser *parser, PtxToken token);
void parse_file(PtxParser *parser, PtxToken token);

#endif
