// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs, offline compilation, kernels and launches through the public header, on
// the simulator and the evaluator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "runtime/kernel.h"
#include "runtime/tilec.h"

static const char *const devices[] = {"sim", "eval"};
enum { DEVICES = 2 };

static const char scale_source[] =
    "@kernel\n"
    "@grid(cdiv(n, BLOCK))\n"
    "def scale(x: *fp32, out: *fp32, n, factor: fp32 = 2.0, BLOCK: constexpr = 64):\n"
    "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    store(out + i, load(x + i, mask=i < n) * factor, mask=i < n)\n";

static tilec_device *open_device(const char *name) {
  tilec_device *device = NULL;
  assert_int_equal(tilec_device_open(name, &device), TILEC_OK);
  return device;
}

static void assert_error(tilec_status got, tilec_status expected, const char *text) {
  if (got != expected)
    fail_msg("%s, not %s: %s", tilec_status_name(got), tilec_status_name(expected), tilec_last_error());
  if (!strstr(tilec_last_error(), text)) fail_msg("'%s' is not in '%s'", text, tilec_last_error());
}

static void assert_ok(tilec_status status) {
  if (status) fail_msg("%s: %s", tilec_status_name(status), tilec_last_error());
}

static tilec_program *program_of(const char *name, const char *source) {
  tilec_program *program = NULL;
  assert_ok(tilec_program_from_source(name, source, strlen(source), &program));
  return program;
}

static tilec_kernel *kernel_of(tilec_device *device, const char *source) {
  tilec_kernel *kernel = NULL;
  tilec_program *program = program_of("test.tile", source);
  assert_ok(tilec_kernel_new(device, program, NULL, &kernel));
  tilec_program_free(program); // the kernel holds it
  return kernel;
}

static tilec_buffer *buffer_of(tilec_device *device, const void *bytes, size_t n) {
  tilec_buffer *buffer = NULL;
  assert_ok(tilec_buffer_new(device, n, &buffer));
  assert_ok(tilec_buffer_write(buffer, 0, bytes, n));
  return buffer;
}

// --- Programs and offline compilation ---

static void test_wrong_programs(void **unused) {
  (void)unused;
  tilec_program *program = (tilec_program *)1;
  const char *wrong = "@kernel\ndef f(x: *fp32:\n    pass\n";
  assert_error(tilec_program_from_source("wrong.tile", wrong, strlen(wrong), &program), TILEC_ERROR_COMPILE,
               "wrong.tile:2:");
  assert_null(program);
  assert_error(tilec_program_from_source(NULL, wrong, 1, &program), TILEC_ERROR_INVALID_ARGUMENT,
               "name is NULL");
  assert_error(tilec_program_from_source("a", NULL, 1, &program), TILEC_ERROR_INVALID_ARGUMENT,
               "text is NULL");
  assert_error(tilec_program_from_source("a", "", 0, NULL), TILEC_ERROR_INVALID_ARGUMENT, "program is NULL");
  assert_error(tilec_program_from_file("/nonexistent/a.tile", &program), TILEC_ERROR_IO,
               "/nonexistent/a.tile");
  assert_error(tilec_program_from_file("/", &program), TILEC_ERROR_IO, "cannot read /");
  assert_error(tilec_program_from_file(NULL, &program), TILEC_ERROR_INVALID_ARGUMENT, "path is NULL");
  assert_error(tilec_program_from_source("wrong.tir", "func", 4, &program), TILEC_ERROR_COMPILE,
               "wrong.tir:1:");
  tilec_program_free(NULL);
  assert_ok(tilec_program_from_source("empty.tile", NULL, 0, &program));
  tilec_program_free(program);
}

