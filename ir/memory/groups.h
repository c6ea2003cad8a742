// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of a CTA's warps; each runs its own region (warp_groups).
#ifndef IR_MEMORY_GROUPS_H
#define IR_MEMORY_GROUPS_H

#include "ir/ir.h"

enum { GROUPS_MOST = 8 };

// The warp_groups op of a kernel, the last op before the body's return. Only the end of tensor memory may come between:
// a barrier and tmem_dealloc. NULL: all warps of the kernel run the same code.
const Op *func_groups(const Func *func);
// Returns true if two CTAs of a cluster compute the kernel's dots as a pair (tmem_alloc).
bool func_has_pairs(const Func *func);
// From its attributes: the number of groups, and the number of warps of group i.
uint32_t groups_count(const Op *groups);
uint32_t group_warps(const Op *groups, uint32_t i);
// Returns true if only one thread runs its region.
bool group_is_thread(const Op *groups, uint32_t i);
// The group whose region contains the op, nested regions included; UINT32_MAX: none.
uint32_t group_of(const Op *op);
// Makes the barrier one for only its group.
void group_name_barrier(Op *barrier);
// Returns true if the op runs in a group of only one thread.
bool group_runs_by_thread(const Op *op);
// Like region_warps_of, for a region of warp_groups or nested in one. Returns false for other regions.
bool group_region_warps(const Region *region, RegionWarps *warps);

#endif
