// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ping-pong warpgroups: each warpgroup waits at its own barrier, and the previous warpgroup arrives there.
#include "codegen/emit/emit.h"
#include "codegen/nvvm/nvvm.h"

enum { WARPGROUP = 4, WARPGROUP_BITS = 2, BOTH = 2 * 32 * WARPGROUP };

// Waits or arrives at the barrier, by the warps of one warpgroup. The barrier's number is a constant: a
// number in a register would count as all barriers of the CTA.
static void emit_turn_barrier(Emitter *e, LLVMValueRef group, uint32_t which, uint32_t id, bool arrives) {
  LLVMValueRef only = LLVMBuildICmp(e->builder, LLVMIntEQ, group, emit_i32(e, which), "");
  LLVMBasicBlockRef end = emit_guard(e, only);
  if (arrives)
    nvvm_arrive(e, id, BOTH);
  else
    nvvm_barrier(e, id, BOTH);
  emit_unguard(e, end);
}

void emit_turn(Emitter *e, Op *op) {
  bool waits = op->kind == OP_PINGPONG_WAIT;
  uint32_t id = (uint32_t)op_int(op, ATTR_ID, 0), groups = region_warps(op) / WARPGROUP;
  LLVMValueRef group = LLVMBuildLShr(e->builder, e->threads.warp, emit_i32(e, WARPGROUP_BITS), "");
  if (op_attr(op, waits ? ATTR_FIRST : ATTR_LAST)) {
    emit_turn_barrier(e, group, waits ? 0 : groups - 1, id, !waits);
    return;
  }
  for (uint32_t i = 0; i < groups; i++)
    emit_turn_barrier(e, group, i, id + (waits ? i : (i + 1) % groups), !waits);
}
