// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between lexer and grammar: selects the statements to parse and makes blocks regular.
//
// Every block becomes COLON NEWLINE INDENT ... DEDENT, also `if x: y` on one line. `a; b` becomes two lines.
// Indentation errors are reported here, and the grammar gets well-formed blocks.
//
// Unsupported statements (with, class, in functions try ...) are reported and removed with their blocks. For
// .py files, select.c selects the tokens.
#include "frontend/syntax/indent.h"

#include "frontend/syntax/grammar.h"

int layout_kind(const LineLayout *layout) { return layout->in[layout->at].kind; }

void layout_emit(LineLayout *layout, int token_kind, Loc loc) {
  Token token = {.loc = loc, .kind = (uint8_t)token_kind, .quiet = layout->quiet};
  vec_push(layout->parse->arena, layout->out, token);
}

// Reports the lexer's errors at the current token.
static void report_lexical(LineLayout *layout) {
  const Lexed *lexed = layout->lexed;
  while (layout->error < lexed->errors.n && lexed->errors.at[layout->error].token < layout->at)
    layout->error++;
  for (; layout->error < lexed->errors.n && lexed->errors.at[layout->error].token == layout->at;
       layout->error++)
    if (!layout->quiet)
      diag_error(layout->parse->diags, lexed->errors.at[layout->error].loc, "%s",
                 lexed->errors.at[layout->error].message);
}

void layout_copy(LineLayout *layout) {
  report_lexical(layout);
  Token token = layout->in[layout->at++];
  token.quiet = layout->quiet;
  vec_push(layout->parse->arena, layout->out, token);
}

bool opens_bracket(int token_kind) {
  return token_kind == TOKEN_LPAREN || token_kind == TOKEN_LBRACKET || token_kind == TOKEN_LBRACE;
}

bool closes_bracket(int token_kind) {
  return token_kind == TOKEN_RPAREN || token_kind == TOKEN_RBRACKET || token_kind == TOKEN_RBRACE;
}

static bool is_header(int token_kind) {
  return token_kind == TOKEN_IF || token_kind == TOKEN_ELIF || token_kind == TOKEN_ELSE ||
         token_kind == TOKEN_FOR || token_kind == TOKEN_WHILE || token_kind == TOKEN_DEF;
}

static void open_block(LineLayout *layout, bool drop, bool function) {
  if (layout->n_blocks <= AST_MAX_BLOCKS) {
    layout->functions += function;
    layout->dropped[layout->n_blocks] = drop;
    layout->function[layout->n_blocks++] = function;
  }
  if (drop)
    layout->at++;
  else
    layout_copy(layout);
}

static void close_block(LineLayout *layout) {
  bool drop = false;
  if (layout->n_blocks > 0) {
    drop = layout->dropped[--layout->n_blocks];
    layout->functions -= layout->function[layout->n_blocks];
  }
  report_lexical(layout);
  if (drop)
    layout->at++;
  else
    layout_copy(layout);
}

// Skips the current logical line and the block after it.
void skip_statement(LineLayout *layout) {
  while (layout->at < layout->end && layout_kind(layout) != TOKEN_NEWLINE) layout->at++;
  if (layout->at < layout->end) layout->at++;
  int depth = 0;
  while (layout->at < layout->end && (depth > 0 || layout_kind(layout) == TOKEN_INDENT)) {
    depth += (layout_kind(layout) == TOKEN_INDENT) - (layout_kind(layout) == TOKEN_DEDENT);
    layout->at++;
  }
}

bool begins_with(const LineLayout *layout, const char *word) {
  return layout->at < layout->end && str_is(layout->in[layout->at].text, word);
}

