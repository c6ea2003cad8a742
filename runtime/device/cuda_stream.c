// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPU streams and events.
#include "runtime/device/cuda.h"
#include "runtime/error.h"

tilec_status cuda_stream_new(tilec_device *device, void **stream) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = cuda_enter(cuda, &pushed);
  if (!status)
    status =
        cuda_check(&cuda->api, cuda->api.StreamCreate(stream, CUDA_STREAM_NON_BLOCKING), "cuStreamCreate");
  cuda_leave(cuda, pushed);
  return status;
}

tilec_status cuda_stream_synchronize(tilec_device *device, void *stream) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = cuda_enter(cuda, &pushed);
  if (!status) status = cuda_check(&cuda->api, cuda->api.StreamSynchronize(stream), "cuStreamSynchronize");
  cuda_leave(cuda, pushed);
  return status;
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
  Cuda *cuda = device->state;
  bool pushed;
  if (device->gave_up) return TILEC_OK;
  tilec_status status = cuda_enter(cuda, &pushed);
  if (!status) status = join(&cuda->api, stream);
  cuda_leave(cuda, pushed);
  return status;
}

void cuda_stream_free(tilec_device *device, void *stream) {
  Cuda *cuda = device->state;
  bool pushed;
  if (device->gave_up) return;
  cuda_enter(cuda, &pushed);
  cuda->api.StreamDestroy(stream);
  cuda_leave(cuda, pushed);
}

// --- Events ---

tilec_status cuda_event_new(tilec_device *device, void **event) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = cuda_enter(cuda, &pushed);
  if (!status) status = cuda_check(&cuda->api, cuda->api.EventCreate(event, 0), "cuEventCreate");
  cuda_leave(cuda, pushed);
  return status;
}

tilec_status cuda_event_record(tilec_device *device, void *event, void *stream) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = cuda_enter(cuda, &pushed);
  if (!status) status = cuda_check(&cuda->api, cuda->api.EventRecord(event, stream), "cuEventRecord");
  cuda_leave(cuda, pushed);
  return status;
}

tilec_status cuda_event_wait(tilec_device *device, void *event, void *stream) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = cuda_enter(cuda, &pushed);
  if (!status)
    status = cuda_check(&cuda->api, cuda->api.StreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
  cuda_leave(cuda, pushed);
  return status;
}

tilec_status cuda_event_synchronize(tilec_device *device, void *event) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = cuda_enter(cuda, &pushed);
  if (!status) status = cuda_check(&cuda->api, cuda->api.EventSynchronize(event), "cuEventSynchronize");
  cuda_leave(cuda, pushed);
  return status;
}

tilec_status cuda_event_elapsed(tilec_device *device, void *start, void *end, double *seconds) {
  Cuda *cuda = device->state;
  const CudaApi *api = &cuda->api;
  bool pushed;
  float milliseconds = 0;
  tilec_status status = cuda_enter(cuda, &pushed);
  if (!status) status = cuda_check(api, api->EventSynchronize(end), "cuEventSynchronize");
  if (!status)
    status = cuda_check(api, api->EventElapsedTime(&milliseconds, start, end), "cuEventElapsedTime");
  cuda_leave(cuda, pushed);
  *seconds = milliseconds / 1e3;
  return status;
}

void cuda_event_free(tilec_device *device, void *event) {
  Cuda *cuda = device->state;
  bool pushed;
  if (device->gave_up) return;
  cuda_enter(cuda, &pushed);
  cuda->api.EventDestroy(event);
  cuda_leave(cuda, pushed);
}
