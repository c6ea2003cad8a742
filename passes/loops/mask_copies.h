// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of code without the masks that hold there: what split_masks, which makes them of straight lines, and
// peel_masks, which makes them of loops, have in common.
#ifndef PASSES_LOOPS_MASK_COPIES_H
#define PASSES_LOOPS_MASK_COPIES_H

#include "ir/clone.h"
#include "passes/analysis/axis_info.h"
#include "passes/analysis/mask_bounds.h"
#include "passes/passes.h"

typedef struct MaskCopies {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  bool *in_window; // by op id: a load of a window, which without masks is read in vectors
  bool combines;   // a straight line that reduces or scans
} MaskCopies;

// What holds in a copy.
typedef struct HeldBounds {
  MaskBound at[MASK_BOUNDS_MAX];
  uint32_t n;
} HeldBounds;

MaskCopies mask_copies_of(PassContext *context, Func *func);
// Whether one of the region's own ops is a loop; a function's body with one is peel_masks', any other
// split_masks'.
bool region_has_loops(const Region *region);

// The mask of an access of a tile; NULL: there is none, or the op is something else.
Value *mask_of(const Op *op);
// Whether without its mask a thread could move more elements at once, or would be spared predicates.
bool mask_narrows(const MaskCopies *copies, const Op *op);

bool held_bounds_include(const HeldBounds *held, const MaskBound *bound);
// The op's copy, without its mask where that holds.
void mask_copy_op(const MaskCopies *copies, Builder *b, const Op *op, CloneMap *map, const HeldBounds *held);
// How many ops there are from this one to its region's end, with those in regions.
uint32_t count_ops_from(const Op *op);

#endif
