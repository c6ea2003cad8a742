// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements: blocks, assignments, compile-time branches, returns, assertions.
#include "frontend/elaborate/elab_flow.h"
#include "frontend/module/elab_module.h"
#include "frontend/elaborate/elab_refuse.h"

// --- Names ---

void elab_bind_quietly(Elab *e, const char *name, Loc loc, Obj obj) {
  elab_set_binding(e, &(Binding){.name = name, .obj = obj, .loc = elab_loc(e, loc)});
}

void elab_bind(Elab *e, const char *name, Loc loc, Obj obj) {
  bool names = obj.kind == OBJ_VALUE && !e->site.line; // Names of the prelude are not the user's.
  if (names && !obj.value->name && obj.value->def) obj.value->name = name;
  if (e->watch && !e->site.line) elab_watch_name(e, loc, name, &obj);
  elab_bind_quietly(e, name, loc, obj);
}

// --- Assignment ---

// a, *b, c = tuple: the starred name takes the elements that remain.
static bool assign_starred(Elab *e, const ExprList *list, const Obj *obj) {
  uint32_t star = 0;
  while (star < list->n && list->at[star]->kind != EXPR_STAR) star++;
  if (star == list->n || obj->kind != OBJ_TUPLE || obj->items.n + 1 < list->n) return false;
  uint32_t taken = obj->items.n + 1 - list->n;
  for (uint32_t i = 0; i < list->n; i++) {
    Obj middle = {.kind = OBJ_TUPLE, .items = {obj->items.at + star, taken}};
    if (i == star)
      elab_assign(e, list->at[i]->operand, middle);
    else
      elab_assign(e, list->at[i], obj->items.at[i < star ? i : i - 1 + taken]);
  }
  return true;
}

// `a, b = three`: Triton drops the last value, while Python raises an exception.
static bool takes_fewer(Elab *e, const Expr *target, const Obj *obj) {
  uint32_t n = target->list.n;
  bool fewer = elab_in_py(e) && !e->frame->python && obj->kind == OBJ_TUPLE && n < obj->items.n;
  for (uint32_t i = 0; i < n && fewer; i++) fewer = target->list.at[i]->kind != EXPR_STAR;
  if (fewer)
    diag_warning(e->diags, elab_loc(e, target->loc),
                 "[T0309] %u names take the first of the tuple's %u values, as in Triton", n, obj->items.n);
  return fewer;
}

static void assign_tuple(Elab *e, const Expr *target, const Obj *obj) {
  const ExprList *list = &target->list;
  if (assign_starred(e, list, obj)) return;
  if (obj->kind == OBJ_TUPLE && obj->items.n == list->n) {
    for (uint32_t i = 0; i < list->n; i++) elab_assign(e, list->at[i], obj->items.at[i]);
    return;
  }
  if (takes_fewer(e, target, obj)) {
    for (uint32_t i = 0; i < list->n; i++) elab_assign(e, list->at[i], obj->items.at[i]);
    return;
  }
  if (obj->kind == OBJ_TUPLE)
    elab_error(e, target->loc, "[T1003] %u names cannot take the %u values of the tuple", list->n,
               obj->items.n);
  else if (obj->kind != OBJ_ERROR)
    elab_error(e, target->loc, "[T0304] %u names need a tuple, not %s%s", list->n, obj_describe(e, obj),
               obj->kind == OBJ_VALUE && type_is_tile(obj->value->type) ? "; tl.split(x) gives two tiles"
                                                                        : "");
  for (uint32_t i = 0; i < list->n; i++) elab_assign(e, list->at[i], (Obj){.kind = OBJ_ERROR});
}

// For Python code: `module.f = g`, and `d["key"] = x` for a dictionary or list bound to a name of the
// function.
static bool assign_member(Elab *e, const Expr *target, const Obj *obj) {
  if (target->kind == EXPR_ATTRIBUTE) {
    Obj object = elab_expr(e, target->attribute.object);
    return object.kind == OBJ_ERROR || elab_set_member(e, &object, target->attribute.name, *obj);
  }
  return target->kind == EXPR_SUBSCRIPT && host_set_item(e, target, obj);
}

void elab_assign(Elab *e, const Expr *target, Obj obj) {
  if (target->kind == EXPR_NAME)
    elab_bind(e, target->name, target->loc, obj);
  else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
    assign_tuple(e, target, &obj);
  else if (e->frame->python && assign_member(e, target, &obj))
    return;
  else if (target->kind == EXPR_STAR)
    elab_error(e, target->loc, "[T0107] a target can have one '*', for the rest of a tuple");
  else if (target->kind != EXPR_ERROR)
    elab_refuse_target(e, target, NULL, "");
}

