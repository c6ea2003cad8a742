// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grammar (Lemon), free of conflicts. Its input is regular (indent.c): every block is COLON NEWLINE
// INDENT ... DEDENT, every simple statement ends in NEWLINE. After an error, the rest of the line and its
// block are skipped, and the next statement is parsed again.
%name Grammar
%token_prefix TOKEN_
%token_type {Token}
%extra_context {Parse *parse}
%stack_size 2000
%start_symbol file

%include {
#include "frontend/syntax/grammar.h"
#include "frontend/syntax/parser.h"
}

%syntax_error { report_unexpected(parse, yypParser, TOKEN); }
%stack_overflow {
  if (!parse->too_deep) parse_error(parse, parse->tokens->at[parse->at].loc, "[T0506] this statement is nested too deeply");
  parse->too_deep = parse->failed = true;
}

// Kinds that only indent.c and the error messages use.
%token INVALID UNSUPPORTED WALRUS SEMICOLON.
// `:=` in Python code: in Python functions and in loops of the module level.
%token BINDS.

%nonassoc STARRED.
%left OR.
%left AND.
%right NOT.
%left COMPARE IS IN.
%left BAR.
%left CARET.
%left AMPERSAND.
%left SHIFT.
%left PLUS MINUS.
%left STAR SLASH FLOOR_DIV PERCENT AT.
%right TILDE.
%right POW.

%type stmts {Block}
%type suite {Block}
%type orelse {Block}
%type stmt {Stmt *}
%type simple {Stmt *}
%type assign {Stmt *}
%type compound {Stmt *}
%type condition {Expr *}
%type branch {Stmt *}
%type function {Stmt *}
%type attempt {Stmt *}
%type with_items {WithItems}
%type handlers {Blocks}
%type finally {Block}
%type decorators {ExprList}
%type returns {Expr *}
%type params {ParamList}
%type param_list {ParamList}
%type param {Param}
%type lambda_params {ParamList}
%type lambda_list {ParamList}
%type lambda_param {Param}
%type annotation {Expr *}
%type import_names {ImportNames}
%type import_name {ImportName}
%type from_names {ImportNames}
%type from_list {ImportNames}
%type from_name {ImportName}
%type dots {uint32_t}
%type name_list {NameList}
%type targets {Expr *}
%type target_list {ExprList}
%type target {Expr *}
%type exprs {Expr *}
%type expr_list {ExprList}
%type item {Expr *}
%type test {Expr *}
%type op {Expr *}
%type primary {Expr *}
%type atom {Expr *}
%type clauses {CompClauses}
%type conditions {ExprList}
%type strings {Expr *}
%type args {ArgList}
%type arg_list {ArgList}
%type arg {Arg}
%type index_list {ExprList}
%type index {Expr *}
%type bound {Expr *}
%type dict_items {DictItems}

// --- Files and statements ---

file ::= START_MODULE stmts(S). { parse->statements = S; }
file ::= START_EXPRESSION exprs(E). { parse->expression = E; }
file ::= START_EXPRESSION exprs(E) NEWLINE. { parse->expression = E; }

stmts(A) ::= . { A = (Block){0}; }
stmts(A) ::= stmts(B) stmt(C). { A = block_push(parse, B, C); }

stmt(A) ::= simple(B) NEWLINE. { A = B; }
stmt(A) ::= compound(B). { A = B; }
stmt(A) ::= error NEWLINE. { A = tree_unread(parse, (Block){0}); yypParser->yyerrcnt = -1; }
stmt(A) ::= error NEWLINE INDENT stmts(B) DEDENT. { A = tree_unread(parse, B); yypParser->yyerrcnt = -1; }

suite(A) ::= COLON NEWLINE INDENT stmts(B) DEDENT. { A = B; }
orelse(A) ::= . { A = (Block){0}; }
orelse(A) ::= ELSE suite(B). { A = B; }

