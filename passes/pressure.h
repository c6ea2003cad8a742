// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PASSES_PRESSURE_H
#define PASSES_PRESSURE_H

#include "ir/ir.h"

// Registers a thread that tiles fill where most of them are alive; pressure.c says which count.
// Every tile has a layout.
uint32_t func_pressure(Arena *scratch, Func *func);

#endif
