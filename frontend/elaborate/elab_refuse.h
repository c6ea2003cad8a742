// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to the front end: errors for what kernels do not support, with what to write instead
// (elab_refuse.c).
#ifndef FRONTEND_ELABORATE_ELAB_REFUSE_H
#define FRONTEND_ELABORATE_ELAB_REFUSE_H

#include "frontend/module/elab_module.h"

// The source text of an expression; NULL if it is long or has several lines.
const char *elab_source(Elab *e, Loc loc);

// An error for pointers where a value is needed. The fix is `tl.load` of the expression at `loc`.
Obj elab_refuse_pointers(Elab *e, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Advice after "is not defined on A and B", for pointers and strings; "" for others.
const char *elab_operand_advice(Elab *e, const Obj *a, const Obj *b);
bool obj_is_pointers(const Obj *obj); // a pointer or a tile of pointers

// An error for a tile where a scalar decides. `what` is "a condition".
void elab_refuse_condition(Elab *e, Loc loc, const char *what, const Obj *obj);

// An error for assigning to an element or attribute. `value` is the assigned value, or NULL; `op` is "+" of
// `+=`, or "".
void elab_refuse_target(Elab *e, const Expr *target, const Expr *value, const char *op);

// Errors for statements. The names that they would bind become unknown, and their uses give no further
// errors.
void elab_refuse_import(Elab *e, const Stmt *stmt);
void elab_refuse_with(Elab *e, const Stmt *stmt, const Expr *item);

const char *elab_word_hint(const char *name); // for "word" in hints.def; NULL: none
// What to write instead of an unknown name; NULL: nothing is known about it.
const char *elab_foreign_name(Elab *e, const char *name);

#endif
