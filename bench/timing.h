// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the bench programs with one process.
// Bars are times of one machine. `machine_slowness` scales them, so that a slower or shared machine passes and code that
// became slower does not.
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/median.h"

// The process's own time, so that a busy machine measures the same.
static inline double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline int compare_words(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// How many times longer than on that machine a fixed piece of work takes now, at least 1. The work is a sort, whose
// branches are random, and reads of random places, as compilers do.
static inline double machine_slowness(void) {
  enum { WORDS = 1 << 17, READS = 1 << 20 };
  static uint32_t words[WORDS];
  uint32_t state = 1;
  double start = cpu_seconds();
  for (int i = 0; i < WORDS; i++) words[i] = state = state * 1664525 + 1013904223;
  for (int i = 0; i < READS; i++) state = words[(state ^ words[i % WORDS]) % WORDS] + (uint32_t)i;
  words[0] ^= state;
  qsort(words, WORDS, sizeof *words, compare_words);
  double ratio = (cpu_seconds() - start) / 17e-3;
  return ratio > 1 ? ratio : 1;
}

#endif
