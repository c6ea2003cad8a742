// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as the machine that runs the kernels of tests/sim_nvcc, only through the CUDA driver.
#ifndef TESTS_GPU_ON_CUDA_H
#define TESTS_GPU_ON_CUDA_H

#include "tests/sim_nvcc/kernels.h"

extern const Machine cuda_machine; // state: from cuda_open
// NULL: there is no such GPU; run->message says why. Lives as long as the process.
void *cuda_open(Run *run, int gpu);

#endif
