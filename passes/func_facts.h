// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about a function, found in one walk. The rows of passes.def use them to say when a pass applies and what it
// needs.
#ifndef PASSES_FUNC_FACTS_H
#define PASSES_FUNC_FACTS_H

#include "ir/ir.h"

typedef enum FuncFact {
  FACT_DOT,             // A dot.
  FACT_DOTS,            // Two dots or more.
  FACT_FEW_ROWS,        // A dot with fewer rows than columns.
  FACT_SPLIT_DOT,       // A dot that is computed in parts along k.
  FACT_FOR,             // A for loop.
  FACT_PLAIN_LOOP,      // A for loop without a dot in it.
  FACT_LOOP,            // A for or while loop.
  FACT_BRANCH,          // An if.
  FACT_LOAD,            // A load from global memory.
  FACT_LOADS,           // Two loads or more.
  FACT_STORE,           // A store to global memory.
  FACT_WRITE,           // An op that writes memory.
  FACT_MASK,            // A masked load or store of a tile.
  FACT_BLOCK_POINTER,   // An op on block pointers.
  FACT_ODD_SIZE,        // A tile with a size that is not a power of two.
  FACT_NETWORK,         // A sort or a slice.
  FACT_BOUND,           // An ordered comparison, a division or a remainder.
  FACT_DIVISION,        // A division or a remainder of tiles.
  FACT_CAST,            // A cast.
  FACT_HINT,            // A hint.
  FACT_REDUCTION,       // A reduction or a scan.
  FACT_LAYOUTS,         // A tile with a layout.
  FACT_NO_LAYOUT,       // A tile without a layout.
  FACT_EXCHANGE,        // An op that may move elements between threads.
  FACT_SCRATCH,         // An op with a scratch buffer for its elements.
  FACT_SHARED,          // A buffer in shared memory.
  FACT_NO_OFFSET,       // A shared-memory buffer without an offset.
  FACT_RING,            // An op on rings or channels.
  FACT_GROUPS,          // Groups of warps.
  FACT_TMA_MARK,        // A tile that is marked as a TMA tile.
  FACT_PLAN,            // The plan of plan_kernel is not empty.
  FACT_TMEM,            // Sums in tensor memory.
  FACT_OVERLAPPED_LOOP, // A loop that overlap_dots has marked.
  FACT_PLANNED_LOOP,    // A loop that plan_pipeline has split between groups of warps.
  FACT_COUNT
} FuncFact;

typedef uint64_t FuncFacts; // 1 << FuncFact

FuncFacts func_facts(const Func *func);

#endif
