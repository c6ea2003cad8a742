// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to the parser: its state, and the builders that the grammar's actions call.
//
//   lexer.re:   From text to tokens.
//   indent.c:   From tokens to those of statements to parse, with regular blocks and without unsupported statements.
//   select.c:   From a .py file, the tokens that are read, and the statements around them.
//   grammar.y:  From tokens to the tree, with the builders here (tree_expr.c, tree_stmt.c, literal.c, fstring.c).
//   syntax.c:   Runs them; syntax_error.c describes what was expected.
#ifndef FRONTEND_SYNTAX_PARSER_H
#define FRONTEND_SYNTAX_PARSER_H

#include "frontend/syntax/lexer.h"
#include "frontend/syntax/syntax.h"

// Nested f-strings.
enum { PARSE_MAX_FSTRINGS = 4 };

// The tokens of a function or class that is not read.
typedef struct LeftOut {
  Loc loc; // its name
  const Token *at;
  uint32_t n;
} LeftOut;

// `with` item `as` target. A target is NULL if absent.
typedef struct WithItems {
  ExprList items, targets;
} WithItems;

typedef struct Parse {
  Arena *arena;
  Interner *names;
  Diags *diags;
  uint16_t file;
  const TokenList *tokens; // the tokens being parsed.
  uint32_t at;             // The current token.
  bool quiet;              // Errors are not reported.
  bool python;             // A .py file.
  bool too_deep;           // Already reported.
  bool failed;             // An error, reported or not, since it was last cleared.
  Block walruses;          // The targets of `:=` in the current quiet statement.
  VEC(LeftOut) left_out;   // In the order of the file.
  uint32_t fstrings;       // The number of f-strings around this expression.
  void *parsers[PARSE_MAX_FSTRINGS + 1];
  Block statements; // The result of a module.
  Expr *expression; // The result of an expression.
} Parse;

// Reports an error, unless the current token is quiet. Returns NULL then.
Diag *parse_error(Parse *parse, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));

// --- layout.c ---

// Selects the tokens to parse. Reports the lexer's errors among them.
void layout_tokens(Parse *parse, const Lexed *lexed, SyntaxMode mode, TokenList *out);
// Advice on an unsupported statement, by its first word: ": leave it out"; or "".
const char *unsupported_advice(Str word);
// The same for a function or class that was not read. Reports no errors.
void layout_left_out(Parse *parse, const Token *tokens, uint32_t n, TokenList *out);

// --- grammar.y ---

// Parses the list `tokens`, which ends with kind 0. `start` is TOKEN_START_MODULE or TOKEN_START_EXPRESSION.
void grammar_parse(Parse *parse, const TokenList *tokens, int start);
// True if the parser could continue with a token of that kind.
bool grammar_accepts(const void *parser, int kind);

// --- syntax_error.c ---

void report_unexpected(Parse *parse, const void *parser, Token token);

// --- definitions.c ---

// Sorts the module level's statements into the module.
void collect_definitions(Parse *parse, Module *module);

// --- literal.c ---

Expr *tree_int(Parse *parse, Token token);
Expr *tree_float(Parse *parse, Token token);
Expr *tree_string(Parse *parse, Token token);
// Joins adjacent literals. Either may be an f-string.
Expr *join_strings(Parse *parse, Expr *left, Expr *right);
// The body of a literal with its escapes replaced. Errors are at `loc`.
Str unescape(Parse *parse, Str body, bool raw, bool bytes, Loc loc);
// The literal without prefix and quotes. *raw and *bytes give the prefix's letters.
Str string_body(Str literal, bool *raw, bool *bytes);

// --- fstring.c ---

Expr *tree_fstring(Parse *parse, Token token);

// --- tree_expr.c ---

