// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies and mbarriers, under all four schedules.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

// ---- kernels of nvcc ----

TEST(test_cp_async_double_buffering) {
  enum { N = 1337 };
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_file("async.ptx", schedule);
    static float x[N + 3], y[N + 3];
    for (int i = 0; i < N; i++) x[i] = (float)(i * 7 % 31), y[i] = -1;
    uint64_t px = sim_bind(&f, x, N * sizeof *x), py = sim_bind(&f, y, N * sizeof *y);
    int n = N;
    const void *params[] = {&px, &py, &n};
    sim_run(&f, "double_buffer", 1, 1, 128, 0, params);
    for (int i = 0; i < N; i++) {
      int from = i / 512 * 512 + 511 - i % 512;
      assert_float_equal(y[i], 2 * (from < N ? x[from] : 0) + 1, 0);
    }
    sim_close(&f);
  }
}

static uint16_t half_of_int(int value) { // -8 .. 8
  static const uint16_t bits[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800};
  return (uint16_t)(value < 0 ? bits[-value] | 0x8000 : bits[value]);
}

TEST(test_ldmatrix_and_mma_gemm) {
  enum { M = 64, N = 96, K = 80 };
  static uint16_t a[M * K], b[K * N];
  static float c[M * N];
  for (int i = 0; i < M * K; i++) a[i] = half_of_int(sim_small_int(i));
  for (int i = 0; i < K * N; i++) b[i] = half_of_int(sim_small_int(i + 99));
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_file("async.ptx", schedule);
    memset(c, 0xff, sizeof c);
    uint64_t pa = sim_bind(&f, a, sizeof a), pb = sim_bind(&f, b, sizeof b), pc = sim_bind(&f, c, sizeof c);
    int n = N, k = K;
    const void *params[] = {&pa, &pb, &pc, &n, &k};
    sim_run(&f, "mma_gemm", N / 32, M / 32, 128, 0, params);
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        int sum = 0;
        for (int x = 0; x < K; x++) sum += sim_small_int(i * K + x) * sim_small_int(x * N + j + 99);
        assert_float_equal(c[i * N + j], (float)sum, 0);
      }
    sim_close(&f);
  }
}

// ---- when effects are there ----

// Without its wait, what is read depends on the schedule; with it, on nothing.
TEST(test_the_schedule_decides_when_a_copy_is_there) {
  static const char text[] = HEAD ".visible .entry k(.param .u64 pi, .param .u64 po) {\n"
                                  ".reg .b64 %i, %o;\n.reg .b32 %r<3>;\n.shared .align 16 .b32 s[4];\n"
                                  "ld.param.u64 %i, [pi];\nld.param.u64 %o, [po];\n"
                                  "st.shared.u32 [s], 5;\n"
                                  "cp.async.ca.shared.global [s], [%i], 4;\n"
                                  "cp.async.commit_group;\n"
                                  "ld.shared.u32 %r0, [s];\n"
                                  "cp.async.wait_group 0;\n"
                                  "ld.shared.u32 %r1, [s];\n"
                                  "st.global.v2.u32 [%o], {%r0, %r1};\nret;\n}\n";
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text, schedule);
    uint32_t in = 9, out[2] = {0};
    uint64_t pi = sim_bind(&f, &in, sizeof in), po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&pi, &po};
    sim_run(&f, "k", 1, 1, 1, 0, params);
    assert_int_equal(out[0], sim_is_late(schedule) ? 5 : 9);
    assert_int_equal(out[1], 9);
    sim_close(&f);
  }
}

// Groups complete oldest first; src-size and ignore-src fill zeros.
TEST(test_groups_and_zero_fill) {
  static const char text[] =
      HEAD ".visible .entry k(.param .u64 pi, .param .u64 po) {\n"
           ".reg .b64 %i, %o;\n.reg .b32 %r<9>;\n.reg .pred %p;\n.shared .align 16 .b8 s[64];\n"
           "ld.param.u64 %i, [pi];\nld.param.u64 %o, [po];\n"
           "st.shared.v4.u32 [s], {7, 7, 7, 7};\nst.shared.v4.u32 [s+16], {7, 7, 7, 7};\n"
           "st.shared.v2.u32 [s+32], {7, 7};\n"
           "mov.u32 %r0, 6;\nsetp.eq.u32 %p, %r0, 6;\n"
           "cp.async.cg.shared.global [s], [%i], 16, %r0;\ncp.async.commit_group;\n"
           "cp.async.ca.shared.global [s+16], [%i], 8;\ncp.async.commit_group;\n"
           "cp.async.ca.shared.global [s+32], [%i], 8, %p;\ncp.async.commit_group;\n"
           "cp.async.wait_group 1;\n"
           "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];\nld.shared.v2.u32 {%r5, %r6}, [s+16];\n"
           "ld.shared.u32 %r7, [s+32];\ncp.async.wait_all;\nld.shared.u32 %r8, [s+36];\n"
           "st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};\nst.global.v4.u32 [%o+16], {%r5, %r6, %r7, %r8};\n"
           "ret;\n}\n";
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text, schedule);
    uint32_t in[4] = {0x11111111, 0x22222222, 0x33333333, 0x44444444}, out[8] = {0};
    uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&pi, &po};
    sim_run(&f, "k", 1, 1, 1, 0, params);
    uint32_t want[8] = {0x11111111, 0x2222, 0, 0, 0x11111111, 0x22222222, sim_is_late(schedule) ? 7 : 0, 0};
    assert_memory_equal(out, want, sizeof want);
    sim_close(&f);
  }
}

