// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ways of running a kernel's products take, in registers and bytes: the formulas by which plan_ways and plan_slots
// (passes/analysis/plan.h) decide, before there is a final kernel whose cost could be counted. The only header here that passes include; it knows
// the target and tuning.def alone.
#ifndef PASSES_ANALYSIS_WAYS_H
#define PASSES_ANALYSIS_WAYS_H

#include "target/target.h"

enum { WARPGROUP_WARPS = 4, PRODUCER_WARPS = 4 };

// Registers a thread where warps that multiply stand beside one warpgroup that copies. 0: nothing is moved (setmaxnreg): with one warpgroup
// two blocks may share a multiprocessor.
typedef struct CostRoles {
  uint32_t multiply, copy;
} CostRoles;

// A block begins with the same share for each thread, in eights; what is beyond is nobody's. `many`: the loop has three products or more in
// a row, of which two sums and more are alive, and leaves those that copy less.
CostRoles cost_roles(const TargetInfo *arch, uint32_t warps, bool many);

// Whether programs in turn pay a product with so many registers of sums a thread, whose next program's copies run under its end.
bool cost_turn_pays(uint32_t sums);
// Whether its warps have room for what is beside them.
bool cost_turn_fits(uint32_t sums, uint32_t registers);

// Slots of so many bytes that shared memory has room for beside what else is in it.
uint32_t cost_slots(const TargetInfo *arch, uint64_t beside, uint64_t slot);

// The widest instruction's columns, two programs' tile side by side; registers of sums a thread of it.
bool cost_pair_pays(uint32_t rows, uint32_t columns, uint32_t warps);

// Whether warpgroups that begin products with so many columns in turn have something to compute under each other's.
bool cost_turns_pay(uint32_t columns);

#endif
