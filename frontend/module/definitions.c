// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the module level's statements into definitions, each with the enclosing clauses of `if`, `try` and
// others. elab_module.c decides which of them hold, when a name is used.
#include "base/hash.h"
#include "frontend/syntax/grammar.h"
#include "frontend/syntax/parser.h"

typedef struct Collector {
  Parse *parse;
  Module *module;
  const Guard *guard;
  bool tries;       // within the body of a `try`
  NameList globals; // names that functions assign
} Collector;

static void collect_block(Collector *c, const Block *block);

static const char *stmt_name(StmtKind kind) {
  switch ((int)kind) {
  case STMT_EXPR: return "an expression";
  case STMT_FOR: return "'for'";
  case STMT_WHILE: return "'while'";
  case STMT_RETURN: return "'return'";
  case STMT_BREAK: return "'break'";
  case STMT_CONTINUE: return "'continue'";
  case STMT_RAISE: return "'raise'";
  case STMT_ASSERT: return "'assert'";
  case STMT_GLOBAL: return "'global'";
  case STMT_NONLOCAL: return "'nonlocal'";
  default: return "this statement";
  }
}

const Guard *guard_scope(const Guard *guard) {
  while (guard && guard->kind != GUARD_SCOPE) guard = guard->outer;
  return guard;
}

const char *qualified_name(Arena *arena, const Guard *guard, const char *name) {
  for (guard = guard_scope(guard); guard; guard = guard_scope(guard->outer))
    name = arena_printf(arena, "%s.%s", guard->stmt->outside.name, name);
  return name;
}

// --- Tables ---

static bool is_last(const void *entry, const void *key) {
  const LastOfName *a = entry, *b = key;
  return a->name == b->name && a->scope == b->scope;
}

static uint64_t hash_last(const LastOfName *key) {
  return hash_u64(hash_pointer(key->name) ^ (uint64_t)(uintptr_t)key->scope);
}

static uint32_t last_of(const Table *table, const LastOfName *key) {
  const LastOfName *last = table_find(table, hash_last(key), key, is_last);
  return last ? last->at + 1 : 0;
}

// Makes `at` the last definition of its name. Returns the previous one, like last_of.
static uint32_t replace_last(Arena *arena, Table *table, LastOfName key) {
  uint32_t before = last_of(table, &key);
  void **place = table_place(table, arena, hash_last(&key), &key, is_last);
  LastOfName *last = *place ? *place : ARENA_NEW(arena, LastOfName);
  *last = key;
  *place = last;
  return before;
}

uint32_t module_last(const Module *module, const char *name) {
  return last_of(&module->last, &(LastOfName){.name = name});
}

uint32_t module_last_in_scope(const Module *module, const char *name, const Guard *scope) {
  return last_of(&module->last_in_scope, &(LastOfName){.name = name, .scope = scope});
}

typedef struct InnerFunction {
  const char *path;
  const Function *function;
} InnerFunction;

static bool is_inner(const void *entry, const void *path) {
  return strcmp(((const InnerFunction *)entry)->path, path) == 0;
}

static uint64_t hash_path(const char *path) { return hash_bytes(path, strlen(path)); }

const Function *module_inner_function(const Module *module, const char *path) {
  const InnerFunction *inner = table_find(&module->paths, hash_path(path), path, is_inner);
  return inner ? inner->function : NULL;
}

static void add_inner_function(Arena *arena, Module *module, const Function *function) {
  if (!guard_scope(function->guard)) return;
  const char *path = qualified_name(arena, function->guard, function->name);
  void **place = table_place(&module->paths, arena, hash_path(path), path, is_inner);
  if (*place) return;
  InnerFunction *inner = ARENA_NEW(arena, InnerFunction);
  *inner = (InnerFunction){path, function};
  *place = inner;
}

static void define(Collector *c, Definition definition) {
  Module *module = c->module;
  Arena *arena = c->parse->arena;
  uint32_t at = module->definitions.n;
  definition.guard = c->guard;
  definition.before = replace_last(arena, &module->last, (LastOfName){.name = definition.name, .at = at});
  definition.before_in_scope =
      replace_last(arena, &module->last_in_scope, (LastOfName){definition.name, guard_scope(c->guard), at});
  if (definition.kind == DEFINES_IMPORT && strcmp(definition.name, "*") == 0)
    vec_push(arena, &module->stars, at);
  vec_push(arena, &module->definitions, definition);
}

static bool is_kind(const Collector *c, const char *name, DefinitionKind kind) {
  for (uint32_t i = module_last(c->module, name); i; i = c->module->definitions.at[i - 1].before)
    if (c->module->definitions.at[i - 1].kind == kind) return true;
  return false;
}

// Records a change after which a constant's value is not known: `L[0] = 9`, `L.append(7)`, `global L` in a
// function.
static void define_change(Collector *c, const Stmt *stmt, const char *name, Loc loc) {
  if (is_kind(c, name, DEFINES_CONSTANT))
    define(c, (Definition){.kind = DEFINES_CHANGE, .name = name, .loc = loc, .stmt = stmt});
}

