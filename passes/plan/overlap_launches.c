// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// overlap_launches: the kernel may start while what was launched before it ends.
//
// before  %i = program_id               after  if num_programs - program_id <= 4096 { gdc_launch_dependents }
//         %p = addptr %x, %i                   %i = program_id
//         %v = load %p                         %p = addptr %x, %i
//                                              gdc_wait
//                                              %v = load %p
// needs   the module's option `overlap`, sm_90 or newer; else nothing is done
// keeps   every value: nothing of memory is touched before the wait, which ends when all grids before have
//         ended and what they wrote can be seen; as every kernel waits, that is so for the grids before those
// breaks  nothing
// pays    a grid's blocks are in place, with their addresses, when the last of the grid before end
//
// The next grid may be placed as soon as all blocks of this one are, so it takes no room from them. A kernel
// that waits by itself stays as it is. A block that has ended need not have let them start: only the last
// ones do, about as many as are on a device at once, as each costs time of the whole device
// (docs/measurements.md). Blocks with groups of warps are few, and each takes long: all of them do.
#include "ir/build.h"
#include "ir/memory/groups.h"
#include "target/tuning.h"
#include "passes/passes.h"

static bool has_op(const Region *region, OpKind kind) {
  for (const Op *op = region->first; op; op = op->next) {
    if (op->kind == kind) return true;
    for (uint32_t r = 0; r < op->region_count; r++)
      if (has_op(op->regions[r], kind)) return true;
  }
  return false;
}

// What a block does with its own shared memory may come before.
static bool is_shared(const Op *op) {
  return op->kind == OP_SHARED_STORE || op->kind == OP_SHARED_LOAD || op->kind == OP_SHARED_GATHER ||
         op->kind == OP_SHARED_COUNT || op->kind == OP_BARRIER || op->kind == OP_ARRIVE ||
         op->kind == OP_MBARRIER_INIT;
}

// What touches memory, or holds ops that may; a return at the latest.
static bool must_follow(const Op *op) {
  if (is_shared(op)) return false;
  return op_has(op, READS) || op_has(op, WRITES) || op->region_count || !op->next;
}

static void let_dependents_start(Func *func) {
  Builder b = builder_before(func->body->first);
  if (func_groups(func)) {
    build_op(&b, OP_GDC_LAUNCH_DEPENDENTS, 0, NULL, 0, NULL);
    return;
  }
  Value *program = build_program_id(&b, OP_PROGRAM_ID, 0), *count = build_program_id(&b, OP_NUM_PROGRAMS, 0);
  Value *left = build_binary(&b, OP_SUB, count, program);
  Op *branch =
      build_if(&b, build_binary(&b, OP_LE, left, build_int(&b, left->type, TUNE_OVERLAP_BLOCKS)), 0, NULL);
  for (uint32_t r = 0; r < 2; r++) {
    Builder inner = builder_at_end(func, branch->regions[r]);
    inner.loc = b.loc;
    if (r == 0) build_op(&inner, OP_GDC_LAUNCH_DEPENDENTS, 0, NULL, 0, NULL);
    build_yield(&inner, 0, NULL);
  }
}

bool pass_overlap_launches(PassContext *context, Func *func) {
  const Target *target = &func->module->target;
  if (!target->overlap || !target->arch->has_grid_control) return false;
  Region *body = func->body;
  if (has_op(body, OP_GDC_WAIT)) return false;
  Op *first = body->first;
  while (!must_follow(first)) first = first->next;
  Builder b = builder_before(first);
  build_op(&b, OP_GDC_WAIT, 0, NULL, 0, NULL);
  if (!has_op(body, OP_GDC_LAUNCH_DEPENDENTS)) let_dependents_start(func);
  diag_remark(context->diags, func->loc, "overlap_launches", "may start while the previous launch ends");
  return true;
}
