// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that statements assign, found before the statements run. Loops carry them.
#include "base/hash.h"
#include "frontend/elaborate/elaborate.h"

// Decides if an `if` arm is skipped. `unknown` NULL: nothing is known in advance.
typedef struct NameScan {
  Elab *e;
  AssignedNames *names;
  Table seen;
  const AssignedNames *unknown; // names whose values change in the loop; NULL: no branch is ruled out
} NameScan;

static void scan_block(NameScan *scan, const Block *block);

static bool is_same_name(const void *entry, const void *name) { return entry == name; }

static void note_name(NameScan *scan, const char *name, Loc loc) {
  void **place = table_place(&scan->seen, scan->e->arena, hash_pointer(name), name, is_same_name);
  if (*place) return;
  *place = (void *)(uintptr_t)name;
  vec_push(scan->e->arena, scan->names, ((Name){loc, name}));
}

static void note_target(NameScan *scan, const Expr *target) {
  if (target->kind == EXPR_NAME) note_name(scan, target->name, target->loc);
  if (target->kind == EXPR_STAR) note_target(scan, target->operand);
  if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return;
  for (uint32_t i = 0; i < target->list.n; i++) note_target(scan, target->list.at[i]);
}

// --- Conditions that are known before the loop runs ---

static bool is_constant_name(const NameScan *scan, const char *name) {
  for (uint32_t i = 0; i < scan->unknown->n; i++)
    if (scan->unknown->at[i].name == name) return false;
  const Binding *binding = elab_find(scan->e->frame, name);
  return binding && !binding->maybe && obj_is_static(&binding->obj);
}

// True if evaluation creates no op and gives no error: literals and constexprs, compared and combined.
static bool is_plain(const NameScan *scan, const Expr *expr) {
  switch ((int)expr->kind) {
  case EXPR_NAME: return is_constant_name(scan, expr->name);
  case EXPR_INT:
  case EXPR_STRING:
  case EXPR_BOOL:
  case EXPR_NONE: return true;
  case EXPR_UNARY: return expr->unary.op == UNARY_NOT && is_plain(scan, expr->unary.operand);
  case EXPR_LOGICAL: return is_plain(scan, expr->logical.left) && is_plain(scan, expr->logical.right);
  case EXPR_COMPARE: {
    const CompareLink *link = &expr->compare.links.at[0];
    bool known = link->op == COMPARE_EQ || link->op == COMPARE_NE || link->op == COMPARE_IS ||
                 link->op == COMPARE_IS_NOT;
    return expr->compare.links.n == 1 && known && is_plain(scan, expr->compare.first) &&
           is_plain(scan, link->right);
  }
  default: return false;
  }
}

static bool known_condition(const NameScan *scan, const Expr *expr, bool *truth) {
  if (!scan->unknown || !is_plain(scan, expr)) return false;
  Obj obj = elab_expr(scan->e, expr);
  return const_truth(scan->e, &obj, truth);
}

static void scan_branch(NameScan *scan, const Stmt *stmt) {
  for (uint32_t i = 0; i < stmt->branch.arms.n; i++) {
    const IfArm *arm = &stmt->branch.arms.at[i];
    bool truth = true, known = known_condition(scan, arm->condition, &truth);
    if (truth) scan_block(scan, &arm->body);
    if (known && truth) return;
  }
  scan_block(scan, &stmt->branch.orelse);
}

static void scan_stmt(NameScan *scan, const Stmt *stmt) {
  if (stmt->kind == STMT_ASSIGN)
    for (uint32_t i = 0; i < stmt->assign.targets.n; i++) note_target(scan, stmt->assign.targets.at[i]);
  if (stmt->kind == STMT_ANNOTATED && stmt->annotated.value) note_target(scan, stmt->annotated.target);
  if (stmt->kind == STMT_AUGMENTED) note_target(scan, stmt->augmented.target);
  if (stmt->kind == STMT_DEF) note_name(scan, stmt->function->name, stmt->function->loc);
  if (stmt->kind == STMT_FOR || stmt->kind == STMT_WHILE) {
    if (stmt->loop.target) note_target(scan, stmt->loop.target);
    scan_block(scan, &stmt->loop.body);
    scan_block(scan, &stmt->loop.orelse);
  }
  if (stmt->kind == STMT_WITH) scan_block(scan, &stmt->with.body);
  if (stmt->kind == STMT_IF) scan_branch(scan, stmt);
}

static void scan_block(NameScan *scan, const Block *block) {
  for (uint32_t i = 0; i < block->n; i++) scan_stmt(scan, block->at[i]);
}

void elab_assigned(Elab *e, const Block *block, AssignedNames *names) {
  NameScan scan = {.e = e, .names = names};
  scan_block(&scan, block);
}

void elab_assigned_by(Elab *e, const Stmt *stmt, AssignedNames *names) {
  NameScan scan = {.e = e, .names = names};
  scan_stmt(&scan, stmt);
}

void elab_assigned_in_loop(Elab *e, const Block *body, AssignedNames *names) {
  AssignedNames all = {0};
  elab_assigned(e, body, &all);
  NameScan scan = {.e = e, .names = names, .unknown = &all};
  scan_block(&scan, body);
}

void elab_prune(Elab *e, const Block *block) {
  AssignedNames names = {0};
  elab_assigned(e, block, &names);
  for (uint32_t i = 0; i < names.n; i++) vec_push(e->arena, &e->frame->pruned, names.at[i]);
}

void elab_bind_unknown(Elab *e, const AssignedNames *names) {
  for (uint32_t i = 0; i < names->n; i++)
    elab_bind(e, names->at[i].name, names->at[i].loc, (Obj){.kind = OBJ_ERROR});
}
