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

// ---- multimem ----

static const char multimem[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 pm, .param .u64 pio)\n{\n"
    ".reg .b16 %%h<2>; .reg .b32 %%r<4>; .reg .b64 %%m, %%i, %%d; .shared .align 16 .b8 s[16];\n"
    "ld.param.u64 %%m, [pm]; ld.param.u64 %%i, [pio]; ld.global.v4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%i];\n"
    "mov.b64 %%d, {%%r0, %%r1}; mov.b32 {%%h0, %%h1}, %%r0;\n%s\n"
    "st.global.v4.b32 [%%i], {%%r0, %%r1, %%r2, %%r3};\nret;\n}\n";
#define LOAD  "multimem.ld_reduce."
#define R4    "{%r0, %r1, %r2, %r3}"
#define TO_R0 "mov.b64 {%r0, %r1}, %d;"

// Loads: the copies, and the results under ascending and descending orders. Others: the copies before and after, with
// the operand 8.
static const struct {
  const char *text;
  uint32_t copies[3], out[3];
} words[] = {
    {LOAD "add.f32 %r0, [%m];", {0x3fc00000, 0x40000000, 0xc0800000}, {0xbf000000, 0xbf000000}},
    {LOAD "weak.add.v4.f32 " R4 ", [%m];", {0x4b800000, 0x3f800000, 0x3f800000}, {0x4b800000, 0x4b800001}},
    {LOAD "acquire.sys.global.min.s32 %r0, [%m];", {3, -5, 7}, {-5, -5}},
    {LOAD "max.s64 %d, [%m];" TO_R0, {3, -5, 7}, {-5, -5}},
    {LOAD "xor.b64 %d, [%m];" TO_R0, {14, 11, 26}, {31, 31}},
    {LOAD "add.f16x2 %r0, [%m];", {0x3c006800, 0x3c003c00, 0x3c003c00}, {0x42006800, 0x42006801}},
    {LOAD "add.acc::f32.f16x2 %r0, [%m];", {0x3c006800, 0x3c003c00, 0x3c003c00}, {0x42006801, 0x42006801}},
    {LOAD "max.v2.bf16x2 {%r0, %r1}, [%m];", {0x3f80c000, 0x4000bf80, 0xc040}, {0x4000bf80, 0x4000bf80}},
    {"multimem.st.release.sys.v4.bf16x2 [%m], " R4 ";", {1, 2, 3}, {8, 8, 8}},
    {"multimem.st.v2.f16 [%m], {%h0, %h1};", {1, 2, 3}, {8, 8, 8}},
    {"multimem.red.release.sys.global.add.v4.f32 [%m], " R4 ";", {0x3f800000, 0, 1}, {0x3f800000, 8, 9}},
    {"multimem.red.relaxed.gpu.max.v2.f16x2 [%m], {%r0, %r1};", {1, 9, 0x80000008}, {8, 9, 8}},
    {"multimem.red.or.b64 [%m], %d;", {1, 2, 3}, {9, 10, 11}},
};

typedef struct Multimem {
  SimFixture fixture;
  _Alignas(16) uint32_t copies[3][4], io[4];
  uint64_t address, at[3], io_at;
} Multimem;

static tilec_sim_result launch_multimem(Multimem *m, const char *text, int schedule) {
  char all[2000];
  snprintf(all, sizeof all, multimem, text);
  m->fixture = sim_open_text(all, schedule);
  for (int i = 0; i < 3; i++) m->at[i] = sim_bind(&m->fixture, m->copies[i], 16);
  assert_int_equal(tilec_sim_multicast(m->fixture.sim, m->at, 3, 16, &m->address), TILEC_SIM_OK);
  m->io_at = sim_bind(&m->fixture, m->io, 16);
  return sim_launch(&m->fixture, "k", 1, 1, 1, 0, (const void *[]){&m->address, &m->io_at});
}

TEST(test_multimem_reaches_all_copies) {
  for (size_t i = 0; i < sizeof words / sizeof *words * SCHEDULES; i++) {
    const char *text = words[i / SCHEDULES].text;
    bool loads = strstr(text, "ld_reduce"), down = i % SCHEDULES >= TILEC_SIM_LATE_DOWN;
    Multimem m = {.io = {8}};
    for (int k = 0; k < 3; k++) m.copies[k][0] = words[i / SCHEDULES].copies[k];
    assert_int_equal(launch_multimem(&m, text, (int)(i % SCHEDULES)), TILEC_SIM_OK);
    for (int k = 0; k < (loads ? 1 : 3); k++) {
      uint32_t found = loads ? m.io[0] : m.copies[k][0], right = words[i / SCHEDULES].out[loads ? down : k];
      if (found != right) fail_msg("%s: 0x%x instead of 0x%x", text, found, right);
    }
    sim_close(&m.fixture);
  }
}

TEST(test_wrong_addresses_of_multimem) {
  static const struct {
    const char *text, *message;
    tilec_sim_report_kind kind;
  } bad[] = {
      {"ld.global.u32 %r0, [%m];", "only multimem instructions may access it (PTX", TILEC_SIM_MULTICAST},
      {"st.u32 [%m+4], %r0;", "only multimem instructions may access it", TILEC_SIM_MULTICAST},
      {"red.global.add.u32 [%m], %r0;", "only multimem instructions may", TILEC_SIM_MULTICAST},
      {"cp.async.cg.shared.global [s], [%m], 16;", "only multimem instructions may", TILEC_SIM_MULTICAST},
      {"multimem.st.u32 [%i], %r0;", "is no multicast address (PTX ISA 9.7.9.14)", TILEC_SIM_MULTICAST},
      {"multimem.st.u32 [%m+2], %r0;", "not a multiple of 4", TILEC_SIM_MISALIGNED},
      {"multimem.red.or.b64 [%m+16], %d;", "16 bytes into the allocation of 16", TILEC_SIM_OUT_OF_BOUNDS},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    Multimem m = {.io = {1}};
    assert_int_equal(launch_multimem(&m, bad[i].text, TILEC_SIM_LATE), TILEC_SIM_ERROR_KERNEL);
    const tilec_sim_report *report = tilec_sim_report_at(m.fixture.sim, 0);
    if (report->kind != bad[i].kind || !strstr(report->message, bad[i].message))
      fail_msg("%zu: %s", i, report->message);
    uint64_t copies[TILEC_SIM_MAX_DEVICES];
    assert_int_equal(tilec_sim_copies(m.fixture.sim, m.address + 4, copies), 3);
    assert_int_equal(copies[2], m.at[2] + 4);
    assert_int_equal(tilec_sim_copies(m.fixture.sim, m.io_at, copies), 0);
    copies[0]++;
    assert_int_equal(tilec_sim_multicast(m.fixture.sim, copies, 1, 4, &m.address), TILEC_SIM_ERROR_INVALID);
    assert_int_equal(tilec_sim_multicast(m.fixture.sim, m.at, 17, 4, &m.address), TILEC_SIM_ERROR_INVALID);
    assert_int_equal(tilec_sim_free(m.fixture.sim, m.address), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_free(m.fixture.sim, m.address), TILEC_SIM_ERROR_INVALID);
    sim_close(&m.fixture);
  }
}

WHOLE_SUITE(sim_devices)
