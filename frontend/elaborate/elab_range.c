// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for loops: run-time loops over range; unrolled loops over static_range and tuples.
#include "frontend/elaborate/elab_flow.h"
#include "frontend/builtins/builtins.h"
#include "frontend/module/elab_module.h"

// --- Unrolled ---

// The iterations from `at` on.
typedef struct Unroll {
  Cont base;
  const Stmt *stmt;
  const Obj *items;
  uint32_t n, at;
} Unroll;

static Flow run_unroll(Elab *e, const Cont *self) {
  Unroll next = *(const Unroll *)self;
  while (next.at < next.n && !e->stopped) {
    elab_assign(e, next.stmt->loop.target, next.items[next.at++]);
    Flow flow = elab_block(e, &next.stmt->loop.body, &next.base);
    if (flow != FLOW_NEXT && flow != FLOW_CONTINUE) return flow;
  }
  return FLOW_NEXT;
}

static Flow unroll(Elab *e, const Stmt *stmt, const Obj *items, uint32_t n, const Cont *rest) {
  Unroll first = {{run_unroll, rest}, stmt, items, n, 0};
  if (n == 0) elab_prune(e, &stmt->loop.body);
  return run_unroll(e, &first.base);
}

bool elab_range_items(Elab *e, Loc loc, const char *name, const Obj bounds[3], Obj *tuple) {
  int64_t v[3];
  for (int i = 0; i < 3; i++) {
    if (bounds[i].kind == OBJ_ERROR) return false;
    if (!obj_is_int(&bounds[i]) || !const_fits(&bounds[i].constant, ELEM_I32)) {
      Diag *diag = diag_error(e->diags, elab_loc(e, loc),
                              "[T0401] %s needs constexpr integers, not %s; range loops at run time", name,
                              obj_describe(e, &bounds[i]));
      elab_explain_runtime(e, diag, &bounds[i]);
      return false;
    }
    v[i] = bounds[i].constant.i;
  }
  if (v[2] == 0) return elab_fail(e, loc, "[T0406] %s's step is zero", name);
  int64_t span = v[2] > 0 ? v[1] - v[0] : v[0] - v[1], step = v[2] > 0 ? v[2] : -v[2];
  int64_t count = span <= 0 ? 0 : (span - 1) / step + 1;
  if (count > ELAB_MAX_UNROLL)
    return elab_fail(e, loc, "[T0506] %s would unroll %lld iterations: at most %d are allowed", name,
                     (long long)count, ELAB_MAX_UNROLL);
  *tuple = obj_tuple(e, (uint32_t)count);
  for (int64_t k = 0; k < count; k++) tuple->items.at[k] = obj_int(v[0] + k * v[2]);
  return true;
}

// --- At run time ---

// Counts in i32 or i64, which never wraps. The body sees the common type of the bounds, as in Triton.
static Flow run_range(Elab *e, const Stmt *stmt, const Obj bounds[3], const Call *call, const Cont *rest) {
  static const char *const what[] = {"range's start", "range's end", "range's step"};
  Loc loc = stmt->loop.condition->loc;
  Elem elem = ELEM_I32, common = ELEM_I32;
  for (int i = 0; i < 3; i++) {
    bool is_int = obj_is_int(&bounds[i]) ||
                  (bounds[i].kind == OBJ_VALUE && bounds[i].value->type->kind == TYPE_SCALAR &&
                   type_is_int(bounds[i].value->type));
    if (!is_int) {
      elab_error(e, loc, "[T0304] %s must be an integer, not %s", what[i], obj_describe(e, &bounds[i]));
      return FLOW_NEXT;
    }
    Elem own = obj_elem(&bounds[i]);
    common = i == 0 ? own : elab_wider_int(common, own);
    if (elem_info(own)->bits == 64 || own == ELEM_U32) elem = ELEM_I64;
  }
  if (obj_is_int(&bounds[2]) && bounds[2].constant.i == 0) {
    elab_error(e, loc, "[T0406] range's step is zero");
    return FLOW_NEXT;
  }
  Value *values[3];
  for (int i = 0; i < 3; i++)
    if (!(values[i] = elab_value(e, loc, what[i], &bounds[i], elab_scalar(e, elem)))) return FLOW_NEXT;
  return elab_run_for(e, stmt, values, common, call, rest);
}

