// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec_tune on the simulator, whose own time it measures: the space, the reports, the stored
// results, and the caller's memory.
#include "tests/unit/unit.h"
#include "runtime/launch/tensor.h"
#include "runtime/tune.h"
#include "tests/unit/cache_fixture.h"
#include "tests/unit/runtime_fixture.h"

enum { N = 3000 };

static const char sums_source[] =
    "@autotune(configs=[Config({\"BLOCK\": 64}, num_warps=1), Config({\"BLOCK\": 1024}, num_warps=2)], key=[\"n\"], "
    "reset_to_zero=[\"seen\"], restore_value=[\"x\"])\n"
    "@kernel\n"
    "@grid(cdiv(n, BLOCK))\n"
    "def sums(x: *fp32, seen: *i32, n: i32, BLOCK: constexpr):\n"
    "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    old = load(seen + program_id(0))\n"
    "    device_assert(old == 0)\n"
    "    store(seen + program_id(0), 1)\n"
    "    value = load(x + i, mask=i < n, other=1)\n"
    "    device_assert(value == 1)\n"
    "    store(x + i, value + 1, mask=i < n)\n";

typedef struct Tuned {
  tilec_device *device;
  tilec_program *program;
  tilec_buffer *x, *out;
  tilec_arg args[3];
} Tuned;

static Tuned tuned_new(const char *source) {
  static float host[N];
  static int32_t zeros[N];
  for (int i = 0; i < N; i++) host[i] = 1;
  Tuned t = {.device = open_device("sim"), .program = program_of("test.tile", source)};
  t.x = buffer_of(t.device, host, sizeof host);
  t.out = buffer_of(t.device, zeros, sizeof zeros);
  t.args[0] = tilec_arg_buffer(TILEC_FP32, t.x);
  t.args[1] = tilec_arg_buffer(strstr(source, "*i32") ? TILEC_I32 : TILEC_FP32, t.out);
  t.args[2] = tilec_arg_int(N);
  return t;
}

static void tuned_free(Tuned *t) {
  tilec_buffer_free(t->x);
  tilec_buffer_free(t->out);
  tilec_program_free(t->program);
  tilec_device_close(t->device);
}

static tilec_tuning_summary summary_of(const tilec_tuning *tuning) {
  tilec_tuning_summary summary = TILEC_TUNING_SUMMARY_INIT;
  assert_ok(tilec_tuning_get_summary(tuning, &summary));
  return summary;
}

static tilec_configuration configuration_of(const tilec_tuning *tuning, size_t i) {
  tilec_configuration configuration = TILEC_CONFIGURATION_INIT;
  assert_ok(tilec_tuning_configuration(tuning, i, &configuration));
  return configuration;
}

static const char *const blocks[] = {"64", "128", "2000000"}, *const warps[] = {"1", "4"};
static const tilec_tune_range ranges[] = {{"BLOCK", 0, blocks, 3}, {"num_warps", 1, warps, 2}};

static tilec_tune_options ranged(void) {
  tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
  options.ranges = ranges;
  options.range_count = 2;
  return options;
}

// All combinations; the fastest first, what cannot be had last.
TEST(test_ranges) {
  Tuned t = tuned_new(scale_source);
  const tilec_tune_options options = ranged();
  tilec_tuning *tuning = NULL;
  assert_ok(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning));
  const tilec_tuning_summary summary = summary_of(tuning);
  assert_string_equal(summary.kernel, "scale");
  assert_string_equal(summary.device, "sim");
  assert_int_equal(summary.configurations, 6);
  assert_int_equal(summary.failed, 2);
  assert_int_equal(summary.measured, 4);
  assert_false(summary.interrupted);
  const tilec_configuration best = configuration_of(tuning, 0);
  assert_int_equal(best.settings, 2);
  for (size_t i = 0; i < 4; i++) {
    const tilec_configuration one = configuration_of(tuning, i);
    assert_null(one.error);
    assert_true(one.seconds >= best.seconds && one.seconds > 0);
    assert_int_equal(one.rounds, 7);
  }
  for (size_t i = 4; i < 6; i++) {
    assert_non_null(strstr(configuration_of(tuning, i).error, "test.tile:4: "));
    assert_non_null(strstr(configuration_of(tuning, i).text, "BLOCK=2000000 num_warps="));
  }
  tilec_tune_setting setting = TILEC_TUNE_SETTING_INIT;
  assert_ok(tilec_tuning_setting(tuning, 0, 1, &setting));
  assert_string_equal(setting.name, "num_warps");
  assert_true(setting.is_option && strstr(best.text, setting.value));
  tilec_configuration none = TILEC_CONFIGURATION_INIT;
  assert_error(tilec_tuning_configuration(tuning, 6, &none), TILEC_ERROR_INVALID_ARGUMENT, "there is no 6, of 6");
  assert_error(tilec_tuning_setting(tuning, 0, 2, &setting), TILEC_ERROR_INVALID_ARGUMENT, "there is no 2, of 2");
  assert_null(tilec_tuning_remark(tuning, 0));
  tilec_tuning_free(tuning);
  tuned_free(&t);
}

