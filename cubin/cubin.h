// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Readers of what an assembler makes: cubins, and the log of "ptxas -v".
#ifndef CUBIN_CUBIN_H
#define CUBIN_CUBIN_H

#include "base/str.h"

// Bytes of local memory a thread that the cubin's kernel has, by its attribute EIATTR_FRAME_SIZE; -1: it does not say.
int cubin_local_bytes(Str cubin, const char *kernel);

// What a kernel of the PTX uses of a GPU, in bytes but for registers; -1: nobody tells.
typedef struct CubinUsage {
  int registers;                 // a thread
  int local_bytes;               // a thread: its stack, with what is spilled
  int spill_stores, spill_loads; // ptxas tells these
} CubinUsage;

// What the log says of one kernel goes into `usage`; the rest of it stays.
void cubin_usage_of_log(const char *log, const char *kernel, CubinUsage *usage);

#endif
