// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds a launch's arguments: to the facts about them, and to the bits that the kernel gets.
#ifndef RUNTIME_LAUNCH_SPECIALISE_H
#define RUNTIME_LAUNCH_SPECIALISE_H

#include "frontend/frontend.h"
#include "runtime/tilec.h"

enum {
  MAX_PARAMS = 256,
  KEY_BYTES = 2,    // per parameter
  MAX_SHAPE = 2048, // bytes that describe the structure of tuples and descriptors
};

// The declaration of a parameter that becomes several of the kernel's.
typedef struct RunWide {
  ParamForm form; // PARAM_TUPLE or PARAM_DESCRIPTOR
  const struct RunParam *items;
  uint32_t count; // TUPLE: items; DESCRIPTOR: dimensions
  Elem elem;      // DESCRIPTOR
  uint32_t block[TILE_MAX_RANK];
  bool pads_nan, rounds_tf32;
} RunWide;

// A run-time parameter, as binding needs it.
typedef struct RunParam {
  const char *name;
  const RunWide *wide;     // NULL: not declared as a tuple or descriptor.
  bool annotated, pointer; // From the annotation: pointer, elem.
  Elem elem;               // For a pointer: of the pointee.
  uint8_t no_facts;        // KEY_ bits that a launch does not derive from the value: do_not_specialize
  bool in_heuristic;       // As in KernelParam; for a tuned kernel also if it is in_key
  bool has_default;
  bool default_is_tuple;   // the kernel is compiled with it
  tilec_arg default_value; // of kind TILEC_ARG_DEFAULT if no launch can pass the default
} RunParam;

RunParam run_param(Arena *arena, const KernelParam *param); // has the same name strings as the KernelParam

// The arguments of one launch. For each parameter the key has a type byte (an Elem, KEY_POINTER) and a byte
// of KEY_ facts. Equal keys have one specialisation.
enum {
  KEY_POINTER = 0x80,
  KEY_DIVISIBLE = 1,
  KEY_ONE = 2,
  KEY_NONE = 4,
  KEY_ALIGNED = 8
}; // ALIGNED: ParamSpec.aligned

static inline uint8_t key_facts(const ParamFacts *facts) {
  return (uint8_t)((facts->divisible16 ? KEY_DIVISIBLE : 0) | (facts->equal1 ? KEY_ONE : 0) |
                   (facts->none ? KEY_NONE : 0));
}

typedef struct BoundArgs {
  uint32_t count; // after a failure: the index of the parameter at fault, or the number of parameters
  uint32_t key_bytes;
  bool tensors; // Some are DLPack tensors: their bits are the tensors' addresses (runtime/launch/tensor.h).
  // Some arguments become several of the kernel's parameters. Then the fields describe the expanded ones, and
  // the key ends with their shape. After a failure of bind_args: this was the reason.
  bool wide;
  // For a kernel of an image: bytes of the key after the first key_bytes, which are structs by value. The bits of such
  // a parameter are the struct's address.
  uint32_t struct_bytes;
  uint32_t spec_bytes; // If wide: bytes of the key without its last part, the values that heuristics read.
  uint64_t bits[MAX_PARAMS]; // integers are sign-extended
  uint8_t key[MAX_PARAMS * KEY_BYTES + MAX_SHAPE];
} BoundArgs;

// Matches arguments with parameters. If one does not fit: TILEC_ERROR_INVALID_ARGUMENT, which names the
// parameter. Missing arguments at the end get the parameters' defaults.
// If bound->wide is set after an error, an argument or a default is a tuple, descriptor or constexpr. Then
// bind_wide (runtime/launch/expand.h) handles them. It also handles parameters that are declared as tuples or
// descriptors.
tilec_status bind_args(const char *kernel, const RunParam *params, uint32_t param_count,
                       const tilec_arg *args, size_t arg_count, BoundArgs *bound);

// The specialisation for the arguments, with their values for heuristics, for a compilation with context
// `ir`. The context owns the memory.
void bound_spec(IrContext *ir, const RunParam *params, uint32_t param_count, const BoundArgs *bound,
                Spec *spec);
// For one plain argument, without a name. annotated: the parameter is annotated, without a type.
ParamSpec bound_param(IrContext *ir, const BoundArgs *bound, uint32_t i, bool annotated);

#endif
