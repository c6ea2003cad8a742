// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects, from a .py file, the tokens that tilec reads, and the statements around them.
//
// Functions with a jit decorator are read wherever they are. At the module level, imports and assignments to
// names are read. Changes of their values are read too: `L[0] = 9`, `L.append(7)`, `global L` in a function.
// In a `try`, every simple statement is read, since it may fail.
//
// `if` and `try` of the module level are kept: they decide which definition holds. Functions, classes and
// other compound statements become `OUTSIDE:` and a block of what is read inside. Their names hide others.
//
// Errors are reported only within functions with a jit decorator.
#include "frontend/syntax/indent.h"

#include "frontend/syntax/grammar.h"

typedef enum Reading {
  READ_MODULE,
  READ_TRY,       // within a `try` of the module level
  READ_FUNCTIONS, // within a function or class
  READ_FIELDS,    // within a class of named tuples: `name: type` is read too
} Reading;

static bool is_jit_name(const LineLayout *layout, Str name) {
  for (uint32_t i = 0; i < layout->jits.n; i++)
    if (str_eq(layout->jits.at[i], name)) return true;
  return false;
}

// Triton, or the Python package, which has the same names.
static bool is_triton(Str name) { return str_is(name, "triton") || str_is(name, "tilec"); }

// `import triton as tr` and `from triton import jit as kernel` add names. `from numba import jit` removes
// one.
static void note_import(LineLayout *layout) {
  const Token *line = &layout->in[layout->at];
  Arena *arena = layout->parse->arena;
  bool from = line[0].kind == TOKEN_FROM, triton = is_triton(line[1].text);
  const Token *name = from ? line + 2 : line + 1;
  if (from && !triton && line[1].kind != TOKEN_NAME) return; // from . import jit: probably Triton's
  for (; name->kind != TOKEN_NEWLINE && name->kind != 0; name++) {
    bool aliased = name[0].kind == TOKEN_NAME && name[1].kind == TOKEN_AS && name[2].kind == TOKEN_NAME;
    Str local = aliased ? name[2].text : name[0].text;
    bool wanted = (from ? str_is(name->text, "jit") : is_triton(name->text)) && name[-1].kind != TOKEN_DOT;
    if (wanted && (triton || !from))
      vec_push(arena, &layout->jits, local);
    else if (wanted && from && line[2].kind == TOKEN_IMPORT)
      for (uint32_t i = 0; i < layout->jits.n; i++)
        if (str_eq(layout->jits.at[i], local)) layout->jits.at[i] = STR("");
    if (aliased) name += 2;
  }
}

