// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous operations and mbarriers: the ordering that waits establish.
#include "sim/check/check_parts.h"
#include "sim/exec/exec.h"

static MbarrierCheck *mbarrier_at(const Block *block, uint64_t address) {
  BlockCheck *check = block_check(block);
  for (uint32_t i = 0; i < check->mbarrier_n; i++)
    if (check->mbarriers[i].address == address) return &check->mbarriers[i];
  return NULL;
}

// If there are more than checker->mbarriers of them, the last entry is shared. Waits on it then order more
// than they should. So errors may be missed, but no false error is reported.
static MbarrierCheck *mbarrier_add(LaunchChecker *checker, const Block *block, uint64_t address) {
  BlockCheck *check = block_check(block);
  MbarrierCheck *found = mbarrier_at(block, address);
  if (found) return found;
  if (check->mbarrier_n < checker->mbarriers) check->mbarrier_n++;
  found = &check->mbarriers[check->mbarrier_n - 1];
  found->address = address;
  if (!found->arriving.at && !view_open(&found->arriving, checker->strands)) checker->failed = true;
  if (!found->complete.at && !view_open(&found->complete, checker->strands)) checker->failed = true;
  return found;
}

void async_event(const AsyncOp *op, uint32_t lane, bool writes, uint32_t *strand, uint32_t *clock) {
  static const StrandKind kinds[] = {[ASYNC_GROUP_COPY] = STRAND_COPY,
                                     [ASYNC_GROUP_WGMMA] = STRAND_WGMMA,
                                     [ASYNC_GROUP_TENSOR_CORE] = STRAND_TENSOR_CORE,
                                     [ASYNC_GROUP_TMEM_LOAD] = STRAND_TMEM_LOAD,
                                     [ASYNC_GROUP_TMEM_STORE] = STRAND_TMEM_STORE};
  if (op->group_kind == ASYNC_GROUP_NONE) {
    const MbarrierCheck *mbarrier = mbarrier_at(op->at, op->mbarrier);
    *strand = strand_of(op->at, STRAND_MBARRIER, 0);
    if (mbarrier) *strand += (uint32_t)(mbarrier - block_check(op->at)->mbarriers);
    *clock = mbarrier ? mbarrier->phases + 1 : 1;
    return;
  }
  StrandKind kind =
      op->group_kind == ASYNC_GROUP_BULK ? (writes ? STRAND_BULK : STRAND_BULK_READ) : kinds[op->group_kind];
  *strand = strand_of(op->warp->block, kind, op->warp->index);
  *clock = op->group[lane] + 1;
}

static void know(View *view, uint32_t strand, uint32_t clock) {
  if (view->at[strand] < clock) view->at[strand] = clock;
}

// tcgen05.commit contains tcgen05.fence::before_thread_sync.
void hook_commit(void *context, Warp *warp, const Insn *insn, uint32_t mask, AsyncGroup group) {
  (void)context, (void)insn, (void)mask;
  if (group == ASYNC_GROUP_TENSOR_CORE) tmem_fence(warp, HOOK_FENCE_TCGEN05_BEFORE);
}

void hook_wait(void *context, Warp *warp, const Insn *insn, uint32_t mask, AsyncGroup group, uint32_t pending,
               bool read) {
  static const StrandKind kinds[] = {STRAND_COPY, STRAND_BULK, STRAND_WGMMA};
  View *view = &warp_check(warp)->view;
  uint32_t over = 0;
  (void)context, (void)insn;
  if (group == ASYNC_GROUP_NONE) return;
  for (uint32_t l = 0; l < LANES; l++)
    if ((mask >> l & 1) && warp->committed[group][l] > pending + over)
      over = warp->committed[group][l] - pending;
  if (group > ASYNC_GROUP_WGMMA) {
    tmem_wait(warp, group, over);
    return;
  }
  if (group == ASYNC_GROUP_WGMMA && warp_check(warp)->wgmma_over < over) warp_check(warp)->wgmma_over = over;
  if (group == ASYNC_GROUP_BULK) bulk_reads_wait(warp, mask, pending);
  if (group == ASYNC_GROUP_BULK) know(view, strand_of(warp->block, STRAND_BULK_READ, warp->index), over);
  if (!read) know(view, strand_of(warp->block, kinds[group], warp->index), over);
}

