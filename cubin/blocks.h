// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Basic blocks of machine code, and the loops that they are in.
#ifndef CUBIN_BLOCKS_H
#define CUBIN_BLOCKS_H

#include "cubin/sass.h"

typedef struct SassBlock {
  uint32_t first, count; // instructions
  uint32_t follow[2];    // blocks that may come next; UINT32_MAX: none
  uint32_t depth;        // how many loops it is in
} SassBlock;

typedef struct SassBlocks {
  const SassInsn *insns;
  SassBlock *at; // that the code's first instruction leads to, by address
  uint32_t n;
} SassBlocks;

SassBlocks sass_blocks(Arena *arena, const MachineCode *code);

#endif
