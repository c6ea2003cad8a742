// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's promises about order: lanes that diverge and reconverge, groups that wait, warps,
// CTAs, schedules and host threads. Also the registers at a CTA's start.

#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

#define HEAD                                                                                                 \
  ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to, .param .u64 other)\n{\n"
#define REGISTERS ".reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<9>; .reg .f32 %f<9>;\n"
#define THREAD                                                                                               \
  "ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"              \
  "mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2;\n"

typedef struct Ran {
  tilec_sim_result result;
  tilec_sim_counters total;
  tilec_sim_report_kind kind; // of the first report
  uint32_t out[4096];
} Ran;

// One launch of `k` with `out` and `other` (which is 0 at first) as parameters.
static Ran run(const char *text, tilec_sim_options options, uint32_t blocks, uint32_t threads) {
  static Ran ran;
  uint32_t other[1024] = {0};
  memset(&ran, 0, sizeof ran);
  SimFixture f;
  assert_int_equal(tilec_sim_create(&options, &f.sim), TILEC_SIM_OK);
  tilec_sim_result loaded = tilec_sim_load(f.sim, text, strlen(text), &f.module);
  if (loaded) fail_msg("%s", tilec_sim_message(f.sim));
  uint64_t addresses[] = {sim_bind(&f, ran.out, sizeof ran.out), sim_bind(&f, other, sizeof other)};
  const void *params[] = {&addresses[0], &addresses[1]};
  ran.result = sim_launch(&f, "k", blocks, 1, threads, 0, params);
  tilec_sim_total(f.sim, &ran.total);
  if (tilec_sim_report_count(f.sim)) ran.kind = tilec_sim_report_at(f.sim, 0)->kind;
  sim_close(&f);
  return ran;
}

static Ran run_plain(const char *text, uint32_t blocks, uint32_t threads) {
  Ran ran = run(text, (tilec_sim_options)TILEC_SIM_OPTIONS_INIT, blocks, threads);
  assert_int_equal(ran.result, TILEC_SIM_OK);
  return ran;
}

// ---- lanes ----

// 10 instructions until all reconverge. Each arm's are counted once, and those after them once too.
TEST(test_lanes_that_parted_meet_at_the_lowest_instruction) {
  static const char text[] = HEAD REGISTERS "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7;\n"           // 2
                                            "@%p1 bra A;\nadd.u32 %r2, %r1, 1;\nbra.uni B;\n"           // 3
                                            "A: add.u32 %r2, %r1, 2;\nadd.u32 %r2, %r2, 3;\n"           // 2
                                            "B: add.u32 %r3, %r2, 1;\nadd.u32 %r3, %r3, 1;\nret;\n}\n"; // 3
  assert_int_equal(run_plain(text, 1, 32).total.instructions, 10);
  assert_int_equal(run_plain(text, 3, 64).total.instructions, 3 * (10 + 8)); // the second warp goes one way
}

// Lane 0, lanes 1 to 9 and the others each run their own loop. They note how far their clock (which
// counts the warp's instructions) jumps at the loop's end. A group's turn ends there.
TEST(test_no_group_waits_longer_than_1000_instructions) {
#define LOOP(label)                                                                                          \
  label ": mov.u32 %r6, %clock;\nsub.u32 %r7, %r6, %r5;\nmax.u32 %r8, %r8, %r7;\nadd.u32 %r9, %r9, 1;\n"     \
        "setp.lt.u32 %p1, %r9, 3000;\nmov.u32 %r5, %clock;\n@%p1 bra " label                                 \
        ";\nst.global.u32 [%d3], %r8;\nret;\n"
  static const char text[] = HEAD REGISTERS THREAD
      "mov.u32 %r5, %clock; mov.u32 %r8, 0; mov.u32 %r9, 0;\nsetp.gt.u32 %p2, %r1, 9;\n@%p2 bra C;\n"
      "setp.gt.u32 %p2, %r1, 0;\n@%p2 bra B;\n" LOOP("A") LOOP("B") LOOP("C") "}\n";
  Ran ran = run_plain(text, 1, 32);
  enum { PATIENCE = 1000, TURN = 32, LOOP_LENGTH = 7, OTHERS = 2 };
  for (int l = 0; l < 32; l++) {
    uint32_t leap = ran.out[l];
    if (leap > PATIENCE + OTHERS * (TURN + LOOP_LENGTH)) fail_msg("lane %d waited %u instructions", l, leap);
    if (l && leap < PATIENCE / 2) fail_msg("lane %d did not wait: %u", l, leap); // the test's own assumption
  }
}

// Lanes 0 to 15 take a long path to the warp's barrier, the others a short one, at another
// instruction. Accesses that the barrier orders are no race.
TEST(test_a_warp_barrier_waits_for_its_lanes) {
  static const char text[] =
      HEAD REGISTERS ".shared .align 4 .b8 s[128];\n" THREAD
                     "mov.u32 %r5, s; mad.lo.u32 %r6, %r1, 4, %r5; mov.u32 %r7, 0; mov.u32 %r8, 0;\n"
                     "setp.gt.u32 %p1, %r1, 15;\n@%p1 bra SHORT;\n"
                     "LONG: add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 5000;\n@%p2 bra LONG;\n"
                     "st.shared.u32 [%r6], %r7;\nbar.warp.sync 0xffffffff;\nbra.uni END;\n"
                     "SHORT: bar.warp.sync 0xffffffff;\nld.shared.u32 %r8, [%r6+-64];\n"
                     "END: st.global.u32 [%d3], %r8;\nret;\n}\n";
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  for (options.checks = 0; options.checks < 2; options.checks++) {
    Ran ran = run(text, options, 1, 32);
    assert_int_equal(ran.result, TILEC_SIM_OK);
    for (int l = 0; l < 32; l++) assert_int_equal(ran.out[l], l < 16 ? 0 : 5000);
  }
}

// ---- warps and blocks ----

TEST(test_schedules_turn_the_order_of_warps) {
  static const char text[] = HEAD REGISTERS THREAD
      "and.b32 %r5, %r1, 31; setp.eq.u32 %p1, %r5, 0; ld.param.u64 %d4, [other];\n"
      "@%p1 atom.global.add.u32 %r6, [%d4], 1;\n@%p1 st.global.u32 [%d3], %r6;\nret;\n}\n";
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
    options.schedule = (tilec_sim_schedule)schedule;
    bool down = schedule == TILEC_SIM_LATE_DOWN || schedule == TILEC_SIM_EARLY_DOWN;
    Ran ran = run(text, options, 1, 256);
    for (uint32_t w = 0; w < 8; w++) assert_int_equal(ran.out[32 * w], down ? 7 - w : w);
  }
}

