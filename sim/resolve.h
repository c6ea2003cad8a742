// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From simulated addresses to host pointers.
#ifndef SIM_RESOLVE_H
#define SIM_RESOLVE_H

#include "sim/exec.h"

// Checks alignment and bounds of every lane in `mask` for the whole access (all its elements), counts the
// request, and sets host[lane]. False: the warp's fault is set and nothing may be accessed.
bool resolve(Warp *warp, const Insn *insn, uint32_t mask, bool writes, unsigned char **host);

#endif
