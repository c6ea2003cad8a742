// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: a tensor's arrangement in global memory, and its TMA tiles in shared memory (PTX ISA 5.5.3,
// "tensor copies"). The type holds compile-time properties. A host region of the kernel computes the rest
// from the arguments.
#ifndef IR_MEMORY_TENSOR_MAP_H
#define IR_MEMORY_TENSOR_MAP_H

#include "ir/queries.h"

enum {
  TENSOR_MAP_MAX_BOX = 256,         // Elements along a dimension.
  TENSOR_MAP_ALIGN = 16,            // Bytes: the address, strides and a TMA tile's innermost extent are
                                    // multiples.
  TENSOR_MAP_MAX_SIZE = 0x7fffff00, // Elements along a dimension: larger coordinates are still valid numbers.
};

enum { MAX_TENSOR_MAPS = 16 }; // per kernel

// The number of the function's tensor map parameters: they come last.
uint32_t func_maps(const Func *func);

// The defect of a TYPE_TENSOR_MAP: "the box's size 0 is not from 1 to 256". NULL: none.
const char *tensor_map_type_fault(Arena *arena, const Type *type);

// The tensor from a launch's arguments; outermost dimension first, in elements.
typedef struct TensorMapValue {
  const Type *type;
  uint64_t base;
  int64_t sizes[TENSOR_MAP_MAX_RANK], strides[TENSOR_MAP_MAX_RANK]; // the innermost stride is 1
} TensorMapValue;

// Made from the values of a map's region: the base, the sizes, all strides except the innermost.
TensorMapValue tensor_map_value(const Type *type, const int64_t yielded[HOST_VALUES]);
// Why the hardware cannot have such a map: "its base is not a multiple of 16". NULL: it can. This is not an
// error: another kernel then runs, which copies in another way.
const char *tensor_map_fault(const TensorMapValue *map);

// Returns true if a scalar depends only on parameters and constants.
bool known_on_host(const Value *value);
// A divisor of operand i of a tensor descriptor op, for maps: the base (in bytes) or a stride. 1: nothing is
// promised. Values known at launch need no promise: the launch checks them.
uint32_t descriptor_multiple(const Op *made, uint32_t i);

#endif
