// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library from several threads at once: compiles, launches of one kernel and of several, on one device and on
// others, and the simulator's own threads. The group threads runs this under ThreadSanitizer.
#include <pthread.h>
#include <stdbool.h>
#include "tests/unit/unit.h"
#include "runtime/device/device.h"
#include "tests/unit/runtime_fixture.h"
#include "sim/sim.h"

enum { THREADS = 4, ROUNDS = 3, ELEMENTS = 200 };

typedef struct Worker {
  pthread_t thread;
  int number;
  tilec_program *program;
  tilec_kernel *kernel;
  tilec_device *device;
  tilec_buffer *buffer;
  bool done; // atomic
  char failure[300]; // cmocka's checks work only in the first thread
} Worker;

static bool good(Worker *w, tilec_status status) {
  if (!status) return true;
  snprintf(w->failure, sizeof w->failure, "%s: %.200s", tilec_status_name(status), tilec_last_error());
  return false;
}

static void run_workers(void *(*work)(void *), Worker *workers) {
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i;
    assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < THREADS; i++)
    if (workers[i].failure[0]) fail_msg("thread %d: %s", i, workers[i].failure);
}

static void *compile(void *data) {
  Worker *w = data;
  for (int round = 0; round < ROUNDS; round++) {
    tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
    char block[40];
    snprintf(block, sizeof block, "BLOCK=%d", 64 << (w->number + round) % 4);
    const char *defines[] = {block};
    options.signature = "n=i32";
    options.defines = defines;
    options.define_count = 1;
    tilec_compiled *compiled = NULL;
    const char *ptx;
    if (!good(w, tilec_compile(w->program, &options, &compiled))) return NULL;
    if (!good(w, tilec_compiled_output(compiled, TILEC_OUTPUT_PTX, &ptx, NULL))) return NULL;
    if (!strstr(ptx, ".entry scale")) snprintf(w->failure, sizeof w->failure, "no entry in the PTX");
    tilec_compiled_free(compiled);
  }
  return NULL;
}

// Compiles of one program, which several threads parse and elaborate at once.
TEST(test_compiles) {
  Worker workers[THREADS] = {0};
  tilec_program *program = program_of("test.tile", scale_source);
  for (int i = 0; i < THREADS; i++) workers[i].program = program;
  run_workers(compile, workers);
  tilec_program_free(program);
}

// Launches w->kernel with arguments of this thread's own, of changing facts: some are compiled for now.
static void *launch(void *data) {
  Worker *w = data;
  float x[ELEMENTS], got[ELEMENTS];
  for (int i = 0; i < ELEMENTS; i++) x[i] = (float)(i + w->number);
  for (int round = 0; round < ROUNDS; round++) {
    tilec_buffer *in = NULL, *out = NULL;
    int n = ELEMENTS - 8 * ((w->number + round) % 3);
    if (!good(w, tilec_buffer_new(w->device, sizeof x, &in)) ||
        !good(w, tilec_buffer_new(w->device, sizeof x, &out)) ||
        !good(w, tilec_buffer_write(in, 0, x, sizeof x)))
      return NULL;
    const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, in), tilec_arg_buffer(TILEC_FP32, out),
                              tilec_arg_int(n), tilec_arg_float(w->number + 1)};
    if (!good(w, tilec_launch(w->kernel, NULL, args, 4)) ||
        !good(w, tilec_buffer_read(out, 0, got, sizeof got)))
      return NULL;
    for (int i = 0; i < n && !w->failure[0]; i++)
      if (got[i] != x[i] * (float)(w->number + 1)) // NOLINT: exact
        snprintf(w->failure, sizeof w->failure, "element %d is %g", i, (double)got[i]);
    tilec_buffer_free(in);
    tilec_buffer_free(out);
  }
  return NULL;
}

