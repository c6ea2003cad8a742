// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A libcuda.so.1 of one GPU (sm_90) whose launches never end, for tests of waiting. Queries return
// "not ready". A call that would wait ends the process with 3, because the caller should have given
// up before. It is linked as libcuda.so.1 in its own folder (tests/groups/ends).
#include <stdio.h>
#include <unistd.h>

#include "runtime/device/driver.h"

#define EXPORT __attribute__((visibility("default"))) CudaResult

static CudaResult would_wait(const char *what) {
  fprintf(stderr, "stuck driver: %s waits for ever\n", what);
  _exit(3);
}

// A handle or an address: never NULL, pointing to nothing.
static void *some(void) { return (void *)(uintptr_t)0x10000; }

#define X(name, symbol, parameters) EXPORT name parameters __asm__(symbol);
#include "runtime/device/driver_api.def"
#undef X

CudaResult Init(unsigned flags) { return (void)flags, 0; }
CudaResult GetErrorName(CudaResult result, const char **name) { return (void)result, *name = "STUCK", 0; }
CudaResult GetErrorString(CudaResult result, const char **text) { return (void)result, *text = "stuck", 0; }
CudaResult DriverGetVersion(int *version) { return *version = 13000, 0; }
CudaResult DeviceGetCount(int *count) { return *count = 1, 0; }
CudaResult DeviceGet(CudaDevice *device, int ordinal) { return *device = ordinal, 0; }
CudaResult DeviceGetName(char *name, int bytes, CudaDevice device) {
  snprintf(name, (size_t)bytes, "stuck %d", device);
  return 0;
}
CudaResult DeviceGetAttribute(int *value, int attribute, CudaDevice device) {
  (void)device;
  *value = attribute == CUDA_ATTRIBUTE_CC_MAJOR ? 9 : attribute == CUDA_ATTRIBUTE_CC_MINOR ? 0 : 227 * 1024;
  return 0;
}
CudaResult DevicePrimaryCtxRetain(CudaContext *context, CudaDevice device) {
  return (void)device, *context = some(), 0;
}
CudaResult DevicePrimaryCtxRelease(CudaDevice device) {
  return (void)device, would_wait("cuDevicePrimaryCtxRelease");
}
CudaResult CtxGetCurrent(CudaContext *context) { return *context = NULL, 0; }
CudaResult CtxGetDevice(CudaDevice *device) { return *device = 0, 0; }
CudaResult CtxPushCurrent(CudaContext context) { return (void)context, 0; }
CudaResult CtxPopCurrent(CudaContext *context) { return *context = some(), 0; }
static int launched;
CudaResult CtxSynchronize(void) { return launched ? would_wait("cuCtxSynchronize") : 0; }
CudaResult MemAlloc(uint64_t *address, size_t bytes) { return (void)bytes, *address = 0x7f0000000000, 0; }
CudaResult MemFree(uint64_t address) { return (void)address, would_wait("cuMemFree"); }
CudaResult MemcpyHtoD(uint64_t to, const void *from, size_t bytes) {
  return (void)to, (void)from, (void)bytes, 0;
}
CudaResult MemcpyDtoH(void *to, uint64_t from, size_t bytes) {
  return (void)to, (void)from, (void)bytes, would_wait("cuMemcpyDtoH");
}
CudaResult MemsetD8(uint64_t at, unsigned char byte, size_t bytes) {
  return (void)at, (void)byte, (void)bytes, 0;
}
CudaResult MemcpyHtoDAsync(uint64_t to, const void *from, size_t bytes, CudaStream stream) {
  return (void)to, (void)from, (void)bytes, (void)stream, 0;
}
CudaResult MemcpyDtoHAsync(void *to, uint64_t from, size_t bytes, CudaStream stream) {
  return (void)to, (void)from, (void)bytes, (void)stream, 0;
}
CudaResult MemcpyDtoDAsync(uint64_t to, uint64_t from, size_t bytes, CudaStream stream) {
  return (void)to, (void)from, (void)bytes, (void)stream, 0;
}
CudaResult MemsetD8Async(uint64_t at, unsigned char byte, size_t bytes, CudaStream stream) {
  return (void)at, (void)byte, (void)bytes, (void)stream, 0;
}
CudaResult ModuleLoadDataEx(CudaModule *module, const void *image, unsigned count, int *options,
                            void **values) {
  return (void)image, (void)count, (void)options, (void)values, *module = some(), 0;
}
CudaResult ModuleUnload(CudaModule module) { return (void)module, would_wait("cuModuleUnload"); }
CudaResult ModuleGetFunction(CudaFunction *function, CudaModule module, const char *name) {
  return (void)module, (void)name, *function = some(), 0;
}
CudaResult LinkCreate(unsigned count, int *options, void **values, CudaLink *state) {
  return (void)count, (void)options, (void)values, *state = some(), 0;
}
CudaResult LinkAddData(CudaLink state, int kind, const void *data, size_t bytes, const char *name,
                       unsigned count, int *options, void **values) {
  return (void)state, (void)kind, (void)data, (void)bytes, (void)name, (void)count, (void)options,
         (void)values, 1;
}
CudaResult LinkComplete(CudaLink state, void **cubin, size_t *bytes) {
  return (void)state, (void)cubin, (void)bytes, 1;
}
CudaResult LinkDestroy(CudaLink state) { return (void)state, 0; }
CudaResult FuncSetAttribute(CudaFunction function, int attribute, int value) {
  return (void)function, (void)attribute, (void)value, 0;
}
CudaResult FuncGetAttribute(int *value, int attribute, CudaFunction function) {
  return (void)attribute, (void)function, *value = 0, 0;
}
CudaResult OccupancyMaxActiveBlocks(int *blocks, CudaFunction function, int threads, size_t shared_bytes) {
  return (void)function, (void)threads, (void)shared_bytes, *blocks = 1, 0;
}
CudaResult LaunchKernelEx(const CudaLaunchConfig *config, CudaFunction function, void **params,
                          void **extra) {
  return (void)config, (void)function, (void)params, (void)extra, launched = 1, 0;
}
CudaResult StreamCreate(CudaStream *stream, unsigned flags) { return (void)flags, *stream = some(), 0; }
CudaResult StreamDestroy(CudaStream stream) { return (void)stream, would_wait("cuStreamDestroy"); }
CudaResult StreamSynchronize(CudaStream stream) {
  return (void)stream, launched ? would_wait("cuStreamSynchronize") : 0;
}
CudaResult StreamIsCapturing(CudaStream stream, int *capturing) {
  return (void)stream, *capturing = 0, 0;
}
CudaResult StreamWaitEvent(CudaStream stream, CudaEvent event, unsigned flags) {
  return (void)stream, (void)event, (void)flags, 0;
}
CudaResult ThreadExchangeStreamCaptureMode(int *mode) { return (void)mode, 0; }
CudaResult StreamBeginCapture(CudaStream stream, int mode) { return (void)stream, (void)mode, 0; }
CudaResult StreamEndCapture(CudaStream stream, CudaGraph *graph) { return (void)stream, *graph = some(), 0; }
CudaResult GraphInstantiateWithFlags(CudaGraphExec *exec, CudaGraph graph, unsigned long long flags) {
  return (void)graph, (void)flags, *exec = some(), 0;
}
CudaResult GraphLaunch(CudaGraphExec exec, CudaStream stream) {
  return (void)exec, (void)stream, launched = 1, 0;
}
CudaResult GraphExecDestroy(CudaGraphExec exec) { return (void)exec, would_wait("cuGraphExecDestroy"); }
CudaResult GraphDestroy(CudaGraph graph) { return (void)graph, would_wait("cuGraphDestroy"); }
CudaResult EventCreate(CudaEvent *event, unsigned flags) { return (void)flags, *event = some(), 0; }
CudaResult EventRecord(CudaEvent event, CudaStream stream) { return (void)event, (void)stream, 0; }
CudaResult EventSynchronize(CudaEvent event) { return (void)event, would_wait("cuEventSynchronize"); }
CudaResult EventQuery(CudaEvent event) { return (void)event, launched ? CUDA_NOT_READY : 0; }
CudaResult EventElapsedTime(float *milliseconds, CudaEvent start, CudaEvent end) {
  return (void)start, (void)end, *milliseconds = 1, 0;
}
CudaResult EventDestroy(CudaEvent event) { return (void)event, would_wait("cuEventDestroy"); }
