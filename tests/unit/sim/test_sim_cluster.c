// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters of CTAs: distributed shared memory, the cluster's barrier, mbarriers of other CTAs, multicast copies,
// st.async. Faults are planted in right kernels (tests/golden/sim/cluster.ptx) by edits of lines.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"
#include "tests/unit/sim_plant.h"
#include "tests/unit/unit.h"

enum { THREADS = 64, WORDS = 4 * THREADS * 4, INPUTS = 128, TWICE = 2, SIZE_X = 4, SIZE_Y = 6, FIELDS = 12 };

static tilec_sim_result run(SimFixture *f, const char *kernel, uint32_t *out, uint32_t *in) {
  uint64_t po = sim_bind(f, out, WORDS * sizeof *out), pi = sim_bind(f, in, INPUTS * sizeof *in);
  const void *one[] = {&po}, *two[] = {&pi, &po};
  uint32_t blocks = strcmp(kernel, "exchange") == 0 ? 4 : 2;
  return sim_launch(f, kernel, blocks, 1, THREADS, 0, strcmp(kernel, "multicast") == 0 ? two : one);
}

static bool is_right(const char *kernel, const uint32_t *out, const uint32_t *in) {
  bool right = true;
  for (uint32_t t = 0; t < THREADS; t++) {
    const uint32_t *of = out + (size_t)t * 4;
    if (strcmp(kernel, "send") == 0)
      right &= of[0] == t + 100 && of[1] == t + 200 && of[2] == t + 300 && of[3] == 1;
    for (uint32_t b = 0; b < 4 && strcmp(kernel, "exchange") == 0; b++, of += (size_t)4 * THREADS)
      right &=
          of[0] == (b ^ 1) * 1000 + t && of[1] == b * 1000 + t && of[2] == THREADS && of[3] == ((b & 1) ^ 1);
  }
  for (uint32_t i = 0; i < TWICE * INPUTS && strcmp(kernel, "multicast") == 0; i++)
    right &= out[i] == in[i % INPUTS];
  return right;
}

static void fill(uint32_t *out, uint32_t *in) {
  memset(out, 0xff, WORDS * sizeof *out);
  for (uint32_t i = 0; i < INPUTS; i++) in[i] = 7 * i;
}

TEST(test_right) {
  static const char *const kernels[] = {"exchange", "send", "multicast"};
  static uint32_t out[WORDS], in[INPUTS];
  char *text = plant_read("cluster.ptx");
  for (int i = 0; i < 3 * SCHEDULES * 2; i++) {
    const char *kernel = kernels[i % 3];
    SimFixture f = plant_open(text, i / 3 % SCHEDULES, i / 3 / SCHEDULES);
    fill(out, in);
    tilec_sim_result result = run(&f, kernel, out, in);
    if (result) print_error("%s: %s\n", kernel, tilec_sim_message(f.sim));
    assert_int_equal(result, TILEC_SIM_OK);
    assert_true(is_right(kernel, out, in));
    sim_close(&f);
  }
  free(text);
}

// Clusters in two dimensions, by a launch.
TEST(test_registers) {
  static uint32_t out[SIZE_X * SIZE_Y * FIELDS];
  SimFixture f = sim_open_file("cluster.ptx", TILEC_SIM_LATE);
  const tilec_sim_kernel *kernel;
  uint64_t address = sim_bind(&f, out, sizeof out);
  const void *params[] = {&address};
  const uint32_t grid[3] = {SIZE_X, SIZE_Y, 1}, cluster[3] = {2, 3, 1}, block[3] = {1, 1, 1};
  assert_int_equal(tilec_sim_find(f.sim, f.module, "registers", &kernel), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_launch_cluster(f.sim, kernel, grid, cluster, block, 0, params), TILEC_SIM_OK);
  for (uint32_t y = 0; y < SIZE_Y; y++)
    for (uint32_t x = 0; x < SIZE_X; x++) {
      const uint32_t want[FIELDS] = {x / 2, y / 3, 2, 2, x % 2, y % 3, 2, 3, y % 3 * 2 + x % 2, 6, x, y};
      assert_memory_equal(out + (size_t)(y * SIZE_X + x) * FIELDS, want, sizeof want);
    }
  sim_close(&f);
}

