// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs lexer, indent.c and grammar, and sorts a file's statements into the module.
#include "frontend/syntax/syntax.h"

#include <stdlib.h>

#include "base/fault.h"
#include "frontend/syntax/grammar.h"
#include "frontend/syntax/parser.h"

// Locs and token counts are 32 bits wide.
enum { MAX_FILE = 1 << 28 };

SyntaxMode syntax_mode_of(const char *file_name) {
  size_t n = strlen(file_name);
  return n >= 3 && strcmp(file_name + n - 3, ".py") == 0 ? SYNTAX_PY : SYNTAX_TILE;
}

// The file's text. Returns false with an error if there is none to parse.
static bool source_text(Diags *diags, Sources *sources, uint16_t file, Str *text) {
  if (file >= sources->files.n) BUG("file %u of %u", file, sources->files.n);
  *text = sources->files.at[file].text;
  Loc start = {.line = 1, .col = 1, .file = file};
  if (!text->at)
    diag_error(diags, start, "[T0108] this file has no text");
  else if (text->n > MAX_FILE)
    diag_error(diags, start, "[T0108] this file is larger than %d MiB", MAX_FILE >> 20);
  else if (text->n >= 2 && (memcmp(text->at, "\xff\xfe", 2) == 0 || memcmp(text->at, "\xfe\xff", 2) == 0))
    diag_error(diags, start, "[T0108] this file is UTF-16: save it as UTF-8");
  else if (text->n && memchr(text->at, '\r', text->n) && !memchr(text->at, '\n', text->n))
    diag_error(diags, start,
               "[T0108] the lines of this file end in carriage returns: save it with line feeds");
  else
    return true;
  return false;
}

