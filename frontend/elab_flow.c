// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-time control flow. An `if` elaborates both arms into a provisional op, each from the same bindings;
// names whose values differ after become results of the real op, which takes over the arms' ops. A `for`
// carries every name that its body assigns and that has a value before.
#include "frontend/elaborate.h"

// A value that differs between two ways: it becomes a result of the op that joins them.
typedef struct Leaf {
  Obj a, b;         // on either way
  const Type *type; // of both
  Obj *slot;        // receives the result
} Leaf;
typedef VEC(Leaf) Leaves;

typedef struct Vars {
  Binding *at;
  uint32_t n;
} Vars;

static Vars save_vars(Elab *e) {
  Vars saved = {ARENA_ARRAY(e->arena, Binding, e->frame->vars.n), e->frame->vars.n};
  if (saved.n) memcpy(saved.at, e->frame->vars.at, saved.n * sizeof(Binding));
  return saved;
}

static void restore_vars(Elab *e, Vars saved) {
  e->frame->vars.n = 0;
  for (uint32_t i = 0; i < saved.n; i++) vec_push(e->arena, &e->frame->vars, saved.at[i]);
}

static const Binding *find_var(Vars vars, const char *name) {
  for (uint32_t i = vars.n; i-- > 0;)
    if (vars.at[i].name == name) return &vars.at[i];
  return NULL;
}

// --- Joining ---

// Whether a constexpr number may stand for a value of that type.
static bool number_becomes(const ConstValue *number, const Type *type) {
  if (type->kind != TYPE_SCALAR) return false;
  if (elem_is_float(type->elem)) return true;
  if (number->kind == CONST_FLOAT) return false;
  return type->elem == ELEM_I1 ? number->kind == CONST_BOOL : const_fits(number, type->elem);
}

// The type that both can have; NULL where there is none.
static const Type *join_type(Elab *e, const Obj *a, const Obj *b) {
  if (a->kind == OBJ_VALUE && b->kind == OBJ_VALUE)
    return a->value->type == b->value->type ? a->value->type : NULL;
  if (obj_is_number(a) && obj_is_number(b)) {
    const Type *x = elab_scalar(e, const_elem(&a->constant)), *y = elab_scalar(e, const_elem(&b->constant));
    if (number_becomes(&b->constant, x)) return x;
    return number_becomes(&a->constant, y) ? y : NULL;
  }
  const Obj *number = a->kind == OBJ_VALUE ? b : a, *value = a->kind == OBJ_VALUE ? a : b;
  if (value->kind != OBJ_VALUE || !obj_is_number(number)) return NULL;
  return number_becomes(&number->constant, value->value->type) ? value->value->type : NULL;
}

// Joins two objects: equal parts stay, others become leaves whose slots lie in *out, which must not move.
// False: no common type.
static bool join(Elab *e, const Obj *a, const Obj *b, Obj *out, Leaves *leaves) {
  *out = *a;
  if (a->kind == OBJ_ERROR || b->kind == OBJ_ERROR) {
    out->kind = OBJ_ERROR;
    return true;
  }
  if (obj_equal(a, b)) return true;
  if (a->kind == OBJ_TUPLE && b->kind == OBJ_TUPLE && a->items.n == b->items.n) {
    *out = obj_tuple(e, a->items.n);
    for (uint32_t i = 0; i < a->items.n; i++)
      if (!join(e, &a->items.at[i], &b->items.at[i], &out->items.at[i], leaves)) return false;
    return true;
  }
  const Type *type = join_type(e, a, b);
  if (!type) return false;
  vec_push(e->arena, leaves, ((Leaf){*a, *b, type, out}));
  return true;
}

static void type_changes(Elab *e, Loc loc, const char *name, const Binding *a, const char *where_a,
                         const Binding *b, const char *where_b) {
  Diag *diag = diag_error(e->diags, loc, "'%s' changes its type: it is %s %s and %s %s", name,
                          obj_describe(e, &a->obj), where_a, obj_describe(e, &b->obj), where_b);
  diag_note(e->diags, diag, a->loc, "%s here", obj_describe(e, &a->obj));
  diag_note(e->diags, diag, b->loc, "%s here", obj_describe(e, &b->obj));
}

// --- if ---

// An `if` while its arms are elaborated.
typedef struct Branch {
  Op *op; // provisional, without results
  Builder after;
  Loc loc;
} Branch;

static Branch begin_if(Elab *e, Loc loc, Value *condition) {
  e->b.loc = elab_loc(e, loc);
  Branch branch = {.op = build_if(&e->b, condition, 0, NULL), .loc = e->b.loc};
  branch.after = e->b;
  return branch;
}

static void enter_arm(Elab *e, const Branch *branch, uint32_t arm) {
  e->b = builder_at_end(e->func, branch->op->regions[arm]);
}

