// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of a whole warp to one run of bytes, which most are: one check and one count instead of 32.
#ifndef SIM_EXEC_CONTIGUOUS_H
#define SIM_EXEC_CONTIGUOUS_H

#include "sim/machine/state.h"

// The commonest access, checked and counted at once: all 32 lanes, lane l at the address of lane 0 plus l
// times the access's bytes, in one allocation or in shared memory. The host address of lane 0; NULL: it is no
// such access, or it is wrong, and nothing was counted.
unsigned char *resolve_contiguous(Warp *warp, const Insn *insn, uint32_t mask, bool writes);

#endif
