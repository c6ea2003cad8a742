// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices, buffers and streams on the devices that need no GPU, and their errors.
#include "tests/unit/unit.h"
#include "runtime/tilec.h"

static const char *const devices[] = {"sim", "eval"};
enum { DEVICES = 2 };

static tilec_device *open_device(const char *name) {
  tilec_device *device = NULL;
  assert_int_equal(tilec_device_open(name, &device), TILEC_OK);
  assert_non_null(device);
  return device;
}

static void assert_error(tilec_status got, tilec_status expected, const char *text) {
  assert_string_equal(tilec_status_name(got), tilec_status_name(expected));
  if (!strstr(tilec_last_error(), text)) fail_msg("'%s' is not in '%s'", text, tilec_last_error());
}

TEST(test_names) {
  static const char *const wrong[] = {
      "", "gpu", "sim:0", "cuda:", "cuda:x", "cuda:-1", "cuda:99999", "evaluator"};
  tilec_device *device;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    device = (tilec_device *)1;
    assert_error(tilec_device_open(wrong[i], &device), TILEC_ERROR_NO_DEVICE, "no device '");
    assert_null(device);
  }
  for (int i = 0; i < DEVICES; i++) {
    device = open_device(devices[i]);
    assert_string_equal(tilec_device_name(device), devices[i]);
    assert_string_equal(tilec_device_arch(device), "sm_90a");
    assert_int_equal(tilec_device_synchronize(device), TILEC_OK);
    tilec_device_close(device);
  }
  device = open_device("auto");
  tilec_device_close(device);
  device = open_device(NULL);
  tilec_device_close(device);
}

// Where there is no driver the reason is in the message; where there is one, it has no thousand GPUs.
TEST(test_no_gpu) {
  tilec_device *device;
  assert_int_equal(tilec_device_open("cuda:1000", &device), TILEC_ERROR_NO_DEVICE);
  assert_true(strstr(tilec_last_error(), "libcuda") || strstr(tilec_last_error(), "cuda:1000"));
}

TEST(test_null_arguments) {
  tilec_device *device = open_device("eval");
  tilec_buffer *buffer;
  tilec_stream *stream;
  char byte;
  assert_error(tilec_device_open("sim", NULL), TILEC_ERROR_INVALID_ARGUMENT, "device is NULL");
  assert_error(tilec_device_synchronize(NULL), TILEC_ERROR_INVALID_ARGUMENT, "device is NULL");
  assert_error(tilec_buffer_new(NULL, 1, &buffer), TILEC_ERROR_INVALID_ARGUMENT, "device is NULL");
  assert_error(tilec_buffer_new(device, 1, NULL), TILEC_ERROR_INVALID_ARGUMENT, "buffer is NULL");
  assert_error(tilec_buffer_wrap(device, 16, 1, NULL), TILEC_ERROR_INVALID_ARGUMENT, "buffer is NULL");
  assert_error(tilec_buffer_wrap(NULL, 16, 1, &buffer), TILEC_ERROR_INVALID_ARGUMENT, "device is NULL");
  assert_error(tilec_buffer_write(NULL, 0, &byte, 1), TILEC_ERROR_INVALID_ARGUMENT, "buffer is NULL");
  assert_error(tilec_buffer_read(NULL, 0, &byte, 1), TILEC_ERROR_INVALID_ARGUMENT, "buffer is NULL");
  assert_error(tilec_buffer_fill(NULL, 0), TILEC_ERROR_INVALID_ARGUMENT, "buffer is NULL");
  assert_error(tilec_stream_new(NULL, &stream), TILEC_ERROR_INVALID_ARGUMENT, "device is NULL");
  assert_error(tilec_stream_new(device, NULL), TILEC_ERROR_INVALID_ARGUMENT, "stream is NULL");
  assert_error(tilec_stream_wrap(device, NULL, NULL), TILEC_ERROR_INVALID_ARGUMENT, "stream is NULL");
  assert_error(tilec_stream_synchronize(NULL), TILEC_ERROR_INVALID_ARGUMENT, "stream is NULL");
  tilec_buffer_free(NULL);
  tilec_stream_free(NULL);
  tilec_device_close(device);
  tilec_device_close(NULL);
  assert_int_equal(tilec_buffer_address(NULL), 0);
  assert_int_equal(tilec_buffer_bytes(NULL), 0);
  assert_string_equal(tilec_device_name(NULL), "");
  assert_string_equal(tilec_device_arch(NULL), "");
}

