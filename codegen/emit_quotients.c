// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients that are alike and remainders that count upwards within runs (coalesce marks them): each thread divides
// once a run, for its first register there.
#include "base/math.h"
#include "codegen/emit.h"

typedef struct Runs {
  const Type *tile;
  uint32_t dims[TILE_MAX_RANK]; // bits of the index within a run
  uint32_t inside;              // all of them
  uint32_t first;               // bits of a register's number that stay inside
} Runs;

// Register bits that move within a run, by bits of the index that nothing else moves by: so indices add up.
static uint32_t register_bits_inside(const Layout *layout, uint32_t inside) {
  uint32_t found = 0, n = layout_in_bits(layout);
  for (uint32_t i = 0; i < layout->bits[DIM_REGISTER]; i++) {
    bool alone = layout->basis[i] && !(layout->basis[i] & ~inside);
    for (uint32_t k = 0; k < n && alone; k++) alone = k == i || !(layout->basis[k] & layout->basis[i]);
    if (alone) found |= 1u << i;
  }
  return found;
}

static Runs runs_of(const Op *op, const Attr *lengths) {
  Runs runs = {.tile = op_result(op)->type};
  for (uint32_t d = 0; d < runs.tile->rank; d++) {
    uint32_t first, bits = layout_dim_bits(runs.tile->rank, runs.tile->shape, d, &first);
    uint32_t within = min_u32(bits, log2_floor((uint64_t)lengths->ints.at[d]));
    runs.dims[d] = ((UINT32_C(1) << within) - 1) << first;
    runs.inside |= runs.dims[d];
  }
  runs.first = register_bits_inside(runs.tile->layout, runs.inside);
  return runs;
}

// How far the register's element is behind the first of its run.
static uint64_t steps_of(const Runs *runs, uint32_t r) {
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
  if ((op->kind != OP_DIV && op->kind != OP_REM) || (!constant && !counts)) return false;
  if (!type_is_tile(op_result(op)->type)) return false;
  const Runs runs = runs_of(op, counts ? counts : constant);
  for (uint32_t r = 0; r < emit_count(runs.tile); r++) {
    LLVMValueRef x[2] = {emit_register(e, op_operand(op, 0), r), emit_register(e, op_operand(op, 1), r)};
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
