// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the larger examples have in common: arrays on both sides, launches by name, comparing with a result in
// double. After a first error the other calls do nothing; host_close reports it.
#ifndef EXAMPLES_HOST_H
#define EXAMPLES_HOST_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec/tilec.h>

typedef struct Array {
  tilec_dtype dtype;
  size_t n;
  void *at; // the host's copy
  tilec_buffer *buffer;
} Array;

typedef struct Host {
  const char *name;
  tilec_device *device;
  tilec_program *program;
  tilec_status status;
  int wrong; // comparisons that failed
  uint64_t random;
  Array arrays[16];
  size_t array_count;
} Host;

// argv[1]: the device; `file`: beside the program, or argv[last] where that ends in .tile.
static inline Host host_open(const char *name, const char *file, int argc, char **argv) {
  Host host = {.name = name, .random = 1};
  char path[1000];
  const char *slash = strrchr(argv[0], '/'), *last = argc > 2 ? argv[argc - 1] : "";
  snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - argv[0] + 1) : 0, argv[0], file);
  const char *used = strstr(last, ".tile") ? last : path;
  host.status = tilec_device_open(argc > 1 ? argv[1] : NULL, &host.device);
  if (!host.status) host.status = tilec_program_from_file(used, &host.program);
  return host;
}

// Number `index` on the command line, counted after the device.
static inline int64_t host_number(int argc, char **argv, int index, int64_t otherwise) {
  return argc > index + 1 && !strstr(argv[index + 1], ".tile") ? strtoll(argv[index + 1], NULL, 10)
                                                               : otherwise;
}

// Rounds nothing that has 11 bits or fewer, of which the examples' halves are made.
static inline uint16_t half_from(float value) {
  int exponent;
  double mantissa = frexp(fabs((double)value), &exponent);
  if (mantissa == 0) return 0;
  return (uint16_t)((value < 0) << 15 | (exponent + 14) << 10 | ((int)(mantissa * 2048) & 1023));
}

static inline double half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value = exponent == 0    ? ldexp(mantissa, -24)
                 : exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                                  : ldexp(1024 + mantissa, exponent - 25);
  return bits >> 15 ? -value : value;
}

static inline double array_get(const Array *array, size_t i) {
  return array->dtype == TILEC_FP16 ? half_value(((uint16_t *)array->at)[i])
                                    : (double)((float *)array->at)[i];
}

static inline void host_upload(Host *host, Array *array) {
  size_t bytes = array->n * tilec_dtype_bytes(array->dtype);
  if (!host->status) host->status = tilec_buffer_write(array->buffer, 0, array->at, bytes);
}

// Multiples of 1/256 in [-2, 2): a linear congruential generator (Knuth's MMIX constants); or all bits set,
// which are NaNs, where it is to be written.
static inline Array *host_array(Host *host, tilec_dtype dtype, size_t n, int random) {
  Array *array = &host->arrays[host->array_count++];
  *array = (Array){dtype, n, calloc(n + 1, tilec_dtype_bytes(dtype)), NULL};
  if (!array->at) exit(1);
  memset(array->at, 0xFF, n * tilec_dtype_bytes(dtype));
  for (size_t i = 0; random && i < n; i++) {
    host->random = host->random * 6364136223846793005u + 1442695040888963407u;
    float value = (float)((int)(host->random >> 54) - 512) / 256;
    if (dtype == TILEC_FP16)
      ((uint16_t *)array->at)[i] = half_from(value);
    else
      ((float *)array->at)[i] = value;
  }
  if (!host->status)
    host->status = tilec_buffer_new(host->device, n * tilec_dtype_bytes(dtype), &array->buffer);
  host_upload(host, array);
  return array;
}

static inline tilec_arg host_arg(const Array *array) {
  return array->buffer ? tilec_arg_buffer(array->dtype, array->buffer) : tilec_arg_none();
}

// On the kernel's @grid. define: NULL, or a constexpr parameter's "NAME=VALUE".
static inline void host_launch(Host *host, const char *kernel, const char *define, const tilec_arg *args,
                               size_t count) {
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  tilec_kernel *made = NULL;
  options.kernel = kernel;
  options.defines = &define;
  options.define_count = define != NULL;
  if (!host->status) host->status = tilec_kernel_new(host->device, host->program, &options, &made);
  if (!host->status) host->status = tilec_launch(made, NULL, args, count);
  if (!host->status) host->status = tilec_device_synchronize(host->device);
  tilec_kernel_free(made);
}

// `allowed` is absolute.
static inline void host_compare(Host *host, const char *what, Array *array, const double *expected,
                                double allowed) {
  double worst = 0;
  size_t bytes = array->n * tilec_dtype_bytes(array->dtype);
  if (!host->status) host->status = tilec_buffer_read(array->buffer, 0, array->at, bytes);
  if (host->status) return;
  for (size_t i = 0; i < array->n; i++) {
    double error = fabs(array_get(array, i) - expected[i]);
    if (!(error <= worst) && !isnan(worst)) worst = error; // a NaN stays
  }
  host->wrong += !(worst <= allowed);
  printf("%s: %s: %zu elements, max error %.3g, allowed %.3g\n", host->name, what, array->n, worst, allowed);
}

// The program's exit status.
static inline int host_close(Host *host) {
  if (host->status)
    fprintf(stderr, "%s: %s: %s\n", host->name, tilec_status_name(host->status), tilec_last_error());
  int ok = !host->status && !host->wrong;
  if (!host->status)
    printf("%s on %s (%s)\n", host->name, tilec_device_name(host->device), tilec_device_arch(host->device));
  printf("%s\n", ok ? "OK" : "WRONG");
  for (size_t i = 0; i < host->array_count; i++) {
    tilec_buffer_free(host->arrays[i].buffer);
    free(host->arrays[i].at);
  }
  tilec_program_free(host->program);
  tilec_device_close(host->device);
  return ok ? 0 : 1;
}

static inline double *host_doubles(size_t n) {
  double *at = calloc(n + 1, sizeof *at);
  if (!at) exit(1);
  return at;
}

#endif
