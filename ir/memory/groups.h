// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of a block's warps, each of which runs a region of its own (warp_groups).
#ifndef IR_MEMORY_GROUPS_H
#define IR_MEMORY_GROUPS_H

#include "ir/ir.h"

enum { GROUPS_MOST = 8 };

// Of a kernel with groups of warps the op, which is the last before the body's return; NULL: all its warps do
// the same.
const Op *func_groups(const Func *func);
// By its attributes: how many groups, and of group i how many warps.
uint32_t groups_count(const Op *groups);
uint32_t group_warps(const Op *groups, uint32_t i);
// Whether one thread alone runs its region.
bool group_is_thread(const Op *groups, uint32_t i);
// The group whose region the op is in, or a region of it; UINT32_MAX: none.
uint32_t group_of(const Op *op);
// Whether that group's one thread alone runs the op.
bool group_runs_by_thread(const Op *op);
// As region_warps_of, of a region of warp_groups or one within it; false: it is of none.
bool group_region_warps(const Region *region, RegionWarps *warps);

#endif
