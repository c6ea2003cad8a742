// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders of statements, with the checks that need only the tree.
#include "frontend/syntax/parser.h"

#include "frontend/syntax/grammar.h"

enum { MAX_PARAMS = 256, MAX_DOTTED = 1000 };

Stmt *tree_stmt(Parse *parse, StmtKind kind, Loc loc) {
  Stmt *stmt = ARENA_NEW(parse->arena, Stmt);
  stmt->kind = kind;
  stmt->loc = loc;
  return stmt;
}

Stmt *tree_expr_stmt(Parse *parse, Expr *expr) {
  Stmt *stmt = tree_stmt(parse, STMT_EXPR, expr->loc);
  stmt->expr = expr;
  return stmt;
}

// The name of an expression that cannot be assigned to; NULL for a valid target.
static const char *not_assignable(const Expr *expr) {
  switch ((int)expr->kind) {
  case EXPR_ERROR:
  case EXPR_NAME:
  case EXPR_ATTRIBUTE:
  case EXPR_SUBSCRIPT:
  case EXPR_TUPLE:
  case EXPR_LIST:
  case EXPR_STAR: return NULL;
  case EXPR_CALL: return "the result of a call";
  case EXPR_INT:
  case EXPR_FLOAT:
  case EXPR_STRING:
  case EXPR_FSTRING:
  case EXPR_BOOL:
  case EXPR_NONE:
  case EXPR_ELLIPSIS: return "a constant";
  case EXPR_COMPARE: return "a comparison";
  default: return "an expression";
  }
}

void check_target(Parse *parse, const Expr *target) {
  const char *what = not_assignable(target);
  if (what)
    parse_error(parse, target->loc, "[T0107] cannot assign to %s", what);
  else if (target->kind == EXPR_STAR)
    check_target(parse, target->operand);
  else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
    for (uint32_t i = 0; i < target->list.n; i++) check_target(parse, target->list.at[i]);
}

Stmt *tree_assign(Parse *parse, Expr *target, Expr *value) {
  check_target(parse, target);
  Stmt *stmt = tree_stmt(parse, STMT_ASSIGN, loc_join(target->loc, value->loc));
  stmt->assign.targets = exprs_push(parse, (ExprList){0}, target);
  stmt->assign.value = value;
  return stmt;
}

Stmt *extend_assign(Parse *parse, Stmt *stmt, Expr *value) {
  check_target(parse, stmt->assign.value);
  stmt->assign.targets = exprs_push(parse, stmt->assign.targets, stmt->assign.value);
  stmt->assign.value = value;
  stmt->loc = loc_join(stmt->loc, value->loc);
  return stmt;
}

Stmt *tree_annotated(Parse *parse, Expr *target, Expr *annotation, Expr *value) {
  if (target->kind != EXPR_NAME && target->kind != EXPR_SUBSCRIPT && target->kind != EXPR_ATTRIBUTE)
    parse_error(parse, target->loc, "[T0107] only a single name can be annotated");
  Stmt *stmt = tree_stmt(parse, STMT_ANNOTATED, loc_join(target->loc, value ? value->loc : annotation->loc));
  stmt->annotated.target = target;
  stmt->annotated.annotation = annotation;
  stmt->annotated.value = value;
  return stmt;
}

Stmt *tree_return(Parse *parse, Token token, Expr *value) {
  Stmt *stmt = tree_stmt(parse, STMT_RETURN, value ? loc_join(token.loc, value->loc) : token.loc);
  stmt->expr = value;
  return stmt;
}

Stmt *tree_assert(Parse *parse, Token token, Expr *condition, Expr *message) {
  Stmt *stmt = tree_stmt(parse, STMT_ASSERT, loc_join(token.loc, message ? message->loc : condition->loc));
  stmt->assertion.condition = condition;
  stmt->assertion.message = message;
  return stmt;
}

static Stmt *tree_loop(Parse *parse, StmtKind kind, Token token, Expr *condition, Block body, Block orelse) {
  Stmt *stmt = tree_stmt(parse, kind, loc_join(token.loc, condition->loc));
  stmt->loop.condition = condition;
  stmt->loop.body = body;
  stmt->loop.orelse = orelse;
  return stmt;
}

Stmt *tree_for(Parse *parse, Token token, Expr *target, Expr *iterated, Block body, Block orelse) {
  check_target(parse, target);
  Stmt *stmt = tree_loop(parse, STMT_FOR, token, iterated, body, orelse);
  stmt->loop.target = target;
  return stmt;
}

Stmt *tree_while(Parse *parse, Token token, Expr *condition, Block body, Block orelse) {
  return tree_loop(parse, STMT_WHILE, token, condition, body, orelse);
}