TEST(test_copies) {
  for (int i = 0; i < DEVICES; i++) {
    tilec_device *device = open_device(devices[i]);
    tilec_buffer *buffer;
    unsigned char host[300], back[300];
    for (int k = 0; k < 300; k++) host[k] = (unsigned char)(k * 7);
    assert_int_equal(tilec_buffer_new(device, 300, &buffer), TILEC_OK);
    assert_int_equal(tilec_buffer_bytes(buffer), 300);
    assert_int_equal(tilec_buffer_address(buffer) % 256, 0);
    assert_int_equal(tilec_buffer_write(buffer, 0, host, 300), TILEC_OK);
    assert_int_equal(tilec_buffer_read(buffer, 0, back, 300), TILEC_OK);
    assert_memory_equal(host, back, 300);
    assert_int_equal(tilec_buffer_read(buffer, 299, back, 1), TILEC_OK);
    assert_int_equal(back[0], host[299]);
    assert_int_equal(tilec_buffer_write(buffer, 10, host, 5), TILEC_OK);
    assert_int_equal(tilec_buffer_read(buffer, 10, back, 5), TILEC_OK);
    assert_memory_equal(host, back, 5);
    assert_error(tilec_buffer_read(buffer, 0, back, 301), TILEC_ERROR_INVALID_ARGUMENT, "not within");
    assert_error(tilec_buffer_read(buffer, 301, back, 0), TILEC_ERROR_INVALID_ARGUMENT, "not within");
    assert_error(tilec_buffer_write(buffer, 200, host, SIZE_MAX), TILEC_ERROR_INVALID_ARGUMENT, "not within");
    assert_error(tilec_buffer_write(buffer, 0, NULL, 1), TILEC_ERROR_INVALID_ARGUMENT, "NULL");
    assert_int_equal(tilec_buffer_write(buffer, 300, NULL, 0), TILEC_OK);
    assert_int_equal(tilec_buffer_fill(buffer, 0x5A), TILEC_OK);
    assert_int_equal(tilec_buffer_read(buffer, 0, back, 300), TILEC_OK);
    for (int k = 0; k < 300; k++) assert_int_equal(back[k], 0x5A);
    tilec_device_close(device); // the buffer holds it
    assert_int_equal(tilec_buffer_read(buffer, 0, back, 300), TILEC_OK);
    tilec_buffer_free(buffer);
  }
}

TEST(test_empty_and_impossible_buffers) {
  for (int i = 0; i < DEVICES; i++) {
    tilec_device *device = open_device(devices[i]);
    tilec_buffer *empty[3], *huge = (tilec_buffer *)1;
    for (int k = 0; k < 3; k++) {
      assert_int_equal(tilec_buffer_new(device, 0, &empty[k]), TILEC_OK);
      assert_int_equal(tilec_buffer_fill(empty[k], 1), TILEC_OK);
      assert_int_equal(tilec_buffer_read(empty[k], 0, NULL, 0), TILEC_OK);
    }
    assert_int_equal(tilec_buffer_new(device, SIZE_MAX, &huge), TILEC_ERROR_OUT_OF_MEMORY);
    assert_null(huge);
    for (int k = 0; k < 3; k++) tilec_buffer_free(empty[k]);
    tilec_device_close(device);
  }
}

TEST(test_wrapped_memory_is_used_in_place) {
  for (int i = 0; i < DEVICES; i++) {
    tilec_device *device = open_device(devices[i]);
    static _Alignas(16) unsigned char host[64];
    unsigned char back[16];
    tilec_buffer *buffer, *nothing;
    memset(host, 3, sizeof host);
    assert_int_equal(tilec_buffer_wrap(device, (uintptr_t)host, sizeof host, &buffer), TILEC_OK);
    assert_int_equal(tilec_buffer_wrap(device, (uintptr_t)host, 0, &nothing), TILEC_OK);
    tilec_buffer_free(nothing);
    assert_int_equal(tilec_buffer_fill(buffer, 9), TILEC_OK);
    assert_int_equal(host[63], 9);
    host[2] = 77;
    assert_int_equal(tilec_buffer_read(buffer, 0, back, 16), TILEC_OK);
    assert_int_equal(back[2], 77);
    tilec_buffer_free(buffer);
    assert_int_equal(host[2], 77);
    assert_error(tilec_buffer_wrap(device, 0, 16, &buffer), TILEC_ERROR_INVALID_ARGUMENT, "no memory");
    assert_error(tilec_buffer_wrap(device, UINT64_MAX - 3, 16, &buffer), TILEC_ERROR_INVALID_ARGUMENT,
                 "no memory");
    tilec_device_close(device);
  }
}

TEST(test_streams) {
  for (int i = 0; i < DEVICES; i++) {
    tilec_device *device = open_device(devices[i]);
    tilec_stream *stream, *wrapped = (tilec_stream *)1;
    assert_int_equal(tilec_stream_new(device, &stream), TILEC_OK);
    assert_int_equal(tilec_stream_synchronize(stream), TILEC_OK);
    assert_error(tilec_stream_wrap(device, NULL, &wrapped), TILEC_ERROR_NOT_SUPPORTED, devices[i]);
    assert_null(wrapped);
    tilec_device_close(device);
    tilec_stream_free(stream);
  }
}

TEST(test_names_of_statuses_and_types) {
  static const size_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8};
  for (int t = TILEC_I1; t <= TILEC_FP64; t++) assert_int_equal(tilec_dtype_bytes((tilec_dtype)t), bytes[t]);
  assert_int_equal(tilec_dtype_bytes((tilec_dtype)99), 0);
  assert_string_equal(tilec_status_name(TILEC_ERROR_INTERNAL), "TILEC_ERROR_INTERNAL");
  assert_string_equal(tilec_status_name((tilec_status)55), "unknown tilec_status");
  assert_string_equal(tilec_version(), "0.2.0");
}

WHOLE_SUITE(runtime_device)