simple(A) ::= exprs(E). { A = tree_expr_stmt(parse, E); }
simple(A) ::= assign(B). { A = B; }
assign(A) ::= exprs(T) EQUALS exprs(V). { A = tree_assign(parse, T, V); }
assign(A) ::= assign(B) EQUALS exprs(V). { A = extend_assign(parse, B, V); }
simple(A) ::= exprs(T) COLON annotation(N). { A = tree_annotated(parse, T, N, NULL); }
simple(A) ::= exprs(T) COLON annotation(N) EQUALS exprs(V). { A = tree_annotated(parse, T, N, V); }
simple(A) ::= exprs(T) AUGMENT(O) exprs(V). { A = tree_augmented(parse, T, O, V); }
simple(A) ::= RETURN(T). { A = tree_return(parse, T, NULL); }
simple(A) ::= RETURN(T) exprs(E). { A = tree_return(parse, T, E); }
simple(A) ::= PASS(T). { A = tree_stmt(parse, STMT_PASS, T.loc); }
simple(A) ::= BREAK(T). { A = tree_stmt(parse, STMT_BREAK, T.loc); }
simple(A) ::= RAISE(T). { A = tree_stmt(parse, STMT_RAISE, T.loc); }
simple(A) ::= CONTINUE(T). { A = tree_stmt(parse, STMT_CONTINUE, T.loc); }
simple(A) ::= ASSERT(T) test(C). { A = tree_assert(parse, T, C, NULL); }
simple(A) ::= ASSERT(T) test(C) COMMA test(M). { A = tree_assert(parse, T, C, M); }
simple(A) ::= GLOBAL(T) name_list(L). { A = tree_names(parse, STMT_GLOBAL, T, L); }
simple(A) ::= NONLOCAL(T) name_list(L). { A = tree_names(parse, STMT_NONLOCAL, T, L); }
simple(A) ::= IMPORT(T) import_names(L). { A = tree_import(parse, T, L); }
simple(A) ::= FROM(T) dots(D) IMPORT from_names(L). { A = tree_from_import(parse, T, D, (Token){0}, L); }
simple(A) ::= FROM(T) dotted(M) IMPORT from_names(L). { A = tree_from_import(parse, T, 0, M, L); }
simple(A) ::= FROM(T) dots(D) dotted(M) IMPORT from_names(L). { A = tree_from_import(parse, T, D, M, L); }

name_list(A) ::= NAME(N). { A = names_push(parse, (NameList){0}, N); }
name_list(A) ::= name_list(B) COMMA NAME(N). { A = names_push(parse, B, N); }

dots(A) ::= DOT. { A = 1; }
dots(A) ::= ELLIPSIS. { A = 3; }
dots(A) ::= dots(B) DOT. { A = B + 1; }
dots(A) ::= dots(B) ELLIPSIS. { A = B + 3; }
dotted(A) ::= NAME(N). { A = N; }
dotted(A) ::= dotted(B) DOT NAME(N). { A = join_dotted(parse, B, N); }

import_names(A) ::= import_name(N). { A = imports_push(parse, (ImportNames){0}, N); }
import_names(A) ::= import_names(B) COMMA import_name(N). { A = imports_push(parse, B, N); }
import_name(A) ::= dotted(N). { A = tree_import_name(parse, N, NULL); }
import_name(A) ::= dotted(N) AS NAME(S). { A = tree_import_name(parse, N, &S); }

from_names(A) ::= STAR(N). { A = imports_push(parse, (ImportNames){0}, tree_import_name(parse, N, NULL)); }
from_names(A) ::= from_list(B). { A = B; }
from_names(A) ::= LPAREN from_list(B) RPAREN. { A = B; }
from_names(A) ::= LPAREN from_list(B) COMMA RPAREN. { A = B; }
from_list(A) ::= from_name(N). { A = imports_push(parse, (ImportNames){0}, N); }
from_list(A) ::= from_list(B) COMMA from_name(N). { A = imports_push(parse, B, N); }
from_name(A) ::= NAME(N). { A = tree_import_name(parse, N, NULL); }
from_name(A) ::= NAME(N) AS NAME(S). { A = tree_import_name(parse, N, &S); }