// True for a call of setattr, or of a Python function with an imported name as an argument.
static bool may_patch(const Collector *c, const Expr *call) {
  const Expr *callee = call->kind == EXPR_CALL ? call->call.callee : NULL;
  if (!callee || callee->kind != EXPR_NAME) return false;
  if (strcmp(callee->name, "setattr") == 0) return true;
  if (!is_kind(c, callee->name, DEFINES_OUTSIDE)) return false;
  for (uint32_t i = 0; i < call->call.args.n; i++) {
    const Expr *value = call->call.args.at[i].value;
    if (value->kind == EXPR_NAME && is_kind(c, value->name, DEFINES_IMPORT)) return true;
  }
  return false;
}

static void define_patch(Collector *c, const Stmt *stmt) {
  bool patches = stmt->kind == STMT_EXPR ? may_patch(c, stmt->expr)
                                         : stmt->kind == STMT_ASSIGN && may_patch(c, stmt->assign.value);
  for (uint32_t i = 0; stmt->kind == STMT_ASSIGN && i < stmt->assign.targets.n; i++)
    patches = patches || stmt->assign.targets.at[i]->kind == EXPR_ATTRIBUTE;
  if (!patches || !c->parse->python) return;
  c->module->patches = true;
  define(c, (Definition){.kind = DEFINES_PATCH,
                         .name = intern(c->parse->names, STR("setattr()")),
                         .loc = stmt->loc,
                         .stmt = stmt});
}

// `L.append(7)`: methods of lists, dictionaries and sets that change their object.
static void define_method_change(Collector *c, const Stmt *stmt) {
  static const char *const methods[] = {"append",  "extend", "insert",  "pop",    "remove",
                                        "clear",   "sort",   "reverse", "update", "setdefault",
                                        "popitem", "add",    "discard", NULL};
  const Expr *callee = stmt->expr->kind == EXPR_CALL ? stmt->expr->call.callee : NULL;
  if (!callee || callee->kind != EXPR_ATTRIBUTE || callee->attribute.object->kind != EXPR_NAME) return;
  if (str_is_one_of(callee->attribute.name, methods))
    define_change(c, stmt, callee->attribute.object->name, stmt->loc);
}

static void define_target(Collector *c, const Stmt *stmt, const Expr *target) {
  if (target->kind == EXPR_NAME)
    define(c, (Definition){.kind = DEFINES_CONSTANT, .name = target->name, .loc = target->loc, .stmt = stmt});
  if (target->kind == EXPR_SUBSCRIPT && target->subscript.object->kind == EXPR_NAME)
    define_change(c, stmt, target->subscript.object->name, target->loc);
  if (target->kind == EXPR_STAR) define_target(c, stmt, target->operand);
  if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return;
  for (uint32_t i = 0; i < target->list.n; i++) define_target(c, stmt, target->list.at[i]);
}

static void define_constants(Collector *c, Stmt *stmt) {
  vec_push(c->parse->arena, &c->module->constants, stmt);
  define_patch(c, stmt);
  if (stmt->kind == STMT_ANNOTATED && stmt->annotated.value) define_target(c, stmt, stmt->annotated.target);
  if (stmt->kind == STMT_AUGMENTED) define_target(c, stmt, stmt->augmented.target);
  if (stmt->kind == STMT_ASSIGN)
    for (uint32_t i = 0; i < stmt->assign.targets.n; i++) define_target(c, stmt, stmt->assign.targets.at[i]);
}

static void define_function(Collector *c, Function *function) {
  function->module = c->module;
  function->guard = c->guard;
  vec_push(c->parse->arena, &c->module->functions, function);
  add_inner_function(c->parse->arena, c->module, function);
  define(c,
         (Definition){
             .kind = DEFINES_FUNCTION, .name = function->name, .loc = function->loc, .function = function});
}

static void define_imports(Collector *c, Import *import) {
  vec_push(c->parse->arena, &c->module->imports, import);
  for (uint32_t i = 0; i < import->names.n; i++)
    define(c, (Definition){.kind = DEFINES_IMPORT,
                           .name = import_bound_name(c->parse->names, &import->names.at[i]),
                           .loc = import->names.at[i].loc,
                           .import = import,
                           .item = i});
}

// --- Compound statements ---

static Guard *open_guard(Collector *c, GuardKind kind, const Stmt *stmt, uint32_t index, uint32_t visible) {
  Guard *guard = ARENA_NEW(c->parse->arena, Guard);
  *guard = (Guard){.kind = kind, .outer = c->guard, .stmt = stmt, .index = index, .visible = visible};
  c->guard = guard;
  return guard;
}

static void collect_within(Collector *c, GuardKind kind, const Stmt *stmt, uint32_t index, uint32_t visible,
                           const Block *block) {
  const Guard *outer = c->guard;
  bool tries = c->tries;
  c->tries = tries && kind == GUARD_ARM;
  open_guard(c, kind, stmt, index, visible);
  collect_block(c, block);
  c->guard = outer;
  c->tries = tries;
}

