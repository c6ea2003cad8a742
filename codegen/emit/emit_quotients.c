// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions, comparisons and loop-carried values that coalesce marked: within a run, quotients are equal or
// remainders count upwards. Each thread divides, compares or adds once a run, for its first register there.
// All registers of a run of a loop-carried value become one phi, because their incoming values are equal.
#include "base/integer.h"
#include "codegen/emit/emit.h"
#include "ir/layout/quotient_runs.h"

// The distance from the first element of the run to the register's element.
static uint64_t steps_of(const QuotientRuns *runs, uint32_t r) {
  uint32_t index = 0;
  uint64_t steps = 0;
  for (uint32_t i = 0; r >> i; i++)
    if (r >> i & runs->first >> i & 1) index ^= runs->tile->layout->basis[i];
  for (uint32_t d = 0; d < runs->tile->rank; d++)
    if (runs->dims[d]) steps += (index & runs->dims[d]) >> lowest_bit(runs->dims[d]);
  return steps;
}

bool emit_quotients(Emitter *e, const Op *op, LLVMValueRef *out) {
  const Attr *constant = op_attr(op, ATTR_CONSTANT), *counts = op_attr(op, ATTR_CONTIGUOUS);
  if (op->kind == OP_HINT || (!constant && !counts)) return false;
  if (!type_is_tile(op_result(op)->type)) return false;
  const QuotientRuns runs = quotient_runs(op);
  for (uint32_t r = 0; r < emit_count(runs.tile); r++) {
    LLVMValueRef x[3] = {NULL};
    for (uint32_t i = 0; i < op->operand_count; i++) x[i] = emit_register(e, op_operand(op, i), r);
    uint32_t first = r & ~runs.first;
    uint64_t steps = counts ? steps_of(&runs, r) : 0;
    if (first == r)
      out[r] = emit_scalar_of(op->kind)(e, op, x);
    else if (steps == 0)
      out[r] = out[first];
    else
      out[r] = LLVMBuildAdd(e->builder, out[first], LLVMConstInt(LLVMTypeOf(out[first]), steps, false), "");
  }
  return true;
}