// Every block waits for all others, which only works where all make progress.
TEST(test_resident_blocks_make_progress_together) {
  static const char text[] = HEAD REGISTERS THREAD
      "ld.param.u64 %d4, [other]; setp.ne.u32 %p1, %r1, 0; mov.u32 %r7, %nctaid.x;\n@%p1 bra END;\n"
      "red.global.add.u32 [%d4], 1;\n"
      "WAIT: ld.volatile.global.u32 %r5, [%d4];\nsetp.lt.u32 %p2, %r5, %r7;\n@%p2 bra WAIT;\n"
      "END: st.global.u32 [%d3], %r7;\nret;\n}\n";
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.multiprocessors = 1;
  options.instruction_budget = 20000000;
  for (uint32_t threads = 1; threads <= 3; threads += 2) {
    options.threads = threads;
    assert_int_equal(run(text, options, 32, 32).result, TILEC_SIM_OK); // a multiprocessor holds 32 blocks
  }
  options.threads = 1;
  Ran ran = run(text, options, 33, 32);
  assert_int_equal(ran.result, TILEC_SIM_ERROR_KERNEL);
  assert_int_equal(ran.kind, TILEC_SIM_DEADLOCK); // at once
  options.multiprocessors = 0; // 132 of them
  assert_int_equal(run(text, options, 128, 32).result, TILEC_SIM_OK);
}

// ---- reproducible ----

