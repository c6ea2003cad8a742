// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps that the kernel makes itself, for launchers that pass none (--tma=prologue).
#ifndef PASSES_TMA_PROLOGUE_MAPS_H
#define PASSES_TMA_PROLOGUE_MAPS_H

#include "passes/passes.h"

// Both functions are one kernel after all passes: `mapped` with tensor maps among its parameters, `plain` without. Makes
// `mapped` a kernel without hidden parameters. It takes its own body where it can make the maps, and `plain`'s
// otherwise:
//
//   before  kernel @k(%a, ..., map %a_map { base, sizes, strides }, guard { g }) { mapped }
//   after   kernel @k(%a, ...) {
//             %a_map = make_map %buffer, base, sizes, strides
//             %taken = claim_maps %slot, %wanted     // g, the hardware takes the maps, and the loop is long enough
//             if %taken { copy_map %a_map; barrier; acquire_map %a_map; mapped; barrier; free_maps } else { plain }
//           }
//
// Returns false, and changes nothing, if it cannot: the bodies have different warps, or the maps do not fit into shared
// memory.
bool prologue_maps(PassContext *context, Func *mapped, const Func *plain);

#endif
