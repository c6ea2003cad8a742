// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out if a CTA spins: it loops without changing anything and waits for memory that others may or may
// not change.
//
// A watch runs the CTA: each group of lanes runs to its next backward branch, one after another. Then it
// compares the CTA's state with an earlier one. The state is the registers, the positions of the groups, and
// the arrivals at each barrier. The CTA spins if the state repeats and all of this is true:
//
// * every group that can run has run;
// * no byte of memory has changed in between;
// * every executed result depends only on registers and memory (no clocks, printing or asynchronous operations).
//
// Then every thread will repeat this for as long as memory does not change, in any order of warps. Barriers
// and .sync instructions wait for all participants, so no result depends on the order of arrival.
//
// For any other CTA the watch ends at the first sign of progress. Instructions that a watch has run count
// like other execution. So the cost of a watch is an occasional comparison of registers.
#ifndef SIM_CHECK_WATCH_H
#define SIM_CHECK_WATCH_H

#include "sim/machine/state.h"

typedef enum WatchResult {
  WATCH_MOVES, // or not known
  WATCH_SPINS, // until another CTA changes global memory
  WATCH_STUCK, // forever: it reads no memory that others can change
} WatchResult;

// May end with the worker's fault set. Warp.spins gets the addresses that lanes read. Instructions are added
// to the worker's clock. `expected`: other CTAs already spin, so the state is compared early.
WatchResult watch_block(Block *block, bool expected);
// Call if a CTA spins and nobody else can end that. Applies what may still happen: pending operations take
// effect, or lanes that wait at a barrier for the rest of their warp arrive alone. Returns true if that
// changed something.
bool watch_stir(Block *block);
// Returns true if the CTA should be watched now. It has run for `slices` slices.
bool watch_is_due(const Block *block, uint64_t slices);
void watch_free(Watch *watch); // NULL is allowed

#endif
