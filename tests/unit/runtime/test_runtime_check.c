// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches with options.check, through the public header.
#include "tests/unit/unit.h"
#include "runtime/tilec.h"
#include "tests/unit/runtime_fixture.h"

enum { N = 64 };

static const char sources[] = "@kernel\n"
                              "def in_place(x: *fp32):\n"
                              "    i = program_id(0) * 32 + arange(0, 32)\n"
                              "    store(x + i, load(x + i) + 1)\n"
                              "@kernel\n"
                              "def racy(x: *fp32):\n"
                              "    store(x, program_id(0).to(fp32))\n"
                              "@kernel\n"
                              "def speaks(n: i32):\n"
                              "    device_print(\"n is\", n)\n";

typedef struct Checked {
  tilec_device *device;
  tilec_kernel *kernel;
  tilec_buffer *x;
} Checked;

static Checked checked_new(const char *device, const char *kernel) {
  float host[N] = {0};
  Checked c = {.device = open_device(device)};
  tilec_program *program = program_of("check.tile", sources);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = kernel;
  assert_ok(tilec_kernel_new(c.device, program, &options, &c.kernel));
  tilec_program_free(program);
  c.x = buffer_of(c.device, host, sizeof host);
  return c;
}

static void checked_free(Checked *c) {
  tilec_buffer_free(c->x);
  tilec_kernel_free(c->kernel);
  tilec_device_close(c->device);
}

static tilec_status launch(const Checked *c, int check) {
  const tilec_arg arg = tilec_arg_buffer(TILEC_FP32, c->x);
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 2;
  options.check = check;
  return tilec_launch(c->kernel, &options, &arg, 1);
}

// Every schedule begins with the same memory: what is left is what one launch leaves.
TEST(test_memory) {
  for (int d = 0; d < DEVICES; d++) {
    float host[N];
    Checked c = checked_new(devices[d], "in_place");
    for (int check = 1; check >= 0; check--) assert_ok(launch(&c, check));
    assert_ok(tilec_buffer_read(c.x, 0, host, sizeof host));
    for (int i = 0; i < N; i++) assert_true(host[i] == 2.0F);
    checked_free(&c);
  }
}

TEST(test_races) {
  Checked c = checked_new("sim", "racy");
  assert_ok(launch(&c, 0));
  assert_error(launch(&c, 1), TILEC_ERROR_LAUNCH, "check.tile:7:5: error[T1201]: ");
  assert_error(launch(&c, 1), TILEC_ERROR_LAUNCH, "race");
  assert_ok(launch(&c, 0)); // and not from then on
  checked_free(&c);
}

// An address of host memory that no buffer holds.
TEST(test_host_memory) {
  for (int d = 0; d < DEVICES; d++) {
    float host[N] = {0};
    Checked c = checked_new(devices[d], "in_place");
    const tilec_arg arg = tilec_arg_pointer(TILEC_FP32, (uintptr_t)host);
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
    options.grid[0] = 2;
    tilec_status status = tilec_launch(c.kernel, &options, &arg, 1);
    assert_error(status, TILEC_ERROR_LAUNCH,
                 "error[T1101]: load out of bounds: argument 'x' points to no buffer");
    assert_error(status, TILEC_ERROR_LAUNCH, "tilec_buffer_wrap");
    tilec_buffer_free(c.x);
    assert_ok(tilec_buffer_wrap(c.device, (uintptr_t)host, sizeof host, &c.x));
    assert_ok(launch(&c, 0));
    assert_true(host[0] == 1 && host[N - 1] == 1);
    checked_free(&c);
  }
}

static void keep(void *data, const char *text, size_t bytes) {
  char *kept = data;
  assert_true(strlen(kept) + bytes < 256);
  strncat(kept, text, bytes); // NOLINT: both fit
}

TEST(test_printed) {
  for (int d = 0; d < DEVICES; d++) {
    for (int check = 0; check < 2; check++) {
      char printed[256] = "";
      Checked c = checked_new(devices[d], "speaks");
      const tilec_arg arg = tilec_arg_int(42);
      tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
      options.grid[0] = 1;
      options.check = check;
      options.print = keep;
      options.print_data = printed;
      assert_ok(tilec_launch(c.kernel, &options, &arg, 1));
      const char *first = strstr(printed, "n is: 42");
      assert_non_null(first);
      checked_free(&c);
    }
  }
}

WHOLE_SUITE(runtime_check)
