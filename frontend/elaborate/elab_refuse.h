// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside the front end only: errors about what a kernel does not have, with what to write instead (elab_refuse.c).
#ifndef FRONTEND_ELABORATE_ELAB_REFUSE_H
#define FRONTEND_ELABORATE_ELAB_REFUSE_H

#include "frontend/module/elab_module.h"

// The source text of an expression; NULL where it is long or goes over several lines.
const char *elab_source(Elab *e, Loc loc);

// Pointers where a value is needed: the message, with `tl.load` of the expression at `loc` as its fix.
Obj elab_refuse_pointers(Elab *e, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// After "is not defined on A and B": what to do of pointers and of texts; "" of others.
const char *elab_operand_advice(Elab *e, const Obj *a, const Obj *b);
bool obj_is_pointers(const Obj *obj); // a pointer or a tile of pointers

// A tile where a scalar decides: `what` is "a condition".
void elab_refuse_condition(Elab *e, Loc loc, const char *what, const Obj *obj);

// A target that is an element or an attribute. `value` is what is assigned, or NULL; `op` is "+" of `+=`, or "".
void elab_refuse_target(Elab *e, const Expr *target, const Expr *value, const char *op);

// Statements. What they would give a value is unknown afterwards, and silently so.
void elab_refuse_import(Elab *e, const Stmt *stmt);
void elab_refuse_with(Elab *e, const Stmt *stmt, const Expr *item);

const char *elab_word_hint(const char *name); // of "word" in hints.def; NULL: none
// What to write instead of a name that is unknown; NULL: nothing is known of it.
const char *elab_foreign_name(Elab *e, const char *name);

#endif
