// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch's tensor maps. They are made for the device from the arguments, by the function's host regions.
#ifndef RUNTIME_LAUNCH_LAUNCH_MAPS_H
#define RUNTIME_LAUNCH_LAUNCH_MAPS_H

#include "eval/eval.h"
#include "runtime/device/device.h"

typedef struct MadeMaps {
  unsigned char *maps;     // input: room for func_maps times BY_VALUE_BYTES, aligned to BY_VALUE_ALIGN
  const char *unmade;      // reason for the first map that cannot be made ("its base is not ..."); NULL: all
                           // are made
  const char *unmade_name; // the name of that map; NULL: the reason is not about a parameter
} MadeMaps;

// Makes the maps for a launch of `grid` programs. None is made unless the function's guard holds. Diagnostics
// go to the function's context, and they are the error.
tilec_status maps_make(Func *func, tilec_device *device, const EvalArg *args, const int64_t grid[3],
                       MadeMaps *made);

// The number of hidden parameters: those for the number of programs, then tensor maps.
typedef struct HiddenParams {
  uint32_t programs, maps;
} HiddenParams;

HiddenParams hidden_params(const Func *func);
static inline bool hidden_any(HiddenParams hidden) { return hidden.programs || hidden.maps; }

// Appends the hidden parameters after the `count` visible arguments. Those are the number of programs, for a
// persistent kernel, and then the addresses of its maps. `bits`: room for all parameters, with the visible ones filled.
// Returns the new count.
uint32_t maps_pass(HiddenParams hidden, const int64_t grid[3], const unsigned char *maps, uint32_t count,
                   uint64_t *bits);

#endif
