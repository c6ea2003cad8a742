// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds which parameters a function's text loads from and stores to. This guesses the meaning of a parameter
// without a type, and which buffers are outputs. It uses names only; elaboration decides.
#include "frontend/module/elab_module.h"

enum { MAX_FOLLOWED_CALLS = 4 }; // nested calls of functions

typedef struct Assigned {
  const char *name;
  const Expr *value;
  uint32_t seen; // the mark that saw it
} Assigned;

typedef struct Uses {
  Elab *e;
  const Function *function;
  uint32_t *uses; // one for each parameter
  VEC(Assigned) assigned;
  uint32_t marks; // used so far
  int depth;      // of nested functions
} Uses;

// Follows the pointer of an address, block pointer or descriptor: the first operand.
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
    if (strcmp(expr_last_name(expr->call.callee), "to") == 0)
      follow(u, expr->call.callee->kind == EXPR_ATTRIBUTE ? expr->call.callee->attribute.object : NULL, use);
    else if (strcmp(expr_last_name(expr->call.callee), "load") != 0 && expr->call.args.n)
      follow(u, expr->call.args.at[0].value, use);
    return;
  default: return;
  }
}

static void mark(Uses *u, const Expr *pointer, uint32_t use) {
  u->marks++;
  follow(u, pointer, use);
}

// Marks an expression that is a parameter itself, not computed from one.
static void mark_name(Uses *u, const Expr *expr, uint32_t use) {
  for (uint32_t i = 0; expr->kind == EXPR_NAME && i < u->function->params.n; i++)
    if (u->function->params.at[i].name == expr->name) u->uses[i] |= use;
}

enum {
  DESCRIPTOR_BITS = ~(PARAM_LOADED | PARAM_STORED | PARAM_DECIDED | PARAM_POINTS_INTEGER | PARAM_POINTS_HALF)
};

// d.load([i, j]), d.store([i, j], x), d.atomic_add([i, j], x).
static void scan_descriptor(Uses *u, const Expr *call) {
  const Expr *callee = call->call.callee, *at = call->call.args.n ? call->call.args.at[0].value : NULL;
  for (uint32_t i = 0; at && at->kind == EXPR_NAME && i < u->assigned.n; i++)
    if (u->assigned.at[i].name == at->name && u->assigned.at[i].value->kind != EXPR_NAME)
      at = u->assigned.at[i].value;
  if (callee->kind != EXPR_ATTRIBUTE || !at || (at->kind != EXPR_LIST && at->kind != EXPR_TUPLE)) return;
  if (at->list.n && at->list.n <= TILE_MAX_RANK)
    mark_name(u, callee->attribute.object, PARAM_DESCRIBES | at->list.n << PARAM_RANK_SHIFT);
}

// Applies the called function's uses of its parameters to the arguments.
static void scan_callee(Uses *u, const Expr *call) {
  const FunctionList *functions = &u->e->module->functions;
  for (uint32_t i = 0; i < functions->n && u->depth < MAX_FOLLOWED_CALLS; i++) {
    const Function *callee = functions->at[i];
    if (callee == u->function || call->call.callee->kind != EXPR_NAME ||
        callee->name != expr_last_name(call->call.callee))
      continue;
    const uint32_t *uses = elab_param_uses(u->e, callee, u->depth + 1);
    for (uint32_t k = 0; k < call->call.args.n; k++) {
      const Arg *arg = &call->call.args.at[k];
      for (uint32_t p = 0; p < callee->params.n; p++)
        if (arg->name ? callee->params.at[p].name == arg->name : p == k) {
          mark(u, arg->value, uses[p] & ~(uint32_t)DESCRIPTOR_BITS);
          mark_name(u, arg->value, uses[p] & (uint32_t)DESCRIPTOR_BITS);
        }
    }
  }
}

static bool scan_expr(const Expr *expr, void *data) {
  Uses *u = data;
  if (expr->kind != EXPR_CALL) return false;
  const char *name = expr_last_name(expr->call.callee);
  const Expr *callee = expr->call.callee;
  uint32_t use = strcmp(name, "load") == 0          ? PARAM_LOADED
                 : strcmp(name, "store") == 0       ? PARAM_STORED
                 : strncmp(name, "atomic_", 7) == 0 ? PARAM_LOADED | PARAM_STORED
                                                    : 0;
  if (use && expr->call.args.n) mark(u, expr->call.args.at[0].value, use);
  if (use && callee->kind == EXPR_ATTRIBUTE) mark(u, callee->attribute.object, use); // a descriptor's method
  if (use) scan_descriptor(u, expr);
  if (!use) scan_callee(u, expr);
  return false;
}

static void assign(Uses *u, const Expr *target, const Expr *value) {
  if (target->kind == EXPR_NAME && value)
    vec_push(u->e->arena, &u->assigned, ((Assigned){target->name, value, 0}));
}

static bool note_assigned(const Stmt *stmt, void *data) {
  Uses *u = data;
  for (uint32_t i = 0; stmt->kind == STMT_ASSIGN && i < stmt->assign.targets.n; i++)
    assign(u, stmt->assign.targets.at[i], stmt->assign.value);
  if (stmt->kind == STMT_ANNOTATED) assign(u, stmt->annotated.target, stmt->annotated.value);
  return false;
}

// Collects assignments first: a loop's second iteration sees what its end assigns.
uint32_t *elab_param_uses(Elab *e, const Function *function, int depth) {
  Uses u = {.e = e, .function = function, .depth = depth};
  u.uses = ARENA_ARRAY(e->arena, uint32_t, function->params.n);
  block_walk(&function->body, &(AstWalk){.stmt = note_assigned, .data = &u});
  block_walk(&function->body, &(AstWalk){.expr = scan_expr, .data = &u});
  elab_index_uses(e, function, u.uses);
  return u.uses;
}
