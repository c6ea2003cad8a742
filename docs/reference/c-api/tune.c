// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <string.h>
#include <tilec/tune.h>

static const char source[] = "@kernel\n"
                             "@grid(cdiv(n, BLOCK))\n"
                             "def twice(x, n, BLOCK: constexpr = 1024):\n"
                             "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                             "    store(x + i, 2 * load(x + i, mask=i < n), mask=i < n)\n";

int main(void) {
  static const float x[5000];
  static const char *const blocks[] = {"256", "1024"};
  const tilec_tune_range range = {"BLOCK", 0, blocks, 2};
  tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
  tilec_configuration best = TILEC_CONFIGURATION_INIT;
  tilec_device *device = NULL;
  tilec_program *program = NULL;
  tilec_buffer *buffer = NULL;
  tilec_tuning *tuning = NULL;
  options.ranges = &range;
  options.range_count = 1;
  tilec_status s = tilec_device_open("sim", &device);
  if (!s) s = tilec_program_from_source("twice.tile", source, strlen(source), &program);
  if (!s) s = tilec_buffer_new(device, sizeof x, &buffer);
  if (!s) s = tilec_buffer_write(buffer, 0, x, sizeof x);
  if (!s) {
    const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, buffer), tilec_arg_int(5000)};
    s = tilec_tune(device, program, NULL, &options, args, 2, &tuning);
  }
  if (!s) s = tilec_tuning_configuration(tuning, 0, &best);
  if (s)
    fprintf(stderr, "%s: %s\n", tilec_status_name(s), tilec_last_error());
  else
    printf("best: %s\n", best.text); // prints: best: BLOCK=
  tilec_tuning_free(tuning);
  tilec_buffer_free(buffer);
  tilec_program_free(program);
  tilec_device_close(device);
  return s != TILEC_OK;
}
