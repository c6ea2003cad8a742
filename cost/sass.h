// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine instructions of NVIDIA GPUs since sm_75 (16 bytes each), as far as counts need them: what the instruction is of, where it
// leads, and how often Nsight Compute counts it. NVIDIA does not document them: by ptxas's code beside what nvdisasm says of it.
#ifndef COST_SASS_H
#define COST_SASS_H

#include "cost/cost.h"

typedef enum SassFlow {
  SASS_ON,     // the next instruction
  SASS_BRANCH, // `target`, and the next one where it is conditional
  SASS_END     // nothing, and the next one where it is conditional
} SassFlow;

typedef struct SassInsn {
  CostPipe pipe;
  SassFlow flow;
  bool conditional;
  bool memory; // reads or writes memory, or meets other threads: there are as many as the program has
  bool anchor; // memory, a product or floating-point arithmetic: it stays in its loop
  bool one;    // of tensor copies: one thread of a group does it
  uint32_t counted;
  uint32_t target; // an instruction's index; UINT32_MAX: outside of the code
} SassInsn;

SassInsn sass_decode(const CostCode *code, uint32_t index);

#endif
