// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/memory/groups.h"

const Op *func_groups(const Func *func) {
  const Op *last = func->body->last;
  if (last && last->kind == OP_RETURN) last = last->prev;
  if (last && last->kind == OP_TMEM_DEALLOC)
    last = last->prev && last->prev->kind == OP_BARRIER ? last->prev->prev : last->prev;
  return last && last->kind == OP_WARP_GROUPS ? last : NULL;
}

bool func_has_pairs(const Func *func) {
  for (const Op *op = func->body->first; op; op = op->next)
    if (op->kind == OP_TMEM_ALLOC) return op_attr(op, ATTR_PAIR);
  return false;
}

uint32_t groups_count(const Op *groups) {
  const Attr *warps = op_attr(groups, ATTR_GROUP_WARPS);
  return warps ? warps->ints.n : 0;
}

uint32_t group_warps(const Op *groups, uint32_t i) {
  const Attr *warps = op_attr(groups, ATTR_GROUP_WARPS);
  return warps && i < warps->ints.n ? (uint32_t)warps->ints.at[i] : 0;
}

bool group_is_thread(const Op *groups, uint32_t i) {
  const Attr *threads = op_attr(groups, ATTR_GROUP_THREADS);
  return threads && i < threads->ints.n && threads->ints.at[i] == 1;
}

// The region of warp_groups that is this region or contains it; NULL: none.
static const Region *group_region(const Region *region) {
  const Region *at = region;
  while (at && at->parent && at->parent->kind != OP_WARP_GROUPS) at = at->parent->region;
  return at && at->parent ? at : NULL;
}

static uint32_t region_index(const Region *region) {
  uint32_t i = 0;
  while (i < region->parent->region_count && region->parent->regions[i] != region) i++;
  return i;
}

uint32_t group_of(const Op *op) {
  const Region *region = group_region(op->region);
  return region ? region_index(region) : UINT32_MAX;
}

bool group_runs_by_thread(const Op *op) {
  const Region *region = group_region(op->region);
  return region && group_is_thread(region->parent, region_index(region));
}

bool group_region_warps(const Region *region, RegionWarps *warps) {
  const Region *of = group_region(region);
  if (!of) return false;
  uint32_t index = region_index(of);
  *warps = (RegionWarps){0, group_warps(of->parent, index)};
  for (uint32_t i = 0; i < index; i++) warps->first += group_warps(of->parent, i);
  return true;
}

void group_name_barrier(Op *barrier) {
  uint32_t group = group_of(barrier);
  if (group == UINT32_MAX) return;
  op_set_int(barrier, ATTR_ID, group + 1);
  op_set_int(barrier, ATTR_WARPS, region_warps(barrier));
}