TEST(test_launches_of_one_kernel) {
  for (int d = 0; d < DEVICES; d++) {
    Worker workers[THREADS] = {0};
    tilec_device *device = open_device(devices[d]);
    tilec_kernel *kernel = kernel_of(device, scale_source);
    for (int i = 0; i < THREADS; i++) workers[i].device = device, workers[i].kernel = kernel;
    run_workers(launch, workers);
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

// A kernel one of whose variants takes long to compile.
static const char slow_source[] = "@kernel\n"
                                  "@grid(1)\n"
                                  "def slow(x: *i32, n, big):\n"
                                  "    if big is None:\n"
                                  "        i = arange(0, 2048)\n"
                                  "        store(x + i, sort(load(x + i)))\n"
                                  "    store(x, load(x) + n)\n";

static bool launch_slow(Worker *w, tilec_arg n, tilec_arg big) {
  const tilec_arg args[] = {tilec_arg_pointer(TILEC_I32, tilec_buffer_address(w->buffer)), n, big};
  return good(w, tilec_launch(w->kernel, NULL, args, 3));
}

static void *compile_slow(void *data) {
  Worker *w = data;
  launch_slow(w, tilec_arg_int(2), tilec_arg_none());
  __atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
  return NULL;
}

// While one thread compiles a variant, another launches two existing ones alternately: none of them
// waits for it.
TEST(test_launches_beside_a_compile) {
  tilec_device *device = open_device("sim");
  int32_t zeros[2048] = {0};
  double begin, longest = 0;
  Worker w = {.device = device, .kernel = kernel_of(device, slow_source)}, slow;
  w.buffer = buffer_of(device, zeros, sizeof zeros);
  for (int i = 1; i <= 2; i++) assert_true(launch_slow(&w, tilec_arg_int(i), tilec_arg_int(3)));
  slow = w;
  begin = seconds_now();
  assert_int_equal(pthread_create(&slow.thread, NULL, compile_slow, &slow), 0);
  for (int i = 0; !__atomic_load_n(&slow.done, __ATOMIC_ACQUIRE); i++) {
    double start = seconds_now();
    assert_true(launch_slow(&w, tilec_arg_int(1 + i % 2), tilec_arg_int(3)));
    if (seconds_now() - start > longest) longest = seconds_now() - start;
  }
  pthread_join(slow.thread, NULL);
  assert_string_equal(slow.failure, "");
  begin = seconds_now() - begin;
  if (longest > begin / 2) fail_msg("a launch took %g s beside a compile of %g s", longest, begin);
  tilec_buffer_free(w.buffer);
  tilec_kernel_free(w.kernel);
  tilec_device_close(device);
}

// Each thread opens, compiles, launches and closes by itself, on its own device.
static void *alone(void *data) {
  Worker *w = data;
  if (!good(w, tilec_device_open(devices[w->number % DEVICES], &w->device))) return NULL;
  if (!good(w, tilec_kernel_new(w->device, w->program, NULL, &w->kernel))) return NULL;
  launch(w);
  tilec_kernel_free(w->kernel);
  tilec_device_close(w->device);
  return NULL;
}

TEST(test_devices_of_their_own) {
  Worker workers[THREADS] = {0};
  tilec_program *program = program_of("test.tile", scale_source);
  for (int i = 0; i < THREADS; i++) workers[i].program = program;
  run_workers(alone, workers);
  tilec_program_free(program);
}

// The simulator's threads, on blocks that meet at an atomic and at blocks' own words.
TEST(test_threads_of_the_simulator) {
  static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry count(.param .u64 out) {\n"
                            "  .reg .u64 %rd<4>; .reg .u32 %r<5>;\n"
                            "  ld.param.u64 %rd1, [out];\n"
                            "  mov.u32 %r1, %ctaid.x;\n"
                            "  mov.u32 %r2, %tid.x;\n"
                            "  atom.global.add.u32 %r3, [%rd1], 1;\n"
                            "  mad.lo.u32 %r4, %r1, 64, %r2;\n"
                            "  mul.wide.u32 %rd2, %r4, 4;\n"
                            "  add.u64 %rd3, %rd1, %rd2;\n"
                            "  st.global.u32 [%rd3+4], %r4;\n"
                            "  ret;\n}\n";
  enum { BLOCKS = 16, BLOCK = 64 };
  for (int checks = 0; checks < 2; checks++) {
    tilec_sim *sim = NULL;
    tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
    tilec_sim_module *module = NULL;
    const tilec_sim_kernel *kernel = NULL;
    uint64_t out = 0;
    options.threads = THREADS;
    options.checks = checks;
    assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_load(sim, ptx, sizeof ptx - 1, &module), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_find(sim, module, "count", &kernel), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_alloc(sim, 4 * (BLOCKS * BLOCK + 1), &out), TILEC_SIM_OK);
    const uint32_t grid[3] = {BLOCKS, 1, 1}, block[3] = {BLOCK, 1, 1};
    const void *params[] = {&out};
    assert_int_equal(tilec_sim_launch(sim, kernel, grid, block, 0, params), TILEC_SIM_OK);
    uint32_t got[BLOCKS * BLOCK + 1];
    assert_int_equal(tilec_sim_read(sim, got, out, sizeof got), TILEC_SIM_OK);
    assert_int_equal(got[0], BLOCKS * BLOCK);
    for (uint32_t i = 0; i < BLOCKS * BLOCK; i++) assert_int_equal(got[i + 1], i);
    tilec_sim_destroy(sim);
  }
}

WHOLE_SUITE(threads)
