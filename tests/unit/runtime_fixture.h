// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices, programs, kernels and buffers for the tests of the public header.
#ifndef TESTS_RUNTIME_FIXTURE_H
#define TESTS_RUNTIME_FIXTURE_H

#include <string.h>

#include "runtime/tilec.h"

static const char *const devices[] = {"sim", "eval"};
enum { DEVICES = 2 };

static const char scale_source[] =
    "@kernel\n"
    "@grid(cdiv(n, BLOCK))\n"
    "def scale(x: *fp32, out: *fp32, n, factor: fp32 = 2.0, BLOCK: constexpr = 64):\n"
    "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    store(out + i, load(x + i, mask=i < n) * factor, mask=i < n)\n";

static inline tilec_tuple tuple_of(const tilec_arg *items, size_t count) {
  tilec_tuple tuple = TILEC_TUPLE_INIT;
  tuple.items = items;
  tuple.count = count;
  return tuple;
}

static inline tilec_device *open_device(const char *name) {
  tilec_device *device = NULL;
  assert_int_equal(tilec_device_open(name, &device), TILEC_OK);
  return device;
}

static inline void assert_error(tilec_status got, tilec_status expected, const char *text) {
  if (got != expected)
    fail_msg("%s, not %s: %s", tilec_status_name(got), tilec_status_name(expected), tilec_last_error());
  if (!strstr(tilec_last_error(), text)) fail_msg("'%s' is not in '%s'", text, tilec_last_error());
}

static inline void assert_ok(tilec_status status) {
  if (status) fail_msg("%s: %s", tilec_status_name(status), tilec_last_error());
}

static inline tilec_program *program_of(const char *name, const char *source) {
  tilec_program *program = NULL;
  assert_ok(tilec_program_from_source(name, source, strlen(source), &program));
  return program;
}

static inline tilec_kernel *kernel_of(tilec_device *device, const char *source) {
  tilec_kernel *kernel = NULL;
  tilec_program *program = program_of("test.tile", source);
  assert_ok(tilec_kernel_new(device, program, NULL, &kernel));
  tilec_program_free(program); // the kernel holds it
  return kernel;
}

static inline tilec_buffer *buffer_of(tilec_device *device, const void *bytes, size_t n) {
  tilec_buffer *buffer = NULL;
  assert_ok(tilec_buffer_new(device, n, &buffer));
  assert_ok(tilec_buffer_write(buffer, 0, bytes, n));
  return buffer;
}

#endif