// Half of the threads arrive at the cluster's barrier and exit: the others still wait for all of the cluster. A 64-bit
// address of .shared is truncated to 32 bits, so that the generic one will do (PTX ISA 6.4.1).
static const char leaving_text[] =
    ".version 8.6\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 po)\n.reqntid 64 .reqnctapercluster 2\n{\n"
    ".reg .b64 %o, %g, %y;\n.reg .b32 %t, %c, %x, %u;\n.reg .pred %p;\n.shared .align 4 .b32 s[64];\n"
    "ld.param.u64 %o, [po];\nmov.u32 %t, %tid.x;\nmov.u32 %c, %cluster_ctarank;\n"
    "mul.wide.u32 %y, %t, 4;\nmov.u64 %g, s;\ncvta.shared.u64 %g, %g;\nadd.u64 %g, %g, %y;\n"
    "mad.lo.u32 %x, %c, 64, %t;\nadd.u32 %x, %x, 5;\nst.shared.b32 [%g], %x;\n"
    "barrier.cluster.arrive.release;\nsetp.lt.u32 %p, %t, 32;\n@%p exit;\nbarrier.cluster.wait.acquire;\n"
    "xor.b32 %c, %c, 1;\nmov.u32 %u, s;\nmapa.shared::cluster.u32 %u, %u, %c;\nmad.lo.u32 %u, %t, 4, %u;\n"
    "ld.shared::cluster.b32 %x, [%u];\nmad.lo.u32 %c, %c, 64, %t;\nmul.wide.u32 %y, %c, 4;\n"
    "add.u64 %o, %o, %y;\nst.global.b32 [%o], %x;\n"
    "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\nret;\n}\n";

TEST(test_threads_that_leave) {
  uint32_t out[2 * THREADS];
  for (int i = 0; i < 2 * SCHEDULES; i++) {
    SimFixture f = plant_open(leaving_text, i / 2, i % 2);
    memset(out, 0, sizeof out);
    uint64_t po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&po};
    sim_run(&f, "k", 2, 1, THREADS, 0, params);
    for (uint32_t t = 0; t < 2 * THREADS; t++)
      assert_int_equal(out[t], t % THREADS < THREADS / 2 ? 0 : t + 5);
    sim_close(&f);
  }
}

TEST(test_refused_launches) {
  static const struct {
    const char *kernel;
    uint32_t grid, cluster;
    const char *says;
  } launches[] = {{"registers", 6, 4, "not a multiple of the cluster's 4"},
                  {"registers", 0x20, 0x20, "at most 16 CTAs"},
                  {"registers", 2, 0, "a cluster dimension is zero"},
                  {"send", 4, 4, ".reqnctapercluster requires 2 x 1 x 1"},
                  {"send", 3, 2, "not a multiple of the cluster's 2"}};
  SimFixture f = sim_open_file("cluster.ptx", TILEC_SIM_LATE);
  for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
    const tilec_sim_kernel *kernel;
    uint64_t address = 0;
    const void *params[] = {&address};
    const uint32_t grid[3] = {launches[i].grid, 1, 1}, cluster[3] = {launches[i].cluster, 1, 1},
                   block[3] = {THREADS, 1, 1};
    assert_int_equal(tilec_sim_find(f.sim, f.module, launches[i].kernel, &kernel), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_launch_cluster(f.sim, kernel, grid, cluster, block, 0, params),
                     TILEC_SIM_ERROR_INVALID);
    if (!strstr(tilec_sim_message(f.sim), launches[i].says)) fail_msg("%s", tilec_sim_message(f.sim));
  }
  sim_close(&f);
}

enum { LATE = 1 << TILEC_SIM_LATE | 1 << TILEC_SIM_LATE_DOWN };

