// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/kernels/launch_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "sim/sim.h"

enum { SCHEDULES = 4, MAX_GIVEN_BUFFERS = 64, MAX_GIVEN_PARAMS = 128 };

static const char *const schedule_names[SCHEDULES] = {"late", "early", "late-down", "early-down"};

typedef struct SimBuffer {
  Elem elem;
  uint8_t *bytes, *before; // now, and before the run
  uint64_t size, address;
} SimBuffer;

struct LaunchSim {
  Arena *arena;
  tilec_sim *sim; // of the schedule that runs; pointers in memory hold in the next one too, as it follows this one
  SimBuffer buffers[MAX_GIVEN_BUFFERS];
  uint32_t count;
};

static tilec_sim *new_sim(uint32_t schedule) {
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.schedule = (tilec_sim_schedule)schedule;
  options.checks = 1;
  options.instruction_budget = 20000000;
  tilec_sim *sim;
  assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
  return sim;
}

static uint64_t bind_buffer(const LaunchSim *sim, const SimBuffer *buffer) {
  uint64_t address;
  assert_int_equal(tilec_sim_bind(sim->sim, buffer->bytes, buffer->size, &address), TILEC_SIM_OK);
  return address;
}

// The simulator of another schedule, with the buffers where the one before had them.
static void change_schedule(LaunchSim *sim, uint32_t schedule) {
  tilec_sim_destroy(sim->sim);
  sim->sim = new_sim(schedule);
  for (uint32_t i = 0; i < sim->count; i++)
    assert_true(bind_buffer(sim, &sim->buffers[i]) == sim->buffers[i].address);
}

LaunchSim *launch_sim_new(Arena *arena) {
  const char *device = getenv("TEST_DEVICE");
  if (!device || strcmp(device, "sim") != 0) return NULL;
  LaunchSim *sim = ARENA_NEW(arena, LaunchSim);
  sim->arena = arena;
  sim->sim = new_sim(0);
  return sim;
}

void launch_sim_free(LaunchSim *sim) {
  if (sim) tilec_sim_destroy(sim->sim);
}

uint64_t launch_sim_add(LaunchSim *sim, Elem elem, void *bytes, uint64_t size) {
  assert_true(sim->count < MAX_GIVEN_BUFFERS);
  SimBuffer *buffer = &sim->buffers[sim->count++];
  *buffer = (SimBuffer){.elem = elem, .bytes = bytes, .size = size};
  buffer->before = arena_alloc(sim->arena, size + 1);
  buffer->address = bind_buffer(sim, buffer);
  return buffer->address;
}

const uint8_t *launch_sim_bytes(const LaunchSim *sim, uint64_t address) {
  for (uint32_t i = 0; i < sim->count; i++)
    if (sim->buffers[i].address == address) return sim->buffers[i].bytes;
  fail_msg("no buffer at 0x%llx", (unsigned long long)address);
  return NULL;
}

// --- Compiling ---

