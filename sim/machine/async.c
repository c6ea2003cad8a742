// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/async.h"

#include <stdlib.h>
#include "sim/machine/hooks.h"
#include "sim/machine/mbarrier.h"

// The schedule's choice.
static bool async_late(const Block *block) { return block->worker->launch->late; }

AsyncOp *async_new(Warp *warp, const Insn *insn, uint32_t mask, AsyncKind kind, AsyncGroup group) {
  static const size_t payloads[] = {[ASYNC_COPY] = sizeof(CopyLanes),
                                    [ASYNC_BULK] = sizeof(CopyRange),
                                    [ASYNC_STORE] = sizeof(CopyRange),
                                    [ASYNC_TENSOR] = sizeof(CopyRange),
                                    [ASYNC_TENSOR_CORE] = sizeof(TensorOp),
                                    [ASYNC_TMEM_MOVE] = sizeof(TensorOp),
                                    [ASYNC_COMMIT] = 0};
  size_t extra = payloads[kind];
  AsyncOp *op = calloc(1, sizeof *op);
  void *payload = extra ? calloc(1, extra) : NULL;
  if (!op || (extra && !payload)) {
    free(op);
    warp_fault(warp, insn, mask, TILEC_SIM_ASYNC, 0, "no memory for an asynchronous operation");
    return NULL;
  }
  op->kind = kind;
  op->group_kind = group;
  op->warp = warp;
  op->insn = insn;
  op->mask = mask;
  op->at = warp->block;
  op->sequence = cluster_leader(warp->block)->async_count++;
  if (kind == ASYNC_COPY)
    op->u.lanes = payload;
  else if (kind == ASYNC_TENSOR_CORE || kind == ASYNC_TMEM_MOVE)
    op->u.tensor = payload;
  else
    op->u.range = payload;
  if (group != ASYNC_GROUP_NONE) memcpy(op->group, warp->committed[group], sizeof op->group);
  return op;
}

void async_drop(AsyncOp *op) {
  if (op->kind == ASYNC_BULK || op->kind == ASYNC_TENSOR || op->kind == ASYNC_STORE)
    free(op->u.range->staged);
  if (op->kind == ASYNC_COPY)
    free(op->u.lanes);
  else if (op->kind == ASYNC_TENSOR_CORE || op->kind == ASYNC_TMEM_MOVE) {
    free(op->u.tensor->values);
    free(op->u.tensor);
  } else
    free(op->u.range);
  free(op);
}

static void queue_append(AsyncQueue *queue, AsyncOp *op) {
  if (queue->last)
    queue->last->next = op;
  else
    queue->first = op;
  queue->last = op;
}

// Removes operations that are complete for all their lanes.
static void queue_drop_done(AsyncQueue *queue) {
  AsyncOp *op = queue->first;
  *queue = (AsyncQueue){0};
  while (op) {
    AsyncOp *next = op->next;
    op->next = NULL;
    if (op->mask)
      queue_append(queue, op);
    else
      async_drop(op);
    op = next;
  }
}

// cp.async.mbarrier.arrive: first completes the lanes' earlier copies, of all groups.
static void run_arrivals(AsyncOp *op) {
  Warp *warp = op->warp;
  for (AsyncOp *copy = warp->queues[ASYNC_GROUP_COPY].first; copy; copy = copy->next)
    if (copy->sequence < op->sequence && (copy->mask & op->mask)) async_run(copy, copy->mask & op->mask);
  for (uint32_t l = 0; l < LANES; l++)
    if (op->mask >> l & 1) mbarrier_arrive(warp, op->insn, l, op, op->at, op->addresses[l], 1);
  op->mask = 0;
}

// ---- tcgen05 ----

static bool columns_meet(const TensorOp *a, const TensorOp *b) {
  for (int i = 0; i < TMEM_RANGES; i++)
    for (int k = 0; k < TMEM_RANGES; k++)
      if (a->ranges[i].first < b->ranges[k].first + b->ranges[k].count &&
          b->ranges[k].first < a->ranges[i].first + a->ranges[i].count)
        return true;
  return false;
}

