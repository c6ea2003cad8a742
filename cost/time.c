// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time: the parts of the chip, each by itself, combined, plus the launch. docs/cost.md has the formulas.
#include "cost/time.h"

#include <math.h>
#include <string.h>

static const Chip chips[] = {
#define X(...) {__VA_ARGS__},
#include "cost/chips.def"
#undef X
};

// SPILL_WAVEFRONTS: wavefronts of a spilled register per warp and execution of the innermost loop. NORM:
// bounds combine as the NORM-th root of the sum of their powers. If no loop prefetches copies, memory and
// issue slots combine first, with ISSUE_NORM: a warp that waits for an issue slot requests nothing. All are
// fitted to the times of 1766 configurations on an H200 and an H100 (docs/cost.md).
//
// DOT_CLOCKS: of an mma.sync and the loads of its operands, which the next one of its sums waits for. Loops over k of 16
// rows with 16 and 32 columns took 69 and 54.
enum { SPILL_WAVEFRONTS = 26, NORM = 6, DOT_CLOCKS = 60 };
static const double ISSUE_NORM = 1.7;

enum { ISSUE_SLOTS = 4 }; // warp instructions per clock and multiprocessor: one per scheduler

const char *cost_bound_name(CostBound bound) {
  static const char *const names[] = {"memory",        "L2",
                                      "shared memory", "tensor cores",
                                      "issue slots",   "multiply-adds",
                                      "fp64",          "special functions",
                                      "latency",       "turns",
                                      "spills",        "atomics",
                                      "NVLink"};
  return names[bound];
}

const Chip *chip_named(const char *card) {
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
    if (strcmp(chips[i].card, card) == 0) return &chips[i];
  return NULL;
}

static const Chip *chip_of(const CostReport *report) { return chip_named(report->card); }

bool cost_card_is_measured(const char *card) {
  const Chip *chip = chip_named(card);
  return chip && chip->measured;
}

bool cost_latencies(const TargetInfo *arch, const char *card, CostLatencies *out) {
  const Chip *chip = chip_named(card ? card : arch->card);
  if (!chip || !arch->multiprocessors) return false;
  *out = (CostLatencies){.card = chip->card,
                         .clock = 1e3 / chip->mhz,
                         .load = chip->latency,
                         .arrival = chip->arrival,
                         .link = chip->l2 / arch->multiprocessors,
                         .tensor = chip->tensor / 100};
  return true;
}

const char *cost_card(const TargetInfo *arch, const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
    const char *card = chips[i].card;
    if (chips[i].sm == arch->sm && strncmp(card, name, n) == 0 && (card[n] == ' ' || !card[n])) return card;
  }
  return NULL;
}

const char *cost_cards(Arena *arena, const TargetInfo *arch) {
  const char *cards = "";
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
    if (chips[i].sm == arch->sm)
      cards = arena_printf(arena, "%s%s%s", cards, *cards ? ", " : "", chips[i].card);
  return *cards ? cards : "none";
}

const char *cost_card_of(const TargetInfo *arch, const char *device) {
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
    const char *card = chips[i].card, *at = device;
    size_t n = strcspn(card, " ");
    for (; chips[i].sm == arch->sm && *at; at += strcspn(at, " "), at += strspn(at, " "))
      if (strncmp(at, card, n) == 0 && (at[n] == ' ' || !at[n])) return card;
  }
  return NULL;
}

double time_cache_bytes(const CostReport *report) {
  const Chip *chip = chip_of(report);
  return chip ? chip->cache * 1e6 : 0;
}

static double ceiling(double x) {
  return x > (double)(uint64_t)x ? (double)(uint64_t)x + 1 : (double)(uint64_t)x;
}

// CTAs start and end one by one. While there are enough of them, all multiprocessors have work. At the end,
// the launch waits for the multiprocessor with the most CTAs.
static void find_waves(const CostReport *report, const TargetInfo *arch, CostTime *time) {
  double programs = (double)report->programs, each = programs / arch->multiprocessors;
  uint32_t blocks = report->occupancy.blocks ? report->occupancy.blocks : 1;
  time->waves = each / blocks;
  time->tail = each > 0 ? ceiling(each) / each : 1;
}

