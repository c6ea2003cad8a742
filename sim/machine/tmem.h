// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor memory (PTX ISA 9.7.16.1 and 9.7.16.7): lanes and columns of 32 bits, which a CTA allocates in
// columns. With .cta_group::2 the CTAs of a pair allocate the same columns together. On a GPU the CTAs of a
// multiprocessor share it, and an allocation may wait for another CTA. Here each CTA has its own.
#ifndef SIM_MACHINE_TMEM_H
#define SIM_MACHINE_TMEM_H

#include "sim/machine/async.h"
#include "sim/machine/state.h"

typedef struct TmemAllocation {
  uint32_t column, columns; // columns 0: none
  uint32_t insn;            // that allocated it
  uint32_t warp;
} TmemAllocation;

enum { TMEM_ALLOCATIONS = CHIP_TMEM_COLUMNS / CHIP_TMEM_UNIT };

typedef struct Tmem {
  uint32_t words[CHIP_TMEM_COLUMNS][CHIP_TMEM_LANES];
  TmemAllocation allocations[TMEM_ALLOCATIONS];
  uint32_t least;    // Columns of the last allocation; 0: none yet
  bool relinquished; // tcgen05.relinquish_alloc_permit
  // tcgen05.alloc with .cta_group::2, until it has the columns.
  TmemAllocation asked; // Columns 0: no warp waits in it
  bool granted;         // `asked` has its column.
} Tmem;

static inline uint32_t tmem_column(uint32_t address) { return address & 0xffff; }
static inline uint32_t tmem_lane(uint32_t address) { return address >> 16; }

void tmem_start(Tmem *tmem); // of a CTA: nothing is allocated
// Runs tcgen05.alloc, dealloc or relinquish_alloc_permit for the warp. False: it must wait for columns. May
// set the fault.
bool tmem_change(Warp *warp, const Insn *insn, uint32_t mask);
// Checks that the columns of the CTA are allocated. False: the fault is set. `what`: "tcgen05.ld reads".
bool tmem_reach(Warp *warp, const Insn *insn, uint32_t mask, const Block *block, TmemRange range,
                const char *what);

#endif
