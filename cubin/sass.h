// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine instructions of NVIDIA GPUs since sm_75 (16 bytes each), as far as counting needs them. For each:
// its pipe, its branch target, and how often Nsight Compute counts it. NVIDIA does not document them. The
// tables come from ptxas's code and nvdisasm's listing of it.
#ifndef CUBIN_SASS_H
#define CUBIN_SASS_H

#include "ir/ir.h"

// A kernel's machine code, as an assembler made it for the target: 16 bytes per instruction, in address
// order.
typedef struct MachineCode {
  const uint64_t *words; // two per instruction
  const Op *const *ops;  // by instruction: the op that it belongs to; NULL: unknown
  uint32_t count, sm;
} MachineCode;

// The pipe of an instruction. TENSOR holds those that start matmuls. A multiprocessor issues 4 warp
// instructions per clock in total.
typedef enum SassPipe {
  PIPE_FMA,  // fp32 arithmetic
  PIPE_ALU,  // integers, comparisons, selections, layout conversions within registers
  PIPE_MUFU, // ex2, lg2, rsqrt, sin, ...
  PIPE_FP64,
  PIPE_MEMORY, // loads, stores, shuffles, copies
  PIPE_TENSOR,
  PIPE_CONTROL, // barriers, waits, branches
  PIPE_COUNT
} SassPipe;

typedef enum SassFlow {
  SASS_ON,     // the next instruction
  SASS_BRANCH, // `target`, and the next one if conditional
  SASS_END     // none, and the next one if conditional
} SassFlow;

typedef struct SassInsn {
  SassPipe pipe;
  SassFlow flow;
  bool conditional;
  bool memory; // accesses memory or synchronises threads: the number of them equals the program's.
  bool anchor; // Memory, matmul or floating-point arithmetic: it stays in its loop
  bool one;    // of TMA copies: one thread of a group executes it
  uint32_t counted;
  uint32_t target; // an instruction's index; UINT32_MAX: outside the code
} SassInsn;

SassInsn sass_decode(const MachineCode *code, uint32_t index);

#endif
