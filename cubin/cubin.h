// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Readers for an assembler's output: cubins, and the log of "ptxas -v".
#ifndef CUBIN_CUBIN_H
#define CUBIN_CUBIN_H

#include "base/str.h"

// Bytes of local memory per thread of the cubin's kernel, from the attribute EIATTR_FRAME_SIZE; -1 if absent.
int cubin_local_bytes(Str cubin, const char *kernel);

// Resources that a kernel of the PTX uses. Sizes are in bytes; -1: unknown.
typedef struct CubinUsage {
  int registers;                 // per thread
  int local_bytes;               // per thread: the stack, spills included
  int spill_stores, spill_loads; // reported by ptxas
} CubinUsage;

// Writes what the log says about one kernel into `usage`. Other fields keep their values.
void cubin_usage_of_log(const char *log, const char *kernel, CubinUsage *usage);

#endif