// @autotune's list; memory is as reset_to_zero and restore_value say before each round, and the caller's stays as it was.
TEST(test_autotune) {
  float x[N];
  int32_t seen[N];
  Tuned t = tuned_new(sums_source);
  tilec_tuning *tuning = NULL;
  assert_ok(tilec_tune(t.device, t.program, NULL, NULL, t.args, 3, &tuning));
  assert_int_equal(summary_of(tuning).configurations, 2);
  if (summary_of(tuning).failed) fail_msg("%s", configuration_of(tuning, 1).error);
  assert_non_null(strstr(configuration_of(tuning, 0).text, "num_warps="));
  tilec_tuning_free(tuning);
  assert_ok(tilec_buffer_read(t.x, 0, x, sizeof x));
  assert_ok(tilec_buffer_read(t.out, 0, seen, sizeof seen));
  for (int i = 0; i < N; i++) assert_true(x[i] == 1 && seen[i] == 0);
  tuned_free(&t);
}

// A list instead of @autotune's, with ranges. Each has its own grid, equal ones are taken once, and
// given values hold.
TEST(test_listed) {
  static const char *const small[] = {"64"}, *const large[] = {"1024"}, *const one[] = {"1"};
  static const tilec_tune_range of_small[] = {{"BLOCK", 0, small, 1}, {"num_warps", 1, one, 1}}, of_large = {"BLOCK", 0, large, 1};
  const tilec_tune_listed list[] = {{of_small, 2, {0}}, {&of_large, 1, {40000, 1, 1}}, {of_small, 2, {7, 1, 1}}};
  Tuned t = tuned_new(scale_source);
  tilec_compile_options compile = TILEC_COMPILE_OPTIONS_INIT;
  compile.arch = "sm_90a";
  tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
  options.configurations = list;
  options.configuration_count = 3;
  options.predict = 1;
  tilec_tuning *tuning = NULL;
  assert_ok(tilec_tune(t.device, t.program, &compile, &options, t.args, 3, &tuning));
  assert_int_equal(summary_of(tuning).configurations, 2);
  assert_string_equal(configuration_of(tuning, 0).text, "BLOCK=64 num_warps=1");
  assert_string_equal(configuration_of(tuning, 1).text, "BLOCK=1024");
  assert_true(configuration_of(tuning, 1).predicted > 2 * configuration_of(tuning, 0).predicted); // 40000 programs
  tilec_tuning_free(tuning);
  options.ranges = &ranges[1];
  options.range_count = 1;
  assert_ok(tilec_tune(t.device, t.program, &compile, &options, t.args, 3, &tuning));
  assert_int_equal(summary_of(tuning).configurations, 4); // of the list's warps the range's
  tilec_tuning_free(tuning);
  compile.num_warps = 2;
  options.range_count = 0;
  assert_ok(tilec_tune(t.device, t.program, &compile, &options, t.args, 3, &tuning));
  assert_string_equal(configuration_of(tuning, 0).text, "BLOCK=64");
  tilec_tuning_free(tuning);
  tuned_free(&t);
}

static const char once_source[] = "@kernel\n"
                                  "@grid(1)\n"
                                  "def once(x: *fp32, seen: *i32, n: i32):\n"
                                  "    device_assert(load(seen) == 0)\n"
                                  "    device_assert(load(x) == 1)\n"
                                  "    store(seen, 1)\n"
                                  "    store(x, 2)\n";

