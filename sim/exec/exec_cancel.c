// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cluster launch control (PTX ISA 9.7.13.17 and 9.7.13.18): takes a cluster of the grid that has not started. The
// response of 16 bytes has the place of its first CTA, and whether there was one.
#include <stdlib.h>
#include "sim/exec/bulk.h"
#include "sim/exec/exec.h"
#include "sim/machine/block.h"
#include "sim/machine/grid.h"
#include "sim/machine/hooks.h"
#include "sim/machine/lanes.h"

enum { RESPONSE_BYTES = 16, CANCELLED = 0x5c1c0001, FAILED = 0x5c1c0000 };

static bool place_response(AsyncOp *op, Block *to, const uint32_t response[4]) {
  CopyRange *range = op->u.range;
  range->to.block = to;
  range->to.host = to->shared + range->to.address;
  range->bytes = RESPONSE_BYTES;
  range->staged = malloc(RESPONSE_BYTES);
  if (!range->staged)
    return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_ASYNC, 0, "no memory for an asynchronous copy");
  memcpy(range->staged, response, RESPONSE_BYTES);
  op->has_read = true;
  return true;
}

// Writes the response to the CTAs of the cluster, or to this one.
static void respond(Warp *warp, const Insn *insn, uint32_t lane, const uint32_t response[4]) {
  const CopyOperands *copy = insn->u.copy;
  Place to, mbarrier;
  if (!resolve_operand(warp, insn, lane, &copy->to, RESPONSE_BYTES, RESPONSE_BYTES, true, &to) ||
      !resolve_operand(warp, insn, lane, &copy->mbarrier, 8, 8, true, &mbarrier))
    return;
  if (to.space != SPACE_SHARED || mbarrier.space != SPACE_SHARED) {
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, to.address,
               "try_cancel writes to shared memory only");
    return;
  }
  for (uint32_t rank = 0; rank < cluster_size(warp->block) && !warp->block->worker->fault.set; rank++) {
    Block *block = cluster_block(warp->block, rank);
    if (block != warp->block && !copy->everywhere) continue;
    AsyncOp *op = async_new(warp, insn, 1u << lane, ASYNC_STORE, ASYNC_GROUP_NONE);
    if (!op) return;
    op->u.range->to = to;
    op->at = block;
    op->mbarrier = mbarrier.address;
    if (place_response(op, block, response))
      async_issue(op);
    else
      async_drop(op);
  }
}

void exec_cancel(Warp *warp, const Insn *insn, uint32_t mask) {
  Launch *launch = warp->block->worker->launch;
  for (uint32_t l = 0; l < LANES && !warp->block->worker->fault.set; l++) {
    uint64_t cluster;
    uint32_t response[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, FAILED}; // the first CTA is undefined
    if (!(mask >> l & 1)) continue;
    if (warp->block->cancel_failed) {
      warp_fault(warp, insn, 1u << l, TILEC_SIM_CLUSTER, 0,
                 "a clusterlaunchcontrol.try_cancel after the CTA has seen that an earlier one failed");
      return;
    }
    if (launch_take(launch, warp->block->device, &cluster)) {
      block_place(launch, cluster, 0, response);
      response[3] = CANCELLED;
    }
    respond(warp, insn, l, response);
  }
}

// src[0]: the response. dst or u.slots: the results.
void exec_cancel_query(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t words[4][LANES], cancelled = 0;
  const unsigned char *from = lanes_at(warp, insn->src[0]);
  for (uint32_t l = 0; l < LANES; l++) {
    uint32_t response[4];
    memcpy(response, from + (size_t)RESPONSE_BYTES * l, RESPONSE_BYTES);
    for (int i = 0; i < 4; i++) words[i][l] = response[i];
    cancelled |= (uint32_t)(response[3] == CANCELLED) << l;
    if (!(mask >> l & 1) || response[3] == CANCELLED || response[3] == FAILED) continue;
    warp_fault(warp, insn, 1u << l, TILEC_SIM_CLUSTER, 0,
               "the operand is not a response of clusterlaunchcontrol.try_cancel");
    return;
  }
  if (insn->extra != CANCEL_IS_CANCELED && (mask & ~cancelled))
    sim_hook_no_cluster(warp, insn, mask & ~cancelled);
  warp->block->cancel_failed |= (mask & ~cancelled) != 0;
  if (insn->extra == CANCEL_IS_CANCELED)
    predicate_write(warp, insn->dst, cancelled, mask);
  else if (insn->extra != CANCEL_ALL)
    lanes_write32(warp, insn->dst, words[insn->extra - CANCEL_X], mask);
  for (uint32_t i = 0; insn->extra == CANCEL_ALL && i < 4; i++)
    if (insn->u.slots[i] != UINT32_MAX) lanes_write32(warp, insn->u.slots[i], words[i], mask);
}
