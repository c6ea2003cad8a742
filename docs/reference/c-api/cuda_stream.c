// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches a kernel on memory, a stream and a context that CUDA has made. Without CUDA's headers their types are void *
// and uint64_t: a caller passes its CUcontext, CUstream (or cudaStream_t) and CUdeviceptr (or the pointer of cudaMalloc).
#include <string.h>
#include <tilec/tilec.h>

static const char source[] = "@kernel\n"
                             "@grid(cdiv(n, BLOCK))\n"
                             "def twice(x, n, BLOCK: constexpr = 1024):\n"
                             "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                             "    store(x + i, 2 * load(x + i, mask=i < n), mask=i < n)\n";

// x: n floats of the device. The launch is in order with the other work of the stream.
tilec_status twice(void *context, void *cu_stream, uint64_t x, int64_t n);

tilec_status twice(void *context, void *cu_stream, uint64_t x, int64_t n) {
  tilec_device *device = NULL;
  tilec_stream *stream = NULL;
  tilec_program *program = NULL;
  tilec_kernel *kernel = NULL;
  tilec_status s = tilec_device_from_context(context, &device);
  if (!s) s = tilec_stream_wrap(device, cu_stream, &stream);
  if (!s) s = tilec_program_from_source("twice.tile", source, strlen(source), &program);
  if (!s) s = tilec_kernel_new(device, program, NULL, &kernel);
  if (!s) {
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
    const tilec_arg args[] = {tilec_arg_pointer(TILEC_FP32, x), tilec_arg_int(n)};
    options.stream = stream;
    s = tilec_launch(kernel, &options, args, 2);
  }
  if (!s) s = tilec_stream_synchronize(stream); // only because the kernel is released next; a program keeps it
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  tilec_stream_free(stream);
  tilec_device_close(device);
  return s;
}

int main(void) { return 0; }
