// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarriers (PTX ISA 9.7.13.15): 64-bit objects in shared memory. A phase completes when no arrival and no
// byte is pending. Then the parity flips.
#ifndef SIM_MACHINE_MBARRIER_H
#define SIM_MACHINE_MBARRIER_H

#include "sim/machine/state.h"

typedef struct Mbarrier {
  uint32_t pending, expected; // missing arrivals; arrivals per phase
  int32_t tx;                 // missing bytes
  uint32_t phase;             // parity of the current phase
} Mbarrier;

// The mbarrier at a shared address of a CTA, and its host pointer. False: the fault is set.
bool mbarrier_find(Warp *warp, const Insn *insn, uint32_t lane, Block *owner, uint64_t address,
                   Mbarrier *mbarrier, unsigned char **host);
// The same without a fault. False: no mbarrier is there.
bool mbarrier_peek(const Block *block, uint64_t address, Mbarrier *mbarrier);
// Effects of operations on an mbarrier. `lane` and `op` (NULL: the instruction itself) are for reports and
// hooks. `owner`: the CTA that has the mbarrier.
void mbarrier_arrive(Warp *warp, const Insn *insn, uint32_t lane, const AsyncOp *op, Block *owner,
                     uint64_t address, uint32_t count);

// An operation of `bytes` bytes is complete.
void mbarrier_complete_tx(const AsyncOp *op, uint32_t lane, uint64_t bytes);
void mbarrier_add_pending(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address, uint32_t count);

// The lanes whose phase is complete. If the launch continues after faults, lanes at fault are included.
// `hasty`: leaves out lanes whose phase is only completed by pending operations. It also leaves out phases
// that may have completed just now, because the checker knows of nothing that orders this before the test.
uint32_t mbarrier_test(Warp *warp, const Insn *insn, uint32_t mask, bool hasty);
// Groups that wait at mbarriers try again.
void mbarrier_wake(Block *block);

#endif
