// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads the kernels of tests/sim-kernels as nvcc compiled them (tests/golden/sim/nvcc; scripts/sim-kernels
// makes them again) and launches them.
#ifndef TESTS_SIM_NVCC_H
#define TESTS_SIM_NVCC_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

enum { N = 1000, MAX_BUFFERS = 8 };

static uint64_t seed;
static uint64_t random64(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

typedef struct Run { // one file on one simulator
  tilec_sim *sim;
  tilec_sim_module *module;
  const char *file;
} Run;

static void must(const Run *run, tilec_sim_result result) {
  if (result) print_error("%s: %s\n", run->file, tilec_sim_message(run->sim));
  assert_int_equal(result, TILEC_SIM_OK);
}

static uint64_t bind(const Run *run, void *host, size_t bytes) {
  uint64_t address;
  must(run, tilec_sim_bind(run->sim, host, bytes, &address));
  return address;
}

static tilec_sim_result try_launch(const Run *run, const char *name, const uint32_t grid[3],
                                   const uint32_t block[3], uint32_t dynamic, const void *const *params) {
  const tilec_sim_kernel *kernel;
  must(run, tilec_sim_find(run->sim, run->module, name, &kernel));
  return tilec_sim_launch(run->sim, kernel, grid, block, dynamic, params);
}

// Up to four buffers and one number.
static void launch(const Run *run, const char *name, uint32_t blocks, uint32_t threads,
                   const uint64_t *buffers, int count, int n) {
  const void *params[MAX_BUFFERS];
  for (int i = 0; i < count; i++) params[i] = &buffers[i];
  params[count] = &n;
  uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
  must(run, try_launch(run, name, grid, block, 0, params));
}

#define BIND(run, array) bind(run, array, sizeof(array))

static void for_each(const char *group, void (*check)(const Run *run)) {
  static const char *const variants[] = {"sm_80", "sm_80-debug", "sm_90a", "sm_90a-debug"};
  for (int i = 0; i < 4; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/sim/nvcc/%s-%s.ptx", TESTS_DIR, group, variants[i]);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 20);
    size_t size = fread(text, 1, 1 << 20, file);
    fclose(file);
    Run run = {.file = path};
    assert_int_equal(tilec_sim_create(NULL, &run.sim), TILEC_SIM_OK);
    must(&run, tilec_sim_load(run.sim, text, size, &run.module));
    free(text);
    seed = 88172645463325252u;
    check(&run);
    tilec_sim_destroy(run.sim);
  }
}

#define TEST(name, group)                                                                                    \
  static void check_##name(const Run *run);                                                                  \
  static void test_##name(void **unused) {                                                                   \
    (void)unused;                                                                                            \
    for_each(group, check_##name);                                                                           \
  }                                                                                                          \
  static void check_##name(const Run *run)

#endif
