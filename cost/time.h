// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COST_TIME_H
#define COST_TIME_H

#include "cost/cost.h"

// Computes the time from a report's counts, traffic and occupancy.
CostTime time_of(const CostReport *report);
// A row of chips.def.
typedef struct Chip {
  const char *card;
  uint32_t sm;
  double bandwidth, mhz, read, write, tensor, idle, fp64, l2, cache, latency, arrival, launch, atomic, link;
  bool measured;
} Chip;
// NULL: no times are known for the card.
const Chip *chip_named(const char *card);
// Combines the bounds. Bounds that are nearly equal hinder each other.
double time_combined(const double bounds[BOUND_COUNT]);

// tcgen05.c. The plan of a kernel whose one dot, by tcgen05, is in a loop. Returns false for other kernels.
bool plan_of(const CostReport *report, CostPlan *plan);
// Replaces the latency by the plan's. `rounds` of programs follow one another on a multiprocessor, and a step's dots take
// `dot` seconds.
void plan_add_waits(const CostPlan *plan, double rounds, double dot, CostTime *time);
// The seconds of a plan whose bounds are known.
double plan_seconds(const CostTime *time);

// Bytes that the L2 cache retains for a second use; 0: unknown for the card.
double time_cache_bytes(const CostReport *report);

#endif