const char *unsupported_advice(Str word) {
  static const struct {
    const char *word, *advice;
  } rows[] = {{"try", ": a kernel cannot raise; use a mask or an 'if' to avoid invalid accesses"},
              {"del", ": leave it out; unused values take no registers"},
              {"class", ": use a tuple, or a NamedTuple of the file"},
              {"yield", ": return the values in a tuple"},
              {"match", ": write 'if', 'elif' and 'else'"},
              {"async", ": a kernel cannot wait for Python; leave it out"},
              {"await", ": a kernel cannot wait for Python; leave it out"},
              {"except", ": a kernel cannot raise; leave it out with its 'try'"},
              {"finally", ": a kernel cannot raise; leave it out with its 'try'"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (str_is(word, rows[i].word)) return rows[i].advice;
  return "";
}

// Reports an unsupported statement. Removes it with its block and its further clauses.
static void skip_unsupported(LineLayout *layout) {
  const Token *token = &layout->in[layout->at];
  bool is_try = begins_with(layout, "try");
  if (!layout->quiet)
    diag_error(layout->parse->diags, token->loc, "[T0104] '%.*s' is not part of the tile language%s",
               STR_ARG(token->text), unsupported_advice(token->text));
  layout_emit(layout, TOKEN_INVALID, token->loc);
  layout_emit(layout, TOKEN_NEWLINE, token->loc);
  skip_statement(layout);
  while (is_try &&
         (begins_with(layout, "except") || begins_with(layout, "finally") || begins_with(layout, "else")))
    skip_statement(layout);
}

// Reports a compound statement where only a simple one is allowed.
static void refuse_compound(LineLayout *layout) {
  const Token *token = &layout->in[layout->at];
  if (!is_header(token->kind) && token->kind != TOKEN_UNSUPPORTED) return;
  parse_error(layout->parse, token->loc, "[T0107] '%.*s' must begin a line", STR_ARG(token->text));
  layout_emit(layout, TOKEN_INVALID, token->loc);
  layout->at++;
}

// `raise` is allowed on paths that a specialisation does not reach. The raised value is removed.
static void copy_raise(LineLayout *layout) {
  Loc loc = layout->in[layout->at].loc;
  layout_copy(layout);
  layout_emit(layout, TOKEN_NEWLINE, loc);
  skip_statement(layout);
}

// Copies the rest of a simple line. Each `;` ends a statement.
void copy_simple(LineLayout *layout) {
  int depth = 0;
  while (layout->at < layout->end && layout_kind(layout) != TOKEN_NEWLINE) {
    if (layout_kind(layout) == TOKEN_RAISE && depth == 0) {
      copy_raise(layout);
      return;
    }
    depth += opens_bracket(layout_kind(layout)) - (closes_bracket(layout_kind(layout)) && depth > 0);
    if (layout_kind(layout) != TOKEN_SEMICOLON || depth > 0) {
      layout_copy(layout);
      continue;
    }
    Loc loc = layout->in[layout->at++].loc;
    if (layout_kind(layout) == TOKEN_NEWLINE) break;
    layout_emit(layout, TOKEN_NEWLINE, loc);
    refuse_compound(layout);
  }
  if (layout->at < layout->end) layout_copy(layout);
}

// Copies a header up to its colon. False if the line ends without one.
static bool copy_header(LineLayout *layout) {
  int depth = 0, lambdas = 0;
  while (layout->at < layout->end && layout_kind(layout) != TOKEN_NEWLINE) {
    int k = layout_kind(layout);
    depth += opens_bracket(k) - (closes_bracket(k) && depth > 0);
    if (depth == 0 && k == TOKEN_LAMBDA) lambdas++;
    layout_copy(layout);
    if (depth == 0 && k == TOKEN_COLON && lambdas-- == 0) return true;
  }
  return false;
}

// Copies the rest of a compound statement whose header was copied, with or without its colon.
static void copy_block(LineLayout *layout, Token first, bool colon) {
  if (layout->at >= layout->end) return;
  if (colon && layout_kind(layout) != TOKEN_NEWLINE) { // the block is on the same line
    layout_emit(layout, TOKEN_NEWLINE, first.loc);
    layout_emit(layout, TOKEN_INDENT, first.loc);
    refuse_compound(layout);
    copy_simple(layout);
    layout_emit(layout, TOKEN_DEDENT, first.loc);
    return;
  }
  layout_copy(layout);
  if (layout->at < layout->end && layout_kind(layout) == TOKEN_INDENT)
    open_block(layout, false, first.kind == TOKEN_DEF);
  else if (colon) {
    parse_error(layout->parse, first.loc, "[T0101] expected an indented block after this '%.*s'",
                STR_ARG(first.text));
    layout_emit(layout, TOKEN_INDENT, first.loc);
    layout_emit(layout, TOKEN_DEDENT, first.loc);
  }
}

static void copy_compound(LineLayout *layout) {
  Token first = layout->in[layout->at];
  bool colon = copy_header(layout);
  copy_block(layout, first, colon);
}

// `try`, `except` and `finally`, which the lexer does not know. TOKEN_UNSUPPORTED for other words.
static int clause_of_try(const LineLayout *layout) {
  if (begins_with(layout, "try")) return TOKEN_TRY;
  if (begins_with(layout, "except")) return TOKEN_EXCEPT;
  return begins_with(layout, "finally") ? TOKEN_FINALLY : TOKEN_UNSUPPORTED;
}

// The exception type of an `except` is removed.
void copy_clause_header(LineLayout *layout, int token_kind) {
  Token first = layout->in[layout->at++];
  first.kind = (uint8_t)token_kind;
  first.quiet = layout->quiet;
  vec_push(layout->parse->arena, layout->out, first);
  if (token_kind == TOKEN_EXCEPT)
    for (int depth = 0; layout->at < layout->end && layout_kind(layout) != TOKEN_NEWLINE; layout->at++) {
      depth += opens_bracket(layout_kind(layout)) - closes_bracket(layout_kind(layout));
      if (depth == 0 && layout_kind(layout) == TOKEN_COLON) break;
    }
}

// Copies a `with` in a function, which the lexer does not know either. At the module level it is reported.
static bool copy_with(LineLayout *layout) {
  Token first = layout->in[layout->at];
  if (!layout->functions || !begins_with(layout, "with")) return false;
  uint32_t at = layout->out->n;
  bool colon = copy_header(layout);
  layout->out->at[at].kind = first.kind = TOKEN_WITH;
  copy_block(layout, first, colon);
  return true;
}

static void copy_unsupported(LineLayout *layout) {
  if (copy_with(layout)) return;
  Token first = layout->in[layout->at];
  int clause = layout->functions && !layout->plain ? TOKEN_UNSUPPORTED : clause_of_try(layout);
  if (clause == TOKEN_UNSUPPORTED) {
    skip_unsupported(layout);
    return;
  }
  copy_clause_header(layout, clause);
  bool colon = layout->at < layout->end && layout_kind(layout) == TOKEN_COLON;
  if (colon) layout_copy(layout);
  copy_block(layout, first, colon);
}

// True for `match x:` with a block of `case`. Elsewhere `match` is a name.
static bool begins_match(const LineLayout *layout) {
  if (!begins_with(layout, "match")) return false;
  uint32_t at = layout->at;
  while (at < layout->end && layout->in[at].kind != TOKEN_NEWLINE) at++;
  return at > layout->at + 1 && at + 2 < layout->end && layout->in[at - 1].kind == TOKEN_COLON &&
         layout->in[at + 1].kind == TOKEN_INDENT && str_is(layout->in[at + 2].text, "case");
}

static void copy_statement(LineLayout *layout) {
  int k = layout_kind(layout);
  if (begins_match(layout))
    skip_unsupported(layout);
  else if (k == TOKEN_DEDENT)
    close_block(layout);
  else if (k == TOKEN_INDENT) {
    parse_error(layout->parse, layout->in[layout->at].loc, "[T0101] unexpected indentation");
    open_block(layout, true, false);
  } else if (k == TOKEN_UNSUPPORTED)
    copy_unsupported(layout);
  else if (is_header(k))
    copy_compound(layout);
  else
    copy_simple(layout);
}

void copy_until(LineLayout *layout, uint32_t end) {
  uint32_t outer_end = layout->end;
  layout->end = end;
  while (layout->at < end) copy_statement(layout);
  layout->end = outer_end;
}

void layout_left_out(Parse *parse, const Token *tokens, uint32_t n, TokenList *out) {
  Token *in = ARENA_ARRAY(parse->arena, Token, n + 1);
  memcpy(in, tokens, n * sizeof *in);
  for (uint32_t i = 0; i < n; i++)
    if (in[i].kind == TOKEN_WALRUS) in[i].kind = TOKEN_BINDS;
  in[n] = (Token){.loc = tokens[n - 1].loc};
  Lexed lexed = {.errors = {0}};
  LineLayout layout = {
      .parse = parse, .lexed = &lexed, .in = in, .end = n, .out = out, .quiet = true, .plain = true};
  copy_until(&layout, n);
  layout_copy(&layout);
}

void layout_tokens(Parse *parse, const Lexed *lexed, SyntaxMode mode, TokenList *out) {
  LineLayout layout = {.parse = parse, .lexed = lexed, .in = lexed->tokens.at, .out = out};
  layout.end = lexed->tokens.n - 1;
  out->cap = lexed->tokens.n + 8; // only slightly more if blocks are on their header's line
  parse->python = mode == SYNTAX_PY;
  out->at = ARENA_ARRAY(parse->arena, Token, out->cap);
  if (mode == SYNTAX_PY) {
    select_python(&layout);
    layout.quiet = true;
  } else
    copy_until(&layout, layout.end);
  layout_copy(&layout); // the end token
}
