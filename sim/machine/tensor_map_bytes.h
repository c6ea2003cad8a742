// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps as the simulator keeps them in their 128 bytes; the contents of CUDA's own are not public.
#ifndef SIM_MACHINE_TENSOR_MAP_BYTES_H
#define SIM_MACHINE_TENSOR_MAP_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/machine/chip.h"
#include "sim/ptx/types.h"

enum { TENSOR_MAP_BYTES = 128, TENSOR_RANK = CHIP_TENSOR_RANK };

// CUtensorMapDataType.
typedef enum TensorType {
  TENSOR_U8,
  TENSOR_U16,
  TENSOR_U32,
  TENSOR_S32,
  TENSOR_U64,
  TENSOR_S64,
  TENSOR_F16,
  TENSOR_F32,
  TENSOR_F64,
  TENSOR_BF16,
  TENSOR_F32_FTZ,
  TENSOR_TF32,
  TENSOR_TF32_FTZ,
  TENSOR_TYPES
} TensorType;

typedef struct TensorMap {
  uint64_t tag;
  uint64_t address;           // of element 0, global
  uint64_t strides[4];        // bytes, of dimensions 1 ..
  uint32_t last[TENSOR_RANK]; // extents less one, innermost first
  uint16_t box[TENSOR_RANK];  // elements spanned
  uint8_t steps[TENSOR_RANK]; // between elements taken
  uint8_t type, rank, interleave;
  uint8_t swizzle; // 0 none; 1, 2, 3: 32, 64, 128 bytes
  uint8_t fill;    // 0 zeros, 1 NaN
  uint8_t unused[40];
} TensorMap;

// What a box of it is: extents in elements, and what they take in shared memory. With a swizzle a row there
// begins every 32, 64 or 128 bytes, however narrow the box is (measured on an H200); the gaps stay as they
// are, and mbarriers count the rows' bytes alone.
typedef struct TensorBox {
  uint32_t counts[TENSOR_RANK]; // 1 beyond the rank
  uint32_t element, row, bytes; // bytes: of an element, of the innermost extent, of all rows
  uint32_t pitch, span;         // bytes from row to row in shared memory, from the first to the last's end
} TensorBox;

PtxType tensor_type(uint32_t type); // how its elements are added or compared
// NULL, or what is wrong with the map.
const char *tensor_map_error(const TensorMap *map);
bool tensor_map_tagged(const TensorMap *map);
void tensor_map_reset(TensorMap *map); // a tagged, empty one
TensorBox tensor_map_box(const TensorMap *map);
// Where the byte at a shared address lies in truth.
uint64_t tensor_swizzle(uint32_t swizzle, uint64_t address);

#endif
