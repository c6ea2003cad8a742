// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements: blocks, assignments, branches and loops that are decided now, returns, assertions.
#include "frontend/elaborate.h"

// --- Names ---

Binding *elab_find(const Frame *frame, const char *name) {
  for (uint32_t i = frame->vars.n; i-- > 0;)
    if (frame->vars.at[i].name == name) return &frame->vars.at[i];
  return NULL;
}

void elab_bind_quietly(Elab *e, const char *name, Loc loc, Obj obj) {
  Binding *old = elab_find(e->frame, name), binding = {.name = name, .obj = obj, .loc = elab_loc(e, loc)};
  if (old)
    *old = binding;
  else
    vec_push(e->arena, &e->frame->vars, binding);
}

void elab_bind(Elab *e, const char *name, Loc loc, Obj obj) {
  if (obj.kind == OBJ_VALUE && !obj.value->name && obj.value->def) obj.value->name = name;
  elab_bind_quietly(e, name, loc, obj);
}

static void note_name(Elab *e, const char *name, Loc loc, AssignedNames *names) {
  for (uint32_t i = 0; i < names->n; i++)
    if (names->at[i].name == name) return;
  vec_push(e->arena, names, ((Name){loc, name}));
}

static void note_target(Elab *e, const Expr *target, AssignedNames *names) {
  if (target->kind == EXPR_NAME) note_name(e, target->name, target->loc, names);
  if (target->kind == EXPR_STAR) note_target(e, target->operand, names);
  if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return;
  for (uint32_t i = 0; i < target->list.n; i++) note_target(e, target->list.at[i], names);
}

static void note_stmt(Elab *e, const Stmt *stmt, AssignedNames *names) {
  if (stmt->kind == STMT_ASSIGN)
    for (uint32_t i = 0; i < stmt->assign.targets.n; i++) note_target(e, stmt->assign.targets.at[i], names);
  if (stmt->kind == STMT_ANNOTATED && stmt->annotated.value) note_target(e, stmt->annotated.target, names);
  if (stmt->kind == STMT_AUGMENTED) note_target(e, stmt->augmented.target, names);
  if (stmt->kind == STMT_FOR || stmt->kind == STMT_WHILE) {
    if (stmt->loop.target) note_target(e, stmt->loop.target, names);
    elab_assigned(e, &stmt->loop.body, names);
    elab_assigned(e, &stmt->loop.orelse, names);
  }
  if (stmt->kind != STMT_IF) return;
  for (uint32_t i = 0; i < stmt->branch.arms.n; i++) elab_assigned(e, &stmt->branch.arms.at[i].body, names);
  elab_assigned(e, &stmt->branch.orelse, names);
}

void elab_assigned(Elab *e, const Block *block, AssignedNames *names) {
  for (uint32_t i = 0; i < block->n; i++) note_stmt(e, block->at[i], names);
}

static void prune(Elab *e, const Block *block) {
  AssignedNames names = {0};
  elab_assigned(e, block, &names);
  for (uint32_t i = 0; i < names.n; i++) vec_push(e->arena, &e->frame->pruned, names.at[i]);
}

bool elab_has_return(const Block *block) {
  for (uint32_t i = 0; i < block->n; i++) {
    const Stmt *stmt = block->at[i];
    if (stmt->kind == STMT_RETURN) return true;
    if ((stmt->kind == STMT_FOR || stmt->kind == STMT_WHILE) &&
        (elab_has_return(&stmt->loop.body) || elab_has_return(&stmt->loop.orelse)))
      return true;
    if (stmt->kind != STMT_IF) continue;
    for (uint32_t k = 0; k < stmt->branch.arms.n; k++)
      if (elab_has_return(&stmt->branch.arms.at[k].body)) return true;
    if (elab_has_return(&stmt->branch.orelse)) return true;
  }
  return false;
}

// --- Assignment ---

static void assign_tuple(Elab *e, const Expr *target, const Obj *obj) {
  const ExprList *list = &target->list;
  if (obj->kind == OBJ_TUPLE && obj->items.n == list->n) {
    for (uint32_t i = 0; i < list->n; i++) elab_assign(e, list->at[i], obj->items.at[i]);
    return;
  }
  if (obj->kind == OBJ_TUPLE)
    elab_error(e, target->loc, "%u names cannot take the %u values of the tuple", list->n, obj->items.n);
  else if (obj->kind != OBJ_ERROR)
    elab_error(e, target->loc, "%u names need a tuple, not %s", list->n, obj_describe(e, obj));
  for (uint32_t i = 0; i < list->n; i++) elab_assign(e, list->at[i], (Obj){.kind = OBJ_ERROR});
}

