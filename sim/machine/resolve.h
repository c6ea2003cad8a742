// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts simulated addresses to host pointers.
#ifndef SIM_MACHINE_RESOLVE_H
#define SIM_MACHINE_RESOLVE_H

#include "sim/machine/state.h"

// Checks alignment and bounds of the whole access (all its elements) for every lane in `mask`. Counts the
// request and sets host[lane]. False: the warp's fault is set, and nothing may be accessed.
bool resolve(Warp *warp, const Insn *insn, uint32_t mask, bool writes, unsigned char **host);

// The same for a launch that may continue after a fault. Lanes with a fault leave *mask. False: none is left,
// or the fault is set.
bool resolve_lanes(Warp *warp, const Insn *insn, uint32_t *mask, bool writes, unsigned char **host);

// Lanes of a multimem instruction.
typedef struct MultimemLanes {
  uint64_t addresses[LANES];
  const Multicast *multicasts[LANES];
  uint32_t copies; // the most that a lane has
} MultimemLanes;

// As resolve_lanes, for multicast addresses.
bool resolve_multimem(Warp *warp, const Insn *insn, uint32_t *mask, MultimemLanes *lanes);
// Sets host[lane] for a copy, and calls the hook. Returns the lanes that have it.
uint32_t resolve_copy(Warp *warp, const Insn *insn, uint32_t mask, const MultimemLanes *lanes, uint32_t copy,
                      HookAccess kind, unsigned char **host);

// The location of one lane's operand, or of a range.
typedef struct Place {
  unsigned char *host;
  PtxSpace space;   // SPACE_GLOBAL for .const
  uint64_t address; // in that space; of shared memory, in its CTA's
  Block *block;     // SPACE_SHARED: its CTA
} Place;

// The address in one lane: generic, or in the operand's space.
uint64_t address_at(const Warp *warp, const AddressOperand *address, uint32_t lane);
// Resolves [address, address + bytes). `alignment` is a power of two. Counts nothing and calls no hook. A
// shared address is one of this CTA's memory. False: the fault is set.
bool resolve_range(Warp *warp, const Insn *insn, uint32_t lane, PtxSpace space, uint64_t address,
                   uint64_t bytes, uint32_t alignment, bool writes, Place *place);
bool resolve_operand(Warp *warp, const Insn *insn, uint32_t lane, const AddressOperand *operand,
                     uint64_t bytes, uint32_t alignment, bool writes, Place *place);

#endif
