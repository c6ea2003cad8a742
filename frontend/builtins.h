// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers of builtins.def: each takes its arguments by parameter and gives the call's result.
#ifndef FRONTEND_BUILTINS_H
#define FRONTEND_BUILTINS_H

#include "frontend/elaborate.h"

// builtins_memory.c
Obj builtin_load(Elab *e, Call *call);
Obj builtin_store(Elab *e, Call *call);

// builtins_tile.c: making tiles, arithmetic
Obj builtin_program_id(Elab *e, Call *call);
Obj builtin_num_programs(Elab *e, Call *call);
Obj builtin_arange(Elab *e, Call *call);
Obj builtin_zeros(Elab *e, Call *call);
Obj builtin_full(Elab *e, Call *call);
Obj builtin_zeros_like(Elab *e, Call *call);
Obj builtin_where(Elab *e, Call *call);
Obj builtin_cdiv(Elab *e, Call *call);
Obj builtin_maximum(Elab *e, Call *call);
Obj builtin_minimum(Elab *e, Call *call);
Obj builtin_abs(Elab *e, Call *call);
Obj builtin_exp(Elab *e, Call *call);
Obj builtin_cast(Elab *e, Call *call);

// builtins_static.c: Python's own, and what is decided at compile time
Obj builtin_python_max(Elab *e, Call *call);
Obj builtin_python_min(Elab *e, Call *call);
Obj builtin_range(Elab *e, Call *call);
Obj builtin_static_assert(Elab *e, Call *call);
Obj builtin_static_print(Elab *e, Call *call);
Obj builtin_hint(Elab *e, Call *call);
Obj builtin_assume(Elab *e, Call *call);
Obj builtin_next_power_of_2(Elab *e, Call *call);
Obj builtin_constexpr(Elab *e, Call *call);
Obj builtin_float(Elab *e, Call *call);
Obj builtin_int(Elab *e, Call *call);
Obj builtin_bool(Elab *e, Call *call);
Obj builtin_len(Elab *e, Call *call);

// True where the optional argument was given as something other than None; an error (and false in *good)
// where it is no constexpr of `kind`.
bool builtin_option(Elab *e, const Call *call, uint32_t at, ConstKind kind, const char *name, bool *good);

#endif
