// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reproducible random data: Philox4x32-10 of (seed, argument, index). Source: "Parallel Random Numbers: As
// Easy as 1, 2, 3", SC 2011.
#ifndef TOOLS_RUN_RANDOM_H
#define TOOLS_RUN_RANDOM_H

#include <stdint.h>

// Four random words for element `index` of argument `argument`.
void random_words(uint64_t seed, uint32_t argument, uint64_t index, uint32_t words[4]);
double random_uniform(uint64_t seed, uint32_t argument, uint64_t index); // [0, 1), 53 bits
// 0 to bound - 1. The probabilities differ by at most one in 2^64.
uint64_t random_below(uint64_t seed, uint32_t argument, uint64_t index, uint64_t bound);
double random_normal(uint64_t seed, uint32_t argument, uint64_t index); // mean 0, variance 1 (Box-Muller)

#endif
