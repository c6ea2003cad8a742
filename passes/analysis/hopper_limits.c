// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/hopper_limits.h"

#include "target/tuning.h"

enum { REGISTER_STEP = 8, PAIR = 2, WIDEST = 256 }; // The step of setmaxnreg; programs; columns of a wgmma.

static uint32_t in_steps(uint32_t registers) { return registers / REGISTER_STEP * REGISTER_STEP; }

RoleRegisters role_registers(const TargetInfo *arch, uint32_t warps, bool many) {
  if (warps <= WARPGROUP_WARPS) return (RoleRegisters){0};
  uint32_t groups = warps / WARPGROUP_WARPS, threads = (warps + PRODUCER_WARPS) * TARGET_WARP;
  uint32_t entry = in_steps(arch->registers / threads);
  RoleRegisters roles = {.copy = many         ? TUNE_PRODUCER_REGISTERS_BESIDE_MANY
                             : groups > 2 ? TUNE_PRODUCER_REGISTERS_BESIDE_THREE
                                          : TUNE_PRODUCER_REGISTERS};
  roles.multiply = in_steps((entry * (groups + PRODUCER_WARPS / WARPGROUP_WARPS) - roles.copy) / groups);
  if (roles.multiply > arch->setmaxnreg_most) roles.multiply = arch->setmaxnreg_most;
  return roles;
}

bool persistent_pays(uint32_t sums) { return sums >= TUNE_TURN_SUMS; }

bool persistent_fits(uint32_t sums, uint32_t registers) {
  return sums + TUNE_TURN_RESERVED_REGISTERS <= registers;
}

uint32_t slots_that_fit(const TargetInfo *arch, uint64_t beside, uint64_t slot) {
  return beside < arch->shared_limit ? (uint32_t)((arch->shared_limit - beside) / slot) : 0;
}

bool fused_programs_pay(uint32_t rows, uint32_t columns, uint32_t warps) {
  return PAIR * columns == WIDEST && PAIR * rows * columns / (warps * TARGET_WARP) == TUNE_TURN_SUMS;
}

bool pingpong_pays(uint32_t columns) { return columns <= TUNE_TURN_COLUMNS; }