// Lanes wait for their cp.async through an mbarrier, both ways of counting.
TEST(test_cp_async_arrives_at_an_mbarrier) {
  for (int noinc = 0; noinc < 2; noinc++)
    for (int schedule = 0; schedule < SCHEDULES; schedule++) {
      char text[2000];
      snprintf(text, sizeof text,
               HEAD ".visible .entry k(.param .u64 pi, .param .u64 po) {\n"
                    ".reg .b64 %%i, %%o, %%t, %%state;\n.reg .b32 %%r<6>;\n.reg .pred %%p;\n"
                    ".shared .align 8 .b64 bar;\n.shared .align 16 .b32 s[32];\n"
                    "ld.param.u64 %%i, [pi];\nld.param.u64 %%o, [po];\nmov.u32 %%r0, %%tid.x;\n"
                    "setp.eq.u32 %%p, %%r0, 0;\n@%%p mbarrier.init.shared.b64 [bar], %d;\nbar.sync 0;\n"
                    "mul.wide.u32 %%t, %%r0, 4;\nadd.s64 %%i, %%i, %%t;\nadd.s64 %%o, %%o, %%t;\n"
                    "mov.u32 %%r1, s;\nshl.b32 %%r2, %%r0, 2;\nadd.u32 %%r1, %%r1, %%r2;\n"
                    "cp.async.ca.shared.global [%%r1], [%%i], 4;\n"
                    "cp.async.mbarrier.arrive%s.shared.b64 [bar];\n"
                    "%s\n"
                    "again:\nmbarrier.try_wait.parity.shared.b64 %%p, [bar], 0;\n@!%%p bra again;\n"
                    "xor.b32 %%r3, %%r2, 64;\nmov.u32 %%r4, s;\nadd.u32 %%r4, %%r4, %%r3;\n"
                    "ld.shared.u32 %%r5, [%%r4];\nst.global.u32 [%%o], %%r5;\nret;\n}\n",
               32, noinc ? ".noinc" : "", noinc ? "" : "mbarrier.arrive.shared.b64 %state, [bar];");
      SimFixture f = sim_open_text(text, schedule);
      uint32_t in[32], out[32] = {0};
      for (uint32_t i = 0; i < 32; i++) in[i] = 100 + i;
      uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
      const void *params[] = {&pi, &po};
      sim_run(&f, "k", 1, 1, 32, 0, params);
      for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 100 + (i ^ 16));
      sim_close(&f);
    }
}

// ---- bulk copies ----

TEST(test_bulk_copies_and_reductions) {
  static const char text[] =
      HEAD ".visible .entry k(.param .u64 pi, .param .u64 po) {\n"
           ".reg .b64 %i, %o;\n.reg .b32 %r<4>;\n.reg .pred %p;\n"
           ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[64];\n.shared .align 16 .b8 u[64];\n"
           "ld.param.u64 %i, [pi];\nld.param.u64 %o, [po];\n"
           "mbarrier.init.shared::cta.b64 [bar], 1;\nfence.proxy.async.shared::cta;\n"
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n"
           "cp.async.bulk.prefetch.L2.global [%i], 64;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%i], 32, [bar];\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+32], [%i+32], 32, [bar];\n"
           "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0, 1000;\n@!%p bra again;\n"
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n"
           "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [u], [s], 64, [bar];\n"
           "more:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 1;\n@!%p bra more;\n"
           "cp.async.bulk.global.shared::cta.bulk_group [%o], [u], 64;\n"
           "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
           "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%o], [s], 32;\n"
           "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%o+32], [s], 32;\n"
           "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\n"
           "st.shared.v4.u32 [s], {1, 2, 3, 4};\nret;\n}\n";
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text, schedule);
    uint32_t in[16], out[16] = {0};
    for (uint32_t i = 0; i < 16; i++) in[i] = i < 8 ? 50 + i : (uint32_t)(100 - 10 * (int)i);
    uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&pi, &po};
    sim_run(&f, "k", 1, 1, 1, 0, params);
    for (uint32_t i = 0; i < 16; i++) {
      int32_t a = (int32_t)in[i], b = (int32_t)in[i - 8 < 8 ? i - 8 : i];
      assert_int_equal((int32_t)out[i], i < 8 ? 2 * a : a > b ? a : b);
    }
    sim_close(&f);
  }
}

