// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the simulator's speed on one core, without its checkers and with them. A second:
//
//   lane instructions of arithmetic
//   checked global accesses
//   multiply-adds of mma and wgmma
//   instructions of PTX files' kernels
//
//   sim_bench [--bars] [FILE.ptx KERNEL]...
//
// --bars: ends with status 1 if a figure is below half its bar on a machine as slow as this one (bench/timing.h). Half,
// because cores share caches.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/timing.h"
#include "sim/sim.h"

enum { LANES = 32, REPEATS = 5, ELEMENTS = 1 << 20, MAX_PARAMS = 16, TEXT_BYTES = 64 << 10 };
enum { MMA_STEPS = 500, WGMMA_STEPS = 16, CHECKED_SHARE = 5 };

typedef enum Unit { LANE_INSTRUCTIONS, ACCESSES, MULTIPLY_ADDS } Unit;
static const char *const unit_names[] = {"lane instructions/s", "global accesses/s", "multiply-adds/s"};

typedef struct Case {
  const char *name;
  void (*text)(char *to); // TEXT_BYTES
  uint32_t blocks, threads;
  Unit unit;
  double bar;        // millions a second without checkers, a CHECKED_SHARE-th of it with them; 0: none
  uint64_t products; // multiply-adds of a launch
} Case;

static void must_succeed(const tilec_sim *sim, tilec_sim_result result) {
  if (result == TILEC_SIM_OK && tilec_sim_report_count(sim) == 0) return;
  fprintf(stderr, "sim_bench: %s\n", result ? tilec_sim_message(sim) : tilec_sim_report_at(sim, 0)->message);
  exit(1);
}

// Pointers get buffers of ELEMENTS words, other parameters 1024. Millions of the unit a
// second, the best of REPEATS launches.
static double measure_case(const Case *what, const char *text, size_t bytes, const char *kernel_name,
                           bool checks) {
  tilec_sim *sim;
  tilec_sim_module *module;
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.checks = checks;
  if (tilec_sim_create(&options, &sim)) exit(1);
  must_succeed(sim, tilec_sim_load(sim, text, bytes, &module));
  const tilec_sim_kernel *kernel;
  must_succeed(sim, tilec_sim_find(sim, module, kernel_name, &kernel));
  uint64_t values[MAX_PARAMS];
  const void *params[MAX_PARAMS];
  for (size_t i = 0; i < tilec_sim_param_count(kernel) && i < MAX_PARAMS; i++) {
    values[i] = 1024;
    params[i] = &values[i];
    if (tilec_sim_param_at(kernel, i)->size != 8) continue;
    must_succeed(sim, tilec_sim_alloc(sim, (size_t)ELEMENTS * 4, &values[i]));
    must_succeed(sim, tilec_sim_fill(sim, values[i], 1, (size_t)ELEMENTS * 4));
  }
  uint32_t grid[3] = {what->blocks, 1, 1}, block[3] = {what->threads, 1, 1};
  double best = 1e30;
  for (int i = 0; i < REPEATS; i++) {
    double begin = cpu_seconds();
    tilec_sim_result result = tilec_sim_launch(sim, kernel, grid, block, 0, params);
    double seconds = cpu_seconds() - begin;
    if (!checks || what->bar > 0) must_succeed(sim, result); // a file's kernel may well be reported
    if (seconds < best) best = seconds;
  }
  tilec_sim_counters total;
  tilec_sim_total(sim, &total);
  tilec_sim_destroy(sim);
  double count = what->unit == LANE_INSTRUCTIONS ? (double)total.instructions * LANES
                 : what->unit == ACCESSES        ? (double)total.global_requests * LANES
                                                 : (double)what->products;
  return count / best / 1e6;
}