compound(A) ::= FOR(T) targets(V) IN exprs(I) suite(B) orelse(E). { A = tree_for(parse, T, V, I, B, E); }
compound(A) ::= WHILE(T) condition(C) suite(B) orelse(E). { A = tree_while(parse, T, C, B, E); }
compound(A) ::= branch(B) orelse(E). { A = B; A->branch.orelse = E; }
compound(A) ::= function(F). { A = F; }
compound(A) ::= decorators(D) function(F). { A = add_decorators(F, D); }
compound(A) ::= attempt(B). { A = B; }
compound(A) ::= WITH(T) with_items(L) suite(B). { A = tree_with(parse, T, L, B); }
compound(A) ::= OUTSIDE(T) suite(B). { A = tree_outside(parse, T, B); }
with_items(A) ::= test(E). { A = with_push(parse, (WithItems){0}, E, NULL); }
with_items(A) ::= test(E) AS target(T). { A = with_push(parse, (WithItems){0}, E, T); }
with_items(A) ::= with_items(L) COMMA test(E). { A = with_push(parse, L, E, NULL); }
with_items(A) ::= with_items(L) COMMA test(E) AS target(T). { A = with_push(parse, L, E, T); }
attempt(A) ::= TRY(T) suite(B) handlers(H) orelse(E) finally(F). { A = tree_try(parse, T, B, H, E, F); }
handlers(A) ::= . { A = (Blocks){0}; }
handlers(A) ::= handlers(B) EXCEPT suite(C). { A = handlers_push(parse, B, C); }
finally(A) ::= . { A = (Block){0}; }
finally(A) ::= FINALLY suite(B). { A = B; }
condition(A) ::= test(B). { A = B; }
condition(A) ::= NAME(N) BINDS test(V). { A = tree_binds(parse, N, V); }
branch(A) ::= IF(T) condition(C) suite(B). { A = tree_if(parse, T, C, B); }
branch(A) ::= branch(S) ELIF(T) condition(C) suite(B). { A = add_elif(parse, S, T, C, B); }

decorators(A) ::= AT test(E) NEWLINE. { A = exprs_push(parse, (ExprList){0}, E); }
decorators(A) ::= decorators(B) AT test(E) NEWLINE. { A = exprs_push(parse, B, E); }

// --- Functions ---

function(A) ::= DEF NAME(N) LPAREN params(P) RPAREN returns(R) suite(B). { A = tree_def(parse, N, P, R, B); }
returns(A) ::= . { A = NULL; }
returns(A) ::= ARROW annotation(B). { A = B; }

params(A) ::= . { A = (ParamList){0}; }
params(A) ::= param_list(B). { A = B; }
params(A) ::= param_list(B) COMMA. { A = B; }
param_list(A) ::= param(P). { A = params_push(parse, (ParamList){0}, P); }
param_list(A) ::= param_list(B) COMMA param(P). { A = params_push(parse, B, P); }
param(A) ::= NAME(N). { A = tree_param(parse, N, 0, NULL, NULL); }
param(A) ::= NAME(N) COLON annotation(T). { A = tree_param(parse, N, 0, T, NULL); }
param(A) ::= NAME(N) EQUALS test(D). { A = tree_param(parse, N, 0, NULL, D); }
param(A) ::= NAME(N) COLON annotation(T) EQUALS test(D). { A = tree_param(parse, N, 0, T, D); }
param(A) ::= STAR(S). { A = tree_param(parse, S, 1, NULL, NULL); }
param(A) ::= SLASH(S). { A = tree_param(parse, S, 0, NULL, NULL); }
param(A) ::= STAR NAME(N). { A = tree_param(parse, N, 1, NULL, NULL); }
param(A) ::= STAR NAME(N) COLON annotation(T). { A = tree_param(parse, N, 1, T, NULL); }
param(A) ::= POW NAME(N). { A = tree_param(parse, N, 2, NULL, NULL); }
param(A) ::= POW NAME(N) COLON annotation(T). { A = tree_param(parse, N, 2, T, NULL); }

lambda_params(A) ::= . { A = (ParamList){0}; }
lambda_params(A) ::= lambda_list(B). { A = B; }
lambda_params(A) ::= lambda_list(B) COMMA. { A = B; }
lambda_list(A) ::= lambda_param(P). { A = params_push(parse, (ParamList){0}, P); }
lambda_list(A) ::= lambda_list(B) COMMA lambda_param(P). { A = params_push(parse, B, P); }
lambda_param(A) ::= NAME(N). { A = tree_param(parse, N, 0, NULL, NULL); }
lambda_param(A) ::= NAME(N) EQUALS test(D). { A = tree_param(parse, N, 0, NULL, D); }
lambda_param(A) ::= STAR(S). { A = tree_param(parse, S, 1, NULL, NULL); }
lambda_param(A) ::= STAR NAME(N). { A = tree_param(parse, N, 1, NULL, NULL); }
lambda_param(A) ::= POW NAME(N). { A = tree_param(parse, N, 2, NULL, NULL); }

annotation(A) ::= test(B). { A = B; }
annotation(A) ::= STAR(S) annotation(B). { A = tree_starred(parse, EXPR_POINTER_TYPE, S, B); }
annotation(A) ::= POW(S) annotation(B). {
  A = tree_starred(parse, EXPR_POINTER_TYPE, S, tree_starred(parse, EXPR_POINTER_TYPE, S, B));
}

