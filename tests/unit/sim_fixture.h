// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulator with one module, for the simulator's tests.
#ifndef TESTS_SIM_FIXTURE_H
#define TESTS_SIM_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

enum { SCHEDULES = 4 };

static inline uint16_t bf16_of_int(int value) {
  float wide = (float)value;
  uint32_t bits;
  memcpy(&bits, &wide, sizeof bits);
  return (uint16_t)(bits >> 16);
}

typedef struct SimFixture {
  tilec_sim *sim;
  tilec_sim_module *module;
} SimFixture;

static inline bool sim_is_late(int schedule) {
  return schedule == TILEC_SIM_LATE || schedule == TILEC_SIM_LATE_DOWN;
}

static inline SimFixture sim_open_text(const char *text, int schedule) {
  SimFixture fixture;
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.schedule = (tilec_sim_schedule)schedule;
  assert_int_equal(tilec_sim_create(&options, &fixture.sim), TILEC_SIM_OK);
  tilec_sim_result result = tilec_sim_load(fixture.sim, text, strlen(text), &fixture.module);
  if (result) print_error("%s\n", tilec_sim_message(fixture.sim));
  assert_int_equal(result, TILEC_SIM_OK);
  return fixture;
}

// A file of tests/golden/sim, or PTX that nvcc or llc made (scripts/nvcc-ptx, tests/CMakeLists.txt).
static inline void sim_path(char path[512], const char *name) {
  bool made = strcmp(name, "async.ptx") == 0 || strcmp(name, "nvcc.ptx") == 0 || strncmp(name, "llvm", 4) == 0;
  snprintf(path, 512, "%s/%s", made ? NVCC_PTX : TESTS_DIR "/golden/sim", name);
}

static inline SimFixture sim_open_file(const char *name, int schedule) {
  char path[512];
  sim_path(path, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  size_t read = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  assert_true(read > 0);
  SimFixture fixture = sim_open_text(text, schedule);
  free(text);
  return fixture;
}

static inline void sim_close(SimFixture *fixture) { tilec_sim_destroy(fixture->sim); }

static inline uint64_t sim_bind(SimFixture *fixture, void *host, size_t bytes) {
  uint64_t address;
  assert_int_equal(tilec_sim_bind(fixture->sim, host, bytes, &address), TILEC_SIM_OK);
  return address;
}

static inline tilec_sim_result sim_launch(SimFixture *fixture, const char *name, uint32_t columns,
                                          uint32_t rows, uint32_t threads, uint32_t shared,
                                          const void *const *params) {
  const tilec_sim_kernel *kernel;
  assert_int_equal(tilec_sim_find(fixture->sim, fixture->module, name, &kernel), TILEC_SIM_OK);
  uint32_t grid[3] = {columns, rows, 1}, block[3] = {threads, 1, 1};
  return tilec_sim_launch(fixture->sim, kernel, grid, block, shared, params);
}

static inline void sim_run(SimFixture *fixture, const char *name, uint32_t columns, uint32_t rows,
                           uint32_t threads, uint32_t shared, const void *const *params) {
  tilec_sim_result result = sim_launch(fixture, name, columns, rows, threads, shared, params);
  if (result) print_error("%s\n", tilec_sim_message(fixture->sim));
  assert_int_equal(result, TILEC_SIM_OK);
}

// From -8 to 8: sums of a few hundred multiplied pairs are exact in every float.
static inline int sim_small_int(int i) { return (int)((uint32_t)i * 2654435761u >> 13) % 17 - 8; }

#endif
