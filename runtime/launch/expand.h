// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that become several parameters of the kernel: tuples and tensor descriptors. They are expanded to
// plain arguments, which are bound like others, and to a shape that describes their structure. The shape is
// part of the specialisation's key. bound_spec decodes it.
#ifndef RUNTIME_LAUNCH_EXPAND_H
#define RUNTIME_LAUNCH_EXPAND_H

#include "runtime/launch/specialise.h"

// A launch's arguments as the kernel takes them.
typedef struct Expanded {
  RunParam params[MAX_PARAMS]; // with the name of the source's parameter
  tilec_arg args[MAX_PARAMS];
  uint8_t part_of[MAX_PARAMS]; // element size in bytes, for a descriptor's sizes and strides; else 0
  uint32_t count;
  uint32_t shape_bytes;
  uint8_t shape[MAX_SHAPE];
  char path[128]; // path of the item in an error: "t[0].x"
} Expanded;

// As bind_args, for any arguments. `expanded` gets the plain arguments. An error names the item. bound->count
// is then the index of the source's parameter.
tilec_status bind_wide(const char *kernel, const RunParam *params, uint32_t param_count,
                       const tilec_arg *args, size_t arg_count, BoundArgs *bound, Expanded *expanded);

// Decodes the specialisation's parameters from a key with a shape, in source order. Returns their number.
// Parameters with a tuple as default are left out.
uint32_t expanded_spec(IrContext *ir, const RunParam *params, uint32_t param_count, const BoundArgs *bound,
                       ParamSpec *specs);

#endif
