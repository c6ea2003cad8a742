// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPU streams and events.
#include "runtime/device/cuda.h"
#include "runtime/error.h"

tilec_status cuda_stream_new(tilec_device *device, void **stream) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status)
    c.status = cuda_check(c.api, c.api->StreamCreate(stream, CUDA_STREAM_NON_BLOCKING), "cuStreamCreate");
  return cuda_end(&c);
}

tilec_status cuda_stream_synchronize(tilec_device *device, void *stream) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = cuda_check(c.api, c.api->StreamSynchronize(stream), "cuStreamSynchronize");
  return cuda_end(&c);
}

// A stream that is being captured is skipped. Nothing on it has been launched, and waiting for it is illegal.
static tilec_status join(const CudaApi *api, CudaStream stream) {
  int capturing = 0;
  CudaEvent event = NULL;
  tilec_status status = cuda_check(api, api->StreamIsCapturing(stream, &capturing), "cuStreamIsCapturing");
  if (status || capturing) return status;
  status = cuda_check(api, api->EventCreate(&event, CUDA_EVENT_NO_TIMING), "cuEventCreate");
  if (status) return status;
  status = cuda_check(api, api->EventRecord(event, stream), "cuEventRecord");
  if (!status) status = cuda_check(api, api->StreamWaitEvent(NULL, event, 0), "cuStreamWaitEvent");
  api->EventDestroy(event);
  return status;
}

tilec_status cuda_stream_join(tilec_device *device, void *stream) {
  if (device->gave_up) return TILEC_OK;
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = join(c.api, stream);
  return cuda_end(&c);
}

void cuda_stream_free(tilec_device *device, void *stream) {
  if (device->gave_up) return;
  CudaCall c = cuda_begin(device->state);
  c.api->StreamDestroy(stream);
  cuda_end(&c);
}

// --- Events ---

tilec_status cuda_event_new(tilec_device *device, void **event) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = cuda_check(c.api, c.api->EventCreate(event, 0), "cuEventCreate");
  return cuda_end(&c);
}

tilec_status cuda_event_record(tilec_device *device, void *event, void *stream) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = cuda_check(c.api, c.api->EventRecord(event, stream), "cuEventRecord");
  return cuda_end(&c);
}

tilec_status cuda_event_wait(tilec_device *device, void *event, void *stream) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = cuda_check(c.api, c.api->StreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
  return cuda_end(&c);
}

tilec_status cuda_event_synchronize(tilec_device *device, void *event) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = cuda_check(c.api, c.api->EventSynchronize(event), "cuEventSynchronize");
  return cuda_end(&c);
}

tilec_status cuda_event_elapsed(tilec_device *device, void *start, void *end, double *seconds) {
  float milliseconds = 0;
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = cuda_check(c.api, c.api->EventSynchronize(end), "cuEventSynchronize");
  if (!c.status)
    c.status = cuda_check(c.api, c.api->EventElapsedTime(&milliseconds, start, end), "cuEventElapsedTime");
  *seconds = milliseconds / 1e3;
  return cuda_end(&c);
}

void cuda_event_free(tilec_device *device, void *event) {
  if (device->gave_up) return;
  CudaCall c = cuda_begin(device->state);
  c.api->EventDestroy(event);
  cuda_end(&c);
}
