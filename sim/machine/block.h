// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CTAs: their memory, their start, and the round-robin execution of their warps.
#ifndef SIM_MACHINE_BLOCK_H
#define SIM_MACHINE_BLOCK_H

#include "sim/machine/state.h"

// The scheduler knows one CTA of each cluster, its leader. These functions do the same for the others of the
// cluster, which run together.

// A cluster of CTAs with memory for the launch's kernel, by its leader. NULL if the host has no memory.
// `images`: see block_image.
Block *block_new(Worker *worker);
void block_free(Block *block);
// The initial registers of a warp on each device, except values that differ between warps. From aligned_alloc.
// NULL: out of memory.
unsigned char *block_image(const Launch *launch);
// Makes it cluster `index` of a device's grid, with every thread at the start.
void block_start(Block *block, const unsigned char *images, uint32_t device, uint64_t index);

// The place in the device's grid of a cluster's CTA.
void block_place(const Launch *launch, uint64_t cluster, uint32_t rank, uint32_t id[3]);
// Its number in the grids of all devices, and that of its cluster.
static inline uint32_t block_of_cluster(const Launch *launch, uint64_t cluster, uint32_t rank) {
  uint32_t id[3], device = launch->devices > 1 ? (uint32_t)(cluster / launch->clusters) : 0;
  block_place(launch, cluster - device * launch->clusters, rank, id);
  return device * (uint32_t)launch->blocks + (id[2] * launch->grid[1] + id[1]) * launch->grid[0] + id[0];
}

typedef enum BlockState { BLOCK_RUNNING, BLOCK_DONE, BLOCK_FAULT } BlockState;

size_t block_register_bytes(const Block *block); // of all warps of the CTA, starting at block->registers
// With checks, lanes at an .aligned barrier wait for the rest of their warp. Lets one group of them arrive
// alone. False: there is no such group.
bool block_release_alone(Block *block);
// Sets the fault of a CTA in which no thread can continue. `unstarted`: CTAs of the grid that have not
// started. Drops the CTA's pending operations.
void block_deadlock(Block *block, uint64_t unstarted);

// Runs about `slice` warp instructions, one warp after another, of one CTA after another. A cluster that cannot
// continue is a fault.
BlockState block_run(Block *block, uint64_t slice);

#endif
