// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of tests/sim-kernels as nvcc compiled them (scripts/nvcc-ptx makes
// them again). Each has the arguments of its launch and the results that
// it must compute, for any machine that runs PTX: the simulator, a GPU.
#ifndef TESTS_SIM_NVCC_KERNELS_H
#define TESTS_SIM_NVCC_KERNELS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, MAX_BUFFERS = 8 };

typedef enum Outcome {
  OUTCOME_OK,
  OUTCOME_ASSERT, // the kernel's own assert(); a GPU's context is useless after it
  OUTCOME_FAULT   // anything else: see message
} Outcome;

typedef struct Run Run;

// The machine that runs PTX.
typedef struct Machine {
  // Loads PTX of `bytes` bytes, which are followed by a NUL, in place of what was loaded. False: see message.
  bool (*load)(Run *run, const char *ptx, size_t bytes);
  uint64_t (*bind)(Run *run, void *host, size_t bytes); // its device address until `release`; 0: see message
  // Runs the kernel to its end; then the bound host memory holds what it left there.
  Outcome (*launch)(Run *run, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t dynamic_shared, const void *const *params);
  bool (*write_symbol)(Run *run, const char *name, const void *from, size_t bytes);
  const char *(*printed)(Run *run); // by the last launch
  void (*release)(Run *run);        // what is bound
} Machine;

struct Run {
  const Machine *machine;
  void *state; // the machine's
  char message[1024];
  double milliseconds; // of the last launch, where the machine measures it; else 0
  uint64_t seed;
  void *bound[MAX_BUFFERS]; // by the case
  size_t bound_bytes[MAX_BUFFERS];
  int bound_count;
};

typedef struct KernelCase {
  const char *name, *file;
  void (*check)(Run *run);
} KernelCase;

enum { KERNEL_VARIANTS = 4 };
extern const char *const kernel_variants[KERNEL_VARIANTS]; // "sm_80", "sm_80-debug", ...
extern const KernelCase kernel_cases[];
extern const size_t kernel_case_count;

#define KERNEL(name, file) void check_##name(Run *run);
#include "tests/sim_nvcc/kernels.def"
#undef KERNEL

// Loads the PTX of a file's variant, from `folder`. False: see message.
bool nvcc_load(Run *run, const char *folder, const char *file, const char *variant);
void nvcc_check(Run *run, const KernelCase *kernel); // with its own seed; releases what it has bound

// The program's own: ends the test.
_Noreturn void expect_failed(const Run *run, const char *text, const char *file, int line);

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) expect_failed(run, #condition, __FILE__, __LINE__);                                    \
  } while (0)
#define EXPECT_EQUAL(a, b) expect_equal(run, (uint64_t)(a), (uint64_t)(b), #a " == " #b, __FILE__, __LINE__)
void expect_equal(const Run *run, uint64_t a, uint64_t b, const char *text, const char *file, int line);

uint64_t random64(Run *run);
// host: static memory, which is overwritten after the case, so that the next one cannot meet its results.
uint64_t bind(Run *run, void *host, size_t bytes);
#define BIND(run, array) bind(run, array, sizeof(array))
Outcome launch_grid(Run *run, const char *name, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t dynamic, const void *const *params);
// Up to MAX_BUFFERS - 1 buffers and one number; must succeed.
void launch(Run *run, const char *name, uint32_t blocks, uint32_t threads, const uint64_t *buffers, int count,
            int n);

extern const Machine sim_machine; // state: a SimMachine, zero at first
typedef struct SimMachine {
  struct tilec_sim *sim;
  struct tilec_sim_module *module;
  uint64_t bound[MAX_BUFFERS];
  int count;
} SimMachine;
void sim_machine_close(Run *run);

#endif
