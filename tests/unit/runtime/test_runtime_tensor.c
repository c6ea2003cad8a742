// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack tensors as arguments, on the simulator and the evaluator: places, sizes and strides, what is known of their
// alignment, and what is refused.
#include "tests/unit/unit.h"
#include "runtime/launch/kernel.h"
#include "runtime/launch/tensor.h"
#include "tests/unit/runtime_fixture.h"

// out[i, k] = x[i, k] * 2 + 1, by strides.
static const char source[] =
    "@kernel\n"
    "@grid(rows)\n"
    "def affine(x, out, rows, cols, xs, xt, os, ot, BLOCK: constexpr = 64):\n"
    "    row = program_id(0)\n"
    "    k = arange(0, BLOCK)\n"
    "    v = load(x + row * xs + k * xt, mask=k < cols)\n"
    "    store(out + row * os + k * ot, (v * 2 + 1).to(out.dtype.element_ty), mask=k < cols)\n";

enum { ROWS = 5, COLS = 33 };

static tilec_status launch_affine(tilec_kernel *kernel, const Tensor *x, const Tensor *out) {
  const tilec_arg args[] = {tilec_arg_dl(x),          tilec_arg_dl(out),       tilec_arg_dim(x, 0),
                            tilec_arg_dim(x, 1),      tilec_arg_stride(x, 0),  tilec_arg_stride(x, 1),
                            tilec_arg_stride(out, 0), tilec_arg_stride(out, 1)};
  return tilec_launch(kernel, NULL, args, 8);
}

static Tensor tensor_of(void *data, uint8_t code, uint8_t bits, int64_t *shape, int64_t *strides) {
  return (Tensor){.data = data,
                  .device_type = TENSOR_CPU,
                  .ndim = 2,
                  .code = code,
                  .bits = bits,
                  .lanes = 1,
                  .shape = shape,
                  .strides = strides};
}

static int64_t shape[] = {ROWS, COLS};

// Transposed, reversed, and offset by bytes, into a compact one.
TEST(test_strides) {
  static float x[ROWS * COLS + 3];
  float out[ROWS][COLS];
  for (int i = 0; i < ROWS * COLS + 3; i++) x[i] = (float)i;
  int64_t forms[][3] = {{COLS, 1, 0}, {1, ROWS, 0}, {1, ROWS, 3}, {-COLS, 1, (ROWS - 1) * COLS}, {0, 1, 2}};
  for (int d = 0; d < DEVICES; d++) {
    tilec_device *device = open_device(devices[d]);
    tilec_kernel *kernel = kernel_of(device, source);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
      Tensor from = tensor_of(x, TENSOR_FLOAT, 32, shape, forms[f]);
      const Tensor to = tensor_of(out, TENSOR_FLOAT, 32, shape, NULL);
      from.byte_offset = (uint64_t)forms[f][2] * sizeof(float);
      memset(out, 0, sizeof out);
      assert_ok(launch_affine(kernel, &from, &to));
      for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLS; k++)
          assert_true(out[i][k] ==
                      2 * (float)(forms[f][2] + i * forms[f][0] + k * forms[f][1]) + 1); // NOLINT
    }
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

// The address with its offset decides: other facts are another variant.
TEST(test_alignment) {
  _Alignas(16) static float x[ROWS * COLS + 8];
  _Alignas(16) float out[ROWS * COLS];
  for (int d = 0; d < DEVICES; d++) {
    tilec_device *device = open_device(devices[d]);
    tilec_kernel *kernel = kernel_of(device, source);
    const Tensor to = tensor_of(out, TENSOR_FLOAT, 32, shape, NULL);
    static const uint32_t variants[] = {1, 2, 2, 2, 2};
    for (uint32_t i = 0; i < 5; i++) {
      Tensor from = tensor_of(x + (i == 4), TENSOR_FLOAT, 32, shape, NULL);
      from.byte_offset = i * sizeof(float);
      if (i == 4) from.byte_offset = 3 * sizeof(float); // 1 and 3 are aligned again
      assert_ok(launch_affine(kernel, &from, &to));
      assert_int_equal(kernel->count, variants[i]);
    }
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

TEST(test_types) {
  int16_t x[ROWS][COLS];
  int64_t out[ROWS][COLS];
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLS; k++) x[i][k] = (int16_t)(100 * i - k);
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel = kernel_of(device, source);
  const Tensor from = tensor_of(x, TENSOR_INT, 16, shape, NULL),
               to = tensor_of(out, TENSOR_INT, 64, shape, NULL);
  assert_ok(launch_affine(kernel, &from, &to));
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLS; k++) assert_int_equal(out[i][k], 2 * (100 * i - k) + 1);
  int64_t empty[] = {0, COLS};
  const Tensor none = tensor_of(NULL, TENSOR_FLOAT, 32, empty, NULL);
  assert_ok(launch_affine(kernel, &none, &none)); // a grid of no programs
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

static void refused(tilec_kernel *kernel, Tensor tensor, const char *text) {
  float out[ROWS * COLS];
  const Tensor to = tensor_of(out, TENSOR_FLOAT, 32, shape, NULL);
  assert_error(launch_affine(kernel, &tensor, &to), TILEC_ERROR_INVALID_ARGUMENT, text);
}

TEST(test_refused) {
  float x[ROWS * COLS];
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel = kernel_of(device, source);
  const Tensor good = tensor_of(x, TENSOR_FLOAT, 32, shape, NULL);
  Tensor t = good;
  t.lanes = 4;
  refused(kernel, t, "parameter 'x': the tensor's elements have 4 lanes, not 1");
  t = good, t.code = 5, t.bits = 64;
  refused(kernel, t, "parameter 'x': the tensor's type (DLPack code 5 of 64 bits) is not a tilec_dtype");
  t = good, t.device_type = TENSOR_CUDA;
  refused(kernel, t, "parameter 'x': the tensor is of DLPack's device 2:0, the kernel is on sim");
  t = good, t.ndim = 1;
  refused(kernel, t, "parameter 'cols': the tensor has 1 dimensions, no dimension 1");
  t = good, t.shape = NULL;
  refused(kernel, t, "the tensor has no shape");
  const tilec_arg null = tilec_arg_dl(NULL);
  assert_error(tilec_launch(kernel, NULL, &null, 1), TILEC_ERROR_INVALID_ARGUMENT,
               "parameter 'x': the tensor is NULL");
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

WHOLE_SUITE(runtime_tensor)