// The object that an assignment binds. A number gets its type, except in Python code.
static Obj assigned(Elab *e, Obj obj) { return e->frame->python ? obj : obj_typed(e, obj); }

// x: fp32 = value. Triton ignores such an annotation.
static Obj convert_assigned(Elab *e, Loc loc, const Obj *obj, const Type *type) {
  static const char differs[] =
      "[T0310] the annotation converts the value, but Triton ignores it: use .to(...) or tl.cast";
  bool number = obj_is_number(obj) || obj->kind == OBJ_VALUE;
  bool same = number && type->kind == TYPE_SCALAR && obj_elem(obj) == type->elem;
  if (number && !same) elab_warn_py(e, loc, differs);
  return obj_value(elab_literal(e, loc, "the value", obj, type));
}

// In a .py file a constexpr may hold a run-time value, as in Triton. The error comes where the code needs a
// constexpr.
static void annotated_assign(Elab *e, const Stmt *stmt) {
  const Type *type;
  bool is_constexpr;
  if (!stmt->annotated.value) return;
  Obj obj = elab_expr(e, stmt->annotated.value);
  if (!elab_annotation(e, stmt->annotated.annotation, &type, &is_constexpr))
    obj.kind = OBJ_ERROR;
  else if (is_constexpr && obj.kind != OBJ_ERROR && !obj_is_static(&obj) && !elab_in_py(e))
    obj = elab_explain_runtime(e,
                               diag_error(e->diags, elab_loc(e, stmt->annotated.value->loc),
                                          "[T0401] a constexpr must be known at compile time, not %s",
                                          obj_describe(e, &obj)),
                               &obj);
  else if (type && obj.kind != OBJ_ERROR)
    obj = convert_assigned(e, stmt->annotated.value->loc, &obj, type);
  elab_assign(e, stmt->annotated.target, is_constexpr ? obj : assigned(e, obj));
}

static void augmented_assign(Elab *e, const Stmt *stmt) {
  const Expr *target = stmt->augmented.target;
  if (target->kind != EXPR_NAME) {
    elab_refuse_target(e, target, stmt->augmented.value, binary_op_text(stmt->augmented.op));
    return;
  }
  Obj a = elab_name(e, target->loc, target->name), b = elab_expr(e, stmt->augmented.value);
  Obj result = elab_binary(e, stmt->loc, stmt->augmented.op, &a, &b);
  if (result.kind == OBJ_TUPLE) result = obj_sized(e, stmt->loc, result);
  elab_bind(e, target->name, target->loc, assigned(e, result));
}

static void assign(Elab *e, const Stmt *stmt) {
  Obj obj = assigned(e, elab_expr(e, stmt->assign.value));
  for (uint32_t i = 0; i < stmt->assign.targets.n; i++) {
    const Expr *target = stmt->assign.targets.at[i];
    if (target->kind == EXPR_SUBSCRIPT && !e->frame->python)
      elab_refuse_target(e, target, stmt->assign.value, "");
    else
      elab_assign(e, target, obj);
  }
}

// --- Assertions, returns ---

void elab_assert(Elab *e, Loc loc, Loc condition_loc, const Obj *condition, const Obj *message) {
  Value *value = elab_truth(e, condition_loc, "the asserted condition", condition);
  const char *text = message && obj_given(message) ? obj_text(e, message) : "";
  if (!value) return;
  e->b.loc = elab_loc(e, loc);
  Op *op = build_op(&e->b, OP_ASSERT, 1, &value, 0, NULL);
  op_set_attr(op, (Attr){.key = ATTR_MESSAGE, .str = intern(&e->ir->names, str_from(text))});
}

static void assertion(Elab *e, const Stmt *stmt) {
  Obj condition = elab_expr(e, stmt->assertion.condition), message = {.kind = OBJ_ABSENT};
  bool truth, known = const_truth(e, &condition, &truth);
  if (condition.kind == OBJ_ERROR || (known && truth)) return;
  if (stmt->assertion.message) message = elab_expr(e, stmt->assertion.message);
  if (message.kind == OBJ_ERROR) return;
  const char *text = obj_given(&message) ? obj_text(e, &message) : "";
  if (known && !elab_in_py(e)) {
    elab_error(e, stmt->loc, "[T0407] assertion failed%s%s", text[0] ? ": " : "", text);
    return;
  }
  if (known)
    diag_warning(e->diags, elab_loc(e, stmt->loc), "[T1401] this assertion fails in every program%s%s",
                 text[0] ? ": " : "", text);
  elab_assert(e, stmt->loc, stmt->assertion.condition->loc, &condition, &message);
}

