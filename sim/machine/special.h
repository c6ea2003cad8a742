// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The special registers that do not change while a thread runs.
#ifndef SIM_MACHINE_SPECIAL_H
#define SIM_MACHINE_SPECIAL_H

#include "sim/machine/state.h"

bool special_is_of_block(Special special); // true if it differs between the CTAs of a launch
// Fills block->specials. `of_block`: only those that differ between the CTAs of a launch.
void special_fill(Block *block, bool of_block);

#endif
