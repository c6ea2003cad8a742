// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector accesses marked `partial`: the mask may enable only the first elements of a vector. cp.async copies
// those and fills the rest with zeros. A thread that loads or stores checks once if its mask cuts any vector
// short. If not, each vector is one access under the mask of its first element. Otherwise each element is
// accessed under its own mask.
#include "codegen/emit/emit.h"

// True if all registers of the run have the same mask value: an edge along another dimension.
static bool is_alike(Emitter *e, const Value *mask, uint32_t r, uint32_t run) {
  for (uint32_t i = 1; i < run; i++)
    if (emit_register(e, mask, r + i) != emit_register(e, mask, r)) return false;
  return true;
}

// Counts the masks of rows and columns separately, so that rows share their common part.
static LLVMValueRef count_bytes(Emitter *e, const Value *mask, uint32_t r, uint32_t run, uint32_t bytes) {
  LLVMValueRef none = emit_i32(e, 0), count = none;
  if (is_alike(e, mask, r, run))
    return LLVMBuildSelect(e->builder, emit_register(e, mask, r), emit_i32(e, run * bytes), none, "");
  const Op *both = mask->def && mask->def->kind == OP_AND ? mask->def : NULL;
  for (uint32_t i = 0; both && i < 2; i++) {
    const Value *whole = op_operand(both, i);
    if (!is_alike(e, whole, r, run)) continue;
    LLVMValueRef of_other = count_bytes(e, op_operand(both, !i), r, run, bytes);
    return LLVMBuildSelect(e->builder, emit_register(e, whole, r), of_other, none, "");
  }
  for (uint32_t i = 0; i < run; i++) {
    LLVMValueRef each =
        LLVMBuildSelect(e->builder, emit_register(e, mask, r + i), emit_i32(e, bytes), none, "");
    count = LLVMBuildAdd(e->builder, count, each, "");
  }
  return count;
}

LLVMValueRef emit_masked_bytes(Emitter *e, const Op *op, const Value *mask, uint32_t r, uint32_t run,
                               uint32_t bytes) {
  if (op_attr(op, ATTR_PARTIAL)) return count_bytes(e, mask, r, run, bytes);
  return LLVMBuildSelect(e->builder, emit_register(e, mask, r), emit_i32(e, run * bytes), emit_i32(e, 0), "");
}

LLVMValueRef emit_cut_short(Emitter *e, const Op *op, const Value *mask, uint32_t registers, uint32_t run) {
  LLVMValueRef any = NULL;
  if (!mask || run == 1 || !op_attr(op, ATTR_PARTIAL)) return NULL;
  for (uint32_t r = 0; r < registers; r += run) {
    if (is_alike(e, mask, r, run)) continue;
    LLVMValueRef last = LLVMBuildNot(e->builder, emit_register(e, mask, r + run - 1), "");
    LLVMValueRef cut = LLVMBuildAnd(e->builder, emit_register(e, mask, r), last, "");
    any = any ? LLVMBuildOr(e->builder, any, cut, "") : cut;
  }
  return any;
}
