// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers and bytes that each way of running a kernel's dots takes. plan_kernel and plan_pipeline
// (passes/analysis/plan.h) decide by these formulas. At that point there is no final kernel whose cost could be
// counted. This is the only header here that passes include. It depends only on the target and tuning.def.
#ifndef PASSES_ANALYSIS_HOPPER_LIMITS_H
#define PASSES_ANALYSIS_HOPPER_LIMITS_H

#include "target/target.h"

enum { WARPGROUP_WARPS = 4, PRODUCER_WARPS = 4 };

// Registers per thread of the consumer warps and of the one producer warpgroup. 0: registers are not moved
// (setmaxnreg). With one warpgroup, two CTAs may share a multiprocessor.
typedef struct RoleRegisters {
  uint32_t multiply, copy;
} RoleRegisters;

// A CTA starts with an equal share for each thread, in steps of eight. Registers beyond that are unused. `many`: the
// loop has three or more dots in a row, and two or more accumulators are alive. Then the producer warps get fewer
// registers.
RoleRegisters role_registers(const TargetInfo *arch, uint32_t warps, bool many);

// Returns true if a persistent kernel is worth it for a dot with this many accumulator registers per thread. The next
// program's copies run under the end of the current one.
bool persistent_pays(uint32_t sums);
// Returns true if the consumer warps have room for everything besides these accumulators.
bool persistent_fits(uint32_t sums, uint32_t registers);

// How many slots of this size fit in shared memory, after the bytes that everything else takes.
uint32_t slots_that_fit(const TargetInfo *arch, uint64_t beside, uint64_t slot);

// Returns true if fusing two programs is worth it. Their tiles side by side are then as wide as the widest instruction,
// and a thread holds TUNE_TURN_SUMS accumulator registers.
bool fused_programs_pay(uint32_t rows, uint32_t columns, uint32_t warps);

// Returns true if ping-pong warpgroups are worth it for dots with this many columns. Each warpgroup needs something to
// compute while the other one multiplies.
bool pingpong_pays(uint32_t columns);

#endif
