// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch's tensor maps: made of its arguments, as the function's host regions say, for its device.
#ifndef RUNTIME_LAUNCH_LAUNCH_MAPS_H
#define RUNTIME_LAUNCH_LAUNCH_MAPS_H

#include "eval/eval.h"
#include "runtime/device/device.h"

typedef struct MadeMaps {
  unsigned char *maps;     // given: room for func_maps times BY_VALUE_BYTES, aligned to BY_VALUE_ALIGN
  const char *unmade;      // why the first one that cannot be made cannot ("its base is not ..."); NULL: all are made
  const char *unmade_name; // whose; NULL: nothing that a parameter stands for
} MadeMaps;

// For a launch of `grid` programs, for which none is made unless the function's guard holds. Diagnostics go to the function's
// context, and what they say is the error.
tilec_status maps_make(Func *func, tilec_device *device, const EvalArg *args, const int64_t grid[3], MadeMaps *made);

// Of parameters beside the arguments how many the code takes: what says how many programs there are, then tensor maps.
typedef struct HiddenParams {
  uint32_t programs, maps;
} HiddenParams;

HiddenParams hidden_params(const Func *func);
static inline bool hidden_any(HiddenParams hidden) { return hidden.programs || hidden.maps; }

// What the code takes behind a launch's `count` visible arguments: of a persistent kernel how many programs there are, and the
// addresses of its maps. bits: room for all parameters, with the visible ones there; how many there are now.
uint32_t maps_pass(HiddenParams hidden, const int64_t grid[3], const unsigned char *maps, uint32_t count, uint64_t *bits);

#endif
