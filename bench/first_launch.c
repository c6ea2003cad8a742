// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the time from the start of a process to the end of its first launch, with an empty cache on disk and
// with one that has the kernel. Each figure is the median of separate processes, in parts. The driver's own
// initialisation does not count.
//
//   first_launch KERNELS.tile [DEVICE [PROCESSES]]      the kernel `block_matmul` of examples/matmul.tile
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/median.h"
#include "tilec/tilec.h"

enum { SIZE = 64, MAX_PROCESSES = 101 };

typedef enum Part { PART_LOADER, PART_DRIVER, PART_PROGRAM, PART_LAUNCH, PARTS } Part;
static const char *const part_names[PARTS] = {"loader", "driver", "program", "launch"};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(tilec_status status) {
  if (!status) return;
  fprintf(stderr, "first_launch: %s\n", tilec_last_error());
  exit(1);
}

// The measured process: writes its parts' seconds to standard output. `start`: when its parent began it.
static int measured(const char *file, const char *name, double start) {
  double at[PARTS + 1] = {start, now()}, parts[PARTS];
  tilec_device *device;
  tilec_program *program;
  tilec_kernel *kernel;
  tilec_buffer *buffers[3];
  must(tilec_device_open(name, &device));
  for (int i = 0; i < 3; i++) must(tilec_buffer_new(device, SIZE * SIZE * 4, &buffers[i]));
  for (int i = 0; i < 3; i++) must(tilec_buffer_fill(buffers[i], 0));
  at[2] = now();
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = "block_matmul";
  must(tilec_program_from_file(file, &program));
  must(tilec_kernel_new(device, program, &options, &kernel));
  at[3] = now();
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP16, buffers[0]),
                      tilec_arg_buffer(TILEC_FP16, buffers[1]),
                      tilec_arg_buffer(TILEC_FP16, buffers[2]),
                      tilec_arg_int(SIZE),
                      tilec_arg_int(SIZE),
                      tilec_arg_int(SIZE)};
  must(tilec_launch(kernel, NULL, args, 6));
  must(tilec_device_synchronize(device));
  at[4] = now();
  for (int i = 0; i < PARTS; i++) parts[i] = at[i + 1] - at[i];
  return fwrite(parts, sizeof parts, 1, stdout) == 1 ? 0 : 1;
}

static void run_process(char **argv, const char *device, double parts[PARTS]) {
  int ends[2], status;
  char start[40];
  if (pipe(ends) != 0) exit(1);
  snprintf(start, sizeof start, "%.9f", now());
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    execl("/proc/self/exe", argv[0], argv[1], device, "--measured", start, (char *)NULL);
    _exit(1);
  }
  close(ends[1]);
  if (read(ends[0], parts, PARTS * sizeof *parts) != PARTS * sizeof *parts) exit(1);
  close(ends[0]);
  waitpid(child, &status, 0);
}

static void clear(const char *folder) {
  char command[500];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) exit(1);
}

static void report(const char *what, char **argv, const char *device, int processes,
                   const char *cold_folder) {
  double values[PARTS + 1][MAX_PROCESSES], parts[PARTS];
  for (int i = 0; i < processes; i++) {
    if (cold_folder) clear(cold_folder);
    run_process(argv, device, parts);
    values[PARTS][i] = 0;
    for (int p = 0; p < PARTS; p++) {
      values[p][i] = parts[p];
      if (p != PART_DRIVER) values[PARTS][i] += parts[p];
    }
  }
  printf("%s:", what);
  for (int p = 0; p < PARTS; p++)
    printf(" %s %.2f", part_names[p], 1e3 * median_of(values[p], (size_t)processes));
  printf("; all but the driver %.2f ms\n", 1e3 * median_of(values[PARTS], (size_t)processes));
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/tilec-first-XXXXXX";
  const char *device = argc > 2 ? argv[2] : "auto";
  if (argc == 5 && strcmp(argv[3], "--measured") == 0) return measured(argv[1], device, atof(argv[4]));
  int processes = argc > 3 ? atoi(argv[3]) : 5;
  if (argc < 2 || processes < 1 || processes > MAX_PROCESSES || !mkdtemp(folder)) {
    fputs("usage: first_launch KERNELS.tile [DEVICE [PROCESSES]]\n", stderr);
    return 2;
  }
  setenv("TILEC_CACHE", "on", 1);
  setenv("TILEC_CACHE_DIR", folder, 1);
  report("empty cache", argv, device, processes, folder);
  report("warm cache", argv, device, processes, NULL);
  clear(folder);
  return 0;
}
