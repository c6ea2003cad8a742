// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/special.h"

static uint32_t special_value(const Block *block, uint32_t warp, Special special, uint32_t lane) {
  const Launch *launch = block->worker->launch;
  const uint32_t *n = launch->block, *cluster = launch->cluster;
  uint32_t thread = warp * LANES + lane;
  switch (special) {
  case SPECIAL_TID_X: return thread % n[0];
  case SPECIAL_TID_Y: return thread / n[0] % n[1];
  case SPECIAL_TID_Z: return thread / n[0] / n[1];
  case SPECIAL_NTID_X: return n[0];
  case SPECIAL_NTID_Y: return n[1];
  case SPECIAL_NTID_Z: return n[2];
  case SPECIAL_CTAID_X: return block->id[0];
  case SPECIAL_CTAID_Y: return block->id[1];
  case SPECIAL_CTAID_Z: return block->id[2];
  case SPECIAL_CLUSTERID_X: return block->id[0] / cluster[0];
  case SPECIAL_CLUSTERID_Y: return block->id[1] / cluster[1];
  case SPECIAL_CLUSTERID_Z: return block->id[2] / cluster[2];
  case SPECIAL_NCLUSTERID_X: return launch->grid[0] / cluster[0];
  case SPECIAL_NCLUSTERID_Y: return launch->grid[1] / cluster[1];
  case SPECIAL_NCLUSTERID_Z: return launch->grid[2] / cluster[2];
  case SPECIAL_CLUSTER_CTAID_X: return block->rank % cluster[0];
  case SPECIAL_CLUSTER_CTAID_Y: return block->rank / cluster[0] % cluster[1];
  case SPECIAL_CLUSTER_CTAID_Z: return block->rank / cluster[0] / cluster[1];
  case SPECIAL_CLUSTER_NCTAID_X: return cluster[0];
  case SPECIAL_CLUSTER_NCTAID_Y: return cluster[1];
  case SPECIAL_CLUSTER_NCTAID_Z: return cluster[2];
  case SPECIAL_CLUSTER_CTARANK: return block->rank;
  case SPECIAL_CLUSTER_NCTARANK: return cluster[0] * cluster[1] * cluster[2];
  case SPECIAL_NCTAID_X: return launch->grid[0];
  case SPECIAL_NCTAID_Y: return launch->grid[1];
  case SPECIAL_NCTAID_Z: return launch->grid[2];
  case SPECIAL_LANEID: return lane;
  case SPECIAL_WARPID: return warp;
  case SPECIAL_NWARPID: return block->warp_count;
  case SPECIAL_SMID:
    return (block->index - block->device * (uint32_t)launch->blocks) % launch->multiprocessors;
  case SPECIAL_NSMID: return launch->multiprocessors;
  case SPECIAL_WARPSIZE: return LANES;
  case SPECIAL_LANEMASK_EQ: return 1u << lane;
  case SPECIAL_LANEMASK_LT: return (1u << lane) - 1;
  case SPECIAL_LANEMASK_LE: return (2u << lane) - 1;
  case SPECIAL_LANEMASK_GE: return ~((1u << lane) - 1);
  case SPECIAL_LANEMASK_GT: return ~((2u << lane) - 1);
  case SPECIAL_DYNAMIC_SMEM: return launch->dynamic_shared;
  case SPECIAL_TOTAL_SMEM: return block->shared_bytes;
  case SPECIAL_ONE: return 1;
  case SPECIAL_NONE:
  case SPECIAL_CLOCK:
  case SPECIAL_CLOCK64: break;
  }
  return 0;
}

bool special_is_of_block(Special special) {
  return (special >= SPECIAL_CTAID_X && special <= SPECIAL_CLUSTERID_Z) || special == SPECIAL_SMID;
}

void special_fill(Block *block, bool of_block) {
  const Program *program = block->program;
  uint32_t *to = block->specials;
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (uint32_t i = 0; i < program->specials.n; i++, to += LANES) {
      Special special = program->specials.at[i].special;
      if (of_block && !special_is_of_block(special)) continue;
      if (special_is_of_block(special)) {
        uint32_t value = special_value(block, w, special, 0);
        for (uint32_t l = 0; l < LANES; l++) to[l] = value;
      } else
        for (uint32_t l = 0; l < LANES; l++) to[l] = special_value(block, w, special, l);
    }
}
