// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CTAs: their memory, their start, and the round-robin execution of their warps.
#ifndef SIM_MACHINE_BLOCK_H
#define SIM_MACHINE_BLOCK_H

#include "sim/machine/state.h"

// A CTA with memory for the launch's kernel. NULL if the host has no memory. `image`: see block_image.
Block *block_new(Worker *worker);
void block_free(Block *block);
// The initial registers of a warp, except values that differ between warps. It has register_bytes, from
// aligned_alloc. NULL: out of memory.
unsigned char *block_image(const Launch *launch);
// Makes it CTA `index` of the grid, with every thread at the start.
void block_start(Block *block, const unsigned char *image, uint64_t index);

typedef enum BlockState { BLOCK_RUNNING, BLOCK_DONE, BLOCK_FAULT } BlockState;

size_t block_register_bytes(const Block *block); // of all warps, starting at block->registers
// With checks, lanes at an .aligned barrier wait for the rest of their warp. Lets one group of them arrive
// alone. False: there is no such group.
bool block_release_alone(Block *block);
// Sets the fault of a CTA in which no thread can continue. `unstarted`: CTAs of the grid that have not
// started. Drops the CTA's pending operations.
void block_deadlock(Block *block, uint64_t unstarted);

// Runs about `slice` warp instructions, one warp after another. A CTA that cannot continue is a fault.
BlockState block_run(Block *block, uint64_t slice);

#endif
