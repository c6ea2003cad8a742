// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates and frees the checker of a launch and of its CTAs.
#include "sim/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include "sim/check/check_parts.h"
#include "sim/check/facts.h"
#include "sim/exec/exec.h"

static uint32_t threads_of(const Launch *launch) {
  return launch->block[0] * launch->block[1] * launch->block[2];
}
static uint32_t warps_of(const Launch *launch) { return (threads_of(launch) + LANES - 1) / LANES; }

// Arrivals, waits and completions need an initialisation. A program without any gets no memory for mbarriers.
static uint32_t mbarriers_of(const Launch *launch) {
  for (uint32_t i = 0; i < launch->program->code.n; i++) {
    const Insn *insn = &launch->program->code.at[i];
    if (insn->exec == exec_mbarrier && insn->extra == MBARRIER_INIT) return MBARRIERS;
  }
  return 1;
}

static uint32_t strands_of(const Launch *launch) {
  uint32_t kinds = STRAND_MBARRIER;
  if (launch->program->has_tcgen05) kinds += STRAND_END - STRAND_TENSOR_CORE;
  return kinds * warps_of(launch) + mbarriers_of(launch);
}

static uint32_t cluster_strands(const Launch *launch) { return strands_of(launch) * launch->cluster_blocks; }

const char *check_refusal(const Launch *launch) {
  if (launch->devices * launch->clusters > UINT32_MAX / cluster_strands(launch) - 1)
    return "the grid has too many warps to be checked";
  return NULL;
}

// ---- CTAs ----

static bool open_views(const LaunchChecker *checker, BlockCheck *check) {
  for (uint32_t w = 0; w < checker->warps; w++) {
    if (!view_open(&check->warps[w].view, checker->strands)) return false;
    if (checker->hooks.step && !wgmma_open(checker->launch, &check->warps[w])) return false;
  }
  for (uint32_t i = 0; i < BARRIERS; i++)
    if (!view_open(&check->barriers[i].arriving, checker->strands)) return false;
  return view_open(&check->cluster_arriving, checker->strands) &&
         view_open(&check->cluster_complete, checker->strands);
}

static void block_close(const LaunchChecker *checker, BlockCheck *check) {
  for (uint32_t w = 0; check->warps && w < checker->warps; w++) {
    view_close(&check->warps[w].view);
    foreign_drop(check->warps[w].pending);
    foreign_drop(check->warps[w].pending_system);
    free(check->warps[w].lanes);
    free(check->warps[w].registers);
    free(check->warps[w].bulk);
  }
  for (uint32_t i = 0; i < BARRIERS; i++) view_close(&check->barriers[i].arriving);
  view_close(&check->cluster_arriving);
  view_close(&check->cluster_complete);
  for (uint32_t i = 0; check->mbarriers && i < checker->mbarriers; i++) {
    view_close(&check->mbarriers[i].arriving);
    view_close(&check->mbarriers[i].complete);
  }
  tmem_close(checker, check);
  free(check->visits);
  free(check->mbarriers);
  free(check->warps);
  shadow_close(&check->shared);
  free(check);
}

static BlockCheck *block_open(LaunchChecker *checker, const Block *block) {
  BlockCheck *check = calloc(1, sizeof *check);
  if (!check) return NULL;
  check->warps = calloc(checker->warps, sizeof *check->warps);
  check->mbarriers = calloc(checker->mbarriers, sizeof *check->mbarriers);
  if (!check->warps || !check->mbarriers || !open_views(checker, check) || !tmem_open(checker, check) ||
      !visits_open(checker, check) || !shadow_open(&check->shared, block->shared_bytes, true)) {
    block_close(checker, check);
    return NULL;
  }
  check->next = checker->blocks;
  return checker->blocks = check;
}

static void warp_begin(const LaunchChecker *checker, WarpCheck *warp, uint32_t strand) {
  view_clear(&warp->view, checker->strands);
  foreign_drop(warp->pending);
  foreign_drop(warp->pending_system);
  warp->pending = warp->pending_system = NULL;
  warp->fenced = false;
  warp->converged = warp->synced = 0;
  if (warp->lanes) memset(warp->lanes, 0, LANES * sizeof *warp->lanes);
  warp->view.at[strand] = 1;
  warp->maxnregs = warp->at_cluster = 0;
  bulk_reads_clear(warp);
  wgmma_begin(checker->launch, warp);
}

