// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-time loops. Every name that the body assigns and that has a value before is loop-carried. A loop whose
// body may return becomes a while loop. It also carries a flag and the result, and ends when the flag is set.
#include "frontend/elaborate/elab_flow.h"
#include "frontend/builtins/builtins.h"

typedef struct Carried {
  Binding init;   // before the loop
  Obj *obj;       // inside the loop, then after it
  uint32_t first; // its first leaf
} Carried;

typedef struct Loop {
  const Stmt *stmt;
  Loc loc;
  VEC(Carried) carried;
  Leaves leaves; // a: before the loop, b: at the body's end
  AssignedNames assigned;
  Op *op;
  Vars before;
  Builder after;
} Loop;

// --- Loop-carried values ---

// Splits an object into values. *out is a copy whose values are slots. They are filled with the loop's
// arguments, later with its results.
static void flatten_carried(Elab *e, const Obj *obj, Obj *out, Leaves *leaves) {
  *out = *obj;
  if (obj->kind == OBJ_TUPLE) {
    *out = obj_tuple_like(e, obj);
    for (uint32_t i = 0; i < obj->items.n; i++)
      flatten_carried(e, &obj->items.at[i], &out->items.at[i], leaves);
  }
  if (obj->kind != OBJ_VALUE && !obj_is_number(obj)) return;
  const Type *type = obj->kind == OBJ_VALUE ? obj->value->type : elab_scalar(e, obj_elem(obj));
  vec_push(e->arena, leaves, ((Leaf){.a = *obj, .type = type, .slot = out}));
}

// Matches an object at the body's end with the loop-carried object in that place.
static bool match_object(Elab *e, const Obj *carried, const Obj *end, Leaves *leaves, uint32_t *next) {
  if (carried->kind == OBJ_VALUE) {
    Leaf *leaf = &leaves->at[(*next)++];
    leaf->b = *end;
    if (end->kind == OBJ_ERROR) return true;
    if (end->kind == OBJ_VALUE) return end->value->type == leaf->type;
    return obj_is_number(end) && elab_number_becomes(&end->constant, leaf->type);
  }
  if (carried->kind != OBJ_TUPLE)
    return end->kind == OBJ_ERROR || carried->kind == OBJ_ERROR || obj_equal(carried, end);
  if (end->kind != OBJ_TUPLE || end->items.n != carried->items.n) return end->kind == OBJ_ERROR;
  for (uint32_t i = 0; i < carried->items.n; i++)
    if (!match_object(e, &carried->items.at[i], &end->items.at[i], leaves, next)) return false;
  return true;
}

static bool is_target(const Loop *loop, const char *name) {
  const Expr *target = loop->stmt->loop.target;
  return target && target->kind == EXPR_NAME && target->name == name;
}

static Loop begin_loop(Elab *e, const Stmt *stmt) {
  Loop loop = {.stmt = stmt, .loc = elab_loc(e, stmt->loc)};
  elab_assigned_in_loop(e, &stmt->loop.body, &loop.assigned);
  for (uint32_t i = 0; i < loop.assigned.n; i++) {
    const Binding *binding = elab_find(e->frame, loop.assigned.at[i].name);
    if (!binding || binding->maybe || is_target(&loop, binding->name)) continue;
    Carried carried = {*binding, ARENA_NEW(e->arena, Obj), loop.leaves.n};
    flatten_carried(e, &binding->obj, carried.obj, &loop.leaves);
    vec_push(e->arena, &loop.carried, carried);
  }
  elab_work(e, loop.leaves.n / LEAVES_A_STEP);
  return loop;
}

// The leaves' values before the loop; NULL after an error.
static Value **initial_values(Elab *e, const Loop *loop) {
  Value **init = ARENA_ARRAY(e->arena, Value *, loop->leaves.n);
  for (uint32_t i = 0; i < loop->leaves.n; i++) {
    const Leaf *leaf = &loop->leaves.at[i];
    init[i] = leaf->a.kind == OBJ_VALUE
                  ? leaf->a.value
                  : elab_value(e, loop->stmt->loc, "a carried value", &leaf->a, leaf->type);
    if (!init[i]) return NULL;
  }
  e->b.loc = loop->loc;
  return init;
}

