// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SIM_ORDER_H
#define SIM_ORDER_H

#include "sim/insn.h"

// Fills program->order, once the code is whole.
void order_code(Arena *arena, Program *program);

#endif