// As reset_to_zero and restore_value of @autotune, whose names the options have.
TEST(test_put_back) {
  static const char *const seen[] = {"seen"}, *const x[] = {"x"};
  for (int with = 0; with < 4; with++) {
    Tuned t = tuned_new(once_source);
    tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
    options.reset_to_zero = seen;
    options.reset_count = with & 1;
    options.restore_value = x;
    options.restore_count = with >> 1;
    tilec_tuning *tuning = NULL;
    assert_ok(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning));
    assert_int_equal(summary_of(tuning).failed, with == 3 ? 0 : 1);
    tilec_tuning_free(tuning);
    tuned_free(&t);
  }
}

// A kernel that is made later takes what was kept, with no_keep and TILEC_CACHE=off there is nothing.
static int threads_of(Tuned *t) {
  tilec_kernel *kernel = NULL;
  tilec_kernel_attributes attributes = TILEC_KERNEL_ATTRIBUTES_INIT;
  assert_ok(tilec_kernel_new(t->device, t->program, NULL, &kernel));
  assert_ok(tilec_kernel_get_attributes(kernel, t->args, 3, &attributes));
  tilec_kernel_free(kernel);
  return attributes.threads;
}

static void tune_to_one_warp(Tuned *t, int no_keep, int kept) {
  static const char *const one[] = {"1"};
  const tilec_tune_range range = {"num_warps", 1, one, 1};
  tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
  options.ranges = &range;
  options.range_count = 1;
  options.no_keep = no_keep;
  tilec_tuning *tuning = NULL;
  assert_ok(tilec_tune(t->device, t->program, NULL, &options, t->args, 3, &tuning));
  assert_int_equal(summary_of(tuning).kept, kept);
  tilec_tuning_free(tuning);
}

TEST(test_kept) {
  Tuned t = tuned_new(scale_source);
  tune_to_one_warp(&t, 1, 0);
  assert_int_equal(threads_of(&t), 128);
  setenv("TILEC_CACHE", "off", 1);
  tune_to_one_warp(&t, 0, 0);
  setenv("TILEC_CACHE", "on", 1);
  assert_int_equal(threads_of(&t), 128);
  tune_to_one_warp(&t, 0, 1);
  assert_int_equal(threads_of(&t), 32);
  tuned_free(&t);
}

// Results that a program measured itself, and results found for others' arguments.
TEST(test_own) {
  static const char *const two[] = {"2"}, *const block[] = {"256"}, *const wrong[] = {"7"};
  const tilec_tune_range settings[] = {{"BLOCK", 0, block, 1}, {"num_warps", 1, two, 1}}, bad = {"num_warps", 1, wrong, 1};
  Tuned t = tuned_new(scale_source);
  tilec_tuning *found = NULL;
  int kept = 0;
  assert_ok(tilec_tune_find(t.device, t.program, NULL, t.args, 3, &found));
  assert_null(found);
  assert_ok(tilec_tune_keep(t.device, t.program, NULL, settings, 2, 0.25, t.args, 3, &kept));
  assert_int_equal(kept, 1);
  assert_ok(tilec_tune_find(t.device, t.program, NULL, t.args, 3, &found));
  assert_non_null(found);
  const tilec_configuration one = configuration_of(found, 0);
  assert_string_equal(one.text, "BLOCK=256 num_warps=2");
  assert_true(one.seconds == 0.25 && summary_of(found).configurations == 1 && summary_of(found).kept);
  assert_string_equal(summary_of(found).kernel, "scale");
  tilec_tuning_free(found);
  assert_int_equal(threads_of(&t), 64);
  tilec_compile_options compile = TILEC_COMPILE_OPTIONS_INIT;
  compile.fast_math = 1;
  assert_ok(tilec_tune_find(t.device, t.program, &compile, t.args, 3, &found));
  assert_null(found);
  t.args[2] = tilec_arg_float(1);
  assert_ok(tilec_tune_find(t.device, t.program, NULL, t.args, 3, &found));
  assert_null(found);
  assert_error(tilec_tune_keep(t.device, t.program, NULL, &bad, 1, 1, t.args, 3, NULL),
               TILEC_ERROR_INVALID_ARGUMENT, "'7' is not a value");
  assert_error(tilec_tune_keep(t.device, t.program, NULL, settings, 2, 0, t.args, 3, NULL), TILEC_ERROR_INVALID_ARGUMENT, "seconds is 0");
  tuned_free(&t);
}

