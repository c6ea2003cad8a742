// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A record is stored by the first lane of each warp, without a branch: ptxas would not keep wgmmas in flight across it.
#include "codegen/timeline_code.h"

#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"

enum { BYTES = TIMELINE_RECORDS * sizeof(TimelineRecord) }; // of a warp, a power of two

// One register more is live: the next record's offset from the parameter, which ptxas reads where it is used. It is a
// multiple of BYTES if there is no record to make: of other lanes and CTAs, or after the last one.
void timeline_begin(Emitter *e) {
  if (!e->timeline.asked) return;
  LLVMBuilderRef b = e->builder;
  LLVMValueRef other = e->threads.lane;
  for (int axis = 0; axis < 3; axis++) other = LLVMBuildOr(b, other, nvvm_block_id(e, axis), "");
  LLVMValueRef is_recorded = LLVMBuildICmp(b, LLVMIntEQ, other, emit_i32(e, 0), "");
  LLVMValueRef first = LLVMBuildMul(b, e->threads.warp, emit_i32(e, BYTES), "");
  first = LLVMBuildAdd(b, first, emit_i32(e, sizeof(TimelineRecord)), "");
  e->timeline.next = LLVMBuildAlloca(b, e->i32, "");
  LLVMBuildStore(b, LLVMBuildSelect(b, is_recorded, first, emit_i32(e, 0), ""), e->timeline.next);
  e->timeline.line = UINT32_MAX;
  e->has_variables = true;
}

static void record(Emitter *e, TimelineMark mark, uint32_t line) {
  const uint32_t low = (1u << TIMELINE_LINE_BITS) - 1;
  AsmCall call = {0};
  LLVMValueRef next,
      word = emit_i32(e, (uint32_t)mark << TIMELINE_LINE_BITS | (mark == MARK_END ? 0 : line & low));
  if (mark == MARK_END)
    word = LLVMBuildOr(e->builder, word, nvvm_call(e, "llvm.nvvm.read.ptx.sreg.smid", NULL), "");
  asm_result(e, &call, e->i32);
  uint32_t at = asm_operand(e, &call, LLVMBuildLoad2(e->builder, e->i32, e->timeline.next, ""));
  uint32_t base = asm_operand(e, &call, LLVMGetLastParam(e->function)), what = asm_operand(e, &call, word);
  buf_printf(
      &call.text,
      "{ .reg .pred p; .reg .b32 c; .reg .b64 t, m, a; and.b32 c, $%u, %u; setp.ne.u32 p, c, 0; "
      "cvt.u64.u32 a, $%u; add.s64 a, a, $%u; mov.u64 t, %%globaltimer; mov.u32 c, %%clock; "
      "mov.b64 m, {c, $%u}; @p st.global.v2.b64 [a], {t, m}; selp.b32 c, %u, 0, p; add.s32 $0, $%u, c; }",
      at, (unsigned)BYTES - 1, at, base, what, (unsigned)sizeof(TimelineRecord), at);
  asm_build(e, &call, ASM_EFFECTS, &next);
  LLVMBuildStore(e->builder, next, e->timeline.next);
  e->timeline.line = line;
}

static TimelineMark mark_of(const Op *op) {
  switch ((int)op->kind) {
  case OP_ASYNC_WAIT: return MARK_WAIT_COPIES;
  case OP_TMA_STORE_WAIT: return MARK_WAIT_STORES;
  case OP_DOT_WAIT: return MARK_WAIT_DOT;
  case OP_MBARRIER_WAIT: return MARK_WAIT_MBARRIER;
  case OP_BARRIER:
  case OP_PINGPONG_WAIT: return MARK_WAIT_BARRIER;
  case OP_GDC_WAIT: return MARK_WAIT_GRID;
  case OP_DOT: return MARK_DOT;
  case OP_RETURN: return MARK_END;
  default: return op_has(op, PURE) || op_has(op, CONTROL) ? MARK_NONE : MARK_RUN;
  }
}

// Code of elements, as a map's, would fill the records.
static bool is_recorded(const Emitter *e, const Op *op) {
  const Op *owner = op->region->parent;
  return e->timeline.asked && (!owner || op_has(owner, FLOW) || owner->kind == OP_WARP_GROUPS);
}

void timeline_before(Emitter *e, const Op *op) {
  if (!is_recorded(e, op)) return;
  if (op == op->region->first) e->timeline.line = UINT32_MAX; // other code may come before the region
  TimelineMark mark = mark_of(op);
  if (mark != MARK_NONE && (mark != MARK_RUN || op->loc.line != e->timeline.line))
    record(e, mark, op->loc.line);
}

void timeline_after(Emitter *e, const Op *op) {
  if (!is_recorded(e, op)) return;
  TimelineMark mark = mark_of(op);
  if (mark > MARK_RUN && mark < MARK_END) record(e, MARK_RUN, op->loc.line);
  if (op_has(op, CONTROL)) e->timeline.line = UINT32_MAX;
}