static void test_outputs(void **unused) {
  (void)unused;
  tilec_program *program = program_of("scale.tile", scale_source);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  const char *defines[] = {"BLOCK=256"};
  tilec_compiled *compiled = NULL;
  const char *text;
  size_t bytes;
  options.signature = "x=:16,n=i32";
  options.defines = defines;
  options.define_count = 1;
  options.arch = "sm_80";
  options.num_warps = 2;
  options.remarks = 1;
  assert_ok(tilec_compile(program, &options, &compiled));
  tilec_program_free(program);
  assert_ok(tilec_compiled_output(compiled, TILEC_OUTPUT_PTX, &text, &bytes));
  assert_non_null(strstr(text, ".target sm_80"));
  assert_int_equal(strlen(text), bytes);
  assert_ok(tilec_compiled_output(compiled, TILEC_OUTPUT_TIR, &text, NULL));
  assert_non_null(strstr(text, "scale"));
  assert_ok(tilec_compiled_output(compiled, TILEC_OUTPUT_LLVM, &text, NULL));
  assert_non_null(strstr(text, "define"));
  assert_ok(tilec_compiled_output(compiled, TILEC_OUTPUT_META, &text, NULL));
  assert_non_null(strstr(text, "\"threads\": 64"));
  assert_non_null(strstr(text, "\"BLOCK\": 256"));
  tilec_status status = tilec_compiled_output(compiled, TILEC_OUTPUT_CUBIN, &text, &bytes);
  if (status == TILEC_OK) { // where there is ptxas
    assert_memory_equal(text, "\177ELF", 4);
    assert_true(bytes > 1000);
  } else {
    assert_int_equal(status, TILEC_ERROR_NOT_SUPPORTED);
    assert_non_null(strstr(tilec_last_error(), "ptxas"));
  }
  assert_non_null(tilec_compiled_log(compiled));
  assert_error(tilec_compiled_output(compiled, (tilec_output)9, &text, NULL), TILEC_ERROR_INVALID_ARGUMENT,
               "9");
  assert_error(tilec_compiled_output(compiled, TILEC_OUTPUT_PTX, NULL, NULL), TILEC_ERROR_INVALID_ARGUMENT,
               "text is NULL");
  assert_error(tilec_compiled_output(NULL, TILEC_OUTPUT_PTX, &text, NULL), TILEC_ERROR_INVALID_ARGUMENT,
               "compiled is NULL");
  tilec_compiled_free(compiled);
  tilec_compiled_free(NULL);
  assert_string_equal(tilec_compiled_log(NULL), "");
}

static void compile_fails(const tilec_compile_options *options, tilec_status status, const char *text) {
  tilec_program *program = program_of("scale.tile", scale_source);
  tilec_compiled *compiled = (tilec_compiled *)1;
  assert_error(tilec_compile(program, options, &compiled), status, text);
  assert_null(compiled);
  tilec_program_free(program);
}

static void test_wrong_options(void **unused) {
  (void)unused;
  tilec_compiled *compiled;
  const char *defines[] = {"BLOCK=256", NULL}, *unknown[] = {"BLOCKS=3"};
  tilec_compile_options o = TILEC_COMPILE_OPTIONS_INIT, fresh = TILEC_COMPILE_OPTIONS_INIT;
  assert_error(tilec_compile(NULL, NULL, &compiled), TILEC_ERROR_INVALID_ARGUMENT, "program is NULL");
  o.size = 0;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "TILEC_COMPILE_OPTIONS_INIT");
  o.size = 3;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "TILEC_COMPILE_OPTIONS_INIT");
  o.size = sizeof o + 8;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "TILEC_COMPILE_OPTIONS_INIT");
  o = fresh, o.num_warps = 3;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "num_warps is 3");
  o = fresh, o.num_warps = 64;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "num_warps is 64");
  o = fresh, o.num_stages = -1;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "num_stages is -1");
  o = fresh, o.maxnreg = 256;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "maxnreg is 256");
  o = fresh, o.arch = "sm_12";
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "sm_12");
  o = fresh, o.fp32_dot = (tilec_fp32_dot)7;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "fp32_dot is 7");
  o = fresh, o.define_count = 1;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "defines is NULL");
  o.defines = defines, o.define_count = 2;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "defines[1] is NULL");
  o.defines = unknown, o.define_count = 1, o.signature = "n=i32";
  compile_fails(&o, TILEC_ERROR_COMPILE, "BLOCKS");
  o = fresh, o.kernel = "scalar";
  compile_fails(&o, TILEC_ERROR_COMPILE, "scalar");
  o = fresh, o.signature = "n=i33";
  compile_fails(&o, TILEC_ERROR_COMPILE, "<signature>:1:3: error:");
  compile_fails(NULL, TILEC_ERROR_COMPILE, "'n'"); // no type
}

