// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's C API: modules come and go.

#include "tests/unit/unit.h"
#include "base/text.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

static const char counter_text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".global .align 4 .u32 total = 7;\n"
    ".visible .entry bump(.param .u64 to)\n{\n.reg .b32 %r<3>; .reg .b64 %d<3>;\n"
    "ld.param.u64 %d1, [to]; mov.u64 %d2, total;\natom.global.add.u32 %r1, [%d2], 1;\n"
    "st.global.u32 [%d1], %r1;\nret;\n}\n"
    ".visible .entry wild()\n{\n.reg .b32 %r<2>; .reg .b64 %d<2>;\n"
    "mov.u64 %d1, 64;\nld.global.u32 %r1, [%d1];\nret;\n}\n";

static tilec_sim_module *load(tilec_sim *sim) {
  tilec_sim_module *module;
  assert_int_equal(tilec_sim_load(sim, counter_text, strlen(counter_text), &module), TILEC_SIM_OK);
  return module;
}

static tilec_sim_result run(tilec_sim *sim, tilec_sim_module *module, const char *name, uint64_t to) {
  const tilec_sim_kernel *kernel;
  assert_int_equal(tilec_sim_find(sim, module, name, &kernel), TILEC_SIM_OK);
  uint32_t one[3] = {1, 1, 1};
  const void *params[] = {&to};
  return tilec_sim_launch(sim, kernel, one, one, 0, params);
}

static tilec_sim *open_simulator(int checks) {
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.checks = checks;
  tilec_sim *sim;
  assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
  return sim;
}

// Each has its own variables; what is left behind would be seen by LeakSanitizer, and a use
// after the end by AddressSanitizer.
TEST(test_modules_are_unloaded) {
  tilec_sim *sim = open_simulator(0);
  uint32_t out = 0;
  uint64_t to, variable, others;
  assert_int_equal(tilec_sim_bind(sim, &out, sizeof out, &to), TILEC_SIM_OK);
  tilec_sim_module *kept = load(sim);
  assert_int_equal(run(sim, kept, "bump", to), TILEC_SIM_OK);
  for (int i = 0; i < 200; i++) {
    tilec_sim_module *a = load(sim), *b = load(sim);
    assert_int_equal(tilec_sim_symbol(sim, a, "total", &variable, NULL), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_symbol(sim, b, "total", &others, NULL), TILEC_SIM_OK);
    assert_true(variable != others);
    assert_int_equal(run(sim, a, "bump", to), TILEC_SIM_OK);
    assert_int_equal(out, 7);
    assert_int_equal(tilec_sim_unload(sim, a), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_read(sim, &out, variable, sizeof out), TILEC_SIM_ERROR_INVALID);
    assert_int_equal(run(sim, b, "bump", to), TILEC_SIM_OK);
    assert_int_equal(out, 7);
    assert_int_equal(tilec_sim_unload(sim, b), TILEC_SIM_OK);
  }
  assert_int_equal(run(sim, kept, "bump", to), TILEC_SIM_OK);
  assert_int_equal(out, 8);
  tilec_sim_destroy(sim);
}

TEST(test_unloading_ends_what_names_the_module) {
  for (int checks = 0; checks < 2; checks++) {
    tilec_sim *sim = open_simulator(checks);
    tilec_sim_module *wild = load(sim), *other = load(sim);
    assert_int_equal(run(sim, wild, "wild", 0), TILEC_SIM_ERROR_KERNEL);
    assert_int_equal(tilec_sim_report_count(sim), 1);
    assert_true(tilec_sim_line_count(sim) > 0);
    assert_int_equal(tilec_sim_unload(sim, other), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_report_count(sim), 1);
    tilec_sim_counters total, after;
    tilec_sim_total(sim, &total);
    assert_true(total.instructions > 0);
    assert_int_equal(tilec_sim_unload(sim, wild), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_report_count(sim), 0);
    assert_int_equal(tilec_sim_line_count(sim), 0);
    assert_null(tilec_sim_report_at(sim, 0));
    tilec_sim_total(sim, &after);
    assert_memory_equal(&total, &after, sizeof total);
    tilec_sim_destroy(sim);
  }
}

TEST(test_what_is_not_loaded_is_refused) {
  tilec_sim *sim = open_simulator(0), *elsewhere = open_simulator(0);
  tilec_sim_module *module = load(elsewhere);
  assert_int_equal(tilec_sim_unload(sim, NULL), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_unload(NULL, module), TILEC_SIM_ERROR_INVALID);
  assert_int_equal(tilec_sim_unload(sim, module), TILEC_SIM_ERROR_INVALID);
  assert_non_null(strstr(tilec_sim_message(sim), "module"));
  assert_int_equal(tilec_sim_unload(elsewhere, module), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_unload(elsewhere, module), TILEC_SIM_ERROR_INVALID);
  tilec_sim_destroy(sim);
  tilec_sim_destroy(elsewhere);
}

