// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine instructions of NVIDIA GPUs since sm_75 (16 bytes each), as far as counts need them: what the instruction is of, where it
// leads, and how often Nsight Compute counts it. NVIDIA does not document them: by ptxas's code beside what nvdisasm says of it.
#ifndef CUBIN_SASS_H
#define CUBIN_SASS_H

#include "ir/ir.h"

// Machine code of the kernel, as an assembler made it for the target: 16 bytes an instruction, in the order of their addresses.
typedef struct MachineCode {
  const uint64_t *words; // two an instruction
  const Op *const *ops;  // by instruction: the op that it is of; NULL: not told
  uint32_t count, sm;
} MachineCode;

// Where instructions go. TENSOR's are those that start products; a clock of a multiprocessor takes 4 warp instructions in all.
typedef enum SassPipe {
  PIPE_FMA,  // fp32 arithmetic
  PIPE_ALU,  // integers, comparisons, selections, conversions of layouts within registers
  PIPE_MUFU, // ex2, lg2, rsqrt, sin, ...
  PIPE_FP64,
  PIPE_MEMORY, // loads, stores, shuffles, copies
  PIPE_TENSOR,
  PIPE_CONTROL, // barriers, waits, branches
  PIPE_COUNT
} SassPipe;

typedef enum SassFlow {
  SASS_ON,     // the next instruction
  SASS_BRANCH, // `target`, and the next one where it is conditional
  SASS_END     // nothing, and the next one where it is conditional
} SassFlow;

typedef struct SassInsn {
  SassPipe pipe;
  SassFlow flow;
  bool conditional;
  bool memory; // reads or writes memory, or meets other threads: there are as many as the program has
  bool anchor; // memory, a product or floating-point arithmetic: it stays in its loop
  bool one;    // of tensor copies: one thread of a group does it
  uint32_t counted;
  uint32_t target; // an instruction's index; UINT32_MAX: outside of the code
} SassInsn;

SassInsn sass_decode(const MachineCode *code, uint32_t index);

#endif
