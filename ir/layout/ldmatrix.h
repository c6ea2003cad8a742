// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared_load by ldmatrix: where a warp's registers are 8x8 matrices of 16 bits (or, not transposed, of
// 32-bit words of narrower or wider elements) whose rows lie in 16 bytes each. PTX ISA, "Warp-level matrix
// load instruction: ldmatrix".
#ifndef IR_LAYOUT_LDMATRIX_H
#define IR_LAYOUT_LDMATRIX_H

#include "ir/ir.h"

enum { LDMATRIX_MOST_BITS = 2 }; // log2 of the matrices of one instruction, at most

// How a load divides into instructions. `offsets` are the tile's layout, from registers, lanes and warps to
// the buffer's offsets in elements.
typedef struct LdmatrixPlan {
  Layout offsets;
  bool transposed;
  uint32_t word_bits;                     // log2 of the elements of a 32-bit word of the result
  uint32_t matrices_bits;                 // log2 of the matrices an instruction loads
  uint32_t matrix_at[LDMATRIX_MOST_BITS]; // the register bits that choose among them
  uint32_t rest_at[32], rest_bits;        // register bits that choose among instructions
  Layout rows; // from (instruction, lane, warp) to the offset of the row that the lane points at
} LdmatrixPlan;

// False where the load, whose tile and buffer have layouts, cannot be one.
bool ldmatrix_plan(const Op *load, LdmatrixPlan *plan);
bool ldmatrix_fits(const Op *load);

#endif