void elab_assign(Elab *e, const Expr *target, Obj obj) {
  if (target->kind == EXPR_NAME)
    elab_bind(e, target->name, target->loc, obj);
  else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
    assign_tuple(e, target, &obj);
  else if (target->kind == EXPR_STAR)
    elab_error(e, target->loc, "'*' in a target is not built yet");
  else if (target->kind != EXPR_ERROR)
    elab_error(e, target->loc, "only names and tuples of names can be assigned; use store to write memory");
}

static void annotated(Elab *e, const Stmt *stmt) {
  const Type *type;
  bool is_constexpr;
  if (!stmt->annotated.value) return;
  Obj obj = elab_expr(e, stmt->annotated.value);
  ConstValue ignored;
  if (!elab_annotation(e, stmt->annotated.annotation, &type, &is_constexpr))
    obj.kind = OBJ_ERROR;
  else if (is_constexpr &&
           (obj.kind == OBJ_VALUE || (obj.kind == OBJ_TUPLE && !obj_to_const(e, &obj, &ignored))))
    obj = elab_error(e, stmt->annotated.value->loc,
                     "a constexpr must be known at compile time, and this is %s", obj_describe(e, &obj));
  else if (type && obj.kind != OBJ_ERROR)
    obj = obj_value(elab_value(e, stmt->annotated.value->loc, "the value", &obj, type));
  elab_assign(e, stmt->annotated.target, obj);
}

static void augmented(Elab *e, const Stmt *stmt) {
  const Expr *target = stmt->augmented.target;
  if (target->kind != EXPR_NAME) {
    elab_error(e, target->loc, "only a name can be assigned with '%s='", binary_op_text(stmt->augmented.op));
    return;
  }
  Obj a = elab_name(e, target->loc, target->name), b = elab_expr(e, stmt->augmented.value);
  elab_bind(e, target->name, target->loc, elab_binary(e, stmt->loc, stmt->augmented.op, &a, &b));
}

static void assign(Elab *e, const Stmt *stmt) {
  Obj obj = elab_expr(e, stmt->assign.value);
  for (uint32_t i = 0; i < stmt->assign.targets.n; i++) elab_assign(e, stmt->assign.targets.at[i], obj);
}

// --- Assertions, returns ---

static void assertion(Elab *e, const Stmt *stmt) {
  Obj condition = elab_expr(e, stmt->assertion.condition);
  bool truth;
  if (condition.kind == OBJ_ERROR) return;
  if (!const_truth(e, &condition, &truth)) {
    elab_error(e, stmt->loc, "an assertion on run-time values (device_assert) is not built yet");
    return;
  }
  if (truth) return;
  Obj message = stmt->assertion.message ? elab_expr(e, stmt->assertion.message) : obj_string(e, STR(""));
  const char *text = message.kind == OBJ_ERROR ? "" : obj_text(e, &message);
  elab_error(e, stmt->loc, "assertion failed%s%s", text[0] ? ": " : "", text);
}

static Flow run_return(Elab *e, const Stmt *stmt) {
  if (e->frame->loops) {
    elab_error(e, stmt->loc, "return in a loop is not built yet");
    return FLOW_RETURN;
  }
  e->frame->result = stmt->expr ? elab_expr(e, stmt->expr) : obj_none();
  e->frame->result_loc = elab_loc(e, stmt->loc);
  bool in_kernel = !e->frame->outer;
  if (in_kernel && e->frame->result.kind != OBJ_ERROR && !obj_is(&e->frame->result, CONST_NONE))
    elab_error(e, stmt->loc, "a kernel returns nothing; it stores its results");
  return FLOW_RETURN;
}

// --- Branches ---

static Flow else_part(Elab *e, const Stmt *stmt, uint32_t arm, const Cont *rest) {
  if (arm + 1 < stmt->branch.arms.n) return elab_if(e, stmt, arm + 1, rest);
  return elab_block(e, &stmt->branch.orelse, rest);
}

Flow elab_if(Elab *e, const Stmt *stmt, uint32_t arm, const Cont *rest) {
  const IfArm *at = &stmt->branch.arms.at[arm];
  if (!elab_enter(e, at->loc)) return FLOW_RETURN;
  Flow flow = FLOW_NEXT;
  Obj condition = elab_expr(e, at->condition);
  bool truth;
  if (condition.kind == OBJ_ERROR) { // what the arms assign is unknown now, and silently so
    AssignedNames names = {0};
    elab_assigned(e, &at->body, &names);
    for (uint32_t i = arm + 1; i < stmt->branch.arms.n; i++)
      elab_assigned(e, &stmt->branch.arms.at[i].body, &names);
    elab_assigned(e, &stmt->branch.orelse, &names);
    for (uint32_t i = 0; i < names.n; i++) elab_bind(e, names.at[i].name, names.at[i].loc, condition);
  } else if (const_truth(e, &condition, &truth)) {
    if (truth) {
      for (uint32_t i = arm + 1; i < stmt->branch.arms.n; i++) prune(e, &stmt->branch.arms.at[i].body);
      prune(e, &stmt->branch.orelse);
      flow = elab_block(e, &at->body, rest);
    } else {
      prune(e, &at->body);
      flow = else_part(e, stmt, arm, rest);
    }
  } else {
    Value *value = elab_condition(e, at->condition->loc, "a condition", &condition);
    if (value) flow = elab_run_if(e, stmt, arm, value, rest);
  }
  elab_leave(e);
  return flow;
}

