// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of floats that prelude.tile computes.
#include "frontend/builtins/builtins.h"

// fp32 and narrower functions that no PTX library has. They use fp64's erf, erfc, exp and log.
Obj builtin_special(Elab *e, Call *call) {
  Value *x = builtin_float_value(e, call, ARG_X);
  if (!x) return obj_error();
  const Type *element = type_element(x->type);
  if (element->elem == ELEM_FP64)
    return elab_error(e, call->locs[ARG_X], "[T0507] '%s' of fp64 is not supported yet; cast to fp32",
                      call->text);
  Obj result = builtin_prelude_value(e, call->loc, call->builtin->name, builtin_as(e, x, ELEM_FP64));
  return result.kind == OBJ_VALUE ? obj_value(build_cast(&e->b, result.value, element)) : result;
}
