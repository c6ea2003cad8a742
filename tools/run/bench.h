// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures launches. Launches alternate between copies of the buffers, so that none finds its data in the L2
// cache.
#ifndef TOOLS_RUN_BENCH_H
#define TOOLS_RUN_BENCH_H

#include "tools/run/run.h"

typedef struct Bench {
  Run *run;
  tilec_buffer **buffers; // set i begins at i * holder_count
  uint64_t *bits;         // set i begins at i * bit_count
  uint32_t sets;
  uint64_t bytes; // of one set's buffers
} Bench;

// The first set is the run's own, with the buffers in `first`. The other sets get new buffers and arguments.
// bench_free_sets releases those. Call it after a failure too.
tilec_status bench_make_sets(Bench *b, tilec_buffer **first);
void bench_free_sets(Bench *b);
// The kernel's arguments and tensor maps, for all sets.
tilec_status bench_code_args(const Bench *b, const int64_t grid[3], CodeArgs *all);
// The number of launches in a round. On a GPU each set is launched several times.
uint32_t bench_launches(const Bench *b);
// The program that was timed, for messages. NULL: a GPU.
const char *bench_timed_program(const Bench *b);

#endif