typedef struct Told {
  int steps[3];
  size_t ends_at; // measurements
  char best[64];
} Told;

static int tell(void *data, const tilec_tune_progress *progress) {
  Told *told = data;
  assert_int_equal(progress->size, sizeof *progress);
  assert_true(progress->done >= 1 && progress->done <= progress->all && progress->seconds_left >= 0);
  told->steps[progress->step]++;
  if (progress->best) snprintf(told->best, sizeof told->best, "%s", progress->best);
  return progress->step == TILEC_TUNE_MEASURING && progress->done == told->ends_at;
}

// Progress reports every step, and may end the tuning. The result is then what is known, and nothing is stored.
TEST(test_progress) {
  Tuned t = tuned_new(scale_source);
  Told told = {{0}, 0, ""};
  tilec_tune_options options = ranged();
  options.progress = tell;
  options.progress_data = &told;
  tilec_tuning *tuning = NULL;
  assert_ok(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning));
  assert_int_equal(told.steps[TILEC_TUNE_PREDICTING], 6);
  assert_int_equal(told.steps[TILEC_TUNE_COMPILING], 4);
  assert_int_equal(told.steps[TILEC_TUNE_MEASURING], 4 * 7);
  assert_non_null(strstr(told.best, "BLOCK="));
  tilec_tuning_free(tuning);
  told = (Told){{0}, 2, ""};
  assert_ok(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning));
  assert_int_equal(told.steps[TILEC_TUNE_MEASURING], 2);
  assert_true(summary_of(tuning).interrupted && !summary_of(tuning).kept);
  assert_int_equal(summary_of(tuning).measured, 2);
  tilec_tuning_free(tuning);
  const int now = 1;
  options = ranged();
  options.cancel = &now;
  assert_ok(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning));
  assert_true(summary_of(tuning).interrupted);
  assert_int_equal(summary_of(tuning).configurations, 6);
  configuration_of(tuning, 5);
  tilec_tuning_free(tuning);
  tuned_free(&t);
}

// Only ranked: nothing runs, and a grid may be given as numbers or as text.
TEST(test_predict) {
  Tuned t = tuned_new(scale_source);
  tilec_compile_options compile = TILEC_COMPILE_OPTIONS_INIT;
  compile.arch = "sm_90a";
  tilec_tune_options options = ranged();
  options.predict = 1;
  double predicted[3];
  for (int i = 0; i < 3; i++) {
    tilec_tuning *tuning = NULL;
    options.grid[0] = i == 1 ? 40000 : -1;
    options.grid_text = i == 2 ? "cdiv(n, BLOCK) * 800" : NULL;
    assert_ok(tilec_tune(t.device, t.program, &compile, &options, t.args, 3, &tuning));
    const tilec_tuning_summary summary = summary_of(tuning);
    assert_true(summary.predicted && !summary.measured && !summary.kept);
    assert_string_equal(summary.arch, "sm_90a");
    const tilec_configuration best = configuration_of(tuning, 0);
    assert_true(best.predicted > 0 && best.seconds == 0 && best.bottleneck && best.registers && best.blocks);
    assert_true(best.predicted <= configuration_of(tuning, 3).predicted);
    predicted[i] = best.predicted;
    tilec_tuning_free(tuning);
  }
  assert_true(predicted[1] > 2 * predicted[0] && predicted[2] > 2 * predicted[0]);
  tuned_free(&t);
}

// Pointers within a buffer, a tensor of the host's, and one argument twice: copies lie as their memory does.
TEST(test_memory) {
  static const char source[] =
      "@kernel\n"
      "@grid(1)\n"
      "def inside(x: *fp32, y: *fp32, z: *fp32, n: i32):\n"
      "    i = arange(0, 64)\n"
      "    device_assert(load(z + i) == 3)\n"
      "    store(x + i, load(x + i) + load(z + i))\n"
      "    debug_barrier()\n"
      "    device_assert(load(y + 100 + i) >= 4)\n"
      "    device_assert(load(y + i) == 1)\n";
  static _Alignas(16) float host[80];
  int64_t shape[] = {64};
  for (int i = 0; i < 80; i++) host[i] = 3;
  Tensor tensor = {.data = host + 5, .device_type = TENSOR_CPU, .ndim = 1, .code = TENSOR_FLOAT, .bits = 32, .lanes = 1,
                   .shape = shape};
  Tuned t = tuned_new(source);
  const tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, tilec_buffer_address(t.x) + 400), t.args[0], tilec_arg_dl(&tensor),
                            tilec_arg_int(1)};
  tilec_tuning *tuning = NULL;
  tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
  options.ranges = &ranges[1];
  options.range_count = 1;
  assert_ok(tilec_tune(t.device, t.program, NULL, &options, args, 4, &tuning));
  if (summary_of(tuning).failed) fail_msg("%s", configuration_of(tuning, 1).error);
  tilec_tuning_free(tuning);
  for (int i = 0; i < 80; i++) assert_true(host[i] == 3);
  tuned_free(&t);
}

