// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program as it was built against the header of 0.1.0, run with today's library.
//   abi_old_program DEVICE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/abi/tilec-0.1.0.h"

enum { N = 1000 };

static const char source[] =
    "@kernel\n"
    "@grid(cdiv(n, BLOCK))\n"
    "def mix(x, out, n, big, flag, factor, bias, scale: fp32 = 2.0, BLOCK: constexpr = 64):\n"
    "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    v = load(x + i, mask=i < n) * factor * scale + (big >> 60).to(fp32)\n"
    "    if bias is not None:\n"
    "        v += load(bias + i, mask=i < n)\n"
    "    if flag:\n"
    "        v = -v\n"
    "    store(out + i, v, mask=i < n)\n";

static void must(tilec_status status, const char *what) {
  if (status == TILEC_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, tilec_status_name(status), tilec_last_error());
  exit(1);
}

static void expect(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

typedef struct Work {
  tilec_device *device;
  tilec_kernel *kernel;
  tilec_buffer *x, *out;
  tilec_stream *stream;
} Work;

// out[i] is -(x[i] * 3 * scale + 8), with a launch of options of this program's own size, or without options.
static void check_launch(const Work *w, const tilec_launch_options *options, size_t count, float scale) {
  static float host[N];
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, w->x),
                      tilec_arg_buffer(TILEC_FP32, w->out),
                      tilec_arg_int(N),
                      tilec_arg_uint(UINT64_C(1) << 63),
                      tilec_arg_bool(1),
                      tilec_arg_float(3),
                      tilec_arg_none(),
                      tilec_arg_default()};
  if (count == 7) scale = 2;
  if (scale != 2) args[7] = tilec_arg_float(scale);
  must(tilec_buffer_fill(w->out, 0), "tilec_buffer_fill");
  must(tilec_launch(w->kernel, options, args, count), "tilec_launch");
  must(tilec_stream_synchronize(w->stream), "tilec_stream_synchronize");
  must(tilec_buffer_read(w->out, 0, host, sizeof host), "tilec_buffer_read");
  for (int i = 0; i < N; i++) expect(host[i] == -((float)i * 3 * scale + 8), "a wrong result");
}

static void check_compile(tilec_program *program) {
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  const char *defines[] = {"BLOCK=128"}, *text;
  size_t bytes;
  tilec_compiled *compiled;
  options.signature = "x=*fp32:16,out=*fp32:16,n=i32:16,big=u64,flag=i1,factor=fp32,bias=None";
  options.defines = defines;
  options.define_count = 1;
  options.num_warps = 2;
  options.overlap = 1; // its last member
  must(tilec_compile(program, &options, &compiled), "tilec_compile");
  must(tilec_compiled_output(compiled, TILEC_OUTPUT_PTX, &text, &bytes), "the PTX");
  expect(strlen(text) == bytes && strstr(text, ".reqntid 64") && strstr(text, "griddepcontrol.wait"),
         "the PTX");
  must(tilec_compiled_output(compiled, TILEC_OUTPUT_META, &text, NULL), "the meta data");
  expect(strstr(text, "\"threads\": 64") != NULL, "the meta data");
  tilec_compiled_free(compiled);
}

int main(int argc, char **argv) {
  static float host[N];
  Work w;
  tilec_program *program;
  expect(argc == 2, "usage: abi_old_program DEVICE");
  must(tilec_device_open(argv[1], &w.device), "tilec_device_open");
  must(tilec_program_from_source("mix.tile", source, strlen(source), &program), "tilec_program_from_source");
  check_compile(program);
  must(tilec_kernel_new(w.device, program, NULL, &w.kernel), "tilec_kernel_new");
  must(tilec_buffer_new(w.device, sizeof host, &w.x), "tilec_buffer_new");
  must(tilec_buffer_new(w.device, sizeof host, &w.out), "tilec_buffer_new");
  must(tilec_stream_new(w.device, &w.stream), "tilec_stream_new");
  for (int i = 0; i < N; i++) host[i] = (float)i;
  must(tilec_buffer_write(w.x, 0, host, sizeof host), "tilec_buffer_write");
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  check_launch(&w, NULL, 8, 2);
  check_launch(&w, NULL, 7, 2);
  options.stream = w.stream;
  options.timeout = 60;
  check_launch(&w, &options, 8, 5);
  options.size = offsetof(tilec_launch_options, max_instructions); // before there were limits
  options.grid[0] = (N + 63) / 64;
  options.timeout = -1; // is not read
  check_launch(&w, &options, 8, 2);
  tilec_stream_free(w.stream);
  tilec_buffer_free(w.x);
  tilec_buffer_free(w.out);
  tilec_kernel_free(w.kernel);
  tilec_program_free(program);
  tilec_device_close(w.device);
  puts("good");
  return 0;
}
