// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// drop_marks: removes hints and tma_mark ops, which no later pass reads.
//
// ```
// before  %y = tma_mark %x, %base, ... : tile<128x64xfp16>
//         shared_store %y, %s
//         %h = hint %p {multiple = [16]}
//         %q = addptr %h, %n
// after   shared_store %x, %s
//         %q = addptr %p, %n
// ```
//
// needs   pipeline has made the TMA copies; no later pass asks axis_info
// keeps   every value
// breaks  Nothing. A guard that no tensor map needs is dropped too, and the plan.
// pays    Values that only described TMA tiles need not be computed.
#include "ir/build.h"
#include "ir/memory/tensor_map.h"
#include "passes/analysis/plan.h"

bool pass_drop_marks(PassContext *context, Func *func) {
  bool changed = false;
  (void)context;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    if (!op_marks_place(w.op) && w.op->kind != OP_HINT) continue;
    value_replace_uses(op_result(w.op), op_operand(w.op, 0));
    op_erase(w.op);
    changed = true;
  }
  bool planned = plan_drop(func);
  const HostRegion *guard = func_host(func, HOST_GUARD, NULL);
  if (changed && guard && func_maps(func) == 0) func_drop_host(func, guard);
  return changed || planned;
}
