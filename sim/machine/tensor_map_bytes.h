// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's format of tensor maps in their 128 bytes. CUDA's format is not public.
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
  uint64_t address;           // of element 0; a global address
  uint64_t strides[4];        // in bytes, of dimensions 1 ..
  uint32_t last[TENSOR_RANK]; // extents minus one, innermost first
  uint16_t box[TENSOR_RANK];  // elements spanned by a tile
  uint8_t steps[TENSOR_RANK]; // distance between elements taken
  uint8_t type, rank, interleave;
  uint8_t swizzle; // 0 none; 1, 2, 3: 32, 64, 128 bytes
  uint8_t fill;    // 0 zeros, 1 NaN
  uint8_t unused[40];
} TensorMap;

// The shape of a tile: extents in elements, and its size in shared memory. With a swizzle, a row in shared
// memory begins every 32, 64 or 128 bytes, even if the tile is narrower (measured on an H200). The gaps are
// unchanged, and mbarriers count only the rows' bytes.
typedef struct TensorBox {
  uint32_t counts[TENSOR_RANK]; // 1 beyond the rank.
  uint32_t element, row, bytes; // Bytes of an element, of the innermost extent, of all rows.
  uint32_t pitch, span;         // Bytes in shared memory: from row to row, and from the first row to the end
                                // of the last.
} TensorBox;

PtxType tensor_type(uint32_t type); // how its elements are added or compared
// NULL, or the map's error.
const char *tensor_map_error(const TensorMap *map);
bool tensor_map_tagged(const TensorMap *map);
void tensor_map_reset(TensorMap *map); // makes a tagged, empty map
TensorBox tensor_map_box(const TensorMap *map);
// The physical location of the byte at a shared address.
uint64_t tensor_swizzle(uint32_t swizzle, uint64_t address);

#endif
