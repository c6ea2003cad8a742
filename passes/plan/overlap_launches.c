// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// overlap_launches: the kernel may start while the previous launch ends (programmatic dependent launch).
//
// ```
// before  %i = program_id               after  if num_programs - program_id <= 4096 { gdc_launch_dependents }
//         %p = addptr %x, %i                   %i = program_id
//         %v = load %p                         %p = addptr %x, %i
//                                              gdc_wait
//                                              %v = load %p
// ```
//
// needs   the module's option `overlap`, sm_90 or newer; otherwise nothing is done
// keeps   Every value: no memory is accessed before the wait. The wait ends when all previous grids have ended and
//         their writes are visible. Every kernel waits, so this also covers all earlier grids.
// breaks  nothing
//
// pays    The grid's CTAs are resident, with their addresses computed, when the last CTAs of the previous grid end.
//
// The next grid may be placed once all CTAs of this one are placed, so it takes no room from them. A kernel that waits
// itself stays as it is. A CTA that has ended counts as having let them start. So only the last CTAs do it explicitly,
// about the number that a device holds at the same time. Each such op costs time on the whole device
// (docs/measurements.md). Warp-specialized CTAs are few, and each takes long. So all of them do it.
#include "ir/build.h"
#include "ir/memory/groups.h"
#include "target/tuning.h"
#include "passes/passes.h"

// True for ops on the CTA's own shared memory, which may come before the wait.
static bool is_shared(const Op *op) { return op_has_any(op, SHARED | SYNC) || op->kind == OP_MBARRIER_INIT; }

// True if the op must come after the wait: it accesses memory, or has regions that may. The return always must.
static bool must_follow(const Op *op) {
  if (is_shared(op)) return false;
  return op_has_any(op, READS | WRITES) || op->region_count || !op->next;
}

static void let_dependents_start(Func *func) {
  Builder b = builder_before(func->body->first);
  if (func_groups(func)) {
    build_op(&b, OP_GDC_LAUNCH_DEPENDENTS, 0, NULL, 0, NULL);
    return;
  }
  Value *program = build_program_id(&b, OP_PROGRAM_ID, 0), *count = build_program_id(&b, OP_NUM_PROGRAMS, 0);
  Value *left = build_binary(&b, OP_SUB, count, program);
  Op *branch = build_if(&b, build_with_int(&b, OP_LE, left, TUNE_OVERLAP_BLOCKS), 0, NULL);
  for (uint32_t r = 0; r < 2; r++) {
    Builder inner = builder_inside(branch->regions[r], b.loc);
    if (r == 0) build_op(&inner, OP_GDC_LAUNCH_DEPENDENTS, 0, NULL, 0, NULL);
    build_yield(&inner, 0, NULL);
  }
}

bool pass_overlap_launches(PassContext *context, Func *func) {
  const Target *target = &func->module->target;
  if (!target->overlap || !target->arch->has_grid_control) return false;
  Region *body = func->body;
  if (ops_find(body, OP_GDC_WAIT)) return false;
  Op *first = body->first;
  while (!must_follow(first)) first = first->next;
  Builder b = builder_before(first);
  build_op(&b, OP_GDC_WAIT, 0, NULL, 0, NULL);
  if (!ops_find(body, OP_GDC_LAUNCH_DEPENDENTS)) let_dependents_start(func);
  diag_remark(context->diags, func->loc, "overlap_launches", "may start while the previous launch ends");
  return true;
}
