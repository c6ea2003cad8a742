// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the arguments of a launch to what is known of them, and to the bits that the kernel gets.
#ifndef RUNTIME_LAUNCH_SPECIALISE_H
#define RUNTIME_LAUNCH_SPECIALISE_H

#include "frontend/frontend.h"
#include "runtime/tilec.h"

enum {
  MAX_PARAMS = 256,
  KEY_BYTES = 2,     // a parameter
  MAX_SHAPE = 2048,  // bytes that say what arguments which are several consist of
};

// What a parameter is declared to be that is several of the kernel's.
typedef struct RunWide {
  ParamForm form; // PARAM_TUPLE or PARAM_DESCRIPTOR
  const struct RunParam *items;
  uint32_t count; // TUPLE: items; DESCRIPTOR: dimensions
  Elem elem;      // DESCRIPTOR
  uint32_t block[TILE_MAX_RANK];
  bool pads_nan;
} RunWide;

// A run-time parameter, as matching needs it.
typedef struct RunParam {
  const char *name;
  const RunWide *wide;     // NULL: not declared as a tuple or descriptor
  bool annotated, pointer; // pointer, elem: of the annotation
  Elem elem;               // of a pointer the pointee
  bool in_heuristic;       // KernelParam's; of a tuned kernel also where it is in_key
  bool has_default;
  bool default_is_tuple;   // which the kernel is compiled with
  tilec_arg default_value; // of kind TILEC_ARG_DEFAULT where the default is nothing that a launch can pass
} RunParam;

RunParam run_param(Arena *arena, const KernelParam *param); // names as the KernelParam has them

// The arguments of one launch. The key has for each parameter a type byte (an Elem, KEY_POINTER) and a byte
// of KEY_ facts: equal keys are one specialisation.
enum { KEY_POINTER = 0x80, KEY_DIVISIBLE = 1, KEY_ONE = 2, KEY_NONE = 4, KEY_ALIGNED = 8 }; // ALIGNED: ParamSpec.aligned

static inline uint8_t key_facts(const ParamFacts *facts) {
  return (uint8_t)((facts->divisible16 ? KEY_DIVISIBLE : 0) | (facts->equal1 ? KEY_ONE : 0) | (facts->none ? KEY_NONE : 0));
}

typedef struct BoundArgs {
  uint32_t count; // after a failure: the number of the parameter that it is about, or how many there are
  uint32_t key_bytes;
  bool tensors; // some are DLPack tensors: their bits are addresses of their own (runtime/launch/tensor.h)
  // Some are several of the kernel's: those are what was bound, and their shape is part of the key, behind the
  // others'. After bind_args has failed: it was for this.
  bool wide;
  uint32_t spec_bytes; // where wide: of the key, without the values that heuristics read, which end it
  uint64_t bits[MAX_PARAMS]; // integers sign-extended
  uint8_t key[MAX_PARAMS * KEY_BYTES + MAX_SHAPE];
} BoundArgs;

// Matches arguments with parameters: TILEC_ERROR_INVALID_ARGUMENT, naming the parameter, where they do not
// fit. Missing arguments at the end take the parameters' defaults. bound->wide after an error: an argument is a tuple,
// descriptor or constexpr, or a default is; bind_wide (runtime/launch/expand.h) takes them. Parameters that are declared as
// several are bind_wide's too.
tilec_status bind_args(const char *kernel, const RunParam *params, uint32_t param_count,
                       const tilec_arg *args, size_t arg_count, BoundArgs *bound);

// The specialisation for the arguments, with their values for heuristics, for a compilation with context
// `ir`; memory: the context's.
void bound_spec(IrContext *ir, const RunParam *params, uint32_t param_count, const BoundArgs *bound, Spec *spec);
// Of one plain argument, without a name; where the parameter is annotated without a type.
ParamSpec bound_param(IrContext *ir, const BoundArgs *bound, uint32_t i, bool annotated);

#endif