static void bind_carried(Elab *e, Loop *loop, Value *const *args, Value *results) {
  for (uint32_t i = 0; i < loop->leaves.n; i++)
    *loop->leaves.at[i].slot = obj_value(args ? args[i] : &results[i]);
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

static uint32_t last_leaf(const Loop *loop, uint32_t i) {
  return i + 1 < loop->carried.n ? loop->carried.at[i + 1].first : loop->leaves.n;
}

static void match_carried(Elab *e, Loop *loop, Carried *carried, uint32_t last) {
  const Binding *end = elab_find(e->frame, carried->init.name);
  uint32_t next = carried->first;
  bool good = end && match_object(e, carried->obj, &end->obj, &loop->leaves, &next);
  if (end && end->maybe) {
    Diag *diag =
        diag_error(e->diags, loop->loc, "[T0206] '%s' may have no value at the end of the loop's body",
                   carried->init.name);
    diag_note(e->diags, diag, end->loc,
              "it is assigned here, which is only on some of the paths that lead there");
    *carried->obj = (Obj){.kind = OBJ_ERROR};
  } else if (good && next == last)
    return;
  else if (!good) {
    Binding init = carried->init;
    init.obj = *carried->obj;
    elab_type_changes(e, loop->loc, init.name, &init, "before the loop", end ? end : &init,
                      "at the end of its body");
    *carried->obj = (Obj){.kind = OBJ_ERROR};
  }
  for (uint32_t k = carried->first; k < last; k++) loop->leaves.at[k].b = loop->leaves.at[k].a;
}

// The values that the body's end passes on. If the body always returns, it passes on its arguments.
static void end_carried(Elab *e, Loop *loop, Flow flow, Value *const *args) {
  for (uint32_t i = 0; i < loop->carried.n; i++)
    if (flow != FLOW_RETURN) match_carried(e, loop, &loop->carried.at[i], last_leaf(loop, i));
  for (uint32_t i = 0; i < loop->leaves.n; i++)
    if (flow == FLOW_RETURN) loop->leaves.at[i].b = obj_value(args[i]);
}

static Flow run_body(Elab *e, Loop *loop) {
  const Stmt *outer = e->loop;
  e->frame->regions++;
  e->loop = loop->stmt;
  Flow flow = elab_block(e, &loop->stmt->loop.body, NULL);
  e->loop = outer;
  e->frame->regions--;
  return flow;
}

// Binds the names after the loop: loop-carried ones, and those that only the body assigns. The latter have no
// value if the body never ran.
static void bind_after(Elab *e, Loop *loop, Vars end, Value *results) {
  e->b = loop->after;
  elab_restore_vars(e, loop->before);
  bind_carried(e, loop, NULL, results);
  for (uint32_t i = 0; i < end.n; i++)
    if (is_target(loop, end.at[i].name) || !elab_find_var(loop->before, end.at[i].name))
      elab_maybe_bound(e, &end.at[i]);
}

// --- Loops that may return ---

// The extra parts of a returning loop: a counter (for), the flag, the result.
typedef struct Returning {
  Obj *result;   // its slots are in `leaves`
  Leaves leaves; // counter, carried, flag, result
} Returning;

static Op *build_returning(Elab *e, const Loop *loop, const Returning *all, uint32_t counters) {
  uint32_t n = all->leaves.n;
  Value **init = ARENA_ARRAY(e->arena, Value *, n);
  e->b = loop->after;
  for (uint32_t i = 0; i < n; i++) {
    const Leaf *leaf = &all->leaves.at[i];
    bool carried = i >= counters && i - counters < loop->leaves.n;
    if (carried) // as the provisional op received it
      init[i] = op_operand(loop->op, loop->op->operand_count - loop->leaves.n + i - counters);
    else
      init[i] = leaf->a.kind == OBJ_VALUE ? leaf->a.value : elab_any_value(e, leaf->type);
  }
  e->b.loc = loop->loc;
  return build_while(&e->b, n, init);
}

static void take_ops(Region *from, Region *to, Value *const *args, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    value_replace_uses(from->args[i], args[i]);
    if (!args[i]->name) args[i]->name = from->args[i]->name;
  }
  while (from->first) op_move(from->first, to, NULL);
}

static void take_arg(Obj *obj, Region *from, Value *const *args) {
  if (obj->kind == OBJ_VALUE && obj->value->region == from) obj->value = args[obj->value->index];
}

static Returning collect_returns(Elab *e, Loop *loop, Flow flow, const Leaf *counter) {
  Returning all = {.result = ARENA_NEW(e->arena, Obj)};
  if (counter) vec_push(e->arena, &all.leaves, *counter);
  for (uint32_t i = 0; i < loop->leaves.n; i++) vec_push(e->arena, &all.leaves, loop->leaves.at[i]);
  Leaf flag = {.a = obj_bool(false),
               .b = flow == FLOW_RETURN ? obj_bool(true) : e->frame->returned,
               .type = elab_scalar(e, ELEM_I1),
               .slot = &e->frame->returned};
  vec_push(e->arena, &all.leaves, flag);
  Obj absent = {.kind = OBJ_ABSENT};
  elab_join(e, loop->op, &absent, &e->frame->result, all.result, &all.leaves);
  return all;
}

