// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPU memory, and copies. Synchronous copies use the default stream, after the caller made it wait for the
// other streams (cuda_stream_join). Asynchronous copies are queued on their stream.
#include "runtime/device/cuda.h"
#include "runtime/error.h"

tilec_status cuda_alloc(tilec_device *device, size_t bytes, uint64_t *address) {
  CUDA_RETURN(device, MemAlloc, address, bytes ? bytes : 1);
}

void cuda_release(tilec_device *device, uint64_t address) {
  if (device->gave_up) return;
  CudaCall c = cuda_begin(device->state);
  c.api->MemFree(address);
  cuda_end(&c);
}

tilec_status cuda_map(tilec_device *device, uint64_t address, size_t bytes, uint64_t *mapped,
                      bool *is_mapped) {
  (void)device, (void)bytes;
  *mapped = address;
  *is_mapped = false;
  return TILEC_OK;
}

void cuda_unmap(tilec_device *device, uint64_t address) { (void)device, (void)address; }

// Waits too: a copy from pageable memory may return before its last part has arrived.
tilec_status cuda_write(tilec_device *device, uint64_t address, const void *from, size_t bytes) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = CUDA(c.api, MemcpyHtoD, address, from, bytes);
  if (!c.status) c.status = CUDA(c.api, StreamSynchronize, NULL);
  return cuda_end(&c);
}

tilec_status cuda_read(tilec_device *device, uint64_t address, void *to, size_t bytes) {
  CUDA_RETURN(device, MemcpyDtoH, to, address, bytes);
}

tilec_status cuda_fill(tilec_device *device, uint64_t address, uint8_t byte, size_t bytes) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = CUDA(c.api, MemsetD8, address, byte, bytes);
  if (!c.status) c.status = CUDA(c.api, StreamSynchronize, NULL);
  return cuda_end(&c);
}

tilec_status cuda_write_async(tilec_device *device, uint64_t to, const void *from, size_t bytes,
                              void *stream) {
  CUDA_RETURN(device, MemcpyHtoDAsync, to, from, bytes, stream);
}

tilec_status cuda_read_async(tilec_device *device, uint64_t from, void *to, size_t bytes, void *stream) {
  CUDA_RETURN(device, MemcpyDtoHAsync, to, from, bytes, stream);
}

tilec_status cuda_copy_async(tilec_device *device, uint64_t to, uint64_t from, size_t bytes, void *stream) {
  CUDA_RETURN(device, MemcpyDtoDAsync, to, from, bytes, stream);
}

tilec_status cuda_fill_async(tilec_device *device, uint64_t at, uint8_t byte, size_t bytes, void *stream) {
  CUDA_RETURN(device, MemsetD8Async, at, byte, bytes, stream);
}
