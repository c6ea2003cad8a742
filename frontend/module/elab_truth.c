// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions of the module level: decides if a definition under `if`, `try` and others holds. It is
// three-valued: TRUTH_MAYBE depends on the machine, or on a library that is not read.
// All decisions are made here, from -D, the file's own constants and the contents of Triton 3.6
// (triton_names.def). They also use the environment, and what all supported Pythons have in common
// (elab_python.c).
#include "frontend/module/elab_module.h"

enum { PYTHON_FIRST = 10, PYTHON_LAST = 14, PYTHON_MICRO = 99 }; // 3.10 to 3.14, which Triton 3.6 supports

Said elab_said(const Elab *e) {
  const Diags *diags = e->diags;
  return (Said){diags->errors, diags->raised, diags->warnings, diags->list.n};
}

bool elab_take_back(Elab *e, const Said *before) {
  Diags *diags = e->diags;
  if (diags->raised == before->raised) return false;
  diags->errors = before->errors;
  diags->raised = before->raised;
  diags->warnings = before->warnings;
  diags->list.n = before->n;
  e->stopped = false;
  return true;
}

bool elab_quietly(Elab *e, const Module *module, uint32_t visible, const Expr *expr, Obj *obj) {
  if (e->stopped) return false;
  Said before = elab_said(e);
  Func *func = e->func;
  Builder b = e->b;
  elab_scratch(e, NULL, 0);
  Frame *frame = elab_push(e, NULL);
  frame->module = module;
  frame->visible = visible;
  *obj = elab_expr(e, expr);
  elab_pop(e);
  e->func = func;
  e->b = b;
  return !elab_take_back(e, &before) && obj->kind != OBJ_ERROR;
}

// --- Conditions ---

static Truth truth_not(Truth truth) {
  return truth == TRUTH_MAYBE ? TRUTH_MAYBE : truth == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
}

static Truth truth_and(Truth a, Truth b) {
  if (a == TRUTH_NO || b == TRUTH_NO) return TRUTH_NO;
  return a == TRUTH_YES && b == TRUTH_YES ? TRUTH_YES : TRUTH_MAYBE;
}

static Truth evaluated(Elab *e, const Module *module, uint32_t visible, const Expr *expr) {
  Obj obj;
  bool truth;
  if (!elab_quietly(e, module, visible, expr, &obj) || !const_truth(e, &obj, &truth)) return TRUTH_MAYBE;
  return truth ? TRUTH_YES : TRUTH_NO;
}

// A condition that reads sys.version_info must have the same value for every Python.
static Truth leaf_truth(Elab *e, const Module *module, uint32_t visible, const Expr *expr) {
  uint32_t minor = e->python_minor, micro = e->python_micro;
  if (minor) return evaluated(e, module, visible, expr);
  e->python_minor = PYTHON_FIRST;
  e->python_micro = 0;
  e->python_read = false;
  Truth truth = evaluated(e, module, visible, expr);
  if (e->python_read)
    for (uint32_t i = PYTHON_FIRST; i <= PYTHON_LAST && truth != TRUTH_MAYBE; i++)
      for (uint32_t k = 0; k <= PYTHON_MICRO && truth != TRUTH_MAYBE; k += PYTHON_MICRO) {
        e->python_minor = i;
        e->python_micro = k;
        if (evaluated(e, module, visible, expr) != truth) truth = TRUTH_MAYBE;
      }
  e->python_minor = minor;
  e->python_micro = micro;
  return truth;
}

static Truth condition_truth(Elab *e, const Module *module, uint32_t visible, const Expr *expr) {
  if (expr->kind == EXPR_UNARY && expr->unary.op == UNARY_NOT)
    return truth_not(condition_truth(e, module, visible, expr->unary.operand));
  if (expr->kind != EXPR_LOGICAL) return leaf_truth(e, module, visible, expr);
  Truth left = condition_truth(e, module, visible, expr->logical.left);
  Truth right = condition_truth(e, module, visible, expr->logical.right);
  if (expr->logical.op == LOGICAL_AND) return truth_and(left, right);
  return truth_not(truth_and(truth_not(left), truth_not(right)));
}

