// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ways of running a kernel's products take, in registers and bytes: the formulas by which plan_kernel and plan_pipeline
// (passes/analysis/plan.h) decide, before there is a final kernel whose cost could be counted. The only header here that passes include; it knows
// the target and tuning.def alone.
#ifndef PASSES_ANALYSIS_HOPPER_LIMITS_H
#define PASSES_ANALYSIS_HOPPER_LIMITS_H

#include "target/target.h"

enum { WARPGROUP_WARPS = 4, PRODUCER_WARPS = 4 };

// Registers a thread where warps that multiply stand beside one warpgroup that copies. 0: nothing is moved (setmaxnreg): with one warpgroup
// two blocks may share a multiprocessor.
typedef struct RoleRegisters {
  uint32_t multiply, copy;
} RoleRegisters;

// A block begins with the same share for each thread, in eights; what is beyond is nobody's. `many`: the loop has three products or more in
// a row, of which two sums and more are alive, and leaves those that copy less.
RoleRegisters role_registers(const TargetInfo *arch, uint32_t warps, bool many);

// Whether programs in turn pay a product with so many registers of sums a thread, whose next program's copies run under its end.
bool persistent_pays(uint32_t sums);
// Whether its warps have room for what is beside them.
bool persistent_fits(uint32_t sums, uint32_t registers);

// Slots of so many bytes that shared memory has room for beside what else is in it.
uint32_t slots_that_fit(const TargetInfo *arch, uint64_t beside, uint64_t slot);

// The widest instruction's columns, two programs' tile side by side; registers of sums a thread of it.
bool fused_programs_pay(uint32_t rows, uint32_t columns, uint32_t warps);

// Whether warpgroups that begin products with so many columns in turn have something to compute under each other's.
bool pingpong_pays(uint32_t columns);

#endif
