// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches through the public header, on the simulator and the evaluator.
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/arena.h"
#include "runtime/launch/kernel.h"
#include "runtime/tilec.h"
#include "tests/unit/runtime_fixture.h"

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

TEST(test_specialisations) {
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

// jit's options name parameters by name or index: launches then derive fewer facts from their values.
TEST(test_parameters_not_specialised) {
  static const int ns[] = {1, 2, 16, 48}; // equal to 1; neither; divisible by 16, twice
  static const struct {
    const char *options;
    uint32_t by_size, by_offset; // variants after launches with each n; then also with 4 offsets in bytes
  } rows[] = {{"", 3, 4},
              {"(do_not_specialize=['n'])", 1, 2},
              {"(do_not_specialize=[2])", 1, 2},
              {"(do_not_specialize_on_alignment=('n',))", 2, 3},
              {"(do_not_specialize=['n', 0])", 1, 1},
              {"(do_not_specialize=NAMES, do_not_specialize_on_alignment=['x'])", 1, 1},
              {"(do_not_specialize=['m', 3], do_not_specialize_on_alignment=[])", 3, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char source[400];
    tilec_device *device = open_device("sim");
    snprintf(source, sizeof source,
             "NAMES = ['n']\n@triton.jit%s\ndef k(x: *i32, out: *i32, n):\n"
             "    store(out, load(x) + n)\n    store(out + 1, load(x) // n)\n",
             rows[i].options);
    tilec_kernel *kernel = kernel_of(device, source);
    int32_t host[8] = {90, 91, 92, 93, 94, 95, 96, 97};
    tilec_buffer *x = buffer_of(device, host, sizeof host), *out = buffer_of(device, host, sizeof host);
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
    options.grid[0] = options.grid[1] = options.grid[2] = 1;
    for (size_t k = 0; k < 4 + 4; k++) {
      size_t at = k < 4 ? 0 : k - 4;
      int n = k < 4 ? ns[k] : 2;
      tilec_arg args[] = {tilec_arg_pointer(TILEC_I32, tilec_buffer_address(x) + 4 * at),
                          tilec_arg_buffer(TILEC_I32, out), tilec_arg_int(n)};
      int32_t got[2];
      assert_ok(tilec_launch(kernel, &options, args, 3));
      assert_ok(tilec_buffer_read(out, 0, got, sizeof got));
      assert_int_equal(got[0], host[at] + n);
      assert_int_equal(got[1], host[at] / n);
      if (k == 3) assert_int_equal(kernel->count, rows[i].by_size);
    }
    assert_int_equal(kernel->count, rows[i].by_offset);
    tilec_buffer_free(x);
    tilec_buffer_free(out);
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

// One specialisation for each result of the heuristics, whatever the arguments that led there; -D wins.
TEST(test_heuristics) {
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
TEST(test_imports) {
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

TEST(test_grids) {
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

// The functions for other languages fill what the inline ones return.
TEST(test_arguments_by_functions) {
  tilec_device *device = open_device("eval");
  tilec_buffer *buffer = NULL;
  assert_ok(tilec_buffer_new(device, 8, &buffer));
  tilec_arg set[8];
  memset(set, 0xFF, sizeof set);
  tilec_arg_set_pointer(&set[0], TILEC_FP16, 4096);
  tilec_arg_set_buffer(&set[1], TILEC_U8, buffer);
  tilec_arg_set_int(&set[2], -3);
  tilec_arg_set_uint(&set[3], UINT64_MAX);
  tilec_arg_set_bool(&set[4], 2);
  tilec_arg_set_float(&set[5], 0.5);
  tilec_arg_set_none(&set[6]);
  tilec_arg_set_default(&set[7]);
  const tilec_arg made[8] = {tilec_arg_pointer(TILEC_FP16, 4096), tilec_arg_buffer(TILEC_U8, buffer),
                             tilec_arg_int(-3), tilec_arg_uint(UINT64_MAX), tilec_arg_bool(2),
                             tilec_arg_float(0.5), tilec_arg_none(), tilec_arg_default()};
  assert_memory_equal(set, made, sizeof made);
  tilec_buffer_free(buffer);
  tilec_device_close(device);
}

// More argument sets than are kept, twice over, and then two alternately.
TEST(test_grids_are_kept_by_their_arguments) {
  enum { SETS = HOST_SETS + 6 };
  Scale s = scale_new("eval");
  float *unwritten = calloc(N, sizeof *unwritten);
  assert_non_null(unwritten);
  for (int i = 0; i < N; i++) unwritten[i] = -1;
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, s.x), tilec_arg_buffer(TILEC_FP32, s.out),
                      tilec_arg_int(N)};
  for (int i = 0; i < 2 * SETS + 6; i++) {
    int n = 49 + 3 * (i < 2 * SETS ? i % SETS : i % 2);
    if (n % 16 == 0) continue;
    args[2] = tilec_arg_int(n);
    assert_ok(tilec_buffer_write(s.out, 0, unwritten, N * sizeof *unwritten));
    assert_ok(tilec_launch(s.kernel, NULL, args, 3));
    check_scaled(&s, n, 0);
  }
  assert_null(s.kernel->first->next);
  assert_int_equal(s.kernel->first->results.count, HOST_SETS);
  free(unwritten);
  scale_free(&s);
}

// The bytes of a parameter by value come with the launch; no argument of 8 bytes replaces them.
TEST(test_parameters_by_value) {
  static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                            ".visible .entry last(.param .u64 out, .param .align 64 .b8 map[128])\n"
                            "{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.b64 %rd1, [out];\n"
                            "ld.param.b32 %r1, [map+124];\nst.global.b32 [%rd1], %r1;\nret;\n}\n";
  tilec_device *device = open_device("sim");
  KernelImage image = {.name = "last", .ptx = {ptx, sizeof ptx - 1}, .threads = {1, 1, 1}};
  DeviceKernel kernel;
  uint32_t bytes[32] = {[31] = 42}, got = 0;
  tilec_buffer *out = buffer_of(device, &got, sizeof got);
  uint64_t args[] = {tilec_buffer_address(out), 42};
  const int64_t grid[3] = {1, 1, 1};
  assert_ok(device_load(device, &image, &kernel));
  assert_error(device_launch(&kernel, grid, args, 2, NULL, NULL), TILEC_ERROR_INVALID_ARGUMENT,
               "last: parameter 1 takes 128 bytes, an argument has 8");
  device_unload(&kernel);
  image.by_value = (ByValueParams){.n = 1, .at = {1}};
  args[1] = (uint64_t)(uintptr_t)bytes;
  assert_ok(device_load(device, &image, &kernel));
  assert_ok(device_launch(&kernel, grid, args, 2, NULL, NULL));
  assert_ok(tilec_buffer_read(out, 0, &got, sizeof got));
  assert_int_equal(got, 42);
  device_unload(&kernel);
  tilec_buffer_free(out);
  tilec_device_close(device);
}

TEST(test_hidden_parameters_that_nothing_fills) {
  static const char source[] =
      "module { kernel @k(%out: *i32, %room: *i8 {hidden = scratch}) { return } }";
  for (int dev = 0; dev < DEVICES; dev++) {
    tilec_device *device = open_device(devices[dev]);
    tilec_kernel *kernel = NULL;
    tilec_program *program = program_of("test.tir", source);
    assert_ok(tilec_kernel_new(device, program, NULL, &kernel));
    tilec_arg args[] = {tilec_arg_pointer(TILEC_I32, 256)};
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
    options.grid[0] = options.grid[1] = options.grid[2] = 1;
    assert_error(tilec_launch(kernel, &options, args, 1), TILEC_ERROR_COMPILE,
                 "test.tir:1:32: error: nothing fills the hidden parameter 'room' (scratch)");
    tilec_program_free(program);
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

TEST(test_no_grid) {
  tilec_device *device = open_device("eval");
  tilec_kernel *kernel = kernel_of(device, "@kernel\ndef f(x: *fp32):\n    store(x, 1.0)\n");
  tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, 256)};
  assert_error(tilec_launch(kernel, NULL, args, 1), TILEC_ERROR_INVALID_ARGUMENT, "f has no @grid: set options.grid to the number of programs");
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

TEST(test_a_stream_of_another_device) {
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

// The message names the source, the argument and its element; what is launched afterwards is not harmed.
TEST(test_out_of_bounds) {
  for (int dev = 0; dev < DEVICES; dev++) {
    Scale s = scale_new(devices[dev]);
    tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, s.x), tilec_arg_buffer(TILEC_FP32, s.out),
                        tilec_arg_int(N + 1)};
    assert_error(tilec_launch(s.kernel, NULL, args, 3), TILEC_ERROR_LAUNCH, "test.tile:5");
    const char *says[] = {": error[T1101]: load out of bounds: x[200] of 200, in program (3, 0, 0)",
                          "load(x + i", "^~~", "note: the mask allows it"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
      if (!strstr(tilec_last_error(), says[i])) fail_msg("'%s' is not in '%s'", says[i], tilec_last_error());
    args[2] = tilec_arg_int(N);
    assert_ok(tilec_launch(s.kernel, NULL, args, 3));
    check_scaled(&s, N, 0);
    scale_free(&s);
  }
}

// An uninitialised buffer of eval may be written, and is defined from then on.
TEST(test_chained_launches) {
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

TEST(test_tir_programs) {
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

TEST(test_the_end_of_memory) {
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

// Two devices of one kind and two of different kinds. No address of one is within a buffer of
// another. A launch refuses the other's buffers, wherever the pointer points into them.
TEST(test_buffers_of_other_devices) {
  static const char *const names[] = {"sim", "sim", "eval", "eval"};
  enum { COUNT = 4, BYTES = 64 * sizeof(float) };
  tilec_device *opened[COUNT];
  tilec_buffer *buffers[COUNT][2];
  tilec_kernel *kernels[COUNT];
  const float ones[64] = {1};
  for (int d = 0; d < COUNT; d++) {
    opened[d] = open_device(names[d]);
    for (int i = 0; i < 2; i++) buffers[d][i] = buffer_of(opened[d], ones, BYTES);
    kernels[d] = kernel_of(opened[d], scale_source);
  }
  for (int d = 0; d < COUNT; d++)
    for (int other = 0; other < COUNT; other++) {
      uint64_t mine = tilec_buffer_address(buffers[d][0]), theirs = tilec_buffer_address(buffers[other][1]);
      assert_true(mine + BYTES <= theirs || theirs + BYTES <= mine);
      const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, buffers[d][0]),
                                tilec_arg_buffer(TILEC_FP32, buffers[other][1]), tilec_arg_int(64)};
      tilec_status status = tilec_launch(kernels[d], NULL, args, 3);
      if (d == other)
        assert_ok(status);
      else
        assert_error(status, TILEC_ERROR_INVALID_ARGUMENT, "'out' points into a buffer of another device");
      const tilec_arg inside[] = {tilec_arg_pointer(TILEC_FP32, theirs + BYTES - 16), args[0],
                                  tilec_arg_int(1)};
      status = tilec_launch(kernels[d], NULL, inside, 3);
      if (d != other)
        assert_error(status, TILEC_ERROR_INVALID_ARGUMENT, "'x' points into a buffer of another");
    }
  // A null pointer and one that is in no buffer are the kernel's own matter, and a closed device's buffer is none.
  const tilec_arg empty[] = {tilec_arg_pointer(TILEC_FP32, 0), tilec_arg_pointer(TILEC_FP32, 4096),
                             tilec_arg_int(0)};
  assert_ok(tilec_launch(kernels[0], NULL, empty, 3));
  for (int d = 0; d < COUNT; d++) {
    for (int i = 0; i < 2; i++) tilec_buffer_free(buffers[d][i]);
    tilec_kernel_free(kernels[d]);
    tilec_device_close(opened[d]);
  }
}

// More simulators one after another, and at a time, than there are spans of addresses in a row: each has its own.
TEST(test_many_simulators) {
  enum { AT_A_TIME = 200, ROUNDS = 20 };
  static tilec_device *opened[AT_A_TIME];
  static tilec_buffer *buffers[AT_A_TIME];
  for (int round = 0; round < ROUNDS; round++) {
    for (int d = 0; d < AT_A_TIME; d++) {
      opened[d] = open_device("sim");
      assert_ok(tilec_buffer_new(opened[d], 256, &buffers[d]));
      for (int k = 0; k < d; k++)
        assert_true(tilec_buffer_address(buffers[d]) != tilec_buffer_address(buffers[k]));
    }
    for (int d = 0; d < AT_A_TIME; d++) {
      tilec_buffer_free(buffers[d]);
      tilec_device_close(opened[d]);
    }
  }
}

WHOLE_SUITE(runtime_launch)