// --- Kernels ---

static void kernel_fails(const char *device_name, const char *source, const tilec_compile_options *options,
                         tilec_status status, const char *text) {
  tilec_device *device = open_device(device_name);
  tilec_program *program = program_of("test.tile", source);
  tilec_kernel *kernel = (tilec_kernel *)1;
  assert_error(tilec_kernel_new(device, program, options, &kernel), status, text);
  assert_null(kernel);
  tilec_program_free(program);
  tilec_device_close(device);
}

static void test_wrong_kernels(void **unused) {
  (void)unused;
  static const char two[] =
      "@kernel\ndef f(x: *fp32):\n    store(x, 1.0)\n\n@kernel\ndef g(x: *fp32):\n    store(x, 1.0)\n";
  static const char *const unknown[] = {"SIZE=3"}, *const run_time[] = {"n=3"},
                           *const no_literal[] = {"BLOCK=what"};
  tilec_compile_options o = TILEC_COMPILE_OPTIONS_INIT, fresh = TILEC_COMPILE_OPTIONS_INIT;
  tilec_kernel *kernel;
  tilec_device *device = open_device("eval");
  assert_error(tilec_kernel_new(device, NULL, NULL, &kernel), TILEC_ERROR_INVALID_ARGUMENT,
               "program is NULL");
  tilec_device_close(device);
  kernel_fails("eval", two, NULL, TILEC_ERROR_COMPILE, "2 kernels");
  kernel_fails("eval", "X = 3\n", NULL, TILEC_ERROR_COMPILE, "no kernel");
  o.kernel = "h";
  kernel_fails("eval", two, &o, TILEC_ERROR_COMPILE, "'h'");
  o = fresh, o.signature = "n=i32";
  kernel_fails("eval", scale_source, &o, TILEC_ERROR_INVALID_ARGUMENT, "signature");
  o = fresh, o.defines = unknown, o.define_count = 1;
  kernel_fails("eval", scale_source, &o, TILEC_ERROR_INVALID_ARGUMENT, "no constexpr parameter 'SIZE'");
  o.defines = run_time;
  kernel_fails("eval", scale_source, &o, TILEC_ERROR_INVALID_ARGUMENT, "no constexpr parameter 'n'");
  o.defines = no_literal;
  kernel_fails("eval", scale_source, &o, TILEC_ERROR_COMPILE, "no Python literal");
  tilec_kernel_free(NULL);
}

// An error of the body comes at the launch, and again at the next.
static void test_errors_of_the_body(void **unused) {
  (void)unused;
  tilec_device *device = open_device("eval");
  tilec_kernel *kernel =
      kernel_of(device, "@kernel\n@grid(1)\ndef f(x: *fp32):\n    store(x, undefined_name)\n");
  tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, 256)};
  for (int i = 0; i < 2; i++)
    assert_error(tilec_launch(kernel, NULL, args, 1), TILEC_ERROR_COMPILE, "test.tile:4:");
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

// --- Arguments ---

