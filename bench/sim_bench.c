// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast the simulator runs on one core: lane instructions a second of arithmetic, checked global accesses
// a second, and instructions a second of PTX files' kernels.
//   sim_bench [FILE.ptx KERNEL]...
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/sim.h"

enum { LANES = 32, REPEATS = 5, ELEMENTS = 1 << 20, MAX_PARAMS = 16 };

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); // of this thread alone, whatever else the machine does
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(const tilec_sim *sim, tilec_sim_result result) {
  if (result == TILEC_SIM_OK) return;
  fprintf(stderr, "sim_bench: %s\n", tilec_sim_message(sim));
  exit(1);
}

typedef struct Figures {
  double seconds; // the best of the repeats
  tilec_sim_counters counters;
} Figures;

static Figures measure(tilec_sim *sim, const tilec_sim_kernel *kernel, uint32_t blocks, uint32_t threads,
                       const void *const *params) {
  Figures best = {1e30, {0}};
  uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
  for (int i = 0; i < REPEATS; i++) {
    double begin = cpu_seconds();
    check(sim, tilec_sim_launch(sim, kernel, grid, block, 0, params));
    double seconds = cpu_seconds() - begin;
    if (seconds < best.seconds) best.seconds = seconds;
  }
  tilec_sim_total(sim, &best.counters);
  return best;
}

static void print(const char *name, Figures figures) {
  double lanes = LANES / figures.seconds / 1e6, requests = (double)figures.counters.global_requests;
  printf("%-24s %8.2f ms %9.1f M lane instructions/s", name, figures.seconds * 1e3,
         (double)figures.counters.instructions * lanes);
  if (requests > 0) printf(" %8.1f M global accesses/s", requests * lanes);
  printf("\n");
}

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y, .param "
    ".u64 z)\n{\n.reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %d<20>; .reg .pred %p<9>;\n";

static char *arithmetic_text(void) {
  static const char body[] = "add.s32 %r1, %r2, %r3; xor.b32 %r2, %r1, %r4; mad.lo.s32 %r3, %r1, %r2, 7;\n"
                             "fma.rn.f32 %f1, %f2, %f3, %f1; add.f32 %f2, %f1, %f3; mul.f32 %f3, %f2, %f1;\n"
                             "shl.b32 %r5, %r1, 3; setp.lt.s32 %p1, %r5, %r2; selp.b32 %r4, %r5, %r3, %p1;\n";
  size_t cap = sizeof head + 16 * sizeof body + 400;
  char *text = malloc(cap);
  size_t n = (size_t)snprintf(text, cap, "%smov.u32 %%r10, 0;\nLOOP:\n", head);
  for (int i = 0; i < 16; i++) n += (size_t)snprintf(text + n, cap - n, "%s", body);
  snprintf(text + n, cap - n,
           "add.s32 %%r10, %%r10, 1;\nsetp.lt.s32 %%p2, %%r10, 200;\n@%%p2 bra LOOP;\nret;\n}\n");
  return text;
}

static char *add_text(const char *type, int bytes, const char *load, const char *add, const char *store) {
  char *text = malloc(sizeof head + 1500);
  snprintf(text, sizeof head + 1500,
           "%sld.param.u64 %%d1, [x]; ld.param.u64 %%d2, [y]; ld.param.u64 %%d3, [z];\n"
           "mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; mov.u32 %%r3, %%tid.x;\n"
           "mad.lo.s32 %%r4, %%r1, %%r2, %%r3; mul.wide.s32 %%d4, %%r4, %d;\n"
           "add.s64 %%d5, %%d1, %%d4; add.s64 %%d6, %%d2, %%d4; add.s64 %%d7, %%d3, %%d4;\n"
           "ld.global.%s %s, [%%d5]; ld.global.%s %s, [%%d6];\n%sst.global.%s [%%d7], %s;\nret;\n}\n",
           head, bytes, type, load, type, store, add, type, load);
  return text;
}

static void run_text(const char *name, char *text, uint32_t blocks, uint32_t threads) {
  tilec_sim *sim;
  tilec_sim_module *module;
  if (tilec_sim_create(NULL, &sim)) exit(1);
  check(sim, tilec_sim_load(sim, text, strlen(text), &module));
  uint64_t buffers[3];
  const void *params[3];
  for (int i = 0; i < 3; i++) {
    check(sim, tilec_sim_alloc(sim, (size_t)ELEMENTS * 4, &buffers[i]));
    check(sim, tilec_sim_fill(sim, buffers[i], 1, (size_t)ELEMENTS * 4));
    params[i] = &buffers[i];
  }
  print(name, measure(sim, tilec_sim_kernel_at(module, 0), blocks, threads, params));
  tilec_sim_destroy(sim);
  free(text);
}

// Pointers get buffers of ELEMENTS words, 32-bit numbers 1024.
static void run_file(const char *file, const char *kernel_name) {
  FILE *in = fopen(file, "rb");
  char *text = malloc(1 << 20);
  if (!in || !text) {
    fprintf(stderr, "sim_bench: cannot read %s\n", file);
    exit(1);
  }
  size_t size = fread(text, 1, 1 << 20, in);
  fclose(in);
  tilec_sim *sim;
  tilec_sim_module *module;
  const tilec_sim_kernel *kernel;
  if (tilec_sim_create(NULL, &sim)) exit(1);
  check(sim, tilec_sim_load(sim, text, size, &module));
  check(sim, tilec_sim_find(sim, module, kernel_name, &kernel));
  uint64_t values[MAX_PARAMS];
  const void *params[MAX_PARAMS];
  for (size_t i = 0; i < tilec_sim_param_count(kernel) && i < MAX_PARAMS; i++) {
    values[i] = 1024;
    if (tilec_sim_param_at(kernel, i)->size == 8)
      check(sim, tilec_sim_alloc(sim, (size_t)ELEMENTS * 4, &values[i]));
    params[i] = &values[i];
  }
  print(kernel_name, measure(sim, kernel, 64, 128, params));
  tilec_sim_destroy(sim);
  free(text);
}

int main(int argc, char **argv) {
  run_text("arithmetic", arithmetic_text(), 64, 128);
  run_text("add of f32", add_text("f32", 4, "%f1", "add.f32 %f1, %f1, %f5;\n", "%f5"), ELEMENTS / 256, 256);
  run_text("add of 4 f32",
           add_text("v4.f32", 16, "{%f1, %f2, %f3, %f4}",
                    "add.f32 %f1, %f1, %f5; add.f32 %f2, %f2, %f6; add.f32 %f3, %f3, %f7; add.f32 %f4, %f4, "
                    "%f8;\n",
                    "{%f5, %f6, %f7, %f8}"),
           ELEMENTS / 1024, 256);
  for (int i = 1; i + 1 < argc; i += 2) run_file(argv[i], argv[i + 1]);
  return 0;
}
