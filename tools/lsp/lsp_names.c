// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in scope, by the text alone: so they are known in code with errors, and in branches that are never compiled.
#include <ctype.h>

#include "tools/lsp/lsp.h"

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

Str lsp_dotted(Str line, uint32_t column, bool whole, uint32_t *start) {
  size_t from = column < line.n ? column : line.n, to = from;
  while (from > 0 && (is_word(line.at[from - 1]) || line.at[from - 1] == '.')) from--;
  while (whole && to < line.n && is_word(line.at[to])) to++;
  *start = (uint32_t)from;
  return (Str){line.at + from, to - from};
}

const Function *lsp_function_at(const Module *module, uint32_t line) {
  const Function *found = NULL;
  for (uint32_t i = 0; module && i < module->functions.n; i++) {
    const Function *function = module->functions.at[i];
    if (line < function->loc.line || line > function->last_line) continue;
    if (!found || function->loc.line > found->loc.line) found = function; // the innermost
  }
  return found;
}

// --- Names that a function binds ---

typedef struct Binder {
  Arena *arena;
  ScopeNames *names;
} Binder;

static void add_name(Binder *b, const char *name, NameKind kind, Loc loc, const Function *function) {
  vec_push(b->arena, b->names, ((ScopeName){name, kind, loc, function}));
}

static void bind_target(Binder *b, const Expr *target) {
  if (!target) return;
  if (target->kind == EXPR_NAME) add_name(b, target->name, NAME_VARIABLE, target->loc, NULL);
  if (target->kind == EXPR_STAR) bind_target(b, target->operand);
  if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return;
  for (uint32_t i = 0; i < target->list.n; i++) bind_target(b, target->list.at[i]);
}

static bool bind_stmt(const Stmt *stmt, void *data) {
  Binder *b = data;
  if (stmt->kind == STMT_ASSIGN)
    for (uint32_t i = 0; i < stmt->assign.targets.n; i++) bind_target(b, stmt->assign.targets.at[i]);
  if (stmt->kind == STMT_ANNOTATED) bind_target(b, stmt->annotated.target);
  if (stmt->kind == STMT_AUGMENTED) bind_target(b, stmt->augmented.target);
  if (stmt->kind == STMT_FOR) bind_target(b, stmt->loop.target);
  if (stmt->kind == STMT_WITH)
    for (uint32_t i = 0; i < stmt->with.targets.n; i++) bind_target(b, stmt->with.targets.at[i]);
  if (stmt->kind == STMT_DEF)
    add_name(b, stmt->function->name, NAME_FUNCTION, stmt->function->loc, stmt->function);
  return false;
}

static void bind_function(Binder *b, const Function *function) {
  AstWalk walk = {.stmt = bind_stmt, .data = b};
  for (uint32_t i = 0; i < function->params.n; i++)
    add_name(b, function->params.at[i].name, NAME_PARAMETER, function->params.at[i].loc, NULL);
  block_walk(&function->body, &walk);
}

// The nested function whose text has the line; NULL: none.
typedef struct Nested {
  uint32_t line;
  const Function *found;
} Nested;

static bool find_nested(const Stmt *stmt, void *data) {
  Nested *nested = data;
  if (stmt->kind == STMT_DEF && nested->line >= stmt->function->loc.line &&
      nested->line <= stmt->function->last_line)
    nested->found = stmt->function;
  return false;
}

static void bind_nested(Binder *b, const Function *function, uint32_t line) {
  Nested nested = {.line = line};
  AstWalk walk = {.stmt = find_nested, .data = &nested};
  block_walk(&function->body, &walk);
  if (!nested.found || nested.found == function) return;
  bind_nested(b, nested.found, line);
  bind_function(b, nested.found);
}

static void bind_module(Binder *b, const Module *module) {
  for (uint32_t i = module->definitions.n; i-- > 0;) {
    const Definition *at = &module->definitions.at[i];
    if (guard_scope(at->guard) || strcmp(at->name, "*") == 0) continue;
    if (at->kind == DEFINES_FUNCTION)
      add_name(b, at->name, NAME_FUNCTION, at->loc, at->function);
    else if (at->kind == DEFINES_IMPORT)
      add_name(b, at->name, NAME_MODULE, at->loc, NULL);
    else if (at->kind == DEFINES_CONSTANT)
      add_name(b, at->name, NAME_CONSTANT, at->loc, NULL);
    else if (at->kind == DEFINES_OUTSIDE)
      add_name(b, at->name, NAME_FUNCTION, at->loc, NULL);
  }
}

void lsp_scope(Arena *arena, const Module *module, uint32_t line, ScopeNames *names) {
  Binder b = {arena, names};
  const Function *function = lsp_function_at(module, line);
  if (function) bind_nested(&b, function, line);
  if (function) bind_function(&b, function);
  if (module) bind_module(&b, module);
}

// --- Functions ---

// The text of an expression: the part of its line.
static Str text_of(const Analysis *analysis, Loc loc) {
  Str line = sources_line((Sources *)(uintptr_t)&analysis->c.sources, loc.file, loc.line);
  size_t from = loc.col ? loc.col - 1u : 0;
  if (from >= line.n) return STR("");
  return (Str){line.at + from, loc.len < line.n - from ? loc.len : line.n - from};
}

void lsp_print_function(const Analysis *analysis, const Function *function, Buf *out) {
  buf_printf(out, "%s(", function->name);
  for (uint32_t i = 0; i < function->params.n; i++) {
    const Param *param = &function->params.at[i];
    buf_printf(out, "%s%s%s", i ? ", " : "", param->stars == 2 ? "**" : param->stars ? "*" : "", param->name);
    if (param->annotation) buf_printf(out, ": %.*s", STR_ARG(text_of(analysis, param->annotation->loc)));
    if (param->default_value)
      buf_printf(out, "%s%.*s", param->annotation ? " = " : "=",
                 STR_ARG(text_of(analysis, param->default_value->loc)));
  }
  buf_char(out, ')');
}