// True if the decorator at `at`, after its @, marks a kernel: jit, kernel, triton.jit, with or without
// arguments.
static bool is_jit(const LineLayout *layout, uint32_t at) {
  const Token *token = &layout->in[at];
  if (token[0].kind != TOKEN_NAME) return false;
  bool call_or_end = token[1].kind == TOKEN_NEWLINE || token[1].kind == TOKEN_LPAREN;
  if (call_or_end) return is_jit_name(layout, token[0].text) && !is_triton(token[0].text);
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

static void select_block(LineLayout *layout, Reading reading);
// True for `(W := 7)` in any line.
static bool has_walrus(const LineLayout *layout) {
  for (const Token *token = &layout->in [layout->at]; token->kind && token->kind != TOKEN_NEWLINE; token++)
    if (token->kind == TOKEN_WALRUS) return true;
  return false;
}

static void select_line(LineLayout *layout, Reading reading);

static void skip_line(LineLayout *layout) {
  while (layout_kind(layout) != TOKEN_NEWLINE && layout_kind(layout) != 0) layout->at++;
  if (layout_kind(layout) == TOKEN_NEWLINE) layout->at++;
}

// Selects the rest of the header's line, or the block below it. The result is never an empty block.
static void select_suite(LineLayout *layout, Reading reading, Loc loc) {
  layout_emit(layout, TOKEN_COLON, loc);
  layout_emit(layout, TOKEN_NEWLINE, loc);
  layout_emit(layout, TOKEN_INDENT, loc);
  uint32_t first = layout->out->n;
  if (layout_kind(layout) == TOKEN_NEWLINE) {
    layout->at++;
    if (layout_kind(layout) == TOKEN_INDENT) {
      layout->at++;
      select_block(layout, reading);
      if (layout_kind(layout) == TOKEN_DEDENT) layout->at++;
    }
  } else
    select_line(layout, reading);
  if (layout->out->n == first) {
    layout_emit(layout, TOKEN_PASS, loc);
    layout_emit(layout, TOKEN_NEWLINE, loc);
  }
  layout_emit(layout, TOKEN_DEDENT, loc);
}

// Skips to after the header's colon. False if the line ends without one.
static bool skip_header(LineLayout *layout) {
  int depth = 0, lambdas = 0;
  for (; layout_kind(layout) != TOKEN_NEWLINE && layout_kind(layout) != 0; layout->at++) {
    int k = layout_kind(layout);
    depth += opens_bracket(k) - (closes_bracket(k) && depth > 0);
    if (depth == 0 && k == TOKEN_LAMBDA) lambdas++;
    if (depth == 0 && k == TOKEN_COLON && lambdas-- == 0) {
      layout->at++;
      return true;
    }
  }
  return false;
}

// The text of `class Name`, `def name` or `async def name`. For other statements, the first word.
static Token outside_token(const LineLayout *layout, bool definition) {
  Token token = layout->in[layout->at];
  uint32_t last = layout->at;
  while (definition && layout->in[last].kind != TOKEN_NEWLINE && layout->in[last + 1].kind == TOKEN_NAME &&
         last < layout->at + 2)
    last++;
  if (definition && token.kind != TOKEN_DEF && layout->in[last + 1].kind == TOKEN_DEF) last += 2; // async
  const Token *end = &layout->in[last];
  token.text.n = (size_t)(end->text.at + end->text.n - token.text.at);
  token.loc = last == layout->at ? token.loc : end->loc;
  token.kind = TOKEN_OUTSIDE;
  token.quiet = true;
  return token;
}

// `class Point(NamedTuple):`
static bool is_named_tuple(const LineLayout *layout) {
  const Token *token = &layout->in[layout->at];
  if (!begins_with(layout, "class")) return false;
  for (; token->kind && token->kind != TOKEN_NEWLINE && token->kind != TOKEN_COLON; token++)
    if (token->kind == TOKEN_NAME && str_is(token->text, "NamedTuple")) return true;
  return false;
}

// A compound statement that is not read itself. Within functions and classes it is removed if nothing inside
// is read.
static void select_outside(LineLayout *layout, Reading reading, bool definition) {
  uint32_t start = layout->out->n;
  Token token = outside_token(layout, definition);
  vec_push(layout->parse->arena, layout->out, token);
  uint32_t block = layout->out->n;
  Reading within = is_named_tuple(layout) ? READ_FIELDS : definition ? READ_FUNCTIONS : reading;
  if (skip_header(layout) || layout_kind(layout) == TOKEN_NEWLINE) select_suite(layout, within, token.loc);
  bool empty = layout->out->n == block || layout->out->at[block + 3].kind == TOKEN_PASS;
  if (empty && (reading == READ_FUNCTIONS || layout->out->n == block || !definition)) layout->out->n = start;
}

// Keeps the tokens of an unread function, from its decorators on. The module level may call it.
static void keep_left_out(LineLayout *layout, Reading reading, uint32_t start, Loc name) {
  bool file = reading == READ_MODULE || reading == READ_TRY;
  LeftOut left_out = {name, &layout->in[start], layout->at - start};
  if (file) vec_push(layout->parse->arena, &layout->parse->left_out, left_out);
}

static bool starts_definition(const LineLayout *layout) {
  const Token *token = &layout->in[layout->at];
  return token->kind == TOKEN_DEF || begins_with(layout, "class") ||
         (begins_with(layout, "async") && token[1].kind == TOKEN_DEF);
}

// Copies a definition, decorated or not, if one of its decorators is a jit.
static void select_decorated(LineLayout *layout, Reading reading) {
  uint32_t start = layout->at;
  bool jit = false;
  while (layout_kind(layout) == TOKEN_AT) {
    jit |= is_jit(layout, layout->at + 1) || is_constexpr(layout, layout->at + 1);
    skip_line(layout);
  }
  if (jit && layout_kind(layout) == TOKEN_DEF) {
    skip_statement(layout);
    uint32_t end = layout->at;
    layout->at = start;
    layout->quiet = false;
    copy_until(layout, end);
    layout->quiet = true;
  } else if (starts_definition(layout)) {
    bool function = layout_kind(layout) == TOKEN_DEF || begins_with(layout, "class");
    Loc name = outside_token(layout, true).loc;
    select_outside(layout, reading, true);
    if (function) keep_left_out(layout, reading, start, name);
  }
}

static bool is_assignment(const LineLayout *layout) {
  if (layout_kind(layout) != TOKEN_NAME) return false;
  int next = layout->in[layout->at + 1].kind;
  return next == TOKEN_EQUALS || next == TOKEN_COLON || next == TOKEN_AUGMENT || next == TOKEN_COMMA;
}

// `L[0] = 9`, `L[0] += 9`.
static bool is_element_assignment(const LineLayout *layout) {
  const Token *token = &layout->in[layout->at + 1];
  if (layout_kind(layout) != TOKEN_NAME || token->kind != TOKEN_LBRACKET) return false;
  for (int depth = 0; token->kind != TOKEN_NEWLINE && token->kind != 0; token++) {
    depth += opens_bracket(token->kind) - closes_bracket(token->kind);
    if (depth == 0 && !opens_bracket(token[1].kind)) break;
  }
  return token->kind == TOKEN_RBRACKET && (token[1].kind == TOKEN_EQUALS || token[1].kind == TOKEN_AUGMENT);
}

// `L.append(7)`, with any method. Later code knows which methods change their object.
static bool is_method_call(const LineLayout *layout) {
  const Token *token = &layout->in[layout->at];
  return token[0].kind == TOKEN_NAME && token[1].kind == TOKEN_DOT && token[2].kind == TOKEN_NAME &&
         token[3].kind == TOKEN_LPAREN;
}

// `f(...)`, `setattr(...)`.
static bool is_call(const LineLayout *layout) {
  return layout_kind(layout) == TOKEN_NAME && layout->in[layout->at + 1].kind == TOKEN_LPAREN;
}

// `a.b = c`.
static bool is_member_assignment(const LineLayout *layout) {
  const Token *token = &layout->in[layout->at];
  if (token[0].kind != TOKEN_NAME || token[1].kind != TOKEN_DOT) return false;
  while (token[1].kind == TOKEN_DOT && token[2].kind == TOKEN_NAME) token += 2;
  return token[1].kind == TOKEN_EQUALS;
}

static void select_line(LineLayout *layout, Reading reading) {
  int k = layout_kind(layout);
  bool import = k == TOKEN_IMPORT || k == TOKEN_FROM;
  bool field = reading == READ_FIELDS && k == TOKEN_NAME && layout->in[layout->at + 1].kind == TOKEN_COLON;
  bool file = reading == READ_MODULE || reading == READ_TRY;
  if (import && file) note_import(layout);
  bool changes = is_element_assignment(layout) || is_method_call(layout) || has_walrus(layout) ||
                 is_call(layout) || is_member_assignment(layout);
  if (k == TOKEN_GLOBAL || field ||
      (file && (import || is_assignment(layout) || changes || (reading == READ_TRY && k != TOKEN_PASS))))
    copy_simple(layout);
  else
    skip_line(layout);
}

// A clause with a condition is kept.
static void select_branch(LineLayout *layout, Reading reading) {
  Loc loc = layout->in[layout->at].loc;
  uint32_t start = layout->at;
  if (!skip_header(layout)) {
    layout->at = start;
    skip_line(layout);
    return;
  }
  uint32_t colon = layout->at - 1;
  layout->at = start;
  while (layout->at < colon) layout_copy(layout);
  layout->at++;
  select_suite(layout, reading, loc);
}

static void select_attempt(LineLayout *layout, Reading reading, int clause) {
  Loc loc = layout->in[layout->at].loc;
  copy_clause_header(layout, clause);
  if (layout_kind(layout) == TOKEN_COLON) layout->at++;
  select_suite(layout, clause == TOKEN_TRY ? READ_TRY : reading, loc);
}

static bool has_block(const LineLayout *layout) {
  LineLayout ahead = *layout;
  skip_line(&ahead);
  return layout_kind(&ahead) == TOKEN_INDENT;
}

// `for` and `while` of the module level, which run when a name that they assign is used. Names in their
// `else` belong to the loop.
static void select_loop(LineLayout *layout, Reading reading) {
  uint32_t start = layout->at, out = layout->out->n;
  Loc loc = layout->in[start].loc;
  select_outside(layout, reading, false);
  bool empty = layout->out->n == out;
  if (layout_kind(layout) == TOKEN_ELSE) {
    if (!empty) layout->out->n--; // its DEDENT
    uint32_t end = layout->out->n;
    if (skip_header(layout)) select_suite(layout, reading, loc);
    if (empty)
      layout->out->n = end;
    else {
      // Removes the suite's colon, line end and indentation, so that its lines follow those of the loop.
      uint32_t head = 3;
      for (uint32_t i = end; i + head < layout->out->n; i++) layout->out->at[i] = layout->out->at[i + head];
      layout->out->n -= head;
    }
  }
  keep_left_out(layout, reading, start, loc);
}

static void select_statement(LineLayout *layout, Reading reading) {
  int k = layout_kind(layout);
  bool file = reading == READ_MODULE || reading == READ_TRY;
  bool branch = k == TOKEN_IF || k == TOKEN_ELIF || k == TOKEN_ELSE;
  if (k == TOKEN_INDENT) {
    layout->at++;
    select_block(layout, reading);
    if (layout_kind(layout) == TOKEN_DEDENT) layout->at++;
  } else if (k == TOKEN_AT)
    select_decorated(layout, reading);
  else if (starts_definition(layout))
    select_decorated(layout, reading);
  else if (branch && file)
    select_branch(layout, reading);
  else if (begins_with(layout, "try") && file)
    select_attempt(layout, reading, TOKEN_TRY);
  else if (begins_with(layout, "except") && file)
    select_attempt(layout, reading, TOKEN_EXCEPT);
  else if (begins_with(layout, "finally") && file)
    select_attempt(layout, reading, TOKEN_FINALLY);
  else if ((k == TOKEN_FOR || k == TOKEN_WHILE) && file)
    select_loop(layout, reading);
  else if (has_block(layout))
    select_outside(layout, reading, false);
  else
    select_line(layout, reading);
}

// Selects to the end of the current block.
static void select_block(LineLayout *layout, Reading reading) {
  while (layout_kind(layout) != 0 && layout_kind(layout) != TOKEN_DEDENT) select_statement(layout, reading);
}

void select_python(LineLayout *layout) {
  static const char *const names[] = {"jit", "kernel", "triton", "tilec"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    vec_push(layout->parse->arena, &layout->jits, str_from(names[i]));
  layout->quiet = true;
  while (layout_kind(layout) != 0) {
    select_block(layout, READ_MODULE);
    if (layout_kind(layout) == TOKEN_DEDENT) layout->at++;
  }
}
