// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of neighbours with equal quotients, or with equal or consecutive remainders. A div or rem of a tile
// declares them, or a comparison of its results. The first register of a run determines the others.
#ifndef IR_LAYOUT_QUOTIENT_RUNS_H
#define IR_LAYOUT_QUOTIENT_RUNS_H

#include "ir/ir.h"

typedef struct QuotientRuns {
  const Type *tile;
  uint32_t dims[TILE_MAX_RANK]; // bits of the index within a run
  uint32_t inside;              // all of them
  uint32_t first;               // register bits that stay within a run
} QuotientRuns;

// For a tile with a layout. Without `constant` and `contiguous` no register bit stays within a run.
QuotientRuns quotient_runs(const Op *op);

#endif
