// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warpgroups all of whose elements are padding (pad_tiles): 192 rows take the room of 256, and of four warpgroups that have 64
// of them each the fourth has nothing to do. Where the others need nothing of it, it need not be run.
#ifndef PASSES_ANALYSIS_PADDED_WARPS_H
#define PASSES_ANALYSIS_PADDED_WARPS_H

#include "ir/ir.h"

// Of a tile of truth values: all elements from this index of dimension `dim` on are false; its size, where none is known to be.
uint32_t mask_end(const Value *mask, uint32_t dim);

// The layout of an access of a tile by 2^warp_bits warps (as layout_default) whose mask leaves a warpgroup of them or more with
// nothing, if each has a part of one dimension in its turn. False: the mask leaves none.
bool layout_by_warpgroups(const Value *mask, const uint32_t *order, uint32_t elem_bits, uint32_t warp_bits,
                          Layout *layout);

// How many warps of a kernel without groups of warps have elements that are more than padding, a multiple of 4: what the warps
// beyond compute no store takes, and no other warp. num_warps, where that is not known. Tiles that tensor copies may bring in a
// loop of products count as brought by them.
uint32_t unpadded_warps(const Func *func);

#endif
