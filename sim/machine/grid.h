// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches: a grid's blocks over host threads.
#ifndef SIM_MACHINE_GRID_H
#define SIM_MACHINE_GRID_H

#include "sim/check/waits.h"

typedef struct LaunchResult {
  uint64_t *executed;          // by instruction of the program; malloc'd
  tilec_sim_counters *by_site; // by site; malloc'd
  Fault fault;                 // of the lowest block, where several threads met one
  WaitList *waits;             // where warps stood, where a limit, a cancellation or a deadlock ended it
  char *printed;               // NUL-terminated; NULL: nothing; malloc'd
  size_t printed_bytes;
  bool no_memory;
} LaunchResult;

// Runs every block on `threads` host threads. The caller frees the result's arrays and waits.
LaunchResult launch_run(Launch *launch, uint32_t threads);

// Whether the launch's time is over or it is cancelled, and which; asked often, so that it ends soon.
typedef enum LaunchEnd { LAUNCH_GOES_ON, LAUNCH_TIMED_OUT, LAUNCH_CANCELLED } LaunchEnd;
LaunchEnd launch_ends(const Launch *launch);

#endif
