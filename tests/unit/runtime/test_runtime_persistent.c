// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of persistent kernels, on the simulator, the evaluator and a driver that is the
// simulator. Tests the number of CTAs, and that the kernel gets the number of programs.
#include "tests/unit/unit.h"
#include "runtime/launch/kernel.h"
#include "tests/gpu/fake_driver.h"
#include "tests/unit/fake_driver_fixture.h"
#include "tests/unit/runtime_fixture.h"

enum { MOST = 64, WARPS = 32 }; // programs of a launch; so many that two blocks fill one of the fake GPU's multiprocessors

static const char source[] =
    "@triton.jit\n"
    "def numbers(out, blocks):\n"
    "    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)\n"
    "    p = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x\n"
    "    tl.store(out + p, x + 100 * y + 10000 * z)\n"
    "    tl.store(blocks + p, tl.inline_asm_elementwise('mov.u32 $0, %nctaid.x;', '=r,r', [p], tl.int32, True, 1))\n";

typedef struct Turns {
  tilec_device *device;
  tilec_kernel *kernel;
  tilec_buffer *out, *blocks;
} Turns;

static int load_fake(void **state) {
  (void)state;
  fake_driver_load();
  return 0;
}

static Turns turns_new(const char *device, tilec_persistent persistent) {
  Turns t = {.device = open_device(device)};
  tilec_program *program = program_of("test.py", source);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.persistent = persistent;
  options.num_warps = WARPS;
  assert_ok(tilec_kernel_new(t.device, program, &options, &t.kernel));
  tilec_program_free(program);
  assert_ok(tilec_buffer_new(t.device, MOST * sizeof(int32_t), &t.out));
  assert_ok(tilec_buffer_new(t.device, MOST * sizeof(int32_t), &t.blocks));
  return t;
}

static void turns_free(const Turns *t) {
  tilec_kernel_free(t->kernel);
  tilec_buffer_free(t->out);
  tilec_buffer_free(t->blocks);
  tilec_device_close(t->device);
}

static void launch(const Turns *t, int64_t x, int64_t y, int64_t z, uint32_t most, int32_t blocks) {
  int32_t out[MOST], there[MOST];
  const tilec_arg args[] = {tilec_arg_buffer(TILEC_I32, t->out), tilec_arg_buffer(TILEC_I32, t->blocks)};
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = x, options.grid[1] = y, options.grid[2] = z;
  options.max_programs = most;
  memset(out, 0xff, sizeof out);
  assert_ok(tilec_buffer_write(t->out, 0, out, sizeof out));
  assert_ok(tilec_launch(t->kernel, &options, args, 2));
  assert_ok(tilec_device_synchronize(t->device));
  assert_ok(tilec_buffer_read(t->out, 0, out, sizeof out));
  assert_ok(tilec_buffer_read(t->blocks, 0, there, sizeof there));
  for (int64_t p = 0; p < MOST; p++) {
    int64_t expected = p < x * y * z ? p % x + 100 * (p / x % y) + 10000 * (p / x / y) : -1;
    if (out[p] != expected) fail_msg("program %d says %d, not %d", (int)p, out[p], (int)expected);
    if (p < x * y * z && there[p] != blocks) fail_msg("program %d is run by one of %d blocks, not %d", (int)p, there[p], blocks);
  }
}

TEST(test_blocks) {
  Turns sim = turns_new("sim", TILEC_PERSISTENT_ON), gpu = turns_new("cuda", TILEC_PERSISTENT_ON);
  launch(&sim, 60, 1, 1, 0, 60); // it has 132 multiprocessors
  launch(&sim, 60, 1, 1, 7, 7);
  launch(&sim, 5, 4, 3, 7, 7);
  launch(&sim, 5, 4, 3, 61, 60);
  launch(&sim, 0, 4, 3, 7, 0);
  launch(&gpu, 60, 1, 1, 0, 2 * FAKE_MULTIPROCESSORS);
  launch(&gpu, 3, 4, 5, 0, 2 * FAKE_MULTIPROCESSORS);
  launch(&gpu, 3, 4, 5, 1, 1);
  launch(&gpu, 3, 4, 5, 1000, 2 * FAKE_MULTIPROCESSORS);
  launch(&gpu, 1, 1, 2, 0, 2);
  turns_free(&sim);
  turns_free(&gpu);
}

TEST(test_a_block_a_program) {
  Turns plain = turns_new("cuda", TILEC_PERSISTENT_AUTO);
  launch(&plain, 60, 1, 1, 0, 60);
  launch(&plain, 3, 4, 5, 2, 3);
  turns_free(&plain);
}

// Hidden parameters are those of each rank; rank 1 has the arrays the other way round.
TEST(test_ranks) {
  Turns sim = turns_new("sim", TILEC_PERSISTENT_ON), eval = turns_new("eval", TILEC_PERSISTENT_ON);
  int32_t out[4] = {0}, there[4] = {0};
  const tilec_arg args[] = {tilec_arg_buffer(TILEC_I32, sim.out), tilec_arg_buffer(TILEC_I32, sim.blocks),
                            tilec_arg_pointer(TILEC_I32, tilec_buffer_address(sim.blocks) + 8),
                            tilec_arg_pointer(TILEC_I32, tilec_buffer_address(sim.out) + 8)};
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 2;
  options.ranks = 2;
  options.max_programs = 1;
  assert_ok(tilec_launch(sim.kernel, &options, args, 4));
  assert_ok(tilec_buffer_read(sim.out, 0, out, sizeof out));
  assert_ok(tilec_buffer_read(sim.blocks, 0, there, sizeof there));
  assert_memory_equal(out, ((int32_t[]){0, 1, 1, 1}), sizeof out);
  assert_memory_equal(there, ((int32_t[]){1, 1, 0, 1}), sizeof there);
  assert_int_equal(tilec_launch(sim.kernel, &options, args, 3), TILEC_ERROR_INVALID_ARGUMENT);
  assert_int_equal(tilec_launch(eval.kernel, &options, args, 4), TILEC_ERROR_NOT_SUPPORTED);
  turns_free(&sim);
  turns_free(&eval);
}

TEST(test_what_is_too_much) {
  const int64_t most = INT32_MAX - (1 << 20);
  assert_null(programs_fault((int64_t[]){most, 1, 1}));
  assert_non_null(programs_fault((int64_t[]){most + 1, 1, 1}));
  assert_null(programs_fault((int64_t[]){1 << 15, 1 << 15, 1}));
  assert_non_null(programs_fault((int64_t[]){1 << 15, 1 << 15, 2}));
  assert_non_null(programs_fault((int64_t[]){INT32_MAX, 65535, 65535}));
  assert_null(programs_fault((int64_t[]){0, 65535, 65535}));
  assert_null(programs_fault((int64_t[]){65535, 0, 65535}));
}

int suite_runtime_persistent(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_a_block_a_program),
      cmocka_unit_test(test_ranks),
      cmocka_unit_test(test_what_is_too_much),
  };
  return cmocka_run_group_tests(tests, load_fake, NULL);
}
