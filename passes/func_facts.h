// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function has, found in one walk: by these facts rows of passes.def say when a pass applies and what it needs.
#ifndef PASSES_FUNC_FACTS_H
#define PASSES_FUNC_FACTS_H

#include "ir/ir.h"

typedef enum FuncFact {
  FACT_DOT,             // a dot
  FACT_DOTS,            // two dots or more
  FACT_FEW_ROWS,        // a dot with fewer rows than columns
  FACT_SPLIT_DOT,       // a dot that is computed part by part of k
  FACT_FOR,             // a for loop
  FACT_PLAIN_LOOP,      // a for loop without a dot in it
  FACT_LOOP,            // a for or while loop
  FACT_OUTER_LOOP,      // a loop that is in no branch
  FACT_BRANCH,          // an if
  FACT_LOAD,            // a load from global memory
  FACT_LOADS,           // two loads or more
  FACT_STORE,           // a store to global memory
  FACT_WRITE,           // an op that writes memory
  FACT_MASK,            // a load or store of a tile under a mask
  FACT_BLOCK_POINTER,   // an op on block pointers
  FACT_ODD_SIZE,        // a tile with a size that is no power of two
  FACT_NETWORK,         // a sort or a slice
  FACT_BOUND,           // an ordered comparison, a division or a remainder
  FACT_DIVISION,        // a division or a remainder of tiles
  FACT_CAST,            // a cast
  FACT_HINT,            // a hint
  FACT_REDUCTION,       // a reduction or a scan
  FACT_LAYOUTS,         // a tile with a layout
  FACT_NO_LAYOUT,       // a tile without one
  FACT_EXCHANGE,        // an op whose elements may pass between threads
  FACT_SCRATCH,         // an op with a buffer through which its elements pass
  FACT_SHARED,          // a buffer in shared memory
  FACT_LDMATRIX,        // a load from shared memory that may be by ldmatrix
  FACT_NO_OFFSET,       // one without a place
  FACT_RING,            // an op on rings or channels
  FACT_GROUPS,          // groups of warps
  FACT_TMA_MARK,        // a tile that is marked as a TMA tile
  FACT_PLAN,            // plan_kernel has planned something
  FACT_OVERLAPPED_LOOP, // a loop that overlap_dots has marked
  FACT_PLANNED_LOOP,    // a loop that plan_pipeline has divided between groups of warps
  FACT_COUNT
} FuncFact;

typedef uint64_t FuncFacts; // 1 << FuncFact

FuncFacts func_facts(const Func *func);

#endif
