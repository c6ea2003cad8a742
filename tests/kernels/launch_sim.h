// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch's other half where TEST_DEVICE=sim. The kernel is compiled to PTX for sm_80 and sm_90a. It runs on the
// simulator with every checker on, under every schedule. Each result is within the evaluator's bounds.
// ```
//   TEST_ARCH=sm_90a   only that architecture
//   TEST_WARPS=8       another number of warps
//   TEST_PTX=FOLDER    the PTX is saved there, and what compiling took is printed
// ```
#ifndef TESTS_KERNELS_LAUNCH_SIM_H
#define TESTS_KERNELS_LAUNCH_SIM_H

#include "base/arena.h"
#include "eval/eval.h"
#include "runtime/compile/compile.h"

typedef struct LaunchSim LaunchSim;

LaunchSim *launch_sim_new(Arena *arena); // NULL where TEST_DEVICE is not sim
void launch_sim_free(LaunchSim *sim);    // NULL is allowed

// A buffer over these bytes, which every schedule's simulator has at the same address. The bytes are the
// caller's; after a run they are what the last schedule left.
uint64_t launch_sim_add(LaunchSim *sim, Elem elem, void *bytes, uint64_t size);
// The bytes of the buffer at that address.
const uint8_t *launch_sim_bytes(const LaunchSim *sim, uint64_t address);

// Compiles the kernel of `spec` and runs it as said above, each time from the buffers as they are now;
// `memory` is what the evaluator made of them. The test fails at the first thing that is wrong.
void launch_sim_run(LaunchSim *sim, Compilation *c, const Spec *spec, const uint32_t grid[3],
                    const uint64_t *args, const EvalMemory *memory);

#endif