// --- Expressions ---

// The targets of a `for`. They contain no operators, since `in` ends them.
targets(A) ::= target(T). { A = T; }
targets(A) ::= target(T) COMMA. {
  A = tree_tuple(parse, exprs_push(parse, (ExprList){0}, T), T->loc);
}
targets(A) ::= target_list(L). { A = tree_tuple(parse, L, L.at[0]->loc); }
targets(A) ::= target_list(L) COMMA. { A = tree_tuple(parse, L, L.at[0]->loc); }
target_list(A) ::= target(T) COMMA target(U). {
  A = exprs_push(parse, exprs_push(parse, (ExprList){0}, T), U);
}
target_list(A) ::= target_list(L) COMMA target(T). { A = exprs_push(parse, L, T); }
target(A) ::= primary(P). { A = P; }
target(A) ::= STAR(S) primary(P). { A = tree_starred(parse, EXPR_STAR, S, P); }

exprs(A) ::= item(T). { A = T; }
exprs(A) ::= item(T) COMMA. {
  A = tree_tuple(parse, exprs_push(parse, (ExprList){0}, T), T->loc);
}
exprs(A) ::= expr_list(L). { A = tree_tuple(parse, L, L.at[0]->loc); }
exprs(A) ::= expr_list(L) COMMA. { A = tree_tuple(parse, L, L.at[0]->loc); }
expr_list(A) ::= item(T) COMMA item(U). {
  A = exprs_push(parse, exprs_push(parse, (ExprList){0}, T), U);
}
expr_list(A) ::= expr_list(L) COMMA item(T). { A = exprs_push(parse, L, T); }
item(A) ::= test(B). { A = B; }
item(A) ::= STAR(S) op(B). [STARRED] { A = tree_starred(parse, EXPR_STAR, S, B); }

test(A) ::= op(B). { A = B; }
test(A) ::= op(T) IF op(C) ELSE test(E). { A = tree_conditional(parse, T, C, E); }
test(A) ::= LAMBDA(T) lambda_params(P) COLON test(B). { A = tree_lambda(parse, T, P, B); }

op(A) ::= primary(B). { A = B; }
op(A) ::= op(L) OR(T) op(R). { A = tree_logical(parse, LOGICAL_OR, T, L, R); }
op(A) ::= op(L) AND(T) op(R). { A = tree_logical(parse, LOGICAL_AND, T, L, R); }
op(A) ::= NOT(T) op(R). { A = tree_unary(parse, UNARY_NOT, T, R); }
op(A) ::= op(L) COMPARE(T) op(R). { A = tree_compare(parse, L, compare_op_of(T), T.loc, R); }
op(A) ::= op(L) IS(T) op(R). { A = tree_compare(parse, L, COMPARE_IS, T.loc, R); }
op(A) ::= op(L) IS(T) NOT(U) op(R). [IS] {
  A = tree_compare(parse, L, COMPARE_IS_NOT, loc_join(T.loc, U.loc), R);
}
op(A) ::= op(L) IN(T) op(R). { A = tree_compare(parse, L, COMPARE_IN, T.loc, R); }
op(A) ::= op(L) NOT(T) IN(U) op(R). [IN] {
  A = tree_compare(parse, L, COMPARE_NOT_IN, loc_join(T.loc, U.loc), R);
}
op(A) ::= op(L) BAR(T) op(R). { A = tree_binary(parse, L, T, R); }
op(A) ::= op(L) CARET(T) op(R). { A = tree_binary(parse, L, T, R); }
op(A) ::= op(L) AMPERSAND(T) op(R). { A = tree_binary(parse, L, T, R); }
op(A) ::= op(L) SHIFT(T) op(R). { A = tree_binary(parse, L, T, R); }
op(A) ::= op(L) PLUS|MINUS(T) op(R). { A = tree_binary(parse, L, T, R); }
op(A) ::= op(L) STAR|SLASH|FLOOR_DIV|PERCENT|AT(T) op(R). { A = tree_binary(parse, L, T, R); }
op(A) ::= op(L) POW(T) op(R). { A = tree_binary(parse, L, T, R); }
op(A) ::= MINUS(T) op(R). [TILDE] { A = tree_unary(parse, UNARY_NEG, T, R); }
op(A) ::= PLUS(T) op(R). [TILDE] { A = tree_unary(parse, UNARY_POS, T, R); }
op(A) ::= TILDE(T) op(R). { A = tree_unary(parse, UNARY_INVERT, T, R); }

