// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches: a grid's blocks over host threads.
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include "sim/exec.h"

typedef struct LaunchResult {
  uint64_t *executed;          // by instruction of the program; malloc'd
  tilec_sim_counters *by_site; // by site; malloc'd
  Fault fault;                 // of the lowest block, where several threads met one
  char *printed;               // NUL-terminated; NULL: nothing; malloc'd
  size_t printed_bytes;
  bool no_memory;
} LaunchResult;

// Runs every block on `threads` host threads. The caller frees the result's arrays.
LaunchResult launch_run(Launch *launch, uint32_t threads);

#endif
