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

typedef struct HintDropper {
  bool changed;
} HintDropper;

static void drop(Op *op, void *data) {
  HintDropper *d = data;
  if (op->kind != OP_HINT) return;
  value_replace_uses(op_result(op), op_operand(op, 0));
  op_erase(op);
  d->changed = true;
}

bool pass_drop_hints(PassContext *context, Func *func) {
  HintDropper d = {false};
  (void)context;
  region_walk(func->body, drop, &d);
  return d.changed;
}
