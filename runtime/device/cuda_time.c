// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times launches on a GPU, many in one graph. Also assembles with the driver.
#include "runtime/device/cuda.h"
#include "runtime/error.h"
#include "runtime/device/ptx_version.h"

typedef struct Timer {
  CudaStream stream;
  CudaGraph graph;
  CudaGraphExec exec;
  CudaEvent start, end;
} Timer;

static tilec_status timer_capture(tilec_device *device, Timer *timer, void *kernel, KernelLaunch *launches,
                                  uint32_t launch_count, uint32_t count) {
  const CudaApi *api = &((Cuda *)device->state)->api;
  tilec_status status = CUDA(api, StreamCreate, &timer->stream, CUDA_STREAM_NON_BLOCKING);
  if (!status) status = CUDA(api, EventCreate, &timer->start, 0);
  if (!status) status = CUDA(api, EventCreate, &timer->end, 0);
  if (!status) status = CUDA(api, StreamBeginCapture, timer->stream, CUDA_CAPTURE_RELAXED);
  if (status) return status;
  for (uint32_t i = 0; i < count && !status; i++) {
    KernelLaunch launch = launches[i % launch_count];
    launch.stream = timer->stream;
    status = cuda_launch(device, kernel, &launch);
  }
  CudaResult ended = api->StreamEndCapture(timer->stream, &timer->graph);
  if (!status) status = cuda_check(api, ended, "cuStreamEndCapture");
  if (!status) status = CUDA(api, GraphInstantiateWithFlags, &timer->exec, timer->graph, 0);
  return status;
}

static tilec_status timer_round(tilec_device *device, const Timer *timer, const CudaWait *wait,
                                float *milliseconds) {
  const CudaApi *api = &((Cuda *)device->state)->api;
  tilec_status status = CUDA(api, EventRecord, timer->start, timer->stream);
  if (!status) status = CUDA(api, GraphLaunch, timer->exec, timer->stream);
  if (!status) status = CUDA(api, EventRecord, timer->end, timer->stream);
  if (!status) status = cuda_wait_for(device, timer->end, wait);
  if (!status) status = CUDA(api, EventElapsedTime, milliseconds, timer->start, timer->end);
  return status;
}

static void timer_free(const CudaApi *api, Timer *timer) {
  if (timer->exec) api->GraphExecDestroy(timer->exec);
  if (timer->graph) api->GraphDestroy(timer->graph);
  if (timer->start) api->EventDestroy(timer->start);
  if (timer->end) api->EventDestroy(timer->end);
  if (timer->stream) api->StreamDestroy(timer->stream);
}

tilec_status cuda_time(tilec_device *device, void *kernel, KernelLaunch *launches, uint32_t launch_count,
                       uint32_t count, uint32_t rounds, double *seconds) {
  Timer timer = {0};
  float milliseconds;
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = timer_capture(device, &timer, kernel, launches, launch_count, count);
  const CudaWait wait = {&launches[0].limits, seconds_now()};
  if (!c.status) c.status = timer_round(device, &timer, &wait, &milliseconds); // warm-up
  for (uint32_t i = 0; i < rounds && !c.status; i++) {
    c.status = timer_round(device, &timer, &wait, &milliseconds);
    seconds[i] = milliseconds / 1e3 / count;
  }
  if (!device->gave_up) timer_free(c.api, &timer);
  return cuda_end(&c);
}

// --- Assembling ---

static tilec_status link_text(const CudaApi *api, Str ptx, char errors[CUDA_LOG_BYTES], Buf *cubin) {
  int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
  void *values[] = {errors, (void *)(uintptr_t)CUDA_LOG_BYTES}, *made = NULL;
  size_t bytes = 0;
  CudaLink link = NULL;
  tilec_status status = CUDA(api, LinkCreate, 2, options, values, &link);
  if (status) return status;
  CudaResult result = api->LinkAddData(link, CUDA_JIT_INPUT_PTX, ptx.at, ptx.n + 1, "tilec", 0, NULL, NULL);
  status = cuda_check(api, result, "cuLinkAddData");
  if (!status) status = CUDA(api, LinkComplete, link, &made, &bytes);
  if (status)
    status = error_set(status, "the driver refuses the PTX: %s%s%s", tilec_last_error(),
                       errors[0] ? "\n" : "", errors);
  else
    buf_bytes(cubin, made, bytes); // the link owns the memory
  api->LinkDestroy(link);
  return status;
}

static tilec_status link_ptx(const CudaApi *api, Str ptx, Buf *cubin) {
  char errors[CUDA_LOG_BYTES] = "";
  Buf lowered = {0};
  tilec_status status = link_text(api, ptx, errors, cubin);
  if (status && ptx_lower_version(ptx, errors, &lowered)) {
    errors[0] = '\0';
    status = link_text(api, buf_view(&lowered), errors, cubin);
  }
  buf_free(&lowered);
  return status;
}

// Uses relaxed capture mode, like a load: a graph may be in capture when a launch comes.
tilec_status cuda_assemble(tilec_device *device, Str ptx, Buf *cubin) {
  int mode = CUDA_CAPTURE_RELAXED;
  CudaCall c = cuda_begin(device->state);
  if (!c.status) {
    c.api->ThreadExchangeStreamCaptureMode(&mode);
    c.status = link_ptx(c.api, ptx, cubin);
    c.api->ThreadExchangeStreamCaptureMode(&mode);
  }
  return cuda_end(&c);
}
