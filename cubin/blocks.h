// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Basic blocks of machine code, and the loops around them.
#ifndef CUBIN_BLOCKS_H
#define CUBIN_BLOCKS_H

#include "cubin/sass.h"

typedef struct SassBlock {
  uint32_t first, count; // instructions
  uint32_t follow[2];    // successor blocks; UINT32_MAX: none
  uint32_t depth;        // number of loops around the block
} SassBlock;

typedef struct SassBlocks {
  const SassInsn *insns;
  SassBlock *at; // blocks reachable from the code's first instruction, by address
  uint32_t n;
} SassBlocks;

SassBlocks sass_blocks(Arena *arena, const MachineCode *code);

#endif