// --- Statements that may fail in a `try` ---

static Truth block_fails(Elab *e, const Module *module, uint32_t visible, const Block *block, uint32_t n);

// One name of an import, by the contents of Triton 3.6 and of every Python. Imports of files that were found
// do not fail.
Truth elab_import_fails(Elab *e, const Import *import, const ImportName *item) {
  if (item->module || item->whole) return TRUTH_NO;
  const char *path = import->from ? import->module : item->name;
  if (import->dots) return TRUTH_MAYBE;
  if (python_has_module(path)) return TRUTH_NO;
  bool triton = strcmp(path, "triton") == 0 || str_starts(str_from(path), "triton.");
  if (!triton) return TRUTH_MAYBE;
  if (!triton_has_module(path)) return TRUTH_YES;
  if (!import->from || strcmp(item->name, "*") == 0) return TRUTH_NO;
  Obj obj;
  if (elab_namespace_member(e, path, item->name, &obj) || triton_has_member(path, item->name) ||
      triton_has_module(arena_printf(e->arena, "%s.%s", path, item->name)))
    return TRUTH_NO;
  return triton_lists_members(path) ? TRUTH_YES : TRUTH_MAYBE;
}

// The name that an import binds; NULL for `*`.
static const char *import_binds(const Module *module, const Import *import, uint32_t item) {
  for (uint32_t i = 0; i < module->definitions.n; i++) {
    const Definition *d = &module->definitions.at[i];
    if (d->kind == DEFINES_IMPORT && d->import == import && d->item == item) return d->name;
  }
  return NULL;
}

// -D of an imported name decides if the module exists: None and False mean that it does not.
static Truth item_fails(Elab *e, const Module *module, const Import *import, uint32_t item) {
  const char *name = import_binds(module, import, item);
  const ConstValue *given = name ? elab_given_value(e, name) : NULL;
  bool truth;
  if (!given) return elab_import_fails(e, import, &import->names.at[item]);
  Obj obj = obj_from_const(e, given);
  return const_truth(e, &obj, &truth) && !truth ? TRUTH_YES : TRUTH_NO;
}

// The only name that an assignment binds; NULL: another statement, or several targets.
static const char *assigned_name(const Stmt *stmt) {
  if (stmt->kind != STMT_ASSIGN || stmt->assign.targets.n != 1) return NULL;
  const Expr *target = stmt->assign.targets.at[0];
  return target->kind == EXPR_NAME ? target->name : NULL;
}

// True for an attribute that a module of Triton does not have.
static bool lacks_attribute(Elab *e, const Module *module, uint32_t visible, const Expr *expr) {
  Obj object, obj;
  if (expr->kind != EXPR_ATTRIBUTE || !elab_quietly(e, module, visible, expr->attribute.object, &object))
    return false;
  if (object.kind != OBJ_NAMESPACE || object.file || !triton_lists_members(object.path)) return false;
  return !elab_namespace_member(e, object.path, expr->attribute.name, &obj) &&
         !triton_has_member(object.path, expr->attribute.name);
}

static Truth value_fails(Elab *e, const Module *module, uint32_t visible, const Expr *expr) {
  Obj obj;
  if (lacks_attribute(e, module, visible, expr)) return TRUTH_YES;
  return elab_quietly(e, module, visible, expr, &obj) ? TRUTH_NO : TRUTH_MAYBE;
}

static Truth branch_fails(Elab *e, const Module *module, uint32_t visible, const Stmt *stmt) {
  Truth fails = TRUTH_NO, before = TRUTH_NO; // before: an arm before this one is taken
  for (uint32_t i = 0; i <= stmt->branch.arms.n; i++) {
    bool last = i == stmt->branch.arms.n;
    const Block *block = last ? &stmt->branch.orelse : &stmt->branch.arms.at[i].body;
    Truth holds = last ? TRUTH_YES : condition_truth(e, module, visible, stmt->branch.arms.at[i].condition);
    Truth taken = truth_and(holds, truth_not(before));
    Truth this = truth_and(taken, block_fails(e, module, visible, block, block->n));
    fails = truth_not(truth_and(truth_not(fails), truth_not(this)));
    before = truth_not(truth_and(truth_not(before), truth_not(holds)));
  }
  return fails;
}

