// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-time branches. Both arms are elaborated into a provisional op, from the same bindings. Names that
// differ after the arms become results of the real op, which takes over the arms' ops.
// An arm that returns ends there. If the other arm goes on, the code after the `if` runs inside that arm. If
// both may go on, a flag records a return, and the rest is guarded by it.
#include "frontend/elaborate/elab_flow.h"

// An `if` during the elaboration of its arms.
typedef struct Branch {
  Op *op; // provisional, without results
  Builder after;
  Loc loc;
  Vars before;
} Branch;

// How an arm ended.
typedef struct Arm {
  Flow flow;
  Builder end;
  Vars vars;
  Obj result, returned;
  Loc result_loc;
} Arm;

static Branch begin_if(Elab *e, Loc loc, Value *condition) {
  e->b.loc = elab_loc(e, loc);
  Branch branch = {.op = build_if(&e->b, condition, 0, NULL), .loc = e->b.loc};
  branch.after = e->b;
  branch.before = elab_save_vars(e);
  return branch;
}

static void enter_arm(Elab *e, const Branch *branch, uint32_t arm) {
  elab_restore_vars(e, branch->before);
  e->frame->result = (Obj){.kind = OBJ_ABSENT};
  e->frame->returned = obj_bool(false);
  e->b = builder_at_end(e->func, branch->op->regions[arm]);
}

static Arm leave_arm(Elab *e, Flow flow) {
  return (Arm){.flow = flow,
               .end = e->b,
               .vars = elab_save_vars(e),
               .result = e->frame->result,
               .returned = e->frame->returned,
               .result_loc = e->frame->result_loc};
}

// --- The op's end ---

static void end_if(Elab *e, Branch *branch, const Leaves *leaves) {
  Op *op = branch->op;
  elab_work(e, leaves->n / LEAVES_A_STEP);
  if (leaves->n) {
    const Type **types = ARENA_ARRAY(e->arena, const Type *, leaves->n);
    for (uint32_t i = 0; i < leaves->n; i++) types[i] = leaves->at[i].type;
    e->b = branch->after;
    e->b.loc = branch->loc;
    op = build_if(&e->b, op_operand(branch->op, 0), leaves->n, types);
    branch->after = e->b;
    for (uint32_t arm = 0; arm < 2; arm++)
      while (branch->op->regions[arm]->first)
        op_move(branch->op->regions[arm]->first, op->regions[arm], NULL);
    op_erase(branch->op);
  }
  for (uint32_t arm = 0; arm < 2; arm++) elab_yield(e, op->regions[arm], NULL, leaves, arm == 1, branch->loc);
  for (uint32_t i = 0; i < leaves->n; i++) *leaves->at[i].slot = obj_value(&op->results[i]);
  e->b = branch->after;
}

// The bindings after the arms. end_if completes their objects.
typedef VEC(Binding) Joined;

static void join_binding(Elab *e, const Branch *branch, const Binding *a, const Binding *b, Binding *out,
                         Leaves *leaves) {
  *out = obj_equal(&a->obj, &b->obj) ? *a : *b;
  if (elab_join(e, branch->op, &a->obj, &b->obj, &out->obj, leaves)) return;
  elab_type_changes(e, branch->loc, a->name, a, "in one branch", b, "in the other");
  out->obj.kind = OBJ_ERROR;
}

static void maybe_joined(Joined *joined, const Binding *binding) {
  joined->at[joined->n] = *binding;
  joined->at[joined->n++].maybe = true;
}