primary(A) ::= atom(B). { A = B; }
primary(A) ::= primary(B) DOT NAME(N). { A = tree_attribute(parse, B, N); }
primary(A) ::= primary(B) LPAREN args(L) RPAREN(C). { A = tree_call(parse, B, L, C); }
primary(A) ::= primary(B) LBRACKET index_list(L) RBRACKET(C). { A = tree_subscript(parse, B, L, L.n > 1, C); }
primary(A) ::= primary(B) LBRACKET index_list(L) COMMA RBRACKET(C). { A = tree_subscript(parse, B, L, true, C); }

args(A) ::= . { A = (ArgList){0}; }
args(A) ::= arg_list(B). { A = B; }
args(A) ::= arg_list(B) COMMA. { A = B; }
args(A) ::= test(E) clauses(L). {
  Expr *generator = tree_comprehension(parse, EXPR_TUPLE, NULL, E, L, E->loc);
  A = args_push(parse, (ArgList){0}, tree_arg(parse, NULL, 0, E->loc, generator));
}
arg_list(A) ::= arg(B). { A = args_push(parse, (ArgList){0}, B); }
arg_list(A) ::= arg_list(L) COMMA arg(B). { A = args_push(parse, L, B); }
arg(A) ::= test(V). { A = tree_arg(parse, NULL, 0, V->loc, V); }
arg(A) ::= NAME(N) EQUALS test(V). { A = tree_arg(parse, &N, 0, N.loc, V); }
arg(A) ::= NAME(N) BINDS test(V). { Expr *e = tree_binds(parse, N, V); A = tree_arg(parse, NULL, 0, e->loc, e); }
arg(A) ::= STAR(S) test(V). { A = tree_arg(parse, NULL, 1, S.loc, V); }
arg(A) ::= POW(S) test(V). { A = tree_arg(parse, NULL, 2, S.loc, V); }

index_list(A) ::= index(E). { A = exprs_push(parse, (ExprList){0}, E); }
index_list(A) ::= index_list(L) COMMA index(E). { A = exprs_push(parse, L, E); }
index(A) ::= item(E). { A = E; }
index(A) ::= bound(L) COLON(C) bound(U). { A = tree_slice(parse, C.loc, L, U, NULL); }
index(A) ::= bound(L) COLON(C) bound(U) COLON bound(S). { A = tree_slice(parse, C.loc, L, U, S); }
bound(A) ::= . { A = NULL; }
bound(A) ::= test(E). { A = E; }

atom(A) ::= NAME(T). { A = tree_name(parse, T); }
atom(A) ::= INT(T). { A = tree_int(parse, T); }
atom(A) ::= FLOAT(T). { A = tree_float(parse, T); }
atom(A) ::= TRUE(T). { A = tree_bool(parse, T, true); }
atom(A) ::= FALSE(T). { A = tree_bool(parse, T, false); }
atom(A) ::= NONE(T). { A = tree_expr(parse, EXPR_NONE, T.loc); }
atom(A) ::= ELLIPSIS(T). { A = tree_expr(parse, EXPR_ELLIPSIS, T.loc); }
atom(A) ::= strings(S). { A = S; }
atom(A) ::= LPAREN(O) RPAREN(C). {
  A = tree_parenthesized(tree_tuple(parse, (ExprList){0}, O.loc), O, C);
}
atom(A) ::= LPAREN(O) exprs(E) RPAREN(C). { A = tree_parenthesized(E, O, C); }
atom(A) ::= LPAREN(O) NAME(N) BINDS test(V) RPAREN(C). {
  A = tree_parenthesized(tree_binds(parse, N, V), O, C);
}
atom(A) ::= LBRACKET(O) RBRACKET(C). { A = tree_display(parse, EXPR_LIST, NULL, O, C); }
atom(A) ::= LBRACKET(O) exprs(E) RBRACKET(C). { A = tree_display(parse, EXPR_LIST, E, O, C); }
atom(A) ::= LBRACE(O) exprs(E) RBRACE(C). { A = tree_display(parse, EXPR_SET, E, O, C); }
atom(A) ::= LBRACE(O) RBRACE(C). { A = tree_dict(parse, (DictItems){0}, O, C); }
atom(A) ::= LBRACE(O) dict_items(L) RBRACE(C). { A = tree_dict(parse, L, O, C); }
atom(A) ::= LBRACE(O) dict_items(L) COMMA RBRACE(C). { A = tree_dict(parse, L, O, C); }

