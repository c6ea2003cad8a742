// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C API: launches and their results.
#include <stdlib.h>
#include "base/text.h"
#include "sim/api.h"
#include "sim/machine/chip.h"
#include "sim/check/facts.h"
#include "sim/machine/grid.h"
#include "sim/timeline/timeline_parts.h"

void sim_forget_places(tilec_sim *sim) {
  check_free(sim->checker);
  sim->checker = NULL;
  waits_free(sim->waits);
  sim->waits = NULL;
  free(sim->lines);
  sim->lines = NULL;
  sim->line_count = sim->report_count = 0;
  sim->launched = NULL;
}

static void forget_launch(tilec_sim *sim) {
  sim_forget_places(sim);
  free(sim->printed);
  sim->printed = NULL;
  sim->printed_bytes = 0;
  sim->total = (tilec_sim_counters){0};
}

// Checks the limits of the modelled GPU and of the kernel.
static tilec_sim_result check_shape(tilec_sim *sim, const Program *program, const uint32_t grid[3],
                                    const uint32_t block[3], uint32_t shared) {
  const tilec_sim_result invalid = TILEC_SIM_ERROR_INVALID;
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  if (block[0] == 0 || block[1] == 0 || block[2] == 0)
    return sim_fail(sim, invalid, "a CTA dimension is zero");
  if (block[0] > CHIP_BLOCK_THREADS || block[1] > CHIP_BLOCK_THREADS || block[2] > CHIP_BLOCK_THREADS_Z ||
      threads > CHIP_BLOCK_THREADS)
    return sim_fail(sim, invalid, "a CTA has at most %d threads", CHIP_BLOCK_THREADS);
  if (grid[0] > CHIP_GRID_BLOCKS_X || grid[1] > CHIP_GRID_BLOCKS_YZ || grid[2] > CHIP_GRID_BLOCKS_YZ)
    return sim_fail(sim, invalid, "the grid is too large");
  if ((uint64_t)grid[0] * grid[1] * grid[2] > UINT32_MAX)
    return sim_fail(sim, invalid, "the grid has more than 2^32 - 1 CTAs");
  if ((uint64_t)program->dynamic_shared + shared > CHIP_BLOCK_SHARED)
    return sim_fail(sim, invalid, "a CTA has at most %d KiB of shared memory", CHIP_BLOCK_SHARED / 1024);
  uint64_t warps = (threads + LANES - 1) / LANES;
  if (warps * LANES * program->registers > CHIP_SM_REGISTERS)
    return sim_fail(sim, invalid, "%u threads of %u registers are more than a multiprocessor has",
                    (unsigned)threads, program->registers);
  const uint32_t *need = program->reqntid, *most = program->maxntid;
  if (need[0] && (need[0] != block[0] || need[1] != block[1] || need[2] != block[2]))
    return sim_fail(
        sim, invalid,
        "the launch has CTAs of %u x %u x %u threads, but the kernel's .reqntid requires %u x %u x %u: "
        "launch it with these",
        block[0], block[1], block[2], need[0], need[1], need[2]);
  if (most[0] && threads > (uint64_t)most[0] * most[1] * most[2])
    return sim_fail(sim, invalid,
                    "the launch has CTAs of %u threads, but the kernel allows %u (.maxntid in the PTX, "
                    "__launch_bounds__ in CUDA): launch it with at most as many",
                    (unsigned)threads, most[0] * most[1] * most[2]);
  return TILEC_SIM_OK;
}