// ---- mbarriers ----

static Mark mark_of(Warp *warp, const Insn *insn, uint32_t lane) {
  uint32_t strand = warp_strand(warp);
  return (Mark){block_check(warp->block)->first + strand, warp_check(warp)->view.at[strand],
                insn_index(warp, insn) | lane << MARK_LANE_SHIFT};
}

void hook_mbarrier_init(void *context, Warp *warp, const Insn *insn, uint32_t lane, uint64_t address,
                        uint32_t count) {
  LaunchChecker *checker = context;
  MbarrierCheck *m = mbarrier_add(checker, warp->block, address);
  (void)count;
  if (checker->failed) return;
  if (m->valid) {
    Report *report = report_new(warp, insn, 1u << lane, TILEC_SIM_MBARRIER, address, mark_insn(&m->init));
    if (report) {
      report_message(report,
                     "the mbarrier at shared address %llu is initialised again without mbarrier.inval",
                     (unsigned long long)address);
      report_other(report, warp, &m->init, false);
    }
  }
  view_clear(&m->arriving, checker->strands);
  view_clear(&m->complete, checker->strands);
  m->valid = true;
  m->fenced = m->counts_ops = false;
  m->copy = m->expects = UINT32_MAX;
  m->init = mark_of(warp, insn, lane);
}

void hook_mbarrier_inval(void *context, Warp *warp, const Insn *insn, uint32_t lane, uint64_t address) {
  MbarrierCheck *m = mbarrier_at(warp->block, address);
  (void)context, (void)insn, (void)lane;
  if (m) m->valid = false;
}

// Another warp uses an mbarrier. The initialisation must come before that.
static void after_init(Warp *warp, const Insn *insn, uint32_t lane, const MbarrierCheck *m) {
  uint32_t strand = m->init.strand - block_check(warp->block)->first;
  if (!m->valid || strand == warp_strand(warp) || m->init.clock <= warp_check(warp)->view.at[strand]) return;
  Report *report =
      report_new(warp, insn, 1u << lane, TILEC_SIM_RACE_WRITE_READ, m->address, mark_insn(&m->init));
  if (!report) return;
  report_buffer(report, warp, SPACE_SHARED, m->address);
  report_message(report, "data race: this use of the mbarrier in %s and its initialisation are not ordered",
                 report->buffer);
  report_other(report, warp, &m->init, false);
  report_order(report, "a barrier (bar.sync) after mbarrier.init");
}

void mbarriers_fence(Warp *warp) {
  BlockCheck *check = block_check(warp->block);
  for (uint32_t i = 0; i < check->mbarrier_n; i++)
    if (check->mbarriers[i].init.strand == check->first + warp_strand(warp))
      check->mbarriers[i].fenced = true;
}

// A copy completes at an mbarrier through the asynchronous proxy. The initialisation must be visible to that
// proxy.
static void after_init_fence(Warp *warp, const Insn *insn, uint32_t lane, const MbarrierCheck *m) {
  const LaunchChecker *checker = checker_of(warp);
  const uint32_t *visible = view_part(&warp_check(warp)->view, CLOCK_PROXY, checker->strands);
  if (!m->valid || m->fenced || visible[m->init.strand - block_check(warp->block)->first] >= m->init.clock)
    return;
  Report *report = report_new(warp, insn, 1u << lane, TILEC_SIM_MBARRIER, m->address, mark_insn(&m->init));
  if (!report) return;
  report_buffer(report, warp, SPACE_SHARED, m->address);
  report_message(
      report,
      "this copy completes at the mbarrier in %s, and no fence has made its initialisation visible "
      "to copies",
      report->buffer);
  report_other(report, warp, &m->init, false);
  report->api.other_message = "the initialisation";
  report_order(report, "fence.mbarrier_init.release.cluster after mbarrier.init, before the barrier");
}

