// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches on several devices: arguments of their own, progress together, and order by system scope alone.

#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

// Device 0 writes 7 to data and signals. Device 1 waits for the signal and copies data to out.
static const char pair[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    ".visible .entry pair(.param .u32 rank, .param .u64 data, .param .u64 flag, "
    ".param .u64 out)\n{\n"
    ".reg .pred %%p<3>; .reg .b32 %%r<6>; .reg .b64 %%rd<4>;\n"
    "ld.param.u32 %%r1, [rank];\n"
    "ld.param.u64 %%rd1, [data]; ld.param.u64 %%rd2, [flag]; ld.param.u64 %%rd3, [out];\n"
    "mov.u32 %%r4, 1;\n"
    "setp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra wait;\n"
    "mov.u32 %%r2, 7;\nst.global.u32 [%%rd1], %%r2;\n%s\nret;\n"
    "wait:\n%s\nsetp.eq.u32 %%p2, %%r3, 0;\n@%%p2 bra wait;\n%s\n"
    "ld.global.u32 %%r5, [%%rd1];\nst.global.u32 [%%rd3], %%r5;\nret;\n}\n";

typedef struct Pair {
  const char *signal, *wait, *then;
  tilec_sim_report_kind kind; // of the report
  bool right;                 // there is none
} Pair;

static const Pair pairs[] = {
    {"st.release.sys.global.u32 [%rd2], %r4;", "ld.acquire.sys.global.u32 %r3, [%rd2];", "", 0, true},
    {"fence.acq_rel.sys; st.relaxed.sys.global.u32 [%rd2], %r4;", "ld.relaxed.sys.global.u32 %r3, [%rd2];",
     "fence.acq_rel.sys;", 0, true},
    {"membar.sys; st.volatile.global.u32 [%rd2], %r4;", "ld.volatile.global.u32 %r3, [%rd2];", "membar.sys;",
     0, true},
    {"red.release.sys.global.add.u32 [%rd2], %r4;", "atom.acquire.sys.global.or.b32 %r3, [%rd2], 0;", "", 0,
     true},
    {"st.release.gpu.global.u32 [%rd2], %r4;", "ld.acquire.sys.global.u32 %r3, [%rd2];", "",
     TILEC_SIM_RACE_WRITE_READ, false},
    {"st.release.sys.global.u32 [%rd2], %r4;", "ld.acquire.gpu.global.u32 %r3, [%rd2];", "",
     TILEC_SIM_RACE_WRITE_READ, false},
    {"st.relaxed.sys.global.u32 [%rd2], %r4;", "ld.acquire.sys.global.u32 %r3, [%rd2];", "",
     TILEC_SIM_RACE_WRITE_READ, false},
    {"st.release.sys.global.u32 [%rd2], %r4;", "ld.relaxed.sys.global.u32 %r3, [%rd2];", "",
     TILEC_SIM_RACE_WRITE_READ, false},
    {"fence.acq_rel.gpu; st.relaxed.sys.global.u32 [%rd2], %r4;", "ld.relaxed.sys.global.u32 %r3, [%rd2];",
     "fence.acq_rel.sys;", TILEC_SIM_RACE_WRITE_READ, false},
    {"fence.acq_rel.sys; st.relaxed.sys.global.u32 [%rd2], %r4;", "ld.relaxed.sys.global.u32 %r3, [%rd2];",
     "fence.acq_rel.gpu;", TILEC_SIM_RACE_WRITE_READ, false},
    {"red.release.gpu.global.add.u32 [%rd2], %r4;", "atom.acquire.gpu.global.or.b32 %r3, [%rd2], 0;", "",
     TILEC_SIM_RACE_WRITE_READ, false},
    {"", "ld.acquire.sys.global.u32 %r3, [%rd2];", "", TILEC_SIM_DEADLOCK, false},
};

static SimFixture open_pair(const Pair *p, int schedule) {
  char text[4096];
  snprintf(text, sizeof text, pair, p->signal, p->wait, p->then);
  SimFixture fixture = sim_open_text(text, schedule);
  assert_int_equal(tilec_sim_check(fixture.sim, (tilec_sim_schedule)schedule, 1), TILEC_SIM_OK);
  return fixture;
}

static bool has_report(const tilec_sim *sim, const Pair *p) {
  for (size_t i = 0; i < tilec_sim_report_count(sim); i++) {
    const tilec_sim_report *report = tilec_sim_report_at(sim, i);
    bool race = p->kind == TILEC_SIM_RACE_WRITE_READ;
    if (report->kind == p->kind && report->device == 1 && (!race || report->other_device == 0)) return true;
  }
  return false;
}

static void check_pair(const Pair *p, int schedule, uint32_t devices) {
  static const uint32_t one[3] = {1, 1, 1};
  SimFixture fixture = open_pair(p, schedule);
  uint32_t ranks[2] = {0, 1}, data = 0, flag = 0, out = 0;
  uint64_t at[3] = {sim_bind(&fixture, &data, 4), sim_bind(&fixture, &flag, 4), sim_bind(&fixture, &out, 4)};
  const void *params[8] = {&ranks[0], &at[0], &at[1], &at[2], &ranks[1], &at[0], &at[1], &at[2]};
  tilec_sim_result result = tilec_sim_launch_devices(fixture.sim, tilec_sim_kernel_at(fixture.module, 0),
                                                     devices, one, one, 0, params);
  if (p->right)
    assert_int_equal(result, TILEC_SIM_OK);
  else
    assert_int_equal(result, TILEC_SIM_ERROR_KERNEL);
  if (p->right) assert_int_equal(out, 7);
  if (!p->right) assert_true(has_report(fixture.sim, p));
  sim_close(&fixture);
}

TEST(test_only_system_scope_orders_devices) {
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int schedule = 0; schedule < SCHEDULES; schedule++) check_pair(&pairs[i], schedule, 2);
}