static void yield_leaves(Elab *e, Region *region, const Leaves *leaves, bool second, Loc loc) {
  Value **values = ARENA_ARRAY(e->arena, Value *, leaves->n);
  e->b = builder_at_end(e->func, region);
  for (uint32_t i = 0; i < leaves->n; i++) {
    const Leaf *leaf = &leaves->at[i];
    Loc plain = loc;
    plain.call = 0;
    const Obj *obj = second ? &leaf->b : &leaf->a;
    values[i] =
        obj->kind == OBJ_VALUE ? obj->value : elab_value(e, plain, "a carried value", obj, leaf->type);
    if (!values[i])
      values[i] =
          build_int(&e->b, elab_scalar(e, ELEM_I32), 0); // an error was given: the function is dropped
  }
  e->b.loc = loc;
  build_op(&e->b, OP_YIELD, leaves->n, values, 0, NULL);
}

static void end_if(Elab *e, Branch *branch, const Leaves *leaves) {
  Op *op = branch->op;
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
  for (uint32_t arm = 0; arm < 2; arm++) yield_leaves(e, op->regions[arm], leaves, arm == 1, branch->loc);
  for (uint32_t i = 0; i < leaves->n; i++) *leaves->at[i].slot = obj_value(&op->results[i]);
  e->b = branch->after;
}

static void maybe_bound(Elab *e, const Binding *binding) {
  Binding maybe = *binding;
  maybe.maybe = true;
  Binding *old = elab_find(e->frame, binding->name);
  if (old)
    *old = maybe;
  else
    vec_push(e->arena, &e->frame->vars, maybe);
}

// Joins the bindings after the two arms into the frame; the arms' values become leaves.
static void join_vars(Elab *e, Loc loc, Vars before, Vars a, Vars b, Leaves *leaves) {
  restore_vars(e, before);
  uint32_t n = a.n + b.n;
  Obj *joined = ARENA_ARRAY(e->arena, Obj, n);
  Binding *bindings = ARENA_ARRAY(e->arena, Binding, n);
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    const Binding *at = i < a.n ? &a.at[i] : &b.at[i - a.n];
    const Binding *other = find_var(i < a.n ? b : a, at->name);
    if (i >= a.n && other) continue; // both have it: done
    if (!other || at->maybe || other->maybe) {
      maybe_bound(e, other && other->maybe ? other : at);
      continue;
    }
    bindings[count] = obj_equal(&at->obj, &other->obj) ? *at : *other;
    if (!join(e, &at->obj, &other->obj, &joined[count], leaves)) {
      type_changes(e, elab_loc(e, loc), at->name, at, "in one branch", other, "in the other");
      joined[count].kind = OBJ_ERROR;
    }
    count++;
  }
  for (uint32_t i = 0; i < count; i++) { // the slots are filled by end_if: bound by then
    bindings[i].obj = joined[i];
    bindings[i].maybe = false;
    Binding *old = elab_find(e->frame, bindings[i].name);
    if (old)
      *old = bindings[i];
    else
      vec_push(e->arena, &e->frame->vars, bindings[i]);
  }
  for (uint32_t i = 0; i < leaves->n; i++) // slots within `joined` move with their binding
    for (uint32_t k = 0; k < count; k++)
      if (leaves->at[i].slot == &joined[k]) leaves->at[i].slot = &elab_find(e->frame, bindings[k].name)->obj;
}

static void name_results(Elab *e) {
  for (uint32_t i = 0; i < e->frame->vars.n; i++) {
    Binding *binding = &e->frame->vars.at[i];
    if (binding->obj.kind == OBJ_VALUE && binding->obj.value && !binding->obj.value->name)
      binding->obj.value->name = binding->name;
  }
}

static Flow run_arm(Elab *e, const Stmt *stmt, uint32_t arm, bool then, const Cont *rest) {
  if (then) return elab_block(e, &stmt->branch.arms.at[arm].body, rest);
  if (arm + 1 < stmt->branch.arms.n) return elab_if(e, stmt, arm + 1, rest);
  return elab_block(e, &stmt->branch.orelse, rest);
}

static bool arms_return(const Stmt *stmt, uint32_t arm) {
  bool returns = elab_has_return(&stmt->branch.orelse);
  for (uint32_t i = arm; i < stmt->branch.arms.n; i++)
    returns = returns || elab_has_return(&stmt->branch.arms.at[i].body);
  return returns;
}