// --- Loops ---

// The values of range(stop), range(start, stop), range(start, stop, step); missing ones filled in.
static bool range_args(const Call *call, Obj bounds[3]) {
  bool one = call->args[1].kind == OBJ_ABSENT;
  bounds[0] = one ? obj_int(0) : call->args[0];
  bounds[1] = one ? call->args[0] : call->args[1];
  bounds[2] = call->args[2].kind == OBJ_ABSENT ? obj_int(1) : call->args[2];
  return true;
}

static Flow unrolled_body(Elab *e, const Stmt *stmt, Obj item) {
  elab_assign(e, stmt->loop.target, item);
  e->frame->unrolled++;
  Flow flow = elab_block(e, &stmt->loop.body, NULL);
  e->frame->unrolled--;
  return flow;
}

static Flow unroll_range(Elab *e, const Stmt *stmt, const Obj bounds[3]) {
  int64_t v[3];
  for (int i = 0; i < 3; i++) {
    if (!obj_is(&bounds[i], CONST_INT) || !const_fits(&bounds[i].constant, ELEM_I32)) {
      elab_error(e, stmt->loop.condition->loc,
                 "static_range needs constexpr integers, not %s; range loops at run time",
                 obj_describe(e, &bounds[i]));
      return FLOW_NEXT;
    }
    v[i] = bounds[i].constant.i;
  }
  if (v[2] == 0) {
    elab_error(e, stmt->loop.condition->loc, "static_range's step is zero");
    return FLOW_NEXT;
  }
  int64_t span = v[2] > 0 ? v[1] - v[0] : v[0] - v[1], step = v[2] > 0 ? v[2] : -v[2];
  int64_t count = span <= 0 ? 0 : (span - 1) / step + 1;
  if (count > ELAB_MAX_UNROLL) {
    elab_error(e, stmt->loop.condition->loc,
               "static_range would unroll %lld iterations: at most %d are allowed", (long long)count,
               ELAB_MAX_UNROLL);
    return FLOW_NEXT;
  }
  if (count == 0) prune(e, &stmt->loop.body);
  for (int64_t k = 0; k < count && !e->stopped; k++)
    if (unrolled_body(e, stmt, obj_int(v[0] + k * v[2])) == FLOW_RETURN) return FLOW_RETURN;
  return FLOW_NEXT;
}

static Flow unroll_tuple(Elab *e, const Stmt *stmt, const Obj *tuple) {
  for (uint32_t i = 0; i < tuple->items.n && !e->stopped; i++)
    if (unrolled_body(e, stmt, tuple->items.at[i]) == FLOW_RETURN) return FLOW_RETURN;
  return FLOW_NEXT;
}

static void run_range(Elab *e, const Stmt *stmt, const Obj bounds[3]) {
  static const char *const what[] = {"range's start", "range's end", "range's step"};
  Loc loc = stmt->loop.condition->loc;
  Elem elem = ELEM_I32;
  for (int i = 0; i < 3; i++) {
    if (bounds[i].kind == OBJ_ERROR) return;
    bool is_int = obj_is(&bounds[i], CONST_INT) ||
                  (bounds[i].kind == OBJ_VALUE && bounds[i].value->type->kind == TYPE_SCALAR &&
                   type_is_int(bounds[i].value->type));
    if (!is_int) {
      elab_error(e, loc, "%s must be an integer, not %s", what[i], obj_describe(e, &bounds[i]));
      return;
    }
    Elem own = bounds[i].kind == OBJ_VALUE ? bounds[i].value->type->elem : const_elem(&bounds[i].constant);
    if (elem_info(own)->bits == 64) elem = ELEM_I64;
    if (own == ELEM_U32) elem = ELEM_I64;
  }
  if (obj_is(&bounds[2], CONST_INT) && bounds[2].constant.i == 0) {
    elab_error(e, loc, "range's step is zero");
    return;
  }
  Value *values[3];
  for (int i = 0; i < 3; i++)
    if (!(values[i] = elab_value(e, loc, what[i], &bounds[i], elab_scalar(e, elem)))) return;
  elab_run_for(e, stmt, values[0], values[1], values[2]);
}