// The cluster's extent: the launch's, or the kernel's.
static tilec_sim_result check_cluster(tilec_sim *sim, const Program *program, const uint32_t grid[3],
                                      const uint32_t asked[3], uint32_t cluster[3]) {
  const uint32_t *need = program->cluster;
  uint64_t blocks = 1;
  for (int i = 0; i < 3; i++) {
    cluster[i] = asked ? asked[i] : need[0] ? need[i] : 1;
    if (cluster[i] == 0) return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "a cluster dimension is zero");
    blocks *= cluster[i] <= CHIP_CLUSTER_BLOCKS ? cluster[i] : CHIP_CLUSTER_BLOCKS + 1;
  }
  if (blocks > CHIP_CLUSTER_BLOCKS)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "a cluster has at most %d CTAs", CHIP_CLUSTER_BLOCKS);
  if (need[0] && memcmp(need, cluster, sizeof program->cluster) != 0)
    return sim_fail(
        sim, TILEC_SIM_ERROR_INVALID,
        "the launch has clusters of %u x %u x %u CTAs, but the kernel's .reqnctapercluster requires "
        "%u x %u x %u: launch it with these",
        cluster[0], cluster[1], cluster[2], need[0], need[1], need[2]);
  for (int i = 0; i < 3; i++)
    if (grid[i] % cluster[i])
      return sim_fail(sim, TILEC_SIM_ERROR_INVALID,
                      "the grid has %u CTAs along %c, which is not a multiple of the cluster's %u", grid[i],
                      "xyz"[i], cluster[i]);
  return TILEC_SIM_OK;
}

static uint32_t resident_blocks(const tilec_sim *sim, const uint32_t block[3], uint64_t shared) {
  uint64_t threads = ((uint64_t)block[0] * block[1] * block[2] + LANES - 1) / LANES * LANES;
  uint64_t here = CHIP_SM_THREADS / threads;
  uint64_t by_shared = shared ? CHIP_SM_SHARED / (shared + CHIP_SM_SHARED_OF_BLOCK) : CHIP_SM_BLOCKS;
  if (by_shared < here) here = by_shared;
  if (here > CHIP_SM_BLOCKS) here = CHIP_SM_BLOCKS;
  return (uint32_t)((here ? here : 1) * sim->options.multiprocessors);
}

static int compare_lines(const void *a, const void *b) {
  const tilec_sim_line *x = a, *y = b;
  int files = x->file && y->file ? strcmp(x->file, y->file) : (x->file != NULL) - (y->file != NULL);
  return files ? files : (x->line > y->line) - (x->line < y->line);
}

static void keep_counters(tilec_sim *sim, const Program *program, LaunchResult *result) {
  for (uint32_t i = 0; i < program->code.n; i++)
    result->by_site[program->code.at[i].site].instructions += result->executed[i];
  for (uint32_t i = 0; i < program->sites.n; i++) {
    sim->lines[i] =
        (tilec_sim_line){program->sites.at[i].file, program->sites.at[i].line, result->by_site[i]};
    counters_add(&sim->total, &result->by_site[i]);
  }
  qsort(sim->lines, program->sites.n, sizeof *sim->lines, compare_lines);
  size_t n = 0;
  for (uint32_t i = 0; i < program->sites.n; i++)
    if (n && compare_lines(&sim->lines[n - 1], &sim->lines[i]) == 0)
      counters_add(&sim->lines[n - 1].counters, &sim->lines[i].counters);
    else
      sim->lines[n++] = sim->lines[i];
  sim->line_count = n;
}

// Takes the fault's message.
static tilec_sim_result keep_fault(tilec_sim *sim, const Launch *launch, Fault *fault) {
  const Insn *insn = &launch->program->code.at[fault->insn];
  const Site *site = &launch->program->sites.at[insn->site];
  text_free(sim->report_text);
  sim->report_text = fault->message;
  fault->message = NULL;
  sim->report = (tilec_sim_report){.kind = fault->kind,
                                   .message = sim->report_text,
                                   .warp = fault->warp,
                                   .lane_mask = fault->lanes,
                                   .address = fault->address,
                                   .count = 1};
  sim->report.waits = waits_all(sim->waits, &sim->report.wait_count);
  report_facts(&sim->report, launch, insn, fault->block);
  const uint32_t *id = sim->report.block;
  sim->report_count = 1;
  return sim_fail(sim, TILEC_SIM_ERROR_KERNEL, "%s:%u: %s (CTA %u,%u,%u warp %u lanes 0x%08x)",
                  site->file ? site->file : "ptx", site->line, sim->report_text, id[0], id[1], id[2],
                  fault->warp, fault->lanes);
}

