// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that are several of the kernel's parameters: tuples and tensor descriptors. They are expanded to plain
// arguments, which are bound as others are, and to a shape that says what they make up. The shape is part of the
// specialisation's key, and the way back from it: bound_spec reads it.
#ifndef RUNTIME_LAUNCH_EXPAND_H
#define RUNTIME_LAUNCH_EXPAND_H

#include "runtime/launch/specialise.h"

// A launch's arguments as the kernel takes them.
typedef struct Expanded {
  RunParam params[MAX_PARAMS]; // by the name of the source's parameter
  tilec_arg args[MAX_PARAMS];
  uint8_t part_of[MAX_PARAMS]; // of a descriptor's sizes and strides the bytes of its elements; else 0
  uint32_t count;
  uint32_t shape_bytes;
  uint8_t shape[MAX_SHAPE];
  char path[128]; // of the part that an error is about: "t[0].x"
} Expanded;

// As bind_args, of any arguments; what was bound is `expanded`. An error names the item that it is about;
// bound->count is then the number of the source's parameter.
tilec_status bind_wide(const char *kernel, const RunParam *params, uint32_t param_count,
                       const tilec_arg *args, size_t arg_count, BoundArgs *bound, Expanded *expanded);

// The specialisation's parameters from a key with a shape, in the source's order; how many they are: nothing is said
// of one that has a tuple as its default.
uint32_t expanded_spec(IrContext *ir, const RunParam *params, uint32_t param_count, const BoundArgs *bound,
                       ParamSpec *specs);

#endif
