// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From source text to the syntax tree (frontend/syntax/ast.h), and the printers of tokens and tree.
#ifndef FRONTEND_SYNTAX_SYNTAX_H
#define FRONTEND_SYNTAX_SYNTAX_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/intern.h"
#include "frontend/syntax/ast.h"

typedef enum SyntaxMode {
  SYNTAX_TILE, // everything in the file is parsed
  SYNTAX_PY,   // only imports, constants and functions with a jit decorator; the rest is skipped silently
} SyntaxMode;

// SYNTAX_PY for names which end in ".py", else SYNTAX_TILE.
SyntaxMode syntax_mode_of(const char *file_name);

// Parses file `file` of `sources`. Never NULL. Errors go to `diags`. After an error, parsing continues with
// the next statement, and the tree lacks the wrong one. Errors within a function of a .py file wait
// (syntax_tell_errors). The tree lives in `arena`, its names in `names`.
Module *syntax_parse(Arena *arena, Interner *names, Diags *diags, Sources *sources, uint16_t file,
                     SyntaxMode mode);

// Reports the syntax errors within a function of a .py file, which syntax_parse keeps back. Python accepts
// the statements around it, and users of other functions do not need them. True if there are any.
bool syntax_tell_errors(Diags *diags, const Function *function);

// Parses a function that syntax_parse skipped. NULL: its header is not supported. Unsupported statements
// become STMT_OUTSIDE. Nothing is reported.
Function *syntax_plain_function(Arena *arena, Interner *names, Diags *diags, uint16_t file,
                                const Stmt *outside);

// Parses code that syntax_parse skipped, such as a loop of the module level. Gives no messages.
Block syntax_left_out(Arena *arena, Interner *names, Diags *diags, uint16_t file, const Stmt *outside);

// The supported statements in the body of such a class. Nothing is reported. *is_enum: it is an enumeration
// whose members are not numbers or strings.
Block syntax_class_body(Arena *arena, Interner *names, Diags *diags, uint16_t file, const Stmt *outside,
                        bool *is_enum);
// True if a class without bases has the decorator @triton.aggregate, or its older name @_aggregate.
bool syntax_is_aggregate(const Stmt *outside);
// True if a class without bases has the decorator @dataclass. *frozen: with frozen=True.
bool syntax_is_dataclass(const Stmt *outside, bool *frozen);

// Parses a file whose whole text is one expression (a launch grid or value of the command line). NULL after
// an error.
Expr *syntax_parse_expression(Arena *arena, Interner *names, Diags *diags, Sources *sources, uint16_t file);

// One token a line: "line:col KIND text". Lexical errors go to `diags`.
void syntax_dump_tokens(Arena *arena, Diags *diags, Sources *sources, uint16_t file, Buf *out);

// Nodes are "line:col kind details (parts)". A statement has a line, and so have the parts of a long one.
void syntax_dump_ast(const Module *module, Buf *out);
void syntax_dump_expr(const Expr *expr, Buf *out);

#endif
