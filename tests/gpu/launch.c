// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of one kernel from several threads at once, with every kind of argument, on streams;
// and launches that must fail.
//   gpu_launch [DEVICE]
#include <pthread.h>
#include "tests/gpu/check.h"

enum { THREADS = 8, ROUNDS = 25, N = 5000 };

typedef struct Worker {
  tilec_device *device;
  tilec_kernel *kernel;
  int number;
  int failed;
} Worker;

// Sizes and offsets differ by thread and round, so that several specialisations
// are made while others are launched.
static void *work(void *data) {
  Worker *w = data;
  tilec_stream *stream;
  CHECK(tilec_stream_new(w->device, &stream) == TILEC_OK);
  tilec_buffer *x = ramp(w->device, N + 4, 0);
  for (int round = 0; round < ROUNDS; round++) {
    size_t n = round % 5 == 4 ? 1 : (size_t)(N - 16 * round - w->number),
           skip = (size_t)((round + w->number) % 4);
    tilec_buffer *out = poisoned(w->device, N);
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
    options.stream = stream;
    tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, tilec_buffer_address(x) + 4 * skip),
                        tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int((int64_t)n),
                        tilec_arg_float(w->number + 0.5)};
    CHECK(tilec_launch(w->kernel, &options, args, 4) == TILEC_OK);
    CHECK(tilec_stream_synchronize(stream) == TILEC_OK);
    check_scaled(out, n, (float)skip, (float)w->number + 0.5f);
    tilec_buffer_free(out);
  }
  tilec_buffer_free(x);
  tilec_stream_free(stream);
  return NULL;
}

static void test_threads(tilec_device *device) {
  pthread_t threads[THREADS];
  Worker workers[THREADS];
  tilec_kernel *kernel = scale_kernel(device);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (Worker){device, kernel, i, 0};
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  tilec_kernel_free(kernel);
}

static void test_grids(tilec_device *device) {
  static const struct {
    int64_t grid[3];
    tilec_status status;
  } rows[] = {
      {{0, 1, 1}, TILEC_OK},
      {{1, 1, 0}, TILEC_OK},
      {{-2, 1, 1}, TILEC_ERROR_INVALID_ARGUMENT},
      {{1, -1, 1}, TILEC_ERROR_INVALID_ARGUMENT},
      {{(int64_t)1 << 31, 1, 1}, TILEC_ERROR_INVALID_ARGUMENT},
      {{1, 65536, 1}, TILEC_ERROR_INVALID_ARGUMENT},
      {{1, 1, 65536}, TILEC_ERROR_INVALID_ARGUMENT},
  };
  tilec_kernel *kernel = scale_kernel(device);
  tilec_buffer *x = ramp(device, 300, 1), *out = poisoned(device, 300);
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(300),
                      tilec_arg_float(2)};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
    memcpy(options.grid, rows[i].grid, sizeof options.grid);
    CHECK(tilec_launch(kernel, &options, args, 4) == rows[i].status);
  }
  check_scaled(out, 0, 0, 0); // nothing was launched
  CHECK(tilec_launch(kernel, NULL, args, 4) == TILEC_OK);
  check_scaled(out, 300, 1, 2);
  tilec_buffer_free(x);
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
}

// Objects may be released in any order.
static void test_release_order(const char *name) {
  tilec_device *device;
  CHECK(tilec_device_open(name, &device) == TILEC_OK);
  tilec_kernel *kernel = scale_kernel(device);
  tilec_buffer *x = ramp(device, 10, 0), *out = poisoned(device, 10);
  tilec_device_close(device);
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(10),
                      tilec_arg_float(3)};
  CHECK(tilec_launch(kernel, NULL, args, 4) == TILEC_OK);
  tilec_kernel_free(kernel);
  check_scaled(out, 10, 0, 3);
  tilec_buffer_free(out);
  tilec_buffer_free(x);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "cuda";
  tilec_device *device;
  CHECK(tilec_device_open(name, &device) == TILEC_OK);
  test_threads(device);
  test_grids(device);
  CHECK(tilec_device_synchronize(device) == TILEC_OK);
  tilec_device_close(device);
  test_release_order(name);
  printf("launch on %s: OK\n", name);
  return 0;
}