static Flow run_return(Elab *e, const Stmt *stmt) {
  e->frame->result = stmt->expr ? assigned(e, elab_expr(e, stmt->expr)) : obj_none();
  e->frame->returned = obj_bool(true);
  e->frame->result_loc = elab_loc(e, stmt->loc);
  bool in_kernel = !e->frame->outer;
  if (in_kernel && e->frame->result.kind != OBJ_ERROR && !obj_is(&e->frame->result, CONST_NONE)) {
    elab_error(e, stmt->loc, "[T0104] a kernel cannot return a value; store the result with tl.store");
    e->frame->result = obj_none();
  }
  return FLOW_RETURN;
}

// --- Branches ---

static Flow else_part(Elab *e, const Stmt *stmt, uint32_t arm, const Cont *rest) {
  if (arm + 1 < stmt->branch.arms.n) return elab_if(e, stmt, arm + 1, rest);
  return elab_block(e, &stmt->branch.orelse, rest);
}

static Flow known_if(Elab *e, const Stmt *stmt, uint32_t arm, bool truth, const Cont *rest) {
  const IfArm *at = &stmt->branch.arms.at[arm];
  if (!truth) {
    elab_prune(e, &at->body);
    return else_part(e, stmt, arm, rest);
  }
  for (uint32_t i = arm + 1; i < stmt->branch.arms.n; i++) elab_prune(e, &stmt->branch.arms.at[i].body);
  elab_prune(e, &stmt->branch.orelse);
  return elab_block(e, &at->body, rest);
}

// After an error in a condition, names that the arms assign are unknown. Their uses give no further errors.
static void assign_unknown(Elab *e, const Stmt *stmt) {
  AssignedNames names = {0};
  elab_assigned_by(e, stmt, &names);
  elab_bind_unknown(e, &names);
}

Flow elab_if(Elab *e, const Stmt *stmt, uint32_t arm, const Cont *rest) {
  const IfArm *at = &stmt->branch.arms.at[arm];
  if (!elab_enter(e, at->loc)) return FLOW_RETURN;
  Flow flow = FLOW_NEXT;
  Obj condition = elab_expr(e, at->condition);
  Value *value = NULL;
  bool truth;
  if (condition.kind == OBJ_ERROR)
    assign_unknown(e, stmt);
  else if (const_truth(e, &condition, &truth))
    flow = known_if(e, stmt, arm, truth, rest);
  else if ((value = elab_condition(e, at->condition->loc, "a condition", &condition)))
    flow = elab_run_if(e, stmt, arm, value, rest);
  else
    assign_unknown(e, stmt);
  elab_leave(e);
  return flow;
}

// --- Blocks ---

// The statements after a statement in its block.
typedef struct BlockCont {
  Cont base;
  const Block *block;
  uint32_t at;
} BlockCont;

static Flow refuse_stmt(Elab *e, const Stmt *stmt, const char *why) {
  elab_error(e, stmt->loc, "%s", why);
  return FLOW_NEXT;
}

// A loop's else block. Without `break` it always runs.
typedef struct ElseCont {
  Cont base;
  const Stmt *stmt;
} ElseCont;

static Flow run_else(Elab *e, const Cont *self) {
  return elab_block(e, &((const ElseCont *)self)->stmt->loop.orelse, self->next);
}

static Flow loop_stmt(Elab *e, const Stmt *stmt, const Cont *rest) {
  ElseCont after = {{run_else, rest}, stmt};
  if (e->frame->python) {
    Flow flow = stmt->kind == STMT_FOR ? elab_for(e, stmt, rest) : elab_host_while(e, stmt, rest);
    if (flow == FLOW_BREAK) return FLOW_NEXT;
    return flow == FLOW_NEXT ? elab_block(e, &stmt->loop.orelse, rest) : flow;
  }
  if (stmt->loop.orelse.n == 0)
    return stmt->kind == STMT_FOR ? elab_for(e, stmt, rest) : elab_while(e, stmt, rest);
  Flow flow = stmt->kind == STMT_FOR ? elab_for(e, stmt, &after.base) : elab_while(e, stmt, &after.base);
  return flow == FLOW_NEXT ? run_else(e, &after.base) : flow;
}

// `with pl.scope("x"):` marks a region for a profiler. A kernel has no other context managers.
static Flow run_with(Elab *e, const Stmt *stmt, const Cont *rest) {
  bool refused = false;
  for (uint32_t i = 0; i < stmt->with.items.n; i++) {
    const Expr *item = stmt->with.items.at[i], *target = stmt->with.targets.at[i];
    Said before = elab_said(e);
    Obj callee = item->kind == EXPR_CALL ? elab_expr(e, item->call.callee) : obj_none();
    bool marks = callee.kind == OBJ_BUILTIN && callee.builtin->scope == SCOPE_PROFILER;
    elab_take_back(e, &before);
    if (marks)
      elab_call(e, item);
    else if (!refused)
      elab_refuse_with(e, stmt, item), refused = true;
    if (target) elab_assign(e, target, obj_error());
  }
  return elab_block(e, &stmt->with.body, rest);
}

