// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The synchronising instructions of ops.
#include "ir/memory/sync.h"

#include "ir/memory/atomic.h"
#include "ir/dot/dot.h"
#include "ir/memory/groups.h"

bool op_follows_dots(const Op *op) {
  bool arrives = op->kind == OP_MBARRIER_ARRIVE || (op_has(op, RING) && op->result_count == 1);
  return arrives && op->operand_count > 1;
}

const char *op_sync(const Op *op) {
  bool tmem = op->result_count && op->results[0].type->kind == TYPE_TMEM;
  if (tmem && op->kind == OP_DOT) return group_runs_by_thread(op) ? "" : "tcgen05.fence tcgen05.commit";
  if (tmem && op->kind == OP_DOT_WAIT) return "mbarrier.try_wait tcgen05.fence";
  bool none = op->kind == OP_DOT && !is_dot_of(op, DOT_WGMMA); // complete when issued
  none |= op->kind == OP_ATOMIC_RMW && !atomic_fences(op);
  none |= op->kind == OP_WARP_GROUPS && !op_attr(op, ATTR_GROUP_REGISTERS);
  if (op->kind == OP_MBARRIER_ARRIVE && op_follows_dots(op)) return "tcgen05.commit";
  if (op->kind == OP_MBARRIER_ARRIVE && group_runs_by_thread(op))
    return "mbarrier.arrive"; // its warp need not converge
  return none ? "" : op_info(op->kind)->sync;
}
