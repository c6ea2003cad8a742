// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warp groups: selects the thread's group and runs its region. Threads, lanes and layout indices are bound
// again in each region. The groups join afterwards.
#include "codegen/emit/emit.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/memory/groups.h"

// Group 0 gets the registers that the others give back.
static void set_registers(Emitter *e, const Op *op, uint32_t group) {
  const Attr *registers = op_attr(op, ATTR_GROUP_REGISTERS);
  if (!registers) return;
  e->arch_specific = true;
  emit_needs_ptx(e, 80);
  nvvm_order(e, group ? "setmaxnreg.dec.sync.aligned.u32 " : "setmaxnreg.inc.sync.aligned.u32 ",
             arena_printf(e->arena, "%u", (uint32_t)registers->ints.at[group]));
}

// True in the one thread of a group. Only the first CTA of a pair issues dots.
//
// ptxas knows that an elected thread is alone. For others, it puts each dot and copy into a loop over the warp's threads.
static LLVMValueRef runs(Emitter *e, const Op *op, uint32_t group) {
  LLVMValueRef one = LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.thread, emit_i32(e, 0), "");
  if (emit_elects(e)) {
    LLVMValueRef elected = nvvm_call(e, "llvm.nvvm.elect.sync", emit_i32(e, UINT32_MAX));
    one = LLVMBuildExtractValue(e->builder, elected, 1, "");
    if (group_warps(op, group) > 1) { // each warp elects one
      LLVMValueRef warp = LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.warp, emit_i32(e, 0), "");
      one = LLVMBuildAnd(e->builder, warp, one, "");
    }
  }
  bool first = e->pair && ops_find(op->regions[group], OP_DOT);
  return first ? LLVMBuildAnd(e->builder, one, emit_is_first(e), "") : one;
}

static void emit_group(Emitter *e, const Op *op, uint32_t group, LLVMBasicBlockRef begin,
                       LLVMBasicBlockRef end) {
  RegionThreads outer = e->threads;
  LLVMBasicBlockRef body = emit_block(e, "group_body"), past = NULL;
  LLVMPositionBuilderAtEnd(e->builder, begin);
  set_registers(e, op, group);
  emit_bind_threads(e, op->regions[group]);
  if (group_is_thread(op, group)) past = emit_guard(e, runs(e, op, group));
  e->threads.home = LLVMGetInsertBlock(e->builder);
  LLVMBuildBr(e->builder, body);
  LLVMPositionBuilderAtEnd(e->builder, body);
  emit_region(e, op->regions[group]);
  if (past) emit_unguard(e, past);
  LLVMBuildBr(e->builder, end);
  e->threads = outer;
}

void emit_warp_groups(Emitter *e, Op *op) {
  LLVMBasicBlockRef end = emit_block(e, "groups_end");
  LLVMValueRef thread = nvvm_thread_id(e);
  for (uint32_t i = op->region_count; --i > 0;) {
    LLVMBasicBlockRef own = emit_block(e, "group"), others = emit_block(e, "other_groups");
    uint32_t first = 32 * region_warps_of(op->regions[i]).first;
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntUGE, thread, emit_i32(e, first), ""), own,
                    others);
    emit_group(e, op, i, own, end);
    LLVMPositionBuilderAtEnd(e->builder, others);
  }
  emit_group(e, op, 0, LLVMGetInsertBlock(e->builder), end);
  LLVMPositionBuilderAtEnd(e->builder, end);
}
