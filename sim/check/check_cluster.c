// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributed shared memory. An access to shared memory of another CTA of the cluster must come after that CTA
// has started, and before it ends (CUDA programming guide, "distributed shared memory"). A CTA has started for
// a warp that knows of one of its threads. An access comes before the end if a thread of the CTA knew of it
// when it exited.
#include <stdlib.h>
#include "sim/check/check_parts.h"

// The last access by a strand of the cluster to the CTA's memory. clock 0: none.
typedef struct Visit {
  uint32_t clock;
  uint32_t insn, lanes;
  uint64_t address;
  Warp *warp;
} Visit;

bool visits_open(const LaunchChecker *checker, BlockCheck *check) {
  if (checker->strands == checker->block_strands) return true;
  check->visits = calloc(checker->strands, sizeof *check->visits);
  return check->visits;
}

void visits_begin(const LaunchChecker *checker, BlockCheck *check) {
  if (check->visits) memset(check->visits, 0, checker->strands * sizeof *check->visits);
}

static bool knows_start(const Warp *warp, const Block *owner) {
  const LaunchChecker *checker = checker_of(warp);
  const uint32_t *seen = warp_check(warp)->view.at + block_check(owner)->base;
  for (uint32_t w = 0; w < checker->warps; w++)
    if (seen[w]) return true;
  return false;
}

static void report_peer(Warp *warp, const Insn *insn, uint32_t lanes, const Block *owner, uint64_t address,
                        bool started) {
  Report *report = report_new(warp, insn, lanes, TILEC_SIM_CLUSTER, address, UINT32_MAX);
  if (!report) return;
  report_buffer(report, warp, SPACE_SHARED, address);
  report_message(report, "%s of CTA %u of the cluster is accessed, and that CTA may %s", report->buffer,
                 owner->rank, started ? "have ended" : "not have started yet");
  report_order(report, started ? "cluster.sync() (barrier.cluster.arrive and .wait) before the CTA ends"
                               : "cluster.sync() (barrier.cluster.arrive and .wait) before the access");
}

void visit_peer(Warp *warp, const Insn *insn, uint32_t lanes, const Block *owner, uint64_t address,
                uint32_t strand, uint32_t clock) {
  Visit *visits = block_check(owner)->visits;
  if (!visits) return;
  if (!knows_start(warp, owner)) report_peer(warp, insn, lanes, owner, address, false);
  if (!owner->live_threads)
    report_peer(warp, insn, lanes, owner, address, true);
  else
    visits[strand] = (Visit){clock, insn_index(warp, insn), lanes, address, warp};
}

// True if a thread of the CTA knew of the event.
static bool known_at_exit(const Block *block, uint32_t strand, uint32_t clock) {
  for (uint32_t w = 0; w < block->warp_count; w++)
    if (warp_check(&block->warps[w])->view.at[strand] >= clock) return true;
  return false;
}

void visits_end(const Block *block) {
  const LaunchChecker *checker = checker_of(&block->warps[0]);
  const Visit *visits = block_check(block)->visits;
  for (uint32_t s = 0; visits && s < checker->strands; s++) {
    const Visit *visit = &visits[s];
    if (visit->clock && !known_at_exit(block, s, visit->clock))
      report_peer(visit->warp, &block->program->code.at[visit->insn], visit->lanes, block, visit->address,
                  true);
  }
}

void hook_no_cluster(void *context, Warp *warp, const Insn *insn, uint32_t lanes) {
  (void)context;
  Report *report = report_new(warp, insn, lanes, TILEC_SIM_CLUSTER, 0, UINT32_MAX);
  if (!report) return;
  report_message(report, "the first CTA of a clusterlaunchcontrol.try_cancel that failed is undefined");
  report_order(report, "this instruction only where query_cancel.is_canceled is true");
}
