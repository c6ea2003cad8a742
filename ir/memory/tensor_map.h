// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: how a tensor lies in global memory, and boxes of it in shared memory (PTX ISA 5.5.3, "tensor copies").
// The type says what the compiler knows, a host region of the kernel what its arguments do.
#ifndef IR_MEMORY_TENSOR_MAP_H
#define IR_MEMORY_TENSOR_MAP_H

#include "ir/ir.h"

enum {
  TENSOR_MAP_MAX_BOX = 256,       // elements along a dimension
  TENSOR_MAP_ALIGN = 16,          // bytes that the address, strides and a box's innermost extent are multiples of
  TENSOR_MAP_MAX_SIZE = 0x7fffff00, // elements along a dimension: coordinates beyond them are still coordinates
};

enum { MAX_TENSOR_MAPS = 16 }; // of a kernel

// How many of the function's parameters are tensor maps: they are the last ones.
uint32_t func_maps(const Func *func);

// What is wrong with the type, a TYPE_TENSOR_MAP: "the box's size 0 is not from 1 to 256". NULL: nothing.
const char *tensor_map_type_fault(Arena *arena, const Type *type);

// The tensor, as a launch's arguments give it; outermost first, in elements.
typedef struct TensorMapValue {
  const Type *type;
  uint64_t base;
  int64_t sizes[TENSOR_MAP_MAX_RANK], strides[TENSOR_MAP_MAX_RANK]; // the innermost stride is 1
} TensorMapValue;

// Of what a map's region yields: the base, the sizes, all strides but the innermost.
TensorMapValue tensor_map_value(const Type *type, const int64_t yielded[HOST_VALUES]);
// Why the hardware can have no such map: "its base is not a multiple of 16". NULL: it can. What it cannot have is no
// error: the kernel is then another one, that copies otherwise.
const char *tensor_map_fault(const TensorMapValue *map);

// Whether a scalar is computed of parameters and constants alone.
bool known_on_host(const Value *value);
// What divides operand i, the base (in bytes) or a stride, of an op that made a tensor descriptor, as maps have it; 1: nothing is promised. Of what a
// launch knows nothing is: it looks.
uint32_t descriptor_multiple(const Op *made, uint32_t i);

#endif
