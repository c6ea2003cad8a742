// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared_load by ldmatrix. A warp's registers form 8x8 matrices of 16 bits, with rows of 16 bytes each. If
// not transposed, 32-bit words of narrower or wider elements work too. PTX ISA, "Warp-level matrix load
// instruction: ldmatrix".
#ifndef IR_LAYOUT_LDMATRIX_H
#define IR_LAYOUT_LDMATRIX_H

#include "ir/ir.h"

enum { LDMATRIX_MAX_BITS = 2 }; // log2 of the maximum matrices per instruction

// The division of a load into instructions. `offsets` maps the tile's registers, lanes and warps to the
// buffer's offsets in elements.
typedef struct LdmatrixPlan {
  Layout offsets;
  bool transposed;
  uint32_t word_bits;                     // log2 of the elements in a 32-bit word of the result.
  uint32_t matrices_bits;                 // log2 of the matrices that an instruction loads.
  uint32_t matrix_at[LDMATRIX_MAX_BITS]; // The register bits that choose among them.
  uint32_t rest_at[32], rest_bits;        // Register bits that choose among instructions.
  Layout rows; // From (instruction, lane, warp) to the offset of the row that the lane addresses.
} LdmatrixPlan;

// Returns false if the load cannot be an ldmatrix. Its tile and buffer must have layouts.
bool ldmatrix_plan(const Op *load, LdmatrixPlan *plan);
// True if the load is an ldmatrix: it is marked as one (`ldmatrix`), and its layouts allow it.
bool ldmatrix_fits(const Op *load);

#endif
