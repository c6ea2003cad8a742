// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of nvcc and of LLVM's back end (tests/golden/sim), run whole and compared with C.
#include <math.h>
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

enum { N = 1000 };

static char *read_text(const char *name, size_t *size) {
  char path[512];
  sim_path(path, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  *size = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  return text;
}

typedef struct Fixture {
  tilec_sim *sim;
  tilec_sim_module *module;
} Fixture;

static Fixture open_module(const char *name, uint32_t threads) {
  Fixture fixture;
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.threads = threads;
  assert_int_equal(tilec_sim_create(&options, &fixture.sim), TILEC_SIM_OK);
  size_t size;
  char *text = read_text(name, &size);
  tilec_sim_result result = tilec_sim_load(fixture.sim, text, size, &fixture.module);
  free(text);
  if (result) print_error("%s\n", tilec_sim_message(fixture.sim));
  assert_int_equal(result, TILEC_SIM_OK);
  return fixture;
}

static tilec_sim_result launch(Fixture *fixture, const char *name, uint32_t blocks, uint32_t threads,
                               const void *const *params) {
  const tilec_sim_kernel *kernel;
  assert_int_equal(tilec_sim_find(fixture->sim, fixture->module, name, &kernel), TILEC_SIM_OK);
  uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
  tilec_sim_result result = tilec_sim_launch(fixture->sim, kernel, grid, block, 0, params);
  return result;
}

static void run(Fixture *fixture, const char *name, uint32_t blocks, uint32_t threads,
                const void *const *params) {
  tilec_sim_result result = launch(fixture, name, blocks, threads, params);
  if (result) print_error("%s\n", tilec_sim_message(fixture->sim));
  assert_int_equal(result, TILEC_SIM_OK);
}

static uint64_t bind(Fixture *fixture, void *host, size_t bytes) {
  uint64_t address;
  assert_int_equal(tilec_sim_bind(fixture->sim, host, bytes, &address), TILEC_SIM_OK);
  assert_int_equal(address % 256, 0);
  return address;
}

TEST(test_vector_add_and_its_counters) {
  Fixture f = open_module("nvcc.ptx", 1);
  static float x[4 * 64], y[4 * 64], z[4 * 64];
  for (int i = 0; i < 4 * 64; i++) x[i] = (float)i * 0.5f, y[i] = 100.0f - (float)i;
  uint64_t px = bind(&f, x, sizeof x), py = bind(&f, y, sizeof y), pz = bind(&f, z, sizeof z);
  int n = 64;
  const void *params[] = {&px, &py, &pz, &n};
  run(&f, "vadd", 1, 64, params);
  for (int i = 0; i < 4 * 64; i++) assert_true(z[i] == x[i] + y[i]);
  tilec_sim_counters total, lines = {0};
  tilec_sim_total(f.sim, &total);
  assert_int_equal(total.global_requests, 6);
  assert_int_equal(total.global_sectors, 6 * 16);
  assert_int_equal(total.global_sectors_ideal, 6 * 16);
  for (size_t i = 0; i < tilec_sim_line_count(f.sim); i++) {
    const tilec_sim_line *line = tilec_sim_line_at(f.sim, i);
    assert_non_null(line->file);
    assert_true(strstr(line->file, "nvcc.cu") != NULL);
    lines.instructions += line->counters.instructions;
    lines.global_sectors += line->counters.global_sectors;
  }
  assert_int_equal(lines.instructions, total.instructions);
  assert_int_equal(lines.global_sectors, total.global_sectors);
  tilec_sim_destroy(f.sim);
}

// The nearer one of two buffers is named.
TEST(test_an_access_before_a_buffer_names_it) {
  Fixture f = open_module("nvcc.ptx", 1);
  static float x[4 * 64], y[4 * 64], z[4 * 64];
  uint64_t px = bind(&f, x, sizeof x), py = bind(&f, y, sizeof y) - 16, pz = bind(&f, z, sizeof z);
  int n = 64;
  const void *params[] = {&px, &py, &pz, &n};
  assert_int_equal(launch(&f, "vadd", 1, 64, params), TILEC_SIM_ERROR_KERNEL);
  const tilec_sim_report *report = tilec_sim_report_at(f.sim, 0);
  assert_int_equal(report->kind, TILEC_SIM_OUT_OF_BOUNDS);
  if (!strstr(report->message, "16 bytes before the allocation of 1024 bytes"))
    fail_msg("%s", report->message);
  tilec_sim_destroy(f.sim);
}

TEST(test_an_access_beyond_the_end_is_reported_at_its_line) {
  Fixture f = open_module("nvcc.ptx", 1);
  static float x[4 * 64], y[4 * 64], z[4 * 64];
  uint64_t px = bind(&f, x, sizeof x), py = bind(&f, y, sizeof y), pz = bind(&f, z, sizeof z);
  int n = 70;
  const void *params[] = {&px, &py, &pz, &n};
  assert_int_equal(launch(&f, "vadd", 2, 64, params), TILEC_SIM_ERROR_KERNEL);
  assert_int_equal(tilec_sim_report_count(f.sim), 1);
  const tilec_sim_report *report = tilec_sim_report_at(f.sim, 0);
  assert_int_equal(report->kind, TILEC_SIM_OUT_OF_BOUNDS);
  assert_true(strstr(report->file, "nvcc.cu") != NULL);
  assert_int_equal(report->line, 3);
  assert_int_equal(report->block[0], 1);
  assert_int_equal(report->warp, 0);
  assert_int_equal(report->lane_mask, 0x3f);
  assert_true(report->address == px + sizeof x);
  px += 4;
  n = 64;
  assert_int_equal(launch(&f, "vadd", 1, 64, params), TILEC_SIM_ERROR_KERNEL);
  assert_int_equal(tilec_sim_report_at(f.sim, 0)->kind, TILEC_SIM_MISALIGNED);
  tilec_sim_destroy(f.sim);
}

static uint32_t collatz(uint32_t v) {
  uint32_t c = 0;
  while (v > 1) {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    if (++c > 1000) break;
  }
  return c;
}

TEST(test_divergent_loops) {
  for (uint32_t threads = 1; threads <= 3; threads += 2) {
    Fixture f = open_module("nvcc.ptx", threads);
    static uint32_t x[N], y[N];
    for (uint32_t i = 0; i < N; i++) x[i] = i * 2654435761u >> 12;
    uint64_t px = bind(&f, x, sizeof x), py = bind(&f, y, sizeof y);
    int n = N;
    const void *params[] = {&px, &py, &n};
    run(&f, "collatz", (N + 95) / 96, 96, params);
    for (int i = 0; i < N; i++) assert_int_equal(y[i], collatz(x[i]));
    tilec_sim_destroy(f.sim);
  }
}

TEST(test_shared_memory_and_barriers) {
  Fixture f = open_module("nvcc.ptx", 1);
  static float x[N], y[3];
  float sum = 0;
  for (int i = 0; i < N; i++) x[i] = (float)(i % 17), sum += x[i];
  uint64_t px = bind(&f, x, sizeof x), py = bind(&f, y, sizeof y);
  int n = N;
  const void *params[] = {&px, &py, &n};
  run(&f, "sm", 3, 256, params);
  for (int i = 0; i < 3; i++) assert_true(y[i] == sum);
  tilec_sim_counters total;
  tilec_sim_total(f.sim, &total);
  assert_int_equal(total.barriers, 3 * 8 * 9);
  assert_int_equal(total.shared_wavefronts, total.shared_wavefronts_ideal);
  tilec_sim_destroy(f.sim);
}

TEST(test_doubles_and_calls) {
  Fixture f = open_module("nvcc.ptx", 1);
  static double x[N], z[N];
  static int64_t k[N];
  static float a[N], b[N];
  for (int i = 0; i < N; i++) x[i] = i * 0.37, k[i] = (int64_t)i * -1234567890123, a[i] = (float)i * 1.1f;
  uint64_t px = bind(&f, x, sizeof x), pk = bind(&f, k, sizeof k), pz = bind(&f, z, sizeof z);
  uint64_t pa = bind(&f, a, sizeof a), pb = bind(&f, b, sizeof b);
  int n = N;
  const void *params[] = {&px, &pk, &pz, &n}, *others[] = {&pa, &pb, &n};
  run(&f, "d64", 8, 128, params);
  for (int i = 0; i < N; i++) assert_true(z[i] == sqrt(x[i]) / (double)(k[i] | 1) + fma(x[i], 2.0, 1.0));
  run(&f, "call", 8, 128, others);
  for (int i = 0; i < N; i++) assert_true(b[i] == (i & 1 ? a[i] * 2.0f : a[i] / 3.0f));
  tilec_sim_destroy(f.sim);
}

TEST(test_llvm_half_to_bfloat) {
  Fixture f = open_module("llvm-sm_90a.ptx", 1);
  static uint16_t x[1024], y[1024];
  for (int i = 0; i < 1024; i++) x[i] = (uint16_t)(0x3c00 + i); // 1.0 to just below 2.0
  uint64_t px = bind(&f, x, sizeof x), py = bind(&f, y, sizeof y);
  int n = 0;
  const void *params[] = {&px, &py, &n};
  run(&f, "k", 1, 128, params);
  for (int i = 0; i < 1024; i++) {
    float value = 1.0f + (float)i / 1024.0f, square = value * value;
    float kept = square < 2 ? rintf(square * 128) / 128 : rintf(square * 64) / 64;
    uint32_t bits;
    memcpy(&bits, &kept, sizeof bits);
    assert_int_equal(y[i], bits >> 16);
  }
  assert_int_equal(launch(&f, "k", 1, 64, params), TILEC_SIM_ERROR_INVALID); // .reqntid 128
  tilec_sim_destroy(f.sim);
}

TEST(test_llvm_bytes) {
  Fixture f = open_module("llvm-sm_90a.ptx", 1);
  static int8_t x[256];
  for (int i = 0; i < 256; i++) x[i] = (int8_t)i;
  uint64_t px = bind(&f, x, sizeof x);
  int8_t divisor = -7;
  int16_t other = 0x1234;
  uint8_t flag = 1;
  const void *params[] = {&px, &divisor, &other, &flag};
  run(&f, "i8k", 1, 256, params);
  for (int i = 0; i < 256; i++) {
    int8_t quotient = (int8_t)((int8_t)i / -7);
    assert_int_equal(x[i], (int8_t)((quotient > 0) ^ quotient));
  }
  tilec_sim_destroy(f.sim);
}

// Forty-odd operations on every scalar type and on vectors, as LLVM's back
// end selects them for three targets.
TEST(test_llvm_selection_is_known) {
  static const char *const names[] = {"llvm-wide-sm_75.ptx", "llvm-wide-sm_80.ptx", "llvm-wide-sm_90a.ptx"};
  for (int i = 0; i < 3; i++) {
    Fixture f = open_module(names[i], 1);
    static uint64_t memory[2];
    memory[0] = 0xfd02fe01ff000403u;
    memory[1] = 0x0102030405060708u;
    uint64_t p = bind(&f, memory, sizeof memory);
    uint32_t h = 0x40003c00, k = 0x3f803f80, c = 0x04030201; // f16 1, 2; bf16 1, 1; bytes
    const void *params[] = {&p, &h, &k, &c};
    run(&f, "v", 1, 1, params);
    assert_int_equal((uint32_t)memory[0], 0x44003c00); // the larger of x and x * x
    tilec_sim_destroy(f.sim);
  }
}

WHOLE_SUITE(sim_kernels)
