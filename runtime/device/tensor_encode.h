// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor map in the terms of the CUDA driver, which the simulator uses too ("Tensor Map Object
// Management").
#ifndef RUNTIME_DEVICE_TENSOR_ENCODE_H
#define RUNTIME_DEVICE_TENSOR_ENCODE_H

#include "ir/memory/tensor_map.h"

// Dimensions are innermost first, as in the driver.
typedef struct TensorEncoding {
  int type; // CUtensorMapDataType
  uint32_t rank;
  uint64_t sizes[TENSOR_MAP_MAX_RANK];
  uint64_t strides[TENSOR_MAP_MAX_RANK]; // bytes, of dimensions 1 ..
  uint32_t box[TENSOR_MAP_MAX_RANK], steps[TENSOR_MAP_MAX_RANK];
  int swizzle;   // CUtensorMapSwizzle
  int promotion; // CUtensorMapL2promotion
  int fill;      // CUtensorMapFloatOOBfill
} TensorEncoding;

// The encoding of a valid map.
TensorEncoding tensor_encoding(const TensorMapValue *map);

#endif
