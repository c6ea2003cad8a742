// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the GPU test programs. They link only libtilec.so: a GPU machine needs no compiler and
// no test library.
#ifndef TESTS_GPU_CHECK_H
#define TESTS_GPU_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec/tilec.h>

// Ends the program with what went wrong.
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: failed: %s\n%s\n", __FILE__, __LINE__, #condition, tilec_last_error());        \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

static const char scale_source[] =
    "@kernel\n"
    "@grid(cdiv(n, BLOCK))\n"
    "def scale(x: *fp32, out: *fp32, n, factor: fp32, BLOCK: constexpr = 256):\n"
    "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    store(out + i, load(x + i, mask=i < n) * factor, mask=i < n)\n";

static inline tilec_kernel *scale_kernel(tilec_device *device) {
  tilec_program *program;
  tilec_kernel *kernel;
  CHECK(tilec_program_from_source("scale.tile", scale_source, strlen(scale_source), &program) == TILEC_OK);
  CHECK(tilec_kernel_new(device, program, NULL, &kernel) == TILEC_OK);
  tilec_program_free(program);
  return kernel;
}

// x[i] = i + first, n of them, on the device.
static inline tilec_buffer *ramp(tilec_device *device, size_t n, float first) {
  tilec_buffer *buffer;
  float *host = malloc((n + 1) * sizeof *host);
  CHECK(host);
  for (size_t i = 0; i < n; i++) host[i] = first + (float)i;
  CHECK(tilec_buffer_new(device, n * sizeof *host, &buffer) == TILEC_OK);
  CHECK(tilec_buffer_write(buffer, 0, host, n * sizeof *host) == TILEC_OK);
  free(host);
  return buffer;
}

static inline tilec_buffer *poisoned(tilec_device *device, size_t n) {
  tilec_buffer *buffer;
  CHECK(tilec_buffer_new(device, n * sizeof(float), &buffer) == TILEC_OK);
  CHECK(tilec_buffer_fill(buffer, 0xFF) == TILEC_OK); // NaN
  return buffer;
}

// out[i] == (first + i) * factor to the bit for the first n elements; the rest are still NaN.
static inline void check_scaled(const tilec_buffer *out, size_t n, float first, float factor) {
  size_t total = tilec_buffer_bytes(out) / sizeof(float);
  float *host = malloc((total + 1) * sizeof *host);
  CHECK(host);
  CHECK(tilec_buffer_read(out, 0, host, total * sizeof *host) == TILEC_OK);
  for (size_t i = 0; i < total; i++) {
    if (i < n ? host[i] == (first + (float)i) * factor : isnan(host[i])) continue;
    fprintf(stderr, "element %zu of %zu is %g\n", i, n, (double)host[i]);
    exit(1);
  }
  free(host);
}

#endif
