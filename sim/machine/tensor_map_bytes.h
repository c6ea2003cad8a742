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
  TENSOR_U4,        // 16U4_ALIGN8B
  TENSOR_U4_PADDED, // 16U4_ALIGN16B
  TENSOR_U6_PADDED, // 16U6_ALIGN16B
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
  uint8_t swizzle; // CUtensorMapSwizzle. 0 none; 1, 2, 3: 32, 64, 128 bytes; 4, 6: 128 with atoms of 32, 64
  uint8_t fill;    // 0 zeros, 1 NaN
  uint8_t unused[40];
} TensorMap;

// The shape of a tile, and its size in shared memory. With a swizzle, a row in shared memory begins every 32, 64 or
// 128 bytes, even if the tile is narrower (measured on an H200). The gaps are unchanged, and mbarriers count only
// the rows' bytes. A unit is what the innermost extent counts: an element, or the smallest group of elements of 4 or
// 6 bits that has whole bytes. Padded ones are larger in shared memory, and mbarriers count their bytes in global
// memory.
typedef struct TensorBox {
  uint32_t counts[TENSOR_RANK];   // Units along the innermost dimension, else elements. 1 beyond the rank.
  uint32_t unit, packed, element; // Elements of a unit, its bytes in global and in shared memory.
  uint32_t row, bytes, counted;   // Bytes of the innermost extent, of all rows, and as mbarriers count them.
  uint32_t pitch, span; // Bytes in shared memory: from row to row, and from the first row to the end
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
