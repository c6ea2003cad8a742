// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async and its arrivals. Commit and wait for all kinds of groups.
#include "sim/machine/hooks.h"
#include "sim/machine/mbarrier.h"
#include "sim/machine/resolve.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

// The number of bytes that the lane reads. UINT32_MAX: more than it writes.
static uint32_t read_bytes(const Warp *warp, const CopyOperands *copy, uint32_t lane) {
  if (copy->ignore != UINT32_MAX && ((predicate_at(warp, copy->ignore) ^ copy->ignore_flip) >> lane & 1))
    return 0;
  if (copy->size == UINT32_MAX) return copy->bytes;
  uint32_t size = ((const uint32_t *)lanes_at(warp, copy->size))[lane];
  return size <= copy->bytes ? size : UINT32_MAX;
}

static bool lane_copy(const AsyncOp *op, uint32_t lane, CopyLanes *lanes) {
  Warp *warp = op->warp;
  const CopyOperands *copy = op->insn->u.copy;
  Place to, from = {0};
  uint32_t read = read_bytes(warp, copy, lane);
  if (read == UINT32_MAX)
    return warp_fault(warp, op->insn, 1u << lane, TILEC_SIM_ASYNC, 0,
                      "src-size is more than the %u bytes copied", copy->bytes);
  if (!resolve_operand(warp, op->insn, lane, &copy->to, copy->bytes, copy->bytes, true, &to)) return false;
  if (read && !resolve_operand(warp, op->insn, lane, &copy->from, read, copy->bytes, false, &from)) {
    if (warp->block->worker->fault.set) return false;
    read = 0; // reported; the launch continues with zeros
  }
  lanes->to[lane] = to.host;
  lanes->to_address[lane] = to.address;
  lanes->from[lane] = from.host;
  lanes->from_address[lane] = from.address;
  lanes->read[lane] = (uint8_t)read;
  return true;
}

void exec_copy(Warp *warp, const Insn *insn, uint32_t mask) {
  AsyncOp *op = async_new(warp, insn, mask, ASYNC_COPY, ASYNC_GROUP_COPY);
  if (!op) return;
  CopyLanes *lanes = op->u.lanes;
  uint32_t reads = 0;
  lanes->bytes = insn->u.copy->bytes;
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    if (!lane_copy(op, l, lanes)) {
      async_drop(op);
      return;
    }
    reads |= (uint32_t)(lanes->read[l] != 0) << l;
  }
  tilec_sim_counters *counters = &warp->block->worker->by_site[insn->site];
  counters_shared(counters, lanes->to_address, mask, lanes->bytes, false);
  if (reads) counters_global(counters, lanes->from_address, reads, lanes->bytes);
  async_issue(op);
}

void copy_lanes_run(AsyncOp *op, uint32_t due) {
  const CopyLanes *lanes = op->u.lanes;
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(due >> l & 1)) continue;
    if (lanes->read[l]) memcpy(lanes->to[l], lanes->from[l], lanes->read[l]);
    memset(lanes->to[l] + lanes->read[l], 0, lanes->bytes - lanes->read[l]);
    HookRange range = {.warp = op->warp, .insn = op->insn, .lanes = 1u << l, .op = op};
    range.space = SPACE_GLOBAL;
    range.address = lanes->from_address[l];
    range.bytes = lanes->read[l];
    if (lanes->read[l]) sim_hook_range(&range);
    range.space = SPACE_SHARED;
    range.access = HOOK_WRITE;
    range.address = lanes->to_address[l];
    range.bytes = lanes->bytes;
    sim_hook_range(&range);
  }
}

// FLAG_NOT: .noinc.
void exec_copy_arrive(Warp *warp, const Insn *insn, uint32_t mask) {
  AsyncOp *op = async_new(warp, insn, mask, ASYNC_ARRIVE, ASYNC_GROUP_NONE);
  if (!op) return;
  for (uint32_t l = 0; l < LANES; l++) {
    Place place;
    if (!(mask >> l & 1)) continue;
    if (!resolve_operand(warp, insn, l, insn->u.address, 8, 8, true, &place)) {
      op->mask &= ~(1u << l);
      continue;
    }
    op->addresses[l] = place.address;
    if (!(insn->flags & FLAG_NOT)) mbarrier_add_pending(warp, insn, l, place.address, 1);
  }
  if (warp->block->worker->fault.set || !op->mask)
    async_drop(op);
  else
    async_issue(op);
}

// insn->extra: the AsyncGroup.
void exec_async_commit(Warp *warp, const Insn *insn, uint32_t mask) {
  AsyncGroup group = (AsyncGroup)insn->extra;
  sim_hook_commit(warp, insn, mask, group);
  async_commit(warp, mask, group);
}

// count: groups that may stay pending. FLAG_WIDE: wait_all. FLAG_NOT: .read.
void exec_async_wait(Warp *warp, const Insn *insn, uint32_t mask) {
  AsyncGroup group = (AsyncGroup)insn->extra;
  bool read = insn->flags & FLAG_NOT;
  if (insn->flags & FLAG_WIDE) {
    sim_hook_commit(warp, insn, mask, group);
    async_commit(warp, mask, group);
  }
  async_wait(warp, mask, group, insn->count, read);
  if (!warp->block->worker->fault.set) sim_hook_wait(warp, insn, mask, group, insn->count, read);
}
