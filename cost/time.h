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

// How a launch runs the dots of a matmul by tcgen05.
typedef struct CostPlan {
  double steps;    // of a program
  uint32_t stages; // Slots for operands; 1: a step's copies follow the dots of the one before.
  bool tma;        // The copies are TMA's, not cp.async.
  bool thread;     // A separate thread issues the dots, and never waits for them.
  bool persistent;
  uint32_t accumulators; // 2: a tile is stored under the next one's dots, if persistent.
  double stored;         // Bytes that a CTA stores at its end, for each four of its warps.
} CostPlan;

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
