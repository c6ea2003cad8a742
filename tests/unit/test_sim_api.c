// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's C API: modules come and go.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/sim.h"
#include "sim_fixture.h"

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
static void test_modules_are_unloaded(void **unused) {
  (void)unused;
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

static void test_unloading_ends_what_names_the_module(void **unused) {
  (void)unused;
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

static void test_what_is_not_loaded_is_refused(void **unused) {
  (void)unused;
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

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_modules_are_unloaded),
      cmocka_unit_test(test_unloading_ends_what_names_the_module),
      cmocka_unit_test(test_what_is_not_loaded_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