// Each: kernel, the lines to change, their new text (NULL: none), the report's kind, its line, and what it says.
static const Plant plants[] = {
    {"exchange", "aligned; // start", NULL, TILEC_SIM_CLUSTER, "// store", "may not have started yet", 0},
    {"exchange", "aligned; // start", NULL, TILEC_SIM_CLUSTER, "// atomic", "before the access", 0},
    {"exchange", "aligned; // written", NULL, TILEC_SIM_UNINITIALISED, "// own", "nothing has written", 0},
    {"exchange", "aligned; // end", NULL, TILEC_SIM_CLUSTER, "// peer", "may have ended", 0},
    {"exchange", "// store", "st.shared.u32 [%r6], %r8; // store", TILEC_SIM_OUT_OF_BOUNDS, "// store",
     "is not .shared::cluster", 0},
    {"exchange", "// store", "st.shared::cluster.u32 [%r6+8192], %r8; // store", TILEC_SIM_OUT_OF_BOUNDS,
     "// store", "of 272 bytes", 0},
    {"exchange", "mapa.shared", "mapa.shared::cluster.u32 %r6, %r5, 2; // rank", TILEC_SIM_OUT_OF_BOUNDS, "// store",
     "belongs to CTA 2 of a cluster of 2", 0},
    {"exchange", "aligned; // written", "bar.sync 0; // written", TILEC_SIM_RACE_WRITE_READ, "// own",
     "cluster.sync()", 1 << TILEC_SIM_LATE_DOWN},
    {"send", "// arrive", NULL, TILEC_SIM_DEADLOCK, NULL, "64 arrivals", 0},
    {"send", "// wait", "bra BYTES; // wait", TILEC_SIM_RACE_WRITE_READ, "// read", "not ordered", 0},
    {"send", "// expect", "mbarrier.arrive.expect_tx.shared.b64 _, [bytes], 768; // expect",
     TILEC_SIM_DEADLOCK, NULL, "256 bytes pending", 0},
    {"send", "// visible", NULL, TILEC_SIM_RACE_WRITE_READ, "// copy", "fence.proxy.async", 0},
    {"send", "// filled", NULL, TILEC_SIM_RACE_WRITE_READ, "// copy", "__syncthreads() (bar.sync", LATE},
    {"send", "// end", NULL, TILEC_SIM_CLUSTER, "// copy", "may have ended", 0},
    {"multicast", "// init fence", NULL, TILEC_SIM_MBARRIER, "// copy", "fence.mbarrier_init", 0},
    {"multicast", "aligned; // start", "bar.sync 0;", TILEC_SIM_CLUSTER, "// copy",
     "may not have started yet", 0},
    {"multicast", "// expect", "mbarrier.arrive.expect_tx.shared.b64 _, [full], 256; // expect",
     TILEC_SIM_MBARRIER, "// expect", "256 bytes more", 0},
    {"multicast", "mov.u16", "mov.u16 %h1, 7;", TILEC_SIM_ASYNC, "// copy", "the cluster has 2", 0},
    {"multicast", "mov.u16", "mov.u16 %h1, 1;", TILEC_SIM_DEADLOCK, NULL, "512 bytes pending", 0},
};

static void test_planted(void **state) {
  static uint32_t out[WORDS], in[INPUTS];
  const Plant *p = *state;
  char *text = plant_read("cluster.ptx");
  plant_edit(text, p);
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    if (p->schedules && !(p->schedules >> schedule & 1)) continue;
    SimFixture f = plant_open(text, schedule, true);
    fill(out, in);
    assert_int_equal(run(&f, p->kernel, out, in), TILEC_SIM_ERROR_KERNEL);
    plant_expect(&f, text, p, schedule);
    sim_close(&f);
  }
  free(text);
}

int suite_sim_cluster(void) {
  enum { COUNT = sizeof plants / sizeof *plants };
  static struct CMUnitTest tests[COUNT + 4];
  static char names[COUNT][120];
  for (size_t i = 0; i < COUNT; i++) tests[i] = plant_test(&plants[i], i, names[i], test_planted);
  tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(test_right);
  tests[COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(test_registers);
  tests[COUNT + 2] = (struct CMUnitTest)cmocka_unit_test(test_refused_launches);
  tests[COUNT + 3] = (struct CMUnitTest)cmocka_unit_test(test_threads_that_leave);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
