// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COST_TIME_H
#define COST_TIME_H

#include "cost/cost.h"

// From a report's counts, traffic and occupancy.
CostTime time_of(const CostReport *report);
// Bytes of the L2 cache that are found there again; 0: not known of the card.
double time_cache_bytes(const CostReport *report);

#endif
