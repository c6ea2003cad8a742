// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of a whole warp to one contiguous range. These are the most common: one check and one count
// instead of 32.
#ifndef SIM_EXEC_CONTIGUOUS_H
#define SIM_EXEC_CONTIGUOUS_H

#include "sim/machine/state.h"

// Checks and counts the most common access at once. All 32 lanes are active. Lane l accesses the address of
// lane 0 plus l times the access's bytes, in one allocation or in shared memory. Returns the host address of
// lane 0. NULL: another kind of access, or a faulty one. Nothing was counted then.
unsigned char *resolve_contiguous(Warp *warp, const Insn *insn, uint32_t mask, bool writes);

#endif
