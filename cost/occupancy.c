// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/integer.h"
#include "cost/cost.h"

enum {
  REGISTER_UNIT = 256,
  WARP_UNIT = 4,
  SHARED_UNIT = 128
}; // registers of a warp; warps; bytes of shared memory

const char *cost_limit_name(CostLimit limit) {
  static const char *const names[] = {"warps", "blocks", "registers", "shared memory"};
  return names[limit];
}

static void limit_to(CostOccupancy *o, uint32_t blocks, CostLimit limit) {
  if (blocks >= o->blocks) return;
  o->blocks = blocks;
  o->limit = limit;
}

CostOccupancy cost_occupancy(const TargetInfo *arch, uint32_t threads, uint32_t registers,
                             uint32_t shared_bytes) {
  CostOccupancy o = {
      .registers = registers, .shared_bytes = shared_bytes, .blocks = arch->blocks, .limit = LIMIT_BLOCKS};
  uint32_t warps = (threads + TARGET_WARP - 1) / TARGET_WARP,
           of_warp = (uint32_t)round_up(registers * TARGET_WARP, REGISTER_UNIT);
  uint32_t room = of_warp ? arch->registers / of_warp / WARP_UNIT * WARP_UNIT : arch->warps;
  uint32_t taken = (uint32_t)round_up(shared_bytes + arch->shared_reserved, SHARED_UNIT);
  limit_to(&o, arch->warps / warps, LIMIT_WARPS);
  limit_to(&o, room / warps, LIMIT_REGISTERS);
  if (shared_bytes) limit_to(&o, (arch->shared_limit + arch->shared_reserved) / taken, LIMIT_SHARED);
  o.warps = o.blocks * warps;
  return o;
}
