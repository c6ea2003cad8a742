// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds two vectors with the kernel of add.tile, and compares with the sum in double.
// add [DEVICE [N [FILE]]]      DEVICE: cuda, sim, eval, auto; FILE: add.tile next to this program
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec/tilec.h>

typedef struct Run {
  tilec_device *device;
  tilec_program *program;
  tilec_kernel *kernel;
  tilec_buffer *x, *y, *out;
  float *host_x, *host_y, *host_out;
} Run;

// In [-1, 1), from a linear congruential generator (Knuth's MMIX constants).
static float next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (float)((double)(*state >> 40) / (1 << 23) - 1.0);
}

static tilec_status prepare(Run *run, const char *device, const char *file, size_t bytes) {
  tilec_status status = tilec_device_open(device, &run->device);
  if (!status) status = tilec_program_from_file(file, &run->program);
  if (!status) status = tilec_kernel_new(run->device, run->program, NULL, &run->kernel);
  if (!status) status = tilec_buffer_new(run->device, bytes, &run->x);
  if (!status) status = tilec_buffer_new(run->device, bytes, &run->y);
  if (!status) status = tilec_buffer_new(run->device, bytes, &run->out);
  return status;
}

// The grid comes from the kernel's @grid.
static tilec_status launch(Run *run, size_t n) {
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, run->x), tilec_arg_buffer(TILEC_FP32, run->y),
                      tilec_arg_buffer(TILEC_FP32, run->out), tilec_arg_int((int64_t)n)};
  tilec_status status = tilec_buffer_write(run->x, 0, run->host_x, n * sizeof(float));
  if (!status) status = tilec_buffer_write(run->y, 0, run->host_y, n * sizeof(float));
  if (!status) status = tilec_buffer_fill(run->out, 0xFF);
  if (!status) status = tilec_launch(run->kernel, NULL, args, 4);
  if (!status) status = tilec_buffer_read(run->out, 0, run->host_out, n * sizeof(float));
  return status;
}

// Allows one rounding of the sum: half a unit in the last place of at most 2.
static int compare(const Run *run, size_t n) {
  const double allowed = 0x1p-24 * 2;
  double worst = 0;
  for (size_t i = 0; i < n; i++) {
    double error = fabs((double)run->host_out[i] - ((double)run->host_x[i] + (double)run->host_y[i]));
    if (!(error <= worst) && !isnan(worst)) worst = error; // a NaN stays
  }
  int ok = worst <= allowed;
  printf("add on %s (%s): n = %zu, max error %.3g\n%s\n", tilec_device_name(run->device),
         tilec_device_arch(run->device), n, worst, ok ? "OK" : "WRONG");
  return ok;
}

static void release(Run *run) {
  tilec_buffer_free(run->x);
  tilec_buffer_free(run->y);
  tilec_buffer_free(run->out);
  tilec_kernel_free(run->kernel);
  tilec_program_free(run->program);
  tilec_device_close(run->device);
  free(run->host_x);
  free(run->host_y);
  free(run->host_out);
}

// Path of add.tile in the folder of the program `self`.
static void kernel_path(const char *self, char *path, size_t room) {
  const char *slash = strrchr(self, '/');
  snprintf(path, room, "%.*sadd.tile", slash ? (int)(slash - self + 1) : 0, self);
}

int main(int argc, char **argv) {
  Run run = {0};
  char path[1000];
  kernel_path(argv[0], path, sizeof path);
  uint64_t seed = 1;
  const char *device = argc > 1 ? argv[1] : NULL, *file = argc > 3 ? argv[3] : path;
  size_t n = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 100003;
  run.host_x = calloc(n + 1, sizeof(float));
  run.host_y = calloc(n + 1, sizeof(float));
  run.host_out = calloc(n + 1, sizeof(float));
  if (!run.host_x || !run.host_y || !run.host_out) return 1;
  for (size_t i = 0; i < n; i++) {
    run.host_x[i] = next_random(&seed);
    run.host_y[i] = next_random(&seed);
  }
  tilec_status status = prepare(&run, device, file, n * sizeof(float));
  if (!status) status = launch(&run, n);
  if (status) fprintf(stderr, "add: %s: %s\n", tilec_status_name(status), tilec_last_error());
  int ok = !status && compare(&run, n);
  release(&run);
  return ok ? 0 : 1;
}
