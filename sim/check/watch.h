// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a block spins: goes round loops that change nothing, waiting for memory that others may or may not
// change.
//
// A watch runs the block on, each group of lanes in turn to its next branch backwards, and compares with the state
// that it had: registers, where the groups of lanes stand, who is at which barrier. Where all of it comes back,
// every group that can run having run, no byte of memory having changed in between and nothing having been executed
// whose result is not a function of registers and memory (clocks, printing, asynchronous operations), every thread
// will do the same again, whatever the order of warps, for as long as memory stays as it is: barriers and .sync
// instructions wait for all that take part, so that no result hangs on who came first.
//
// A block that does anything else is found to move at once, and what the watch ran of it counts as any other
// execution: a watch costs a comparison of registers, at times.
#ifndef SIM_CHECK_WATCH_H
#define SIM_CHECK_WATCH_H

#include "sim/machine/state.h"

typedef enum WatchResult {
  WATCH_MOVES, // or it is not known
  WATCH_SPINS, // until another block changes global memory
  WATCH_STUCK, // for ever: it reads no memory that others can change
} WatchResult;

// May end with the worker's fault set. Warp.spins tells what lanes read; instructions are added to the worker's
// clock. `expected`: other blocks spin already, so that it is worth while to look at once.
WatchResult watch_block(Block *block, bool expected);
// What may yet happen to a block that spins, once nobody else is left to end that: operations under way take effect,
// lanes that wait for the rest of their warp at a barrier arrive alone. True: it has happened.
bool watch_stir(Block *block);
// Whether the block, which has been run in that many slices, should be watched now.
bool watch_is_due(const Block *block, uint64_t slices);
void watch_free(Watch *watch); // NULL is allowed

#endif