// Keeps the checker's reports. They include the fault that ended the launch.
static tilec_sim_result keep_reports(tilec_sim *sim) {
  if (check_failed(sim->checker)) return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory for the checks");
  if (sim->waits) check_waits(sim->checker, sim->waits);
  sim->report_count = check_report_count(sim->checker);
  if (sim->report_count == 0) return TILEC_SIM_OK;
  const tilec_sim_report *first = check_report_at(sim->checker, 0);
  return sim_fail(sim, TILEC_SIM_ERROR_KERNEL, "%s:%u: %s, and %zu more reports",
                  first->file ? first->file : "ptx", first->line, first->message, sim->report_count - 1);
}

static tilec_sim_result run_launch(tilec_sim *sim, Launch *launch) {
  LaunchResult result = launch_run(launch, sim->checker ? 1 : sim->options.threads);
  tilec_sim_result status = TILEC_SIM_OK;
  sim->waits = result.waits;
  sim->lines = calloc(launch->program->sites.n + 1, sizeof *sim->lines);
  if (result.no_memory || !sim->lines)
    status = sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory for the launch");
  else {
    keep_counters(sim, launch->program, &result);
    if (sim->checker)
      status = keep_reports(sim);
    else if (result.fault.set)
      status = keep_fault(sim, launch, &result.fault);
  }
  sim->printed = result.printed;
  sim->printed_bytes = result.printed_bytes;
  text_free(result.fault.message);
  free(result.executed);
  free(result.by_site);
  return status;
}

// The checker outlives the launch, because it owns the reports.
static tilec_sim_result open_checks(tilec_sim *sim, Launch *launch) {
  const char *refusal = check_refusal(launch);
  if (refusal) return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "%s", refusal);
  sim->checker = check_new(launch);
  if (!sim->checker) return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory for the checks");
  launch->hooks = check_hooks(sim->checker);
  return TILEC_SIM_OK;
}

// The parameters of all devices. NULL: no memory.
static unsigned char *copy_params(const Program *program, uint32_t devices, const void *const *params) {
  unsigned char *values = calloc((size_t)devices * program->param_bytes + 1, 1);
  for (uint32_t d = 0; values && d < devices; d++)
    for (uint32_t i = 0; i < program->params.n; i++)
      memcpy(values + (size_t)d * program->param_bytes + program->params.at[i].offset,
             params[d * program->params.n + i], program->params.at[i].size);
  return values;
}

static void set_options(const tilec_sim *sim, Launch *launch) {
  const tilec_sim_options *options = &sim->options;
  launch->multiprocessors = options->multiprocessors;
  launch->budget = options->instruction_budget;
  launch->timeout = options->timeout;
  launch->spent = sim->spent;
  launch->cancel = options->cancel;
  launch->watch_every = options->watch_every;
  launch->seed = options->seed;
  launch->descending = options->schedule == TILEC_SIM_LATE_DOWN || options->schedule == TILEC_SIM_EARLY_DOWN;
  launch->late = options->schedule == TILEC_SIM_LATE || options->schedule == TILEC_SIM_LATE_DOWN;
  launch->hasty = options->schedule != TILEC_SIM_LATE;
}

