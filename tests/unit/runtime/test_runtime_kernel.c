// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels and their arguments through the public header, on the simulator and the evaluator.
#include <unistd.h>
#include "tests/unit/unit.h"
#include "runtime/tilec.h"
#include "tests/unit/runtime_fixture.h"

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

TEST(test_wrong_kernels) {
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
  kernel_fails("eval", scale_source, &o, TILEC_ERROR_COMPILE, "not a Python literal");
  tilec_kernel_free(NULL);
}

// An error of the body comes at the launch, and again at the next.
TEST(test_errors_of_the_body) {
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

// Both ends of a type's range reach the kernel unchanged. The next number is refused.
TEST(test_ends_of_integers) {
  const struct {
    const char *type;
    tilec_arg least, most, below, above;
  } rows[] = {
#define INTS(type, least, most)                                                                              \
  {type, tilec_arg_int(least), tilec_arg_int(most), tilec_arg_int(INT64_C(least) - 1),                       \
   tilec_arg_int(INT64_C(most) + 1)}
      INTS("i8", -128, 127),
      INTS("u8", 0, 255),
      INTS("i16", -32768, 32767),
      INTS("u16", 0, 65535),
      INTS("i32", -2147483648, 2147483647),
      INTS("u32", 0, 4294967295),
#undef INTS
      {"i64", tilec_arg_int(INT64_MIN), tilec_arg_int(INT64_MAX), tilec_arg_uint(UINT64_MAX),
       tilec_arg_uint((uint64_t)1 << 63)},
      {"u64", tilec_arg_int(0), tilec_arg_uint(UINT64_MAX), tilec_arg_int(-1), tilec_arg_int(INT64_MIN)},
  };
  for (int d = 0; d < DEVICES; d++) {
    tilec_device *device = open_device(devices[d]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      char source[200];
      snprintf(source, sizeof source, "@kernel\n@grid(1)\ndef f(x: *%s, n: %s):\n    store(x, n)\n",
               rows[i].type, rows[i].type);
      tilec_kernel *kernel = kernel_of(device, source);
      uint64_t got = 0;
      tilec_buffer *x = buffer_of(device, &got, sizeof got);
      const tilec_arg *ends[] = {&rows[i].least, &rows[i].most}, *beyond[] = {&rows[i].below, &rows[i].above};
      size_t bytes = (size_t)1 << (i / 2);
      for (int k = 0; k < 2; k++) {
        tilec_arg args[] = {tilec_arg_buffer(TILEC_I8, x), *ends[k]};
        static const tilec_dtype types[] = {TILEC_I8, TILEC_I16, TILEC_I32, TILEC_I64};
        args[0].dtype = types[i / 2];
        assert_ok(tilec_launch(kernel, NULL, args, 2));
        assert_ok(tilec_buffer_read(x, 0, &got, bytes));
        assert_memory_equal(&got, &ends[k]->value.i, bytes);
        args[1] = *beyond[k];
        assert_error(tilec_launch(kernel, NULL, args, 2), TILEC_ERROR_INVALID_ARGUMENT, "it cannot hold");
      }
      tilec_buffer_free(x);
      tilec_kernel_free(kernel);
    }
    tilec_device_close(device);
  }
}

// Without a declared type: i32, i64, u64, and i1 of a bool, as Triton's launcher chooses.
TEST(test_types_of_undeclared_integers) {
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel =
      kernel_of(device, "@kernel\n@grid(1)\ndef f(x: *i64, n):\n    store(x, (~n).to(tl.int64))\n");
  const struct {
    tilec_arg arg;
    int64_t wanted;
  } rows[] = {{tilec_arg_int(5), -6},
              {tilec_arg_int((int64_t)1 << 40), ~((int64_t)1 << 40)},
              {tilec_arg_uint((uint64_t)1 << 63), INT64_MAX},
              {tilec_arg_bool(1), 0},
              {tilec_arg_bool(0), 1}};
  int64_t got = 0;
  tilec_buffer *x = buffer_of(device, &got, sizeof got);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const tilec_arg args[] = {tilec_arg_buffer(TILEC_I64, x), rows[i].arg};
    assert_ok(tilec_launch(kernel, NULL, args, 2));
    assert_ok(tilec_buffer_read(x, 0, &got, sizeof got));
    assert_int_equal(got, rows[i].wanted);
  }
  tilec_buffer_free(x);
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

TEST(test_wrong_arguments) {
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
      {{tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_uint(UINT64_MAX)},
       5,
       "'n' is declared i32; it cannot hold 18446744073709551615"},
      {{tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_int(1), tilec_arg_int(2), tilec_arg_float(65520)},
       5,
       "'e' is declared fp16; it cannot hold 65520"},
      {{tilec_arg_pointer(TILEC_FP32, 256), tilec_arg_int(1), tilec_arg_int(2), tilec_arg_int(-70000)},
       5,
       "'e' is declared fp16; it cannot hold -70000"},
      {{GOOD, {.kind = TILEC_ARG_BOOL, .value.i = 2}}, 5, "'b' is given a bool of 2"},
      {{{.kind = (tilec_arg_kind)999}}, 5, "'x': 999"},
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

TEST(test_every_type_arrives) {
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

TEST(test_none_and_defaults) {
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

// A constexpr may be a function of the file, or one that it imports and uses.
TEST(test_functions_as_constexprs) {
  static const char lib[] = "@jit\ndef minus(v):\n    return -v\n",
                    main_text[] = "from lib import minus\n@jit\ndef twice(v):\n    return v * 2\n@jit\ndef "
                                  "other(v):\n    return minus(v)\n@kernel\n@grid(1)\n"
                                  "def f(x: *fp32, ACT: constexpr):\n"
                                  "    store(x, ACT(load(x)))\n";
  const tilec_source sources[] = {{"main.tile", main_text, sizeof main_text - 1},
                                  {"lib.tile", lib, sizeof lib - 1}};
  static const char *const defines[] = {"ACT=twice", "ACT=minus"};
  tilec_program *program;
  assert_ok(tilec_program_from_sources(sources, 2, &program));
  for (int d = 0; d < DEVICES; d++) {
    float value = 3;
    tilec_device *device = open_device(devices[d]);
    tilec_buffer *x = buffer_of(device, &value, sizeof value);
    const tilec_arg arg = tilec_arg_buffer(TILEC_FP32, x);
    for (int i = 0; i < 2; i++) {
      tilec_compile_options o = TILEC_COMPILE_OPTIONS_INIT;
      tilec_kernel *kernel;
      o.defines = &defines[i];
      o.define_count = 1;
      assert_ok(tilec_kernel_new(device, program, &o, &kernel));
      assert_ok(tilec_launch(kernel, NULL, &arg, 1));
      tilec_kernel_free(kernel);
    }
    assert_ok(tilec_buffer_read(x, 0, &value, sizeof value));
    assert_true(value == -6); // NOLINT: exact
    tilec_buffer_free(x);
    tilec_device_close(device);
  }
  tilec_program_free(program);
}

WHOLE_SUITE(runtime_kernel)
