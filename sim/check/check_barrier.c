// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of the CTA: the ordering they establish, missing threads, and the positions of threads in a
// deadlock.
#include <stdio.h>
#include "base/integer.h"
#include "sim/check/check_parts.h"
#include "sim/machine/lanes.h"

static Report *barrier_report(Warp *warp, const Insn *insn, uint32_t lanes, uint32_t other_insn) {
  return report_new(warp, insn, lanes, TILEC_SIM_BARRIER, 0, other_insn);
}

static void wrong_count(Warp *warp, const Insn *insn, uint32_t mask, uint32_t id, uint32_t threads) {
  BarrierCheck *barrier = &block_check(warp->block)->barriers[id];
  uint32_t arriving = bit_count(mask);
  Report *report = NULL;
  if (barrier->insn != UINT32_MAX && barrier->threads != threads) {
    report = barrier_report(warp, insn, mask, barrier->insn);
    if (!report) return;
    report_message(report, "barrier %u is reached with a count of %u threads here and %u elsewhere (0: all)",
                   id, threads, barrier->threads);
    report_blame(report, warp, barrier->insn, barrier->warp, "reached with the other count here");
  } else if (threads &&
             (threads % LANES || threads > (checker_of(warp)->threads + LANES - 1) / LANES * LANES)) {
    report = barrier_report(warp, insn, mask, UINT32_MAX);
    if (report)
      report_message(report, "barrier %u: a count of %u threads is not a multiple of 32 up to the CTA's %u",
                     id, threads, checker_of(warp)->threads);
  } else if (threads && barrier->arrived + arriving > threads) {
    report = barrier_report(warp, insn, mask, barrier->insn);
    if (!report) return;
    report_message(report, "barrier %u counts %u threads, and %u arrive before it completes", id, threads,
                   barrier->arrived + arriving);
    report_blame(report, warp, barrier->insn, barrier->warp, "the first arrival");
  }
}

void hook_bar_arrive(void *context, Warp *warp, const Insn *insn, uint32_t mask, uint32_t id) {
  LaunchChecker *checker = context;
  BarrierCheck *barrier = &block_check(warp->block)->barriers[id];
  uint32_t threads = ((const uint32_t *)lanes_at(warp, insn->src[1]))[lowest_lane(mask)];
  wrong_count(warp, insn, mask, id, threads);
  if (barrier->insn == UINT32_MAX) {
    barrier->insn = insn_index(warp, insn);
    barrier->warp = warp->index;
    barrier->threads = threads;
  }
  barrier->arrived += bit_count(mask);
  view_join(&barrier->arriving, &warp_check(warp)->view, checker->strands, &checker->failed);
  warp_synced(warp);
}

// A barrier of all threads completes without threads that have exited.
static void missing_threads(Block *block, const BarrierCheck *barrier) {
  const BlockCheck *check = block_check(block);
  if (barrier->threads || !check->exited || barrier->insn == UINT32_MAX) return;
  Warp *warp = &block->warps[barrier->warp];
  Report *report =
      barrier_report(warp, &block->program->code.at[barrier->insn], warp->live, check->exit_insn);
  if (!report) return;
  report_message(report, "this barrier needs every thread of the CTA, but %u of %u have exited",
                 check->exited, check->exited + block->live_threads);
  report_blame(report, warp, check->exit_insn, check->exit_warp, "the first to exit");
}

void hook_bar_release(void *context, Block *block, uint32_t id) {
  LaunchChecker *checker = context;
  BarrierCheck *barrier = &block_check(block)->barriers[id];
  missing_threads(block, barrier);
  View complete = barrier->arriving;
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++) {
      const LaneGroup *group = &block->warps[w].groups[g];
      if (group->state == GROUP_AT_BARRIER && group->barrier == id)
        view_join(&warp_check(&block->warps[w])->view, &complete, checker->strands, &checker->failed);
    }
  view_clear(&barrier->arriving, checker->strands);
  barrier->arrived = 0;
  barrier->insn = UINT32_MAX;
}

// The cluster's leader has the clocks that its barrier passes on.
static BlockCheck *of_cluster(const Block *block) { return block_check(cluster_leader(block)); }

// Arrivals and waits of a thread alternate (PTX ISA 9.7.13.3).
static void cluster_twice(Warp *warp, const Insn *insn, uint32_t lanes, const char *message,
                          const char *order) {
  Report *report = lanes ? barrier_report(warp, insn, lanes, UINT32_MAX) : NULL;
  if (!report) return;
  report_message(report, "%s", message);
  report_order(report, order);
}

void hook_cluster_arrive(void *context, Warp *warp, const Insn *insn, uint32_t mask) {
  LaunchChecker *checker = context;
  WarpCheck *check = warp_check(warp);
  cluster_twice(warp, insn, check->at_cluster & mask,
                "these threads have arrived at the cluster's barrier, and not waited",
                "cluster.barrier_wait() (barrier.cluster.wait) before the next barrier.cluster.arrive");
  check->at_cluster |= mask;
  view_join(&of_cluster(warp->block)->cluster_arriving, &warp_check(warp)->view, checker->strands,
            &checker->failed);
  warp_tick(warp);
}

void hook_cluster_release(void *context, Block *block) {
  LaunchChecker *checker = context;
  BlockCheck *check = block_check(block);
  view_join(&check->cluster_complete, &check->cluster_arriving, checker->strands, &checker->failed);
  view_clear(&check->cluster_arriving, checker->strands);
}

void hook_cluster_wait(void *context, Warp *warp, const Insn *insn, uint32_t mask) {
  LaunchChecker *checker = context;
  WarpCheck *check = warp_check(warp);
  cluster_twice(warp, insn, mask & ~check->at_cluster,
                "these threads wait at the cluster's barrier without an arrival",
                "cluster.barrier_arrive() (barrier.cluster.arrive) before barrier.cluster.wait");
  check->at_cluster &= ~mask;
  view_join(&warp_check(warp)->view, &of_cluster(warp->block)->cluster_complete, checker->strands,
            &checker->failed);
}

void hook_exit(void *context, Warp *warp, const Insn *insn, uint32_t lanes) {
  BlockCheck *check = block_check(warp->block);
  for (uint32_t g = 0; g < warp->n; g++)
    if (warp->groups[g].mask & lanes) hook_split(context, warp, warp->groups[g].mask);
  exit_operations(warp, insn, lanes);
  if (!check->exited) {
    check->exit_insn = insn_index(warp, insn);
    check->exit_warp = warp->index;
  }
  check->exited += bit_count(lanes);
}

void hook_divergent(void *context, Warp *warp, const Insn *insn, uint32_t mask) {
  (void)context;
  Report *report = barrier_report(warp, insn, mask, UINT32_MAX);
  if (!report) return;
  report_message(report, "an .aligned barrier is reached by %u of the warp's %u threads", bit_count(mask),
                 bit_count(warp->live));
  report_order(report, "every thread of a warp must reach the same barrier together");
}

// ---- deadlock ----

void report_deadlock(Report *report, Block *block) {
  const BlockCheck *check = block_check(block);
  report->waits = waits_new();
  waits_add(report->waits, block);
  report->api.waits = waits_all(report->waits, &report->api.wait_count);
  if (check->exited)
    report_blame(report, &block->warps[check->exit_warp], check->exit_insn, check->exit_warp,
                 "the first to exit");
}