Stmt *tree_if(Parse *parse, Token token, Expr *condition, Block body) {
  Stmt *stmt = tree_stmt(parse, STMT_IF, loc_join(token.loc, condition->loc));
  return add_elif(parse, stmt, token, condition, body);
}

Stmt *add_elif(Parse *parse, Stmt *stmt, Token token, Expr *condition, Block body) {
  IfArm arm = {token.loc, condition, body};
  vec_push(parse->arena, &stmt->branch.arms, arm);
  return stmt;
}

static void check_params(Parse *parse, const ParamList *params) {
  bool defaults = false;
  for (uint32_t i = 0; i < params->n; i++) {
    const Param *param = &params->at[i];
    if (param->stars || param->keyword_only) continue;
    if (defaults && !param->default_value)
      parse_error(parse, param->loc, "[T0107] parameter '%s' without a default follows one with a default",
                  param->name);
    defaults |= param->default_value != NULL;
  }
  if (params->n && vec_last(params).name[0] == '*')
    parse_error(parse, vec_last(params).loc, "[T0107] a bare '*' needs a parameter after it");
}

static void take_docstring(Function *function) {
  Block *body = &function->body;
  if (body->n == 0 || body->at[0]->kind != STMT_EXPR || body->at[0]->expr->kind != EXPR_STRING) return;
  function->docstring = body->at[0]->expr;
  body->at++;
  body->n--;
  body->cap--;
}

// The reduction comes after the block's end. So the token before the last NEWLINE closes the function.
static uint32_t last_line(const Parse *parse) {
  for (uint32_t i = parse->at; i > 0; i--)
    if (parse->tokens->at[i - 1].kind == TOKEN_NEWLINE) return parse->tokens->at[i - 1].loc.line;
  return 1;
}

Stmt *tree_def(Parse *parse, Token name, ParamList params, Expr *returns, Block body) {
  check_params(parse, &params);
  Function *function = ARENA_NEW(parse->arena, Function);
  function->loc = name.loc;
  function->name = intern(parse->names, name.text);
  function->params = params;
  function->returns = returns;
  function->body = body;
  function->last_line = last_line(parse);
  take_docstring(function);
  Stmt *stmt = tree_stmt(parse, STMT_DEF, name.loc);
  stmt->function = function;
  return stmt;
}

Stmt *add_decorators(Stmt *stmt, ExprList decorators) {
  stmt->function->decorators = decorators;
  return stmt;
}

Stmt *tree_try(Parse *parse, Token token, Block body, Blocks handlers, Block orelse, Block finally) {
  Stmt *stmt = tree_stmt(parse, STMT_TRY, token.loc);
  stmt->attempt.body = body;
  stmt->attempt.handlers = handlers;
  stmt->attempt.orelse = orelse;
  stmt->attempt.finally = finally;
  return stmt;
}

Stmt *tree_with(Parse *parse, Token token, WithItems list, Block body) {
  Stmt *stmt = tree_stmt(parse, STMT_WITH, loc_join(token.loc, vec_last(&list.items)->loc));
  stmt->with.items = list.items;
  stmt->with.targets = list.targets;
  stmt->with.body = body;
  return stmt;
}

WithItems with_push(Parse *parse, WithItems list, Expr *item, Expr *target) {
  if (target) check_target(parse, target);
  list.items = exprs_push(parse, list.items, item);
  list.targets = exprs_push(parse, list.targets, target);
  return list;
}

Stmt *tree_outside(Parse *parse, Token token, Block body) {
  Stmt *stmt = tree_stmt(parse, STMT_OUTSIDE, token.loc);
  Str text = token.text;
  size_t word = 0, name = text.n;
  while (word < text.n && text.at[word] != ' ' && text.at[word] != '\t') word++;
  while (name > word && text.at[name - 1] != ' ' && text.at[name - 1] != '\t') name--;
  bool async = str_is((Str){text.at, word}, "async");
  stmt->outside.what = async ? "def" : arena_copy(parse->arena, (Str){text.at, word});
  if (name > word) stmt->outside.name = intern(parse->names, (Str){text.at + name, text.n - name});
  stmt->outside.body = body;
  for (uint32_t i = 0; i < parse->left_out.n; i++) {
    const LeftOut *left_out = &parse->left_out.at[i];
    if (left_out->loc.line != token.loc.line || left_out->loc.col != token.loc.col) continue;
    stmt->outside.tokens = left_out->at;
    stmt->outside.token_count = left_out->n;
  }
  return stmt;
}

