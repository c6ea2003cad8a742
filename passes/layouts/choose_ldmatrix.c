// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_ldmatrix: chooses which operands of dots come from shared memory by ldmatrix.
//
// before  %a = shared_load %b {ldmatrix}      after  the same, where its layout and the buffer's are of 8x8 matrices
//         %a = shared_load %c {ldmatrix}             %a = shared_load %c
//
// needs   layouts of tiles and buffers. It runs after allocate_shared, which asks which loads feed dots
// keeps   every value
// breaks  nothing
// pays    one instruction fills up to four registers per lane. They may hold any part of a 16-byte row
#include "ir/layout/ldmatrix.h"
#include "passes/passes.h"

bool pass_choose_ldmatrix(PassContext *context, Func *func) {
  (void)context;
  bool changed = false;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    if (w.op->kind != OP_SHARED_LOAD || !op_attr(w.op, ATTR_LDMATRIX) || ldmatrix_fits(w.op)) continue;
    op_remove_attr(w.op, ATTR_LDMATRIX);
    changed = true;
  }
  return changed;
}
