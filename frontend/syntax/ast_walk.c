// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits every statement and expression of a tree, for code that searches a text without evaluating it.
#include "frontend/syntax/ast.h"

// One for each list: true if an item's part ends the walk.
#define WALK_EACH(name, List, ends)                                                                          \
  static bool name(const List *list, const AstWalk *walk) {                                                  \
    for (uint32_t i = 0; i < list->n; i++)                                                                   \
      if (ends) return true;                                                                                 \
    return false;                                                                                            \
  }
WALK_EACH(walk_list, ExprList, expr_walk(list->at[i], walk))
WALK_EACH(walk_args, ArgList, expr_walk(list->at[i].value, walk))
WALK_EACH(walk_links, CompareLinks, expr_walk(list->at[i].right, walk))
WALK_EACH(walk_dict, DictItems, expr_walk(list->at[i].key, walk) || expr_walk(list->at[i].value, walk))
WALK_EACH(walk_fstring, FStringParts, expr_walk(list->at[i].value, walk))
WALK_EACH(walk_clauses, CompClauses,
          expr_walk(list->at[i].iterated, walk) || walk_list(&list->at[i].conditions, walk))

static bool walk_parts(const Expr *expr, const AstWalk *walk) {
  bool ended = false;
  switch (expr->kind) {
#define PART(word, field) ended = ended || expr_walk(expr->field, walk);
#define LIST(field)       ended = ended || walk_list(&expr->field, walk);
#define DICT(field)       ended = ended || walk_dict(&expr->field, walk);
#define ARGS(field)       ended = ended || walk_args(&expr->field, walk);
#define LINKS(field)      ended = ended || walk_links(&expr->field, walk);
#define FSTRING(field)    ended = ended || walk_fstring(&expr->field, walk);
#define CLAUSES(field)    ended = ended || walk_clauses(&expr->field, walk);
#define PARAMS(field)
#define X(kind, word, parts)                                                                                 \
  case EXPR_##kind:                                                                                          \
    parts break;
#include "frontend/syntax/exprs.def"
#undef X
  }
  return ended;
}

bool expr_walk(const Expr *expr, const AstWalk *walk) {
  if (!expr || !walk->expr) return false;
  return walk->expr(expr, walk->data) || walk_parts(expr, walk);
}

static bool walk_branch(const Stmt *stmt, const AstWalk *walk) {
  for (uint32_t i = 0; i < stmt->branch.arms.n; i++) {
    const IfArm *arm = &stmt->branch.arms.at[i];
    if (expr_walk(arm->condition, walk) || block_walk(&arm->body, walk)) return true;
  }
  return block_walk(&stmt->branch.orelse, walk);
}

static bool walk_stmt(const Stmt *stmt, const AstWalk *walk) {
  if (walk->stmt && walk->stmt(stmt, walk->data)) return true;
  switch ((int)stmt->kind) {
  case STMT_EXPR:
  case STMT_RETURN: return expr_walk(stmt->expr, walk);
  case STMT_ASSIGN: return expr_walk(stmt->assign.value, walk);
  case STMT_ANNOTATED: return expr_walk(stmt->annotated.value, walk);
  case STMT_AUGMENTED: return expr_walk(stmt->augmented.value, walk);
  case STMT_FOR:
  case STMT_WHILE:
    return expr_walk(stmt->loop.condition, walk) || block_walk(&stmt->loop.body, walk) ||
           block_walk(&stmt->loop.orelse, walk);
  case STMT_IF: return walk_branch(stmt, walk);
  case STMT_ASSERT: return expr_walk(stmt->assertion.condition, walk);
  case STMT_DEF: return block_walk(&stmt->function->body, walk);
  case STMT_WITH: return block_walk(&stmt->with.body, walk);
  default: return false;
  }
}

bool block_walk(const Block *block, const AstWalk *walk) {
  for (uint32_t i = 0; i < block->n; i++)
    if (walk_stmt(block->at[i], walk)) return true;
  return false;
}
