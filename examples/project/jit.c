// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles saxpy.tile for this machine, launches it, and checks the result.
//   jit FILE [DEVICE]      FILE: saxpy.tile; DEVICE: cuda, sim, eval, or auto
#include <stdio.h>
#include <tilec/tilec.h>

enum { N = 1000, BYTES = N * (int)sizeof(float) };

static float x[N], y[N], out[N];

static tilec_status run(const char *file, const char *device_name) {
  tilec_device *device = NULL;
  tilec_program *program = NULL;
  tilec_kernel *saxpy = NULL;
  tilec_buffer *at[3] = {NULL, NULL, NULL};
  tilec_status status = tilec_device_open(device_name, &device);
  if (!status) status = tilec_program_from_file(file, &program);
  if (!status) status = tilec_kernel_new(device, program, NULL, &saxpy);
  for (int i = 0; i < 3 && !status; i++) status = tilec_buffer_new(device, BYTES, &at[i]);
  if (!status) status = tilec_buffer_write(at[0], 0, x, BYTES);
  if (!status) status = tilec_buffer_write(at[1], 0, y, BYTES);
  if (!status) {
    tilec_arg args[] = {tilec_arg_float(2), tilec_arg_buffer(TILEC_FP32, at[0]),
                        tilec_arg_buffer(TILEC_FP32, at[1]), tilec_arg_buffer(TILEC_FP32, at[2]),
                        tilec_arg_int(N)};
    status = tilec_launch(saxpy, NULL, args, 5);
  }
  if (!status) status = tilec_buffer_read(at[2], 0, out, BYTES);
  if (!status) printf("saxpy on %s (%s)\n", tilec_device_name(device), tilec_device_arch(device));
  for (int i = 0; i < 3; i++) tilec_buffer_free(at[i]);
  tilec_kernel_free(saxpy);
  tilec_program_free(program);
  tilec_device_close(device);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  for (int i = 0; i < N; i++) {
    x[i] = (float)i;
    y[i] = (float)(N - i);
  }
  tilec_status status = run(argv[1], argc > 2 ? argv[2] : NULL);
  if (status) {
    fprintf(stderr, "jit: %s: %s\n", tilec_status_name(status), tilec_last_error());
    return 1;
  }
  for (int i = 0; i < N; i++)
    if (out[i] != (float)(N + i)) {
      printf("out[%d] is %g, not %d\n", i, (double)out[i], N + i);
      return 1;
    }
  printf("OK\n");
  return 0;
}
