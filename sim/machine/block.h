// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks: their memory, their start, and round-robin execution of their warps.
#ifndef SIM_MACHINE_BLOCK_H
#define SIM_MACHINE_BLOCK_H

#include "sim/machine/state.h"

// A block with memory for the launch's kernel; NULL where the host has none. `image`: see block_image.
Block *block_new(Worker *worker);
void block_free(Block *block);
// A warp's registers as it starts but for what differs between warps: register_bytes, from aligned_alloc;
// NULL: no memory.
unsigned char *block_image(const Launch *launch);
// Makes it block `index` of the grid, every thread at the start.
void block_start(Block *block, const unsigned char *image, uint64_t index);

typedef enum BlockState { BLOCK_RUNNING, BLOCK_DONE, BLOCK_FAULT } BlockState;

size_t block_register_bytes(const Block *block); // of all warps, from block->registers on
// With checks, lanes at an .aligned barrier wait for the rest of their warp: one group of them arrives alone. False:
// there is none.
bool block_release_alone(Block *block);
// Sets the fault of a block none of whose threads goes on; so many blocks of the grid have not started. The block's
// operations under way are dropped.
void block_deadlock(Block *block, uint64_t unstarted);

// Runs about `slice` warp instructions, warps in turn. A block that cannot go on is a fault.
BlockState block_run(Block *block, uint64_t slice);

#endif
