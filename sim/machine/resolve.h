// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From simulated addresses to host pointers.
#ifndef SIM_MACHINE_RESOLVE_H
#define SIM_MACHINE_RESOLVE_H

#include "sim/machine/state.h"

// Checks alignment and bounds of every lane in `mask` for the whole access (all its elements), counts the
// request, and sets host[lane]. False: the warp's fault is set and nothing may be accessed.
bool resolve(Warp *warp, const Insn *insn, uint32_t mask, bool writes, unsigned char **host);

// The same for a launch that may go on after a fault: lanes with a fault leave *mask. False: none is left, or
// the fault is set.
bool resolve_lanes(Warp *warp, const Insn *insn, uint32_t *mask, bool writes, unsigned char **host);

// Where an operand of one lane, or a range, lies.
typedef struct Place {
  unsigned char *host;
  PtxSpace space;   // SPACE_GLOBAL for .const
  uint64_t address; // in that space
} Place;

// The address in one lane, generic or in the operand's space.
uint64_t address_at(const Warp *warp, const AddressOperand *address, uint32_t lane);
// Finds all of [address, address + bytes); `alignment` a power of two. Counts nothing and calls no hook.
// False: the fault is set.
bool resolve_range(Warp *warp, const Insn *insn, uint32_t lane, PtxSpace space, uint64_t address,
                   uint64_t bytes, uint32_t alignment, bool writes, Place *place);
bool resolve_operand(Warp *warp, const Insn *insn, uint32_t lane, const AddressOperand *operand,
                     uint64_t bytes, uint32_t alignment, bool writes, Place *place);

#endif
