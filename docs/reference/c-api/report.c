// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a report of a launch as fields: the kind of mistake, the argument, its element and the program.
#include <stdio.h>
#include <string.h>
#include <tilec/tilec.h>

static const char source[] = "@kernel\n"
                             "@grid(2)\n"
                             "def twice(x: *fp32):\n"
                             "    i = program_id(0) * 64 + arange(0, 64)\n"
                             "    store(x + i, 2 * load(x + i))\n";

int main(void) {
  float x[100] = {0};
  tilec_device *device = NULL;
  tilec_program *program = NULL;
  tilec_kernel *twice = NULL;
  tilec_buffer *buffer = NULL;
  tilec_status s = tilec_device_open("sim", &device);
  if (!s) s = tilec_program_from_source("twice.tile", source, strlen(source), &program);
  if (!s) s = tilec_kernel_new(device, program, NULL, &twice);
  if (!s) s = tilec_buffer_new(device, sizeof x, &buffer);
  if (!s) s = tilec_buffer_write(buffer, 0, x, sizeof x);
  if (!s) {
    const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, buffer)};
    s = tilec_launch(twice, NULL, args, 1);
  }
  if (!s) s = tilec_device_synchronize(device); // on cuda the report comes here
  tilec_diagnostic d = TILEC_DIAGNOSTIC_INIT;
  if (s == TILEC_ERROR_LAUNCH && !tilec_diagnostics_get(tilec_last_diagnostics(), 0, &d) && d.kind && d.buffer)
    printf("line %u: %s, %s[%d], program %u\n", (unsigned)d.line, d.kind, d.buffer, (int)d.index,
           (unsigned)d.program[0]); // prints: line 5: out of bounds, x[100], program 1
  tilec_buffer_free(buffer), tilec_kernel_free(twice), tilec_program_free(program), tilec_device_close(device);
  return s != TILEC_ERROR_LAUNCH;
}
