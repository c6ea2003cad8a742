// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as nvcc compiles them (optimised and not, for two targets) on the simulator, against C bit for bit:
// tests/sim_nvcc has what they must compute.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/sim_nvcc/kernels.h"

static const char folder[] = NVCC_PTX "/nvcc";

_Noreturn void expect_failed(const Run *run, const char *text, const char *file, int line) {
  print_error("%s\n%s\n", text, run->message);
  _fail(file, line);
  abort();
}

static void for_each_variant(const KernelCase *kernel, const char *file, void (*check)(Run *run)) {
  for (int i = 0; i < KERNEL_VARIANTS; i++) {
    SimMachine machine = {0};
    Run opened = {.machine = &sim_machine, .state = &machine}, *run = &opened;
    EXPECT(nvcc_load(run, folder, file, kernel_variants[i]));
    if (kernel)
      nvcc_check(run, kernel);
    else
      check(run);
    sim_machine_close(run);
  }
}

static void test_kernel(void **state) {
  const KernelCase *kernel = *state;
  for_each_variant(kernel, kernel->file, NULL);
}

static void check_too_little_shared(Run *run) {
  static int32_t x[64][4], y[64];
  uint64_t px = BIND(run, x), py = BIND(run, y);
  const void *params[] = {&px, &py};
  uint32_t grid[3] = {1, 1, 1}, block[3] = {64, 1, 1};
  EXPECT_EQUAL(launch_grid(run, "constants", grid, block, 64 * 4 - 4, params), OUTCOME_FAULT);
}

TEST(test_too_little_shared_memory_is_a_fault) { for_each_variant(NULL, "memory", check_too_little_shared); }

static void check_assert_report(Run *run) {
  check_asserts(run);
  const SimMachine *machine = run->state;
  const tilec_sim_report *report = tilec_sim_report_at(machine->sim, 0);
  assert_int_equal(report->kind, TILEC_SIM_ASSERT);
  assert_non_null(strstr(report->message, "assertion 'x[threadIdx.x] > 0' failed at control.cu:98"));
  assert_int_equal(report->warp, 1);
  assert_int_equal(report->lane_mask, 1u << 5);
  assert_string_equal(report->file, "control.cu");
  assert_int_equal(report->line, 98);
}

TEST(test_an_assertion_tells_its_place) { for_each_variant(NULL, "control", check_assert_report); }

int suite_sim_nvcc(void) {
  enum { MOST = 64 };
  struct CMUnitTest tests[MOST] = {cmocka_unit_test(test_too_little_shared_memory_is_a_fault),
                                   cmocka_unit_test(test_an_assertion_tells_its_place)};
  size_t count = 2;
  for (size_t i = 0; i < kernel_case_count && count < MOST; i++)
    tests[count++] =
        (struct CMUnitTest){kernel_cases[i].name, test_kernel, NULL, NULL, (void *)&kernel_cases[i]};
  return _cmocka_run_group_tests("nvcc", tests, count, NULL, NULL);
}