void hook_async_issue(void *context, const AsyncOp *op) {
  uint32_t lane = lowest_lane(op->mask);
  (void)context;
  if (op->kind == ASYNC_TENSOR_CORE) tmem_issue(op);
  if (op->kind != ASYNC_BULK && op->kind != ASYNC_TENSOR) return;
  if (op->group_kind == ASYNC_GROUP_BULK) {
    bulk_reads_issue(op);
    return;
  }
  MbarrierCheck *m = mbarrier_at(op->at, op->mbarrier);
  if (!m) return;
  after_init_fence(op->warp, op->insn, lane, m);
  m->copy = insn_index(op->warp, op->insn);
  m->copy_block = op->warp->block;
  m->copy_warp = op->warp->index;
  m->copy_lane = lane;
}

void hook_mbarrier_arrive(void *context, Warp *warp, const Insn *insn, uint32_t lane, const AsyncOp *op,
                          Block *owner, uint64_t address, uint32_t phase) {
  LaunchChecker *checker = context;
  MbarrierCheck *m = mbarrier_add(checker, owner, address);
  (void)phase;
  if (checker->failed) return;
  if (owner != warp->block && (!op || op->kind == ASYNC_COMMIT))
    visit_peer(warp, insn, 1u << lane, owner, address, warp_strand(warp),
               warp_check(warp)->view.at[warp_strand(warp)]);
  if (op && op->kind == ASYNC_ARRIVE)
    know(&m->arriving, strand_of(warp->block, STRAND_COPY, warp->index),
         warp->committed[ASYNC_GROUP_COPY][lane] + 1);
  if (op && op->kind == ASYNC_COMMIT)
    know(&m->arriving, strand_of(warp->block, STRAND_TENSOR_CORE, warp->index), op->group[lane] + 1);
  m->counts_ops |= op != NULL;
  if (!op && insn->exec == exec_mbarrier && insn->extra == MBARRIER_ARRIVE_EXPECT_TX)
    m->expects = insn_index(warp, insn);
  if (op && op->kind != ASYNC_COMMIT) return;
  after_init(warp, insn, lane, m);
  view_join(&m->arriving, &warp_check(warp)->view, checker->strands, &checker->failed);
  warp_tick(warp);
}

void hook_mbarrier_phase(void *context, Block *block, uint64_t address, uint32_t phase) {
  LaunchChecker *checker = context;
  MbarrierCheck *m = mbarrier_at(block, address);
  (void)phase;
  if (!m || checker->failed) return;
  m->phases++;
  know(&m->arriving, strand_of(block, STRAND_MBARRIER, (uint32_t)(m - block_check(block)->mbarriers)),
       m->phases);
  view_join(&m->complete, &m->arriving, checker->strands, &checker->failed);
}

void hook_mbarrier_wait(void *context, Warp *warp, const Insn *insn, uint32_t lane, uint64_t address,
                        uint32_t phase) {
  LaunchChecker *checker = context;
  MbarrierCheck *m = mbarrier_at(warp->block, address);
  (void)phase;
  if (!m || checker->failed) return;
  after_init(warp, insn, lane, m);
  m->copy = UINT32_MAX;
  view_join(&warp_check(warp)->view, &m->complete, checker->strands, &checker->failed);
}

bool hook_mbarrier_news(void *context, const Warp *warp, uint64_t address) {
  const LaunchChecker *checker = context;
  const MbarrierCheck *m = mbarrier_at(warp->block, address);
  if (!m || checker->failed) return false;
  uint32_t own = strand_of(warp->block, STRAND_MBARRIER, (uint32_t)(m - block_check(warp->block)->mbarriers));
  const uint32_t *known = warp_check(warp)->view.at;
  for (uint32_t i = 0; i < checker->strands; i++)
    if (m->complete.at[i] > known[i] && (i != own || m->counts_ops)) return true;
  return false;
}