Expr *tree_expr(Parse *parse, ExprKind kind, Loc loc);
Expr *tree_name(Parse *parse, Token token);
Expr *tree_bool(Parse *parse, Token token, bool value);
Expr *tree_parenthesized(Expr *inner, Token open, Token close);
// A tuple of the list, which may be empty.
Expr *tree_tuple(Parse *parse, ExprList items, Loc loc);
// [inner] and {inner}. inner is NULL, an expression or an unparenthesised tuple.
Expr *tree_display(Parse *parse, ExprKind kind, Expr *inner, Token open, Token close);
Expr *tree_dict(Parse *parse, DictItems items, Token open, Token close);
Expr *tree_unary(Parse *parse, UnaryOp op, Token token, Expr *operand);
Expr *tree_binary(Parse *parse, Expr *left, Token op, Expr *right);
Expr *tree_logical(Parse *parse, LogicalOp op, Token token, Expr *left, Expr *right);
Expr *tree_compare(Parse *parse, Expr *left, CompareOp op, Loc op_loc, Expr *right);
CompareOp compare_op_of(Token token);
Expr *tree_binds(Parse *parse, Token name, Expr *value);
Expr *tree_conditional(Parse *parse, Expr *then, Expr *condition, Expr *otherwise);
Expr *tree_lambda(Parse *parse, Token token, ParamList params, Expr *body);
// A comprehension of a list, set, dict or (EXPR_TUPLE) generator. `key` is a dict's.
Expr *tree_comprehension(Parse *parse, ExprKind of, Expr *key, Expr *element, CompClauses clauses, Loc loc);
CompClauses clauses_push(Parse *parse, CompClauses list, Expr *target, Expr *iterated, ExprList conditions);
// EXPR_STAR or EXPR_POINTER_TYPE.
Expr *tree_starred(Parse *parse, ExprKind kind, Token star, Expr *operand);
Expr *tree_call(Parse *parse, Expr *callee, ArgList args, Token close);
Expr *tree_attribute(Parse *parse, Expr *object, Token name);
Expr *tree_subscript(Parse *parse, Expr *object, ExprList indices, bool tuple, Token close);
Expr *tree_slice(Parse *parse, Loc loc, Expr *lower, Expr *upper, Expr *step);
Arg tree_arg(Parse *parse, const Token *name, int stars, Loc loc, Expr *value);

ExprList exprs_push(Parse *parse, ExprList list, Expr *item);
DictItems dict_push(Parse *parse, DictItems list, Expr *key, Expr *value);
ArgList args_push(Parse *parse, ArgList list, Arg arg);

// --- tree_stmt.c ---

Stmt *tree_stmt(Parse *parse, StmtKind kind, Loc loc);
// Reports an expression that cannot be assigned to.
void check_target(Parse *parse, const Expr *target);
Stmt *tree_expr_stmt(Parse *parse, Expr *expr);
// target = value, or one more `= value` after an assignment.
Stmt *tree_assign(Parse *parse, Expr *target, Expr *value);
Stmt *extend_assign(Parse *parse, Stmt *stmt, Expr *value);
Stmt *tree_annotated(Parse *parse, Expr *target, Expr *annotation, Expr *value);
Stmt *tree_augmented(Parse *parse, Expr *target, Token op, Expr *value);
Stmt *tree_return(Parse *parse, Token token, Expr *value);
Stmt *tree_assert(Parse *parse, Token token, Expr *condition, Expr *message);
Stmt *tree_for(Parse *parse, Token token, Expr *target, Expr *iterated, Block body, Block orelse);
Stmt *tree_while(Parse *parse, Token token, Expr *condition, Block body, Block orelse);
Stmt *tree_if(Parse *parse, Token token, Expr *condition, Block body);
Stmt *add_elif(Parse *parse, Stmt *stmt, Token token, Expr *condition, Block body);
Stmt *tree_def(Parse *parse, Token name, ParamList params, Expr *returns, Block body);
Stmt *add_decorators(Stmt *stmt, ExprList decorators);
Stmt *tree_try(Parse *parse, Token token, Block body, Blocks handlers, Block orelse, Block finally);
Stmt *tree_with(Parse *parse, Token token, WithItems items, Block body);
WithItems with_push(Parse *parse, WithItems list, Expr *item, Expr *target);
// `token` holds the statement's first word, and a function's or class's name.
Stmt *tree_outside(Parse *parse, Token token, Block body);
// A statement that could not be parsed, with its block. NULL if it was reported.
Stmt *tree_unread(Parse *parse, Block body);
Blocks handlers_push(Parse *parse, Blocks list, Block handler);
Stmt *tree_names(Parse *parse, StmtKind kind, Token token, NameList names);
Stmt *tree_import(Parse *parse, Token token, ImportNames names);
Stmt *tree_from_import(Parse *parse, Token token, uint32_t dots, Token module, ImportNames names);
ImportName tree_import_name(Parse *parse, Token name, const Token *alias);
Param tree_param(Parse *parse, Token name, int stars, Expr *annotation, Expr *default_value);

Block block_push(Parse *parse, Block block, Stmt *stmt);
NameList names_push(Parse *parse, NameList list, Token name);
ImportNames imports_push(Parse *parse, ImportNames list, ImportName name);
ParamList params_push(Parse *parse, ParamList list, Param param);
// A dotted name as one token. Its text contains no blanks.
Token join_dotted(Parse *parse, Token left, Token right);

#endif
