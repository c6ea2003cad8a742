// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes any bytes as PTX. Loading must give a result. Loaded kernels run within a small budget. The
// input's length selects the schedule, and if the checkers are on. Nothing may crash or hang.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUDGET = 2000, MAX_PARAM_BYTES = 4096, MAX_PARAMS = 64, MENDED = 1, LAUNCHED = 2 };

static void launch_kernel(tilec_sim *sim, const tilec_sim_kernel *kernel) {
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
  uint32_t grid[3] = {2, 1, 1}, block[3] = {160, 1, 1}; // a warpgroup, and a warp more
  tilec_sim_launch(sim, kernel, grid, block, 0, params);
}

// Empties the line that the message says is wrong, so that the rest of the text comes
// into its own. False: it names none.
static bool mend(char *text, size_t size, const char *message) {
  unsigned long wrong = strtoul(message, NULL, 10), line = 1;
  bool changed = false;
  for (size_t i = 0; i < size && line <= wrong; i++) {
    if (text[i] == '\n')
      line++;
    else if (line == wrong && text[i] != ' ')
      text[i] = ' ', changed = true;
  }
  return changed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tilec_sim *sim;
  tilec_sim_module *module = NULL;
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.instruction_budget = BUDGET;
  options.checks = size % 2;
  options.schedule = (tilec_sim_schedule)(size / 2 % 4);
  char *text = malloc(size + 1);
  if (!text || tilec_sim_create(&options, &sim)) {
    free(text);
    return 0;
  }
  if (size) memcpy(text, data, size);
  tilec_sim_result result = tilec_sim_load(sim, text, size, &module);
  for (int tries = 0; tries < MENDED && result == TILEC_SIM_ERROR_PTX; tries++)
    result = mend(text, size, tilec_sim_message(sim)) ? tilec_sim_load(sim, text, size, &module)
                                                      : TILEC_SIM_ERROR_INTERNAL;
  free(text);
  size_t kernels = module ? tilec_sim_kernel_count(module) : 0;
  for (size_t i = 0; i < kernels && i < LAUNCHED; i++)
    launch_kernel(sim, tilec_sim_kernel_at(module, (size / 8 + i) % kernels));
  tilec_sim_unload(sim, module);
  tilec_sim_destroy(sim);
  return 0;
}
