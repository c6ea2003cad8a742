// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that uses the CUDA driver itself: its own context stays current, launches go to its own stream
// and memory, and can be captured in a graph.
#include <dlfcn.h>
#include "tests/gpu/check.h"

typedef struct Driver {
  int (*init)(unsigned);
  int (*device_get)(int *, int);
  int (*ctx_create)(void **, unsigned, int);
  int (*ctx_destroy)(void *);
  int (*ctx_get_current)(void **);
  int (*ctx_pop_current)(void **);
  int (*ctx_push_current)(void *);
  int (*stream_create)(void **, unsigned);
  int (*stream_destroy)(void *);
  int (*stream_synchronize)(void *);
  int (*begin_capture)(void *, int);
  int (*end_capture)(void *, void **);
  int (*graph_instantiate)(void **, void *, unsigned long long);
  int (*graph_launch)(void *, void *);
  int (*graph_exec_destroy)(void *);
  int (*graph_destroy)(void *);
  int (*mem_alloc)(uint64_t *, size_t);
  int (*mem_free)(uint64_t);
} Driver;

static void find_symbol(void *library, const char *symbol, void *function) {
  void *found = dlsym(library, symbol);
  CHECK(found);
  memcpy(function, &found, sizeof found);
}

static Driver load_driver(void) {
  Driver d;
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  CHECK(library);
  find_symbol(library, "cuInit", &d.init);
  find_symbol(library, "cuDeviceGet", &d.device_get);
  find_symbol(library, "cuCtxCreate_v2", &d.ctx_create);
  find_symbol(library, "cuCtxDestroy_v2", &d.ctx_destroy);
  find_symbol(library, "cuCtxGetCurrent", &d.ctx_get_current);
  find_symbol(library, "cuCtxPopCurrent_v2", &d.ctx_pop_current);
  find_symbol(library, "cuCtxPushCurrent_v2", &d.ctx_push_current);
  find_symbol(library, "cuStreamCreate", &d.stream_create);
  find_symbol(library, "cuStreamDestroy_v2", &d.stream_destroy);
  find_symbol(library, "cuStreamSynchronize", &d.stream_synchronize);
  find_symbol(library, "cuStreamBeginCapture_v2", &d.begin_capture);
  find_symbol(library, "cuStreamEndCapture", &d.end_capture);
  find_symbol(library, "cuGraphInstantiateWithFlags", &d.graph_instantiate);
  find_symbol(library, "cuGraphLaunch", &d.graph_launch);
  find_symbol(library, "cuGraphExecDestroy", &d.graph_exec_destroy);
  find_symbol(library, "cuGraphDestroy", &d.graph_destroy);
  find_symbol(library, "cuMemAlloc_v2", &d.mem_alloc);
  find_symbol(library, "cuMemFree_v2", &d.mem_free);
  return d;
}

static void check_current(const Driver *d, void *context) {
  void *current = NULL;
  CHECK(d->ctx_get_current(&current) == 0);
  CHECK(current == context);
}

// Two launches in a chain, the second's input the first's output; the first
// launch of all happens while capturing.
static void capture(const Driver *d, tilec_device *device, void *cu_stream) {
  enum { N = 1003 };
  void *graph = NULL, *exec = NULL;
  tilec_stream *stream;
  tilec_kernel *kernel = scale_kernel(device);
  tilec_buffer *x = ramp(device, N, 1), *middle = poisoned(device, N), *out = poisoned(device, N);
  CHECK(tilec_stream_wrap(device, cu_stream, &stream) == TILEC_OK);
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.stream = stream;
  tilec_arg first[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_buffer(TILEC_FP32, middle),
                       tilec_arg_int(N), tilec_arg_float(2)};
  tilec_arg second[] = {tilec_arg_buffer(TILEC_FP32, middle), tilec_arg_buffer(TILEC_FP32, out),
                        tilec_arg_int(N), tilec_arg_float(4)};
  CHECK(d->begin_capture(cu_stream, 0) == 0);
  CHECK(tilec_launch(kernel, &options, first, 4) == TILEC_OK);
  CHECK(tilec_launch(kernel, &options, second, 4) == TILEC_OK);
  CHECK(d->end_capture(cu_stream, &graph) == 0);
  check_scaled(out, 0, 0, 0); // captured, not run
  CHECK(d->graph_instantiate(&exec, graph, 0) == 0);
  for (int i = 0; i < 3; i++) {
    CHECK(tilec_buffer_fill(out, 0xFF) == TILEC_OK);
    CHECK(d->graph_launch(exec, cu_stream) == 0);
    CHECK(d->stream_synchronize(cu_stream) == 0);
    check_scaled(out, N, 1, 8);
  }
  d->graph_exec_destroy(exec);
  d->graph_destroy(graph);
  tilec_stream_free(stream);
  tilec_buffer_free(x);
  tilec_buffer_free(middle);
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
}

