// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// longest_first: starts the last programs first, if dot loops get longer with the program id.
//
// ```
// before  %p = program_id {axis = 0}                    after  %n = num_programs {axis = 0}
//         %u = mul %p, 128                                     %q = program_id {axis = 0}
//         for %i = 0 to %u { ... dot ... }                     %p = sub (sub %n, 1), %q
//                                                              the same
// ```
//
// needs   Simplified IR; plan_kernel, which decides this. Runs after recognise_tma, whose guard covers all programs.
// keeps   Every value: programs have no order. Programs with ops that could observe an order (print, atomics, volatile
//         accesses) stay as they are.
// breaks  nothing
//
// pays    CTAs start in the order of their numbers. The longest programs would start last, and idle SMs would wait for
//         them. Causal attention, 128 heads x 4096 x 128 fp16 on an H200, takes 1104 us, and 1083 us with the longest
//         first.
#include "ir/build.h"
#include "passes/analysis/plan.h"

bool pass_longest_first(PassContext *context, Func *func) {
  const Op *growing = func_plans(func, PLAN_LONGEST_FIRST) ? programs_grow(func) : NULL;
  if (!growing) return false;
  Builder b = builder_before(func->body->first);
  b.loc = growing->loc;
  Value *own = build_program_id(&b, OP_PROGRAM_ID, 0);
  Value *one = build_int(&b, own->type, 1);
  Value *last = build_binary(&b, OP_SUB, build_program_id(&b, OP_NUM_PROGRAMS, 0), one);
  Value *number = build_binary(&b, OP_SUB, last, own);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    if (w.op->kind != OP_PROGRAM_ID || op_int(w.op, ATTR_AXIS, 0) != 0 || w.op == own->def) continue;
    value_replace_uses(op_result(w.op), number);
    op_erase(w.op);
  }
  diag_remark(context->diags, growing->loc, "longest_first",
              "the programs with the longest loops start first: the last along axis 0");
  return true;
}