Stmt *tree_unread(Parse *parse, Block body) {
  const Token *token = &parse->tokens->at[parse->at];
  Block walruses = parse->walruses;
  parse->walruses = (Block){0};
  if (!walruses.n && (!token->quiet || parse->at == 0 || !token[-1].quiet)) return NULL;
  for (uint32_t i = 0; i < walruses.n; i++) body = block_push(parse, body, walruses.at[i]);
  Stmt *stmt = tree_stmt(parse, STMT_OUTSIDE, body.n ? body.at[0]->loc : token->loc);
  stmt->outside.body = body;
  return stmt;
}

Blocks handlers_push(Parse *parse, Blocks list, Block handler) {
  vec_push(parse->arena, &list, handler);
  return list;
}

Stmt *tree_names(Parse *parse, StmtKind kind, Token token, NameList names) {
  Stmt *stmt = tree_stmt(parse, kind, loc_join(token.loc, names.at[names.n - 1].loc));
  stmt->names = names;
  return stmt;
}

static Stmt *import_stmt(Parse *parse, Token token, Import import) {
  import.loc = loc_join(token.loc, vec_last(&import.names).loc);
  Stmt *stmt = tree_stmt(parse, STMT_IMPORT, import.loc);
  stmt->import = ARENA_NEW(parse->arena, Import);
  *stmt->import = import;
  return stmt;
}

Stmt *tree_import(Parse *parse, Token token, ImportNames names) {
  return import_stmt(parse, token, (Import){.module = intern(parse->names, STR("")), .names = names});
}

Stmt *tree_from_import(Parse *parse, Token token, uint32_t dots, Token module, ImportNames names) {
  Str text = module.text.at ? module.text : STR("");
  Import import = {.from = true, .dots = dots, .module = intern(parse->names, text), .names = names};
  return import_stmt(parse, token, import);
}

ImportName tree_import_name(Parse *parse, Token name, const Token *alias) {
  return (ImportName){.loc = alias ? loc_join(name.loc, alias->loc) : name.loc,
                      .name = intern(parse->names, name.text),
                      .alias = alias ? intern(parse->names, alias->text) : NULL};
}

Param tree_param(Parse *parse, Token name, int stars, Expr *annotation, Expr *default_value) {
  return (Param){.loc = name.loc,
                 .name = intern(parse->names, name.text),
                 .annotation = annotation,
                 .default_value = default_value,
                 .stars = stars};
}

// A bare * or / is a parameter with that name, and only a marker.
ParamList params_push(Parse *parse, ParamList list, Param param) {
  if (param.name[0] == '/') {
    if (list.n == 0) parse_error(parse, param.loc, "[T0107] '/' needs a parameter before it");
    return list;
  }
  if (list.n == MAX_PARAMS) {
    if (!parse->failed) parse_error(parse, param.loc, "[T0506] more than %d parameters", MAX_PARAMS);
    return list;
  }
  const Param *last = list.n ? &list.at[list.n - 1] : NULL;
  if (last && last->stars == 2)
    parse_error(parse, param.loc, "[T0107] a parameter follows '**%s'", last->name);
  for (uint32_t i = 0; i < list.n; i++)
    if (list.at[i].name == param.name) {
      Diag *diag = parse_error(parse, param.loc, "[T0107] parameter '%s' is declared twice", param.name);
      if (diag) diag_note(parse->diags, diag, list.at[i].loc, "first declared here");
      break;
    }
  bool after_star = last && (last->stars == 1 || last->keyword_only);
  param.keyword_only = after_star && param.stars == 0;
  // The bare star itself is not a parameter. The next parameter replaces it.
  if (last && last->stars == 1 && last->name[0] == '*') list.n--;
  vec_push(parse->arena, &list, param);
  return list;
}

Block block_push(Parse *parse, Block block, Stmt *stmt) {
  if (stmt) vec_push(parse->arena, &block, stmt);
  return block;
}

NameList names_push(Parse *parse, NameList list, Token name) {
  Name item = {name.loc, intern(parse->names, name.text)};
  vec_push(parse->arena, &list, item);
  return list;
}

ImportNames imports_push(Parse *parse, ImportNames list, ImportName name) {
  vec_push(parse->arena, &list, name);
  return list;
}

Token join_dotted(Parse *parse, Token left, Token right) {
  if (left.text.n + right.text.n > MAX_DOTTED) {
    parse_error(parse, left.loc, "[T0506] this dotted name is too long");
    return left;
  }
  const char *text = arena_printf(parse->arena, "%.*s.%.*s", STR_ARG(left.text), STR_ARG(right.text));
  left.text = str_from(text);
  left.loc = loc_join(left.loc, right.loc);
  return left;
}
