// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdint.h>
#include <stdio.h>
#include <tilec/tilec.h>

int main(int argc, char **argv) {
  static float x[1000];
  float sum = 0;
  const char *defines[] = {"BLOCK=256"};
  tilec_compile_options compile = TILEC_COMPILE_OPTIONS_INIT;
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  tilec_device *device = NULL;
  tilec_program *program = NULL;
  tilec_kernel *total = NULL;
  tilec_buffer *in = NULL, *out = NULL;
  for (int i = 0; i < 1000; i++) x[i] = 1;
  compile.kernel = "total";
  compile.defines = defines, compile.define_count = 1;
  launch.grid[0] = 4;
  launch.check = 1; // run with the checkers
  tilec_status s = tilec_device_open("sim", &device);
  if (!s) s = tilec_program_from_file(argc > 1 ? argv[1] : "examples/race.py", &program);
  if (!s) s = tilec_kernel_new(device, program, &compile, &total);
  if (!s) s = tilec_buffer_wrap(device, (uintptr_t)x, sizeof x, &in); // x itself, not a copy
  if (!s) s = tilec_buffer_wrap(device, (uintptr_t)&sum, sizeof sum, &out);
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, in), tilec_arg_buffer(TILEC_FP32, out),
                      tilec_arg_int(1000)};
  if (!s) s = tilec_launch(total, &launch, args, 3);
  if (s)
    fprintf(stderr, "%s: %s\n", tilec_status_name(s), tilec_last_error());
  else
    printf("the sum is %g\n", sum);
  tilec_buffer_free(in), tilec_buffer_free(out);
  tilec_kernel_free(total), tilec_program_free(program), tilec_device_close(device);
  return s != TILEC_OK;
}
