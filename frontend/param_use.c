// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameters of a function its text loads from and stores to: for what a parameter without a type is meant to be, and which
// buffers are outputs. A guess from how names are used; elaboration decides.
#include "frontend/elab_module.h"

enum { MOST_CALLS = 4 }; // of functions within one another

typedef struct Assigned {
  const char *name;
  const Expr *value;
  uint32_t seen; // by which mark
} Assigned;

typedef struct Uses {
  Elab *e;
  const Function *function;
  uint32_t *uses; // one a parameter
  VEC(Assigned) assigned;
  uint32_t marks; // so far
  int depth;      // of functions
} Uses;

static const char *callee_name(const Expr *call) {
  const Expr *callee = call->call.callee;
  return callee->kind == EXPR_NAME        ? callee->name
         : callee->kind == EXPR_ATTRIBUTE ? callee->attribute.name
                                          : "";
}

// The pointer that an address, block pointer or descriptor is made of: what stands first.
static void follow(Uses *u, const Expr *expr, uint32_t use) {
  if (!expr) return;
  switch ((int)expr->kind) {
  case EXPR_NAME:
    for (uint32_t i = 0; i < u->function->params.n; i++)
      if (u->function->params.at[i].name == expr->name) u->uses[i] |= use;
    for (uint32_t i = 0; i < u->assigned.n; i++) {
      Assigned *assigned = &u->assigned.at[i];
      if (assigned->name != expr->name || assigned->seen == u->marks) continue;
      assigned->seen = u->marks;
      follow(u, assigned->value, use);
    }
    return;
  case EXPR_BINARY: follow(u, expr->binary.left, use); return;
  case EXPR_SUBSCRIPT: follow(u, expr->subscript.object, use); return;
  case EXPR_CONDITIONAL: follow(u, expr->conditional.then, use); return;
  case EXPR_CALL:
    if (strcmp(callee_name(expr), "to") == 0)
      follow(u, expr->call.callee->kind == EXPR_ATTRIBUTE ? expr->call.callee->attribute.object : NULL, use);
    else if (strcmp(callee_name(expr), "load") != 0 && expr->call.args.n)
      follow(u, expr->call.args.at[0].value, use);
    return;
  default: return;
  }
}

static void mark(Uses *u, const Expr *pointer, uint32_t use) {
  u->marks++;
  follow(u, pointer, use);
}

static void scan_expr(Uses *u, const Expr *expr);

// What the function that is called does with its parameters is done with the arguments.
static void scan_callee(Uses *u, const Expr *call) {
  const FunctionList *functions = &u->e->module->functions;
  for (uint32_t i = 0; i < functions->n && u->depth < MOST_CALLS; i++) {
    const Function *callee = functions->at[i];
    if (callee == u->function || call->call.callee->kind != EXPR_NAME || callee->name != callee_name(call)) continue;
    const uint32_t *uses = elab_param_uses(u->e, callee, u->depth + 1);
    for (uint32_t k = 0; k < call->call.args.n; k++) {
      const Arg *arg = &call->call.args.at[k];
      for (uint32_t p = 0; p < callee->params.n; p++)
        if (arg->name ? callee->params.at[p].name == arg->name : p == k) mark(u, arg->value, uses[p]);
    }
  }
}

static void scan_call(Uses *u, const Expr *call) {
  const char *name = callee_name(call);
  const Expr *callee = call->call.callee;
  uint32_t use = strcmp(name, "load") == 0             ? PARAM_LOADED
                 : strcmp(name, "store") == 0          ? PARAM_STORED
                 : strncmp(name, "atomic_", 7) == 0    ? PARAM_LOADED | PARAM_STORED
                                                       : 0;
  if (use && call->call.args.n) mark(u, call->call.args.at[0].value, use);
  if (use && callee->kind == EXPR_ATTRIBUTE) mark(u, callee->attribute.object, use); // a descriptor's
  if (!use) scan_callee(u, call);
  for (uint32_t i = 0; i < call->call.args.n; i++) scan_expr(u, call->call.args.at[i].value);
  if (callee->kind == EXPR_ATTRIBUTE) scan_expr(u, callee->attribute.object);
}

static void scan_list(Uses *u, const ExprList *list) {
  for (uint32_t i = 0; i < list->n; i++) scan_expr(u, list->at[i]);
}

static void scan_expr(Uses *u, const Expr *expr) {
  if (!expr) return;
  switch ((int)expr->kind) {
  case EXPR_CALL: scan_call(u, expr); return;
  case EXPR_TUPLE:
  case EXPR_LIST: scan_list(u, &expr->list); return;
  case EXPR_ATTRIBUTE: scan_expr(u, expr->attribute.object); return;
  case EXPR_SUBSCRIPT: scan_expr(u, expr->subscript.object); return;
  case EXPR_UNARY: scan_expr(u, expr->unary.operand); return;
  case EXPR_BINARY:
    scan_expr(u, expr->binary.left);
    scan_expr(u, expr->binary.right);
    return;
  case EXPR_LOGICAL:
    scan_expr(u, expr->logical.left);
    scan_expr(u, expr->logical.right);
    return;
  case EXPR_COMPARE:
    scan_expr(u, expr->compare.first);
    for (uint32_t i = 0; i < expr->compare.links.n; i++) scan_expr(u, expr->compare.links.at[i].right);
    return;
  case EXPR_CONDITIONAL:
    scan_expr(u, expr->conditional.then);
    scan_expr(u, expr->conditional.condition);
    scan_expr(u, expr->conditional.otherwise);
    return;
  default: return;
  }
}

static void assign(Uses *u, const Expr *target, const Expr *value) {
  if (target->kind == EXPR_NAME && value) vec_push(u->e->arena, &u->assigned, ((Assigned){target->name, value, 0}));
}

static void scan_block(Uses *u, const Block *block) {
  for (uint32_t i = 0; i < block->n; i++) {
    const Stmt *stmt = block->at[i];
    switch ((int)stmt->kind) {
    case STMT_EXPR:
    case STMT_RETURN: scan_expr(u, stmt->expr); break;
    case STMT_ASSIGN:
      for (uint32_t k = 0; k < stmt->assign.targets.n; k++) assign(u, stmt->assign.targets.at[k], stmt->assign.value);
      scan_expr(u, stmt->assign.value);
      break;
    case STMT_ANNOTATED:
      assign(u, stmt->annotated.target, stmt->annotated.value);
      scan_expr(u, stmt->annotated.value);
      break;
    case STMT_AUGMENTED: scan_expr(u, stmt->augmented.value); break;
    case STMT_FOR:
    case STMT_WHILE:
      scan_expr(u, stmt->loop.condition);
      scan_block(u, &stmt->loop.body);
      break;
    case STMT_IF:
      for (uint32_t k = 0; k < stmt->branch.arms.n; k++) {
        scan_expr(u, stmt->branch.arms.at[k].condition);
        scan_block(u, &stmt->branch.arms.at[k].body);
      }
      scan_block(u, &stmt->branch.orelse);
      break;
    default: break;
    }
  }
}

uint32_t *elab_param_uses(Elab *e, const Function *function, int depth) {
  Uses u = {.e = e, .function = function, .depth = depth};
  u.uses = ARENA_ARRAY(e->arena, uint32_t, function->params.n);
  scan_block(&u, &function->body);
  return u.uses;
}