static void failed(Compilation *c, const char *arch, const char *what) {
  Buf text = {0};
  diags_print_text(&c->diags, false, &text);
  fail_msg("%s, %s: %s%s", arch, what, text.at ? text.at : "", c->fault);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void save(const Compilation *c, const char *arch, double took) {
  const char *folder = getenv("TEST_PTX"), *kernel = c->code.kernels[0].name;
  if (!folder) return;
  printf("%s.%s: %.0f ms, %u threads, %u bytes of dynamic shared memory\n", kernel, arch, took * 1e3,
         c->code.kernels[0].threads, c->code.kernels[0].shared_bytes);
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.%s.ptx", folder, kernel, arch);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  fwrite(c->code.ptx.at, 1, c->code.ptx.n, out);
  fclose(out);
}

static void compile(Compilation *c, const Spec *given, const char *arch) {
  Spec spec = *given;
  const char *warps = getenv("TEST_WARPS");
  assert_true(target_parse_arch(str_from(arch), &spec.target));
  if (warps) spec.target.num_warps = (uint16_t)atoi(warps), spec.num_warps_given = true;
  double start = seconds();
  c->module = NULL;
  const PassRunOptions passes = {.verify_each = true};
  const CodegenOptions code = {.emit_ptx = true};
  if (compile_elaborate(c, &spec) != TILEC_OK) failed(c, arch, "elaborate");
  if (compile_passes(c, &passes) != TILEC_OK) failed(c, arch, "passes");
  if (compile_codegen(c, &code) != TILEC_OK) failed(c, arch, "code generation");
  save(c, arch, seconds() - start);
}

// --- Running ---

static void fail_with_report(const tilec_sim *sim, const char *where) {
  const tilec_sim_report *r = tilec_sim_report_at(sim, 0);
  if (!r) fail_msg("%s: %s", where, tilec_sim_message(sim));
  fail_msg("%s: %s:%u (PTX line %u): %s, block %u,%u,%u, warp %u, lanes %08x, %llu times; %s (PTX line %u)",
           where, r->file ? r->file : "", r->line, r->ptx_line, r->message, r->block[0], r->block[1],
           r->block[2], r->warp, r->lane_mask, (unsigned long long)r->count,
           r->other_message ? r->other_message : "", r->other_ptx_line);
}

static void compare_buffers(const LaunchSim *sim, const EvalMemory *memory, const char *where) {
  for (uint32_t i = 0; i < sim->count; i++) {
    const SimBuffer *buffer = &sim->buffers[i];
    EvalCheck result;
    if (!eval_check(memory, buffer->address, buffer->bytes, buffer->elem, &result))
      fail_msg("%s: buffer %u: %llu wrong of %llu: %s", where, i, (unsigned long long)result.wrong,
               (unsigned long long)result.elements, result.first_message);
  }
}

static void run_schedule(LaunchSim *sim, uint32_t schedule, const Compilation *c, const uint32_t grid[3],
                         const uint64_t *args, const char *where) {
  change_schedule(sim, schedule);
  tilec_sim *s = sim->sim;
  const KernelMeta *kernel = &c->code.kernels[0];
  tilec_sim_module *module;
  const tilec_sim_kernel *entry;
  if (tilec_sim_load(s, c->code.ptx.at, c->code.ptx.n, &module) != TILEC_SIM_OK ||
      tilec_sim_find(s, module, kernel->name, &entry) != TILEC_SIM_OK)
    fail_msg("%s: %s", where, tilec_sim_message(s));
  const void *params[MAX_GIVEN_PARAMS];
  size_t n = tilec_sim_param_count(entry);
  assert_true(n <= MAX_GIVEN_PARAMS);
  for (size_t i = 0; i < n; i++) params[i] = &args[i];
  const uint32_t block[3] = {kernel->threads, 1, 1};
  tilec_sim_result result = tilec_sim_launch(s, entry, grid, block, kernel->shared_bytes, params);
  if (result != TILEC_SIM_OK || tilec_sim_report_count(s)) fail_with_report(s, where);
  tilec_sim_unload(s, module);
}

static void run_schedules(LaunchSim *sim, const Compilation *c, const char *arch, const uint32_t grid[3],
                          const uint64_t *args, const EvalMemory *memory) {
  for (uint32_t s = 0; s < SCHEDULES; s++) {
    char where[64];
    snprintf(where, sizeof where, "%s, %s", arch, schedule_names[s]);
    for (uint32_t i = 0; i < sim->count; i++)
      memcpy(sim->buffers[i].bytes, sim->buffers[i].before, sim->buffers[i].size);
    run_schedule(sim, s, c, grid, args, where);
    compare_buffers(sim, memory, where);
  }
}

void launch_sim_run(LaunchSim *sim, Compilation *c, const Spec *spec, const uint32_t grid[3],
                    const uint64_t *args, const EvalMemory *memory) {
  const char *only = getenv("TEST_ARCH");
  for (uint32_t i = 0; i < sim->count; i++)
    memcpy(sim->buffers[i].before, sim->buffers[i].bytes, sim->buffers[i].size);
  static const char *const arches[] = {"sm_80", "sm_90a"};
  for (uint32_t a = 0; a < (only ? 1 : 2); a++) {
    const char *arch = only ? only : arches[a];
    compile(c, spec, arch);
    run_schedules(sim, c, arch, grid, args, memory);
  }
}