static void test_wrong_arguments(void **unused) {
  (void)unused;
  tilec_device *device = open_device("eval");
  tilec_kernel *kernel =
      kernel_of(device, "@kernel\n@grid(1)\ndef f(x: *fp32, n: i32, s: u8, e: fp16, b: i1 = True):\n"
                        "    store(x, 1.0)\n");
  const struct {
    tilec_arg args[6];
    size_t count;
    const char *message;
  } rows[] = {
#define GOOD tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_int(1), tilec_arg_int(2), tilec_arg_float(1)
      {{GOOD, tilec_arg_int(1), tilec_arg_int(1)}, 6, "takes 5 arguments, not 6"},
      {{GOOD}, 3, "'e' has no value"},
      {{tilec_arg_int(1)}, 5, "'x' is declared *fp32; it cannot take an integer"},
      {{tilec_arg_float(1)}, 5, "'x' is declared *fp32; it cannot take a float"},
      {{tilec_arg_pointer(TILEC_FP16, 256)}, 5, "'x' is declared *fp32; it cannot point to fp16"},
      {{tilec_arg_pointer((tilec_dtype)77, 256)}, 5, "'x': 77"},
      {{tilec_arg_default()}, 5, "'x' has no default"},
      {{tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_pointer(TILEC_I32, 256)},
       5,
       "'n' is declared i32; it cannot take a pointer"},
      {{tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_float(1)},
       5,
       "'n' is declared i32; it cannot take a float"},
      {{tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_int((int64_t)1 << 31)},
       5,
       "'n' is declared i32; it cannot hold 2147483648"},
      {{tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_int(1), tilec_arg_int(-1)},
       5,
       "'s' is declared u8; it cannot hold -1"},
      {{tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_int(1), tilec_arg_int(256)},
       5,
       "'s' is declared u8; it cannot hold 256"},
      {{GOOD, tilec_arg_int(2)}, 5, "'b' is declared i1; it cannot hold 2"},
      {{{.kind = (tilec_arg_kind)9}}, 5, "'x': 9"},
#undef GOOD
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_error(tilec_launch(kernel, NULL, rows[i].args, rows[i].count), TILEC_ERROR_INVALID_ARGUMENT,
                 rows[i].message);
  assert_error(tilec_launch(NULL, NULL, NULL, 0), TILEC_ERROR_INVALID_ARGUMENT, "kernel is NULL");
  assert_error(tilec_launch(kernel, NULL, NULL, 3), TILEC_ERROR_INVALID_ARGUMENT, "args is NULL");
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

// Stores what it got, so that each type's way to the kernel is seen.
static const char echo_source[] =
    "@kernel\n"
    "@grid(1)\n"
    "def echo(ints: *i64, floats: *fp64, a: i8, b: u16, c: i32, d: i64, e: i1, f, g,\n"
    "         h: fp16, i: bf16, j: fp32, k: fp64, l):\n"
    "    store(ints + 0, a.to(int64))\n"
    "    store(ints + 1, b.to(int64))\n"
    "    store(ints + 2, c.to(int64))\n"
    "    store(ints + 3, d)\n"
    "    store(ints + 4, e.to(int64))\n"
    "    store(ints + 5, f.to(int64))\n"
    "    store(ints + 6, g.to(int64))\n"
    "    store(floats + 0, h.to(float64))\n"
    "    store(floats + 1, i.to(float64))\n"
    "    store(floats + 2, j.to(float64))\n"
    "    store(floats + 3, k)\n"
    "    store(floats + 4, l.to(float64))\n";

static void test_every_type_arrives(void **unused) {
  (void)unused;
  static const int64_t ints[] = {-128, 65535, -2000000000, INT64_MIN, 1, 7, (int64_t)1 << 40};
  static const double floats[] = {0x1.554p-2, 3.140625, 0x1.99999ap-4, 0.1, 3};
  for (int dev = 0; dev < DEVICES; dev++) {
    tilec_device *device = open_device(devices[dev]);
    tilec_kernel *kernel = kernel_of(device, echo_source);
    int64_t got_ints[7] = {0};
    double got_floats[5] = {0};
    tilec_buffer *i = buffer_of(device, got_ints, sizeof got_ints),
                 *f = buffer_of(device, got_floats, sizeof got_floats);
    tilec_arg args[] = {tilec_arg_buffer(TILEC_I64, i), tilec_arg_buffer(TILEC_FP64, f),
                        tilec_arg_int(ints[0]),         tilec_arg_int(ints[1]),
                        tilec_arg_int(ints[2]),         tilec_arg_int(ints[3]),
                        tilec_arg_int(ints[4]),         tilec_arg_int(ints[5]),
                        tilec_arg_int(ints[6]),         tilec_arg_float(1.0 / 3),
                        tilec_arg_float(3.14159),       tilec_arg_float(0.1),
                        tilec_arg_float(0.1),           tilec_arg_float(3)};
    assert_ok(tilec_launch(kernel, NULL, args, 14));
    assert_ok(tilec_buffer_read(i, 0, got_ints, sizeof got_ints));
    assert_ok(tilec_buffer_read(f, 0, got_floats, sizeof got_floats));
    assert_memory_equal(got_ints, ints, sizeof ints);
    assert_memory_equal(got_floats, floats, sizeof floats);
    tilec_kernel_free(kernel);
    tilec_buffer_free(i);
    tilec_buffer_free(f);
    tilec_device_close(device);
  }
}

static void test_none_and_defaults(void **unused) {
  (void)unused;
  static const char source[] = "@kernel\n@grid(1)\n"
                               "def f(out: *i32, bias, scale: i32 = 5):\n"
                               "    v = scale\n"
                               "    if bias is not None:\n"
                               "        v = scale + load(bias)\n"
                               "    store(out, v)\n";
  for (int dev = 0; dev < DEVICES; dev++) {
    tilec_device *device = open_device(devices[dev]);
    tilec_kernel *kernel = kernel_of(device, source);
    int32_t got = 0, bias_value = 100;
    tilec_buffer *out = buffer_of(device, &got, 4), *bias = buffer_of(device, &bias_value, 4);
    const struct {
      tilec_arg args[3];
      size_t count;
      int32_t expected;
    } rows[] = {
        {{tilec_arg_buffer(TILEC_I32, out), tilec_arg_none()}, 2, 5},
        {{tilec_arg_buffer(TILEC_I32, out), tilec_arg_none(), tilec_arg_default()}, 3, 5},
        {{tilec_arg_buffer(TILEC_I32, out), tilec_arg_none(), tilec_arg_int(1)}, 3, 1},
        {{tilec_arg_buffer(TILEC_I32, out), tilec_arg_buffer(TILEC_I32, bias), tilec_arg_int(16)}, 3, 116},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      assert_ok(tilec_launch(kernel, NULL, rows[i].args, rows[i].count));
      assert_ok(tilec_buffer_read(out, 0, &got, 4));
      assert_int_equal(got, rows[i].expected);
    }
    tilec_buffer_free(out);
    tilec_buffer_free(bias);
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

// --- Launches ---

typedef struct Scale {
  tilec_device *device;
  tilec_kernel *kernel;
  tilec_buffer *x, *out;
} Scale;

enum { N = 200 };

static Scale scale_new(const char *device) {
  float host[N];
  Scale s = {.device = open_device(device)};
  s.kernel = kernel_of(s.device, scale_source);
  for (int i = 0; i < N; i++) host[i] = (float)i;
  s.x = buffer_of(s.device, host, sizeof host);
  for (int i = 0; i < N; i++) host[i] = -1;
  s.out = buffer_of(s.device, host, sizeof host);
  return s;
}

static void scale_free(Scale *s) {
  tilec_buffer_free(s->x);
  tilec_buffer_free(s->out);
  tilec_kernel_free(s->kernel);
  tilec_device_close(s->device);
}

// out[i] is x[i + skip] * 2 up to n, and -1 from there.
static void check_scaled(const Scale *s, int n, int skip) {
  float host[N];
  assert_ok(tilec_buffer_read(s->out, 0, host, sizeof host));
  for (int i = 0; i < N; i++) {
    float expected = i < n ? 2 * (float)(i + skip) : -1;
    if (host[i] != expected) fail_msg("element %d is %g, not %g", i, (double)host[i], (double)expected);
  }
}

static void test_specialisations(void **unused) {
  (void)unused;
  for (int dev = 0; dev < DEVICES; dev++) {
    Scale s = scale_new(devices[dev]);
    // Sizes and offsets in bytes, and how many variants there are after: equal facts share one.
    static const int rows[][3] = {{1, 0, 1},   {100, 0, 2},  {101, 0, 2}, {112, 0, 3},
                                  {112, 4, 4}, {128, 64, 4}, {1, 8, 5},   {1, 12, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      uint64_t at = tilec_buffer_address(s.x) + (uint64_t)rows[i][1];
      tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, at), tilec_arg_buffer(TILEC_FP32, s.out),
                          tilec_arg_int(rows[i][0])};
      float none = -1;
      for (size_t k = 0; k < N; k++) assert_ok(tilec_buffer_write(s.out, 4 * k, &none, 4));
      assert_ok(tilec_launch(s.kernel, NULL, args, 3));
      check_scaled(&s, rows[i][0], rows[i][1] / 4);
      assert_int_equal(s.kernel->count, rows[i][2]);
    }
    scale_free(&s);
  }
}

// One specialisation for each result of the heuristics, whatever the arguments that led there; -D wins.
static void test_heuristics(void **unused) {
  (void)unused;
  static const char source[] =
      "@triton.heuristics({'B': lambda a: triton.next_power_of_2(a['n']),\n"
      "                    'EVEN': lambda args: args['n'] % args['B'] == 0,\n"
      "                    'BIG': lambda args: args['f'] > 1.5 or args['n'] // -7 == -3})\n"
      "@triton.jit\n"
      "def k(out: *i32, n, m, f: fp32, B: constexpr, EVEN: constexpr, BIG: constexpr):\n"
      "    i = arange(0, B)\n"
      "    store(out + i, B + 1000 * EVEN + 10000 * BIG + m, mask=i < n)\n";
  static const struct {
    int n, m;
    double f;
    int result, variants, specialisations;
  } rows[] = {{16, 0, 1, 11016, 1, 1}, {5, 0, 1, 8, 2, 2},     {7, 4, 1, 12, 3, 3},  {7, 6, 1, 14, 3, 3},
              {6, 4, 1, 12, 4, 3},     {7, 6, 2, 10014, 5, 4}, {13, 0, 1, 16, 6, 5}, {64, 2, 1.5, 1066, 7, 6},
              {20, 2, 1, 10034, 8, 7}, {16, 0, 1, 11016, 8, 7}};
  for (int dev = 0; dev < DEVICES; dev++) {
    tilec_device *device = open_device(devices[dev]);
    tilec_kernel *kernel = kernel_of(device, source);
    int32_t room[64] = {0};
    tilec_buffer *out = buffer_of(device, room, sizeof room);
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
    options.grid[0] = options.grid[1] = options.grid[2] = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      tilec_arg args[] = {tilec_arg_buffer(TILEC_I32, out), tilec_arg_int(rows[i].n),
                          tilec_arg_int(rows[i].m), tilec_arg_float(rows[i].f)};
      assert_ok(tilec_launch(kernel, &options, args, 4));
      assert_ok(tilec_buffer_read(out, 0, room, sizeof room));
      for (int k = 0; k < rows[i].n; k++) assert_int_equal(room[k], rows[i].result);
      int made = 0;
      for (const Specialisation *s = kernel->first; s; s = s->next) made++;
      assert_int_equal(made, rows[i].specialisations);
      assert_int_equal(kernel->count, rows[i].variants);
    }
    tilec_buffer_free(out);
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

// A program from a file keeps what the file imports; one from text imports nothing.
static void test_imports(void **unused) {
  (void)unused;
  static const char source[] = "from utils import f\n@kernel\ndef k(o: *i32):\n    store(o, f(1))\n";
  tilec_device *device = open_device("eval");
  tilec_program *program = NULL, *text = program_of(TESTS_DIR "/golden/imports/text.tile", source);
  tilec_kernel *kernel = NULL;
  int32_t room[4] = {0};
  tilec_buffer *out = buffer_of(device, room, sizeof room);
  tilec_compile_options compile = TILEC_COMPILE_OPTIONS_INIT;
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  const char *defines[] = {"N=4"};
  tilec_arg arg = tilec_arg_buffer(TILEC_I32, out);
  compile.defines = defines;
  compile.define_count = 1;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  assert_ok(tilec_program_from_file(TESTS_DIR "/golden/imports/main.py", &program));
  assert_ok(tilec_kernel_new(device, program, &compile, &kernel));
  assert_ok(tilec_launch(kernel, &launch, &arg, 1));
  assert_ok(tilec_buffer_read(out, 0, room, sizeof room));
  assert_int_equal(room[3], 20119120);
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  assert_ok(tilec_kernel_new(device, text, NULL, &kernel));
  assert_error(tilec_launch(kernel, &launch, &arg, 1), TILEC_ERROR_COMPILE, "'utils.f', which is not read");
  tilec_kernel_free(kernel);
  tilec_program_free(text);
  tilec_buffer_free(out);
  tilec_device_close(device);
}

static void test_grids(void **unused) {
  (void)unused;
  static const struct {
    int64_t grid[3];
    tilec_status status;
    const char *message;
  } rows[] = {
      {{0, 1, 1}, TILEC_OK, ""},
      {{1, 0, 1}, TILEC_OK, ""},
      {{-2, 1, 1}, TILEC_ERROR_INVALID_ARGUMENT, "dimension x is negative (-2)"},
      {{1, 1, -1}, TILEC_ERROR_INVALID_ARGUMENT, "dimension z is negative (-1)"},
      {{2147483648, 1, 1}, TILEC_ERROR_INVALID_ARGUMENT, "dimension x is 2147483648"},
      {{1, 65536, 1}, TILEC_ERROR_INVALID_ARGUMENT, "dimension y is 65536"},
      {{1, 1, 65536}, TILEC_ERROR_INVALID_ARGUMENT, "dimension z is 65536"},
  };
  for (int dev = 0; dev < DEVICES; dev++) {
    Scale s = scale_new(devices[dev]);
    tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, s.x), tilec_arg_buffer(TILEC_FP32, s.out),
                        tilec_arg_int(N)};
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      memcpy(options.grid, rows[i].grid, sizeof options.grid);
      tilec_status status = tilec_launch(s.kernel, &options, args, 3);
      if (rows[i].status)
        assert_error(status, rows[i].status, rows[i].message);
      else
        assert_ok(status);
    }
    check_scaled(&s, 0, 0);
    options.size = 3;
    assert_error(tilec_launch(s.kernel, &options, args, 3), TILEC_ERROR_INVALID_ARGUMENT,
                 "TILEC_LAUNCH_OPTIONS_INIT");
    args[2] = tilec_arg_int(0); // @grid gives 0 programs
    assert_ok(tilec_launch(s.kernel, NULL, args, 3));
    check_scaled(&s, 0, 0);
    args[2] = tilec_arg_int(-1000); // and here a negative number
    assert_error(tilec_launch(s.kernel, NULL, args, 3), TILEC_ERROR_INVALID_ARGUMENT, "-");
    args[2] = tilec_arg_int(65);
    assert_ok(tilec_launch(s.kernel, NULL, args, 3));
    check_scaled(&s, 65, 0);
    scale_free(&s);
  }
}

static void test_no_grid(void **unused) {
  (void)unused;
  tilec_device *device = open_device("eval");
  tilec_kernel *kernel = kernel_of(device, "@kernel\ndef f(x: *fp32):\n    store(x, 1.0)\n");
  tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, 256)};
  assert_error(tilec_launch(kernel, NULL, args, 1), TILEC_ERROR_INVALID_ARGUMENT, "f has no @grid");
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