// ---- mbarriers ----

TEST(test_tokens_phases_and_drops) {
  static const char text[] =
      HEAD ".visible .entry k(.param .u64 po) {\n"
           ".reg .b64 %o, %s<3>;\n.reg .b32 %r<12>;\n.reg .pred %p<9>;\n.shared .align 8 .b64 bar;\n"
           "ld.param.u64 %o, [po];\nmbarrier.init.shared.b64 [bar], 3;\n"
           "mbarrier.arrive.shared.b64 %s0, [bar];\nmbarrier.pending_count.b64 %r0, %s0;\n"
           "mbarrier.test_wait.shared.b64 %p0, [bar], %s0;\n"
           "mbarrier.arrive_drop.shared.b64 %s1, [bar];\nmbarrier.pending_count.b64 %r1, %s1;\n"
           "mbarrier.arrive.noComplete.shared.b64 %s2, [bar], 1;\n"
           "mbarrier.test_wait.shared.b64 %p1, [bar], %s0;\n"
           "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n"
           "mbarrier.test_wait.parity.shared.b64 %p3, [bar], 1;\n"
           "mbarrier.arrive.shared.b64 %s0, [bar], 2;\nmbarrier.pending_count.b64 %r2, %s0;\n"
           "mbarrier.test_wait.parity.shared.b64 %p4, [bar], 1;\n"
           "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 32;\nmbarrier.arrive.shared.b64 %s0, [bar], 2;\n"
           "mbarrier.test_wait.shared.b64 %p5, [bar], %s0;\n"
           "mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 32;\n"
           "mbarrier.test_wait.shared.b64 %p6, [bar], %s0;\nmbarrier.inval.shared.b64 [bar];\n"
           "selp.u32 %r3, 1, 0, %p0;\nselp.u32 %r4, 1, 0, %p1;\nselp.u32 %r5, 1, 0, %p2;\nselp.u32 %r6, 1, "
           "0, %p3;\n"
           "selp.u32 %r7, 1, 0, %p4;\nselp.u32 %r8, 1, 0, %p5;\nselp.u32 %r9, 1, 0, %p6;\n"
           "st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};\nst.global.v4.u32 [%o+16], {%r4, %r5, %r6, %r7};\n"
           "st.global.v2.u32 [%o+32], {%r8, %r9};\nret;\n}\n";
  static const uint32_t want[] = {3, 2, 2, 0, 1, 1, 0, 1, 0, 1};
  SimFixture f = sim_open_text(text, TILEC_SIM_LATE);
  uint32_t out[12] = {0};
  uint64_t po = sim_bind(&f, out, sizeof out);
  const void *params[] = {&po};
  sim_run(&f, "k", 1, 1, 1, 0, params);
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) assert_int_equal(out[i], want[i]);
  sim_close(&f);
}

typedef struct Mistake {
  const char *body;
  tilec_sim_report_kind kind;
  const char *part; // of the message
} Mistake;