static Flow for_call(Elab *e, const Stmt *stmt, const Obj *callee) {
  const Expr *iterated = stmt->loop.condition;
  bool is_static = strcmp(callee->builtin->name, "static_range") == 0;
  Call call;
  Obj bounds[3];
  if (!elab_bind_builtin(e, iterated, callee, &call) || !range_args(&call, bounds)) return FLOW_NEXT;
  if (is_static) return unroll_range(e, stmt, bounds);
  run_range(e, stmt, bounds);
  return FLOW_NEXT;
}

static bool is_range(const Obj *callee) {
  return callee->kind == OBJ_BUILTIN && !callee->self &&
         (strcmp(callee->builtin->name, "range") == 0 || strcmp(callee->builtin->name, "static_range") == 0);
}

static void bind_unknown(Elab *e, const Stmt *stmt) {
  AssignedNames names = {0};
  note_stmt(e, stmt, &names);
  for (uint32_t i = 0; i < names.n; i++)
    elab_bind(e, names.at[i].name, names.at[i].loc, (Obj){.kind = OBJ_ERROR});
}

void elab_for(Elab *e, const Stmt *stmt, Flow *flow) {
  const Expr *iterated = stmt->loop.condition;
  uint32_t errors = e->diags->errors;
  if (stmt->loop.orelse.n) elab_error(e, stmt->loc, "'else' of a loop is not built yet");
  Obj callee = iterated->kind == EXPR_CALL ? elab_expr(e, iterated->call.callee) : (Obj){.kind = OBJ_ABSENT};
  if (callee.kind != OBJ_ERROR && is_range(&callee))
    *flow = for_call(e, stmt, &callee);
  else if (callee.kind != OBJ_ERROR) {
    Obj tuple = elab_expr(e, iterated);
    if (tuple.kind == OBJ_TUPLE)
      *flow = unroll_tuple(e, stmt, &tuple);
    else if (tuple.kind != OBJ_ERROR)
      elab_error(e, iterated->loc, "a loop runs over range, static_range or a tuple, not %s",
                 obj_describe(e, &tuple));
  }
  if (e->diags->errors > errors) bind_unknown(e, stmt);
}

// --- Blocks ---

static Flow not_built(Elab *e, const Stmt *stmt, const char *what) {
  elab_error(e, stmt->loc, "%s is not built yet", what);
  return FLOW_NEXT;
}

static Flow statement(Elab *e, const Stmt *stmt, const Cont *rest) {
  Flow flow = FLOW_NEXT;
  switch (stmt->kind) {
  case STMT_EXPR: elab_expr(e, stmt->expr); break;
  case STMT_ASSIGN: assign(e, stmt); break;
  case STMT_ANNOTATED: annotated(e, stmt); break;
  case STMT_AUGMENTED: augmented(e, stmt); break;
  case STMT_FOR: elab_for(e, stmt, &flow); break;
  case STMT_IF: return elab_if(e, stmt, 0, rest);
  case STMT_RETURN: return run_return(e, stmt);
  case STMT_ASSERT: assertion(e, stmt); break;
  case STMT_PASS:
  case STMT_IMPORT: break;
  case STMT_WHILE: bind_unknown(e, stmt); return not_built(e, stmt, "'while'");
  case STMT_BREAK: return not_built(e, stmt, "'break'");
  case STMT_CONTINUE: return not_built(e, stmt, "'continue'");
  case STMT_GLOBAL: return not_built(e, stmt, "'global'");
  case STMT_NONLOCAL: return not_built(e, stmt, "'nonlocal'");
  case STMT_DEF:
    elab_bind(e, stmt->function->name, stmt->function->loc, (Obj){.kind = OBJ_ERROR});
    return not_built(e, stmt, "a function within a function");
  }
  return flow;
}

static Flow run_from(Elab *e, const Block *block, uint32_t at, const Cont *rest) {
  for (uint32_t i = at; i < block->n && !e->stopped; i++) {
    const Stmt *stmt = block->at[i];
    if (!elab_enter(e, stmt->loc)) return FLOW_RETURN;
    Cont after = {block, i + 1, rest};
    Flow flow = statement(e, stmt, &after);
    elab_leave(e);
    if (flow == FLOW_RETURN) return flow;
  }
  return e->stopped ? FLOW_RETURN : FLOW_NEXT;
}

Flow elab_block(Elab *e, const Block *block, const Cont *rest) { return run_from(e, block, 0, rest); }

Flow elab_rest(Elab *e, const Cont *rest) {
  for (; rest; rest = rest->next)
    if (run_from(e, rest->block, rest->at, rest->next) == FLOW_RETURN) break;
  return FLOW_RETURN;
}
