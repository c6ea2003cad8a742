// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel's host regions yield, kept by the launch's arguments: most launches repeat others', of a
// model those of its layers in turn.
#ifndef RUNTIME_HOST_RESULTS_H
#define RUNTIME_HOST_RESULTS_H

#include <string.h>
#include "runtime/specialise.h"

enum { HOST_SETS = 32 }; // argument sets that are kept; a new one takes the place of the oldest

// By kind of region, of those without a name; of a kind that the kernel has not nothing is said.
typedef struct HostValues {
  int64_t at[HOST_COUNT][HOST_VALUES];
} HostValues;

typedef struct HostSet {
  HostValues values;
  uint32_t place; // among the sets
  uint64_t args[];
} HostSet;

typedef struct HostResults {
  HostSet *last;            // that was asked for last; NULL: none yet
  HostSet *sets[HOST_SETS]; // malloc'd
  uint32_t count, oldest;
} HostResults;

static inline bool host_set_is_of(const HostSet *set, const BoundArgs *args) {
  return memcmp(set->args, args->bits, sizeof *args->bits * args->count) == 0;
}

// For arguments other than the last ones.
tilec_status host_results_of_others(HostResults *results, Func *func, const BoundArgs *args);

// A zeroed one is empty; calls for one are the caller's to keep apart. The regions are
// evaluated where the arguments are not among those kept: diagnostics go to the function's
// context, and what they say is the error. results->last is then the set of the arguments.
// A launch with the arguments of the one before pays no call.
static inline tilec_status host_results(HostResults *results, Func *func, const BoundArgs *args) {
  if (results->last && host_set_is_of(results->last, args)) return TILEC_OK;
  return host_results_of_others(results, func, args);
}

void host_results_free(HostResults *results);

#endif