TEST(test_mistakes_are_reported) {
  static const Mistake mistakes[] = {
      {"mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive.shared.b64 %s, [bar];\n"
       "again:\nmbarrier.try_wait.shared.b64 %p, [bar], %s;\n@!%p bra again;\n",
       TILEC_SIM_DEADLOCK, "1 arrivals and 0 bytes pending"},
      {"mbarrier.arrive.shared.b64 %s, [bar];\n", TILEC_SIM_MBARRIER, "not initialised"},
      {"mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.shared.b64 %s, [bar], 2;\n", TILEC_SIM_MBARRIER,
       "more arrivals"},
      {"mbarrier.init.shared.b64 [bar], 1;\nmbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1048576;\n",
       TILEC_SIM_MBARRIER, "2^20"},
      {"cp.async.bulk.global.shared::cta.bulk_group [%o], [s], 24;\n", TILEC_SIM_ASYNC, "multiple of 16"},
      {"cp.async.bulk.global.shared::cta.bulk_group [%o+8], [s], 16;\n", TILEC_SIM_MISALIGNED, "16"},
      {"cp.async.bulk.global.shared::cta.bulk_group [%o+112], [s], 32;\n", TILEC_SIM_OUT_OF_BOUNDS,
       "allocation"},
      {"cp.async.ca.shared.global [s], [%o+128], 4;\n", TILEC_SIM_OUT_OF_BOUNDS, "allocation"},
      {"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%o, {0, 0}];\n", TILEC_SIM_ASYNC, "no tensor map"},
      {"mov.u32 %r, s;\nmapa.shared::cluster.u32 %r, %r, 1;\nst.shared::cluster.u32 [%r], 1;\n",
       TILEC_SIM_OUT_OF_BOUNDS, "of 80 bytes"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    char text[1500];
    snprintf(text, sizeof text,
             HEAD
             ".visible .entry k(.param .u64 po) {\n.reg .b64 %%o, %%s;\n.reg .b32 %%r;\n.reg .pred %%p;\n"
             ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[64];\nld.param.u64 %%o, [po];\n%sret;\n}\n",
             mistakes[i].body);
    SimFixture f = sim_open_text(text, TILEC_SIM_EARLY);
    uint64_t po;
    assert_int_equal(tilec_sim_alloc(f.sim, 128, &po), TILEC_SIM_OK);
    const void *params[] = {&po};
    assert_int_equal(sim_launch(&f, "k", 1, 1, 1, 0, params), TILEC_SIM_ERROR_KERNEL);
    const tilec_sim_report *report = tilec_sim_report_at(f.sim, 0);
    if (report->kind != mistakes[i].kind || !strstr(report->message, mistakes[i].part))
      fail_msg("%zu: %s", i, tilec_sim_message(f.sim));
    sim_close(&f);
  }
}

TEST(test_a_cluster_of_one) {
  static const char text[] = HEAD
      ".visible .entry k(.param .u64 po) {\n.reg .b64 %o, %t;\n.reg .b32 %r<9>;\n"
      ".shared .align 4 .b32 s[64];\nld.param.u64 %o, [po];\nmov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\n"
      "mov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\nst.shared.u32 [%r2], %r0;\n"
      "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
      "xor.b32 %r3, %r1, 128;\nmov.u32 %r4, s;\nadd.u32 %r3, %r3, %r4;\n"
      "mapa.shared::cluster.u32 %r3, %r3, 0;\nld.shared::cluster.u32 %r5, [%r3];\n"
      "getctarank.shared::cluster.u32 %r6, %r3;\nmov.u32 %r7, %cluster_nctarank;\n"
      "mad.lo.u32 %r5, %r6, 1000, %r5;\nmad.lo.u32 %r5, %r7, 100, %r5;\n"
      "mul.wide.u32 %t, %r0, 4;\nadd.s64 %o, %o, %t;\nst.global.u32 [%o], %r5;\n"
      "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\nret;\n}\n";
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text, schedule);
    uint32_t out[64] = {0};
    uint64_t po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&po};
    sim_run(&f, "k", 1, 1, 64, 0, params);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(out[i], 100 + (i ^ 32));
    sim_close(&f);
  }
}

TEST(test_hints_change_nothing) {
  static const char text[] =
      HEAD ".visible .entry k(.param .u64 po) {\n.reg .b64 %o, %c;\n.reg .b32 %r<3>;\n.reg .pred %p;\n"
           "ld.param.u64 %o, [po];\ncreatepolicy.fractional.L2::evict_first.b64 %c, 0.5;\n"
           "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %c;\n"
           "prefetch.global.L2 [%o];\nprefetch.global.L2::evict_last [%o];\nprefetchu.L1 [%o];\n"
           "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\nnanosleep.u32 20;\n"
           "setmaxnreg.inc.sync.aligned.u32 "
           "240;\nfence.proxy.async;\nfence.proxy.async.global;\nfence.proxy.alias;\n"
           "fence.acq_rel.cluster;\nfence.sc.gpu;\nfence.proxy.tensormap::generic.release.gpu;\nmembar.sys;\n"
           "elect.sync %r0|%p, 0xffffffff;\n@%p st.global.L2::cache_hint.u32 [%o], 3, %c;\nret;\n}\n";
  SimFixture f = sim_open_text(text, TILEC_SIM_LATE);
  uint32_t out = 0;
  uint64_t po = sim_bind(&f, &out, sizeof out);
  const void *params[] = {&po};
  sim_run(&f, "k", 1, 1, 32, 0, params);
  assert_int_equal(out, 3);
  sim_close(&f);
}

WHOLE_SUITE(sim_async)
