// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX's grammar. Each action is a single call into parse.c.
%include {
#include <assert.h>
#include "sim/ptx/ptx_tree.h"
}
%name PtxParse
%token_prefix PTX_
%token_type {PtxToken}
%extra_context {PtxParser *parser}
%stack_size 400
%start_symbol module

%syntax_error {
  if (TOKEN.text.n) ptx_error(parser->error, TOKEN.pos, "syntax error at '%.*s'", (int)(TOKEN.text.n < 60 ? TOKEN.text.n : 60), TOKEN.text.at);
  else ptx_error(parser->error, TOKEN.pos, "syntax error at the end of the text");
}
%stack_overflow { ptx_error(parser->error, (PtxPos){1, 1}, "nested too deeply"); }

%type operand {PtxOperand *}
%type simple {PtxOperand *}
%type item {PtxOperand *}
%type items {PtxOperands}
%type operands {PtxOperands}
%type var {PtxVar *}
%type vars {PtxVars}
%type declaration {PtxVars}
%type params {PtxVars}
%type param_list {PtxVars}
%type dims {PtxOperands}
%type init {PtxOperand *}

module ::= directives.
directives ::= .
directives ::= directives directive.

directive ::= VERSION NUMBER.
directive ::= TARGET words.
directive ::= ADDRESS_SIZE NUMBER.
directive ::= PRAGMA strings SEMI.
directive ::= FILE(T). { parse_file(parser, T); }
directive ::= LOC(T). { ptx_parse_loc(parser, T); }
directive ::= declaration(V) SEMI. { parse_module_vars(parser, V); }
directive ::= head LBRACE statements RBRACE. { parse_close_func(parser, true); }
directive ::= head SEMI. { parse_close_func(parser, false); }

words ::= WORD.
words ::= words COMMA WORD.
strings ::= STRING.
strings ::= strings COMMA STRING.

linkage ::= . { parser->is_extern = false; }
linkage ::= LINKAGE. { parser->is_extern = false; }
linkage ::= EXTERN. { parser->is_extern = true; }

head ::= signature tuning.
signature ::= linkage ENTRY WORD(N) params(P). { parse_open_func(parser, true, N, (PtxVars){0}, P); }
signature ::= linkage FUNC WORD(N) params(P). { parse_open_func(parser, false, N, (PtxVars){0}, P); }
signature ::= linkage FUNC LPAREN param_list(R) RPAREN WORD(N) params(P). { parse_open_func(parser, false, N, R, P); }

params(A) ::= . { A = (PtxVars){0}; }
params(A) ::= LPAREN RPAREN. { A = (PtxVars){0}; }
params(A) ::= LPAREN param_list(P) RPAREN. { A = P; }
param_list(A) ::= param(P). { A = parse_append_var((PtxVars){0}, P); }
param_list(A) ::= param_list(L) COMMA param(P). { A = parse_append_var(L, P); }
%type param {PtxVar *}
param(A) ::= space qualifiers var(V). { A = V; }

tuning ::= .
tuning ::= tuning TUNING(T) numbers(N). { parse_threads(parser, T, N); }
tuning ::= tuning FLAG.
tuning ::= tuning PRAGMA strings SEMI.
%type numbers {PtxOperands}
numbers(A) ::= NUMBER(N). { A = parse_append((PtxOperands){0}, parse_number(parser, N, false)); }
numbers(A) ::= numbers(L) COMMA NUMBER(N). { A = parse_append(L, parse_number(parser, N, false)); }

declaration(A) ::= linkage space qualifiers vars(V). { A = V; }
space ::= REG_SPACE. { parse_begin_vars(parser, SPACE_REG); }
space ::= GLOBAL_SPACE. { parse_begin_vars(parser, SPACE_GLOBAL); }
space ::= SHARED_SPACE. { parse_begin_vars(parser, SPACE_SHARED); }
space ::= LOCAL_SPACE. { parse_begin_vars(parser, SPACE_LOCAL); }
space ::= CONST_SPACE. { parse_begin_vars(parser, SPACE_CONST); }
space ::= PARAM_SPACE. { parse_begin_vars(parser, SPACE_PARAM); }
qualifiers ::= .
qualifiers ::= qualifiers DOTWORD(W). { parse_var_word(parser, W); }
qualifiers ::= qualifiers ALIGN NUMBER(N). { parse_var_align(parser, N); }
qualifiers ::= qualifiers pointee.
pointee ::= GLOBAL_SPACE.
pointee ::= SHARED_SPACE.
pointee ::= LOCAL_SPACE.
pointee ::= CONST_SPACE.
pointee ::= PARAM_SPACE.

