// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where warps stand when a launch ends before they do: what a limit, a cancellation or a deadlock says besides
// its message.
#ifndef SIM_WAITS_H
#define SIM_WAITS_H

#include "sim/exec.h"

// The places, those of one line and message together. One that is full leaves the rest out.
typedef struct WaitList WaitList;

WaitList *waits_new(void); // NULL: no memory, and the functions below do nothing
void waits_free(WaitList *list);
// Adds every warp of the block that has not ended.
void waits_add(WaitList *list, const Block *block);
// As many as *n, in the order in which they were added; they live as long as the list and the program.
const tilec_sim_wait *waits_all(const WaitList *list, size_t *n);

// A warp of the block that can run, else one that waits; NULL: all have ended. *insn: where it stands.
const Warp *waits_blame(const Block *block, const Insn **insn);

#endif
