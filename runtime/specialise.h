// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the arguments of a launch to what is known of them, and to the bits that the kernel gets.
#ifndef RUNTIME_SPECIALISE_H
#define RUNTIME_SPECIALISE_H

#include "frontend/frontend.h"
#include "runtime/tilec.h"

enum { MAX_PARAMS = 256, KEY_BYTES = 2 }; // key bytes a parameter

// A run-time parameter, as matching needs it.
typedef struct RunParam {
  const char *name;
  bool annotated, pointer; // pointer, elem: of the annotation
  Elem elem;               // of a pointer the pointee
  bool in_heuristic;       // KernelParam.in_heuristic
  bool has_default;
  tilec_arg default_value; // of kind TILEC_ARG_DEFAULT where the default is nothing that a launch can pass
} RunParam;

RunParam run_param(const KernelParam *param);

// The arguments of one launch. The key has for each parameter a type byte (an Elem, KEY_POINTER) and a byte
// of KEY_ facts: equal keys are one specialisation.
enum { KEY_POINTER = 0x80, KEY_DIVISIBLE = 1, KEY_ONE = 2, KEY_NONE = 4 };

typedef struct BoundArgs {
  uint32_t count; // after a failure: the number of the parameter that it is about, or how many there are
  uint64_t bits[MAX_PARAMS]; // integers sign-extended
  uint8_t key[MAX_PARAMS * KEY_BYTES];
  bool tensors; // some are DLPack tensors: their bits are addresses of their own (runtime/tensor.h)
} BoundArgs;

// Matches arguments with parameters: TILEC_ERROR_INVALID_ARGUMENT, naming the parameter, where they do not
// fit. Missing arguments at the end take the parameters' defaults.
tilec_status bind_args(const char *kernel, const RunParam *params, uint32_t param_count,
                       const tilec_arg *args, size_t arg_count, BoundArgs *bound);

// The specialisation for the arguments, with their values for heuristics, for a compilation with context
// `ir`; memory: the context's.
void bound_spec(IrContext *ir, const RunParam *params, const BoundArgs *bound, Spec *spec);

#endif
