// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks at the end of threads: bulk copies that read or write the CTA's shared memory must be complete. Also
// checks setmaxnreg, which all warps of a warpgroup must execute.
#include <stdlib.h>
#include "base/integer.h"
#include "sim/check/check_parts.h"
#include "sim/machine/mbarrier.h"

// A lane's bulk groups, counted from 1.
struct BulkReads {
  uint32_t begun[LANES], over[LANES]; // begun: the last group with a copy; over: the last one waited for
  uint32_t insn[LANES];               // of that copy
};

void bulk_reads_clear(WarpCheck *check) {
  if (check->bulk) memset(check->bulk, 0, sizeof *check->bulk);
}

void bulk_reads_issue(const AsyncOp *op) {
  WarpCheck *check = warp_check(op->warp);
  uint32_t lane = lowest_lane(op->mask);
  if (!check->bulk) check->bulk = calloc(1, sizeof *check->bulk);
  if (!check->bulk) {
    checker_of(op->warp)->failed = true;
    return;
  }
  check->bulk->begun[lane] = op->group[lane] + 1;
  check->bulk->insn[lane] = insn_index(op->warp, op->insn);
}

void bulk_reads_wait(Warp *warp, uint32_t mask, uint32_t pending) {
  struct BulkReads *bulk = warp_check(warp)->bulk;
  const uint32_t *committed = warp->committed[ASYNC_GROUP_BULK];
  for (uint32_t l = 0; bulk && l < LANES; l++)
    if ((mask >> l & 1) && committed[l] > pending + bulk->over[l]) bulk->over[l] = committed[l] - pending;
}

// Bulk stores of lanes that exit. A wait for the reads is enough, because only shared memory is released.
static void bulk_reads_end(Warp *warp, const Insn *exit, uint32_t lanes) {
  const struct BulkReads *bulk = warp_check(warp)->bulk;
  for (uint32_t l = 0; bulk && l < LANES; l++) {
    if (!(lanes >> l & 1) || bulk->begun[l] <= bulk->over[l]) continue;
    const Insn *copy = &warp->block->program->code.at[bulk->insn[l]];
    Report *report = report_new(warp, copy, 1u << l, TILEC_SIM_ASYNC, 0, insn_index(warp, exit));
    if (!report) continue;
    report_message(report, "this bulk copy may still read shared memory when its thread has ended");
    report_blame(report, warp, insn_index(warp, exit), warp->index, "the end of the thread");
    report_order(report, "cp.async.bulk.commit_group and cp.async.bulk.wait_group.read 0 before the end");
  }
}

// Copies into shared memory without a wait, when the CTA's last threads exit.
static void copies_end(Warp *warp, const Insn *exit) {
  const BlockCheck *check = block_check(warp->block);
  for (uint32_t i = 0; i < check->mbarrier_n; i++) {
    const MbarrierCheck *m = &check->mbarriers[i];
    if (m->copy == UINT32_MAX) continue;
    Warp *issuer = &m->copy_block->warps[m->copy_warp];
    Report *report = report_new(issuer, &warp->block->program->code.at[m->copy], 1u << m->copy_lane,
                                TILEC_SIM_ASYNC, m->address, insn_index(warp, exit));
    if (!report) continue;
    report_buffer(report, warp, SPACE_SHARED, m->address);
    report_message(report,
                   "this copy into shared memory may still be in flight when the CTA has ended: nothing "
                   "waits for the mbarrier in %s",
                   report->buffer);
    report_blame(report, warp, insn_index(warp, exit), warp->index, "the end of the CTA's last threads");
    report_order(report, "a wait for the mbarrier's phase before the CTA ends");
  }
}

