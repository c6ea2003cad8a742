// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SIM_DECODE_RECONVERGENCE_H
#define SIM_DECODE_RECONVERGENCE_H

#include "sim/ptx/insn.h"

// Fills program->order. Call when the code is complete.
void order_code(Arena *arena, Program *program);

#endif
