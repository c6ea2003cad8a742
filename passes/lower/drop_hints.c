// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// drop_hints: removes hints, which no later pass reads.
//
// before  %h = hint %x {multiple = [16]} : i32
//         %y = add %h, %n
// after   %y = add %x, %n
//
// needs   accesses with their widths and layouts: no later pass asks axis_info
// keeps   every value
// breaks  nothing
// pays    later passes see the address as it was written
#include "ir/build.h"
#include "passes/passes.h"

bool pass_drop_hints(PassContext *context, Func *func) {
  bool changed = false;
  (void)context;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    if (w.op->kind != OP_HINT) continue;
    value_replace_uses(op_result(w.op), op_operand(w.op, 0));
    op_erase(w.op);
    changed = true;
  }
  return changed;
}
