// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches and the cache: a kernel is compiled once for what it is made from, and again when anything of that
// changes.

#include "tests/unit/unit.h"
#include "tests/unit/cache_fixture.h"
#include "runtime/device/device.h"
#include "runtime/tilec.h"
#include "runtime/launch/tuned.h"
#include "tests/unit/runtime_fixture.h"

static const char twice_source[] =
    "@kernel\n"
    "@grid(cdiv(n, BLOCK))\n"
    "def twice(x: *fp32, out: *fp32, n, BLOCK: constexpr = 64):\n"
    "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    store(out + i, load(x + i, mask=i < n) + load(x + i, mask=i < n), mask=i < n)\n"
    "\n"
    "@kernel\n"
    "@grid(cdiv(n, BLOCK))\n"
    "def double(x: *fp32, out: *fp32, n, BLOCK: constexpr = 64):\n"
    "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    store(out + i, load(x + i, mask=i < n) + load(x + i, mask=i < n), mask=i < n)\n";

enum { ELEMENTS = 100 };

// One launch and everything that it depends on.
typedef struct Case {
  const char *name, *source;
  tilec_compile_options options;
  uint32_t offset; // elements that x begins after the buffer
  int64_t n;
  int64_t grid; // -1: the kernel's own
  bool squares; // of the elements, and not twice them, is the result
} Case;

static Case base_case(void) {
  Case c = {.name = "twice.tile", .source = twice_source, .n = ELEMENTS, .grid = -1};
  c.options = (tilec_compile_options)TILEC_COMPILE_OPTIONS_INIT;
  c.options.kernel = "twice";
  return c;
}

static void check_sums(tilec_buffer *out, const Case *c) {
  float got[ELEMENTS];
  assert_ok(tilec_buffer_read(out, 0, got, sizeof got));
  for (int64_t i = 0; i < c->n; i++) {
    float x = (float)(i + c->offset);
    assert_true(got[i] == (c->squares ? x : 2) * x);
  }
}

// A new program, kernel and simulator, as of a new process.
static void run_program(const Case *c, tilec_program *program) {
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel = NULL;
  float data[ELEMENTS + 4];
  for (int i = 0; i < ELEMENTS + 4; i++) data[i] = (float)i;
  assert_ok(tilec_kernel_new(device, program, &c->options, &kernel));
  tilec_buffer *x = buffer_of(device, data, sizeof data),
               *out = buffer_of(device, data, ELEMENTS * sizeof *data);
  tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, tilec_buffer_address(x) + c->offset * sizeof *data),
                      tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(c->n)};
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  launch.grid[0] = c->grid;
  assert_ok(tilec_launch(kernel, &launch, args, 3));
  check_sums(out, c);
  tilec_buffer_free(x);
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

static void run_case(const Case *c) {
  tilec_program *program = program_of(c->name, c->source);
  run_program(c, program);
  tilec_program_free(program);
}

// The case is compiled once: a launch leaves an entry, the next one finds it.
static void assert_new(const Case *c, const char *what) {
  uint64_t before = cache_entries();
  run_case(c);
  if (cache_entries() != before + 1) fail_msg("%s: there was an entry for it", what);
  run_case(c);
  if (cache_entries() != before + 1) fail_msg("%s: its entry was not found", what);
}

TEST(test_text_changes_the_key) {
  Case c = base_case();
  char commented[2000];
  assert_new(&c, "the first");
  uint64_t before = cache_entries();
  snprintf(commented, sizeof commented, "%s# the end\n", twice_source);
  c.source = commented;
  run_case(&c); // a comment
  c = base_case();
  c.options.fp32_dot = TILEC_FP32_DOT_TF32; // each dot has its precision, and this kernel has none
  run_case(&c);
  assert_int_equal(cache_entries(), before);
  c = base_case();
  c.name = "other.tile"; // line tables name it
  assert_new(&c, "the file's name");
  c = base_case();
  c.options.kernel = "double";
  assert_new(&c, "the kernel");
}

