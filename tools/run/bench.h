// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What measuring a launch takes: copies of the buffers, used in turn, so that no launch finds its data in the L2 cache.
#ifndef TOOLS_RUN_BENCH_H
#define TOOLS_RUN_BENCH_H

#include "tools/run/run.h"

typedef struct Bench {
  Run *run;
  tilec_buffer **buffers; // of set i: from i * holder_count
  uint64_t *bits;         // from i * bit_count
  uint32_t sets;
  uint64_t bytes; // of one set's buffers
} Bench;

// The first set is the run's own, whose buffers are `first`; the others get buffers and arguments of their own, which
// bench_free_sets releases, also where this fails.
tilec_status bench_make_sets(Bench *b, tilec_buffer **first);
void bench_free_sets(Bench *b);
// What the code takes, of all sets.
tilec_status bench_code_args(const Bench *b, const int64_t grid[3], CodeArgs *all);
// Launches of a round: on a GPU several with each set.
uint32_t bench_launches(const Bench *b);
// What the times are of; NULL: a GPU.
const char *bench_timed_program(const Bench *b);

#endif
