// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the files of the cuda device: its state, the driver's errors, and the context for each call.
#ifndef RUNTIME_DEVICE_CUDA_H
#define RUNTIME_DEVICE_CUDA_H

#include "runtime/device/cuda_wait.h"

enum { CUDA_LOG_BYTES = 8192 };

typedef struct Cuda {
  CudaApi api;
  CudaDevice device;
  int major, minor; // compute capability
  CudaContext context;
  bool owns_primary;      // else the caller owns the context
  int shared_limit;       // limit of dynamic shared memory per CTA, in bytes
  uint32_t shared_static; // more than this must be requested
} Cuda;

typedef struct CudaKernel {
  CudaModule module;
  CudaFunction function;
  uint32_t threads[3], shared_bytes;
  ByValueParams by_value;
  bool overlaps;
} CudaKernel;

// The failed call's error, with the driver's text and name for it.
tilec_status cuda_error(const CudaApi *api, CudaResult result, const char *what);

// TILEC_OK for success, else the error of the driver function `what`.
static inline tilec_status cuda_check(const CudaApi *api, CudaResult result, const char *what) {
  return result == 0 ? TILEC_OK : cuda_error(api, result, what);
}

// Calls cuFUNCTION.
#define CUDA(api, function, ...) cuda_check(api, (api)->function(__VA_ARGS__), "cu" #function)

// Calls of the driver in the device's context, which is current from cuda_begin to cuda_end.
typedef struct CudaCall {
  const Cuda *cuda;
  const CudaApi *api;
  tilec_status status; // of the calls so far
  bool pushed;
} CudaCall;

// Callers that release something continue after a failure, because most handles know their context.
static inline CudaCall cuda_begin(const Cuda *cuda) {
  CudaContext current = NULL;
  CudaCall call = {cuda, &cuda->api, TILEC_OK, false};
  if (cuda->api.CtxGetCurrent(&current) == 0 && current == cuda->context) return call;
  call.status = CUDA(call.api, CtxPushCurrent, cuda->context);
  call.pushed = call.status == TILEC_OK;
  return call;
}

static inline tilec_status cuda_end(const CudaCall *call) {
  CudaContext popped;
  if (call->pushed) call->api->CtxPopCurrent(&popped);
  return call->status;
}

// Calls cuFUNCTION in the device's context, and returns the status.
#define CUDA_RETURN(device, function, ...)                                                                   \
  do {                                                                                                       \
    CudaCall c = cuda_begin((device)->state);                                                                \
    if (!c.status) c.status = CUDA(c.api, function, __VA_ARGS__);                                            \
    return cuda_end(&c);                                                                                     \
  } while (0)

// Waits for a recorded event, within the limits.
tilec_status cuda_wait_for(tilec_device *device, CudaEvent event, const CudaWait *wait);

// Functions of DeviceKind, by file.
// cuda_memory.c
tilec_status cuda_alloc(tilec_device *device, size_t bytes, uint64_t *address);
void cuda_release(tilec_device *device, uint64_t address);
tilec_status cuda_map(tilec_device *device, uint64_t address, size_t bytes, uint64_t *mapped,
                      bool *is_mapped);
void cuda_unmap(tilec_device *device, uint64_t address);
tilec_status cuda_write(tilec_device *device, uint64_t address, const void *from, size_t bytes);
tilec_status cuda_read(tilec_device *device, uint64_t address, void *to, size_t bytes);
tilec_status cuda_fill(tilec_device *device, uint64_t address, uint8_t byte, size_t bytes);
tilec_status cuda_write_async(tilec_device *device, uint64_t to, const void *from, size_t bytes,
                              void *stream);
tilec_status cuda_read_async(tilec_device *device, uint64_t from, void *to, size_t bytes, void *stream);
tilec_status cuda_copy_async(tilec_device *device, uint64_t to, uint64_t from, size_t bytes, void *stream);
tilec_status cuda_fill_async(tilec_device *device, uint64_t at, uint8_t byte, size_t bytes, void *stream);
// cuda_stream.c
tilec_status cuda_stream_new(tilec_device *device, void **stream);
tilec_status cuda_stream_synchronize(tilec_device *device, void *stream);
tilec_status cuda_stream_join(tilec_device *device, void *stream);
void cuda_stream_free(tilec_device *device, void *stream);
tilec_status cuda_event_new(tilec_device *device, void **event);
tilec_status cuda_event_record(tilec_device *device, void *event, void *stream);
tilec_status cuda_event_wait(tilec_device *device, void *event, void *stream);
tilec_status cuda_event_synchronize(tilec_device *device, void *event);
tilec_status cuda_event_elapsed(tilec_device *device, void *start, void *end, double *seconds);
void cuda_event_free(tilec_device *device, void *event);
// device_cuda.c
tilec_status cuda_launch(tilec_device *device, void *kernel, const KernelLaunch *launch);
// cuda_time.c
tilec_status cuda_time(tilec_device *device, void *kernel, KernelLaunch *launches, uint32_t launch_count,
                       uint32_t count, uint32_t rounds, double *seconds);
tilec_status cuda_assemble(tilec_device *device, Str ptx, Buf *cubin);

#endif