// All operations are complete. The rest that mbarriers still count was expected and did not come, or came and was not
// expected.
static void mbarriers_end(Block *block) {
  const BlockCheck *check = block_check(block);
  for (uint32_t i = 0; i < check->mbarrier_n; i++) {
    const MbarrierCheck *m = &check->mbarriers[i];
    Mbarrier now;
    if (!m->valid || !m->counts_ops || !mbarrier_peek(block, m->address, &now) || now.tx == 0) continue;
    uint32_t insn = m->expects == UINT32_MAX ? mark_insn(&m->init) : m->expects;
    Report *report = report_new(&block->warps[0], &block->program->code.at[insn], 1u << mark_lane(&m->init),
                                TILEC_SIM_MBARRIER, m->address, mark_insn(&m->init));
    if (!report) continue;
    report_buffer(report, &block->warps[0], SPACE_SHARED, m->address);
    report_message(report,
                   "operations have transferred %d bytes %s than expect_tx named for the mbarrier in %s",
                   now.tx < 0 ? -now.tx : now.tx, now.tx < 0 ? "more" : "fewer", report->buffer);
    report_order(report,
                 "expect_tx of the bytes of all operations that complete at the mbarrier, those of other "
                 "CTAs of the cluster included");
  }
}

void exit_operations(Warp *warp, const Insn *exit, uint32_t lanes) {
  bulk_reads_end(warp, exit, lanes);
  if (warp->block->live_threads != bit_count(lanes)) return;
  copies_end(warp, exit);
  visits_end(warp->block);
}

// ---- setmaxnreg ----

enum { GROUP_WARPS = 4 };

static void ignored(Warp *warp, const Insn *insn) {
  Report *report = report_new(warp, insn, warp->live, TILEC_SIM_REGISTERS, 0, UINT32_MAX);
  if (!report) return;
  report_message(report,
                 "ptxas ignores setmaxnreg: it cannot tell the registers at the kernel's entry (C7508)");
  report_order(report, ".maxntid or .reqntid together with .minnctapersm, or .maxnreg");
}

void hook_registers(void *context, Warp *warp, const Insn *insn) {
  const LaunchChecker *checker = context;
  WarpCheck *check = warp_check(warp), *warps = block_check(warp->block)->warps;
  if (!warp->block->program->registers) {
    ignored(warp, insn);
    return;
  }
  check->maxnregs++;
  check->maxnreg = insn_index(warp, insn);
  uint32_t first = warp->index / GROUP_WARPS * GROUP_WARPS;
  for (uint32_t w = first; w < first + GROUP_WARPS && w < checker->warps; w++) {
    if (warps[w].maxnregs != check->maxnregs || warps[w].maxnreg == check->maxnreg) continue;
    Report *report = report_new(warp, insn, warp->live, TILEC_SIM_REGISTERS, 0, warps[w].maxnreg);
    if (!report) continue;
    report_message(report, "warps of one warpgroup execute different setmaxnreg");
    report_blame(report, warp, warps[w].maxnreg, w, "another warp of the warpgroup");
  }
}

// Every warp of a warpgroup must have executed setmaxnreg the same number of times.
void hook_block_end(void *context, Block *block) {
  const LaunchChecker *checker = context;
  const WarpCheck *warps = block_check(block)->warps;
  if (block->tmem) tmem_end(block);
  mbarriers_end(block);
  for (uint32_t first = 0; first < checker->warps; first += GROUP_WARPS) {
    uint32_t last = first + GROUP_WARPS < checker->warps ? first + GROUP_WARPS : checker->warps;
    uint32_t most = first, as_many = 0;
    for (uint32_t w = first; w < last; w++)
      if (warps[w].maxnregs > warps[most].maxnregs) most = w;
    for (uint32_t w = first; w < last; w++) as_many += warps[w].maxnregs == warps[most].maxnregs;
    if (as_many == last - first) continue;
    Warp *warp = &block->warps[most];
    Report *report = report_new(warp, &block->program->code.at[warps[most].maxnreg], ALL_LANES,
                                TILEC_SIM_REGISTERS, 0, UINT32_MAX);
    if (report)
      report_message(report, "setmaxnreg is executed by %u of the warpgroup's %u warps", as_many,
                     last - first);
  }
}