static void test_a_stream_of_another_device(void **unused) {
  (void)unused;
  Scale s = scale_new("eval");
  tilec_device *other = open_device("eval");
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, s.x), tilec_arg_buffer(TILEC_FP32, s.out),
                      tilec_arg_int(N)};
  assert_ok(tilec_stream_new(other, &options.stream));
  assert_error(tilec_launch(s.kernel, &options, args, 3), TILEC_ERROR_INVALID_ARGUMENT, "stream");
  tilec_stream_free(options.stream);
  assert_ok(tilec_stream_new(s.device, &options.stream));
  assert_ok(tilec_launch(s.kernel, &options, args, 3));
  check_scaled(&s, N, 0);
  tilec_stream_free(options.stream);
  tilec_device_close(other);
  scale_free(&s);
}

// The message names the source line; what is launched afterwards is not harmed.
static void test_out_of_bounds(void **unused) {
  (void)unused;
  for (int dev = 0; dev < DEVICES; dev++) {
    Scale s = scale_new(devices[dev]);
    tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, s.x), tilec_arg_buffer(TILEC_FP32, s.out),
                        tilec_arg_int(N + 1)};
    assert_error(tilec_launch(s.kernel, NULL, args, 3), TILEC_ERROR_LAUNCH, "test.tile:5");
    args[2] = tilec_arg_int(N);
    assert_ok(tilec_launch(s.kernel, NULL, args, 3));
    check_scaled(&s, N, 0);
    scale_free(&s);
  }
}

