// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction takes a product, asked before any is chosen.
#ifndef IR_DOT_DOT_FITS_H
#define IR_DOT_DOT_FITS_H

#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"

// What instructions are chosen by.
typedef struct DotProduct {
  const TargetInfo *arch;
  uint32_t warps; // that run the dot
  DotShape shape;
  bool batched; // be it a batch of one
  bool swapped; // b is the instruction's first operand, and both lie in shared memory
  Elem a, b, result;
  Fp32Dot precision;
} DotProduct;

DotProduct dot_product(const Op *dot); // of tiles
// log2 of the elements of a that 32 bits hold.
uint32_t dot_pack(const DotProduct *p);
// NULL: the instruction takes it; else why not, in words (`arena` for those that have to be made).
const char *dot_refuses(Arena *arena, const DotProduct *p, DotInstruction instruction);
// The row of mma.sync that the architecture has.
DotInstruction dot_mma(const TargetInfo *arch);
bool can_wgmma(const Op *dot);

#endif
