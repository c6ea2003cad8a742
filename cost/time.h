// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COST_TIME_H
#define COST_TIME_H

#include "cost/cost.h"

// From a report's counts, traffic and occupancy.
CostTime time_of(const CostReport *report);

#endif
