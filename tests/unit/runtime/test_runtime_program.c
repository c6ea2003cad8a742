// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs and offline compilation through the public header.
#include <stdbool.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "runtime/tilec.h"
#include "tests/unit/runtime_fixture.h"

TEST(test_wrong_programs) {
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

TEST(test_outputs) {
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
  assert_non_null(strstr(text, "\"registers\": "));
  assert_ok(tilec_compiled_output(compiled, TILEC_OUTPUT_LAUNCH, &text, NULL));
  assert_non_null(strstr(text, "\"threads\": 64"));
  assert_null(strstr(text, "\"registers\": "));
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

TEST(test_wrong_options) {
  tilec_compiled *compiled;
  const char *defines[] = {"BLOCK=256", NULL}, *unknown[] = {"BLOCKS=3"};
  tilec_compile_options o = TILEC_COMPILE_OPTIONS_INIT, fresh = TILEC_COMPILE_OPTIONS_INIT;
  assert_error(tilec_compile(NULL, NULL, &compiled), TILEC_ERROR_INVALID_ARGUMENT, "program is NULL");
  o.size = 0;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "TILEC_COMPILE_OPTIONS_INIT");
  o.size = 3;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "TILEC_COMPILE_OPTIONS_INIT");
  o.size = (size_t)1 << 40;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "TILEC_COMPILE_OPTIONS_INIT");
  o = fresh, o.num_warps = 3;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "num_warps is 3");
  o = fresh, o.num_warps = 64;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "num_warps is 64");
  o = fresh, o.num_stages = -1;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "num_stages is -1");
  o = fresh, o.num_stages = 65;
  compile_fails(&o, TILEC_ERROR_INVALID_ARGUMENT, "num_stages is 65; it must be 1 .. 64");
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
  const char *no_function[] = {"BLOCK=blocks"};
  o.defines = no_function;
  compile_fails(&o, TILEC_ERROR_COMPILE,
                "'blocks' is not a Python literal, nor a function or constant of the file");
  o = fresh, o.kernel = "scalar";
  compile_fails(&o, TILEC_ERROR_COMPILE, "scalar");
  o = fresh, o.signature = "n=i33";
  compile_fails(&o, TILEC_ERROR_COMPILE, "<signature>:1:3: error[T0403]:");
  compile_fails(NULL, TILEC_ERROR_COMPILE, "'n'"); // no type
}

static tilec_diagnostic diagnostic_at(const tilec_diagnostics *list, size_t index) {
  tilec_diagnostic d = TILEC_DIAGNOSTIC_INIT;
  assert_ok(tilec_diagnostics_get(list, index, &d));
  return d;
}

static void assert_diagnostic(const tilec_diagnostics *list, size_t index, tilec_severity severity,
                              const char *text, unsigned line, unsigned column, size_t parent) {
  tilec_diagnostic d = diagnostic_at(list, index);
  assert_int_equal(d.severity, severity);
  if (!strstr(d.text, text)) fail_msg("'%s' is not in '%s'", text, d.text);
  assert_int_equal(d.line, line);
  assert_int_equal(d.column, column);
  assert_int_equal(d.parent, parent);
}

// The last error as a list, with notes; one without a place; and what is left of it in another thread and after.
TEST(test_diagnostics) {
  static const char two[] = "@kernel\ndef f(x):\n    y = a\n    g(x, x)\n\n@jit\ndef g(p):\n    return p\n";
  tilec_program *program = program_of("two.tile", two);
  tilec_compiled *compiled;
  tilec_diagnostic d = TILEC_DIAGNOSTIC_INIT;
  tilec_compile_options o = TILEC_COMPILE_OPTIONS_INIT;
  o.signature = "x=*fp32";
  assert_error(tilec_compile(program, &o, &compiled), TILEC_ERROR_COMPILE, "two.tile:3:9: error[T0201]:");
  const tilec_diagnostics *list = tilec_last_diagnostics();
  assert_int_equal(tilec_diagnostics_count(list), 3);
  assert_diagnostic(list, 0, TILEC_SEVERITY_ERROR, "a", 3, 9, 0);
  assert_diagnostic(list, 1, TILEC_SEVERITY_ERROR, "g", 4, 10, 1);
  assert_diagnostic(list, 2, TILEC_SEVERITY_NOTE, "declared here", 7, 5, 1);
  assert_string_equal(diagnostic_at(list, 2).file, "two.tile");
  assert_int_equal(diagnostic_at(list, 0).length, 1);
  assert_error(tilec_diagnostics_get(list, 3, &d), TILEC_ERROR_INVALID_ARGUMENT, "3 is not one of them");
  list = tilec_last_diagnostics(); // of that
  assert_int_equal(tilec_diagnostics_count(list), 1);
  assert_diagnostic(list, 0, TILEC_SEVERITY_ERROR, "there are 3 diagnostics, and 3 is not one of them", 0, 0,
                    0);
  assert_null(diagnostic_at(list, 0).file);
  assert_int_equal(tilec_diagnostics_count(NULL), 0);
  tilec_program_free(program);
}

