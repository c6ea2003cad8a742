// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of code without the masks that hold there, for split_masks.
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
  bool *in_window; // by op id: a load of a window, which is read in vectors without masks
  bool combines;   // straight-line code with a reduction or scan
} MaskCopies;

// Bounds that hold in a copy.
typedef struct HeldBounds {
  MaskBound at[MASK_BOUNDS_MAX];
  uint32_t n;
} HeldBounds;

MaskCopies mask_copies_of(PassContext *context, Func *func);
// True if one of the region's own ops is a loop.
bool region_has_loops(const Region *region);

// The mask of a tile load or store. NULL if it has none, or for any other op.
Value *mask_of(const Op *op);
// True if without the mask a thread could move more elements per access, or would need fewer predicates.
bool mask_narrows(const MaskCopies *copies, const Op *op);

bool held_bounds_include(const HeldBounds *held, const MaskBound *bound);
// Copies the op, without its mask if the held bounds imply it.
void mask_copy_op(const MaskCopies *copies, Builder *b, const Op *op, CloneMap *map, const HeldBounds *held);
// Number of ops from this one to the end of its region, including ops in nested regions.
uint32_t count_ops_from(const Op *op);

#endif
