// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of a kernel's host regions, kept by launch arguments. Most launches repeat the arguments of earlier
// ones. A model's layers repeat theirs in a cycle.
#ifndef RUNTIME_LAUNCH_HOST_RESULTS_H
#define RUNTIME_LAUNCH_HOST_RESULTS_H

#include <string.h>
#include "runtime/device/device.h"
#include "runtime/launch/specialise.h"

enum { HOST_SETS = 32 }; // kept argument sets; a new one replaces the oldest

// Results for one set of arguments. Each is computed when it is first needed.
typedef struct HostSet {
  bool has_grid, has_maps;
  int64_t grid[3];
  int64_t launched[3];     // the grid that the maps are for
  const char *unmade;      // reason for the first map that cannot be made; NULL: all were made
  const char *unmade_name; // its name; NULL: there are too many programs
  unsigned char *maps;     // malloc'ed and aligned for maps, BY_VALUE_BYTES each; NULL: not made yet
  uint32_t place;          // index in `sets`
  uint64_t args[];
} HostSet;

typedef struct HostResults {
  HostSet *last;            // the last one used; NULL: none yet
  HostSet *sets[HOST_SETS]; // malloc'ed
  uint32_t count, oldest;
} HostResults;

static inline bool host_set_is_of(const HostSet *set, const BoundArgs *args) {
  return memcmp(set->args, args->bits, sizeof *args->bits * args->count) == 0;
}

// For arguments that differ from the last ones.
tilec_status host_find_others(HostResults *results, const BoundArgs *args);
tilec_status host_evaluate_grid(HostSet *set, Func *func, const BoundArgs *args);
tilec_status host_make_maps(HostSet *set, Func *func, tilec_device *device, const BoundArgs *args,
                            const int64_t grid[3]);

// A zeroed struct is empty. The caller must serialise calls for one struct. If the arguments are not among
// those kept, the regions are evaluated. Diagnostics go to the function's context, and they are the error. A
// launch with the same arguments as the previous one makes no call.
static inline tilec_status host_find(HostResults *results, const BoundArgs *args) {
  if (results->last && host_set_is_of(results->last, args)) return TILEC_OK;
  return host_find_others(results, args);
}

// The grid of a function that has one: results->last->grid.
static inline tilec_status host_grid(HostResults *results, Func *func, const BoundArgs *args) {
  tilec_status status = host_find(results, args);
  return status || results->last->has_grid ? status : host_evaluate_grid(results->last, func, args);
}

// The tensor maps, in the order of the function's parameters: results->last->maps. They are incomplete if one
// cannot be made for a launch of `grid` programs.
static inline tilec_status host_maps(HostResults *results, Func *func, tilec_device *device,
                                     const BoundArgs *args, const int64_t grid[3]) {
  tilec_status status = host_find(results, args);
  if (status ||
      (results->last->has_maps && memcmp(results->last->launched, grid, sizeof results->last->launched) == 0))
    return status;
  return host_make_maps(results->last, func, device, args, grid);
}

void host_results_free(HostResults *results);

#endif
