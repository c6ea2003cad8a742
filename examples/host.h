// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that the larger examples share: arrays on host and device, launches by name, comparison with a result
// in double. After the first error the other calls do nothing. host_close reports it.
#ifndef EXAMPLES_HOST_H
#define EXAMPLES_HOST_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tilec/tilec.h>

enum { MAX_DECODED = 1 << 24 }; // largest array whose values are also kept in double, in elements

typedef struct Array {
  tilec_dtype dtype;
  size_t n;
  void *at;       // the host's copy
  double *values; // the same in double; NULL: an output, or too large
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

// argv[1]: the device. `file`: next to the program, or argv[last] if that ends in .tile.
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

static inline int host_on_gpu(const Host *host) {
  return !host->status && !strncmp(tilec_device_name(host->device), "cuda", 4);
}

// Seconds of the wall clock. Use differences only.
static inline double host_seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Number `index` on the command line, counted after the device.
static inline int64_t host_number(int argc, char **argv, int index, int64_t otherwise) {
  return argc > index + 1 && !strstr(argv[index + 1], ".tile") ? strtoll(argv[index + 1], NULL, 10)
                                                               : otherwise;
}

// Exponent and fraction bits of the floating types below 32 bits. 0 for other types.
static inline int format_exponent(tilec_dtype dtype) {
  return dtype == TILEC_FP16 ? 5 : dtype == TILEC_BF16 ? 8 : dtype == TILEC_FP8E4NV ? 4 : 0;
}

static inline int format_fraction(tilec_dtype dtype) {
  return dtype == TILEC_FP16 ? 10 : dtype == TILEC_BF16 ? 7 : dtype == TILEC_FP8E4NV ? 3 : 0;
}

// Rounds to nearest, ties to even. Values below the normal range become 0. Larger values than the format's
// are not supported.
static inline unsigned small_float_from(tilec_dtype dtype, double value) {
  int exponent, wide = format_exponent(dtype), fraction = format_fraction(dtype);
  double mantissa = nearbyint(ldexp(frexp(fabs(value), &exponent), fraction + 1));
  int biased = exponent + (1 << (wide - 1)) - 2;
  if (mantissa == 0 || biased < 1) return 0;
  unsigned sign = value < 0 ? 1u << (wide + fraction) : 0;
  return sign | (((unsigned)biased << fraction) + ((unsigned)mantissa - (1u << fraction)));
}

// 2^power, a normal number.
static inline double power_of_two(int power) {
  uint64_t bits = (uint64_t)(power + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// An exponent of all ones: infinities and NaNs. For fp8e4nv only if the fraction is all ones too.
static inline double small_float_value(tilec_dtype dtype, unsigned bits) {
  int wide = format_exponent(dtype), count = format_fraction(dtype), bias = (1 << (wide - 1)) - 1;
  int exponent = (int)(bits >> count) & ((1 << wide) - 1), fraction = (int)bits & ((1 << count) - 1);
  int top = exponent == (1 << wide) - 1, full = fraction == (1 << count) - 1;
  double value = exponent == 0 ? fraction * power_of_two(1 - bias - count)
                               : ((1 << count) + fraction) * power_of_two(exponent - bias - count);
  if (top && (dtype == TILEC_FP8E4NV ? full : 1)) value = fraction ? (double)NAN : (double)INFINITY;
  return bits >> (wide + count) & 1 ? -value : value;
}

static inline double array_decode(const Array *array, size_t i) {
  switch ((int)array->dtype) {
  case TILEC_FP16:
  case TILEC_BF16: return small_float_value(array->dtype, ((uint16_t *)array->at)[i]);
  case TILEC_FP8E4NV: return small_float_value(array->dtype, ((uint8_t *)array->at)[i]);
  case TILEC_I8: return ((int8_t *)array->at)[i];
  case TILEC_I32: return ((int32_t *)array->at)[i];
  default: return (double)((float *)array->at)[i];
  }
}

static inline double array_get(const Array *array, size_t i) {
  return array->values ? array->values[i] : array_decode(array, i);
}

// Integer arrays: stores 64 times the value.
static inline void array_set(Array *array, size_t i, double value) {
  switch ((int)array->dtype) {
  case TILEC_FP16:
  case TILEC_BF16: ((uint16_t *)array->at)[i] = (uint16_t)small_float_from(array->dtype, value); break;
  case TILEC_FP8E4NV: ((uint8_t *)array->at)[i] = (uint8_t)small_float_from(array->dtype, value); break;
  case TILEC_I8: ((int8_t *)array->at)[i] = (int8_t)floor(value * 64); break;
  default: ((float *)array->at)[i] = (float)value;
  }
  if (array->values) array->values[i] = array_decode(array, i);
}

static inline double *host_doubles(size_t n) {
  double *at = calloc(n + 1, sizeof *at);
  if (!at) exit(1);
  return at;
}

static inline void host_upload(Host *host, Array *array) {
  size_t bytes = array->n * tilec_dtype_bytes(array->dtype);
  if (!host->status) host->status = tilec_buffer_write(array->buffer, 0, array->at, bytes);
}

// Makes an array. The elements depend on `random`:
//   (1) multiples of 1/256 in [-2, 2), by a linear congruential generator (Knuth's MMIX constants);
//   (2) multiples of 2^-22, rounded to the type;
//   (0) all bits set, which are NaNs, for an output.
static inline Array *host_array(Host *host, tilec_dtype dtype, size_t n, int random) {
  Array *array = &host->arrays[host->array_count++];
  *array = (Array){.dtype = dtype, .n = n, .at = calloc(n + 1, tilec_dtype_bytes(dtype))};
  if (!array->at) exit(1);
  if (random && n <= MAX_DECODED) array->values = host_doubles(n);
  memset(array->at, 0xFF, n * tilec_dtype_bytes(dtype));
  for (size_t i = 0; random && i < n; i++) {
    host->random = host->random * 6364136223846793005u + 1442695040888963407u;
    int bits = random == 1 ? 10 : 24;
    array_set(array, i, ldexp((double)(host->random >> (64 - bits)), 2 - bits) - 2);
  }
  if (!host->status)
    host->status = tilec_buffer_new(host->device, n * tilec_dtype_bytes(dtype), &array->buffer);
  host_upload(host, array);
  return array;
}

static inline tilec_arg host_arg(const Array *array) {
  return array->buffer ? tilec_arg_buffer(array->dtype, array->buffer) : tilec_arg_none();
}

// Launches on the kernel's @grid. define: NULL, or a constexpr parameter's "NAME=VALUE".
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

// The largest error of n elements, starting at `first`.
static inline double array_error(const Array *array, size_t first, const double *expected, size_t n) {
  double worst = 0;
  for (size_t i = 0; i < n; i++) {
    double error = fabs(array_get(array, first + i) - expected[i]);
    if (!(error <= worst) && !isnan(worst)) worst = error; // a NaN stays
  }
  return worst;
}

// `allowed` is an absolute error.
static inline void host_compare(Host *host, const char *what, Array *array, const double *expected,
                                double allowed) {
  size_t bytes = array->n * tilec_dtype_bytes(array->dtype);
  if (!host->status) host->status = tilec_buffer_read(array->buffer, 0, array->at, bytes);
  if (host->status) return;
  double worst = array_error(array, 0, expected, array->n);
  host->wrong += !(worst <= allowed);
  printf("%s: %s: %zu elements, max error %.3g, allowed %.3g\n", host->name, what, array->n, worst, allowed);
}

// Returns the program's exit status.
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
    free(host->arrays[i].values);
  }
  tilec_program_free(host->program);
  tilec_device_close(host->device);
  return ok ? 0 : 1;
}

#endif