// What eval is given uninitialised may be written, and is defined from then on.
static void test_chained_launches(void **unused) {
  (void)unused;
  for (int dev = 0; dev < DEVICES; dev++) {
    Scale s = scale_new(devices[dev]);
    tilec_buffer *middle;
    assert_ok(tilec_buffer_new(s.device, N * 4, &middle));
    tilec_arg first[] = {tilec_arg_buffer(TILEC_FP32, s.x), tilec_arg_buffer(TILEC_FP32, middle),
                         tilec_arg_int(N), tilec_arg_float(4)};
    tilec_arg second[] = {tilec_arg_buffer(TILEC_FP32, middle), tilec_arg_buffer(TILEC_FP32, s.out),
                          tilec_arg_int(N), tilec_arg_float(0.5)};
    assert_ok(tilec_launch(s.kernel, NULL, first, 4));
    assert_ok(tilec_launch(s.kernel, NULL, second, 4));
    check_scaled(&s, N, 0);
    tilec_buffer_free(middle);
    scale_free(&s);
  }
}

static void test_tir_programs(void **unused) {
  (void)unused;
  tilec_program *program = program_of("scale.tile", scale_source), *tir;
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  tilec_compiled *compiled;
  const char *text;
  size_t bytes;
  options.signature = "x=:16,n=i32";
  assert_ok(tilec_compile(program, &options, &compiled));
  assert_ok(tilec_compiled_output(compiled, TILEC_OUTPUT_TIR, &text, &bytes));
  assert_ok(tilec_program_from_source("scale.tir", text, bytes, &tir));
  tilec_compiled_free(compiled);
  tilec_program_free(program);
  for (int dev = 0; dev < DEVICES; dev++) {
    Scale s = scale_new(devices[dev]);
    tilec_kernel_free(s.kernel);
    assert_ok(tilec_kernel_new(s.device, tir, NULL, &s.kernel));
    tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, tilec_buffer_address(s.x) + 4),
                        tilec_arg_buffer(TILEC_FP32, s.out), tilec_arg_int(100), tilec_arg_float(2)};
    tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
    launch.grid[0] = 4;
    assert_error(tilec_launch(s.kernel, &launch, args, 4), TILEC_ERROR_INVALID_ARGUMENT,
                 "'x' that is divisible by 16");
    args[0] = tilec_arg_buffer(TILEC_FP32, s.x);
    assert_ok(tilec_launch(s.kernel, &launch, args, 4));
    check_scaled(&s, 100, 0);
    scale_free(&s);
  }
  tilec_program_free(tir);
}

