// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX's lexer. Words include their dots (add.rn.f32, %tid.x). .section and @@DWARF are skipped. .loc and
// .file are one token per line.
#include "sim/ptx/ptx_tree.h"
#include "sim/ptx/ptx_parse.h"

// Returns the end of a .section: after the matching brace, or the end of the line if it has none. NULL: it
// does not end.
static const char *skip_section(PtxLexer *lexer, const char *at) {
  while (at < lexer->end && *at != '{' && *at != '\n') at++;
  const char *ahead = at;
  while (ahead < lexer->end && (*ahead == '\n' || *ahead == ' ' || *ahead == '\t' || *ahead == '\r')) ahead++;
  if (ahead >= lexer->end || *ahead != '{') return at;
  for (at = ahead; at < lexer->end && *at != '}'; at++)
    if (*at == '\n') lexer->line++, lexer->line_start = at + 1;
  return at < lexer->end ? at + 1 : NULL;
}

// Returns the end of a block comment. NULL: it does not end.
static const char *skip_comment(PtxLexer *lexer, const char *at) {
  for (; at < lexer->end; at++) {
    if (*at == '\n') lexer->line++, lexer->line_start = at + 1;
    if (at[0] == '*' && at[1] == '/') return at + 2;
  }
  return NULL;
}

static int token_end(PtxLexer *lexer, PtxToken *token, const char *from, const char *to, int kind) {
  token->text = (Str){from, (size_t)(to - from)};
  lexer->at = to;
  return kind;
}