// `if c: return a` with a rest is `if c: return a` `else: rest`: the op's arms run to the function's end.
static Flow run_returning_if(Elab *e, const Stmt *stmt, uint32_t arm, Value *condition, const Cont *rest) {
  Loc loc = stmt->branch.arms.at[arm].loc;
  if (e->frame->loops || e->frame->unrolled) {
    elab_error(e, loc, "return in a loop is not built yet");
    return FLOW_NEXT;
  }
  Branch branch = begin_if(e, loc, condition);
  Vars before = save_vars(e);
  Binding results[2];
  Leaves leaves = {0};
  for (uint32_t i = 0; i < 2; i++) {
    restore_vars(e, before);
    e->frame->result = obj_none();
    e->frame->result_loc = branch.loc;
    enter_arm(e, &branch, i);
    if (run_arm(e, stmt, arm, i == 0, rest) == FLOW_NEXT) elab_rest(e, rest);
    results[i] = (Binding){.name = "the result", .obj = e->frame->result, .loc = e->frame->result_loc};
  }
  Obj *joined = ARENA_NEW(e->arena, Obj);
  if (!join(e, &results[0].obj, &results[1].obj, joined, &leaves)) {
    type_changes(e, branch.loc, "the result", &results[0], "in one branch", &results[1], "in the other");
    joined->kind = OBJ_ERROR;
  }
  end_if(e, &branch, &leaves);
  e->frame->result = *joined;
  return FLOW_RETURN;
}

Flow elab_run_if(Elab *e, const Stmt *stmt, uint32_t arm, Value *condition, const Cont *rest) {
  if (arms_return(stmt, arm)) return run_returning_if(e, stmt, arm, condition, rest);
  Loc loc = stmt->branch.arms.at[arm].loc;
  Branch branch = begin_if(e, loc, condition);
  Vars before = save_vars(e), after[2];
  for (uint32_t i = 0; i < 2; i++) {
    restore_vars(e, before);
    enter_arm(e, &branch, i);
    run_arm(e, stmt, arm, i == 0, NULL);
    after[i] = save_vars(e);
  }
  Leaves leaves = {0};
  join_vars(e, loc, before, after[0], after[1], &leaves);
  end_if(e, &branch, &leaves);
  name_results(e);
  return FLOW_NEXT;
}

Obj elab_run_conditional(Elab *e, const Expr *expr, Value *condition) {
  Branch branch = begin_if(e, expr->loc, condition);
  Obj arms[2], *joined = ARENA_NEW(e->arena, Obj);
  Leaves leaves = {0};
  for (uint32_t i = 0; i < 2; i++) {
    enter_arm(e, &branch, i);
    arms[i] = elab_expr(e, i == 0 ? expr->conditional.then : expr->conditional.otherwise);
  }
  if (!join(e, &arms[0], &arms[1], joined, &leaves)) {
    elab_error(e, expr->loc, "the two sides of the conditional have different types: %s and %s",
               obj_describe(e, &arms[0]), obj_describe(e, &arms[1]));
    joined->kind = OBJ_ERROR;
  }
  end_if(e, &branch, &leaves);
  return *joined;
}

// --- for ---

// Splits an object into values: *out is a copy whose values are slots, to be filled with the loop's arguments
// and then its results.
static void flatten(Elab *e, const Obj *obj, Obj *out, Leaves *leaves) {
  *out = *obj;
  if (obj->kind == OBJ_TUPLE) {
    *out = obj_tuple(e, obj->items.n);
    for (uint32_t i = 0; i < obj->items.n; i++) flatten(e, &obj->items.at[i], &out->items.at[i], leaves);
  }
  if (obj->kind != OBJ_VALUE && !obj_is_number(obj)) return;
  const Type *type = obj->kind == OBJ_VALUE ? obj->value->type : elab_scalar(e, const_elem(&obj->constant));
  vec_push(e->arena, leaves, ((Leaf){.a = *obj, .type = type, .slot = out}));
}

// Matches an object at the body's end with what the loop carries in that place.
static bool match(Elab *e, const Obj *carried, const Obj *end, Leaves *leaves, uint32_t *next) {
  if (carried->kind == OBJ_VALUE) {
    Leaf *leaf = &leaves->at[(*next)++];
    leaf->b = *end;
    if (end->kind == OBJ_ERROR) return true;
    if (end->kind == OBJ_VALUE) return end->value->type == leaf->type;
    return obj_is_number(end) && number_becomes(&end->constant, leaf->type);
  }
  if (carried->kind != OBJ_TUPLE)
    return end->kind == OBJ_ERROR || carried->kind == OBJ_ERROR || obj_equal(carried, end);
  if (end->kind != OBJ_TUPLE || end->items.n != carried->items.n) return end->kind == OBJ_ERROR;
  for (uint32_t i = 0; i < carried->items.n; i++)
    if (!match(e, &carried->items.at[i], &end->items.at[i], leaves, next)) return false;
  return true;
}

typedef struct Carried {
  Binding init;   // before the loop
  Obj *obj;       // within, then after
  uint32_t first; // its first leaf
} Carried;