// Multiprocessors that wait for the last programs leave their power to these.
static double tensor_seconds(const CostReport *report, double all, const Chip *chip, const CostTime *time) {
  return report->totals.tensor_cycles / all * (100 / chip->tensor + (time->tail - 1) * 100 / chip->idle);
}

static void find_bounds(const CostReport *report, const TargetInfo *arch, const Chip *chip, CostTime *time) {
  const CostTotals *t = &report->totals;
  double clock = chip->mhz * 1e6, all = arch->multiprocessors * clock, instructions = 0,
         *bounds = time->bounds;
  for (int p = 0; p < PIPE_COUNT; p++) instructions += t->instructions[p];
  bounds[BOUND_MEMORY] = ((report->memory - report->written) / chip->read + report->written / chip->write) *
                         100 / (chip->bandwidth * 1e9);
  bounds[BOUND_L2] = 32.0 * t->cache_steps / (chip->l2 * 1e9);
  bounds[BOUND_SHARED] = (double)t->wavefronts.most / all * time->tail;
  bounds[BOUND_TENSOR] = tensor_seconds(report, all, chip, time);
  bounds[BOUND_ISSUE] = instructions / ISSUE_SLOTS / all * time->tail;
  if (arch->fma) bounds[BOUND_FMA] = t->instructions[PIPE_FMA] * TARGET_WARP / arch->fma / all * time->tail;
  bounds[BOUND_FP64] = t->instructions[PIPE_FP64] * TARGET_WARP / chip->fp64 / all * time->tail;
  if (arch->mufu)
    bounds[BOUND_MUFU] = t->instructions[PIPE_MUFU] * TARGET_WARP / arch->mufu / all * time->tail;
  bounds[BOUND_LATENCY] = ceiling(time->waves) * report->rounds * chip->latency * 1e-9;
  bounds[BOUND_ATOMICS] = report->contention * chip->atomic * 1e-9;
  bounds[BOUND_LINK] = report->linked / (chip->link * 1e9);
  if (report->turns > 0)
    bounds[BOUND_TURNS] =
        ceiling(time->waves) * (report->turns * chip->latency * 1e-9 +
                                t->tensor_cycles / (double)report->programs / clock / (chip->tensor / 100));
}

static void pick(CostTime *time) {
  time->bottleneck = BOUND_MEMORY;
  for (int b = 0; b < BOUND_COUNT; b++)
    if (time->bounds[b] > time->bounds[time->bottleneck]) time->bottleneck = (CostBound)b;
}

// Extra time when memory is not busy. The factors are fitted to row sums and softmax (docs/cost.md). Parts:
// * programs that start together wait for their loads together, until they drift apart;
// * concurrent programs end one after another;
// * some multiprocessor has more work than others.
static double memory_idle(const CostReport *report, const TargetInfo *arch, const Chip *chip,
                          const CostTime *time) {
  static const double in_step = 0.4, beside = 0.03, share = 0.03;
  double each = (double)report->programs / arch->multiprocessors, memory = time->bounds[BOUND_MEMORY];
  return in_step * report->load_parts * chip->latency * 1e-9 +
         beside * memory / (time->waves > 1 ? time->waves : 1) + (each > 1 ? share * memory / each : 0);
}

static double root_of_powers(double a, double b, double norm) {
  return pow(pow(a, norm) + pow(b, norm), 1 / norm);
}

// Waiting time for copies: their arrival, divided by the prefetch distance. Copies by threads also wait half
// of their transfer time, because other bytes come first. This is divided by the prefetch distance too.
static double copies_waited(const CostReport *report, const Chip *chip, const CostTime *time) {
  static const double behind = 0.5;
  double sectors = report->totals.cache_sectors, moved = sectors > 0 ? report->copied / sectors : 0;
  return (time->waves > 1 ? time->waves : 1) * report->copy_rounds * chip->arrival * 1e-9 +
         behind * moved * time->bounds[BOUND_MEMORY];
}

// Bounds that have to wait for each other: spills, copies that loops prefetch, and loads that registers limit.
static void add_waits(const CostReport *report, const TargetInfo *arch, const Chip *chip, CostTime *time) {
  double all = arch->multiprocessors * chip->mhz * 1e6, warps = func_warps(report->func);
  time->bounds[BOUND_SPILLS] =
      report->excess * SPILL_WAVEFRONTS * warps * (double)report->most_runs / all * time->tail;
  time->copies = copies_waited(report, chip, time);
  time->bounds[BOUND_LATENCY] +=
      time->copies + ceiling(time->waves) * (report->load_parts - report->load_rounds) * chip->latency * 1e-9;
  double dots = ceiling(time->waves) * report->dots * DOT_CLOCKS / (chip->mhz * 1e6);
  if (dots > time->bounds[BOUND_LATENCY]) time->bounds[BOUND_LATENCY] = dots;
}

