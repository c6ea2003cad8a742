// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// overlap_launches: the kernel may start while what was launched before it ends.
//
// before  %i = program_id               after  gdc_launch_dependents
//         %p = addptr %x, %i                   %i = program_id
//         %v = load %p                         %p = addptr %x, %i
//                                              gdc_wait
//                                              %v = load %p
// needs   the module's option `overlap`, sm_90 or newer; else nothing is done
// keeps   every value: nothing of memory is touched before the wait, which ends when all grids before are done
//         and what they wrote can be seen. As every kernel waits, that is so for the grids before those too
// breaks  nothing
// pays    a grid's blocks are in place, with their addresses, when the last of the grid before end. The next
//         grid may be placed as soon as all blocks of this one are, so it takes no room from them. A kernel
//         that waits by itself stays as it is
#include "ir/build.h"
#include "passes/passes.h"

static bool has_op(const Region *region, OpKind kind) {
  for (const Op *op = region->first; op; op = op->next) {
    if (op->kind == kind) return true;
    for (uint32_t r = 0; r < op->region_count; r++)
      if (has_op(op->regions[r], kind)) return true;
  }
  return false;
}

// What touches memory, or holds ops that may; a return at the latest.
static bool must_follow(const Op *op) {
  return op_has(op, READS) || op_has(op, WRITES) || op->region_count || !op->next;
}

static void insert(Op *before, OpKind kind) {
  Builder b = builder_before(before);
  build_op(&b, kind, 0, NULL, 0, NULL);
}

bool pass_overlap_launches(PassContext *context, Func *func) {
  const Target *target = &func->module->target;
  if (!target->overlap || target->sm < 90) return false;
  Region *body = func->body;
  if (has_op(body, OP_GDC_WAIT)) return false;
  Op *first = body->first;
  while (!must_follow(first)) first = first->next;
  insert(first, OP_GDC_WAIT);
  if (!has_op(body, OP_GDC_LAUNCH_DEPENDENTS)) insert(body->first, OP_GDC_LAUNCH_DEPENDENTS);
  diag_remark(context->diags, func->loc, "overlap_launches", "may start while the launch before it ends");
  return true;
}