// i < upper, or i > upper if step < 0.
static Value *counter_test(Elab *e, Value *i, Value *upper, Value *step) {
  int64_t constant;
  if (value_int_constant(step, &constant)) return build_binary(&e->b, constant < 0 ? OP_GT : OP_LT, i, upper);
  Value *down = build_with_int(&e->b, OP_LT, step, 0);
  Value *above = build_binary(&e->b, OP_GT, i, upper), *below = build_binary(&e->b, OP_LT, i, upper);
  return build(&e->b, OP_SELECT, above->type, down, above, below);
}

// The first region's test: false after a return, else the loop's own test.
static void yield_test(Elab *e, const Loop *loop, Op *op, Value *flag, Region *test) {
  const Type *i1 = elab_scalar(e, ELEM_I1);
  e->b = builder_inside(op->regions[0], loop->loc);
  Op *branch = build_if(&e->b, flag, 1, &i1);
  Builder after = e->b;
  e->b = builder_inside(branch->regions[0], loop->loc);
  Value *stop = build_int(&e->b, i1, 0);
  build_op(&e->b, OP_YIELD, 1, &stop, 0, NULL);
  e->b = builder_inside(branch->regions[1], loop->loc);
  Value *go = NULL;
  if (test) { // for a while loop: its region's ops up to the yield
    Op *yield = test->last;
    go = op_operand(yield, 0);
    op_erase(yield);
    take_ops(test, branch->regions[1], op->regions[0]->args, test->arg_count);
    for (uint32_t i = 0; i < test->arg_count; i++)
      if (go == test->args[i]) go = op->regions[0]->args[i];
    e->b = builder_inside(branch->regions[1], loop->loc);
  } else
    go = counter_test(e, loop_index(op), loop_upper(loop->op), loop_step(loop->op));
  build_op(&e->b, OP_YIELD, 1, &go, 0, NULL);
  e->b = after;
  e->b.loc = loop->loc;
  Value **values = ARENA_ARRAY(e->arena, Value *, op->result_count + 1);
  values[0] = op_result(branch);
  for (uint32_t i = 0; i < op->result_count; i++) values[i + 1] = op->regions[0]->args[i];
  build_op(&e->b, OP_YIELD, op->result_count + 1, values, 0, NULL);
}

static bool is_always_true(const Op *op) {
  int64_t constant;
  return value_int_constant(op_operand(op->regions[0]->last, 0), &constant) && constant != 0;
}

// Rebuilds a provisional loop as one that ends when it returns. Its body is complete except for the yield.
static Flow finish_returning(Elab *e, Loop *loop, Flow flow, const Cont *rest) {
  bool is_for = loop->op->kind == OP_FOR, endless = !is_for && is_always_true(loop->op);
  Region *body = loop->op->regions[!is_for];
  Value **args = body->args;
  end_carried(e, loop, flow, args + is_for);
  Vars end = elab_save_vars(e);
  Leaf counter = {.a = obj_value(loop_lower(loop->op)), .slot = ARENA_NEW(e->arena, Obj)};
  if (is_for) {
    counter.type = args[0]->type;
    e->b.loc = loop->loc;
    counter.b = obj_value(build_binary(&e->b, OP_ADD, args[0], loop_step(loop->op)));
  }
  Returning all = collect_returns(e, loop, flow, is_for ? &counter : NULL);
  Op *op = build_returning(e, loop, &all, is_for);
  Builder after = e->b;
  uint32_t flag = is_for + loop->leaves.n;
  take_ops(body, op->regions[1], op->regions[1]->args, body->arg_count);
  for (uint32_t i = 0; i < all.leaves.n; i++) take_arg(&all.leaves.at[i].b, body, op->regions[1]->args);
  elab_yield(e, op->regions[1], NULL, &all.leaves, true, loop->loc);
  yield_test(e, loop, op, op->regions[0]->args[flag], is_for ? NULL : loop->op->regions[0]);
  op_erase(loop->op);
  loop->after = after;
  bind_after(e, loop, end, op->results + is_for);
  for (uint32_t i = flag; i < all.leaves.n; i++) *all.leaves.at[i].slot = obj_value(&op->results[i]);
  e->frame->result = *all.result;
  if (endless) { // it ends only by returning
    e->frame->returned = obj_bool(true);
    return FLOW_RETURN;
  }
  return elab_guard(e, loop->stmt->loc, rest);
}

// --- for ---

