// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow during elaboration: run-time loops and branches, and the points where they join.
#ifndef FRONTEND_ELABORATE_ELAB_FLOW_H
#define FRONTEND_ELABORATE_ELAB_FLOW_H

#include "frontend/elaborate/elaborate.h"

// --- Joins of control flow (elab_join.c) ---

// A value that differs between two branches. It becomes a result of the op that joins them.
typedef struct Leaf {
  Obj a, b;         // in each branch; OBJ_ABSENT in one that never reaches the join
  const Type *type; // of both
  Obj *slot;        // receives the result
} Leaf;
typedef VEC(Leaf) Leaves;

// True if a constexpr number can become a value of that type.
bool elab_number_becomes(const ConstValue *number, const Type *type);
// Joins two objects. Equal parts stay. Others become leaves whose slots are in *out, which must not move. If
// one object is OBJ_ABSENT, values of the other from within op `within` become leaves. False: no common type.
bool elab_join(Elab *e, const Op *within, const Obj *a, const Obj *b, Obj *out, Leaves *leaves);
// Gives an error at `loc` with notes at both bindings.
void elab_type_changes(Elab *e, Loc loc, const char *name, const Binding *a, const char *where_a,
                       const Binding *b, const char *where_b);
// Yields every leaf's a (or b) from the end of `region`, after `first` (NULL: none).
void elab_yield(Elab *e, Region *region, Value *first, const Leaves *leaves, bool second, Loc loc);
// Any value of the type, for branches that never use it.
Value *elab_any_value(Elab *e, const Type *type);

// --- for loops (elab_range.c) ---

Flow elab_for(Elab *e, const Stmt *stmt, const Cont *rest);
// True for a method of a list or dictionary that Python computes: d.items().
bool elab_is_host_method(const Elab *e, const Expr *callee);
bool elab_is_range(const Obj *callee); // range or static_range
// start, end, step of a call of either. Fills in missing ones.
void elab_range_bounds(const Call *call, Obj bounds[3]);
// The tuple of a range's integers, which must be constexprs. Errors use `name`.
bool elab_range_items(Elab *e, Loc loc, const char *name, const Obj bounds[3], Obj *tuple);

// --- Run-time branches (elab_branch.c), loops (elab_loop.c) ---

Flow elab_run_if(Elab *e, const Stmt *stmt, uint32_t arm, Value *condition, const Cont *rest);
Obj elab_run_conditional(Elab *e, const Expr *expr, Value *condition);
// Runs the rest after code that may have returned (Frame.returned is a run-time value), guarded by that flag.
Flow elab_guard(Elab *e, Loc loc, const Cont *rest);
Flow elab_while(Elab *e, const Stmt *stmt, const Cont *rest);
// bounds: start, end, step of an integer type. options: those of range, by parameter; may be NULL.
Flow elab_run_for(Elab *e, const Stmt *stmt, Value *const bounds[3], Elem counter, const Call *options,
                  const Cont *rest);

#endif
