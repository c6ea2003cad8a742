// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/layout/quotient_runs.h"

#include "base/integer.h"

// Register bits that move within a run. Nothing else changes their index bits, so indices add up.
static uint32_t register_bits_inside(const Layout *layout, uint32_t inside) {
  uint32_t found = 0, n = layout_in_bits(layout);
  for (uint32_t i = 0; i < layout->bits[DIM_REGISTER]; i++) {
    bool alone = layout->basis[i] && !(layout->basis[i] & ~inside);
    for (uint32_t k = 0; k < n && alone; k++) alone = k == i || !(layout->basis[k] & layout->basis[i]);
    if (alone) found |= 1u << i;
  }
  return found;
}

QuotientRuns quotient_runs(const Op *op) {
  const Attr *constant = op_attr(op, ATTR_CONSTANT), *counts = op_attr(op, ATTR_CONTIGUOUS);
  const Attr *lengths = counts ? counts : constant;
  QuotientRuns runs = {.tile = op_result(op)->type};
  if (!lengths) return runs;
  for (uint32_t d = 0; d < runs.tile->rank; d++) {
    uint32_t first, bits = layout_dim_bits(runs.tile->rank, runs.tile->shape, d, &first);
    uint32_t within = min_u32(bits, log2_floor((uint64_t)lengths->ints.at[d]));
    runs.dims[d] = ((UINT32_C(1) << within) - 1) << first;
    runs.inside |= runs.dims[d];
  }
  runs.first = register_bits_inside(runs.tile->layout, runs.inside);
  return runs;
}
