// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as PTX: loading gives a result, and what loads runs within a small budget; neither may crash or
// hang.
#include <stdint.h>
#include <stdlib.h>

#include "sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUDGET = 4000, MAX_PARAM_BYTES = 4096, MAX_PARAMS = 64 };

static void launch(tilec_sim *sim, const tilec_sim_kernel *kernel) {
  static const uint64_t zeros[MAX_PARAM_BYTES / sizeof(uint64_t)];
  const void *params[MAX_PARAMS];
  size_t n = tilec_sim_param_count(kernel);
  if (n > MAX_PARAMS) return;
  uint64_t buffer;
  if (tilec_sim_alloc(sim, 1 << 16, &buffer)) return;
  for (size_t i = 0; i < n; i++) {
    uint32_t bytes = tilec_sim_param_at(kernel, i)->size;
    if (bytes > MAX_PARAM_BYTES) return;
    params[i] = bytes == sizeof buffer ? (const void *)&buffer : zeros;
  }
  uint32_t grid[3] = {2, 1, 1}, block[3] = {40, 1, 1};
  tilec_sim_launch(sim, kernel, grid, block, 0, params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tilec_sim *sim;
  tilec_sim_module *module;
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.instruction_budget = BUDGET;
  if (tilec_sim_create(&options, &sim)) return 0;
  if (tilec_sim_load(sim, (const char *)data, size, &module) == TILEC_SIM_OK)
    for (size_t i = 0; i < tilec_sim_kernel_count(module); i++) launch(sim, tilec_sim_kernel_at(module, i));
  tilec_sim_destroy(sim);
  return 0;
}
