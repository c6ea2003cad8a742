// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of memory requests, counted as sim.h defines it.
#ifndef SIM_MACHINE_COUNTERS_H
#define SIM_MACHINE_COUNTERS_H

#include <stdbool.h>

#include "sim/sim.h"

// One request of the lanes in `mask`. Each accesses `bytes` aligned bytes (1, 2, 4, 8, 16 or 32) at
// addresses[lane].
void counters_global(tilec_sim_counters *counters, const uint64_t *addresses, uint32_t mask, uint32_t bytes);
void counters_shared(tilec_sim_counters *counters, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                     bool loads);
// The same for 32 lanes, with lane l at first + l * bytes.
void counters_global_contiguous(tilec_sim_counters *counters, uint64_t first, uint32_t bytes);
void counters_shared_contiguous(tilec_sim_counters *counters, uint32_t bytes);
void counters_add(tilec_sim_counters *sum, const tilec_sim_counters *more);

#endif
