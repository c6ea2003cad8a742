// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries about the target machine: triton.language.target_info.
#include "frontend/builtins/builtins.h"

// detail: the backend to test for.
Obj builtin_target_is(Elab *e, Call *call) {
  (void)e;
  return obj_bool(strcmp(call->builtin->detail, "cuda") == 0);
}

Obj builtin_capability(Elab *e, Call *call) {
  bool good = true;
  uint32_t has[2];
  int64_t wanted[2] = {0};
  for (uint32_t i = 0; i < 2; i++)
    if (builtin_option(e, call, i, CONST_INT, i ? "minor" : "major", &good))
      wanted[i] = call->args[i].constant.i;
  if (!good) return obj_error();
  target_capability(elab_target(e), &has[0], &has[1]);
  return obj_bool(has[0] == wanted[0] ? has[1] >= wanted[1] : has[0] > wanted[0]);
}