static Joined join_vars(Elab *e, const Branch *branch, Vars a, Vars b, Leaves *leaves) {
  Joined joined = {ARENA_ARRAY(e->arena, Binding, a.n + b.n), 0, a.n + b.n};
  for (uint32_t i = 0; i < a.n + b.n; i++) {
    const Binding *at = i < a.n ? &a.at[i] : &b.at[i - a.n];
    Vars others = i < a.n ? b : a;
    uint32_t place = i < a.n ? i : i - a.n; // a name from before the arms has kept its place
    bool same = place < others.n && others.at[place].name == at->name;
    const Binding *other = same ? &others.at[place] : elab_find_var(others, at->name);
    if (i >= a.n && other) continue; // both have it: done
    if (!other || at->maybe || other->maybe)
      maybe_joined(&joined, other && other->maybe ? other : at);
    else
      join_binding(e, branch, at, other, &joined.at[joined.n++], leaves);
  }
  return joined;
}

// The bindings of the only arm that goes on.
static Joined keep_vars(Elab *e, const Branch *branch, Vars vars, bool second, Leaves *leaves) {
  Joined joined = {ARENA_ARRAY(e->arena, Binding, vars.n), vars.n, vars.n};
  Obj absent = {.kind = OBJ_ABSENT};
  for (uint32_t i = 0; i < vars.n; i++) {
    joined.at[i] = vars.at[i];
    const Obj *obj = &vars.at[i].obj;
    if (!vars.at[i].maybe)
      elab_join(e, branch->op, second ? &absent : obj, second ? obj : &absent, &joined.at[i].obj, leaves);
  }
  return joined;
}

static void bind_joined(Elab *e, const Branch *branch, const Joined *joined) {
  elab_restore_vars(e, branch->before);
  for (uint32_t i = 0; i < joined->n; i++) {
    const Binding *binding = &joined->at[i];
    elab_set_binding(e, binding);
    if (binding->obj.kind == OBJ_VALUE && binding->obj.value && !binding->obj.value->name)
      binding->obj.value->name = binding->name;
  }
}

// Joins the results of both arms, and the flags for a return. An arm that always goes on has no result.
static void join_results(Elab *e, const Branch *branch, const Arm arms[2], Obj *result, Obj *returned,
                         Leaves *leaves) {
  Binding results[2];
  for (uint32_t i = 0; i < 2; i++)
    results[i] = (Binding){.name = "the result", .obj = arms[i].result, .loc = arms[i].result_loc};
  if (!elab_join(e, branch->op, &results[0].obj, &results[1].obj, result, leaves)) {
    elab_type_changes(e, branch->loc, "the result", &results[0], "in one branch", &results[1],
                      "in the other");
    result->kind = OBJ_ERROR;
  }
  e->frame->result_loc = arms[arms[0].result.kind == OBJ_ABSENT].result_loc;
  elab_join(e, branch->op, &arms[0].returned, &arms[1].returned, returned, leaves);
}

static Flow finish_both(Elab *e, Branch *branch, const Arm arms[2]) {
  Leaves leaves = {0};
  Obj *results = ARENA_ARRAY(e->arena, Obj, 2);
  bool dead[] = {arms[0].flow == FLOW_RETURN, arms[1].flow == FLOW_RETURN};
  Joined joined = {0};
  if (!dead[0] && !dead[1])
    joined = join_vars(e, branch, arms[0].vars, arms[1].vars, &leaves);
  else if (!dead[0] || !dead[1])
    joined = keep_vars(e, branch, arms[dead[0]].vars, dead[0], &leaves);
  join_results(e, branch, arms, &results[0], &results[1], &leaves);
  end_if(e, branch, &leaves);
  bind_joined(e, branch, &joined);
  e->frame->result = results[0];
  e->frame->returned = results[1];
  if (dead[0] && dead[1]) return FLOW_RETURN;
  return obj_is(&results[1], CONST_BOOL) && !results[1].constant.i ? FLOW_NEXT : FLOW_MAYBE;
}

// Runs the rest in the arm that has not returned.
static void resume_arm(Elab *e, const Branch *branch, Arm *arm, const Cont *rest) {
  elab_restore_vars(e, arm->vars);
  e->b = arm->end;
  e->frame->result = arm->result;
  e->frame->returned = arm->returned;
  e->frame->result_loc = arm->result_loc;
  Loc loc = branch->loc;
  loc.call = 0;
  *arm = leave_arm(e, arm->flow == FLOW_MAYBE ? elab_guard(e, loc, rest) : elab_rest(e, rest));
}