typedef struct Loop {
  VEC(Carried) carried;
  Leaves leaves;
  AssignedNames assigned;
  Op *op;
  Vars before;
} Loop;

static void find_carried(Elab *e, const Stmt *stmt, Loop *loop) {
  elab_assigned(e, &stmt->loop.body, &loop->assigned);
  for (uint32_t i = 0; i < loop->assigned.n; i++) {
    const Binding *binding = elab_find(e->frame, loop->assigned.at[i].name);
    bool is_target =
        stmt->loop.target->kind == EXPR_NAME && stmt->loop.target->name == loop->assigned.at[i].name;
    if (!binding || binding->maybe || is_target) continue;
    Carried carried = {*binding, ARENA_NEW(e->arena, Obj), loop->leaves.n};
    flatten(e, &binding->obj, carried.obj, &loop->leaves);
    vec_push(e->arena, &loop->carried, carried);
  }
}

static bool build_loop(Elab *e, Loc loc, Loop *loop, Value *lower, Value *upper, Value *step) {
  Value **init = ARENA_ARRAY(e->arena, Value *, loop->leaves.n);
  for (uint32_t i = 0; i < loop->leaves.n; i++) {
    const Leaf *leaf = &loop->leaves.at[i];
    init[i] = leaf->a.kind == OBJ_VALUE ? leaf->a.value
                                        : elab_value(e, loc, "a carried value", &leaf->a, leaf->type);
    if (!init[i]) return false;
  }
  e->b.loc = elab_loc(e, loc);
  loop->op = build_for(&e->b, lower, upper, step, loop->leaves.n, init);
  return true;
}

static void bind_carried(Elab *e, Loop *loop, Value *const *values, Value *results) {
  for (uint32_t i = 0; i < loop->leaves.n; i++)
    *loop->leaves.at[i].slot = obj_value(values ? values[i] : &results[i]);
  for (uint32_t i = 0; i < loop->carried.n; i++) {
    const Carried *carried = &loop->carried.at[i];
    Binding *binding = elab_find(e->frame, carried->init.name);
    if (!binding) continue;
    *binding = carried->init;
    binding->obj = *carried->obj;
    Value *value = binding->obj.kind == OBJ_VALUE ? binding->obj.value : NULL;
    if (value && !value->name) value->name = binding->name;
  }
}

static void check_carried(Elab *e, Loc loc, Loop *loop) {
  for (uint32_t i = 0; i < loop->carried.n; i++) {
    Carried *carried = &loop->carried.at[i];
    const Binding *end = elab_find(e->frame, carried->init.name);
    uint32_t next = carried->first,
             last = i + 1 < loop->carried.n ? loop->carried.at[i + 1].first : loop->leaves.n;
    bool good = end && match(e, carried->obj, &end->obj, &loop->leaves, &next);
    if (good && next == last) continue;
    if (!good) {
      Obj shown = *carried->obj;
      Binding init = carried->init;
      init.obj = shown;
      type_changes(e, elab_loc(e, loc), init.name, &init, "before the loop", end ? end : &init,
                   "at the end of its body");
    }
    for (uint32_t k = carried->first; k < last; k++) loop->leaves.at[k].b = loop->leaves.at[k].a;
    carried->obj->kind = good ? carried->obj->kind : OBJ_ERROR;
  }
}

void elab_run_for(Elab *e, const Stmt *stmt, Value *lower, Value *upper, Value *step) {
  Loop loop = {0};
  find_carried(e, stmt, &loop);
  if (!build_loop(e, stmt->loc, &loop, lower, upper, step)) return;
  Builder after = e->b;
  Region *region = loop.op->regions[0];
  loop.before = save_vars(e);
  e->b = builder_at_end(e->func, region);
  bind_carried(e, &loop, region->args + 1, NULL);
  elab_assign(e, stmt->loop.target, obj_value(region->args[0]));
  if (stmt->loop.target->kind == EXPR_NAME) region->args[0]->name = stmt->loop.target->name;
  e->frame->loops++;
  elab_block(e, &stmt->loop.body, NULL);
  e->frame->loops--;
  check_carried(e, stmt->loc, &loop);
  yield_leaves(e, region, &loop.leaves, true, elab_loc(e, stmt->loc));
  Vars end = save_vars(e);
  e->b = after;
  restore_vars(e, loop.before);
  bind_carried(e, &loop, NULL, loop.op->results);
  for (uint32_t i = 0; i < end.n; i++) // what the body alone assigns has no value where it never ran
    if (!find_var(loop.before, end.at[i].name)) maybe_bound(e, &end.at[i]);
  if (stmt->loop.target->kind == EXPR_NAME) {
    const Binding *target = find_var(end, stmt->loop.target->name);
    if (target) maybe_bound(e, target);
  }
}
