// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COST_TIME_H
#define COST_TIME_H

#include "cost/cost.h"

// Computes the time from a report's counts, traffic and occupancy.
CostTime time_of(const CostReport *report);
// Bytes that the L2 cache retains for a second use; 0: unknown for the card.
double time_cache_bytes(const CostReport *report);

#endif