void hook_block_start(void *context, Block *block) {
  LaunchChecker *checker = context;
  if (!block->checker) block->checker = block_open(checker, block);
  BlockCheck *check = block->checker;
  if (!check) { // nothing in this launch can be checked any more
    checker->failed = true;
    warp_fault(&block->warps[0], block->program->code.at, 0, TILEC_SIM_BUDGET, 0, "no memory for the checks");
    return;
  }
  check->first = 1 + cluster_leader(block)->cluster * checker->strands;
  check->base = block->rank * checker->block_strands;
  for (uint32_t w = 0; w < checker->warps; w++) warp_begin(checker, &check->warps[w], check->base + w);
  visits_begin(checker, check);
  for (uint32_t i = 0; i < BARRIERS; i++) {
    view_clear(&check->barriers[i].arriving, checker->strands);
    check->barriers[i].arrived = 0;
    check->barriers[i].insn = UINT32_MAX;
  }
  for (uint32_t i = 0; i < check->mbarrier_n; i++) {
    view_clear(&check->mbarriers[i].arriving, checker->strands);
    view_clear(&check->mbarriers[i].complete, checker->strands);
    check->mbarriers[i].valid = false;
    check->mbarriers[i].phases = 0;
    check->mbarriers[i].copy = UINT32_MAX;
  }
  check->mbarrier_n = 0;
  view_clear(&check->cluster_arriving, checker->strands);
  view_clear(&check->cluster_complete, checker->strands);
  tmem_begin(checker, check);
  check->exited = 0;
  check->exit_insn = UINT32_MAX;
  shadow_clear(&check->shared);
}

// Keeps the lowest of a CTA's accesses past the end of an allocation. For a tile
// that is its first element out of bounds.
static void keep_lowest(LaunchChecker *checker, const Warp *warp, const Fault *fault) {
  Report *report = checker->current;
  if (!report || fault->kind != TILEC_SIM_OUT_OF_BOUNDS || !report->api.allocation) return;
  tilec_sim_report *api = &report->api;
  uint32_t block[3];
  report_block(checker->launch, fault->block, block);
  if (warp->block->device != api->device || memcmp(block, api->block, sizeof block) != 0 ||
      fault->address >= api->address || fault->address < api->allocation)
    return;
  api->address = fault->address;
  api->warp = warp->index;
  api->lane_mask = fault->lanes;
  report_facts(api, checker->launch, &warp->block->program->code.at[fault->insn], fault->block);
  report_message(report, "%s", fault->message);
}

// Faults of loads, stores, atomics and cp.async: the access is skipped. A deadlocked CTA ends.
static bool hook_fault(void *context, Warp *warp, const Fault *fault) {
  const Insn *insn = &warp->block->program->code.at[fault->insn];
  Report *report = report_new(warp, insn, fault->lanes, fault->kind, fault->address, UINT32_MAX);
  if (report)
    report_message(report, "%s", fault->message);
  else
    keep_lowest(context, warp, fault);
  if (report && fault->kind == TILEC_SIM_DEADLOCK) report_deadlock(report, warp->block);
  if (fault->kind == TILEC_SIM_BUDGET || fault->kind == TILEC_SIM_TIMEOUT ||
      fault->kind == TILEC_SIM_CANCELLED)
    return false;
  return fault->kind == TILEC_SIM_DEADLOCK || access_of(insn) || insn->exec == exec_copy;
}

// ---- the launch ----

LaunchChecker *check_new(const Launch *launch) {
  LaunchChecker *checker = calloc(1, sizeof *checker);
  if (!checker) return NULL;
  checker->launch = launch;
  checker->warps = warps_of(launch);
  checker->threads = threads_of(launch);
  checker->block_strands = strands_of(launch);
  checker->strands = cluster_strands(launch);
  checker->mbarriers = mbarriers_of(launch);
  checker->allocations = launch->memory->n;
  checker->global = calloc(checker->allocations + 1, sizeof *checker->global);
  checker->reports = calloc(REPORT_LIMIT, sizeof *checker->reports);
  checker->hooks = (SimHooks){
      .context = checker,
      .access = hook_access,
      .mbarrier_news = hook_mbarrier_news,
      .fault = hook_fault,
#define X(name, ...) .name = hook_##name,
#include "sim/machine/hooks.def"
#undef X
  };
  for (uint32_t i = 0; i < launch->program->code.n; i++) {
    const Insn *insn = &launch->program->code.at[i];
    if (insn->exec == exec_wgmma) checker->hooks.step = hook_step;
    checker->aliases |= is_multimem(insn);
  }
  if (checker->global && checker->reports) return checker;
  check_free(checker);
  return NULL;
}

void check_free(LaunchChecker *checker) {
  if (!checker) return;
  for (BlockCheck *check = checker->blocks, *next; check; check = next) {
    next = check->next;
    block_close(checker, check);
  }
  for (size_t i = 0; checker->global && i < checker->allocations; i++) shadow_close(&checker->global[i]);
  for (uint32_t i = 0; checker->reports && i < checker->n; i++) report_free(&checker->reports[i]);
  sync_free(checker);
  foreign_drop(checker->aliased);
  free(checker->global);
  free(checker->reports);
  free(checker);
}

const SimHooks *check_hooks(const LaunchChecker *checker) { return &checker->hooks; }
bool check_failed(const LaunchChecker *checker) { return checker->failed; }
void check_waits(LaunchChecker *checker, const WaitList *waits) {
  if (!checker->n) return;
  tilec_sim_report *last = &checker->reports[checker->n - 1].api;
  last->waits = waits_all(waits, &last->wait_count);
}

size_t check_report_count(const LaunchChecker *checker) { return checker->n; }
const tilec_sim_report *check_report_at(const LaunchChecker *checker, size_t index) {
  return &checker->reports[index].api;
}
