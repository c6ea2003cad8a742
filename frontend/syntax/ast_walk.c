// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits every statement and expression of a tree, for code that searches a text without evaluating it.
#include "frontend/syntax/ast.h"

static bool walk_list(const ExprList *list, const AstWalk *walk) {
  for (uint32_t i = 0; i < list->n; i++)
    if (expr_walk(list->at[i], walk)) return true;
  return false;
}

static bool walk_call(const Expr *expr, const AstWalk *walk) {
  if (expr_walk(expr->call.callee, walk)) return true;
  for (uint32_t i = 0; i < expr->call.args.n; i++)
    if (expr_walk(expr->call.args.at[i].value, walk)) return true;
  return false;
}

static bool walk_compare(const Expr *expr, const AstWalk *walk) {
  if (expr_walk(expr->compare.first, walk)) return true;
  for (uint32_t i = 0; i < expr->compare.links.n; i++)
    if (expr_walk(expr->compare.links.at[i].right, walk)) return true;
  return false;
}

static bool walk_dict(const Expr *expr, const AstWalk *walk) {
  for (uint32_t i = 0; i < expr->dict.n; i++)
    if (expr_walk(expr->dict.at[i].key, walk) || expr_walk(expr->dict.at[i].value, walk)) return true;
  return false;
}

static bool walk_fstring(const Expr *expr, const AstWalk *walk) {
  for (uint32_t i = 0; i < expr->fstring.n; i++)
    if (expr_walk(expr->fstring.at[i].value, walk)) return true;
  return false;
}

static bool walk_comprehension(const Expr *expr, const AstWalk *walk) {
  if (expr_walk(expr->comprehension.key, walk) || expr_walk(expr->comprehension.element, walk)) return true;
  for (uint32_t i = 0; i < expr->comprehension.clauses.n; i++) {
    const CompClause *clause = &expr->comprehension.clauses.at[i];
    if (expr_walk(clause->iterated, walk) || walk_list(&clause->conditions, walk)) return true;
  }
  return false;
}

static bool walk_two(const Expr *first, const Expr *second, const AstWalk *walk) {
  return expr_walk(first, walk) || expr_walk(second, walk);
}

static bool walk_parts(const Expr *expr, const AstWalk *walk) {
  switch (expr->kind) {
  case EXPR_TUPLE:
  case EXPR_LIST:
  case EXPR_SET: return walk_list(&expr->list, walk);
  case EXPR_DICT: return walk_dict(expr, walk);
  case EXPR_CALL: return walk_call(expr, walk);
  case EXPR_ATTRIBUTE: return expr_walk(expr->attribute.object, walk);
  case EXPR_SUBSCRIPT:
    return expr_walk(expr->subscript.object, walk) || walk_list(&expr->subscript.indices, walk);
  case EXPR_SLICE:
    return walk_two(expr->slice.lower, expr->slice.upper, walk) || expr_walk(expr->slice.step, walk);
  case EXPR_UNARY: return expr_walk(expr->unary.operand, walk);
  case EXPR_BINARY: return walk_two(expr->binary.left, expr->binary.right, walk);
  case EXPR_LOGICAL: return walk_two(expr->logical.left, expr->logical.right, walk);
  case EXPR_COMPARE: return walk_compare(expr, walk);
  case EXPR_BINDS: return expr_walk(expr->binds.value, walk);
  case EXPR_CONDITIONAL:
    return walk_two(expr->conditional.then, expr->conditional.condition, walk) ||
           expr_walk(expr->conditional.otherwise, walk);
  case EXPR_LAMBDA: return expr_walk(expr->lambda.body, walk);
  case EXPR_STAR:
  case EXPR_POINTER_TYPE: return expr_walk(expr->operand, walk);
  case EXPR_COMPREHENSION: return walk_comprehension(expr, walk);
  case EXPR_FSTRING: return walk_fstring(expr, walk);
  case EXPR_ERROR:
  case EXPR_NAME:
  case EXPR_INT:
  case EXPR_FLOAT:
  case EXPR_STRING:
  case EXPR_BOOL:
  case EXPR_NONE:
  case EXPR_ELLIPSIS: break;
  }
  return false;
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
  switch (stmt->kind) {
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
  case STMT_PASS:
  case STMT_BREAK:
  case STMT_CONTINUE:
  case STMT_RAISE:
  case STMT_GLOBAL:
  case STMT_NONLOCAL:
  case STMT_IMPORT:
  case STMT_TRY:
  case STMT_OUTSIDE: break;
  }
  return false;
}

bool block_walk(const Block *block, const AstWalk *walk) {
  for (uint32_t i = 0; i < block->n; i++)
    if (walk_stmt(block->at[i], walk)) return true;
  return false;
}
