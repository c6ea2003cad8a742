// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns of warpgroups: a warpgroup waits at a barrier of its own, to which the one before it arrives.
#include "codegen/emit.h"
#include "codegen/nvvm.h"

void emit_turn(Emitter *e, Op *op) {
  enum { WARPGROUP = 4, WARPGROUP_BITS = 2, BOTH = 2 * 32 * WARPGROUP };
  bool waits = op->kind == OP_TURN_WAIT;
  uint32_t id = (uint32_t)op_int(op, ATTR_ID, 0), last = region_warps(op) / WARPGROUP - 1;
  LLVMValueRef group = LLVMBuildLShr(e->builder, e->threads.warp, emit_i32(e, WARPGROUP_BITS), "");
  if (op_attr(op, waits ? ATTR_FIRST : ATTR_LAST)) {
    LLVMValueRef only = LLVMBuildICmp(e->builder, LLVMIntEQ, group, emit_i32(e, waits ? 0 : last), "");
    LLVMBasicBlockRef end = emit_guard(e, only);
    nvvm_barrier_at(e, emit_i32(e, id), BOTH, !waits);
    emit_unguard(e, end);
    return;
  }
  if (!waits) {
    group = LLVMBuildAdd(e->builder, group, emit_i32(e, 1), "");
    group = LLVMBuildAnd(e->builder, group, emit_i32(e, last), "");
  }
  nvvm_barrier_at(e, LLVMBuildAdd(e->builder, group, emit_i32(e, id), ""), BOTH, !waits);
}