static Truth stmt_fails(Elab *e, const Module *module, uint32_t visible, const Stmt *stmt) {
  Truth fails = TRUTH_NO;
  const char *name = assigned_name(stmt);
  if (name && elab_given_value(e, name)) return TRUTH_NO;
  switch ((int)stmt->kind) {
  case STMT_IMPORT:
    for (uint32_t i = 0; i < stmt->import->names.n && fails == TRUTH_NO; i++)
      fails = item_fails(e, module, stmt->import, i);
    return fails;
  case STMT_EXPR: return value_fails(e, module, visible, stmt->expr);
  case STMT_ASSIGN: return value_fails(e, module, visible, stmt->assign.value);
  case STMT_ANNOTATED:
    return stmt->annotated.value ? value_fails(e, module, visible, stmt->annotated.value) : TRUTH_NO;
  case STMT_ASSERT: return truth_not(condition_truth(e, module, visible, stmt->assertion.condition));
  case STMT_IF: return branch_fails(e, module, visible, stmt);
  case STMT_RAISE: return TRUTH_YES;
  case STMT_DEF:
  case STMT_PASS: return TRUTH_NO;
  case STMT_OUTSIDE: return stmt->outside.name ? TRUTH_NO : TRUTH_MAYBE;
  default: return TRUTH_MAYBE;
  }
}

// The first `n` statements of a block. For names that the block defines, the definitions before the `try` are
// used.
static Truth block_fails(Elab *e, const Module *module, uint32_t visible, const Block *block, uint32_t n) {
  Truth fails = TRUTH_NO;
  for (uint32_t i = 0; i < n && fails == TRUTH_NO; i++) fails = stmt_fails(e, module, visible, block->at[i]);
  return fails;
}

// --- Guards ---

static bool in_function(const Guard *guard) {
  for (; guard; guard = guard->outer)
    if (guard->kind == GUARD_SCOPE) return true;
  return false;
}

static Truth arm_truth(Elab *e, const Module *module, const Guard *guard) {
  const IfArms *arms = &guard->stmt->branch.arms;
  Truth truth = TRUTH_YES;
  for (uint32_t i = 0; i < guard->index && truth != TRUTH_NO; i++)
    truth = truth_and(truth, truth_not(condition_truth(e, module, guard->visible, arms->at[i].condition)));
  if (guard->index < arms->n && truth != TRUTH_NO)
    truth = truth_and(truth, condition_truth(e, module, guard->visible, arms->at[guard->index].condition));
  return truth;
}

static Truth own_truth(Elab *e, const Module *module, const Guard *guard) {
  if (guard->kind == GUARD_SCOPE) return TRUTH_YES;
  if (guard->kind == GUARD_OUTSIDE)
    return guard->stmt->outside.what && strcmp(guard->stmt->outside.what, "with") == 0 ? TRUTH_YES
                                                                                       : TRUTH_MAYBE;
  if (in_function(guard->outer)) return TRUTH_MAYBE; // it may depend on the function's own names
  if (guard->kind == GUARD_ARM) return arm_truth(e, module, guard);
  const Block *body = &guard->stmt->attempt.body;
  uint32_t n = guard->kind == GUARD_TRY ? guard->index + 1 : body->n;
  Truth fails = block_fails(e, module, guard->visible, body, n);
  if (guard->kind != GUARD_HANDLER) return truth_not(fails);
  return fails == TRUTH_YES && guard->stmt->attempt.handlers.n > 1 ? TRUTH_MAYBE : fails;
}