// Earlier operations of the tensor core: those of the same thread, and those on the same columns.
static void run_earlier_of(AsyncOp *op, Block *block) {
  bool shares = block == op->warp->block || op->insn->count == 2; // tensor memory
  if (!shares) return;
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (AsyncOp *other = block->warps[w].queues[ASYNC_GROUP_TENSOR_CORE].first; other; other = other->next) {
      if (!other->mask || other->sequence >= op->sequence || block->worker->fault.set) continue;
      bool same_thread = other->warp == op->warp && (other->mask & op->mask);
      if (same_thread || columns_meet(other->u.tensor, op->u.tensor)) async_run(other, other->mask);
    }
}

static void run_earlier(AsyncOp *op) {
  for (uint32_t i = 0; i < cluster_size(op->warp->block); i++)
    run_earlier_of(op, cluster_block(op->warp->block, i));
}

static void run_earlier_in(const AsyncOp *op, const AsyncQueue *queue, AsyncKind kind) {
  for (AsyncOp *other = queue->first; other; other = other->next)
    if (other->kind == kind && other->warp == op->warp && other->sequence < op->sequence &&
        (other->mask & op->mask) && !op->warp->block->worker->fault.set)
      async_run(other, other->mask);
}

// tcgen05.commit: first completes the thread's earlier operations. Its earlier commits have arrived then, since
// commits are in the order of the thread's other tcgen05 instructions (PTX ISA 9.7.16.6.1).
static void run_commit(AsyncOp *op) {
  Warp *warp = op->warp;
  uint32_t lane = lowest_lane(op->mask);
  for (uint32_t i = 0; i < cluster_size(warp->block); i++)
    run_earlier_in(op, &cluster_block(warp->block, i)->at_mbarriers, ASYNC_COMMIT);
  run_earlier_in(op, &warp->queues[ASYNC_GROUP_TENSOR_CORE], ASYNC_TENSOR_CORE);
  if (!warp->block->worker->fault.set) mbarrier_arrive(warp, op->insn, lane, op, op->at, op->mbarrier, 1);
  op->mask = 0;
}

void async_run(AsyncOp *op, uint32_t lanes) {
  op->warp->block->worker->changed = true;
  switch (op->kind) {
  case ASYNC_COPY: copy_lanes_run(op, lanes); break;
  case ASYNC_BULK:
  case ASYNC_STORE:
  case ASYNC_TENSOR:
    if (!op->has_read) copy_range_read(op);
    if (op->has_read) copy_range_write(op);
    break;
  case ASYNC_WGMMA: wgmma_run(op); break;
  case ASYNC_ARRIVE: run_arrivals(op); return;
  case ASYNC_TENSOR_CORE:
    run_earlier(op);
    if (!op->warp->block->worker->fault.set) tensor_core_run(op);
    break;
  case ASYNC_TMEM_MOVE: tmem_move_run(op); break;
  case ASYNC_COMMIT: run_commit(op); return;
  }
  op->mask &= ~lanes;
  if (op->group_kind == ASYNC_GROUP_NONE && !op->warp->block->worker->fault.set)
    mbarrier_complete_tx(op, lowest_lane(lanes), op->u.range->bytes);
}

void async_issue_now(AsyncOp *op) {
  sim_hook_async_issue(op);
  async_run(op, op->mask);
  async_drop(op);
}

void async_issue(AsyncOp *op) {
  Block *block = op->warp->block;
  if (!async_late(block)) {
    async_issue_now(op);
    return;
  }
  sim_hook_async_issue(op);
  if (op->group_kind == ASYNC_GROUP_NONE) {
    queue_append(&op->at->at_mbarriers, op);
    mbarrier_wake(op->at);
  } else {
    queue_append(&op->warp->queues[op->group_kind], op);
  }
}

void async_commit(Warp *warp, uint32_t mask, AsyncGroup group) {
  warp->block->commits = true;
  for (uint32_t l = 0; l < LANES; l++) warp->committed[group][l] += mask >> l & 1;
}

// The lanes of `mask` for which the operation is older than the newest `pending` committed groups.
static uint32_t lanes_due(const AsyncOp *op, uint32_t mask, uint32_t pending) {
  const uint32_t *committed = op->warp->committed[op->group_kind];
  uint32_t due = 0;
  for (uint32_t l = 0; l < LANES; l++) due |= (uint32_t)(committed[l] - op->group[l] > pending) << l;
  return due & mask & op->mask;
}