// Each block sums through shared memory, in whole numbers; `add` adds its sum to one place.
#define REDUCTION(add)                                                                                       \
  HEAD REGISTERS ".shared .align 4 .b8 s[512];\n" THREAD                                                     \
                 "mov.u32 %r5, s; mad.lo.u32 %r6, %r1, 4, %r5; mul.lo.u32 %r7, %r4, 2654435761;\n"           \
                 "shr.u32 %r7, %r7, 20; st.shared.u32 [%r6], %r7; mov.u32 %r8, 64;\nLOOP: bar.sync 0;\n"     \
                 "setp.lt.u32 %p1, %r1, %r8; mad.lo.u32 %r9, %r8, 4, %r6;\n"                                 \
                 "@%p1 ld.shared.u32 %r10, [%r9];\n@%p1 ld.shared.u32 %r11, [%r6];\n"                        \
                 "add.u32 %r10, %r10, %r11;\n@%p1 st.shared.u32 [%r6], %r10;\nshr.u32 %r8, %r8, 1;\n"        \
                 "setp.ne.u32 %p2, %r8, 0;\n@%p2 bra LOOP;\nst.global.u32 [%d3], %r10;\n"                    \
                 "setp.eq.u32 %p3, %r1, 0; cvt.rn.f32.u32 %f1, %r10; mul.f32 %f1, %f1, 0f3DCCCCCD;\n" add    \
                 "\nret;\n}\n"

TEST(test_host_threads_change_nothing) {
  static const char text[] = REDUCTION("@%p3 red.global.add.u32 [%d1], %r10;");
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  static Ran one;
  one = run(text, options, 30, 128);
  assert_int_equal(one.result, TILEC_SIM_OK);
  assert_true(one.total.shared_wavefronts > 0 && one.total.barriers > 0);
  for (uint32_t threads = 2; threads <= 9; threads += 1 + threads % 3) {
    options.threads = threads;
    Ran ran = run(text, options, 30, 128);
    assert_int_equal(ran.result, TILEC_SIM_OK);
    assert_memory_equal(&ran.total, &one.total, sizeof one.total);
    assert_memory_equal(ran.out + 1, one.out + 1,
                        sizeof one.out - sizeof *one.out); // out[0]: stored and added to
  }
}

// Sums of floats depend on their order.
TEST(test_one_host_thread_is_reproducible_to_the_bit) {
  static const char text[] = REDUCTION("@%p3 red.global.add.f32 [%d1+8192], %f1;");
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
    options.schedule = (tilec_sim_schedule)schedule;
    static Ran first;
    first = run(text, options, 16, 128);
    assert_int_equal(first.result, TILEC_SIM_OK);
    assert_int_not_equal(first.out[2048], 0);
    for (int i = 0; i < 3; i++) {
      Ran again = run(text, options, 16, 128);
      assert_memory_equal(&again, &first, sizeof first);
    }
  }
}

// ---- registers ----

// Blocks run in the same memory, one after another. Even ones write registers that odd ones only read.
TEST(test_registers_begin_as_zero) {
  static const char text[] = HEAD REGISTERS THREAD
      "add.u32 %r5, %r4, 77;\n" // written before it is read
      "and.b32 %r6, %r2, 1; setp.eq.u32 %p1, %r6, 1; and.b32 %r16, %r1, 1; setp.eq.u32 %p3, %r16, 1;\n"
      "@%p3 add.u32 %r12, %r4, 1000;\n" // by some lanes
      "add.u32 %r13, %r14, 1;\n@%p1 bra SKIP;\n"
      "mov.u32 %r7, 99;\nsetp.eq.u32 %p2, %r7, 99;\nmov.u32 %r14, 5;\n"
      "SKIP: selp.u32 %r8, 10000, 0, %p2;\nadd.u32 %r9, %r7, %r8;\nadd.u32 %r9, %r9, %r12;\n"
      "add.u32 %r9, %r9, %r13;\nadd.u32 %r9, %r9, %r5;\nst.global.u32 [%d3], %r9;\nret;\n}\n";
  for (uint32_t threads = 40; threads <= 64; threads += 24) {
    Ran ran = run_plain(text, 12, threads);
    for (uint32_t i = 0; i < 12 * threads; i++) {
      uint32_t even = i / threads % 2 == 0, odd_lane = i % threads % 2;
      assert_int_equal(ran.out[i], (even ? 10099 : 0) + (odd_lane ? i + 1000 : 0) + 1 + i + 77);
    }
  }
}

WHOLE_SUITE(sim_rules)
