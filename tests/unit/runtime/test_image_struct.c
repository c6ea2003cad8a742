// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels from PTX with structs by value: a tuple is laid out as C does it, at a checked launch too.
#include "tests/unit/unit.h"
#include "runtime/tilec.h"
#include "tests/unit/runtime_fixture.h"

// Copies the 48 bytes of `s` to where its first member points, and `small` after them, and adds one to the last word.
static const char copy_ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry copy(.param .align 8 .b8 s[48], .param .align 4 .b8 small[8])\n"
    "{\n.reg .b64 %rd<12>;\n.reg .b32 %r<3>;\n"
    "ld.param.b64 %rd1, [s];\nld.param.b64 %rd2, [s+8];\nld.param.b64 %rd3, [s+16];\nld.param.b64 %rd4, "
    "[s+24];\n"
    "ld.param.b64 %rd5, [s+32];\nld.param.b64 %rd6, [s+40];\nld.param.b64 %rd7, [small];\n"
    "st.global.b64 [%rd1], %rd1;\nst.global.b64 [%rd1+8], %rd2;\nst.global.b64 [%rd1+16], %rd3;\n"
    "st.global.b64 [%rd1+24], %rd4;\nst.global.b64 [%rd1+32], %rd5;\nst.global.b64 [%rd1+40], %rd6;\n"
    "st.global.b64 [%rd1+48], %rd7;\n"
    "ld.global.b32 %r1, [%rd1+56];\nadd.s32 %r2, %r1, 1;\nst.global.b32 [%rd1+56], %r2;\nret;\n}\n";

typedef struct Inner {
  int16_t short_one;
  double wide;
} Inner;

typedef struct Given {
  const void *out;
  int8_t byte;
  float f;
  Inner inner;
  uint8_t last;
  const void *none;
} Given;
_Static_assert(sizeof(Given) == 48, "as the PTX says");

static tilec_arg typed(tilec_arg arg, tilec_dtype type) {
  arg.dtype = type;
  return arg;
}

static tilec_kernel *copy_kernel(tilec_device *device) {
  tilec_image_options options = TILEC_IMAGE_OPTIONS_INIT;
  tilec_kernel *kernel;
  assert_ok(tilec_kernel_from_image(device, "copy", copy_ptx, sizeof copy_ptx - 1, &options, &kernel));
  return kernel;
}

TEST(test_layout) {
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel = copy_kernel(device);
  tilec_param_info info = TILEC_PARAM_INFO_INIT;
  assert_ok(tilec_kernel_param(kernel, 0, &info));
  assert_int_equal(info.bytes, 48);
  uint32_t got[15] = {0};
  for (int check = 0; check < 2;
       check++) { // a checked launch puts the memory back before each of its schedules
    tilec_buffer *out;
    assert_ok(tilec_buffer_new(device, sizeof got, &out));
    memset(got, 0xff, sizeof got);
    got[14] = 7;
    assert_ok(tilec_buffer_write(out, 0, got, sizeof got));
    const tilec_arg inner_items[] = {typed(tilec_arg_int(-3), TILEC_I16), tilec_arg_float(0.1)};
    tilec_tuple inner = tuple_of(inner_items, 2);
    const tilec_arg items[] = {tilec_arg_buffer(TILEC_I32, out),        typed(tilec_arg_int(-5), TILEC_I8),
                               typed(tilec_arg_float(0.1), TILEC_FP32), tilec_arg_tuple(&inner),
                               typed(tilec_arg_uint(200), TILEC_U8),    tilec_arg_none()};
    const tilec_arg pair_items[] = {typed(tilec_arg_int(1), TILEC_I32), typed(tilec_arg_int(2), TILEC_I32)};
    tilec_tuple given = tuple_of(items, 6), pair = tuple_of(pair_items, 2);
    const tilec_arg args[] = {tilec_arg_tuple(&given), tilec_arg_tuple(&pair)};
    tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    launch.check = check;
    assert_ok(tilec_launch(kernel, &launch, args, 2));
    assert_ok(tilec_buffer_read(out, 0, got, sizeof got));
    Given wanted;
    memset(&wanted, 0, sizeof wanted); // padding too
    wanted.out = (const void *)(uintptr_t)tilec_buffer_address(out);
    wanted.byte = -5;
    wanted.f = 0.1f;
    wanted.inner.short_one = -3;
    wanted.inner.wide = 0.1;
    wanted.last = 200;
    assert_memory_equal(got, &wanted, sizeof wanted);
    assert_int_equal(got[12], 1);
    assert_int_equal(got[13], 2);
    assert_int_equal(got[14], 8);
    tilec_buffer_free(out);
  }
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

TEST(test_report) {
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel = copy_kernel(device);
  tilec_buffer *out;
  assert_ok(tilec_buffer_new(device, 40, &out));
  tilec_arg items[6] = {typed(tilec_arg_int(0), TILEC_I64), typed(tilec_arg_int(0), TILEC_I64)};
  for (int i = 2; i < 6; i++) items[i] = items[0];
  items[0] = tilec_arg_buffer(TILEC_I32, out);
  tilec_tuple given = tuple_of(items, 6), pair = tuple_of(items + 1, 1);
  const tilec_arg args[] = {tilec_arg_tuple(&given), tilec_arg_tuple(&pair)};
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.check = 1;
  assert_error(tilec_launch(kernel, &launch, args, 2), TILEC_ERROR_LAUNCH,
               "byte 40 of 40 of argument 0 (its pointer at byte 0)");
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

static void expect_refused(tilec_kernel *kernel, const tilec_arg *items, size_t count, const char *text) {
  tilec_tuple given = tuple_of(items, count);
  const tilec_arg args[] = {tilec_arg_tuple(&given), tilec_arg_int(0)};
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  assert_error(tilec_launch(kernel, &launch, args, 2), TILEC_ERROR_INVALID_ARGUMENT, text);
}

TEST(test_refused) {
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel = copy_kernel(device);
  const tilec_arg large = typed(tilec_arg_int(300), TILEC_U8), odd = typed(tilec_arg_int(1), TILEC_FP32),
                  odd_float = typed(tilec_arg_float(1), TILEC_I32), text = tilec_arg_constexpr("1");
  tilec_arg many[400];
  for (int i = 0; i < 400; i++) many[i] = tilec_arg_int(i);
  expect_refused(kernel, many, 2, "copy: parameter 0 has 48 bytes, and the tuple has 16 as a struct of C");
  expect_refused(kernel, many, 400,
                 "copy: parameter 0 has 48 bytes, and the tuple has 3200 as a struct of C");
  expect_refused(kernel, NULL, 0, "copy: parameter 0 has 48 bytes, and the tuple has 0 as a struct of C");
  expect_refused(kernel, &large, 1, "it cannot take an integer that its dtype cannot hold");
  expect_refused(kernel, &odd, 1, "it cannot take an integer whose dtype is not an integer's");
  expect_refused(kernel, &odd_float, 1, "it cannot take a float whose dtype is not a float's");
  expect_refused(kernel, &text, 1, "it cannot take a member that is not a pointer");
  tilec_tuple deep[80];
  tilec_arg nested[80];
  for (int i = 0; i < 80; i++) {
    deep[i] = i ? tuple_of(&nested[i - 1], 1) : tuple_of(many, 1);
    nested[i] = tilec_arg_tuple(&deep[i]);
  }
  expect_refused(kernel, &nested[50], 1,
                 "copy: parameter 0 has 48 bytes, and the tuple has 8 as a struct of C");
  expect_refused(kernel, &nested[79], 1, "it cannot take too many tuples within tuples");
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

WHOLE_SUITE(image_struct)