// Every way to write: whole warps, some lanes, vectors, atomics, bulk copies. Loads write nothing.
static const char writer_text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry writer(.param .u64 to)\n{\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<2>;\n"
    ".shared .align 16 .b8 s[16];\n"
    "ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"
    "st.global.u32 [%d3], %r1;\n" // 0 to 127
    "mul.wide.u32 %d4, %r1, 3; add.u64 %d5, %d1, %d4; setp.lt.u32 %p1, %r1, 2;\n"
    "@%p1 st.global.u8 [%d5+129], %r1;\n" // 129 and 132
    "setp.eq.u32 %p1, %r1, 5;\n@!%p1 bra end;\n"
    "st.global.v4.u32 [%d1+144], {%r1, %r1, %r1, %r1};\n"
    "red.global.add.u32 [%d1+164], %r1;\natom.global.cas.b64 %d6, [%d1+168], %d1, %d2;\n"
    "ld.global.u32 %r2, [%d1+180];\n"
    "st.shared.v4.u32 [s], {%r1, %r1, %r1, %r1};\nfence.proxy.async.shared::cta;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%d1+192], [s], 16;\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nend:\nret;\n}\n";

static bool is_written(uint32_t at) {
  return at < 128 || at == 129 || at == 132 || (at >= 144 && at < 160) || (at >= 164 && at < 176) ||
         (at >= 192 && at < 208);
}

TEST(test_watched_memory_knows_what_kernels_write) {
  enum { BYTES = 209 };
  for (int checks = 0; checks < 2; checks++) {
    tilec_sim *sim = open_simulator(checks);
    tilec_sim_module *module;
    uint64_t to, other;
    assert_int_equal(tilec_sim_load(sim, writer_text, strlen(writer_text), &module), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_alloc(sim, BYTES, &to), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_alloc(sim, BYTES, &other), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_watch(sim, to), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_fill(sim, to, 1, BYTES), TILEC_SIM_OK); // the host's
    const tilec_sim_kernel *kernel;
    assert_int_equal(tilec_sim_find(sim, module, "writer", &kernel), TILEC_SIM_OK);
    uint32_t one[3] = {1, 1, 1}, threads[3] = {32, 1, 1};
    const void *params[] = {&to};
    assert_int_equal(tilec_sim_launch(sim, kernel, one, threads, 0, params), TILEC_SIM_OK);
    const unsigned char *written = tilec_sim_written(sim, to);
    assert_non_null(written);
    for (uint32_t i = 0; i < BYTES; i++)
      if (written[i] != is_written(i)) fail_msg("byte %u: %d", i, written[i]);
    assert_null(tilec_sim_written(sim, other));
    assert_int_equal(tilec_sim_watch(sim, to), TILEC_SIM_OK); // anew
    for (uint32_t i = 0; i < BYTES; i++) assert_int_equal(tilec_sim_written(sim, to)[i], 0);
    assert_int_equal(tilec_sim_watch(sim, to + 1), TILEC_SIM_ERROR_INVALID);
    assert_int_equal(tilec_sim_watch(NULL, to), TILEC_SIM_ERROR_INVALID);
    tilec_sim_destroy(sim);
  }
}

// A name may have any length. An access before a buffer and one past its end are two mistakes.
TEST(test_reports_have_whole_names_and_both_ends) {
  char name[401];
  memset(name, 'v', 400);
  name[400] = '\0';
  char *text = text_make(".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".visible .entry both(.param .u64 x)\n{\n.reg .b32 %%r<4>; .reg .b64 %%d<2>;\n"
                         ".shared .align 4 .b8 %s[64];\n.file 1 \"a.cu\"\n.loc 1 1 1\n"
                         "ld.shared.u32 %%r1, [%s];\nld.param.u64 %%d1, [x];\n"
                         "ld.global.u32 %%r2, [%%d1+-4];\nld.global.u32 %%r3, [%%d1+64];\n"
                         "ld.global.u32 %%r3, [%%d1+68];\nret;\n}\n",
                         name, name);
  tilec_sim *sim = open_simulator(1);
  tilec_sim_module *module;
  uint64_t x;
  assert_int_equal(tilec_sim_load(sim, text, strlen(text), &module), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_alloc(sim, 64, &x), TILEC_SIM_OK);
  assert_int_equal(run(sim, module, "both", x), TILEC_SIM_ERROR_KERNEL);
  assert_int_equal(tilec_sim_report_count(sim), 3);
  assert_non_null(strstr(tilec_sim_report_at(sim, 0)->message, name));
  assert_non_null(strstr(tilec_sim_message(sim), name));
  assert_true(tilec_sim_report_at(sim, 1)->address == x - 4);
  assert_true(tilec_sim_report_at(sim, 2)->address == x + 64 && tilec_sim_report_at(sim, 2)->count == 2);
  tilec_sim_destroy(sim);
  text_free(text);
}

WHOLE_SUITE(sim_api)