TEST(test_errors) {
  Tuned t = tuned_new(scale_source);
  tilec_tuning *tuning = (tilec_tuning *)&t;
  static const char *const odd[] = {"3"}, *const huge[] = {"2000000"};
  const struct {
    tilec_tune_range range;
    tilec_status status;
    const char *text;
  } wrong[] = {
      {{"num_warps", 1, odd, 1}, TILEC_ERROR_INVALID_ARGUMENT, "'3' is not a value of it"},
      {{"BLOCK", 1, odd, 1}, TILEC_ERROR_INVALID_ARGUMENT, "'BLOCK' is not num_warps"},
      {{"BLOCK", 0, odd, 0}, TILEC_ERROR_INVALID_ARGUMENT, "options.ranges[0] has no values"},
      {{NULL, 0, odd, 1}, TILEC_ERROR_INVALID_ARGUMENT, "options.ranges[0] has no name"},
      {{"BLOCK", 0, huge, 1}, TILEC_ERROR_COMPILE, "none of the 1 configurations can be used: test.tile:4: "},
      {{"BLOK", 0, odd, 1}, TILEC_ERROR_COMPILE, "did you mean 'BLOCK'?"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
    options.ranges = &wrong[i].range;
    options.range_count = 1;
    assert_error(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning), wrong[i].status, wrong[i].text);
    assert_null(tuning);
  }
  tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
  options.grid[0] = 0;
  assert_error(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "nothing to time");
  options = (tilec_tune_options)TILEC_TUNE_OPTIONS_INIT;
  tilec_tune_listed listed = {NULL, 0, {0, 0, 0}};
  options.configuration_count = 1;
  assert_error(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "options.configurations is NULL");
  options.configurations = &listed;
  listed.grid[0] = 1;
  assert_error(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "options.configurations[0].grid has");
  listed = (tilec_tune_listed){&wrong[0].range, 1, {0, 0, 0}};
  assert_error(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning),
               TILEC_ERROR_INVALID_ARGUMENT, "'3' is not a value of it");
  options = (tilec_tune_options)TILEC_TUNE_OPTIONS_INIT;
  options.timeout = -1;
  assert_error(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "options.timeout");
  options.size = 0;
  assert_error(tilec_tune(t.device, t.program, NULL, &options, t.args, 3, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "options.size");
  assert_error(tilec_tune(t.device, t.program, NULL, NULL, t.args, 2, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "'n'");
  assert_error(tilec_tune(t.device, t.program, NULL, NULL, NULL, 3, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "args is NULL");
  assert_error(tilec_tune(NULL, t.program, NULL, NULL, t.args, 3, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "device is NULL");
  t.args[0] = tilec_arg_pointer(TILEC_FP32, 4096);
  assert_error(tilec_tune(t.device, t.program, NULL, NULL, t.args, 3, &tuning), TILEC_ERROR_INVALID_ARGUMENT, "tilec_buffer_wrap");
  tilec_device *eval = open_device("eval");
  assert_error(tilec_tune(eval, t.program, NULL, NULL, t.args + 2, 1, &tuning), TILEC_ERROR_NOT_SUPPORTED, "eval runs tile IR");
  tilec_device_close(eval);
  assert_error(tilec_tuning_get_summary(NULL, NULL), TILEC_ERROR_INVALID_ARGUMENT, "tuning is NULL");
  tilec_tuning_free(NULL);
  tuned_free(&t);
}

int suite_tune(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_ranges, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_autotune, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_listed, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_put_back, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_kept, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_own, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_progress, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_predict, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_memory, cache_set_up, cache_tear_down),
      cmocka_unit_test_setup_teardown(test_errors, cache_set_up, cache_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
