// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// check_constant FILE.ptx: sets a __constant__ variable of constant.cu, then checks the kernel, without a GPU.
#include <stdio.h>
#include <stdlib.h>
#include <tilec/sim.h>

// The whole file, which the caller frees; NULL: it cannot be read.
static char *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  char *text = malloc(1 << 20);
  *bytes = file && text ? fread(text, 1, 1 << 20, file) : 0;
  if (file) fclose(file);
  if (*bytes) return text;
  free(text);
  return NULL;
}

int main(int argc, char **argv) {
  const uint32_t grid[3] = {4, 1, 1}, threads[3] = {256, 1, 1}; // <<<4, 256>>>
  const float weights[4] = {1, 10, 100, 1000};
  float x[1000], y[1000];
  int n = 1000;
  size_t bytes = 0, room = 0, reports = 0;
  uint64_t weights_at = 0, x_at = 0, y_at = 0;
  tilec_sim *sim = NULL;
  tilec_sim_module *module = NULL;
  const tilec_sim_kernel *kernel = NULL;
  char *ptx = argc > 1 ? read_file(argv[1], &bytes) : NULL;
  if (!ptx) return fprintf(stderr, "usage: check_constant FILE.ptx, made by nvcc -ptx -lineinfo\n"), 2;
  for (int i = 0; i < n; i++) x[i] = 1;

  tilec_sim_result result = tilec_sim_create(NULL, &sim);
  if (!result) result = tilec_sim_load(sim, ptx, bytes, &module); // cuModuleLoadData
  if (!result) result = tilec_sim_find(sim, module, "weighted", &kernel); // cuModuleGetFunction: the name in the PTX
  if (!result) result = tilec_sim_symbol(sim, module, "weights", &weights_at, &room); // cudaGetSymbolAddress
  if (!result && room != sizeof weights) result = TILEC_SIM_ERROR_INVALID;
  if (!result) result = tilec_sim_write(sim, weights_at, weights, sizeof weights); // cudaMemcpyToSymbol
  if (!result) result = tilec_sim_alloc(sim, sizeof x, &x_at); // cudaMalloc
  if (!result) result = tilec_sim_alloc(sim, sizeof y, &y_at);
  if (!result) result = tilec_sim_write(sim, x_at, x, sizeof x); // cudaMemcpy
  if (!result) result = tilec_sim_check(sim, TILEC_SIM_LATE, 1); // turns the checkers on
  if (!result) {
    const void *params[] = {&x_at, &y_at, &n}; // as cudaLaunchKernel's: the address of each argument
    result = tilec_sim_launch(sim, kernel, grid, threads, 0, params);
  }
  if (sim) reports = tilec_sim_report_count(sim);
  for (size_t i = 0; i < reports; i++) {
    const tilec_sim_report *report = tilec_sim_report_at(sim, i);
    printf("%s:%u: %s\n", report->file ? report->file : argv[1], (unsigned)report->line, report->message);
  }
  if (!result) result = tilec_sim_read(sim, y, y_at, sizeof y);
  if (result && !reports) fprintf(stderr, "%s\n", sim ? tilec_sim_message(sim) : "no memory");
  if (!result) printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]); // prints: 1 10 100 1000
  tilec_sim_destroy(sim);
  free(ptx);
  return result || reports;
}
