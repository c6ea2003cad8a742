// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches: runs a grid's CTAs on host threads.
#ifndef SIM_MACHINE_GRID_H
#define SIM_MACHINE_GRID_H

#include "sim/check/waits.h"

typedef struct LaunchResult {
  uint64_t *executed;          // By instruction of the program. malloc'ed.
  tilec_sim_counters *by_site; // By site. malloc'ed.
  Fault fault;                 // The fault of the lowest CTA, if several threads had one.
  WaitList *waits;             // Positions of warps if a limit, a cancellation or a deadlock ended the
                               // launch.
  char *printed;               // NUL-terminated, malloc'ed. NULL: nothing.
  size_t printed_bytes;
  bool no_memory;
} LaunchResult;

// Runs every CTA on `threads` host threads. The caller frees the result's arrays and waits.
LaunchResult launch_run(Launch *launch, uint32_t threads);

// Takes the next cluster of the device's grid that has not started. False: there is none.
bool launch_take(Launch *launch, uint32_t device, uint64_t *index);

// Says if the launch has timed out or is cancelled. Called often, so that it ends soon.
typedef enum LaunchEnd { LAUNCH_GOES_ON, LAUNCH_TIMED_OUT, LAUNCH_CANCELLED } LaunchEnd;
LaunchEnd launch_ends(const Launch *launch);

#endif