// range(stop), range(start, stop), range(start, stop, step). Fills in missing ones.
void elab_range_bounds(const Call *call, Obj bounds[3]) {
  bool one = call->args[RANGE_ARG2].kind == OBJ_ABSENT;
  bounds[0] = one ? obj_int(0) : call->args[RANGE_ARG1];
  bounds[1] = one ? call->args[RANGE_ARG1] : call->args[RANGE_ARG2];
  bounds[2] = call->args[RANGE_STEP].kind == OBJ_ABSENT ? obj_int(1) : call->args[RANGE_STEP];
}

bool elab_is_range(const Obj *callee) {
  return callee->kind == OBJ_BUILTIN && !callee->self &&
         (strcmp(callee->builtin->name, "range") == 0 || strcmp(callee->builtin->name, "static_range") == 0);
}

// The options must be known at compile time.
static bool check_options(Elab *e, const Call *call) {
  for (uint32_t i = RANGE_NUM_STAGES; i < RANGE_COUNT; i++) {
    if (!obj_given(&call->args[i]) || obj_is(&call->args[i], CONST_INT) || obj_is(&call->args[i], CONST_BOOL))
      continue;
    Diag *diag = diag_error(e->diags, elab_loc(e, call->locs[i]),
                            "[T0401] an option of range must be a constexpr number, not %s",
                            obj_describe(e, &call->args[i]));
    elab_explain_runtime(e, diag, &call->args[i]);
    return false;
  }
  return true;
}

static Flow for_call(Elab *e, const Stmt *stmt, const Obj *callee, const Cont *rest) {
  const Expr *iterated = stmt->loop.condition;
  Call call;
  Obj bounds[3], items;
  if (!elab_bind_builtin(e, iterated, callee, &call)) return FLOW_NEXT;
  elab_range_bounds(&call, bounds);
  if (strcmp(callee->builtin->name, "static_range") != 0 && !e->frame->python)
    return check_options(e, &call) ? run_range(e, stmt, bounds, &call, rest) : FLOW_NEXT;
  if (!elab_range_items(e, iterated->loc, callee->builtin->name, bounds, &items)) return FLOW_NEXT;
  return unroll(e, stmt, items.items.at, items.items.n, rest);
}

bool elab_is_host_method(const Elab *e, const Expr *callee) {
  return elab_on_host(e) && callee->kind == EXPR_ATTRIBUTE && strcmp(callee->attribute.name, "range") != 0 &&
         strcmp(callee->attribute.name, "static_range") != 0;
}

static Flow run_loop(Elab *e, const Stmt *stmt, const Cont *rest) {
  const Expr *iterated = stmt->loop.condition;
  Obj callee = {.kind = OBJ_ABSENT};
  if (iterated->kind == EXPR_CALL && !elab_is_host_method(e, iterated->call.callee))
    callee = elab_expr(e, iterated->call.callee);
  if (callee.kind == OBJ_ERROR) return FLOW_NEXT;
  if (elab_is_range(&callee)) return for_call(e, stmt, &callee, rest);
  Obj tuple = elab_expr(e, iterated);
  if (tuple.kind == OBJ_TUPLE && tuple.items.dict) tuple = elab_dict_keys(e, &tuple);
  if (tuple.kind == OBJ_TUPLE) return unroll(e, stmt, tuple.items.at, tuple.items.n, rest);
  if (tuple.kind != OBJ_ERROR)
    elab_error(e, iterated->loc, "[T0304] a loop runs over range, static_range or a tuple, not %s%s",
               obj_describe(e, &tuple),
               tuple.kind == OBJ_VALUE && type_is_tile(tuple.value->type)
                   ? "; an operation on a tile applies to every element"
                   : "");
  return FLOW_NEXT;
}

Flow elab_for(Elab *e, const Stmt *stmt, const Cont *rest) {
  uint32_t errors = e->diags->errors;
  Flow flow = run_loop(e, stmt, rest);
  if (e->diags->errors > errors && flow == FLOW_NEXT) {
    AssignedNames names = {0};
    elab_assigned_by(e, stmt, &names);
    elab_bind_unknown(e, &names);
  }
  return flow;
}
