// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where warps stand when a launch ends before they do: what a limit, a cancellation or a deadlock says besides
// its message.
#ifndef SIM_CHECK_WAITS_H
#define SIM_CHECK_WAITS_H

#include "sim/machine/state.h"

// The places, those of one line and message together. One that is full leaves the rest out.
typedef struct WaitList WaitList;
enum { WAIT_TEXT = 200 };

WaitList *waits_new(void); // NULL: no memory, and the functions below do nothing
void waits_free(WaitList *list);
// Adds every warp of the block that has not ended.
void waits_add(WaitList *list, const Block *block);
// As many as *n, in the order in which they were added; they live as long as the list and the program.
const tilec_sim_wait *waits_all(const WaitList *list, size_t *n);

// Lanes to blame where a block does not end: ones that can run, else ones that wait.
typedef struct Blame {
  Warp *warp; // NULL: all have ended
  const Insn *insn;
  uint32_t lanes;
  uint64_t address;    // that they read again and again; 0: none
  const char *missing; // ", for threads that never come"; NULL: they wait for nothing
  char text[WAIT_TEXT];
} Blame;

void waits_blame(const Block *block, Blame *blame);

#endif
