// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow within elaboration: loops and branches that are run, and where ways meet.
#ifndef FRONTEND_ELABORATE_ELAB_FLOW_H
#define FRONTEND_ELABORATE_ELAB_FLOW_H

#include "frontend/elaborate/elaborate.h"

// --- Joining ways (elab_join.c) ---

// A value that differs between two ways: it becomes a result of the op that joins them.
typedef struct Leaf {
  Obj a, b;         // on either way; OBJ_ABSENT on one that never gets there
  const Type *type; // of both
  Obj *slot;        // receives the result
} Leaf;
typedef VEC(Leaf) Leaves;

// Whether a constexpr number may stand for a value of that type.
bool elab_number_becomes(const ConstValue *number, const Type *type);
// Joins two objects: equal parts stay, others become leaves whose slots lie in *out, which must not move.
// Where one is OBJ_ABSENT, what the other has from within op `within` becomes leaves. False: no common type.
bool elab_join(Elab *e, const Op *within, const Obj *a, const Obj *b, Obj *out, Leaves *leaves);
// An error at `loc` with notes at both bindings.
void elab_type_changes(Elab *e, Loc loc, const char *name, const Binding *a, const char *where_a,
                       const Binding *b, const char *where_b);
// Yields every leaf's a (or b) from the end of `region`, after `first` (NULL: none).
void elab_yield(Elab *e, Region *region, Value *first, const Leaves *leaves, bool second, Loc loc);
// Any value of the type, for ways that never use it.
Value *elab_any_value(Elab *e, const Type *type);

// --- for loops (elab_range.c) ---

Flow elab_for(Elab *e, const Stmt *stmt, const Cont *rest);
// A method of a list or dictionary that Python computes: d.items().
bool elab_is_host_method(const Elab *e, const Expr *callee);
bool elab_is_range(const Obj *callee); // range or static_range
// start, end, step of a call of either; what was not given is filled in.
void elab_range_bounds(const Call *call, Obj bounds[3]);
// The tuple of a range's integers, which must be constexprs; `name` is for errors.
bool elab_range_items(Elab *e, Loc loc, const char *name, const Obj bounds[3], Obj *tuple);

// --- Run-time branches (elab_branch.c), loops (elab_loop.c) ---

Flow elab_run_if(Elab *e, const Stmt *stmt, uint32_t arm, Value *condition, const Cont *rest);
Obj elab_run_conditional(Elab *e, const Expr *expr, Value *condition);
// After something that may have returned (Frame.returned is a run-time value): the rest, where it has not.
Flow elab_guard(Elab *e, Loc loc, const Cont *rest);
Flow elab_while(Elab *e, const Stmt *stmt, const Cont *rest);
// bounds: start, end, step of an integer type; options: of range, by parameter, may be NULL.
Flow elab_run_for(Elab *e, const Stmt *stmt, Value *const bounds[3], Elem counter, const Call *options,
                  const Cont *rest);

#endif