TEST(test_specialisation_changes_the_key) {
  static const char *const defines[] = {"BLOCK=128"};
  Case c = base_case();
  assert_new(&c, "the first");
  c.options.defines = defines;
  c.options.define_count = 1;
  assert_new(&c, "a constexpr");
  c = base_case();
  c.n = 96;
  assert_new(&c, "n a multiple of 16");
  c.n = 1;
  assert_new(&c, "n is 1");
  c = base_case();
  c.offset = 1;
  assert_new(&c, "an address that is not a multiple of 16");
  c = base_case();
  c.n = 99;
  uint64_t before = cache_entries();
  run_case(&c);
  assert_int_equal(cache_entries(), before); // an unknown value
}

// out[0] = 2 * x[0], by a tuple and a descriptor; another n, name, block or padding is another entry.
static void run_wide(int64_t n, const char *name, uint32_t block, tilec_padding padding) {
  static const char source[] =
      "@kernel\n"
      "@grid(1)\n"
      "def k(t, d):\n"
      "    store(t[0] + arange(0, 4), (2 * d.load([0]))[0:4], mask=arange(0, 4) < t[1])\n";
  const float x[16] = {3};
  const char *const names[] = {"out", name};
  float got = 0;
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel = kernel_of(device, source);
  tilec_buffer *from = buffer_of(device, x, sizeof x), *to = buffer_of(device, x, sizeof x);
  const tilec_arg items[] = {tilec_arg_buffer(TILEC_FP32, to), tilec_arg_int(n)};
  tilec_tuple t = TILEC_TUPLE_INIT;
  tilec_descriptor d = TILEC_DESCRIPTOR_INIT;
  t.items = items;
  t.count = 2;
  t.names = names;
  d.base = tilec_arg_buffer(TILEC_FP32, from);
  d.rank = 1;
  d.block[0] = block;
  d.shape[0] = 16;
  d.strides[0] = 1;
  d.padding = padding;
  const tilec_arg args[] = {tilec_arg_tuple(&t), tilec_arg_descriptor(&d)};
  assert_ok(tilec_launch(kernel, NULL, args, 2));
  assert_ok(tilec_buffer_read(to, 0, &got, sizeof got));
  assert_true(got == 6);
  tilec_buffer_free(from);
  tilec_buffer_free(to);
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

TEST(test_shapes_change_the_key) {
  static const struct {
    int64_t n;
    const char *name;
    uint32_t block;
    tilec_padding padding;
    uint64_t more; // entries than before
  } rows[] = {{3, "n", 4, TILEC_PADDING_ZERO, 1},  {2, "n", 4, TILEC_PADDING_ZERO, 0},
              {16, "n", 4, TILEC_PADDING_ZERO, 1}, {1, "n", 4, TILEC_PADDING_ZERO, 1},
              {3, "m", 4, TILEC_PADDING_ZERO, 1},  {3, "n", 8, TILEC_PADDING_ZERO, 1},
              {3, "n", 4, TILEC_PADDING_NAN, 1},   {3, "n", 4, TILEC_PADDING_NAN, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t before = cache_entries();
    run_wide(rows[i].n, rows[i].name, rows[i].block, rows[i].padding);
    assert_int_equal(cache_entries(), before + rows[i].more);
  }
}

TEST(test_options_change_the_key) {
  Case c = base_case();
  assert_new(&c, "the first");
#define CHANGED(member, value)                                                                               \
  c = base_case();                                                                                           \
  c.options.member = value;                                                                                  \
  assert_new(&c, #member);
  CHANGED(arch, "sm_80")
  CHANGED(num_warps, 2)
  CHANGED(num_stages, 2)
  CHANGED(maxnreg, 64)
  CHANGED(no_fp_contract, 1)
  CHANGED(no_optimize, 1)
  CHANGED(debug, 1)
  CHANGED(overlap, 1)
  CHANGED(fast_math, 1)
  CHANGED(restrict_pointers, 1)
  CHANGED(tma, TILEC_TMA_ON)
  CHANGED(warp_specialize, TILEC_WARP_SPECIALIZE_ON)
  CHANGED(epilogue, TILEC_EPILOGUE_ON)
  CHANGED(persistent, TILEC_PERSISTENT_ON)
#undef CHANGED
}

static void write_text(const char *folder, const char *name, const char *text) {
  char path[800];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void run_file(const Case *c) {
  char path[800];
  tilec_program *program = NULL;
  snprintf(path, sizeof path, "%s/main.py", cache_folder);
  assert_ok(tilec_program_from_file(path, &program));
  run_program(c, program);
  tilec_program_free(program);
}

TEST(test_imports_change_the_key) {
  static const char main_text[] = "import triton\n"
                                  "import triton.language as tl\n"
                                  "from helper import sum_of\n"
                                  "@triton.jit\n"
                                  "def twice(x, out, n):\n"
                                  "    i = tl.arange(0, 128)\n"
                                  "    tl.store(out + i, sum_of(tl.load(x + i, mask=i < n)), mask=i < n)\n";
  Case c = base_case();
  c.grid = 1;
  write_text(cache_folder, "main.py", main_text);
  write_text(cache_folder, "helper.py", "import triton\n@triton.jit\ndef sum_of(v):\n    return v + v\n");
  run_file(&c);
  run_file(&c);
  assert_int_equal(cache_entries(), 1);
  write_text(cache_folder, "helper.py", "import triton\n@triton.jit\ndef sum_of(v):\n    return v * 2\n");
  run_file(&c);
  assert_int_equal(cache_entries(), 2);
}

// An entry that is broken is compiled again, and so is one whose parts are not what a launch needs.
TEST(test_broken_entry) {
  char command[800];
  Case c = base_case();
  run_case(&c);
  snprintf(command, sizeof command, "for f in '%s'/????????????*; do printf x >>\"$f\"; done", cache_folder);
  assert_int_equal(system(command), 0);
  run_case(&c);
  assert_said("is not used and removed: its hash is another");
  assert_int_equal(cache_entries(), 1);
  cache_forget();
  run_case(&c);
  assert_string_equal(cache_said, "");
}

static CacheKey key_of_name(const char *name) {
  CacheKey key = {.in_folder = true};
  for (int i = 0; i < DIGEST_BYTES; i++) {
    unsigned byte;
    assert_int_equal(sscanf(name + 2 * i, "%2x", &byte), 1);
    key.bytes[i] = (unsigned char)byte;
  }
  return key;
}

// A multiplication instead of the sum.
static void multiply(const CacheListed *listed, void *data) {
  static const char sum[] = "add.f32", product[] = "mul.f32";
  CacheKey key = key_of_name(listed->name);
  char *at = strstr((char *)(uintptr_t)listed->entry.blob.at, sum);
  assert_non_null(at);
  for (; at; at = strstr(at, sum)) {
    memcpy(at, product, sizeof product - 1);
    ++*(int *)data;
  }
  cache_put(&key, listed->entry.fields, listed->entry.blob);
}

// The code that runs is the entry's PTX. Nothing is compiled at the same time.
TEST(test_entry_runs) {
  Case c = base_case();
  Buf error = {0};
  int changed = 0;
  run_case(&c);
  assert_true(cache_list(multiply, &changed, &error));
  assert_true(changed > 0);
  c.squares = true;
  run_case(&c);
}

TEST(test_switched_off) {
  Case c = base_case();
  setenv("TILEC_CACHE", "off", 1);
  run_case(&c);
  assert_int_equal(cache_entries(), 0);
}

// Errors of a kernel are reported each time, and warnings too: such a kernel leaves no entry.
TEST(test_errors_leave_nothing) {
  Case c = base_case();
  c.source = "@kernel\n@grid(1)\ndef twice(x: *fp32, out: *fp32, n):\n    store(out, undefined_name)\n";
  for (int i = 0; i < 2; i++) {
    tilec_device *device = open_device("sim");
    tilec_kernel *kernel = kernel_of(device, c.source);
    tilec_arg args[] = {tilec_arg_none(), tilec_arg_none(), tilec_arg_int(1)};
    assert_error(tilec_launch(kernel, NULL, args, 3), TILEC_ERROR_COMPILE, "undefined_name");
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
  assert_int_equal(cache_entries(), 0);
}

static void take_diagnostic(void *data, const tilec_diagnostic *diagnostic) {
  assert_ptr_equal(data, cache_said);
  assert_int_equal(diagnostic->severity, TILEC_SEVERITY_WARNING);
  assert_null(diagnostic->file);
  cache_say_to_test(diagnostic->text);
}

// By the log of the kernel's options, and not to those that have none; once.
TEST(test_log) {
  Case c = base_case();
  cache_set_log(NULL);
  assert_int_equal(chmod(cache_folder, 0777), 0);
  run_case(&c);
  assert_string_equal(cache_said, "");
  c.options.log = take_diagnostic;
  c.options.log_data = cache_said;
  run_case(&c);
  assert_said("can be written by other users (mode 777");
  cache_said[0] = '\0';
  run_case(&c);
  assert_string_equal(cache_said, "");
  assert_int_equal(chmod(cache_folder, 0700), 0);
  assert_int_equal(cache_entries(), 0);
  assert_new(&c, "what was compiled without the cache");
  cache_forget();
  char command[800];
  snprintf(command, sizeof command, "for f in '%s'/????????????*; do printf x >>\"$f\"; done", cache_folder);
  assert_int_equal(system(command), 0);
  run_case(&c);
  assert_said("is not used and removed");
  assert_int_equal(cache_entries(), 1);
}

static const char tuned_source[] =
    "@autotune(configs=[Config({\"BLOCK\": 32}), Config({\"BLOCK\": 64})], key=[\"n\"])\n"
    "@kernel\n"
    "@grid(1)\n"
    "def wide(out: *i32, n: i32, BLOCK: constexpr):\n"
    "    store(out, BLOCK)\n";

// As tilec tune keeps what it finds for launches of this n.
static void keep_tuned(tilec_device *device, int64_t n, const char *block) {
  const TuneSetting settings[] = {{"BLOCK", block, false}, {"num_warps", "2", true}};
  Compilation c;
  assert_ok(compilation_init(&c));
  assert_ok(compile_parse(&c, "as/another/file.tile", (Str){tuned_source, sizeof tuned_source - 1}));
  const ConstValue value = {.kind = CONST_INT, .i = n};
  ParamSpec params[] = {{.name = ir_name(&c.ir, STR("out"))}, {.name = ir_name(&c.ir, STR("n")), .value = &value}};
  const Spec spec = {.params = params, .param_count = 2, .target = device->target};
  assert_true(tuned_keep(&c, &spec, device, settings, 2, 1e-6));
  compilation_free(&c);
}

// The constexpr that a launch of the kernel takes.
static void assert_block(tilec_kernel *kernel, tilec_buffer *out, int64_t n, int block) {
  const tilec_arg args[] = {tilec_arg_buffer(TILEC_I32, out), tilec_arg_int(n)};
  int32_t got = 0;
  assert_ok(tilec_launch(kernel, NULL, args, 2));
  assert_ok(tilec_buffer_read(out, 0, &got, sizeof got));
  assert_int_equal(got, block);
}

TEST(test_launches_take_what_was_tuned) {
  static const char *const defines[] = {"BLOCK=16"};
  tilec_device *device = open_device("sim");
  tilec_kernel *untuned = kernel_of(device, tuned_source), *kernel, *given;
  int32_t zero = 0;
  tilec_buffer *out = buffer_of(device, &zero, sizeof zero);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  assert_block(untuned, out, 100, 32);
  keep_tuned(device, 100, "128");
  keep_tuned(device, 99, "256");
  kernel = kernel_of(device, tuned_source);
  assert_block(kernel, out, 100, 128);
  assert_block(kernel, out, 99, 256);
  assert_block(kernel, out, 101, 32); // 99, 100 and 101 are one specialisation but for that
  assert_block(kernel, out, 100, 128);
  options.defines = defines;
  options.define_count = 1;
  tilec_program *program = program_of("given.tile", tuned_source);
  assert_ok(tilec_kernel_new(device, program, &options, &given));
  assert_block(given, out, 100, 16);
  tilec_kernel_free(given);
  tilec_kernel_free(kernel);
  tilec_kernel_free(untuned);
  tilec_program_free(program);
  tilec_buffer_free(out);
  tilec_device_close(device);
}

int suite_cache_launch(void) {
#define CACHED(name) cmocka_unit_test_setup_teardown(name, cache_set_up, cache_tear_down)
  const struct CMUnitTest tests[] = {
      CACHED(test_text_changes_the_key),   CACHED(test_specialisation_changes_the_key),
      CACHED(test_options_change_the_key), CACHED(test_imports_change_the_key),
      CACHED(test_broken_entry),           CACHED(test_entry_runs),
      CACHED(test_switched_off),           CACHED(test_log),
      CACHED(test_errors_leave_nothing),   CACHED(test_shapes_change_the_key),
      CACHED(test_launches_take_what_was_tuned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
