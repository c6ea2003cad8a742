// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPU streams and events.
#include "runtime/device/cuda.h"
#include "runtime/error.h"

tilec_status cuda_stream_new(tilec_device *device, void **stream) {
  CUDA_RETURN(device, StreamCreate, stream, CUDA_STREAM_NON_BLOCKING);
}

tilec_status cuda_stream_synchronize(tilec_device *device, void *stream) {
  CUDA_RETURN(device, StreamSynchronize, stream);
}

// A stream that is being captured is skipped. Nothing on it has been launched, and waiting for it is illegal.
static tilec_status join(const CudaApi *api, CudaStream stream) {
  int capturing = 0;
  CudaEvent event = NULL;
  tilec_status status = CUDA(api, StreamIsCapturing, stream, &capturing);
  if (status || capturing) return status;
  status = CUDA(api, EventCreate, &event, CUDA_EVENT_NO_TIMING);
  if (status) return status;
  status = CUDA(api, EventRecord, event, stream);
  if (!status) status = CUDA(api, StreamWaitEvent, NULL, event, 0);
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
  CUDA_RETURN(device, EventCreate, event, 0);
}

tilec_status cuda_event_record(tilec_device *device, void *event, void *stream) {
  CUDA_RETURN(device, EventRecord, event, stream);
}

tilec_status cuda_event_wait(tilec_device *device, void *event, void *stream) {
  CUDA_RETURN(device, StreamWaitEvent, stream, event, 0);
}

tilec_status cuda_event_synchronize(tilec_device *device, void *event) {
  CUDA_RETURN(device, EventSynchronize, event);
}

tilec_status cuda_event_elapsed(tilec_device *device, void *start, void *end, double *seconds) {
  float milliseconds = 0;
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = CUDA(c.api, EventSynchronize, end);
  if (!c.status) c.status = CUDA(c.api, EventElapsedTime, &milliseconds, start, end);
  *seconds = milliseconds / 1e3;
  return cuda_end(&c);
}

void cuda_event_free(tilec_device *device, void *event) {
  if (device->gave_up) return;
  CudaCall c = cuda_begin(device->state);
  c.api->EventDestroy(event);
  cuda_end(&c);
}