int ptx_lex(PtxLexer *lexer, PtxToken *token) {
  const char *YYCURSOR = lexer->at, *YYMARKER, *from;
  for (;;) {
    from = YYCURSOR;
    token->pos = (PtxPos){lexer->line, (uint32_t)(from - lexer->line_start) + 1};
    %{
      re2c:define:YYCTYPE = "unsigned char";
      re2c:yyfill:enable = 0;

      start  = [a-zA-Z_$%];
      follow = [a-zA-Z0-9_$];
      name   = start follow*;
      part   = "." (follow | "::")+;
      line   = [^\n\x00]*;

      "\x00"              { if (from < lexer->end) return -1; return token_end(lexer, token, from, from, 0); }
      "\n"                { lexer->line++; lexer->line_start = YYCURSOR; continue; }
      [ \t\r\f\v]+        { continue; }
      "//" line           { continue; }
      "/*"                { YYCURSOR = skip_comment(lexer, YYCURSOR); if (!YYCURSOR) return -1; continue; }
      "@@" line           { continue; }
      ".section"          { YYCURSOR = skip_section(lexer, YYCURSOR); if (!YYCURSOR) return -1; continue; }
      ".loc" [ \t] line   { return token_end(lexer, token, from, YYCURSOR, PTX_LOC); }
      ".file" [ \t] line  { return token_end(lexer, token, from, YYCURSOR, PTX_FILE); }
      ".version"          { return token_end(lexer, token, from, YYCURSOR, PTX_VERSION); }
      ".target"           { return token_end(lexer, token, from, YYCURSOR, PTX_TARGET); }
      ".address_size"     { return token_end(lexer, token, from, YYCURSOR, PTX_ADDRESS_SIZE); }
      ".visible" | ".weak" | ".common" { return token_end(lexer, token, from, YYCURSOR, PTX_LINKAGE); }
      ".extern"           { return token_end(lexer, token, from, YYCURSOR, PTX_EXTERN); }
      ".entry"            { return token_end(lexer, token, from, YYCURSOR, PTX_ENTRY); }
      ".func"             { return token_end(lexer, token, from, YYCURSOR, PTX_FUNC); }
      ".maxntid" | ".reqntid" | ".minnctapersm" | ".maxnreg" | ".reqnctapercluster" | ".maxclusterrank" | ".maxnctapersm"
                          { return token_end(lexer, token, from, YYCURSOR, PTX_TUNING); }
      ".explicitcluster" | ".noreturn" | ".blocksareclusters"
                          { return token_end(lexer, token, from, YYCURSOR, PTX_FLAG); }
      ".reg"              { return token_end(lexer, token, from, YYCURSOR, PTX_REG_SPACE); }
      ".global"           { return token_end(lexer, token, from, YYCURSOR, PTX_GLOBAL_SPACE); }
      ".shared"           { return token_end(lexer, token, from, YYCURSOR, PTX_SHARED_SPACE); }
      ".local"            { return token_end(lexer, token, from, YYCURSOR, PTX_LOCAL_SPACE); }
      ".const"            { return token_end(lexer, token, from, YYCURSOR, PTX_CONST_SPACE); }
      ".param"            { return token_end(lexer, token, from, YYCURSOR, PTX_PARAM_SPACE); }
      ".align"            { return token_end(lexer, token, from, YYCURSOR, PTX_ALIGN); }
      ".pragma"           { return token_end(lexer, token, from, YYCURSOR, PTX_PRAGMA); }
      ".branchtargets"    { return token_end(lexer, token, from, YYCURSOR, PTX_TARGETS); }
      part                { return token_end(lexer, token, from, YYCURSOR, PTX_DOTWORD); }
      name part*          { return token_end(lexer, token, from, YYCURSOR, PTX_WORD); }
      "0" [fF] [0-9a-fA-F]{8}          { return token_end(lexer, token, from, YYCURSOR, PTX_NUMBER); }
      "0" [dD] [0-9a-fA-F]{16}         { return token_end(lexer, token, from, YYCURSOR, PTX_NUMBER); }
      "0" [xX] [0-9a-fA-F]+ "U"?       { return token_end(lexer, token, from, YYCURSOR, PTX_NUMBER); }
      "0" [bB] [01]+ "U"?              { return token_end(lexer, token, from, YYCURSOR, PTX_NUMBER); }
      [0-9]+ "U"?                      { return token_end(lexer, token, from, YYCURSOR, PTX_NUMBER); }
      [0-9]+ "." [0-9]* ([eE] [-+]? [0-9]+)? { return token_end(lexer, token, from, YYCURSOR, PTX_NUMBER); }
      [0-9]+ [eE] [-+]? [0-9]+         { return token_end(lexer, token, from, YYCURSOR, PTX_NUMBER); }
      ["] [^"\n\x00]* ["] { return token_end(lexer, token, from, YYCURSOR, PTX_STRING); }
      "{"                 { return token_end(lexer, token, from, YYCURSOR, PTX_LBRACE); }
      "}"                 { return token_end(lexer, token, from, YYCURSOR, PTX_RBRACE); }
      "["                 { return token_end(lexer, token, from, YYCURSOR, PTX_LBRACKET); }
      "]"                 { return token_end(lexer, token, from, YYCURSOR, PTX_RBRACKET); }
      "("                 { return token_end(lexer, token, from, YYCURSOR, PTX_LPAREN); }
      ")"                 { return token_end(lexer, token, from, YYCURSOR, PTX_RPAREN); }
      "<"                 { return token_end(lexer, token, from, YYCURSOR, PTX_LESS); }
      ">"                 { return token_end(lexer, token, from, YYCURSOR, PTX_GREATER); }
      ","                 { return token_end(lexer, token, from, YYCURSOR, PTX_COMMA); }
      ";"                 { return token_end(lexer, token, from, YYCURSOR, PTX_SEMI); }
      ":"                 { return token_end(lexer, token, from, YYCURSOR, PTX_COLON); }
      "="                 { return token_end(lexer, token, from, YYCURSOR, PTX_EQUALS); }
      "+"                 { return token_end(lexer, token, from, YYCURSOR, PTX_PLUS); }
      "-"                 { return token_end(lexer, token, from, YYCURSOR, PTX_MINUS); }
      "|"                 { return token_end(lexer, token, from, YYCURSOR, PTX_PIPE); }
      "!"                 { return token_end(lexer, token, from, YYCURSOR, PTX_BANG); }
      "@"                 { return token_end(lexer, token, from, YYCURSOR, PTX_AT); }
      *                   { return -1; }
    %}
  }
}
