// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs of neighbours whose quotients are alike, or whose remainders are alike or count upwards, as a div or
// rem of a tile says, or a comparison of its results: which registers of a thread one does for.
#ifndef IR_LAYOUT_QUOTIENT_RUNS_H
#define IR_LAYOUT_QUOTIENT_RUNS_H

#include "ir/ir.h"

typedef struct QuotientRuns {
  const Type *tile;
  uint32_t dims[TILE_MAX_RANK]; // bits of the index within a run
  uint32_t inside;              // all of them
  uint32_t first;               // bits of a register's number that stay inside
} QuotientRuns;

// Of a tile with a layout; without `constant` and `contiguous` no register stays inside.
QuotientRuns quotient_runs(const Op *op);

#endif