// Sorts the messages of all phases into the order of the file. Those at equal places keep their order.
static void sort_diags(Diags *diags, uint32_t first) {
  for (uint32_t i = first + 1; i < diags->list.n; i++) {
    Diag *diag = diags->list.at[i];
    uint32_t j = i;
    for (; j > first; j--) {
      Loc before = diags->list.at[j - 1]->loc;
      if (before.line < diag->loc.line || (before.line == diag->loc.line && before.col <= diag->loc.col))
        break;
      diags->list.at[j] = diags->list.at[j - 1];
    }
    diags->list.at[j] = diag;
  }
  for (uint32_t i = first; i < diags->list.n; i++) diags->list.at[i]->place = i;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_members(const void *a, const void *b) {
  const Member *x = a, *y = b;
  int order = strcmp(x->object, y->object);
  return order ? order : strcmp(x->name, y->name);
}

static void sort_mentioned(Module *module) {
  uint32_t n = 0, m = 0;
  if (module->mentioned.n)
    qsort(module->mentioned.at, module->mentioned.n, sizeof *module->mentioned.at, compare_names);
  for (uint32_t i = 0; i < module->mentioned.n; i++)
    if (n == 0 || module->mentioned.at[i] != module->mentioned.at[n - 1])
      module->mentioned.at[n++] = module->mentioned.at[i];
  module->mentioned.n = n;
  if (module->members.n)
    qsort(module->members.at, module->members.n, sizeof *module->members.at, compare_members);
  for (uint32_t i = 0; i < module->members.n; i++)
    if (m == 0 || compare_members(&module->members.at[i], &module->members.at[m - 1]) != 0)
      module->members.at[m++] = module->members.at[i];
  module->members.n = m;
}

static void note_mentioned(Parse *parse, const TokenList *tokens, Module *module) {
  bool first = true, import = false;
  for (uint32_t i = 0; i < tokens->n; i++) {
    const Token *token = &tokens->at[i];
    if (first) import = token->kind == TOKEN_IMPORT || token->kind == TOKEN_FROM;
    first = token->kind == TOKEN_NEWLINE || token->kind == TOKEN_INDENT || token->kind == TOKEN_DEDENT;
    if (token->kind != TOKEN_NAME || import) continue;
    const char *name = intern(parse->names, token->text);
    vec_push(parse->arena, &module->mentioned, name);
    if (i >= 2 && token[-1].kind == TOKEN_DOT && token[-2].kind == TOKEN_NAME)
      vec_push(parse->arena, &module->members, ((Member){intern(parse->names, token[-2].text), name}));
  }
  sort_mentioned(module);
}

static Function *function_around(const Module *module, Loc loc) {
  for (uint32_t i = 0; i < module->functions.n; i++) {
    Function *function = module->functions.at[i];
    const ExprList *decorators = &function->decorators;
    uint32_t first = decorators->n ? decorators->at[0]->loc.line : function->loc.line;
    if (loc.line >= first && loc.line <= function->last_line) return function;
  }
  return NULL;
}

// Moves errors within functions out of the list. `before` has the counts from the start of the parse.
static void keep_back(Arena *arena, Diags *diags, const Diags *before, const Module *module) {
  uint32_t n = diags->list.n - before->list.n;
  Diag **said = ARENA_ARRAY(arena, Diag *, n);
  if (n) memcpy(said, diags->list.at + before->list.n, n * sizeof *said);
  diags->list.n = before->list.n;
  diags->errors = before->errors;
  diags->warnings = before->warnings;
  diags->raised = before->raised;
  diags->error_limit = before->error_limit;
  for (uint32_t i = 0; i < n; i++) {
    Function *function = said[i]->severity == DIAG_ERROR ? function_around(module, said[i]->loc) : NULL;
    if (function)
      vec_push(arena, &function->errors, said[i]);
    else
      diag_tell(diags, said[i]);
  }
}

bool syntax_tell_errors(Diags *diags, const Function *function) {
  for (uint32_t i = 0; i < function->errors.n; i++) diag_tell(diags, function->errors.at[i]);
  return function->errors.n > 0;
}

Module *syntax_parse(Arena *arena, Interner *names, Diags *diags, Sources *sources, uint16_t file,
                     SyntaxMode mode) {
  Module *module = ARENA_NEW(arena, Module);
  module->file = file;
  module->python = mode == SYNTAX_PY;
  Str text;
  if (!source_text(diags, sources, file, &text)) return module;
  Diags before = *diags;
  if (module->python) diags->error_limit = UINT32_MAX;
  Parse parse = {.arena = arena, .names = names, .diags = diags, .file = file};
  Lexed lexed = {0};
  TokenList tokens = {0};
  lex_file(arena, text, file, &lexed);
  layout_tokens(&parse, &lexed, mode, &tokens);
  grammar_parse(&parse, &tokens, TOKEN_START_MODULE);
  collect_definitions(&parse, module);
  note_mentioned(&parse, &tokens, module);
  sort_diags(diags, before.list.n);
  if (module->python) keep_back(arena, diags, &before, module);
  return module;
}

Block syntax_left_out(Arena *arena, Interner *names, Diags *diags, uint16_t file, const Stmt *outside) {
  Parse parse = {.arena = arena, .names = names, .diags = diags, .file = file, .python = true, .quiet = true};
  TokenList tokens = {0};
  layout_left_out(&parse, outside->outside.tokens, outside->outside.token_count, &tokens);
  grammar_parse(&parse, &tokens, TOKEN_START_MODULE);
  return parse.statements;
}

Function *syntax_plain_function(Arena *arena, Interner *names, Diags *diags, uint16_t file,
                                const Stmt *outside) {
  Block block = syntax_left_out(arena, names, diags, file, outside);
  return block.n == 1 && block.at[0]->kind == STMT_DEF ? block.at[0]->function : NULL;
}

Block syntax_class_body(Arena *arena, Interner *names, Diags *diags, uint16_t file, const Stmt *outside,
                        bool *is_enum) {
  Parse parse = {.arena = arena, .names = names, .diags = diags, .file = file, .python = true, .quiet = true};
  TokenList tokens = {0};
  const Token *in = outside->outside.tokens;
  uint32_t n = outside->outside.token_count, first = 0;
  bool mixed = false;
  *is_enum = false;
  for (; first < n && in[first].kind != TOKEN_INDENT; first++) {
    *is_enum = *is_enum || str_is(in[first].text, "Enum") || str_is(in[first].text, "Flag");
    mixed = mixed || str_is(in[first].text, "int") || str_is(in[first].text, "str");
  }
  *is_enum = *is_enum && !mixed;
  if (first + 2 >= n || in[n - 1].kind != TOKEN_DEDENT) return (Block){0}; // on its header's line
  layout_left_out(&parse, in + first + 1, n - first - 2, &tokens);
  grammar_parse(&parse, &tokens, TOKEN_START_MODULE);
  return parse.statements;
}

bool syntax_is_aggregate(const Stmt *outside) {
  const Token *in = outside->outside.tokens;
  bool found = false;
  for (uint32_t i = 0; i < outside->outside.token_count && in[i].kind != TOKEN_INDENT; i++) {
    if (str_is(in[i].text, "class"))
      return found && i + 2 < outside->outside.token_count && str_is(in[i + 2].text, ":");
    found = found || str_is(in[i].text, "aggregate") || str_is(in[i].text, "_aggregate");
  }
  return false;
}

// Only for a class without bases, because fields of base classes come first.
bool syntax_is_dataclass(const Stmt *outside, bool *frozen) {
  const Token *in = outside->outside.tokens;
  bool found = false, bases = false;
  *frozen = false;
  for (uint32_t i = 0; i < outside->outside.token_count && in[i].kind != TOKEN_INDENT; i++) {
    found = found || str_is(in[i].text, "dataclass");
    *frozen = *frozen || str_is(in[i].text, "frozen");
    if (str_is(in[i].text, "class") && i + 2 < outside->outside.token_count)
      bases = str_is(in[i + 2].text, "(");
  }
  return found && !bases;
}

Expr *syntax_parse_expression(Arena *arena, Interner *names, Diags *diags, Sources *sources, uint16_t file) {
  Str text;
  if (!source_text(diags, sources, file, &text)) return NULL;
  uint32_t first_diag = diags->list.n, errors = diags->raised;
  Parse parse = {.arena = arena, .names = names, .diags = diags, .file = file};
  Lexed lexed = {0};
  TokenList tokens = {0};
  lex_file(arena, text, file, &lexed);
  layout_tokens(&parse, &lexed, SYNTAX_TILE, &tokens);
  grammar_parse(&parse, &tokens, TOKEN_START_EXPRESSION);
  sort_diags(diags, first_diag);
  return diags->raised == errors ? parse.expression : NULL;
}