// 100 launches, each of what the one before gave, captured once they are prepared, in the mode that forbids all
// that might wait, while no context is current; and replayed.
static void capture_many(const Driver *d, tilec_device *device, void *context, void *cu_stream) {
  enum { N = 501, LAUNCHES = 100 };
  void *graph = NULL, *exec = NULL, *popped = NULL;
  tilec_stream *stream;
  tilec_kernel *kernel = scale_kernel(device);
  tilec_buffer *x = ramp(device, N, 1), *out = poisoned(device, N);
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  CHECK(tilec_stream_wrap(device, cu_stream, &stream) == TILEC_OK);
  options.stream = stream;
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(N),
                      tilec_arg_float(2)};
  CHECK(tilec_kernel_prepare(kernel, args, 4) == TILEC_OK);
  CHECK(d->begin_capture(cu_stream, 0) == 0);
  for (int i = 0; i < LAUNCHES; i++) {
    args[0] = tilec_arg_buffer(TILEC_FP32, i == 0 ? x : out);
    args[3] = tilec_arg_float(i == 0 ? 3 : i % 2 ? 0.5 : 2); // times 3, 1/2, 2 ... 1/2
    CHECK(tilec_launch(kernel, &options, args, 4) == TILEC_OK);
  }
  CHECK(d->end_capture(cu_stream, &graph) == 0);
  CHECK(d->ctx_push_current(context) == 0); // which the driver wants for this
  CHECK(d->graph_instantiate(&exec, graph, 0) == 0);
  for (int i = 0; i < 3; i++) {
    CHECK(tilec_buffer_fill(out, 0xFF) == TILEC_OK);
    CHECK(d->graph_launch(exec, cu_stream) == 0);
    check_scaled(out, N, 1, 1.5f); // the copy waits for the wrapped stream
  }
  d->graph_exec_destroy(exec);
  d->graph_destroy(graph);
  CHECK(d->ctx_pop_current(&popped) == 0);
  tilec_stream_free(stream);
  tilec_buffer_free(x);
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
}

// A device from a context that is current nowhere.
static void given_context(const Driver *d, int gpu) {
  void *context = NULL, *popped = NULL, *stream = NULL;
  tilec_device *device;
  CHECK(d->ctx_create(&context, 0, gpu) == 0);
  CHECK(d->stream_create(&stream, 1) == 0);
  CHECK(d->ctx_pop_current(&popped) == 0);
  check_current(d, NULL);
  CHECK(tilec_device_from_context(context, &device) == TILEC_OK);
  CHECK(!strncmp(tilec_device_name(device), "cuda:", 5));
  capture_many(d, device, context, stream);
  tilec_device_close(device);
  check_current(d, NULL);
  CHECK(d->ctx_push_current(context) == 0);
  d->stream_destroy(stream);
  CHECK(d->ctx_destroy(context) == 0);
}

// The caller's memory as a buffer.
static void wrapped_memory(const Driver *d, tilec_device *device) {
  enum { N = 777 };
  uint64_t address = 0;
  tilec_buffer *x = ramp(device, N, 0), *out;
  tilec_kernel *kernel = scale_kernel(device);
  CHECK(d->mem_alloc(&address, N * sizeof(float)) == 0);
  CHECK(tilec_buffer_wrap(device, address, N * sizeof(float), &out) == TILEC_OK);
  CHECK(tilec_buffer_address(out) == address);
  CHECK(tilec_buffer_fill(out, 0xFF) == TILEC_OK);
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(N),
                      tilec_arg_float(5)};
  CHECK(tilec_launch(kernel, NULL, args, 4) == TILEC_OK);
  check_scaled(out, N, 0, 5);
  tilec_buffer_free(out);
  CHECK(d->mem_free(address) == 0); // still the caller's
  tilec_buffer_free(x);
  tilec_kernel_free(kernel);
}

static void own_context(const Driver *d, int gpu) {
  void *context = NULL, *stream = NULL;
  tilec_device *device;
  CHECK(d->ctx_create(&context, 0, gpu) == 0);
  CHECK(d->stream_create(&stream, 1) == 0);
  CHECK(tilec_device_open("cuda:0", &device) == TILEC_OK);
  check_current(d, context);
  capture(d, device, stream);
  capture_many(d, device, context, stream);
  wrapped_memory(d, device);
  check_current(d, context);
  tilec_device_close(device);
  check_current(d, context);
  d->stream_destroy(stream);
  CHECK(d->ctx_destroy(context) == 0);
}

// A device on the primary context is used while the caller's own context is current, and while none is.
static void other_context(const Driver *d, int gpu) {
  void *context = NULL, *popped = NULL;
  tilec_device *device;
  CHECK(tilec_device_open("cuda:0", &device) == TILEC_OK);
  check_current(d, NULL);
  CHECK(d->ctx_create(&context, 0, gpu) == 0);
  tilec_kernel *kernel = scale_kernel(device);
  tilec_buffer *x = ramp(device, 100, 0), *out = poisoned(device, 100);
  tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(100),
                      tilec_arg_float(2)};
  CHECK(tilec_launch(kernel, NULL, args, 4) == TILEC_OK);
  check_current(d, context);
  CHECK(d->ctx_pop_current(&popped) == 0);
  check_scaled(out, 100, 0, 2);
  check_current(d, NULL);
  tilec_kernel_free(kernel);
  tilec_buffer_free(x);
  tilec_buffer_free(out);
  tilec_device_close(device);
  CHECK(d->ctx_push_current(context) == 0);
  CHECK(d->ctx_destroy(context) == 0);
}

static void no_such_device(void) {
  tilec_device *device;
  CHECK(tilec_device_open("cuda:99", &device) == TILEC_ERROR_NO_DEVICE);
  CHECK(device == NULL);
  CHECK(strstr(tilec_last_error(), "cuda:99"));
}

int main(void) {
  Driver d = load_driver();
  int gpu = 0;
  CHECK(d.init(0) == 0);
  CHECK(d.device_get(&gpu, 0) == 0);
  other_context(&d, gpu);
  own_context(&d, gpu);
  given_context(&d, gpu);
  no_such_device();
  printf("contexts, streams, graphs on cuda: OK\n");
  return 0;
}
