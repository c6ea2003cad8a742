// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warpgroups whose elements are all padding (pad_tiles). 192 rows take the space of 256. Each of four warpgroups has 64
// rows, so the fourth has nothing to do. If the others need nothing from it, it need not run.
#ifndef PASSES_ANALYSIS_PADDED_WARPS_H
#define PASSES_ANALYSIS_PADDED_WARPS_H

#include "ir/ir.h"

// The layout for a tile access by 2^warp_bits warps, like layout_default. Each warpgroup gets its part of one
// dimension. The mask leaves at least one warpgroup without work. False: it leaves none without work.
bool layout_by_warpgroups(const Value *mask, const uint32_t *order, uint32_t elem_bits, uint32_t warp_bits,
                          Layout *layout);

// How many warps have elements that are not padding, a multiple of 4. No store and no other warp uses results of the
// warps beyond. num_warps if that is not known. The kernel has no groups of warps. A tile that TMA may copy in a dot
// loop counts as copied by TMA.
uint32_t unpadded_warps(const Func *func);

#endif