// Every CTA adds 1 to the counter and waits until all of both devices have.
static const char meet[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
                           ".visible .entry meet(.param .u64 counter, .param .u32 all)\n{\n"
                           ".reg .pred %p1; .reg .b32 %r<4>; .reg .b64 %rd1;\n"
                           "ld.param.u64 %rd1, [counter]; ld.param.u32 %r1, [all];\n"
                           "red.release.sys.global.add.u32 [%rd1], 1;\n"
                           "wait: ld.acquire.sys.global.u32 %r2, [%rd1];\n"
                           "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra wait;\nret;\n}\n";

static tilec_sim_result launch_meet(uint32_t blocks, uint32_t threads, uint32_t *counter) {
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  SimFixture fixture;
  options.multiprocessors = 1;
  options.threads = threads;
  assert_int_equal(tilec_sim_create(&options, &fixture.sim), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_load(fixture.sim, meet, sizeof meet - 1, &fixture.module), TILEC_SIM_OK);
  uint32_t grid[3] = {blocks, 1, 1}, block[3] = {1024, 1, 1}, all = 2 * blocks * 1024;
  uint64_t address = sim_bind(&fixture, counter, 4);
  const void *params[4] = {&address, &all, &address, &all};
  tilec_sim_result result = tilec_sim_launch_devices(fixture.sim, tilec_sim_kernel_at(fixture.module, 0), 2,
                                                     grid, block, 0, params);
  sim_close(&fixture);
  return result;
}

// A device holds two CTAs of 1024 threads. A third one never starts, although the other device has ended.
TEST(test_each_device_has_room_of_its_own) {
  for (uint32_t threads = 1; threads <= 2; threads++) {
    uint32_t counter = 0;
    assert_int_equal(launch_meet(2, threads, &counter), TILEC_SIM_OK);
    assert_int_equal(counter, 4096);
    counter = 0;
    assert_int_equal(launch_meet(3, threads, &counter), TILEC_SIM_ERROR_KERNEL);
    assert_int_equal(counter, 4096);
  }
}

TEST(test_wrong_numbers_of_devices_are_refused) {
  static const uint32_t one[3] = {1, 1, 1};
  SimFixture fixture = open_pair(&pairs[0], 0);
  const void *params[4] = {0};
  const tilec_sim_kernel *kernel = tilec_sim_kernel_at(fixture.module, 0);
  assert_int_equal(tilec_sim_launch_devices(fixture.sim, kernel, 0, one, one, 0, params),
                   TILEC_SIM_ERROR_INVALID);
  assert_int_equal(
      tilec_sim_launch_devices(fixture.sim, kernel, TILEC_SIM_MAX_DEVICES + 1, one, one, 0, params),
      TILEC_SIM_ERROR_INVALID);
  sim_close(&fixture);
}

int suite_sim_devices(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_only_system_scope_orders_devices),
      cmocka_unit_test(test_each_device_has_room_of_its_own),
      cmocka_unit_test(test_wrong_numbers_of_devices_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