// --- The end of memory ---

static tilec_status whole_story(tilec_device *device, tilec_buffer *x, tilec_buffer *out) {
  tilec_program *program = NULL;
  tilec_kernel *kernel = NULL;
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(10)};
  tilec_status status = tilec_program_from_source("scale.tile", scale_source, strlen(scale_source), &program);
  if (!status) status = tilec_kernel_new(device, program, NULL, &kernel);
  if (!status) status = tilec_launch(kernel, NULL, args, 3);
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  return status;
}

static void test_the_end_of_memory(void **unused) {
  (void)unused;
  Scale s = scale_new("eval");
  for (unsigned long n = 1;; n++) {
    arena_fail_after(n);
    tilec_status status = whole_story(s.device, s.x, s.out);
    arena_fail_after(0);
    if (status == TILEC_OK) break;
    if (status != TILEC_ERROR_OUT_OF_MEMORY)
      fail_msg("allocation %lu: %s: %s", n, tilec_status_name(status), tilec_last_error());
  }
  check_scaled(&s, 10, 0);
  scale_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong_programs),
      cmocka_unit_test(test_outputs),
      cmocka_unit_test(test_wrong_options),
      cmocka_unit_test(test_wrong_kernels),
      cmocka_unit_test(test_errors_of_the_body),
      cmocka_unit_test(test_wrong_arguments),
      cmocka_unit_test(test_every_type_arrives),
      cmocka_unit_test(test_none_and_defaults),
      cmocka_unit_test(test_specialisations),
      cmocka_unit_test(test_heuristics),
      cmocka_unit_test(test_imports),
      cmocka_unit_test(test_grids),
      cmocka_unit_test(test_no_grid),
      cmocka_unit_test(test_a_stream_of_another_device),
      cmocka_unit_test(test_out_of_bounds),
      cmocka_unit_test(test_chained_launches),
      cmocka_unit_test(test_tir_programs),
      cmocka_unit_test(test_the_end_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