double time_combined(const double bounds[BOUND_COUNT]) {
  double sum = 0;
  for (int b = 0; b < BOUND_COUNT; b++) sum += pow(bounds[b], NORM);
  return pow(sum, 1.0 / NORM);
}

// Spills pass through shared memory's pipe, and take issue slots.
static void combine(const CostReport *report, const TargetInfo *arch, const Chip *chip, CostTime *time) {
  double bounds[BOUND_COUNT];
  memcpy(bounds, time->bounds, sizeof bounds);
  bounds[BOUND_SHARED] += bounds[BOUND_SPILLS];
  bounds[BOUND_ISSUE] += bounds[BOUND_SPILLS] / ISSUE_SLOTS;
  bounds[BOUND_SPILLS] = 0;
  if (bounds[BOUND_MEMORY] > 0) bounds[BOUND_MEMORY] += memory_idle(report, arch, chip, time);
  if (report->copy_rounds <= 0) {
    bounds[BOUND_MEMORY] = root_of_powers(bounds[BOUND_MEMORY], bounds[BOUND_ISSUE], ISSUE_NORM);
    bounds[BOUND_ISSUE] = 0;
  }
  time->seconds = time->launch + time_combined(bounds);
}

// `even`: as if the same work were divided into programs that all multiprocessors share equally. `loops`: each
// program then has fewer iterations.
static CostTime predict(const CostReport *report, bool even, bool loops) {
  const TargetInfo *arch = report->func->module->target.arch;
  const Chip *chip = chip_of(report);
  CostTime time = {.tail = 1};
  if (!arch->multiprocessors) return time;
  find_waves(report, arch, &time);
  double each = (double)report->programs / arch->multiprocessors;
  if (even) time.tail = 1;
  if (!chip) return time;
  time.known = true;
  find_bounds(report, arch, chip, &time);
  time.launch = chip->launch * 1e-9;
  add_waits(report, arch, chip, &time);
  if (loops && each < 1) time.bounds[BOUND_LATENCY] *= each, time.bounds[BOUND_TURNS] *= each;
  CostPlan plan;
  bool planned = plan_of(report, &plan);
  if (planned)
    plan_add_waits(&plan, ceiling(time.waves),
                   report->totals.tensor_cycles / (double)report->programs / plan.steps / (chip->mhz * 1e6),
                   &time);
  pick(&time);
  combine(report, arch, chip, &time);
  if (planned) time.seconds = plan_seconds(&time);
  return time;
}

CostTime time_of(const CostReport *report) { return predict(report, false, false); }

double cost_saving(const CostReport *report, const CostSaving *saving, double *share) {
  CostReport without = *report;
  CostTotals *t = &without.totals;
  t->sectors.most -= (uint64_t)saving->sectors;
  t->cache_sectors -= saving->sectors < t->cache_sectors ? saving->sectors : t->cache_sectors;
  t->cache_steps -= saving->steps < t->cache_steps ? saving->steps : t->cache_steps;
  t->wavefronts.most -= (uint64_t)saving->wavefronts;
  for (int p = 0; p < PIPE_COUNT; p++) t->instructions[p] -= saving->instructions[p];
  without.rounds -= saving->rounds;
  without.copy_rounds -= saving->copies;
  without.memory -= saving->memory;
  without.load_rounds -= saving->rounds < report->load_rounds ? saving->rounds : report->load_rounds;
  without.load_parts -= saving->parts < report->load_parts ? saving->parts : report->load_parts;
  without.contention -= saving->contention;
  if (saving->turns) without.turns = 0;
  if (saving->spills) without.excess = 0;
  CostTime time = predict(&without, saving->tail, saving->loops);
  double spared = 0;
  for (int b = 0; b < BOUND_COUNT; b++) spared += report->time.bounds[b] - time.bounds[b];
  *share = report->time.seconds > 0 ? spared / report->time.seconds : 0;
  return report->time.seconds - time.seconds;
}
