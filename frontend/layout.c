// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between lexer and grammar: picks the statements to parse and makes blocks regular.
//
// - Every block becomes COLON NEWLINE INDENT ... DEDENT, also `if x: y` on one line; `a; b` becomes two
// lines. Errors of
//   indentation are told here, and the grammar gets blocks that fit.
// - Statements outside the language (try, with, class ...) are told and left out with their blocks.
// - In .py files only imports, module-level assignments and functions with a jit decorator remain.
#include "frontend/parse.h"

#include "frontend/grammar.h"

typedef struct LineLayout {
  Parse *parse;
  const Lexed *lexed;
  const Token *in;
  uint32_t at, end; // in `in`
  TokenList *out;
  uint32_t error; // the next of lexed->errors
  bool quiet;
  bool dropped[AST_MAX_BLOCKS + 1]; // of each open INDENT: it was not passed on
  uint32_t n_blocks;
  VEC(Str) jits; // what `jit` is called here, and the names of the module triton
} LineLayout;

static int layout_kind(const LineLayout *layout) { return layout->in[layout->at].kind; }

static void layout_emit(LineLayout *layout, int token_kind, Loc loc) {
  Token token = {.loc = loc, .kind = (uint8_t)token_kind, .quiet = layout->quiet};
  vec_push(layout->parse->arena, layout->out, token);
}

// Tells the lexer's errors at the token at hand.
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

static void layout_copy(LineLayout *layout) {
  report_lexical(layout);
  Token token = layout->in[layout->at++];
  token.quiet = layout->quiet;
  vec_push(layout->parse->arena, layout->out, token);
}

static bool opens_bracket(int token_kind) {
  return token_kind == TOKEN_LPAREN || token_kind == TOKEN_LBRACKET || token_kind == TOKEN_LBRACE;
}

static bool closes_bracket(int token_kind) {
  return token_kind == TOKEN_RPAREN || token_kind == TOKEN_RBRACKET || token_kind == TOKEN_RBRACE;
}

static bool is_header(int token_kind) {
  return token_kind == TOKEN_IF || token_kind == TOKEN_ELIF || token_kind == TOKEN_ELSE ||
         token_kind == TOKEN_FOR || token_kind == TOKEN_WHILE || token_kind == TOKEN_DEF;
}

static void open_block(LineLayout *layout, bool drop) {
  if (layout->n_blocks <= AST_MAX_BLOCKS) layout->dropped[layout->n_blocks++] = drop;
  if (drop)
    layout->at++;
  else
    layout_copy(layout);
}

static void close_block(LineLayout *layout) {
  bool drop = layout->n_blocks > 0 && layout->dropped[--layout->n_blocks];
  report_lexical(layout);
  if (drop)
    layout->at++;
  else
    layout_copy(layout);
}

// Past the logical line at hand and the block that follows it.
static void skip_statement(LineLayout *layout) {
  while (layout->at < layout->end && layout_kind(layout) != TOKEN_NEWLINE) layout->at++;
  if (layout->at < layout->end) layout->at++;
  int depth = 0;
  while (layout->at < layout->end && (depth > 0 || layout_kind(layout) == TOKEN_INDENT)) {
    depth += (layout_kind(layout) == TOKEN_INDENT) - (layout_kind(layout) == TOKEN_DEDENT);
    layout->at++;
  }
}

static bool begins_with(const LineLayout *layout, const char *word) {
  return layout->at < layout->end && str_is(layout->in[layout->at].text, word);
}

// A statement outside the language: told, and left out with its block and its further clauses.
static void skip_unsupported(LineLayout *layout) {
  const Token *token = &layout->in[layout->at];
  bool is_try = begins_with(layout, "try");
  diag_error(layout->parse->diags, token->loc, "'%.*s' is not part of the tile language",
             STR_ARG(token->text));
  layout_emit(layout, TOKEN_INVALID, token->loc);
  layout_emit(layout, TOKEN_NEWLINE, token->loc);
  skip_statement(layout);
  while (is_try &&
         (begins_with(layout, "except") || begins_with(layout, "finally") || begins_with(layout, "else")))
    skip_statement(layout);
}