void async_wait(Warp *warp, uint32_t mask, AsyncGroup group, uint32_t pending, bool read) {
  for (AsyncOp *op = warp->queues[group].first; op && !warp->block->worker->fault.set; op = op->next) {
    uint32_t due = lanes_due(op, mask, pending);
    if (!due) continue;
    if (!read)
      async_run(op, due);
    else if (!op->has_read)
      copy_range_read(op);
  }
  queue_drop_done(&warp->queues[group]);
}

// The operation's share of the mbarrier's pending count.
static void effect_of(const AsyncOp *op, uint64_t mbarrier, uint32_t *arrivals, int64_t *bytes) {
  *arrivals = 0;
  *bytes = 0;
  if (op->kind == ASYNC_COMMIT) {
    *arrivals = op->mask && op->mbarrier == mbarrier;
    return;
  }
  if (op->kind != ASYNC_ARRIVE) {
    if (op->mask && op->mbarrier == mbarrier) *bytes = (int64_t)op->u.range->bytes;
    return;
  }
  for (uint32_t l = 0; l < LANES; l++) *arrivals += (op->mask >> l & 1) && op->addresses[l] == mbarrier;
}

// Operations that those at mbarriers have completed.
static void drop_done(Block *block) {
  queue_drop_done(&block->at_mbarriers);
  for (uint32_t w = 0; w < block->warp_count; w++) {
    queue_drop_done(&block->warps[w].queues[ASYNC_GROUP_COPY]);
    queue_drop_done(&block->warps[w].queues[ASYNC_GROUP_TENSOR_CORE]);
  }
}

void async_complete_phase(Block *block, uint64_t mbarrier) {
  Mbarrier m;
  unsigned char *host;
  AsyncOp *first = block->at_mbarriers.first, *last = NULL;
  if (!first || !mbarrier_find(first->warp, first->insn, 0, block, mbarrier, &m, &host)) return;
  int64_t pending = m.pending, tx = m.tx;
  for (AsyncOp *op = first; op && !last; op = op->next) {
    uint32_t arrivals;
    int64_t bytes;
    effect_of(op, mbarrier, &arrivals, &bytes);
    if (!arrivals && !bytes) continue;
    pending -= arrivals;
    tx -= bytes;
    if (pending == 0 && tx == 0) last = op;
  }
  for (AsyncOp *op = first; last && op; op = op == last ? NULL : op->next) {
    uint32_t arrivals;
    int64_t bytes;
    effect_of(op, mbarrier, &arrivals, &bytes);
    if (arrivals || bytes) async_run(op, op->mask);
    if (block->worker->fault.set) return;
  }
  if (!last) return;
  for (uint32_t i = 0; i < cluster_size(block); i++) drop_done(cluster_block(block, i));
}

static AsyncOp *oldest_of(const Block *block, AsyncOp *found) {
  AsyncOp *first = block->at_mbarriers.first;
  if (first && (!found || first->sequence < found->sequence)) found = first;
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (int g = 0; g < ASYNC_GROUP_NONE; g++) {
      AsyncOp *op = block->warps[w].queues[g].first;
      if (op && (!found || op->sequence < found->sequence)) found = op;
    }
  return found;
}

static AsyncOp *oldest(const Block *block) {
  AsyncOp *found = NULL;
  for (uint32_t i = 0; i < cluster_size(block); i++) found = oldest_of(cluster_block(block, i), found);
  return found;
}

bool async_pending(const Block *block) { return oldest(block) != NULL; }

static AsyncQueue *queue_of(AsyncOp *op) {
  return op->group_kind == ASYNC_GROUP_NONE ? &op->at->at_mbarriers : &op->warp->queues[op->group_kind];
}

// The operation is the first of its queue.
static void drop_first(AsyncOp *op) {
  AsyncQueue *queue = queue_of(op);
  queue->first = op->next;
  if (!queue->first) queue->last = NULL;
  async_drop(op);
}

void async_finish(Block *block) {
  if (!cluster_leader(block)->async_count) return;
  for (AsyncOp *op = oldest(block); op && !block->worker->fault.set; op = oldest(block)) {
    if (op->mask) async_run(op, op->mask);
    drop_first(op);
  }
}

void async_free(Block *block) {
  for (AsyncOp *op = oldest(block); op; op = oldest(block)) drop_first(op);
}