static void set_options(Op *op, const Call *options) {
  static const struct {
    uint32_t param;
    AttrKey key;
    bool flag;
  } known[] = {{RANGE_NUM_STAGES, ATTR_NUM_STAGES, false},
               {RANGE_LOOP_UNROLL_FACTOR, ATTR_UNROLL, false},
               {RANGE_FLATTEN, ATTR_FLATTEN, true},
               {RANGE_WARP_SPECIALIZE, ATTR_WARP_SPECIALIZE, true}};
  for (size_t i = 0; options && i < sizeof known / sizeof *known; i++) {
    const Obj *obj = &options->args[known[i].param];
    bool set = (obj_is(obj, CONST_INT) || obj_is(obj, CONST_BOOL)) && obj->constant.i > 0;
    if (!set) continue;
    Attr attr = {.key = known[i].key};
    if (!known[i].flag) attr.i = obj->constant.i;
    op_set_attr(op, attr);
  }
}

Flow elab_run_for(Elab *e, const Stmt *stmt, Value *const bounds[3], Elem counter, const Call *options,
                  const Cont *rest) {
  Loop loop = begin_loop(e, stmt);
  Value **init = initial_values(e, &loop);
  if (!init) return FLOW_NEXT;
  loop.op = build_for(&e->b, bounds[0], bounds[1], bounds[2], loop.leaves.n, init);
  set_options(loop.op, options);
  loop.after = e->b;
  loop.before = elab_save_vars(e);
  Region *region = loop.op->regions[0];
  e->b = builder_at_end(e->func, region);
  bind_carried(e, &loop, region->args + 1, NULL);
  e->b.loc = loop.loc;
  elab_assign(e, stmt->loop.target, obj_value(build_cast(&e->b, region->args[0], elab_scalar(e, counter))));
  if (stmt->loop.target->kind == EXPR_NAME) region->args[0]->name = stmt->loop.target->name;
  Flow flow = run_body(e, &loop);
  if (flow != FLOW_NEXT && !e->stopped) return finish_returning(e, &loop, flow, rest);
  end_carried(e, &loop, flow, region->args + 1);
  elab_yield(e, region, NULL, &loop.leaves, true, loop.loc);
  Vars end = elab_save_vars(e);
  bind_after(e, &loop, end, loop.op->results);
  return flow;
}

// --- while ---

// Elaborates the condition in the first region, and yields it with the loop-carried values. False: there is
// no loop to run.
static bool elab_test(Elab *e, Loop *loop) {
  const Expr *condition = loop->stmt->loop.condition;
  Region *region = loop->op->regions[0];
  e->b = builder_at_end(e->func, region);
  bind_carried(e, loop, region->args, NULL);
  Obj obj = elab_expr(e, condition);
  Value *value = elab_condition(e, condition->loc, "a condition", &obj);
  Value **values = ARENA_ARRAY(e->arena, Value *, region->arg_count + 1);
  e->b.loc = loop->loc;
  values[0] = value ? value : build_int(&e->b, elab_scalar(e, ELEM_I1), 0);
  for (uint32_t i = 0; i < region->arg_count; i++) values[i + 1] = region->args[i];
  build_op(&e->b, OP_YIELD, region->arg_count + 1, values, 0, NULL);
  return value != NULL;
}

// True if the block contains a `break` of this loop.
static bool has_break(const Block *block) {
  for (uint32_t i = 0; i < block->n; i++) {
    const Stmt *stmt = block->at[i];
    if (stmt->kind == STMT_BREAK) return true;
    if (stmt->kind != STMT_IF) continue;
    for (uint32_t k = 0; k < stmt->branch.arms.n; k++)
      if (has_break(&stmt->branch.arms.at[k].body)) return true;
    if (has_break(&stmt->branch.orelse)) return true;
  }
  return false;
}

Flow elab_while(Elab *e, const Stmt *stmt, const Cont *rest) {
  Loop loop = begin_loop(e, stmt);
  Value **init = initial_values(e, &loop);
  if (!init) {
    elab_bind_unknown(e, &loop.assigned);
    return FLOW_NEXT;
  }
  loop.op = build_while(&e->b, loop.leaves.n, init);
  loop.after = e->b;
  loop.before = elab_save_vars(e);
  bool good = elab_test(e, &loop);
  uint32_t raised = e->diags->raised;
  Region *region = loop.op->regions[1];
  e->b = builder_at_end(e->func, region);
  elab_restore_vars(e, loop.before);
  bind_carried(e, &loop, region->args, NULL);
  Flow flow = run_body(e, &loop);
  if (flow != FLOW_NEXT && !e->stopped) return finish_returning(e, &loop, flow, rest);
  bool told = e->diags->raised > raised && has_break(&stmt->loop.body);
  if (good && is_always_true(loop.op) && !e->stopped && !told)
    elab_error(e, stmt->loop.condition->loc,
               "[T1404] the loop never ends: its condition is always true, and nothing "
               "in it returns");
  end_carried(e, &loop, flow, region->args);
  elab_yield(e, region, NULL, &loop.leaves, true, loop.loc);
  Vars end = elab_save_vars(e);
  bind_after(e, &loop, end, loop.op->results);
  return flow;
}