vars(A) ::= var(V). { A = parse_append_var((PtxVars){0}, V); }
vars(A) ::= vars(L) COMMA var(V). { A = parse_append_var(L, V); }
var(A) ::= WORD(N) dims(D) init(I). { A = parse_var(parser, N, D, I); }
var(A) ::= WORD(N) LESS NUMBER(C) GREATER. { A = parse_range(parser, N, C); }
dims(A) ::= . { A = (PtxOperands){0}; }
dims(A) ::= dims(L) LBRACKET NUMBER(N) RBRACKET. { A = parse_append(L, parse_number(parser, N, false)); }
dims(A) ::= dims(L) LBRACKET(T) RBRACKET. { A = parse_append(L, parse_name(parser, T)); }
init(A) ::= . { A = NULL; }
init(A) ::= EQUALS item(I). { A = I; }

item(A) ::= simple(S). { A = S; }
item(A) ::= LBRACE(T) items(L) RBRACE. { A = parse_group(parser, OPERAND_VECTOR, T, L); }
item(A) ::= WORD LPAREN simple(S) RPAREN. { A = S; }
items(A) ::= item(I). { A = parse_append((PtxOperands){0}, I); }
items(A) ::= items(L) COMMA item(I). { A = parse_append(L, I); }

statements ::= .
statements ::= statements statement.
statement ::= declaration(V) SEMI. { parse_vars_stmt(parser, V); }
statement ::= open statements RBRACE(T). { parse_stmt(parser, STMT_CLOSE, T); }
open ::= LBRACE(T). { parse_stmt(parser, STMT_OPEN, T); }
statement ::= WORD(L) COLON. { parse_stmt(parser, STMT_LABEL, L); }
statement ::= TARGETS(T) operands(L) SEMI. { parse_targets(parser, T, L); }
statement ::= PRAGMA strings SEMI.
statement ::= LOC(T). { ptx_parse_loc(parser, T); }
statement ::= FILE(T). { parse_file(parser, T); }
statement ::= SEMI.
statement ::= WORD(O) SEMI. { parse_insn(parser, (PtxToken){0}, false, O, (PtxOperands){0}); }
statement ::= WORD(O) operands(L) SEMI. { parse_insn(parser, (PtxToken){0}, false, O, L); }
statement ::= AT WORD(P) WORD(O) SEMI. { parse_insn(parser, P, false, O, (PtxOperands){0}); }
statement ::= AT WORD(P) WORD(O) operands(L) SEMI. { parse_insn(parser, P, false, O, L); }
statement ::= AT BANG WORD(P) WORD(O) SEMI. { parse_insn(parser, P, true, O, (PtxOperands){0}); }
statement ::= AT BANG WORD(P) WORD(O) operands(L) SEMI. { parse_insn(parser, P, true, O, L); }

operands(A) ::= operand(I). { A = parse_append((PtxOperands){0}, I); }
operands(A) ::= operands(L) COMMA operand(I). { A = parse_append(L, I); }

operand(A) ::= simple(S). { A = S; }
operand(A) ::= simple(S) PIPE(T) simple(R). { A = parse_group(parser, OPERAND_PAIR, T, parse_append(parse_append((PtxOperands){0}, S), R)); }
operand(A) ::= BANG(T) simple(S). { A = parse_group(parser, OPERAND_NOT, T, parse_append((PtxOperands){0}, S)); }
operand(A) ::= LBRACE(T) operands(L) RBRACE. { A = parse_group(parser, OPERAND_VECTOR, T, L); }
operand(A) ::= LBRACKET(T) operands(L) RBRACKET. { A = parse_group(parser, OPERAND_ADDRESS, T, L); }
operand(A) ::= LPAREN(T) operands(L) RPAREN. { A = parse_group(parser, OPERAND_LIST, T, L); }
operand(A) ::= LPAREN(T) RPAREN. { A = parse_group(parser, OPERAND_LIST, T, (PtxOperands){0}); }

simple(A) ::= WORD(N). { A = parse_name(parser, N); }
simple(A) ::= NUMBER(N). { A = parse_number(parser, N, false); }
simple(A) ::= MINUS NUMBER(N). { A = parse_number(parser, N, true); }
simple(A) ::= simple(S) PLUS NUMBER(N). { A = parse_offset(parser, S, N, false); }
simple(A) ::= simple(S) PLUS MINUS NUMBER(N). { A = parse_offset(parser, S, N, true); }
simple(A) ::= simple(S) MINUS NUMBER(N). { A = parse_offset(parser, S, N, true); }
