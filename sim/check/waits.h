// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The positions of warps when a launch ends early by a limit, a cancellation or a deadlock. Reported in
// addition to the message.
#ifndef SIM_CHECK_WAITS_H
#define SIM_CHECK_WAITS_H

#include "sim/machine/state.h"

// The positions. Those with the same line and message are merged. A full list drops the rest.
typedef struct WaitList WaitList;

WaitList *waits_new(void); // NULL: out of memory; the functions below then do nothing
void waits_free(WaitList *list);
// Adds every warp of the CTA that has not ended.
void waits_add(WaitList *list, const Block *block);
// All *n of them, in order of addition. They live as long as the list and the program.
const tilec_sim_wait *waits_all(const WaitList *list, size_t *n);

// The lanes to blame if a CTA does not end: lanes that can run, else waiting ones.
typedef struct Blame {
  Warp *warp; // NULL: all have ended
  const Insn *insn;
  uint32_t lanes;
  uint64_t address;    // that they read repeatedly; 0: none
  const char *missing; // ", for threads that never arrive"; NULL: they do not wait
  char *text;          // for text_free
} Blame;

void waits_blame(const Block *block, Blame *blame);

#endif