static void define_function(Elab *e, const Function *function) {
  elab_bind(e, function->name, function->loc,
            (Obj){.kind = OBJ_FUNCTION, .function = function, .closure = e->frame});
}

static Flow run_stmt(Elab *e, const Stmt *stmt, const Cont *rest) {
  switch (stmt->kind) {
  case STMT_EXPR:
    if (stmt->expr->kind != EXPR_ELLIPSIS) elab_expr(e, stmt->expr); // `...` is `pass`
    break;
  case STMT_ASSIGN: assign(e, stmt); break;
  case STMT_ANNOTATED: annotated_assign(e, stmt); break;
  case STMT_AUGMENTED: augmented_assign(e, stmt); break;
  case STMT_FOR:
  case STMT_WHILE: return loop_stmt(e, stmt, rest);
  case STMT_IF: return elab_if(e, stmt, 0, rest);
  case STMT_RETURN: return run_return(e, stmt);
  case STMT_ASSERT: assertion(e, stmt); break;
  case STMT_DEF: define_function(e, stmt->function); break;
  case STMT_WITH: return run_with(e, stmt, rest);
  case STMT_IMPORT:
    if (e->frame->python)
      elab_local_import(e, stmt->import);
    else
      elab_refuse_import(e, stmt);
    break;
  case STMT_PASS: break;
  case STMT_BREAK:
    if (e->frame->python && !e->frame->regions) return FLOW_BREAK;
    return refuse_stmt(
        e, stmt,
        e->loop && e->loop->kind == STMT_WHILE
            ? "[T0105] 'break' is not supported: let the condition of the 'while' end the loop, as "
              "in 'while not "
              "done:', and put the rest of the body under an 'if'"
            : "[T0105] 'break' is not supported: put the rest of the body under an 'if', or use while");
  case STMT_CONTINUE:
    if (e->frame->python && !e->frame->regions) return FLOW_CONTINUE;
    return refuse_stmt(e, stmt,
                       "[T0105] 'continue' is not supported: put the rest of the body under an 'if'");
  case STMT_RAISE:
    e->raises = e->raises || e->frame->python;
    return refuse_stmt(
        e, stmt,
        "[T0104] 'raise' is not supported, and this specialisation reaches it: use static_assert for "
        "compile-time conditions, and device_assert for run-time ones");
  case STMT_GLOBAL:
    return refuse_stmt(
        e, stmt,
        "[T0104] 'global': a kernel cannot assign names of the module; store the result through an argument");
  case STMT_TRY: return elab_attempt(e, stmt, rest);
  case STMT_NONLOCAL:
  case STMT_OUTSIDE:
    return refuse_stmt(e, stmt,
                       "[T0104] 'nonlocal': a function cannot assign names of another one; return the value");
  }
  return FLOW_NEXT;
}

static Flow run_from(Elab *e, const Block *block, uint32_t at, const Cont *rest);

static Flow run_block_cont(Elab *e, const Cont *self) {
  const BlockCont *cont = (const BlockCont *)self;
  return run_from(e, cont->block, cont->at, self->next);
}

static Flow run_from(Elab *e, const Block *block, uint32_t at, const Cont *rest) {
  for (uint32_t i = at; i < block->n && !e->stopped; i++) {
    const Stmt *stmt = block->at[i];
    if (!elab_enter(e, stmt->loc)) return FLOW_RETURN;
    BlockCont after = {{run_block_cont, rest}, block, i + 1};
    Flow flow = run_stmt(e, stmt, i + 1 < block->n ? &after.base : rest);
    elab_leave(e);
    if (flow != FLOW_NEXT) return flow;
  }
  return e->stopped ? FLOW_RETURN : FLOW_NEXT;
}

Flow elab_block(Elab *e, const Block *block, const Cont *rest) { return run_from(e, block, 0, rest); }

Flow elab_rest(Elab *e, const Cont *rest) {
  for (; rest; rest = rest->next) {
    Flow flow = rest->run(e, rest);
    if (flow != FLOW_NEXT) return flow;
  }
  if (e->frame->regions || e->stopped) return e->stopped ? FLOW_RETURN : FLOW_NEXT;
  e->frame->result = obj_none(); // reached the end of the function
  e->frame->returned = obj_bool(true);
  e->frame->result_loc = elab_loc(e, e->frame->function ? e->frame->function->loc : LOC_NONE);
  return FLOW_RETURN;
}
