// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the bench programs with one process.
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdlib.h>
#include <time.h>

// The process's own time, so that a busy machine measures the same.
static inline double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts them.
static inline double median_of(double *values, size_t n) {
  qsort(values, n, sizeof *values, compare_doubles);
  return values[n / 2];
}

#endif
