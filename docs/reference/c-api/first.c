// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <string.h>
#include <tilec/tilec.h>

static const char source[] = "@kernel\n"
                             "@grid(cdiv(n, BLOCK))\n"
                             "def twice(x, n, BLOCK: constexpr = 1024):\n"
                             "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                             "    store(x + i, 2 * load(x + i, mask=i < n), mask=i < n)\n";

int main(void) {
  float x[] = {1, 2, 3};
  tilec_device *device = NULL;
  tilec_program *program = NULL;
  tilec_kernel *twice = NULL;
  tilec_buffer *buffer = NULL;
  tilec_status s = tilec_device_open("sim", &device); // NULL: a GPU if there is one, else the simulator
  if (!s) s = tilec_program_from_source("twice.tile", source, strlen(source), &program);
  if (!s) s = tilec_kernel_new(device, program, NULL, &twice);
  if (!s) s = tilec_buffer_new(device, sizeof x, &buffer);
  if (!s) s = tilec_buffer_write(buffer, 0, x, sizeof x);
  if (!s) {
    const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, buffer), tilec_arg_int(3)};
    s = tilec_launch(twice, NULL, args, 2);
  }
  if (!s) s = tilec_buffer_read(buffer, 0, x, sizeof x);
  if (s)
    fprintf(stderr, "%s: %s\n", tilec_status_name(s), tilec_last_error());
  else
    printf("%g %g %g\n", x[0], x[1], x[2]); // prints: 2 4 6
  tilec_buffer_free(buffer);
  tilec_kernel_free(twice);
  tilec_program_free(program);
  tilec_device_close(device);
  return s != TILEC_OK;
}