atom(A) ::= LPAREN(O) test(E) clauses(L) RPAREN(C). {
  A = tree_comprehension(parse, EXPR_TUPLE, NULL, E, L, loc_join(O.loc, C.loc));
}
atom(A) ::= LBRACKET(O) test(E) clauses(L) RBRACKET(C). {
  A = tree_comprehension(parse, EXPR_LIST, NULL, E, L, loc_join(O.loc, C.loc));
}
atom(A) ::= LBRACE(O) test(E) clauses(L) RBRACE(C). {
  A = tree_comprehension(parse, EXPR_SET, NULL, E, L, loc_join(O.loc, C.loc));
}
atom(A) ::= LBRACE(O) test(K) COLON test(E) clauses(L) RBRACE(C). {
  A = tree_comprehension(parse, EXPR_DICT, K, E, L, loc_join(O.loc, C.loc));
}

clauses(A) ::= FOR targets(V) IN op(I) conditions(D). { A = clauses_push(parse, (CompClauses){0}, V, I, D); }
clauses(A) ::= clauses(L) FOR targets(V) IN op(I) conditions(D). { A = clauses_push(parse, L, V, I, D); }
conditions(A) ::= . { A = (ExprList){0}; }
conditions(A) ::= conditions(L) IF op(E). { A = exprs_push(parse, L, E); }

dict_items(A) ::= test(K) COLON test(V). { A = dict_push(parse, (DictItems){0}, K, V); }
dict_items(A) ::= POW op(V). { A = dict_push(parse, (DictItems){0}, NULL, V); }
dict_items(A) ::= dict_items(L) COMMA test(K) COLON test(V). { A = dict_push(parse, L, K, V); }
dict_items(A) ::= dict_items(L) COMMA POW op(V). { A = dict_push(parse, L, NULL, V); }

strings(A) ::= STRING(T). { A = tree_string(parse, T); }
strings(A) ::= FSTRING(T). { A = tree_fstring(parse, T); }
strings(A) ::= strings(S) STRING(T). { A = join_strings(parse, S, tree_string(parse, T)); }
strings(A) ::= strings(S) FSTRING(T). { A = join_strings(parse, S, tree_fstring(parse, T)); }

%code {
void grammar_parse(Parse *parse, const TokenList *tokens, int start) {
  void **slot = &parse->parsers[parse->fstrings];
  if (!*slot) *slot = ARENA_NEW(parse->arena, yyParser);
  const TokenList *outer = parse->tokens;
  uint32_t outer_at = parse->at;
  parse->tokens = tokens;
  parse->at = 0;
  GrammarInit(*slot, parse);
  Grammar(*slot, start, (Token){0});
  for (; parse->at < tokens->n && !parse->too_deep; parse->at++) {
    Token token = tokens->at[parse->at];
    Grammar(*slot, token.kind, token);
  }
  GrammarFinalize(*slot);
  parse->tokens = outer;
  parse->at = outer_at;
}

// Simulates the reductions before the token on a copy of the stack's top. `pushed` is on top of the first
// `kept` entries of the parser's stack.
bool grammar_accepts(const void *parser, int kind) {
  const yyParser *p = parser;
  YYACTIONTYPE pushed[64];
  int n = 0, kept = (int)(p->yytos - p->yystack) + 1;
  for (int steps = 0; steps < 10000; steps++) {
    YYACTIONTYPE state = n ? pushed[n - 1] : p->yystack[kept - 1].stateno;
    YYACTIONTYPE action = yy_find_shift_action((YYCODETYPE)kind, state);
    if (action == YY_ACCEPT_ACTION || action <= YY_MAX_SHIFTREDUCE) return true;
    if (action < YY_MIN_REDUCE) return false;
    int rule = action - YY_MIN_REDUCE, pops = -yyRuleInfoNRhs[rule];
    int here = pops < n ? pops : n;
    n -= here;
    kept -= pops - here;
    if (n == 64 || kept < 1) return false;
    state = n ? pushed[n - 1] : p->yystack[kept - 1].stateno;
    pushed[n++] = yy_find_reduce_action(state, yyRuleInfoLhs[rule]);
  }
  return false;
}
}