// One line; false: below half a bar.
// True if one of three tries reaches half the bar of a machine as slow as this one is at that time.
static bool report_case(const Case *what, const char *text, size_t bytes, const char *kernel) {
  for (int try = 0; try < 3; try++) {
    double half = what->bar / 2 / machine_slowness();
    double plain = measure_case(what, text, bytes, kernel, false),
           with = measure_case(what, text, bytes, kernel, true);
    printf("%-28s %8.1f M %-20s with checkers %8.1f M, %.2f times slower\n", what->name, plain,
           unit_names[what->unit], with, plain / with);
    if (plain >= half && with >= half / CHECKED_SHARE) return true;
    printf("%s: below %.0f M without checkers or %.0f M with them\n", what->name, half, half / CHECKED_SHARE);
  }
  return false;
}

// ---- kernels ----

static const char head[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y, .param "
    ".u64 z)\n{\n.reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %d<20>; .reg .pred %p<9>;\n";

static void arithmetic_text(char *to) {
  static const char body[] = "add.s32 %r1, %r2, %r3; xor.b32 %r2, %r1, %r4; mad.lo.s32 %r3, %r1, %r2, 7;\n"
                             "fma.rn.f32 %f1, %f2, %f3, %f1; add.f32 %f2, %f1, %f3; mul.f32 %f3, %f2, %f1;\n"
                             "shl.b32 %r5, %r1, 3; setp.lt.s32 %p1, %r5, %r2; selp.b32 %r4, %r5, %r3, %p1;\n";
  size_t n = (size_t)snprintf(to, TEXT_BYTES, "%smov.u32 %%r10, 0;\nLOOP:\n", head);
  for (int i = 0; i < 16; i++) n += (size_t)snprintf(to + n, TEXT_BYTES - n, "%s", body);
  snprintf(to + n, TEXT_BYTES - n,
           "add.s32 %%r10, %%r10, 1;\nsetp.lt.s32 %%p2, %%r10, 200;\n@%%p2 bra LOOP;\nret;\n}\n");
}

// z = x + y over the whole buffers, `bytes` a thread; `guard` is before each access.
static void add_text(char *to, const char *type, int bytes, const char *a, const char *b, int adds,
                     const char *guard) {
  size_t n = (size_t)snprintf(
      to, TEXT_BYTES,
      "%sld.param.u64 %%d1, [x]; ld.param.u64 %%d2, [y]; ld.param.u64 %%d3, [z];\n"
      "mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; mov.u32 %%r3, %%tid.x;\n"
      "mad.lo.s32 %%r4, %%r1, %%r2, %%r3; mul.wide.s32 %%d4, %%r4, %d; setp.lt.s32 %%p1, %%r4, %d;\n"
      "add.s64 %%d5, %%d1, %%d4; add.s64 %%d6, %%d2, %%d4; add.s64 %%d7, %%d3, %%d4;\n"
      "%s ld.global.%s %s, [%%d5]; %s ld.global.%s %s, [%%d6];\n",
      head, bytes, ELEMENTS * 4 / bytes - 5, guard, type, a, guard, type, b);
  for (int i = 1; i <= adds; i++)
    n += (size_t)snprintf(to + n, TEXT_BYTES - n, "add.f32 %%f%d, %%f%d, %%f%d;\n", i, i, i + 4);
  snprintf(to + n, TEXT_BYTES - n, "%s st.global.%s [%%d7], %s;\nret;\n}\n", guard, type, a);
}

static void add1_text(char *to) { add_text(to, "f32", 4, "%f1", "%f5", 1, ""); }
static void masked_text(char *to) { add_text(to, "f32", 4, "%f1", "%f5", 1, "@%p1"); }
static void add4_text(char *to) {
  add_text(to, "v4.f32", 16, "{%f1, %f2, %f3, %f4}", "{%f5, %f6, %f7, %f8}", 4, "");
}

static void mma_text(char *to) {
  snprintf(to, TEXT_BYTES,
           "%smov.u32 %%r10, 0; mov.b32 %%r1, 0x3c003c00;\nLOOP:\n"
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%f1, %%f2, %%f3, %%f4}, {%%r1, %%r1, %%r1, "
           "%%r1}, {%%r1, %%r1}, {%%f1, %%f2, %%f3, %%f4};\n"
           "add.s32 %%r10, %%r10, 1;\nsetp.lt.s32 %%p2, %%r10, %d;\n@%%p2 bra LOOP;\nret;\n}\n",
           head, MMA_STEPS);
}

// A tile of 64 x 16 and one of 128 x 16 halves at the start of shared memory, not swizzled.
static void wgmma_text(char *to) {
  size_t n = (size_t)snprintf(
      to, TEXT_BYTES,
      "%s.reg .f32 %%a<64>;\n.shared .align 1024 .b8 s[6144];\nmov.u32 %%r1, %%tid.x; mov.u32 %%r2, s; "
      "mad.lo.s32 %%r3, %%r1, 48, "
      "%%r2; mov.b32 %%r4, 0x3c003c00;\n",
      head);
  for (int i = 0; i < 3; i++)
    n += (size_t)snprintf(to + n, TEXT_BYTES - n, "st.shared.v4.b32 [%%r3+%d], {%%r4, %%r4, %%r4, %%r4};\n",
                          16 * i);
  n += (size_t)snprintf(to + n, TEXT_BYTES - n,
                        "shr.u32 %%r5, %%r2, 4; cvt.u64.u32 %%d1, %%r5; mov.u64 %%d2, 0x%llx;\n"
                        "add.s64 %%d1, %%d1, %%d2; add.s64 %%d2, %%d1, 128;\n"
                        "fence.proxy.async.shared::cta;\nbar.sync 0;\nmov.u32 %%r10, 0;\nLOOP:\n"
                        "wgmma.fence.sync.aligned;\n"
                        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {",
                        (unsigned long long)8 << 16 | (unsigned long long)16 << 32);
  for (int i = 0; i < 64; i++) n += (size_t)snprintf(to + n, TEXT_BYTES - n, "%s%%a%d", i ? ", " : "", i);
  snprintf(to + n, TEXT_BYTES - n,
           "}, %%d1, %%d2, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned "
           "0;\nadd.s32 %%r10, %%r10, 1;\nsetp.lt.s32 %%p2, %%r10, %d;\n@%%p2 bra LOOP;\nret;\n}\n",
           WGMMA_STEPS);
}

static const Case cases[] = {
    {"arithmetic", arithmetic_text, 64, 128, LANE_INSTRUCTIONS, 1500, 0},
    {"add of f32", add1_text, ELEMENTS / 256, 256, ACCESSES, 400, 0},
    {"add of f32, masked", masked_text, ELEMENTS / 256, 256, ACCESSES, 0, 0},
    {"add of 4 f32", add4_text, ELEMENTS / 1024, 256, ACCESSES, 0, 0},
    {"mma m16n8k16 f16", mma_text, 8, 128, MULTIPLY_ADDS, 300, (uint64_t)8 * 4 * MMA_STEPS * 16 * 8 * 16},
    {"wgmma m64n128k16 f16", wgmma_text, 16, 128, MULTIPLY_ADDS, 300,
     (uint64_t)16 * WGMMA_STEPS * 64 * 128 * 16},
};

static void run_file(const char *file, const char *kernel) {
  static const Case what = {.unit = LANE_INSTRUCTIONS, .blocks = 64, .threads = 128};
  enum { FILE_BYTES = 1 << 20 };
  FILE *in = fopen(file, "rb");
  char *text = malloc(FILE_BYTES);
  if (!in || !text) {
    fprintf(stderr, "sim_bench: cannot read %s\n", file);
    exit(1);
  }
  size_t size = fread(text, 1, FILE_BYTES, in);
  fclose(in);
  Case named = what;
  named.name = kernel;
  report_case(&named, text, size, kernel);
  free(text);
}

int main(int argc, char **argv) {
  bool good = true, bars = argc > 1 && strcmp(argv[1], "--bars") == 0;
  char *text = malloc(TEXT_BYTES);
  for (size_t i = 0; text && i < sizeof cases / sizeof *cases; i++) {
    cases[i].text(text);
    good &= report_case(&cases[i], text, strlen(text), "k");
  }
  free(text);
  for (int i = bars ? 2 : 1; i + 1 < argc; i += 2) run_file(argv[i], argv[i + 1]);
  return bars && !good;
}
