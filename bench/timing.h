// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the bench programs with one process.
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <time.h>

#include "base/median.h"

// The process's own time, so that a busy machine measures the same.
static inline double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