static void note_text(void *data, const tilec_diagnostic *diagnostic) {
  char *log = data;
  size_t n = strlen(log);
  snprintf(log + n, 2000 - n, "%d:%u:%s\n", (int)diagnostic->severity, diagnostic->line, diagnostic->text);
}

// Remarks go to the log, of a compile offline and of one for a launch.
TEST(test_log) {
  char log[2000] = "";
  tilec_compile_options o = TILEC_COMPILE_OPTIONS_INIT;
  tilec_compiled *compiled;
  tilec_kernel *kernel;
  tilec_program *program = program_of("scale.tile", scale_source);
  tilec_device *device = open_device("sim");
  o.log = note_text;
  o.log_data = log;
  o.remarks = 1;
  assert_ok(tilec_kernel_new(device, program, &o, &kernel));
  const tilec_arg args[] = {tilec_arg_none(), tilec_arg_none(), tilec_arg_int(0)};
  assert_error(tilec_launch(kernel, NULL, args, 3), TILEC_ERROR_COMPILE, "error");
  assert_true(strstr(log, "0:5:") != NULL);
  tilec_kernel_free(kernel);
  log[0] = '\0';
  o.signature = "n=i32";
  assert_ok(tilec_compile(program, &o, &compiled));
  const tilec_diagnostics *list = tilec_compiled_diagnostics(compiled);
  assert_true(tilec_diagnostics_count(list) > 0 && log[0]);
  assert_int_equal(diagnostic_at(list, 0).severity, TILEC_SEVERITY_REMARK);
  assert_true(strstr(tilec_compiled_log(compiled), diagnostic_at(list, 0).text) != NULL);
  assert_true(strstr(log, diagnostic_at(list, 0).text) != NULL);
  tilec_compiled_free(compiled);
  tilec_device_close(device);
  tilec_program_free(program);
}

// Imports that are nowhere but in memory.
TEST(test_sources) {
  static const char main_text[] = "from lib import twice\nfrom .pkg.more import thrice\n@kernel\n@grid(1)\n"
                                  "def f(x: *i32):\n    store(x, thrice(twice(load(x))))\n";
  static const char lib[] = "@jit\ndef twice(v):\n    return v * 2\n#",
                    more[] = "@jit\ndef thrice(v):\n    return v * 3\n";
  tilec_source sources[] = {{"a/main.tile", main_text, sizeof main_text - 1},
                            {"a/lib.py", lib, sizeof lib - 2}, // not the '#'
                            {"a/pkg/more.tile", more, sizeof more - 1}};
  tilec_program *program;
  int32_t value = 7;
  assert_ok(tilec_program_from_sources(sources, 3, &program));
  tilec_device *device = open_device("eval");
  tilec_kernel *kernel;
  assert_ok(tilec_kernel_new(device, program, NULL, &kernel));
  tilec_buffer *x = buffer_of(device, &value, sizeof value);
  const tilec_arg arg = tilec_arg_buffer(TILEC_I32, x);
  assert_ok(tilec_launch(kernel, NULL, &arg, 1));
  assert_ok(tilec_buffer_read(x, 0, &value, sizeof value));
  assert_int_equal(value, 42);
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  tilec_buffer_free(x);
  assert_ok(tilec_program_from_sources(sources, 2, &program));
  assert_ok(tilec_kernel_new(device, program, NULL, &kernel));
  assert_error(tilec_launch(kernel, NULL, &arg, 1), TILEC_ERROR_COMPILE, "thrice");
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  tilec_device_close(device);
  assert_error(tilec_program_from_sources(sources, 0, &program), TILEC_ERROR_INVALID_ARGUMENT, "no sources");
  sources[1].name = NULL;
  assert_error(tilec_program_from_sources(sources, 2, &program), TILEC_ERROR_INVALID_ARGUMENT,
               "sources[1].name");
}