// A compound statement where only a simple one may stand.
static void refuse_compound(LineLayout *layout) {
  const Token *token = &layout->in[layout->at];
  if (!is_header(token->kind) && token->kind != TOKEN_UNSUPPORTED) return;
  parse_error(layout->parse, token->loc, "'%.*s' must begin a line", STR_ARG(token->text));
  layout_emit(layout, TOKEN_INVALID, token->loc);
  layout->at++;
}

// `raise` may stand where a specialisation does not get to; what it raises is left out.
static void copy_raise(LineLayout *layout) {
  Loc loc = layout->in[layout->at].loc;
  layout_copy(layout);
  layout_emit(layout, TOKEN_NEWLINE, loc);
  skip_statement(layout);
}

// The rest of a simple line; each `;` ends a statement.
static void copy_simple(LineLayout *layout) {
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

// A header up to its colon. False where the line ends without one.
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

static void copy_compound(LineLayout *layout) {
  Token first = layout->in[layout->at];
  bool colon = copy_header(layout);
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
    open_block(layout, false);
  else if (colon) {
    parse_error(layout->parse, first.loc, "expected an indented block after this '%.*s'",
                STR_ARG(first.text));
    layout_emit(layout, TOKEN_INDENT, first.loc);
    layout_emit(layout, TOKEN_DEDENT, first.loc);
  }
}

static void copy_statement(LineLayout *layout) {
  int k = layout_kind(layout);
  if (k == TOKEN_DEDENT)
    close_block(layout);
  else if (k == TOKEN_INDENT) {
    parse_error(layout->parse, layout->in[layout->at].loc, "unexpected indentation");
    open_block(layout, true);
  } else if (k == TOKEN_UNSUPPORTED)
    skip_unsupported(layout);
  else if (is_header(k))
    copy_compound(layout);
  else
    copy_simple(layout);
}

static void copy_until(LineLayout *layout, uint32_t end) {
  uint32_t outer_end = layout->end;
  layout->end = end;
  while (layout->at < end) copy_statement(layout);
  layout->end = outer_end;
}

// --- .py files ---

static bool is_jit_name(const LineLayout *layout, Str name) {
  for (uint32_t i = 0; i < layout->jits.n; i++)
    if (str_eq(layout->jits.at[i], name)) return true;
  return false;
}

// `import triton as tr` and `from triton import jit as kernel`
// give further names; `from numba import jit` takes one.
static void note_import(LineLayout *layout) {
  const Token *line = &layout->in[layout->at];
  Arena *arena = layout->parse->arena;
  bool from = line[0].kind == TOKEN_FROM, triton = str_is(line[1].text, "triton");
  const Token *name = from ? line + 2 : line + 1;
  if (from && !triton && line[1].kind != TOKEN_NAME) return; // from . import jit: ours, for all we know
  for (; name->kind != TOKEN_NEWLINE && name->kind != 0; name++) {
    bool aliased = name[0].kind == TOKEN_NAME && name[1].kind == TOKEN_AS && name[2].kind == TOKEN_NAME;
    Str local = aliased ? name[2].text : name[0].text;
    bool wanted = str_is(name->text, from ? "jit" : "triton") && name[-1].kind != TOKEN_DOT;
    if (wanted && (triton || !from))
      vec_push(arena, &layout->jits, local);
    else if (wanted && from && line[2].kind == TOKEN_IMPORT)
      for (uint32_t i = 0; i < layout->jits.n; i++)
        if (str_eq(layout->jits.at[i], local)) layout->jits.at[i] = STR("");
    if (aliased) name += 2;
  }
}

// Whether the decorator at `at`, behind its @, marks a kernel:
// jit, kernel, triton.jit, with or without arguments.
static bool is_jit(const LineLayout *layout, uint32_t at) {
  const Token *token = &layout->in[at];
  if (token[0].kind != TOKEN_NAME) return false;
  bool call_or_end = token[1].kind == TOKEN_NEWLINE || token[1].kind == TOKEN_LPAREN;
  if (call_or_end) return is_jit_name(layout, token[0].text) && !str_is(token[0].text, "triton");
  return token[1].kind == TOKEN_DOT && is_jit_name(layout, token[0].text) && str_is(token[2].text, "jit") &&
         (token[3].kind == TOKEN_NEWLINE || token[3].kind == TOKEN_LPAREN);
}

// constexpr_function and tl.constexpr mark functions that compute at compile time.
static bool is_constexpr(const LineLayout *layout, uint32_t at) {
  const Token *token = &layout->in[at];
  while (token[0].kind == TOKEN_NAME && token[1].kind == TOKEN_DOT) token += 2;
  return (str_is(token->text, "constexpr_function") || str_is(token->text, "constexpr")) &&
         token[1].kind == TOKEN_NEWLINE;
}

// A decorated definition is copied if one of its decorators is a jit, and else passed over line by line:
// there may be kernels within.
static void select_decorated(LineLayout *layout) {
  uint32_t start = layout->at;
  bool jit = false;
  while (layout_kind(layout) == TOKEN_AT) {
    jit |= is_jit(layout, layout->at + 1) || is_constexpr(layout, layout->at + 1);
    while (layout_kind(layout) != TOKEN_NEWLINE && layout_kind(layout) != 0) layout->at++;
    if (layout_kind(layout) == TOKEN_NEWLINE) layout->at++;
  }
  if (!jit || layout_kind(layout) != TOKEN_DEF) return;
  skip_statement(layout);
  uint32_t end = layout->at;
  layout->at = start;
  copy_until(layout, end);
}

static void select_line(LineLayout *layout, uint32_t nesting, uint32_t functions) {
  int k = layout_kind(layout), next = k ? layout->in[layout->at + 1].kind : 0;
  layout->quiet = true;
  if (functions == 0 && (k == TOKEN_IMPORT || k == TOKEN_FROM)) {
    note_import(layout);
    copy_simple(layout);
  } else if (nesting == 0 && k == TOKEN_NAME && (next == TOKEN_EQUALS || next == TOKEN_COLON))
    copy_simple(layout);
  else {
    while (layout_kind(layout) != TOKEN_NEWLINE && layout_kind(layout) != 0) layout->at++;
    if (layout_kind(layout) == TOKEN_NEWLINE) layout->at++;
  }
  layout->quiet = false;
}

// Walks all lines, also within blocks; imports count outside of functions and classes only.
static void select_kernels(LineLayout *layout) {
  uint32_t nesting = 0, functions = 0, function_at[AST_MAX_BLOCKS + 1];
  bool header = false; // the last line was of a def or class
  while (layout_kind(layout) != 0) {
    int k = layout_kind(layout);
    if (k == TOKEN_INDENT) {
      if (header) function_at[functions++] = nesting;
      nesting++;
      layout->at++;
    } else if (k == TOKEN_DEDENT) {
      nesting--;
      if (functions && function_at[functions - 1] == nesting) functions--;
      layout->at++;
    } else if (k == TOKEN_AT)
      select_decorated(layout);
    else {
      header = k == TOKEN_DEF || begins_with(layout, "class") || begins_with(layout, "async");
      select_line(layout, nesting, functions);
    }
  }
}

void layout_tokens(Parse *parse, const Lexed *lexed, SyntaxMode mode, TokenList *out) {
  LineLayout layout = {.parse = parse, .lexed = lexed, .in = lexed->tokens.at, .out = out};
  layout.end = lexed->tokens.n - 1;
  out->cap = lexed->tokens.n + 8; // a little more only where blocks are on their header's line
  out->at = ARENA_ARRAY(parse->arena, Token, out->cap);
  if (mode == SYNTAX_PY) {
    static const char *const names[] = {"jit", "kernel", "triton"};
    for (int i = 0; i < 3; i++) vec_push(parse->arena, &layout.jits, str_from(names[i]));
    select_kernels(&layout);
    layout.quiet = true;
  } else
    copy_until(&layout, layout.end);
  layout_copy(&layout); // the end
}