static void collect_branch(Collector *c, const Stmt *stmt) {
  uint32_t visible = c->module->definitions.n, n = stmt->branch.arms.n;
  for (uint32_t i = 0; i < n; i++)
    collect_within(c, GUARD_ARM, stmt, i, visible, &stmt->branch.arms.at[i].body);
  collect_within(c, GUARD_ARM, stmt, n, visible, &stmt->branch.orelse);
}

static void collect_statement(Collector *c, Stmt *stmt, bool first);

// A statement of a `try` runs only if those before it did not fail.
static void collect_attempt(Collector *c, const Stmt *stmt) {
  const Guard *outer = c->guard;
  uint32_t visible = c->module->definitions.n;
  bool tries = c->tries;
  c->tries = true;
  for (uint32_t i = 0; i < stmt->attempt.body.n; i++) {
    open_guard(c, GUARD_TRY, stmt, i, visible);
    collect_statement(c, stmt->attempt.body.at[i], false);
    c->guard = outer;
  }
  c->tries = tries;
  for (uint32_t i = 0; i < stmt->attempt.handlers.n; i++)
    collect_within(c, GUARD_HANDLER, stmt, i, visible, &stmt->attempt.handlers.at[i]);
  collect_within(c, GUARD_ORELSE, stmt, 0, visible, &stmt->attempt.orelse);
  collect_block(c, &stmt->attempt.finally);
}

// The names between `for` and `in`.
static void define_targets(Collector *c, const Stmt *stmt) {
  const Token *tokens = stmt->outside.tokens;
  for (uint32_t i = 1; i < stmt->outside.token_count && tokens[i].kind != TOKEN_IN; i++)
    if (tokens[i].kind == TOKEN_NAME)
      define(c, (Definition){.kind = DEFINES_CHANGE,
                             .name = intern(c->parse->names, tokens[i].text),
                             .loc = tokens[i].loc,
                             .target = true,
                             .stmt = stmt});
}

static void collect_outside(Collector *c, Stmt *stmt) {
  const char *name = stmt->outside.name;
  if (name) define(c, (Definition){.kind = DEFINES_OUTSIDE, .name = name, .loc = stmt->loc, .stmt = stmt});
  const Guard *outer = c->guard;
  bool tries = c->tries;
  c->tries = false;
  open_guard(c, name ? GUARD_SCOPE : GUARD_OUTSIDE, stmt, 0, c->module->definitions.n);
  if (!name && stmt->outside.tokens && strcmp(stmt->outside.what, "for") == 0) define_targets(c, stmt);
  collect_block(c, &stmt->outside.body);
  c->guard = outer;
  c->tries = tries;
}

static bool is_quiet(const Collector *c) { return c->parse->python || c->tries; }

static void collect_statement(Collector *c, Stmt *stmt, bool first) {
  switch (stmt->kind) {
  case STMT_ASSIGN:
  case STMT_ANNOTATED:
  case STMT_AUGMENTED:
    if (!c->guard || c->guard->kind != GUARD_SCOPE)
      define_constants(c, stmt); // fields of classes are not names of the file
    break;
  case STMT_DEF: define_function(c, stmt->function); break;
  case STMT_IMPORT: define_imports(c, stmt->import); break;
  case STMT_IF: collect_branch(c, stmt); break;
  case STMT_TRY: collect_attempt(c, stmt); break;
  case STMT_OUTSIDE: collect_outside(c, stmt); break;
  case STMT_WITH: // only within functions
  case STMT_PASS: break;
  case STMT_EXPR:
    if (stmt->expr->kind == EXPR_STRING) {
      if (first) c->module->docstring = stmt->expr;
      break;
    }
    define_patch(c, stmt);
    define_method_change(c, stmt); // fall through
  case STMT_RAISE:
  case STMT_ASSERT:
    if (is_quiet(c)) break; // fall through
  case STMT_FOR:
  case STMT_WHILE:
  case STMT_RETURN:
  case STMT_BREAK:
  case STMT_CONTINUE:
  case STMT_GLOBAL:
  case STMT_NONLOCAL:
    for (uint32_t i = 0; stmt->kind == STMT_GLOBAL && i < stmt->names.n; i++)
      vec_push(c->parse->arena, &c->globals, stmt->names.at[i]);
    if (!c->parse->python)
      diag_error(c->parse->diags, stmt->loc, "[T0107] %s cannot be used outside a function",
                 stmt_name(stmt->kind));
    break;
  }
}

static void collect_block(Collector *c, const Block *block) {
  for (uint32_t i = 0; i < block->n; i++) collect_statement(c, block->at[i], false);
}

void collect_definitions(Parse *parse, Module *module) {
  Collector c = {.parse = parse, .module = module};
  for (uint32_t i = 0; i < parse->statements.n; i++) collect_statement(&c, parse->statements.at[i], i == 0);
  for (uint32_t i = 0; i < c.globals.n; i++)
    define_change(&c, NULL, c.globals.at[i].name, c.globals.at[i].loc);
}