// Texts made of one file's functions, each at its lines: the file is named and quoted, whichever has the place.
TEST(test_shown_sources) {
  static const char main_text[] = "@triton.jit\ndef f(x):\n    tl.store(x, m_twice(tl.load(x)))\n"
                                  "import triton.language as tl\nfrom _1 import twice as m_twice\n",
                    helper[] = "\n\n\n\n@triton.jit\ndef twice(v):\n    return v + missing\n",
                    live_main[] = "@jit\ndef f(x):\n    tl.store(x, m.twice(tl.load(x)))\n",
                    live_helper[] = "\n\n\n\n@jit\ndef twice(v):\n    return v + missing # live\n";
  const tilec_source sources[] = {{"_0.py", main_text, sizeof main_text - 1},
                                  {"_1.py", helper, sizeof helper - 1}};
  tilec_source shown[] = {{"/home/k.txt", live_main, sizeof live_main - 1},
                          {"/home/k.txt", live_helper, sizeof live_helper - 1}};
  tilec_compile_options o = TILEC_COMPILE_OPTIONS_INIT;
  tilec_program *program;
  tilec_compiled *compiled;
  o.signature = "x=*fp32";
  for (int i = 0; i < 2; i++) {
    assert_ok(tilec_program_from_shown_sources(sources, shown, 2, &program));
    assert_error(tilec_compile(program, &o, &compiled), TILEC_ERROR_COMPILE,
                 "/home/k.txt:7:16: error[T0201]:");
    const char *text = tilec_last_error();
    assert_true(strstr(text, i ? "return v + missing\n" : "return v + missing # live") != NULL);
    assert_true(strstr(text, "/home/k.txt:3:17: note:") != NULL);
    assert_true(strstr(text, "tl.store(x, m.twice(tl.load(x)))") != NULL);
    tilec_program_free(program);
    shown[1].text = NULL;
  }
  shown[1].name = NULL;
  assert_ok(tilec_program_from_shown_sources(sources, shown, 2, &program));
  assert_error(tilec_compile(program, &o, &compiled), TILEC_ERROR_COMPILE, "_1.py:7:16: error[T0201]:");
  tilec_program_free(program);
  assert_error(tilec_program_from_shown_sources(sources, NULL, 2, &program), TILEC_ERROR_INVALID_ARGUMENT,
               "shown");
}

// Structs of older programs, of every size that one may have had, and of newer ones.
TEST(test_options_of_other_versions) {
  struct {
    tilec_compile_options options;
    uint64_t more[3];
  } newer = {TILEC_COMPILE_OPTIONS_INIT, {0}};
  tilec_compiled *compiled;
  tilec_program *program = program_of("scale.tile", scale_source);
  newer.options.signature = "n=i32";
  newer.options.overlap = 1;
  for (size_t size = offsetof(tilec_compile_options, defines); size <= sizeof newer; size += 4) {
    newer.options.size = size;
    const char *ptx;
    assert_ok(tilec_compile(program, &newer.options, &compiled));
    assert_ok(tilec_compiled_output(compiled, TILEC_OUTPUT_PTX, &ptx, NULL));
    bool has_overlap = size > offsetof(tilec_compile_options, overlap);
    assert_int_equal(strstr(ptx, "griddepcontrol.wait") != NULL, has_overlap);
    tilec_compiled_free(compiled);
  }
  ((char *)newer.more)[sizeof newer.more - 1] = 1;
  assert_error(tilec_compile(program, &newer.options, &compiled), TILEC_ERROR_INVALID_ARGUMENT,
               "leave options that this libtilec does not know at 0");
  newer.options.size -= 8;
  assert_ok(tilec_compile(program, &newer.options, &compiled));
  tilec_compiled_free(compiled);
  tilec_program_free(program);
}

WHOLE_SUITE(runtime_program)