Truth elab_guard_truth(Elab *e, const Module *module, const Guard *guard) {
  if (!guard) return TRUTH_YES;
  for (const Guard *assumed = e->assumed; assumed; assumed = assumed->outer)
    if (assumed == guard) return TRUTH_YES;
  for (uint32_t i = 0; i < e->truths.n; i++)
    if (e->truths.at[i].guard == guard) return e->truths.at[i].truth;
  uint32_t at = e->truths.n;
  vec_push(e->arena, &e->truths, ((GuardTruth){guard, TRUTH_MAYBE}));
  const Guard *loop = elab_loop_around(e, module, guard);
  Truth truth = elab_guard_truth(e, module, loop ? loop->outer : guard->outer);
  if (truth != TRUTH_NO && !loop) truth = truth_and(truth, own_truth(e, module, guard));
  e->truths.at[at].truth = truth;
  return truth;
}

const Guard *elab_undecided(Elab *e, const Module *module, const Guard *guard) {
  for (; guard; guard = guard->outer)
    if (guard->kind != GUARD_SCOPE && own_truth(e, module, guard) == TRUTH_MAYBE) return guard;
  return NULL;
}

// --- Advice ---

static const char *open_name(Elab *e, const Module *module, uint32_t visible, const Expr *expr);

static const char *open_name_of(Elab *e, const Module *module, uint32_t visible, const Expr *a,
                                const Expr *b) {
  const char *name = open_name(e, module, visible, a);
  return name ? name : open_name(e, module, visible, b);
}

// A name of the module level that leaves the condition undecided.
static const char *open_name(Elab *e, const Module *module, uint32_t visible, const Expr *expr) {
  Obj obj;
  if (expr->kind == EXPR_UNARY) return open_name(e, module, visible, expr->unary.operand);
  if (expr->kind == EXPR_LOGICAL)
    return open_name_of(e, module, visible, expr->logical.left, expr->logical.right);
  if (expr->kind == EXPR_COMPARE)
    return open_name_of(e, module, visible, expr->compare.first, expr->compare.links.at[0].right);
  if (expr->kind == EXPR_BINARY)
    return open_name_of(e, module, visible, expr->binary.left, expr->binary.right);
  if (expr->kind != EXPR_NAME || !elab_is_module_name(e, expr->name)) return NULL;
  bool known =
      elab_quietly(e, module, visible, expr, &obj) && (obj.kind != OBJ_NAMESPACE || elab_is_triton(obj.path));
  return known ? NULL : expr->name;
}

// The name for the first statement of a `try` that may fail. *import: the statement is an import of that
// name.
static const char *open_name_of_try(Elab *e, const Module *module, const Guard *guard, bool *import) {
  const Block *body = &guard->stmt->attempt.body;
  uint32_t n = guard->kind == GUARD_TRY ? guard->index + 1 : body->n;
  for (uint32_t i = 0; i < n && !in_function(guard->outer); i++) {
    const Stmt *stmt = body->at[i];
    if (stmt_fails(e, module, guard->visible, stmt) != TRUTH_MAYBE) continue;
    *import = stmt->kind == STMT_IMPORT;
    for (uint32_t k = 0; *import && k < stmt->import->names.n; k++)
      if (item_fails(e, module, stmt->import, k) == TRUTH_MAYBE) return import_binds(module, stmt->import, k);
    if (stmt->kind == STMT_ASSERT) return open_name(e, module, guard->visible, stmt->assertion.condition);
    return assigned_name(stmt);
  }
  return NULL;
}

const char *elab_deciding_name(Elab *e, const Module *module, const Guard *guard, bool *import) {
  *import = false;
  if (!guard || guard->kind == GUARD_OUTSIDE || guard->kind == GUARD_SCOPE) return NULL;
  if (guard->kind != GUARD_ARM) return open_name_of_try(e, module, guard, import);
  const IfArms *arms = &guard->stmt->branch.arms;
  for (uint32_t i = 0; i <= guard->index && i < arms->n; i++) {
    const char *name = open_name(e, module, guard->visible, arms->at[i].condition);
    if (name) return name;
  }
  return NULL;
}
