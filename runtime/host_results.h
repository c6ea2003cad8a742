// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel's host regions yield, kept by the launch's arguments: most launches repeat others', of a
// model those of its layers in turn.
#ifndef RUNTIME_HOST_RESULTS_H
#define RUNTIME_HOST_RESULTS_H

#include "runtime/specialise.h"

enum { HOST_SETS = 32 }; // argument sets that are kept; a new one takes the place of the oldest

// By kind of region; of a kind that the kernel has not nothing is said.
typedef struct HostValues {
  int64_t at[HOST_COUNT][HOST_VALUES];
} HostValues;

typedef struct HostResults {
  uint64_t *args[HOST_SETS]; // malloc'd
  HostValues values[HOST_SETS];
  uint32_t count, oldest, last; // last: the set that was asked for last
} HostResults;

// A zeroed one is empty; calls for one are the caller's to keep apart. The regions are
// evaluated where the arguments are not among those kept: diagnostics go to the function's
// context, and what they say is the error.
tilec_status host_results(HostResults *results, Func *func, const BoundArgs *args, HostValues *values);
void host_results_free(HostResults *results);

#endif