static Flow finish_branch(Elab *e, Branch *branch, Arm arms[2], const Cont *rest) {
  bool dead[] = {arms[0].flow == FLOW_RETURN, arms[1].flow == FLOW_RETURN};
  if (dead[0] != dead[1]) {
    resume_arm(e, branch, &arms[dead[0]], rest);
    return finish_both(e, branch, arms);
  }
  Flow flow = finish_both(e, branch, arms);
  Loc loc = branch->loc;
  loc.call = 0;
  return flow == FLOW_MAYBE ? elab_guard(e, loc, rest) : flow;
}

// --- Statements ---

static Flow run_arm(Elab *e, const Stmt *stmt, uint32_t arm, bool then) {
  if (then) return elab_block(e, &stmt->branch.arms.at[arm].body, NULL);
  if (arm + 1 < stmt->branch.arms.n) return elab_if(e, stmt, arm + 1, NULL);
  return elab_block(e, &stmt->branch.orelse, NULL);
}

Flow elab_run_if(Elab *e, const Stmt *stmt, uint32_t arm, Value *condition, const Cont *rest) {
  Branch branch = begin_if(e, stmt->branch.arms.at[arm].loc, condition);
  Arm arms[2];
  e->frame->regions++;
  for (uint32_t i = 0; i < 2; i++) {
    enter_arm(e, &branch, i);
    arms[i] = leave_arm(e, run_arm(e, stmt, arm, i == 0));
  }
  e->frame->regions--;
  return finish_branch(e, &branch, arms, rest);
}

Flow elab_guard(Elab *e, Loc loc, const Cont *rest) {
  if (e->stopped) return FLOW_RETURN;
  bool nothing_left = !rest && e->frame->regions;
  if (nothing_left || e->frame->returned.kind != OBJ_VALUE) return FLOW_MAYBE;
  Arm arms[2] = {leave_arm(e, FLOW_RETURN)};
  arms[0].returned = obj_bool(true);
  Branch branch = begin_if(e, loc, e->frame->returned.value);
  enter_arm(e, &branch, 1);
  arms[1] = leave_arm(e, FLOW_NEXT);
  return finish_branch(e, &branch, arms, rest);
}

// `tile if c else 0.0`: broadcasts the number.
static bool join_number_and_tile(Elab *e, const Obj arms[2], Obj *joined, Leaves *leaves) {
  bool second = arms[1].kind == OBJ_VALUE;
  const Obj *tile = &arms[second], *number = &arms[!second];
  if (tile->kind != OBJ_VALUE || !obj_is_number(number) || !type_is_tile(tile->value->type)) return false;
  if (!elab_number_becomes(&number->constant, type_element(tile->value->type))) return false;
  vec_push(e->arena, leaves, ((Leaf){arms[0], arms[1], tile->value->type, joined}));
  return true;
}

Obj elab_run_conditional(Elab *e, const Expr *expr, Value *condition) {
  Branch branch = begin_if(e, expr->loc, condition);
  Obj arms[2], *joined = ARENA_NEW(e->arena, Obj);
  Leaves leaves = {0};
  for (uint32_t i = 0; i < 2; i++) {
    e->b = builder_at_end(e->func, branch.op->regions[i]);
    arms[i] = elab_expr(e, i == 0 ? expr->conditional.then : expr->conditional.otherwise);
  }
  if (!elab_join(e, branch.op, &arms[0], &arms[1], joined, &leaves) &&
      !join_number_and_tile(e, arms, joined, &leaves)) {
    elab_error(e, expr->loc, "[T0303] the two sides of the conditional have different types: %s and %s",
               obj_describe(e, &arms[0]), obj_describe(e, &arms[1]));
    joined->kind = OBJ_ERROR;
  }
  end_if(e, &branch, &leaves);
  return *joined;
}
