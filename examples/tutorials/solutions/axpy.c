// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <tilec/tilec.h>

enum { N = 1000, BLOCK = 256 };

int main(int argc, char **argv) {
  static float x[N], y[N], out[N];
  const char *defines[] = {"BLOCK=256"};
  tilec_compile_options compile = TILEC_COMPILE_OPTIONS_INIT;
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  tilec_device *device = NULL;
  tilec_program *program = NULL;
  tilec_kernel *axpy = NULL;
  tilec_buffer *a = NULL, *b = NULL, *c = NULL;
  for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1;
  compile.kernel = "axpy", compile.defines = defines, compile.define_count = 1;
  launch.grid[0] = (N + BLOCK - 1) / BLOCK;
  tilec_status s = tilec_device_open(argc > 1 ? argv[1] : NULL, &device);
  if (!s) s = tilec_program_from_file("examples/tutorials/python/axpy.py", &program);
  if (!s) s = tilec_kernel_new(device, program, &compile, &axpy);
  if (!s) s = tilec_buffer_new(device, sizeof x, &a);
  if (!s) s = tilec_buffer_new(device, sizeof y, &b);
  if (!s) s = tilec_buffer_new(device, sizeof out, &c);
  if (!s) s = tilec_buffer_write(a, 0, x, sizeof x);
  if (!s) s = tilec_buffer_write(b, 0, y, sizeof y);
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, a), tilec_arg_buffer(TILEC_FP32, b),
                      tilec_arg_buffer(TILEC_FP32, c), tilec_arg_int(N), tilec_arg_float(2)};
  if (!s) s = tilec_launch(axpy, &launch, args, 5);
  if (!s) s = tilec_buffer_read(c, 0, out, sizeof out);
  if (s)
    fprintf(stderr, "%s: %s\n", tilec_status_name(s), tilec_last_error());
  else
    printf("2 * 999 + 1 = %g on %s\n", out[999], tilec_device_name(device));
  tilec_buffer_free(a), tilec_buffer_free(b), tilec_buffer_free(c);
  tilec_kernel_free(axpy), tilec_program_free(program), tilec_device_close(device);
  return s != TILEC_OK;
}