static tilec_sim_result launch_grids(tilec_sim *sim, const tilec_sim_kernel *kernel, uint32_t devices,
                                     const uint32_t grid[3], const uint32_t cluster[3],
                                     const uint32_t block[3], uint32_t dynamic_shared_bytes,
                                     const void *const *params) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  forget_launch(sim);
  if (!kernel || !grid || !block)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "no kernel, grid or CTA size");
  const Program *program = &kernel->program;
  if (!params && program->params.n)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "the kernel has parameters");
  tilec_sim_result shape = check_shape(sim, program, grid, block, dynamic_shared_bytes);
  uint32_t extent[3];
  if (shape == TILEC_SIM_OK) shape = check_cluster(sim, program, grid, cluster, extent);
  if (shape != TILEC_SIM_OK) return shape;
  uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
  if (devices < 1 || devices > TILEC_SIM_MAX_DEVICES || blocks * devices > UINT32_MAX)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "a launch has 1 to %d devices, and 2^32 - 1 CTAs at most",
                    TILEC_SIM_MAX_DEVICES);
  if (blocks == 0) return TILEC_SIM_OK;
  sim->launched = kernel->module;
  unsigned char *values = copy_params(program, devices, params);
  if (!values) return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory");
  Launch launch = {.program = program,
                   .memory = &sim->memory,
                   .devices = devices,
                   .blocks = blocks,
                   .dynamic_shared = dynamic_shared_bytes,
                   .params = values};
  memcpy(launch.grid, grid, sizeof launch.grid);
  memcpy(launch.block, block, sizeof launch.block);
  memcpy(launch.cluster, extent, sizeof launch.cluster);
  launch.cluster_blocks = extent[0] * extent[1] * extent[2];
  launch.clusters = blocks / launch.cluster_blocks;
  launch.resident = resident_blocks(sim, block, (uint64_t)program->dynamic_shared + dynamic_shared_bytes);
  set_options(sim, &launch);
  tilec_sim_result result = sim->options.checks ? open_checks(sim, &launch) : TILEC_SIM_OK;
  if (!launch.hooks && sim->timeline) launch.hooks = timeline_hooks(sim->timeline, &launch);
  if (result == TILEC_SIM_OK) result = run_launch(sim, &launch);
  free(values);
  return result;
}

tilec_sim_result tilec_sim_launch(tilec_sim *sim, const tilec_sim_kernel *kernel, const uint32_t grid[3],
                                  const uint32_t block[3], uint32_t dynamic_shared_bytes,
                                  const void *const *params) {
  return launch_grids(sim, kernel, 1, grid, NULL, block, dynamic_shared_bytes, params);
}

tilec_sim_result tilec_sim_launch_cluster(tilec_sim *sim, const tilec_sim_kernel *kernel,
                                          const uint32_t grid[3], const uint32_t cluster[3],
                                          const uint32_t block[3], uint32_t dynamic_shared_bytes,
                                          const void *const *params) {
  return launch_grids(sim, kernel, 1, grid, cluster, block, dynamic_shared_bytes, params);
}

tilec_sim_result tilec_sim_launch_devices(tilec_sim *sim, const tilec_sim_kernel *kernel, uint32_t devices,
                                          const uint32_t grid[3], const uint32_t block[3],
                                          uint32_t dynamic_shared_bytes, const void *const *params) {
  return launch_grids(sim, kernel, devices, grid, NULL, block, dynamic_shared_bytes, params);
}

void tilec_sim_total(const tilec_sim *sim, tilec_sim_counters *total) { *total = sim->total; }
size_t tilec_sim_line_count(const tilec_sim *sim) { return sim->line_count; }
const tilec_sim_line *tilec_sim_line_at(const tilec_sim *sim, size_t index) {
  return index < sim->line_count ? &sim->lines[index] : NULL;
}
const char *tilec_sim_printed(const tilec_sim *sim, size_t *bytes) {
  if (bytes) *bytes = sim->printed_bytes;
  return sim->printed ? sim->printed : "";
}
size_t tilec_sim_report_count(const tilec_sim *sim) { return sim->report_count; }
const tilec_sim_report *tilec_sim_report_at(const tilec_sim *sim, size_t index) {
  if (index >= sim->report_count) return NULL;
  return sim->checker ? check_report_at(sim->checker, index) : &sim->report;
}
